# --trace prints a pointer as the element that it points to, a tile of two axes with a line
# for each row, and what a store puts and an atomic finds.

# RUN: tile-run %s --kernel points --grid 1 x="arange(f32,2,4)" y="zeros(f32,2,4)" --trace=0 \
# RUN:   | FileCheck %s --check-prefix=POINTS --match-full-lines --strict-whitespace
# RUN: tile-run %s --kernel atomics --grid 1 count="full(i32,5,16)" --trace=0 | FileCheck %s --check-prefix=ATOMICS

import triton
import triton.language as tl


@triton.jit
def points(x, y):
    #      POINTS:line [[@LINE+1]]: addptr !tile.ptr<f32> = &x[0, 3]
    p = x + 3
    i = tl.arange(0, 2)
    j = tl.arange(0, 4)
    #      POINTS:line [[@LINE+2]]: addptr !tile.ptr<f32>[2, 4] = {{\[\[}}&x[0, 0] &x[0, 1] &x[0, 2] &x[0, 3]]
    # POINTS-NEXT:   [&x[1, 0] &x[1, 1] &x[1, 2] &x[1, 3]]]
    ps = p + i[:, None] * 4 + (j[None, :] - 3)
    v = tl.load(ps)
    #      POINTS:line [[@LINE+2]]: store f32[2, 4] = {{\[\[}}0 2 4 6]
    # POINTS-NEXT:   [8 10 12 14]]
    tl.store(y + i[:, None] * 4 + j[None, :], v * 2)


@triton.jit
def atomics(count):
    i = tl.arange(0, 16)
    # ATOMICS: line [[@LINE+1]]: atomic_rmw i32[16] = [5 5 5 ... 5 5 5]
    tl.atomic_add(count + i, i)
    # ATOMICS: line [[@LINE+1]]: atomic_cas i32[16] = [5 6 7 ... 18 19 20]
    tl.atomic_cas(count + i, 5, 7)
