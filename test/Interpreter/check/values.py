# Values that go wrong before they reach memory.

# RUN: not tile-run %s --kernel far --grid 3 x="zeros(f32,64)" out="zeros(f32,64)" stride=1500000000 --check 2>&1 \
# RUN:   | FileCheck %s --check-prefix=FAR
# RUN: not tile-run %s --kernel far_in_loop --grid 1 x="zeros(f32,64)" out="zeros(f32,64)" stride=1500000000 --check 2>&1 \
# RUN:   | FileCheck %s --check-prefix=LOOP
# RUN: tile-run %s --kernel near --grid 3 x="zeros(f32,64)" out="zeros(f32,64)" stride=1500000000 --check
# DEFINE: %{far} = not tile-run %s --grid 1 x="zeros(f32,64)" n=1073741824 --check --kernel
# RUN: %{far} added_in_for 2>&1 | FileCheck %s --check-prefix=FOR
# RUN: %{far} added_in_while 2>&1 | FileCheck %s --check-prefix=WHILE
# RUN: %{far} in_branch 2>&1 | FileCheck %s --check-prefix=BRANCH
# RUN: %{far} chosen 2>&1 | FileCheck %s --check-prefix=WHERE
# RUN: %{far} summed 2>&1 | FileCheck %s --check-prefix=TOTAL
# RUN: %{far} scanned 2>&1 | FileCheck %s --check-prefix=RUNNING
# RUN: %{far} narrow 2>&1 | FileCheck %s --check-prefix=NARROW
# RUN: tile-run %s --kernel wraps_back --grid 1 x="zeros(f32,64)" n=1073741824 --check
# RUN: not tile-run %s --kernel shifts --grid 1 x="full(i32,40,8)" out="zeros(i32,8)" --check 2>&1 \
# RUN:   | FileCheck %s --check-prefix=SHIFT
# RUN: tile-run %s --kernel shifts --grid 1 x="full(i32,31,8)" out="zeros(i32,8)" --check
# RUN: not tile-run %s --kernel converts --grid 1 x="full(f32,3e9,8)" out="zeros(i32,8)" --check 2>&1 \
# RUN:   | FileCheck %s --check-prefix=CONVERT
# RUN: tile-run %s --kernel converts --grid 1 x="full(f32,2e9,8)" out="zeros(i32,8)" --check
# RUN: not tile-run %s --kernel divides --grid 1 x="zeros(i32,8)" out="zeros(i32,8)" --check=json \
# RUN:   | FileCheck %s --check-prefix=DIVIDE
# RUN: tile-run %s --kernel divides --grid 1 x="full(i32,2,8)" out="zeros(i32,8)" --check
# RUN: not tile-run %s --kernel divides_along --grid 1 x="zeros(i32,8)" out="zeros(i32,1)" --check=json \
# RUN:   | FileCheck %s --check-prefix=ALONG
# RUN: tile-run %s --kernel divides_along --grid 1 x="full(i32,1,8)" out="zeros(i32,1)" --check --expect out="full(i32,1,1)"
# RUN: not tile-run %s --kernel logs --grid 1 x="zeros(f32,8)" out="zeros(f32,8)" --check=nan 2>&1 \
# RUN:   | FileCheck %s --check-prefix=NAN
# RUN: tile-run %s --kernel logs --grid 1 x="zeros(f32,8)" out="zeros(f32,8)" --check
# RUN: tile-run %s --kernel logs --grid 1 x="full(f32,nan,8)" out="zeros(f32,8)" --check=nan
# RUN: not tile-run %s --kernel softmax --grid 1 x="full(f32,-inf,8)" out="zeros(f32,8)" --check=nan 2>&1 \
# RUN:   | FileCheck %s --check-prefix=SOFTMAX
# RUN: tile-run %s --kernel softmax --grid 1 x="randn(f32,8)" out="zeros(f32,8)" --check=nan
# RUN: not tile-run %s --kernel asserts --grid 2 x="zeros(i32,2,8)" --check=json | FileCheck %s --check-prefix=ASSERT
# RUN: tile-run %s --kernel asserts --grid 2 x="full(i32,1,2,8)" --check

import triton
import triton.language as tl


@triton.jit
def far(x, out, stride):
    pid = tl.program_id(0)
    # FAR: values.py:[[@LINE+1]]:{{[0-9]+}}: error: int32 overflow in an address: the offset is 3000000000 and wraps around, compute it in int64 (.to(tl.int64))
    offs = pid * stride + tl.arange(0, 8)
    # FAR: values.py:[[@LINE+1]]:{{[0-9]+}}: note: this access uses it, lane 0
    v = tl.load(x + offs, mask=pid != 1)
    tl.store(out + tl.arange(0, 8), v, mask=pid == 0)


@triton.jit
def row(p, i, stride):
    # LOOP: values.py:[[@LINE+1]]:{{[0-9]+}}: error: int32 overflow in an address: the offset is 3000000000
    return p + (i * stride)[None, :] + tl.arange(0, 2)[:, None]


@triton.jit
def far_in_loop(x, out, stride):
    for turn in range(3):
        v = tl.load(row(x, tl.arange(0, 2) * turn, stride), mask=turn != 1)
        tl.store(out + tl.arange(0, 2), tl.sum(v, 0))


