# What the user promised and is not so.

# RUN: not tile-run %s --kernel hinted --sig "*fp32, *fp32, i32:16, 8" --grid 2 x="zeros(f32,64)" out="zeros(f32,64)" n=20 \
# RUN:   --check 2>&1 | FileCheck %s --check-prefix=SIG
# RUN: tile-run %s --kernel hinted --sig "*fp32, *fp32, i32:16, 8" --grid 2 x="zeros(f32,64)" out="zeros(f32,64)" n=16 --check
# RUN: not tile-run %s --kernel strided --grid 2 x="zeros(f32,64)" out="zeros(f32,64)" n=3 --check 2>&1 \
# RUN:   | FileCheck %s --check-prefix=MULTIPLE
# RUN: tile-run %s --kernel strided --grid 2 x="zeros(f32,64)" out="zeros(f32,64)" n=16 --check
# RUN: not tile-run %s --kernel wrapped --grid 3 x="zeros(f32,64)" out="zeros(f32,64)" n=20 --check 2>&1 \
# RUN:   | FileCheck %s --check-prefix=CONTIGUOUS
# RUN: tile-run %s --kernel wrapped --grid 3 x="zeros(f32,64)" out="zeros(f32,64)" n=16 --check
# RUN: not tile-run %s --kernel assumed --grid 3 out="zeros(i32,3)" n=3 --check 2>&1 | FileCheck %s --check-prefix=ASSUME
# RUN: tile-run %s --kernel assumed --grid 3 out="zeros(i32,3)" n=4 --check
# RUN: not tile-run %s --kernel repeats --grid 1 out="zeros(i32,16)" n=5 --check 2>&1 | FileCheck %s --check-prefix=CONSTANCY
# RUN: tile-run %s --kernel repeats --grid 1 out="zeros(i32,16)" n=4 --check
# RUN: not tile-run %s --kernel two --sig "*i32, i32:16, i32:8" --grid 1 out="zeros(i32,2)" n=20 m=12 --check 2>&1 \
# RUN:   | FileCheck %s --check-prefix=TWO
# RUN: not tile-run %s --kernel two --sig "*i32, i32:16, i32:8" --grid 1 out="zeros(i32,2)" n=16 m=12 --check 2>&1 \
# RUN:   | FileCheck %s --check-prefix=SECOND
# RUN: not tile-run %s --kernel points --grid 1 x="zeros(f32,64)" out="zeros(f32,1)" --check 2>&1 | FileCheck %s --check-prefix=POINTS

import triton
import triton.language as tl


# SIG: hints.py:[[@LINE+2]]:{{.*}} error: the signature says that 'n' is a multiple of 16, got 20
@triton.jit
def hinted(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + tl.program_id(0) * n + i, tl.load(x + i))


@triton.jit
def strided(x, out, n):
    # MULTIPLE: hints.py:[[@LINE+1]]:{{[0-9]+}}: error: multiple_of says multiples of 16, got 3
    start = tl.multiple_of(tl.program_id(0) * n, 16)
    i = tl.arange(0, 8)
    tl.store(out + start + i, tl.load(x + start + i))


@triton.jit
def wrapped(x, out, n):
    # CONTIGUOUS: hints.py:[[@LINE+2]]:{{[0-9]+}}: error: max_contiguous says groups of 8, but 0 follows 19
    i = tl.program_id(0) * 8 + tl.arange(0, 8)
    offs = tl.max_contiguous(tl.multiple_of(i % n, 8), 8)
    tl.store(out + i, tl.load(x + offs))


@triton.jit
def assumed(out, n):
    pid = tl.program_id(0)
    for turn in range(2):
        # ASSUME: hints.py:[[@LINE+3]]:{{[0-9]+}}: error: an assumption does not hold
        # ASSUME: note: seen 2 times
        # ASSUME-NOT: error:
        tl.assume(pid + 1 < n)
    tl.store(out + pid, n)


@triton.jit
def points(x, out):
    # POINTS: hints.py:[[@LINE+1]]:{{[0-9]+}}: error: multiple_of says multiples of 16, got the address of 'x[1]'
    p = tl.multiple_of(x + 1, 16)
    tl.store(out, tl.load(p))


@triton.jit
def repeats(out, n):
    i = tl.arange(0, 16)
    # CONSTANCY: hints.py:[[@LINE+1]]:{{[0-9]+}}: error: max_constancy says groups of 4, but 1 follows 0
    tl.store(out + i, tl.max_constancy(i // n, 4))


# TWO: hints.py:[[@LINE+5]]:{{.*}} error: the signature says that 'n' is a multiple of 16, got 20
# TWO: hints.py:[[@LINE+4]]:{{.*}} note: the signature says that 'm' is a multiple of 8, got 12
# TWO-NOT: error:
# SECOND: hints.py:[[@LINE+2]]:{{.*}} error: the signature says that 'm' is a multiple of 8, got 12
@triton.jit
def two(out, n, m):
    tl.store(out, n)
    tl.store(out + 1, m)
