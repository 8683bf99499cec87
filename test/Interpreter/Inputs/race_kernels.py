"""Small kernels of several programs whose verdict is known by construction.

usage: race_kernels.py [--count N] [--first N] [--keep DIR] [--only FAMILY]

Number N is always the same kernel with the same launch and schedule. Each family
builds a kernel that is right, and breaks it in one way or not at all; a checking run
must report exactly the broken ones. Prints what it got wrong and
`N kernels, N racy, N false alarms, N missed`.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import random
import subprocess
import sys
import tempfile

Case = collections.namedtuple("Case", "family body consts programs arguments verdict helpers")

HEADER = "import triton\nimport triton.language as tl\n\n\n"
PUT = "@triton.jit\ndef put(p, v, m):\n    tl.store(p, v, mask=m)\n\n\n"
GET = "@triton.jit\ndef get(p, m):\n    return tl.load(p, mask=m, other=0)\n\n\n"


def case(family, body, consts, programs, arguments, verdict, helpers=""):
    return Case(family, body, consts, programs, arguments, verdict, helpers)


def store(rng, pointer, value, mask):
    """A store, sometimes in a helper or a loop."""
    form = rng.randrange(3)
    if form == 0:
        return f"put({pointer}, {value}, {mask})", PUT
    if form == 1:
        return f"for turn in range(2):\n        tl.store({pointer}, {value} + turn, mask={mask})", ""
    return f"tl.store({pointer}, {value}, mask={mask})", ""


def tiles(rng):
    """Each program stores a tile; the tiles overlap, or a mask keeps them apart."""
    size, programs = rng.choice([1, 3, 8, 16]), rng.randint(2, 6)
    step = rng.randint(max(1, size - 2), size + 2)
    masked = rng.random() < 0.3
    value = rng.choice(["i * 0 + 7", "pid + i * 0", "i"])
    text, helpers = store(rng, "y + pid * STEP + i", value, "i < STEP" if masked else "i < SIZE")
    racy = step < size and not masked
    body = f"def k(y, SIZE: tl.constexpr, STEP: tl.constexpr):\n    pid = tl.program_id(0)\n    i = tl.arange(0, SIZE)\n    {text}\n"
    return case("tiles", body, {"SIZE": size, "STEP": step}, programs, {"y": f"zeros(i32,{programs * step + size})"},
                "race" if racy else "clean", helpers)


def neighbours(rng):
    """A program reads what it stored itself, what another does, or an input."""
    size, programs, shift = rng.choice([1, 4, 8]), rng.randint(2, 6), rng.randint(0, 3)
    source = rng.choice(["y", "y", "x"])
    order = rng.random() < 0.5
    lines = ["tl.store(y + pid * SIZE + i, pid + i)", f"v = get({source} + other * SIZE + i, i < SIZE)"]
    if order:
        lines.reverse()
    body = ("def k(x, y, z, SIZE: tl.constexpr, SHIFT: tl.constexpr):\n    pid = tl.program_id(0)\n    i = tl.arange(0, SIZE)\n"
            "    other = (pid + SHIFT) % tl.num_programs(0)\n    " + "\n    ".join(lines) +
            "\n    tl.store(z + pid * SIZE + i, v)\n")
    n = programs * size
    racy = source == "y" and shift % programs != 0
    return case("neighbours", body, {"SIZE": size, "SHIFT": shift}, programs,
                {name: f"zeros(i32,{n})" for name in "xyz"}, "race" if racy else "clean", GET)


def atomics(rng):
    """All programs add to the same elements; one way to break it is a plain access."""
    size, programs = rng.choice([1, 4, 8]), rng.randint(2, 6)
    sem = rng.choice(["relaxed", "acquire", "release", "acq_rel"])
    broken = rng.choice(["", "", "scope", "store", "plain"])
    scope = "cta" if broken == "scope" else rng.choice(["gpu", "sys"])
    add = f"tl.atomic_add(y + i, pid + i, sem='{sem}', scope='{scope}')"
    if broken == "plain":
        add = "tl.store(y + i, tl.load(y + i) + pid)"
    lines = [add]
    if broken == "store":
        # The first program stores before it takes part: nobody waits for that.
        lines = ["if pid == 0:\n        tl.store(y + i, i)\n    else:\n        " + add]
    body = ("def k(y, SIZE: tl.constexpr):\n    pid = tl.program_id(0)\n    i = tl.arange(0, SIZE)\n    " +
            "\n    ".join(lines) + "\n")
    return case("atomics", body, {"SIZE": size}, programs, {"y": f"zeros(i32,{size})"}, "race" if broken else "clean")


def locked(rng):
    """A counter under a spin lock, with what can be wrong with one."""
    size, programs = rng.choice([1, 4]), rng.randint(2, 6)
    broken = rng.choice(["", "", "", "take", "give", "both", "scope", "none", "two", "plain", "stuck"])
    take = "relaxed" if broken in ("take", "both") else rng.choice(["acquire", "acq_rel"])
    give = "relaxed" if broken in ("give", "both") else rng.choice(["release", "acq_rel"])
    scope = "cta" if broken == "scope" else rng.choice(["gpu", "sys"])
    lock = "lock + pid % 2" if broken == "two" else "lock"
    lines = [f"while tl.atomic_cas({lock}, 0, 1, sem='{take}', scope='{scope}') == 1:\n        pass",
             "tl.store(y + i, tl.load(y + i) + 1)",
             f"tl.atomic_xchg({lock}, 0, sem='{give}', scope='{scope}')"]
    if broken == "none":
        lines = lines[1:2]
    if broken == "plain":
        lines[2] = f"tl.store({lock}, 0)"
    if broken == "stuck":
        lines = lines[:2]
    body = ("def k(y, lock, SIZE: tl.constexpr):\n    pid = tl.program_id(0)\n    i = tl.arange(0, SIZE)\n    " +
            "\n    ".join(lines) + "\n")
    verdict = "clean" if not broken else "deadlock" if broken == "stuck" else "race"
    return case("locked", body, {"SIZE": size}, programs, {"y": f"zeros(i32,{size})", "lock": "zeros(i32,2)"}, verdict)


def published(rng):
    """The first program stores data and raises a flag that the others wait for."""
    size, programs = rng.choice([1, 4, 8]), rng.randint(2, 6)
    broken = rng.choice(["", "", "", "raise", "see", "late", "blind", "volatile", "scope", "beyond"])
    up = "relaxed" if broken == "raise" else rng.choice(["release", "acq_rel"])
    see = "relaxed" if broken == "see" else rng.choice(["acquire", "acq_rel"])
    scope = "cta" if broken == "scope" else "gpu"
    wait = {"blind": "pass", "volatile": "while tl.load(flag, volatile=True) == 0:\n            pass"}.get(
        broken, f"while tl.atomic_add(flag, 0, sem='{see}', scope='{scope}') == 0:\n            pass")
    steps = ["tl.store(y + i, i)", f"tl.atomic_xchg(flag, 1, sem='{up}', scope='{scope}')"]
    if broken == "late":
        steps.reverse()
    if broken == "beyond":
        steps.append("tl.store(y + SIZE + i, i)")  # after the flag, but nobody reads it
    body = ("def k(y, z, flag, SIZE: tl.constexpr):\n    pid = tl.program_id(0)\n    i = tl.arange(0, SIZE)\n    if pid == 0:\n        " +
            "\n        ".join(steps) + f"\n    else:\n        {wait}\n        v = tl.load(y + i)\n"
            "        tl.store(z + pid * SIZE + i, v)\n")
    verdict = "clean" if broken in ("", "beyond") else "race"
    return case("published", body, {"SIZE": size}, programs,
                {"y": f"zeros(i32,{2 * size})", "z": f"zeros(i32,{programs * size})", "flag": "zeros(i32,1)"}, verdict)


def last(rng):
    """The program that finishes last sums what all have stored."""
    programs = rng.randint(2, 6)
    broken = rng.choice(["", "", "sem", "early"])
    sem = "relaxed" if broken == "sem" else "acq_rel"
    steps = ["tl.store(part + pid, pid + 1)", f"done = tl.atomic_add(count, 1, sem='{sem}')"]
    if broken == "early":
        steps.reverse()
    body = ("def k(part, out, count, N: tl.constexpr):\n    pid = tl.program_id(0)\n    " + "\n    ".join(steps) +
            "\n    if done == N - 1:\n        tl.store(out, tl.sum(tl.load(part + tl.arange(0, N))))\n")
    # Counted early, what others store later races with the sum unless they stored in time.
    return case("last", body, {"N": programs}, programs,
                {"part": f"zeros(i32,{programs})", "out": "zeros(i32,1)", "count": "zeros(i32,1)"},
                "race" if broken else "clean")


def chained(rng):
    """Each program waits for the one before it, adds to a sum, and tells the next."""
    programs = rng.randint(2, 7)
    broken = rng.choice(["", "", "skip", "sem"])
    sem = "relaxed" if broken == "sem" else "acquire"
    wait = "pid > 0" if broken != "skip" else f"(pid > 0) & (pid != {rng.randint(1, programs - 1)})"
    body = (f"def k(total, flags):\n    pid = tl.program_id(0)\n    if {wait}:\n"
            f"        while tl.atomic_cas(flags + pid - 1, 1, 1, sem='{sem}') != 1:\n            pass\n"
            "    tl.store(total, tl.load(total) + pid)\n    tl.atomic_xchg(flags + pid, 1, sem='release')\n")
    return case("chained", body, {}, programs, {"total": "zeros(i32,1)", "flags": f"zeros(i32,{programs})"},
                "race" if broken else "clean")


def bytes_(rng):
    """Elements of two sizes in one buffer."""
    programs, gap = 2, rng.randint(0, 7)
    wide = rng.choice(["int16", "int32"])
    size = {"int16": 2, "int32": 4}[wide]
    body = (f"def k(y, GAP: tl.constexpr):\n    pid = tl.program_id(0)\n    if pid == 0:\n"
            f"        tl.store(y.to(tl.pointer_type(tl.{wide})), 1)\n    else:\n        tl.store(y + GAP, 1)\n")
    return case("bytes", body, {"GAP": gap}, programs, {"y": "zeros(i8,8)"}, "race" if gap < size else "clean")


def lanes(rng):
    """Lanes of one store that meet, and disagree or not."""
    size = rng.choice([4, 8])
    divisor, same = rng.randint(1, 3), rng.random() < 0.4
    value = "i // D" if same else "i"
    body = f"def k(y, SIZE: tl.constexpr, D: tl.constexpr):\n    i = tl.arange(0, SIZE)\n    tl.store(y + tl.program_id(0) * SIZE + i // D, {value})\n"
    programs = rng.randint(1, 4)
    return case("lanes", body, {"SIZE": size, "D": divisor}, programs, {"y": f"zeros(i32,{programs * size})"},
                "overlap" if divisor > 1 and not same else "clean")


FAMILIES = {f.__name__.strip("_"): f for f in
            (tiles, neighbours, atomics, locked, published, last, chained, bytes_, lanes)}


def build(number, only):
    rng = random.Random(number)
    family = FAMILIES[only or rng.choice(sorted(FAMILIES))]
    made = family(rng)
    schedule = rng.choice(["random", "random", "random", "sequential", "reverse", "parallel"])
    return made, ["--schedule", schedule, "--seed", str(number)]


def check(number, only, folder):
    """What is wrong about a kernel's report, or None; and its verdict."""
    made, order = build(number, only)
    path = os.path.join(folder, f"kernel-{number}.py")
    with open(path, "w") as file:
        file.write(HEADER + made.helpers + "@triton.jit\n" + made.body)
    command = ["tile-run", path, "--kernel", "k", "--grid", str(made.programs), "--check=json", *order]
    for name, value in made.consts.items():
        command += ["-D", f"{name}={value}"]
    command += [f"{name}={value}" for name, value in made.arguments.items()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    try:
        kinds = {fault["kind"] for fault in json.loads(done.stdout)["faults"]}
    except (ValueError, KeyError):
        return f"{' '.join(command)}\n{made.body}exit status {done.returncode}: {done.stdout}{done.stderr}", made.verdict
    wrong = kinds != (set() if made.verdict == "clean" else {made.verdict})
    if made.verdict == "deadlock":
        wrong = "deadlock" not in kinds  # a lock that is never given back may show races too
    wrong |= done.returncode != (1 if kinds else 0)
    if wrong:
        return f"{' '.join(command)}\n{made.body}expected {made.verdict}, got {sorted(kinds)}", made.verdict
    return None, made.verdict


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--keep", help="a folder for the kernels")
    parser.add_argument("--only", choices=sorted(FAMILIES))
    options = parser.parse_args()
    racy = alarms = missed = 0
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(2) as pool:
        folder = options.keep or temporary
        numbers = range(options.first, options.first + options.count)
        for wrong, verdict in pool.map(lambda n: check(n, options.only, folder), numbers):
            racy += verdict != "clean"
            if wrong:
                print(wrong)
                alarms += verdict == "clean"
                missed += verdict != "clean"
    print(f"{options.count} kernels, {racy} racy, {alarms} false alarms, {missed} missed")
    return 1 if alarms or missed else 0


if __name__ == "__main__":
    sys.exit(main())