@triton.jit
def near(x, out, stride):
    # Products that wrap around where no active lane uses them, or in a hash.
    pid = tl.program_id(0)
    i = tl.arange(0, 8)
    v = tl.load(x + pid * stride + i, mask=pid == 0, other=0)
    w = tl.load(x + pid.to(tl.int64) * stride + i, mask=pid == 0, other=0)
    h = ((pid * 1500000007 + i * 1500000001) % 32 + 32) % 32
    u = tl.load(x + h)
    tl.store(out + i, v + w + u, mask=pid == 0)


@triton.jit
def added_in_for(x, n):
    at = 0
    for turn in range(4):
        # FOR: values.py:[[@LINE+1]]:{{[0-9]+}}: error: int32 overflow in an address: the offset is 4294967296 and wraps around
        at += n
    tl.store(x + at, 1.0)


@triton.jit
def added_in_while(x, n):
    at = 0
    turn = 0
    while turn < 4:
        # WHILE: values.py:[[@LINE+1]]:{{[0-9]+}}: error: int32 overflow in an address: the offset is 4294967296 and wraps around
        at += n
        turn += 1
    tl.store(x + at + tl.arange(0, 4), 1.0)


@triton.jit
def in_branch(x, n):
    at = 0
    if n > 5:
        # BRANCH: values.py:[[@LINE+1]]:{{[0-9]+}}: error: int32 overflow in an address: the offset is 4294967296 and wraps around
        at = n * 4
    tl.store(x + at, 1.0)


@triton.jit
def chosen(x, n):
    i = tl.arange(0, 4)
    # WHERE: values.py:[[@LINE+1]]:{{[0-9]+}}: error: int32 overflow in an address: the offset is 4294967298 and wraps around
    tl.store(x + tl.where(i < 2, i, i + n * 4), 1.0)


@triton.jit
def summed(x, n):
    # TOTAL: values.py:[[@LINE+1]]:{{[0-9]+}}: error: int32 overflow in an address: the offset is 4294967296 and wraps around
    tl.store(x + tl.sum(tl.full([4], 1, tl.int32) * n), 1.0)


@triton.jit
def scanned(x, n):
    i = tl.arange(0, 4)
    # RUNNING: values.py:[[@LINE+1]]:{{[0-9]+}}: error: int32 overflow in an address: the offset is 4294967296 and wraps around
    at = tl.cumsum(tl.full([4], 1, tl.int32) * n)
    tl.store(x + at, 1.0, mask=i == 3)


@triton.jit
def narrow(x, n):
    # NARROW: values.py:[[@LINE+1]]:{{[0-9]+}}: error: int8 overflow in an address: the offset is 256 and wraps around
    at = (n // 16777216).to(tl.int8) * 4
    tl.store(x + at, 1.0)


@triton.jit
def wraps_back(x, n):
    # What wraps around and comes back is where it should be.
    at = 0
    for turn in range(4):
        at += n
    for turn in range(4):
        at -= n
    i = tl.arange(0, 4)
    tl.store(x + (at + ((n * 2 + i) - n * 2)), 1.0)


@triton.jit
def shifts(x, out):
    i = tl.arange(0, 8)
    # SHIFT: values.py:[[@LINE+2]]:{{[0-9]+}}: error: shift of a number of 32 bits by 40
    # SHIFT: note: lane 0 is the first of 8 such lanes
    tl.store(out + i, i << tl.load(x + i))


@triton.jit
def converts(x, out):
    i = tl.arange(0, 8)
    # CONVERT: values.py:[[@LINE+1]]:{{[0-9]+}}: error: 3{{.*}} does not fit an integer of 32 bits
    tl.store(out + i, tl.load(x + i).to(tl.int32))


@triton.jit
def divides(x, out):
    i = tl.arange(0, 8)
    # DIVIDE: "kind": "division-by-zero", {{.*}}"line": [[@LINE+1]]
    tl.store(out + i, 7 // tl.load(x + i))


@triton.jit
def quotient(a, b):
    # ALONG: "kind": "division-by-zero", "message": "integer division by zero", {{.*}}"line": [[@LINE+1]]
    return a // b


@triton.jit
def divides_along(x, out):
    tl.store(out, tl.reduce(tl.load(x + tl.arange(0, 8)), 0, quotient))


@triton.jit
def logs(x, out):
    i = tl.arange(0, 8)
    v = tl.load(x + i)
    # NAN: values.py:[[@LINE+3]]:{{[0-9]+}}: error: infinity appears here, from finite numbers
    # NAN: note: lane 0 is the first of 8 such lanes
    # NAN-NOT: error:
    w = tl.log(v)
    tl.store(out + i, w * 2 + 1)


@triton.jit
def softmax(x, out):
    # An infinity that was loaded is no news; a NaN that it becomes is.
    i = tl.arange(0, 8)
    v = tl.load(x + i)
    # SOFTMAX: values.py:[[@LINE+2]]:{{[0-9]+}}: error: NaN appears here, from numbers that are none
    # SOFTMAX-NOT: error:
    e = tl.exp(v - tl.max(v, 0))
    tl.store(out + i, e / tl.sum(e, 0))


@triton.jit
def asserts(x):
    i = tl.program_id(0) * 8 + tl.arange(0, 8)
    # ASSERT: "kind": "assert", {{.*}}"line": [[@LINE+1]]
    tl.device_assert(tl.load(x + i) > 0, "must be positive")
