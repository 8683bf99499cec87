# Functions under @constexpr_function compute while compiling, loops and early returns too.
# rule: constexpr-function
# RUN: %tilec %s --kernel kernel --sig "*i32, 64" --emit=tile -o - | FileCheck %s
# RUN: not %tilec %s --kernel endless --sig "*i32" --emit=tile 2>&1 | FileCheck %s --check-prefix=ENDLESS
# RUN: not %tilec %s --kernel late --sig "*i32, i32" --emit=tile 2>&1 | FileCheck %s --check-prefix=LATE
import triton
import triton.language as tl
from triton import constexpr_function


@triton.constexpr_function
def log2(n):
    k = 0
    while n > 1:
        n //= 2
        k += 1
    return k


@constexpr_function
def first_multiple(of, above):
    for i in range(above, above + 100):
        if i % of != 0:
            continue
        return i
    return -1


@constexpr_function
def width(x):
    bits = x.dtype.primitive_bitwidth
    return bits // 8


@constexpr_function
def forever(n):
    while n > 0:
        n += 1
    return n


# ENDLESS: constexpr-functions.py:[[#@LINE-5]]:11: error: this loop of a constexpr function does not end in 10000 turns; change what its condition reads
# ENDLESS: note: called from here
@triton.jit
def endless(p):
    tl.store(p, forever(1))


# LATE: constexpr-functions.py:[[#@LINE-35]]:11: error: a constexpr function needs conditions that are known while compiling, got int1; write it under @jit
@triton.jit
def late(p, n):
    tl.store(p, log2(n))


# CHECK-LABEL: func.func @kernel
# CHECK-DAG: tile.arange 0, 64
# CHECK-DAG: tile.arange 0, 6 :
# CHECK-DAG: tile.store %arg0, %c21_i32
# CHECK-DAG: tile.store %arg0, %c-1_i32
@triton.jit
def kernel(p, N: tl.constexpr):
    o = tl.arange(0, N)
    STEPS: tl.constexpr = log2(N)
    i = tl.arange(0, STEPS)
    tl.static_assert(width(o) == 4)
    tl.store(p + o, o)
    tl.store(p + i, i)
    tl.store(p, first_multiple(7, 15))
    tl.store(p, first_multiple(1000, 15))
