"""Small kernels that reduce masked tiles, whose verdict is known by construction.

usage: filler_kernels.py [--count N] [--first N] [--keep DIR]

Number N is always the same kernel. It runs twice: on a tile that fits, of which no lane is off, and on one of twice the
size. Its fillers leak if and only if the results differ, and a checking run must report exactly those. But an accumulator
that a filler leaves as it is counts as data: a leak that is not reported in a kernel with an accumulator is counted as
hidden, not as missed. Prints what it got wrong and `N kernels, N leaks, N hidden, N false alarms, N missed`.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile

import numpy as np

HEADER = "import triton\nimport triton.language as tl\n\n\n"
UNARY = ["v * 2", "v + 1", "v - 3", "-v", "tl.abs(v)", "v * v", "tl.exp(v * 0.25)", "tl.maximum(v, 0)", "tl.where(v > 0, v, 1)",
         "tl.where(inside, v, 0)", "tl.where(inside, v, -100)", "(v > 1).to(tl.float32)", "half(v)"]
OTHERS = ["0", "0", "1", "-100", "100", 'float("-inf")', 'float("inf")']
REDUCTIONS = ["tl.sum(v, 0)", "tl.max(v, 0)", "tl.min(v, 0)", "tl.sum(v * v, 0)", "tl.argmax(v, 0).to(tl.float32)",
              "tl.max(v, 0) + tl.sum(v, 0)", "spread(v)", "tl.sum(tl.exp(v - tl.max(v, 0)), 0)",
              "tl.sum(tl.where(inside, tl.cumsum(v, 0), 0), 0)", "tl.sum(tl.sum(tl.reshape(v, [2, B // 2]), 1), 0)",
              "tl.max(tl.sum(v[:, None] * tl.full([1, 4], 2, tl.float32), 0), 0)"]
HELPERS = """@triton.jit
def half(v):
    return v / 2


@triton.jit
def spread(v):
    d = v - tl.sum(v, 0) / 8
    return tl.sum(d * d, 0)


"""


def kernel(number):
    """The source of a kernel, the values it reads, and whether it has an accumulator: one that a filler leaves as it is may
    hide it."""
    rng = random.Random(number)
    lines = ["i = tl.arange(0, B)", "inside = i < 8", f"v = tl.load(x + i, mask=inside, other={rng.choice(OTHERS)})"]
    chain = [f"v = {rng.choice(UNARY)}" for _ in range(rng.randrange(3))]
    accumulates = rng.random() < 0.3
    if accumulates:
        start, step = rng.choice([("0", "acc += v"), ("-100", "acc = tl.maximum(acc, v)"), ("1", "acc *= v"), ("5", "acc += v * v")])
        lines += [f"acc = tl.full([B], {start}, tl.float32)", "for step in range(3):", f"    {step}", "v = acc"]
    lines += chain + [f"tl.store(y, {rng.choice(REDUCTIONS)})"]
    low, high = rng.choice([(-4, 5), (-9, 0), (1, 9)])
    values = np.array([rng.randrange(low, high) for _ in range(8)], np.float32)
    body = "".join(f"    {line}\n" for line in lines)
    return HEADER + HELPERS + f"@triton.jit\ndef kernel(x, y, B: tl.constexpr):\n{body}", values, accumulates


def run(folder, size, *options):
    """The result, and whether something was reported; other failures end the program."""
    result = os.path.join(folder, "y.npy")
    command = ["tile-run", os.path.join(folder, "kernel.py"), "--kernel", "kernel", "--grid", "1", f"-DB={size}",
               f"x=@{folder}/x.npy", "y=zeros(f32,1)", "--save", f"y={result}", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode and "error: filler:" not in done.stderr:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return np.load(result)[0], done.returncode != 0


def judge(number, keep):
    source, values, accumulates = kernel(number)
    with tempfile.TemporaryDirectory() as folder:
        folder = keep or folder
        with open(os.path.join(folder, "kernel.py"), "w") as file:
            file.write(source)
        np.save(os.path.join(folder, "x.npy"), values)
        fitting, _ = run(folder, 8)
        padded, reported = run(folder, 16, "--check")
    leaks = not np.array_equal(fitting, padded, equal_nan=True)
    hidden = leaks and accumulates and not reported
    leaks = leaks and not hidden
    if leaks != reported:
        print(f"kernel {number}: {fitting} in a tile that fits, {padded} in a larger one, "
              f"{'reported' if reported else 'not reported'}\n{source}")
    return leaks, hidden, reported


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--keep", metavar="DIR")
    options = parser.parse_args()
    verdicts = [judge(number, options.keep) for number in range(options.first, options.first + options.count)]
    wrong = sum(reported and not leaks for leaks, _, reported in verdicts)
    missed = sum(leaks and not reported for leaks, _, reported in verdicts)
    leaks, hidden, _ = map(sum, zip(*verdicts))
    print(f"{len(verdicts)} kernels, {leaks} leaks, {hidden} hidden, {wrong} false alarms, {missed} missed")
    return 1 if wrong or missed else 0


if __name__ == "__main__":
    sys.exit(main())
