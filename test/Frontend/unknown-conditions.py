# Conditions of which only Python knows the value: the first meaning stays.

# rule: global-condition
# RUN: %tilec %s --emit=tile --sig "*fp32" -I %S/Inputs | FileCheck %s --implicit-check-not="dense<-"
# RUN: not %tilec %s --emit=tile --kernel asks --sig "*fp32" -I %S/Inputs 2>&1 | FileCheck %s --check-prefix=ASKS
# CHECK-DAG: arith.constant dense<1.000000e+00>
# CHECK-DAG: arith.constant dense<2.000000e+00>
# CHECK-DAG: arith.constant dense<3.000000e+00>
# CHECK-DAG: arith.constant dense<4.000000e+00>
# CHECK-DAG: arith.constant dense<5.000000e+00>
# CHECK-DAG: arith.constant dense<6.000000e+00>
# CHECK-DAG: arith.constant dense<7.000000e+00>
# CHECK-DAG: arith.constant dense<8.000000e+00>

import os

import triton
import triton.language as tl
from capabilities import *
from nowhere_to_be_found import *
from somewhere import cfg, f, params

BACKEND = cfg.get("x") or "triton"
float16 = cfg.get("y")
ONE = 1

if (f() or 1) > 1:
    C1: tl.constexpr = 1.0
else:
    C1: tl.constexpr = -1.0
if BACKEND == "other":
    C2: tl.constexpr = 2.0
else:
    C2: tl.constexpr = -2.0
if "x" in (float16, 3):
    C3: tl.constexpr = 3.0
else:
    C3: tl.constexpr = -3.0
if not (ONE is True):
    C4: tl.constexpr = 4.0
else:
    C4: tl.constexpr = -4.0
if (1,) == (True,):
    C5: tl.constexpr = 5.0
else:
    C5: tl.constexpr = -5.0
if os.environ.get(*params):
    C6: tl.constexpr = 6.0
else:
    C6: tl.constexpr = -6.0
# The second of the modules may have it.
if not HAS_GATHER:
    C7: tl.constexpr = 7.0
else:
    C7: tl.constexpr = -7.0
# Whatever the left side is, the right one decides.
if not (f() or 1):
    C8: tl.constexpr = -8.0
else:
    C8: tl.constexpr = 8.0


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


# ASKS: unknown-conditions.py:[[#@LINE+4]]:16: error: only Python knows whether this module has the text "set_allocator"; pass the answer as a constexpr argument
@triton.jit
def asks(o):
    i = 0
    if hasattr(triton, "set_allocator"):
        i = 1
    return i
