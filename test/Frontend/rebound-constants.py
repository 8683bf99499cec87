# A constant that several statements may have set decides no condition: the first meaning stays. What
# runs for certain defines as the code around it does.

# rule: global-condition
# RUN: %tilec %s --emit=tile --sig "*fp32" | FileCheck %s --implicit-check-not="dense<-"
# CHECK-DAG: arith.constant dense<1.000000e+00>
# CHECK-DAG: arith.constant dense<2.000000e+00>
# CHECK-DAG: arith.constant dense<3.000000e+00>
# CHECK-DAG: arith.constant dense<4.000000e+00>
# CHECK-DAG: arith.constant dense<5.000000e+00>
# CHECK-DAG: arith.constant dense<6.000000e+00>
# CHECK-DAG: arith.constant dense<7.000000e+00>
# CHECK-DAG: arith.constant dense<8.000000e+00>
# CHECK-DAG: arith.constant dense<2.220000e+02>
# CHECK-DAG: arith.constant dense<3.330000e+02>
# CHECK-DAG: arith.constant dense<4.440000e+02>

import os

import triton
import triton.language as tl
from somewhere import UNKNOWN, f, cfg, params

TRIED = False
try:
    import foo
    TRIED = True
except ImportError:
    pass
if TRIED:
    C1: tl.constexpr = 1.0
else:
    C1: tl.constexpr = -1.0

BRANCH = False
if UNKNOWN:
    BRANCH = True
if BRANCH:
    C2: tl.constexpr = 2.0
else:
    C2: tl.constexpr = -2.0

ADDED = 0
ADDED += 1
if ADDED:
    C3: tl.constexpr = 3.0
else:
    C3: tl.constexpr = -3.0

LOOPED = False
WITHIN = False
for x in UNKNOWN:
    LOOPED = True
with UNKNOWN:
    WITHIN = True
if LOOPED:
    C4: tl.constexpr = 4.0
else:
    C4: tl.constexpr = -4.0
if WITHIN:
    C5: tl.constexpr = 5.0
else:
    C5: tl.constexpr = -5.0

PAIR, OTHER = False, False
PAIR = 0
PAIR, OTHER = True, 2
if PAIR:
    C6: tl.constexpr = 6.0
else:
    C6: tl.constexpr = -6.0

SHARED = False


def setup():
    global SHARED
    SHARED = True


setup()
if SHARED:
    C7: tl.constexpr = 7.0
else:
    C7: tl.constexpr = -7.0

A = "0"
B = A
A = "1"
if B == "0":
    C8: tl.constexpr = 8.0
else:
    C8: tl.constexpr = -8.0

HOW: tl.constexpr = -111.0
if os.environ.get("X", "1") == "1":
    HOW: tl.constexpr = 222.0


@triton.jit
def helper():
    return -333.0


if hasattr(tl, "no_such_function"):
    pass
elif hasattr(tl, "dot"):

    @triton.jit
    def helper():
        return 333.0


# Unknown, so that the first one stays.
LAST: tl.constexpr = 444.0
if UNKNOWN:
    LAST: tl.constexpr = -444.0
elif hasattr(tl, "dot"):
    LAST: tl.constexpr = -444.0
else:
    LAST: tl.constexpr = -444.0


@triton.jit
def kernel(o):
    i = tl.arange(0, 4)
    tl.store(o + i, tl.full([4], C1, tl.float32))
    tl.store(o + i, tl.full([4], C2, tl.float32))
    tl.store(o + i, tl.full([4], C3, tl.float32))
    tl.store(o + i, tl.full([4], C4, tl.float32))
    tl.store(o + i, tl.full([4], C5, tl.float32))
    tl.store(o + i, tl.full([4], C6, tl.float32))
    tl.store(o + i, tl.full([4], C7, tl.float32))
    tl.store(o + i, tl.full([4], C8, tl.float32))
    tl.store(o + i, tl.full([4], HOW, tl.float32))
    tl.store(o + i, tl.full([4], helper(), tl.float32))
    tl.store(o + i, tl.full([4], LAST, tl.float32))
