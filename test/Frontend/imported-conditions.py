# Conditions outside of functions: what the language has, constants of other modules, and -D.
# Modules that only might be needed say nothing if they are wrong; -D may come before all else.

# rule: global-condition
# RUN: %tilec %s --emit=tile --sig "*fp32" -I %S/Inputs | FileCheck %s --check-prefixes=CHECK,PLAIN
# RUN: %tilec %s --emit=tile --sig "*fp32" -I %S/Inputs -D LEVEL=7 -D UNKNOWN=False -D HAS_SCATTER=True \
# RUN:   | FileCheck %s --check-prefixes=CHECK,GIVEN
# RUN: not %tilec %s --emit=tile --sig "*fp32" -I %S/Inputs -D LEVAL=7 2>&1 | FileCheck %s --check-prefix=OTHER
# OTHER: error: 'kernel' has no parameter 'LEVAL', which -D sets
# CHECK-DAG: arith.constant dense<1.000000e+00>
# PLAIN-DAG: arith.constant dense<2.000000e+00>
# GIVEN-DAG: arith.constant dense<2.500000e+00>
# CHECK-DAG: arith.constant dense<3.000000e+00>
# PLAIN-DAG: arith.constant dense<4.000000e+00>
# GIVEN-DAG: arith.constant dense<4.500000e+00>
# PLAIN-DAG: arith.constant dense<5.000000e+00>
# GIVEN-DAG: arith.constant dense<5.500000e+00>
# CHECK-DAG: arith.constant dense<6.000000e+00>
# CHECK-DAG: arith.constant dense<7.000000e+00>
# CHECK-DAG: arith.constant dense<8.000000e+00>
# CHECK-DAG: arith.constant dense<9.000000e+00>

import os

import capabilities
import triton
import triton.language as tl
from capabilities import HAS_GATHER, HAS_SCATTER, IN_A_CIRCLE, LEVELS
from module_without_end import broken
from somewhere import UNKNOWN

LEVEL = int(os.environ.get("LEVEL", "3"))

if not HAS_GATHER:
    FIRST: tl.constexpr = 1.5
else:
    FIRST: tl.constexpr = 1.0

if not HAS_SCATTER and not capabilities.HAS_SCATTER:
    SECOND: tl.constexpr = 2.0
else:
    SECOND: tl.constexpr = 2.5

if hasattr(triton.language, "_experimental_make_tensor_descriptor"):
    THIRD: tl.constexpr = 3.5
elif hasattr(triton.language, "make_tensor_descriptor"):
    THIRD: tl.constexpr = 3.0

if LEVEL >= 5:
    FOURTH: tl.constexpr = 4.5
else:
    FOURTH: tl.constexpr = 4.0

if UNKNOWN:
    FIFTH: tl.constexpr = 5.0
if not UNKNOWN:
    FIFTH: tl.constexpr = 5.5

# Nobody knows: the first one stays.
if IN_A_CIRCLE or broken or hasattr(triton, "set_allocator"):
    SIXTH: tl.constexpr = 6.0
else:
    SIXTH: tl.constexpr = 6.5

if LEVELS == 4 or "CI" in os.environ or os.getenv("CI") is not None:
    SEVENTH: tl.constexpr = 7.5
else:
    SEVENTH: tl.constexpr = 7.0

if bool(os.environ.get("CI")) or hasattr(tl, "float32x2"):
    EIGHTH: tl.constexpr = 8.5
elif hasattr(tl, "float32") and hasattr(tl, "math") and hasattr(tl.math, "exp") and hasattr(triton, "cdiv"):
    EIGHTH: tl.constexpr = 8.0


@triton.jit
def kernel(o):
    i = tl.arange(0, 4)
    tl.store(o + i, tl.full([4], FIRST, tl.float32))
    tl.store(o + i, tl.full([4], SECOND, tl.float32))
    tl.store(o + i, tl.full([4], THIRD, tl.float32))
    tl.store(o + i, tl.full([4], FOURTH, tl.float32))
    tl.store(o + i, tl.full([4], FIFTH, tl.float32))
    tl.store(o + i, tl.full([4], SIXTH, tl.float32))
    tl.store(o + i, tl.full([4], SEVENTH, tl.float32))
    tl.store(o + i, tl.full([4], EIGHTH, tl.float32))
    if hasattr(tl, "gather") and not hasattr(tl, "scatter") and hasattr(capabilities, "LEVELS"):
        tl.store(o + i, tl.full([4], 9.0, tl.float32))
