"""Accepts or refuses a result. Works on NumPy arrays and on PyTorch tensors alike, and needs neither.

A result is right when every element is finite and two errors are within their bounds: that of the whole, the norm of the
difference over the norm of what is wanted, and that of the worst element, over its own size and the root mean square of
its row (the last dimension), so that one wrong tile among thousands is found and rows may be of different sizes. Outputs
hold NaN before a run: what a kernel leaves unwritten is not finite.
"""
import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Bound:
    """The largest errors of a right result: relative to the norm, and of one element."""
    norm: float
    element: float


EXACT = Bound(0, 0)
# One rounding to the type at the end of arithmetic in float32, with approximate functions.
ROUNDED = {"float32": Bound(2e-6, 2e-5), "bfloat16": Bound(2.5e-3, 2 ** -7), "float16": Bound(3.2e-4, 2 ** -10)}
# Sums of many products whose factors are of the type (float32: rounded to tf32), or several roundings in a row.
SUMMED = {"float32": Bound(2e-3, 1e-2), "bfloat16": Bound(5e-3, 3e-2), "float16": Bound(1e-3, 4e-3)}
# Sums in float32 of exact or rounded values.
SUM = Bound(1e-5, 1e-4)


@dataclass(frozen=True)
class Verdict:
    """Whether a result counts; `error` is relative to the norm, inf where elements are not finite."""
    ok: bool
    error: float
    reason: str = ""


def widen(values):
    """The same in float64."""
    return values.double() if hasattr(values, "double") else values.astype("float64")


def judge(got, want, bound):
    """The verdict on one output."""
    if tuple(got.shape) != tuple(want.shape):
        return Verdict(False, math.inf, f"the shape is {tuple(got.shape)}, expected {tuple(want.shape)}")
    got, want = widen(got), widen(want)
    size = 1
    for extent in got.shape:
        size *= extent
    difference = abs(got - want)
    # Also false for NaN and for the difference of infinities.
    missing = size - int((difference < math.inf).sum())
    if missing:
        return Verdict(False, math.inf, f"{missing} of {size} elements are not finite or not written")
    norm = math.sqrt(float((want * want).sum()))
    error = math.sqrt(float((difference * difference).sum())) / max(norm, 1e-300)
    rows = (want * want).mean(-1, keepdims=True) ** 0.5 if len(want.shape) > 1 else norm / math.sqrt(size)
    # A row of zeros may hold what is nothing beside the others.
    worst = float((difference / (abs(want) + rows + max(1e-3 * norm / math.sqrt(size), 1e-300))).max())
    if error > bound.norm:
        return Verdict(False, error, f"the error is {error:.2e}, over {bound.norm:.2e}")
    if worst > bound.element:
        return Verdict(False, error, f"an element is off by {worst:.2e}, over {bound.element:.2e}")
    return Verdict(True, error)


def judge_all(got, want, bounds):
    """The verdict on several outputs by name: the first that is wrong, or the largest error."""
    largest = 0.0
    for name, reference in want.items():
        if name not in got:
            return Verdict(False, math.inf, f"{name}: is missing")
        verdict = judge(got[name], reference, bounds[name])
        if not verdict.ok:
            return Verdict(False, verdict.error, f"{name}: {verdict.reason}")
        largest = max(largest, verdict.error)
    return Verdict(True, largest)
