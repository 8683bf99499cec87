"""What the judge accepts and refuses, and what a verdict says."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import numpy as np

import selftest
from judge import EXACT, Bound, judge, judge_all

BOUND = Bound(1e-3, 1e-2)
WANT = np.random.default_rng(0).standard_normal((1024, 1024))


def edited(edit):
    got = WANT.astype(np.float32)
    edit(got)
    return got


def put(index, value):
    def edit(got):
        got[index] = value
    return edit


def expect(ok, reason, verdict):
    assert verdict.ok == ok and reason in verdict.reason, verdict


expect(True, "", judge(edited(lambda got: None), WANT, BOUND))
expect(True, "", judge(WANT, WANT, EXACT))
expect(False, "over 0.00e+00", judge(WANT.astype(np.float32), WANT, EXACT))
expect(False, "1 of 1048576 elements are not finite", judge(edited(put((7, 9), np.nan)), WANT, BOUND))
expect(False, "1 of 1048576 elements are not finite", judge(edited(put((7, 9), -np.inf)), WANT, BOUND))
# One tile of 4096 that belongs elsewhere does not show in the norm of a loose bound, but it does in its elements.
expect(False, "an element is off by", judge(edited(put(np.s_[:16, :16], WANT[16:32, :16])), WANT, Bound(0.1, 1e-2)))
expect(False, "the error is 1.0", judge(edited(lambda got: np.multiply(got, 1.001001, out=got)), WANT, Bound(1e-3, 1)))
expect(True, "", judge(edited(lambda got: np.multiply(got, 1.0005, out=got)), WANT, BOUND))
# An element counts by its own row: what is little beside a large row is much in a small one.
ROWS = WANT * np.logspace(0, -4, 1024)[:, None]
off = ROWS.copy()
off[0, 0] += 5e-3
expect(True, "", judge(off, ROWS, BOUND))
off[-1, 0] += 5e-3
expect(False, "an element is off by", judge(off, ROWS, BOUND))
zeros = ROWS.copy()
zeros[5] = 0
expect(True, "", judge(zeros + 1e-9, zeros, BOUND))
expect(False, "the shape is (3,), expected (4,)", judge(np.zeros(3), np.zeros(4), BOUND))
expect(True, "", judge(np.zeros(4), np.zeros(4), EXACT))
expect(False, "the error is", judge(np.full(4, 1e-3), np.zeros(4), BOUND))
expect(False, "b: is missing", judge_all(dict(a=WANT), dict(a=WANT, b=WANT), dict(a=BOUND, b=BOUND)))
expect(False, "b: 4 of 4", judge_all(dict(a=WANT, b=np.full(4, np.nan)), dict(a=WANT, b=np.ones(4)), dict(a=BOUND, b=BOUND)))
both = judge_all(dict(a=WANT, b=WANT * 1.0005), dict(a=WANT, b=WANT), dict(a=BOUND, b=BOUND))
assert both.ok and abs(both.error - 5e-4) < 1e-6, both

# A fault that would change nothing, or more than it means to, is none.
KERNELS = "def one(x):\n  x + x\n@triton.jit\ndef other(y):\n  y\n"
assert selftest.with_fault(KERNELS, "one", "x + x", "x") == KERNELS.replace("x + x", "x")
for text in ("y", "  x", "x"):
    try:
        changed = selftest.with_fault(KERNELS, "one", text, "z")
        assert text == "  x", changed
    except ValueError as problem:
        assert str(problem) == f"'{text}' is not there once in one"
