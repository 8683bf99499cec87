"""Broken sources: kernels and IR with some of their tokens changed.

usage: grammar.py [--count N] [--seconds N] [--seed N] [--jobs N] [--keep FOLDER] FILE...

Each file is a source that works; changed ones go through the tools. Whatever they say,
they must end by themselves with 0, 1 or 2, in time and within 4 GiB. What does not is
printed with the command, and kept with --keep.
"""

import argparse
import concurrent.futures
import pathlib
import random
import re
import resource
import subprocess
import sys
import tempfile
import time

TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|\"[^\"\n]*\"|\n[ ]*|[ ]+|\S", re.S)
WORDS = ["0", "1", "-1", "3", "4096", "2147483647", "18446744073709551616", "1e400", "nan", "None", "True", "(", ")", "[",
         "]", ":", ",", "=", "x", "\n", "    ", "for", "while", "if", "else", "return", "def", "@kernel", "arange", "load",
         "store", "reduce", "sum", "dot", "reshape", "where", "tensor<3x5xf32>", "tensor<1x!tile.ptr<i8>>", "i1", "f64",
         "%0", "^bb0", "{", "}", "<", ">", "->", "axis", "dense<1>", "tile.gather", "tile.reduce", "scf.for", "\u00e9", "\t"]
LIMIT = 4 << 30
SECONDS = 60


def mutate(text, r, others):
    tokens = TOKEN.findall(text)
    for _ in range(r.choice([1, 1, 2, 3, 8])):
        if not tokens:
            break
        i = r.randrange(len(tokens))
        kind = r.randrange(7)
        if kind == 0:
            del tokens[i:i + r.choice([1, 1, 3, 20])]
        elif kind == 1:
            tokens[i] = r.choice(WORDS)
        elif kind == 2:
            tokens.insert(i, r.choice(WORDS))
        elif kind == 3:
            tokens[i] = r.choice(tokens)
        elif kind == 4:
            j = r.randrange(len(tokens))
            tokens[i], tokens[j] = tokens[j], tokens[i]
        elif kind == 5:
            other = r.choice(others)
            start = r.randrange(max(1, len(other)))
            tokens[i:i] = other[start:start + r.randrange(1, 30)]
        else:
            tokens[i:i] = tokens[i:i + r.randrange(1, 60)] * r.choice([1, 1, 2, 50])
    return "".join(tokens)


def command_for(path, r):
    if path.suffix == ".mlir":
        return r.choice([["tile-opt", path, "--canonicalize", "--cse"],
                         ["tile-opt", path, "--tilec-tile-pipeline"],
                         ["tilec", path, "-o", f"{path}.ptx"],
                         ["tilec", path, "--emit=tilegpu", "-o", f"{path}.out"],
                         ["tile-run", path, "--grid", "1", "--check"]])
    return r.choice([["tilec", path, "-o", f"{path}.ptx"],
                     ["tilec", path, "--arch", "sm_90a", "-o", f"{path}.ptx"],
                     ["tilec", path, "--emit=tile", "-o", f"{path}.out"],
                     ["tile-run", path, "--grid", "1", "x=arange(f32,8)"]])


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))


def attempt(sources, others, seed, number, folder):
    """What went wrong, if anything did."""
    r = random.Random(f"{seed}/{number}")
    name, text = r.choice(sources)
    path = pathlib.Path(f"{folder}/{number}{pathlib.Path(name).suffix}")
    path.write_bytes(mutate(text, r, others).encode())
    command = [str(word) for word in command_for(path, r)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS, preexec_fn=limit)
        problem = None if done.returncode in (0, 1, 2) else f"status {done.returncode}: " + done.stderr.decode(
            errors="replace")[-1500:]
    except subprocess.TimeoutExpired:
        problem = f"no end within {SECONDS} s"
    for leftover in (f"{path}.ptx", f"{path}.out"):
        pathlib.Path(leftover).unlink(missing_ok=True)
    if problem:
        return f"{' '.join(command)} (from {name}, seed {seed}, number {number})\n{problem}"
    path.unlink()
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=10**9, help="stop after so long")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", help="leave the sources that went wrong in this folder")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    sources = [(name, pathlib.Path(name).read_text()) for name in options.files]
    others = [TOKEN.findall(text) for _, text in sources]
    end = time.monotonic() + options.seconds
    tried, wrong = 0, []
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        folder = options.keep or temporary
        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
        while tried < options.count and time.monotonic() < end:
            batch = range(tried, min(tried + 50, options.count))
            wrong += filter(None, pool.map(lambda n: attempt(sources, others, options.seed, n, folder), batch))
            tried = batch.stop
    for text in wrong:
        print(text)
    print(f"{tried - len(wrong)} passed, {len(wrong)} failed")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
