# Faults that a helper or a loop hides, and the same computed right.

# DEFINE: %{check} = tile-run %s --check --kernel
# RUN: not %{check} walk --grid 2 x="zeros(f32,100)" out="zeros(f32,2)" n=100 step=16 2>&1 | FileCheck %s --check-prefix=BOUNDS
# RUN: %{check} walk --grid 2 x="zeros(f32,96)" out="zeros(f32,2)" n=96 step=16
# RUN: not %{check} words --grid 2 x="zeros(i8,64)" out="zeros(i32,8)" skip=2 2>&1 | FileCheck %s --check-prefix=ALIGN
# RUN: not %{check} words_in_loop --grid 1 x="zeros(i8,64)" out="zeros(i32,8)" --check=json | FileCheck %s --check-prefix=ALIGNLOOP
# RUN: %{check} words --grid 2 x="zeros(i8,64)" out="zeros(i32,8)" skip=4
# RUN: not %{check} promises --grid 2 x="zeros(f32,64)" out="zeros(f32,8)" n=12 2>&1 | FileCheck %s --check-prefix=HINT
# RUN: %{check} promises --grid 2 x="zeros(f32,64)" out="zeros(f32,8)" n=16
# RUN: not %{check} trusts --grid 1 x="zeros(i32,8)" n=8 2>&1 | FileCheck %s --check-prefix=ASSUME
# RUN: %{check} trusts --grid 1 x="zeros(i32,8)" n=7
# RUN: not %{check} asserts --grid 1 x="arange(i32,8)" 2>&1 | FileCheck %s --check-prefix=ASSERT
# RUN: %{check} asserts --grid 1 x="zeros(i32,8)"
# RUN: not %{check} shifts --grid 1 x="arange(i32,8)" out="zeros(i32,8)" n=40 2>&1 | FileCheck %s --check-prefix=SHIFT
# RUN: %{check} shifts --grid 1 x="arange(i32,8)" out="zeros(i32,8)" n=30
# RUN: not %{check} grows --grid 1 x="full(f32,100,8)" out="zeros(i8,8)" n=3 2>&1 | FileCheck %s --check-prefix=CONVERT
# RUN: %{check} grows --grid 1 x="full(f32,100,8)" out="zeros(i8,8)" n=1
# RUN: not %{check} shares --grid 3 x="arange(i32,8)" out="zeros(i32,3)" n=2 2>&1 | FileCheck %s --check-prefix=DIVIDE
# RUN: %{check} shares --grid 3 x="arange(i32,8)" out="zeros(i32,3)" n=3
# RUN: not %{check} averages --grid 2 x="zeros(f32,2,8)" out="zeros(f32,2)" --check=nan 2>&1 | FileCheck %s --check-prefix=NAN
# RUN: %{check} averages --grid 2 x="full(f32,1,2,8)" out="zeros(f32,2)" --check=nan

import triton
import triton.language as tl


@triton.jit
def part(p, at, n):
    # BOUNDS: hidden.py:[[@LINE+3]]:{{[0-9]+}}: error: load out of bounds: element 100 of 'x' (100 elements)
    # BOUNDS: note: lane 4 is the first of 12 such lanes, of 16 active lanes
    # BOUNDS-NOT: error:
    return tl.load(p + at + tl.arange(0, 16))


@triton.jit
def walk(x, out, n, step):
    total = 0.0
    for at in range(0, n, step):
        total += tl.sum(part(x, at, n), 0)
    tl.store(out + tl.program_id(0), total)


@triton.jit
def word(p, at):
    # ALIGN: hidden.py:[[@LINE+2]]:{{[0-9]+}}: error: load not aligned: byte 2 of 'x' is not a multiple of the element's 4 bytes
    # ALIGN-NOT: error:
    return tl.load((p + at).to(tl.pointer_type(tl.int32)))


@triton.jit
def words(x, out, skip):
    pid = tl.program_id(0)
    tl.store(out + pid, word(x, pid * skip))


@triton.jit
def words_in_loop(x, out):
    # ALIGNLOOP: {"faults": [{"kind": "misaligned", {{.*}}"line": [[@LINE+2]], "buffer": "x", {{.*}}"count": 3
    for i in range(4):
        tl.store(out + i, tl.load((x + i).to(tl.pointer_type(tl.int32))))


@triton.jit
def place(i, n):
    # HINT: hidden.py:[[@LINE+1]]:{{[0-9]+}}: error: multiple_of says multiples of 8, got 12
    return tl.multiple_of(i * n, 8)


@triton.jit
def promises(x, out, n):
    i = tl.arange(0, 8)
    for turn in range(2):
        tl.store(out + i, tl.load(x + place(turn, n) + i), mask=tl.program_id(0) == 0)


@triton.jit
def within(i, n):
    # ASSUME: hidden.py:[[@LINE+2]]:{{[0-9]+}}: error: an assumption does not hold
    # ASSUME-NOT: error:
    tl.assume(i < n)
    return i


@triton.jit
def trusts(x, n):
    for i in range(n):
        tl.store(x + within(i, 7), i)


@triton.jit
def small(v):
    # ASSERT: hidden.py:[[@LINE+2]]:{{[0-9]+}}: error: assertion failed: not small
    # ASSERT: note: lane 7 is the first of 1 where it does not hold, of 8
    tl.device_assert(v < 7, "not small")


@triton.jit
def asserts(x):
    for turn in range(2):
        small(tl.load(x + tl.arange(0, 8)))


@triton.jit
def shifts(x, out, n):
    i = tl.arange(0, 8)
    v = tl.load(x + i)
    for k in range(0, n + 1, 10):
        # SHIFT: hidden.py:[[@LINE+3]]:{{[0-9]+}}: error: shift of a number of 32 bits by 40
        # SHIFT: note: lane 0 is the first of 1 such lanes
        # SHIFT-NOT: error:
        v += tl.load(x + i) >> (tl.zeros([8], tl.int32) + k)
    tl.store(out + i, v)


@triton.jit
def byte(v):
    # CONVERT: hidden.py:[[@LINE+2]]:{{[0-9]+}}: error: {{.*}} does not fit an integer of 8 bits
    # CONVERT-NOT: error:
    return v.to(tl.int8)


@triton.jit
def grows(x, out, n):
    i = tl.arange(0, 8)
    v = tl.load(x + i)
    for turn in range(n):
        tl.store(out + i, byte(v))
        v = v * 2


@triton.jit
def share(total, n):
    # DIVIDE: hidden.py:[[@LINE+1]]:{{[0-9]+}}: error: integer division by zero
    return total // n


@triton.jit
def shares(x, out, n):
    pid = tl.program_id(0)
    tl.store(out + pid, share(tl.sum(tl.load(x + tl.arange(0, 8)), 0), n - pid))


@triton.jit
def mean(v):
    # NAN: hidden.py:[[@LINE+2]]:{{[0-9]+}}: error: NaN appears here, from numbers that are none
    # NAN-NOT: error:
    return tl.sum(v * v, 0) / tl.sum(v, 0)


@triton.jit
def averages(x, out):
    pid = tl.program_id(0)
    for turn in range(2):
        tl.store(out + pid, mean(tl.load(x + pid * 8 + tl.arange(0, 8))))
