# Addresses that overflow 32 bits for sizes that a user assumes.

# DEFINE: %{sig} = --sig "*fp32, *fp32, i32, i32" -D BLOCK=1024 -o /dev/null -Wno-overlapping-store
# RUN: tilec %s --kernel rows %{sig} --assume "stride<=2^16" --assume "pid0<2**16" 2>&1 | FileCheck %s --check-prefix=ROWS
# RUN: tilec %s --kernel rows %{sig} --assume "stride<=0xffff" --assume "pid0<2**15+1" 2>&1 | count 0
# RUN: tilec %s --kernel rows %{sig} --assume "stride<2^31" 2>&1 | count 0
# RUN: tilec %s --kernel rows_in_int64 %{sig} --assume "stride<2^31" --assume "pid0<2^31" 2>&1 | count 0
# RUN: tilec %s --kernel steps %{sig} --assume "n<2^31" 2>&1 | FileCheck %s --check-prefix=STEPS
# RUN: tilec %s --kernel steps %{sig} --assume "n<=2^30" --assume "stride==4" 2>&1 | FileCheck %s --check-prefix=FOUR
# RUN: tilec %s --kernel steps %{sig} --assume "n<=2^29" --assume "stride==3" 2>&1 | count 0
# RUN: tilec %s --kernel bounded %{sig} --assume "n<2^31" 2>&1 | count 0
# RUN: tilec %s --kernel hashed %{sig} --assume "n<2^31" 2>&1 | count 0
# RUN: tile-run %s --kernel rows -D BLOCK=4 --grid 2 x="zeros(f32,64)" y="zeros(f32,64)" n=4 stride=32 \
# RUN:   --assume "stride<=2^16" --assume "pid0<2^16" 2>&1 | FileCheck %s --check-prefix=ROWS

# RUN: tile-run %s --kernel rows -D BLOCK=4 --grid 65536 x="zeros(f32,64)" y="zeros(f32,64)" n=0 stride=32 \
# RUN:   --assume "stride<=2^16" 2>&1 | FileCheck %s --check-prefix=ROWS
# RUN: tile-run %s --kernel rows -D BLOCK=4 --grid 32768 x="zeros(f32,64)" y="zeros(f32,64)" n=0 stride=32 \
# RUN:   --assume "stride<=2^16" -Wno-overlapping-store 2>&1 | count 0
# RUN: not tilec %s --kernel rows %{sig} --assume "m<5" 2>&1 | FileCheck %s --check-prefix=NAME
# RUN: not tilec %s --kernel rows %{sig} --assume "x<5" 2>&1 | FileCheck %s --check-prefix=POINTER
# RUN: %python %S/Inputs/expect-status.py 2 tilec %s --assume "n>5" 2>&1 | FileCheck %s --check-prefix=FORM
# RUN: %python %S/Inputs/expect-status.py 2 tilec %s --assume "n<2^99" 2>&1 | FileCheck %s --check-prefix=LARGE
# NAME: tilec: error: option '--assume': no kernel has an integer argument 'm'; pid0, pid1 and pid2 are the numbers of a program
# POINTER: tilec: error: option '--assume': no kernel has an integer argument 'x'
# FORM: tilec: error: option '--assume': expected NAME<NUMBER, NAME<=NUMBER or NAME==NUMBER, as in n<2^31, got 'n>5'
# LARGE: got 'n<2^99'

import triton
import triton.language as tl


@triton.jit
def row(p, i, stride):
    # ROWS: assume.py:[[@LINE+2]]:16: warning: int32 overflow in an address: for what is assumed this product reaches 4294901760, compute it in int64 (.to(tl.int64)) [-Wint-overflow]
    # ROWS: assume.py:[[@LINE+1]]:12: note: this address uses it
    return p + i * stride


@triton.jit
def rows(x, y, n, stride, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    p = row(x, tl.program_id(0), stride)
    tl.store(y + i, tl.load(p + i, mask=i < n), mask=i < n)


@triton.jit
def rows_in_int64(x, y, n, stride, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    p = x + tl.program_id(0).to(tl.int64) * stride
    tl.store(y + i, tl.load(p + i, mask=i < n), mask=i < n)


@triton.jit
def steps(x, y, n, stride, BLOCK: tl.constexpr):
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        # STEPS: assume.py:[[@LINE+2]]:{{[0-9]+}}: warning: int32 overflow in an address: for what is assumed this product reaches 4294967294
        # FOUR: assume.py:[[@LINE+2]]:{{[0-9]+}}: warning: int32 overflow in an address: for what is assumed this product reaches 4294967292
        v = tl.load(x + i * 2, mask=i < n)
        tl.store(y + i * stride, v, mask=i < n)


@triton.jit
def bounded(x, y, n, stride, BLOCK: tl.constexpr):
    # The last index of all is 2^31 - 1, and what the kernel assumes counts.
    tl.assume(stride <= 1)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        tl.store(y + i * stride, tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def hashed(x, y, n, stride, BLOCK: tl.constexpr):
    # What wraps around on purpose, and is no address.
    i = tl.arange(0, BLOCK)
    tl.store(y + i, (i * 0x7FFFFFF + n * 31).to(tl.float32), mask=i < n)
