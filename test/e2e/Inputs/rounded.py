"""Arithmetic rounded in a direction, on the interpreter, against exact fractions.

    rounded.py TILE_RUN [COUNT]

COUNT operands of all magnitudes, subnormal numbers and those that nearly cancel included.
"""

import math
import pathlib
import subprocess
import sys
import tempfile
from fractions import Fraction

import numpy as np

OPERATIONS = dict(add=2, sub=2, mul=2, div=2, fma=3, rcp=1, sqrt=1)
DIRECTIONS = "rn rz rd ru".split()


def operands(kind, count, rng):
    """Three rows; the third is near the product of the others in places."""
    info = np.finfo(kind)
    exponents = rng.integers(info.minexp - info.nmant, info.maxexp, (3, count))
    exponents[:, ::2] = rng.integers(-3, 3, (3, (count + 1) // 2))
    with np.errstate(all="ignore"):
        rows = np.ldexp(rng.random((3, count)) * 2 - 1, exponents).astype(kind)
        rows[2, ::3] = -(rows[0, ::3] * rows[1, ::3])
        rows[1, 1::8] = -rows[0, 1::8]
        small = rng.integers(1, 9, (3, count)) * info.smallest_subnormal
        rows[:, 5::7] = small[:, 5::7]
        rows[:, 6::14] = info.max * rng.choice([-1, 1, 0.5], rows[:, 6::14].shape)
        rows[0, 3::9] = 1
    return np.where(np.isfinite(rows), rows, info.max)


def exact(name, x, y, z):
    """The result as a fraction; of sqrt, its square. None where there is none."""
    if name == "sqrt":
        return x if x >= 0 else None
    if name in ["div", "rcp"]:
        x, y = (Fraction(1), x) if name == "rcp" else (x, y)
        return x / y if y else None
    return dict(add=x + y, sub=x - y, mul=x * y, fma=x * y + z)[name]


def is_rounded(name, kind, direction, value, got):
    """Is `got` the number that is next to `value` in a direction?"""
    def sign(number):
        """Of what is exact, less a number."""
        if math.isinf(number):
            return -math.copysign(1, number)
        number = Fraction(float(number))
        if name != "sqrt":
            return (value > number) - (value < number)
        return 1 if number < 0 else (value > number * number) - (value < number * number)

    def toward(bound):
        with np.errstate(over="ignore"):
            return np.nextafter(got, kind(bound))

    if np.isnan(got):
        return False
    if direction == "rz":
        direction = "rd" if value > 0 else "ru"
    if direction == "rn":
        if name == "sqrt":
            return got == np.sqrt(kind(float(value)))
        if np.isinf(got):
            return abs(value) > float(np.finfo(kind).max)
        others = [toward(bound) for bound in [-math.inf, math.inf]]
        return all(abs(value - Fraction(float(got))) <= abs(value - Fraction(float(v))) for v in others if np.isfinite(v))
    if direction == "rd":
        return sign(got) >= 0 and (math.isinf(got) or sign(toward(math.inf)) < 0)
    return sign(got) <= 0 and (math.isinf(got) or sign(toward(-math.inf)) > 0)


def run(tile_run, kind, rows):
    type_name = dict(float32="f32", float64="f64")[kind.__name__]
    count = rows.shape[1]
    lines = ["@kernel", f"def k(x: ptr[{type_name}], out: ptr[{type_name}]):", f"    o = arange(0, {count})"]
    lines += [f"    {v} = load(x + {i * count} + o)" for i, v in enumerate("abc")]
    names = [(name, direction) for name in OPERATIONS for direction in DIRECTIONS]
    for i, (name, direction) in enumerate(names):
        lines.append(f"    store(out + {i * count} + o, libdevice.{name}_{direction}({', '.join('abc'[: OPERATIONS[name]])}))")
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "k.tile").write_text("\n".join(lines) + "\n")
        np.save(f"{folder}/x.npy", rows)
        subprocess.run([tile_run, f"{folder}/k.tile", "--grid", "1", f"x=@{folder}/x.npy", f"out=zeros({type_name},{len(names)},{count})", "--save", f"out={folder}/out.npy"], check=True)
        return zip(names, np.load(f"{folder}/out.npy"))


def main():
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 400
    checked = failures = 0
    for kind in [np.float32, np.float64]:
        rows = operands(kind, count, np.random.default_rng(3))
        for (name, direction), results in run(sys.argv[1], kind, rows):
            for operand, got in zip(rows.T, results):
                value = exact(name, *[Fraction(float(v)) for v in operand])
                if value is None:
                    continue
                checked += 1
                if not is_rounded(name, kind, direction, value, got):
                    failures += 1
                    print(f"{name}_{direction} {kind.__name__}: {got!r} for {operand[: OPERATIONS[name]]}")
    print(f"{checked - failures} passed, {failures} failed")
    sys.exit(failures > 0)


main()
