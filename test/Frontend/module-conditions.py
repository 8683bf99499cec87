# Branches outside of functions: those that the file decides against are left out; of the
# others the first meaning of a name stays. The environment has nothing.

# rule: global-condition
# RUN: %tilec %s --emit=tile --sig "*fp32" | FileCheck %s
# CHECK-DAG: arith.constant dense<2.000000e+00>
# CHECK-DAG: arith.constant dense<4.000000e+00>
# CHECK-DAG: arith.constant dense<6.000000e+00>
# CHECK-DAG: arith.constant dense<8.000000e+00>
# CHECK-DAG: arith.constant dense<9.000000e+00>

import os

import triton
import triton.language as tl
from somewhere import UNKNOWN

FAST = os.environ.get("FAST", "0") == "1"
LEVEL = os.getenv("LEVEL", "high")
OLD = False

if os.environ.get("FAST", "0") == "1":
    FIRST: tl.constexpr = 1.0
else:
    FIRST: tl.constexpr = 2.0

if LEVEL != "high" or OLD:
    SECOND: tl.constexpr = 3.0
elif not OLD and LEVEL == "high":
    SECOND: tl.constexpr = 4.0
elif UNKNOWN:
    SECOND: tl.constexpr = 5.0
else:
    SECOND: tl.constexpr = 5.5

if UNKNOWN:
    THIRD: tl.constexpr = 6.0
else:
    THIRD: tl.constexpr = 7.0

if OLD:
    try:
        FOURTH: tl.constexpr = 7.5
    except ImportError:
        pass
    else:
        FOURTH: tl.constexpr = 7.75
else:
    @triton.jit
    def fourth():
        return 8.0

if OLD and UNKNOWN:
    FIFTH: tl.constexpr = 8.5
else:
    FIFTH: tl.constexpr = 9.0


@triton.jit
def kernel(o):
    i = tl.arange(0, 4)
    tl.store(o + i, tl.full([4], FIRST, tl.float32))
    tl.store(o + i, tl.full([4], SECOND, tl.float32))
    tl.store(o + i, tl.full([4], THIRD, tl.float32))
    tl.store(o + i, tl.full([4], fourth(), tl.float32))
    tl.store(o + i, tl.full([4], FIFTH, tl.float32))
