# What goes wrong in a lane is a fault where something uses the lane's value.

# RUN: tile-run %s --kernel divides --grid 1 x="full(i32,3,64)" y="zeros(i32,64)" n=40 --expect y="full(i32,0,64)" -D KEEP=0
# RUN: tile-run %s --kernel divides --grid 1 x="full(i32,3,64)" y="zeros(i32,64)" n=40 -D KEEP=0 --check
# RUN: not tile-run %s --kernel divides --grid 1 x="zeros(i32,64)" y="zeros(i32,64)" n=40 -D KEEP=1 2>&1 | FileCheck %s --check-prefix=DIVIDES
# RUN: not tile-run %s --kernel divides --grid 1 x="zeros(i32,64)" y="zeros(i32,64)" n=40 -D KEEP=1 --check 2>&1 | FileCheck %s --check-prefix=DIVIDES
# RUN: not tile-run %s --kernel divides --grid 1 x="full(i32,3,64)" y="zeros(i32,64)" n=40 -D KEEP=2 --check 2>&1 | FileCheck %s --check-prefix=SUMS
# RUN: tile-run %s --kernel guards --grid 1 x="arange(i32,64)" y="zeros(i32,64)" --check
# RUN: tile-run %s --kernel rows --grid 1 x="full(i32,3,8)" y="zeros(i32,8,8)" n=5 --check
# RUN: not tile-run %s --kernel rows --grid 1 x="zeros(i32,8)" y="zeros(i32,8,8)" n=5 --check 2>&1 | FileCheck %s --check-prefix=ROWS
# RUN: tile-run %s --kernel converts --grid 1 x="full(f32,3,64)" y="zeros(i8,64)" n=40 --check=nan
# RUN: not tile-run %s --kernel converts --grid 1 x="zeros(f32,64)" y="zeros(i8,64)" n=40 --check 2>&1 | FileCheck %s --check-prefix=CONVERTS
# RUN: not tile-run %s --kernel converts --grid 1 x="zeros(f32,64)" y="zeros(i8,64)" n=40 --check=nan 2>&1 | FileCheck %s --check-prefix=NAN
# RUN: tile-run %s --kernel shifts --grid 1 x="full(i32,3,64)" y="zeros(i32,64)" n=40 --check
# RUN: not tile-run %s --kernel shifts --grid 1 x="full(i32,40,64)" y="zeros(i32,64)" n=40 --check 2>&1 | FileCheck %s --check-prefix=SHIFTS
# RUN: tile-run %s --kernel loops --grid 1 x="full(i32,3,64)" y="zeros(i32,64)" n=40

import triton
import triton.language as tl


@triton.jit
def divides(x, y, n, KEEP: tl.constexpr):
    o = tl.arange(0, 64)
    d = tl.load(x + o, mask=o < n, other=0)
    # DIVIDES: masked-faults.py:[[@LINE+3]]:{{[0-9]+}}: error: integer division by zero
    # DIVIDES: note: lane 0 is the first that divides by zero
    # SUMS: masked-faults.py:[[@LINE+1]]:{{[0-9]+}}: error: integer division by zero
    q = 100 // d
    if KEEP == 0:
        tl.store(y + o, q - 33, mask=o < n)
    if KEEP == 1:
        tl.store(y + o, q, mask=o < n)
    if KEEP == 2:
        # SUMS: note: lane 40 is the first that divides by zero
        tl.store(y, tl.sum(q, 0))


@triton.jit
def guards(x, y):
    o = tl.arange(0, 64)
    d = tl.load(x + o)
    far = tl.where(d != 0, 64 % d, 0)
    near = (100 // d < 7) & (d > 0)
    tl.store(y + o, tl.where(d == 0, 0, 100 // d) + far)
    tl.store(y + o, 1, mask=near)


@triton.jit
def rows(x, y, n):
    i = tl.arange(0, 8)
    d = tl.load(x + i, mask=i < n, other=0)
    # ROWS: masked-faults.py:[[@LINE+2]]:{{[0-9]+}}: error: integer division by zero
    # ROWS: note: lane (0, 0) is the first that divides by zero
    q = (9 // d)[:, None] + i[None, :]
    tl.store(y + i[:, None] * 8 + i[None, :], q, mask=i[:, None] < n)


@triton.jit
def converts(x, y, n):
    o = tl.arange(0, 64)
    v = tl.load(x + o, mask=o < n, other=0.0)
    # NAN: masked-faults.py:[[@LINE+3]]:{{[0-9]+}}: error: infinity appears here
    # NAN: note: lane 0 is the first of 40 such lanes
    # CONVERTS: masked-faults.py:[[@LINE+1]]:{{[0-9]+}}: error: INF does not fit an integer of 8 bits
    w = (1.0 / v).to(tl.int8)
    # CONVERTS: note: lane 0 is the first of 40 such lanes
    tl.store(y + o, w, mask=o < n)


@triton.jit
def shifts(x, y, n):
    o = tl.arange(0, 64)
    v = tl.load(x + o, mask=o < n, other=100)
    # SHIFTS: masked-faults.py:[[@LINE+2]]:{{[0-9]+}}: error: shift of a number of 32 bits by 40
    # SHIFTS: note: lane 0 is the first of 40 such lanes
    tl.store(y + o, 1 << v, mask=o < n)


@triton.jit
def loops(x, y, n):
    # A tile that a loop carries on is not followed; a GPU goes on as well.
    o = tl.arange(0, 64)
    total = tl.zeros([64], tl.int32)
    for _ in range(n):
        total += 9 // tl.load(x + o, mask=o < n, other=0)
    tl.store(y + o, total, mask=o < n)
