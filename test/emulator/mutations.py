"""Breaks the PTX of a few kernels on purpose, and counts what the emulator finds.

usage: mutations.py TILEC [--sample N] [--seed N] [--verbose]

Each mutation changes one instruction: a barrier goes (all of them, one at a time), a wait allows one group more (all),
two registers change places, or an offset changes (of these N a kernel at random). One is caught if the run fails or
leaves other results. Every lost barrier and every shortened wait must be caught, and nine tenths of the others: some
change nothing that counts. Ends with a line for each kind.
"""

import argparse
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import numpy as np

from ptx import host
from ptx.types import Fault

SOURCE = """
@kernel
def rows(x: ptr[f32, 16], y: ptr[f32, 16], n: i32):
    o = program_id(0) * n + arange(0, 1024)
    v = load(x + o, mask=arange(0, 1024) < n, other=-inf)
    e = exp(v - max(v, axis=0))
    store(y + o, e / sum(e, axis=0), mask=arange(0, 1024) < n)

@kernel
def turned(x: ptr[f16, 16], y: ptr[f16, 16]):
    a = arange(0, 32)
    b = arange(0, 64)
    store(y + b[:, None] * 32 + a[None, :], trans(load(x + a[:, None] * 64 + b[None, :])))

@kernel
def columns(x: ptr[i32, 16], y: ptr[i32, 16]):
    a = arange(0, 64)
    v = load(x + a[:, None] * 16 + arange(0, 16)[None, :])
    store(y + arange(0, 16), sum(v, axis=0) - max(v, axis=0))

@kernel
def product(x: ptr[f16, 16], y: ptr[f16, 16], z: ptr[f32, 16], k: i32):
    m = arange(0, 32)
    acc = zeros([32, 32], f32)
    for s in range(0, k, 32):
        a = load(x + m[:, None] * 128 + (s + m)[None, :])
        b = load(y + (s + m)[:, None] * 32 + m[None, :])
        acc = dot(a, b, acc)
    store(z + m[:, None] * 32 + m[None, :], acc)
"""


def kernels():
    """Names with the arguments: arrays, and scalars as bytes."""
    draw = np.random.default_rng(1)
    normal = lambda kind, *shape: draw.standard_normal(shape).astype(kind)
    yield "rows", [normal("f4", 2, 900), np.zeros((2, 900), "f4"), (900).to_bytes(4, "little")], (2, 1, 1)
    yield "turned", [normal("f2", 32, 64), np.zeros((64, 32), "f2")], (1, 1, 1)
    yield "columns", [draw.integers(-99, 99, (64, 16)).astype("i4"), np.zeros(16, "i4")], (1, 1, 1)
    yield "product", [normal("f2", 32, 128), normal("f2", 128, 32), np.zeros((32, 32), "f4"),
                      (128).to_bytes(4, "little")], (1, 1, 1)


#===-- Mutations ---------------------------------------------------------------===#


def without(line):
    return ""


def waits_for_less(line):
    return re.sub(r"(wait_group\s+)(\d+)", lambda m: m[1] + str(int(m[2]) + 1), line)


def other_offset(line):
    """The next place that is aligned: an instruction of 16 bytes moves by 16."""
    count = re.search(r"\.v(\d)", line)
    size = 16 if "ldmatrix" in line else int(re.search(r"b(\d+)\s", line)[1]) // 8 * int(count[1] if count else 1)
    return re.sub(r"\[(%\w+)(?:\+(-?\d+))?\]", lambda m: f"[{m[1]}+{int(m[2] or 0) + size}]", line, count=1)


def swapped(line):
    """The last two registers of a list, or of the operands, in each other's place."""
    return re.sub(r"(%r[sd]?\d+)(, *)(%r[sd]?\d+)(?=[^%]*;)", r"\3\2\1", line, count=1)


KINDS = {  # name to which lines, how they change, whether all are tried and must be caught
    "barriers": (r"bar\.sync", without, True),
    "waits": (r"cp\.async\.wait_group", waits_for_less, True),
    "offsets": (r"(ld|st)\.(shared|global)\S*\.b\d+\s|ldmatrix\S*b16\s", other_offset, False),
    "registers": (r"\b(sub\.|selp\.b|div\.|mma\.|st\.\S*\.v\d)", swapped, False),
}


def lines_of(lines, name):
    """The numbers of the lines of an entry."""
    start = next(n for n, line in enumerate(lines) if re.match(rf"\.visible \.entry {name}\(", line))
    return range(start, next(n for n in range(start, len(lines)) if lines[n] == "}"))


def mutants(text, name, kind, draw, sample):
    """Pairs of an instruction and the module in which it is changed."""
    pattern, change, every = KINDS[kind]
    lines = text.split("\n")
    found = [n for n in lines_of(lines, name) if re.search(pattern, lines[n]) and change(lines[n]) != lines[n]]
    if not every:
        found = sorted(draw.sample(found, min(sample, len(found))))
    for n in found:
        yield lines[n].strip(), "\n".join([*lines[:n], change(lines[n]), *lines[n + 1:]])


def is_caught(text, name, arguments, grid, want):
    try:
        got = host.run(text, name, arguments, grid, limit=20_000)
    except Fault:
        return True
    return any(isinstance(w, np.ndarray) and not np.array_equal(w, g, equal_nan=True) for w, g in zip(want, got))


def compile_all(tilec, arch):
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "k.tile").write_text(SOURCE)
        subprocess.run([tilec, f"{folder}/k.tile", "--arch", arch, "-o", f"{folder}/k.ptx"], check=True)
        return pathlib.Path(folder, "k.ptx").read_text()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tilec")
    parser.add_argument("--sample", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    counts = {kind: [0, 0] for kind in KINDS}
    text = compile_all(options.tilec, "sm_80")
    for name, arguments, grid in kernels():
        want = host.run(text, name, arguments, grid)
        for kind in KINDS:
            draw = random.Random(f"{options.seed}/{name}/{kind}")
            for line, mutant in mutants(text, name, kind, draw, options.sample):
                caught = is_caught(mutant, name, arguments, grid, want)
                counts[kind][0] += caught
                counts[kind][1] += 1
                if not caught and (options.verbose or KINDS[kind][2]):
                    print(f"{name}: {kind}: not caught: {line}")
    failed = False
    for kind, (caught, tried) in counts.items():
        failed |= tried == 0 or caught < (tried if KINDS[kind][2] else 0.9 * tried)
        print(f"{kind}: {caught} of {tried} caught")
    return failed


if __name__ == "__main__":
    sys.exit(main())
