# Lanes that a mask switches off hold a filler; it must not count in a result.

# DEFINE: %{any} = tile-run %s --check --grid 1 --kernel
# DEFINE: %{check} = tile-run %s --check --grid 1 x="full(f32,-2,30)" n=30 --kernel
# RUN: not %{check} softmax -D BLOCK=32 y="zeros(f32,30)" 2>&1 | FileCheck %s --check-prefix=SOFTMAX
# RUN: %{check} softmax_of_inf -D BLOCK=32 y="zeros(f32,30)"
# RUN: %{check} softmax_where -D BLOCK=32 y="zeros(f32,30)"
# RUN: %{check} softmax -D BLOCK=2 y="zeros(f32,30)"
# RUN: not %{check} variance -D BLOCK=32 y="zeros(f32,1)" --check=json | FileCheck %s --check-prefix=VARIANCE
# RUN: %{check} variance_where -D BLOCK=32 y="zeros(f32,1)"
# RUN: %{any} variance -D BLOCK=32 y="zeros(f32,1)" x="full(f32,-2,30)" n=0
# RUN: not %{check} largest_in_loop -D BLOCK=16 y="zeros(f32,1)" 2>&1 | FileCheck %s --check-prefix=LOOP
# RUN: %{check} sum_in_loop -D BLOCK=16 y="zeros(f32,1)"
# RUN: not %{any} first_of_least -D BLOCK=32 x="full(f32,2,30)" y="zeros(i32,1)" n=30 2>&1 | FileCheck %s --check-prefix=INDEX
# RUN: %{check} first_of_least -D BLOCK=32 y="zeros(i32,1)"
# RUN: not %{any} gram x="full(f32,2,10,10)" y="zeros(f32,10,10)" n=10 other=1.0 2>&1 | FileCheck %s --check-prefix=DOT
# RUN: %{any} gram x="full(f32,2,10,10)" y="zeros(f32,10,10)" n=10 other=0.0
# RUN: not %{any} scores x="full(f32,-2,10,16)" y="zeros(f32,10)" n=10 2>&1 | FileCheck %s --check-prefix=SCORES
# RUN: not %{any} sums x="full(f32,2,16)" y="zeros(f32,16)" n=10 other=1.0 2>&1 | FileCheck %s --check-prefix=SCAN
# RUN: %{any} sums x="full(f32,2,16)" y="zeros(f32,16)" n=10 other=0.0
# RUN: not %{check} gathers -D BLOCK=32 y="zeros(f32,1)" 2>&1 | FileCheck %s --check-prefix=GATHER
# RUN: %{any} gathers -D BLOCK=32 y="zeros(f32,1)" x="full(f32,-2,32)" n=32
# RUN: not %{check} counts -D BLOCK=32 y="zeros(i32,1)" 2>&1 | FileCheck %s --check-prefix=ATOMIC
# RUN: %{check} padded -D BLOCK=32 y="zeros(f32,32)"
# RUN: %{check} unused -D BLOCK=32 y="zeros(f32,30)"
# RUN: not %{check} unset -D BLOCK=32 y="zeros(f32,32)" 2>&1 | FileCheck %s --check-prefix=UNSET
# RUN: %{check} unset_but_replaced -D BLOCK=32 y="zeros(f32,32)"
# RUN: %{any} padded_blocks x="full(f32,2,10,16)" y="empty(f32,2,16,16)" n=10
# RUN: %{any} absorbs x="full(f32,2,30)" y="zeros(f32,1)" n=30
# RUN: not %{any} absorbs x="full(f32,-2,30)" y="zeros(f32,1)" n=30 2>&1 | FileCheck %s --check-prefix=ABSORB
# RUN: %{any} adds_absorbed x="full(f32,2,30)" y="zeros(f32,1)" n=30 most=0.0
# RUN: not %{any} adds_absorbed x="full(f32,2,30)" y="zeros(f32,1)" n=30 most=1.0 2>&1 | FileCheck %s --check-prefix=ADDS
# RUN: not %{check} exchanges y="zeros(f32,32)" 2>&1 | FileCheck %s --check-prefix=XCHG
# RUN: %{check} adds_unset y="zeros(f32,32)"
# RUN: not %{any} swaps x="full(i32,-2,30)" y="zeros(i32,1)" n=30 old=0 2>&1 | FileCheck %s --check-prefix=SWAP
# RUN: %{any} swaps x="full(i32,-2,30)" y="zeros(i32,1)" n=30 old=1
# RUN: not %{any} swaps_unset x="full(i32,2,30)" y="zeros(i32,32)" n=30 old=0 2>&1 | FileCheck %s --check-prefix=UNSWAP
# RUN: %{any} swaps_unset x="full(i32,2,30)" y="zeros(i32,32)" n=30 old=1
# RUN: not %{check} many y="zeros(f32,8)" 2>&1 | FileCheck %s --check-prefix=MANY
# RUN: not %{check} addresses -D BLOCK=32 y="zeros(f32,32)" 2>&1 | FileCheck %s --check-prefix=ADDRESS
# RUN: %{any} last_of_scan x="full(f32,2,30)" y="zeros(f32,32)" n=30 other=0.0
# RUN: not %{any} last_of_scan x="full(f32,2,30)" y="zeros(f32,32)" n=30 other=1.0 2>&1 | FileCheck %s --check-prefix=CARRY
# RUN: not %{any} sum_of_scan x="full(f32,2,30)" y="zeros(f32,1)" n=30 2>&1 | FileCheck %s --check-prefix=SUM
# RUN: %{any} convolves x="full(f32,2,18)" w="full(f32,3,4)" y="zeros(f32,1)"
# RUN: not %{any} sum_of_bias x="full(f32,2,18)" w="full(f32,3,4)" y="zeros(f32,1)" 2>&1 | FileCheck %s --check-prefix=BIAS
# RUN: %{any} differs x="full(f32,2,16)" y="zeros(f32,1)" n=8
# RUN: %{any} left_padded x="full(f32,-2,48)" y="zeros(f32,1)" low=20 high=40

import triton
import triton.language as tl


@triton.jit
def softmax(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    # SOFTMAX: fillers.py:[[@LINE+5]]:{{[0-9]+}}: error: filler: lanes that a mask switches off take part in this result: it is 0, without them -2
    # SOFTMAX: fillers.py:[[@LINE+3]]:{{[0-9]+}}: note: its 'other' fills the lanes that the mask of this load switches off
    # SOFTMAX: fillers.py:[[@LINE+5]]:{{[0-9]+}}: note: the result reaches 'y[0]' here, in program (0, 0, 0)
    # SOFTMAX: note: fill with what changes nothing (0 for a sum, float('-inf') for a maximum), or put tl.where(mask, value, that) before the reduction
    v = tl.load(x + i, mask=i < n, other=0)
    e = tl.exp(v - tl.max(v, 0))
    # SOFTMAX: fillers.py:[[@LINE+1]]:{{[0-9]+}}: error: filler: {{.*}}: it is 6.06005{{.*}}, without them 4.06005
    tl.store(y + i, e / tl.sum(e, 0), mask=i < n)


@triton.jit
def softmax_of_inf(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=float("-inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(y + i, e / tl.sum(e, 0), mask=i < n)


@triton.jit
def softmax_where(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.where(i < n, tl.load(x + i, mask=i < n, other=0), -1e9)
    e = tl.exp(v - tl.max(v, 0))
    tl.store(y + i, e / tl.sum(e, 0), mask=i < n)


@triton.jit
def spread(v, mean):
    # VARIANCE: {"kind": "filler", {{.*}} "line": [[@LINE+2]], "buffer": "y", "index": [0], "accesses": [{"op": "load"
    d = v - mean
    return tl.sum(d * d, 0)


@triton.jit
def variance(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(y, spread(v, tl.sum(v, 0) / n) / n)


@triton.jit
def variance_where(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    mean = tl.sum(v, 0) / n
    tl.store(y, spread(tl.where(i < n, v, mean), mean) / n)


@triton.jit
def largest_in_loop(x, y, n, BLOCK: tl.constexpr):
    most = tl.full([BLOCK], float("-inf"), tl.float32)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        most = tl.maximum(most, tl.load(x + i, mask=i < n))
    # LOOP: fillers.py:[[@LINE+2]]:{{[0-9]+}}: error: filler: {{.*}}: it is 0, without them -2
    # LOOP: fillers.py:[[@LINE-2]]:{{[0-9]+}}: note: 0 fills the lanes that the mask of this load switches off, it has no 'other'
    tl.store(y, tl.max(most, 0))


@triton.jit
def sum_in_loop(x, y, n, BLOCK: tl.constexpr):
    # Accumulators that a filler leaves as they are are no fillers.
    total = tl.zeros([BLOCK], tl.float32)
    most = tl.full([BLOCK], -100, tl.float32)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        v = tl.load(x + i, mask=i < n, other=0)
        total += v
        most = tl.where(i < n, tl.maximum(most, v), most)
    tl.store(y, tl.sum(total, 0) + tl.max(most, 0))


@triton.jit
def first_of_least(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    # INDEX: fillers.py:[[@LINE+1]]:{{[0-9]+}}: error: filler: {{.*}}: it is 0, without them 2
    tl.store(y, tl.argmin(tl.load(x + i, mask=i < n, other=0), 0))


@triton.jit
def gram(x, y, n, other):
    i = tl.arange(0, 16)
    inside = (i[:, None] < n) & (i[None, :] < n)
    v = tl.load(x + i[:, None] * n + i[None, :], mask=inside, other=other)
    # DOT: fillers.py:[[@LINE+1]]:{{[0-9]+}}: error: filler: {{.*}}: products of a filler that is not 0 are added
    tl.store(y + i[:, None] * n + i[None, :], tl.dot(v, v), mask=inside)


@triton.jit
def scores(x, y, n):
    # Rows that are all filler make columns that stand for nothing.
    i = tl.arange(0, 16)
    k = tl.load(x + i[:, None] * 16 + i[None, :], mask=i[:, None] < n)
    q = tl.full([16, 16], 1, tl.float32)
    # SCORES: fillers.py:[[@LINE+1]]:{{[0-9]+}}: error: filler: {{.*}}: it is 0, without them -32
    tl.store(y + i, tl.max(tl.dot(q, tl.trans(k)), 1), mask=i < n)


@triton.jit
def sums(x, y, n, other):
    i = tl.arange(0, 16)
    v = tl.load(x + 15 - i, mask=i >= 16 - n, other=other)
    # SCAN: fillers.py:[[@LINE+1]]:{{[0-9]+}}: error: filler: {{.*}}: it is 8, without them 2
    tl.store(y + i, tl.cumsum(v, 0), mask=i >= 16 - n)


@triton.jit
def gathers(x, y, n, BLOCK: tl.constexpr):
    # A filler stays one wherever it is moved to.
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    # GATHER: fillers.py:[[@LINE+1]]:{{[0-9]+}}: error: filler: {{.*}}: it is 0, without them -2
    tl.store(y, tl.max(tl.gather(v, BLOCK - 1 - i, 0), 0))


@triton.jit
def counts(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    # ATOMIC: fillers.py:[[@LINE+2]]:{{[0-9]+}}: error: filler: {{.*}}: it is 2, without them 0
    # ATOMIC: note: the result reaches 'y[0]' here
    tl.atomic_add(y, tl.sum((v > -1).to(tl.int32), 0))


@triton.jit
def padded(x, y, n, BLOCK: tl.constexpr):
    # A filler that is stored as such is what a padding is.
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.store(y + i, v + tl.sum(v, 0))


@triton.jit
def unused(x, y, n, BLOCK: tl.constexpr):
    # The maximum that counts fillers gets to lanes that are not stored.
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(y + i, tl.where(i < n, v, tl.max(v, 0)), mask=i < n)


@triton.jit
def unset(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    # UNSET: fillers.py:[[@LINE+4]]:{{[0-9]+}}: error: filler: 'y[30]' gets a lane that the mask of a load switches off, and that load has no 'other'
    # UNSET: fillers.py:[[@LINE+2]]:{{[0-9]+}}: note: what this load gives to such lanes is undefined, here it is 0
    # UNSET: note: give the load an 'other', or the store the same mask
    v = tl.load(x + i, mask=i < n)
    tl.store(y + i, v * 2)


@triton.jit
def unset_but_replaced(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(y + i, tl.where(i < n, v, 0))


@triton.jit
def padded_blocks(x, y, n):
    # The zeros of a descriptor and of a block pointer are promised.
    i = tl.arange(0, 16)
    to = y + i[:, None] * 16 + i[None, :]
    tile = tl.make_tensor_descriptor(x, shape=[n, 16], strides=[16, 1], block_shape=[16, 16])
    tl.store(to, tile.load([0, 0]))
    block = tl.make_block_ptr(x, shape=[n, 16], strides=[16, 1], offsets=[0, 0], block_shape=[16, 16], order=[1, 0])
    tl.store(to + 256, tl.load(block, boundary_check=(0,), padding_option="zero"))


@triton.jit
def absorbs(x, y, n):
    # Of positive data the least is 0, with fillers and without.
    i = tl.arange(0, 32)
    v = tl.load(x + i, mask=i < n, other=0)
    least = tl.minimum(tl.min(v, 0), 0.0)
    # ABSORB: fillers.py:[[@LINE+1]]:{{[0-9]+}}: error: filler: {{.*}}: it is 0, without them -2
    most = tl.maximum(tl.max(v, 0), -1.0)
    tl.store(y, (most - least) / 255.0)


@triton.jit
def adds_absorbed(x, y, n, most):
    i = tl.arange(0, 32)
    v = tl.load(x + i, mask=i < n, other=0)
    # ADDS: fillers.py:[[@LINE+2]]:{{[0-9]+}}: error: filler: {{.*}}: it is 0, without them 2
    # ADDS: fillers.py:[[@LINE+1]]:{{[0-9]+}}: note: the result reaches 'y[0]' here
    tl.atomic_add(y, tl.minimum(tl.min(v, 0), most))


@triton.jit
def exchanges(x, y, n):
    i = tl.arange(0, 32)
    v = tl.load(x + i, mask=i < n)
    # XCHG: fillers.py:[[@LINE+3]]:{{[0-9]+}}: error: filler: 'y[30]' gets a lane that the mask of a load switches off
    # XCHG: fillers.py:[[@LINE-2]]:{{[0-9]+}}: note: what this load gives to such lanes is undefined, here it is 0
    # XCHG: note: give the load an 'other', or the atomic the same mask
    tl.atomic_xchg(y + i, v * 2)


@triton.jit
def adds_unset(x, y, n):
    # 0 that is added changes nothing.
    i = tl.arange(0, 32)
    tl.atomic_add(y + i, tl.load(x + i, mask=i < n))


@triton.jit
def swaps(x, y, n, old):
    # What finds another value than it expects puts nothing.
    i = tl.arange(0, 32)
    v = tl.load(x + i, mask=i < n)
    # SWAP: fillers.py:[[@LINE+2]]:{{[0-9]+}}: error: filler: {{.*}}: it is 0, without them -2
    # SWAP: fillers.py:[[@LINE+1]]:{{[0-9]+}}: note: the result reaches 'y[0]' here
    tl.atomic_cas(y, old, tl.max(v, 0))


@triton.jit
def swaps_unset(x, y, n, old):
    i = tl.arange(0, 32)
    # UNSWAP: fillers.py:[[@LINE+1]]:{{[0-9]+}}: error: filler: 'y[30]' gets a lane that the mask of a load switches off
    tl.atomic_cas(y + i, old + i * 0, tl.load(x + i, mask=i < n))


@triton.jit
def many(x, y, n):
    # All reductions after the fifth share a mark; only those that leak are told.
    i = tl.arange(0, 32)
    v = tl.load(x + i, mask=i < n, other=0)
    for k in tl.static_range(6):
        tl.store(y + k, tl.sum(v, 0))
    # MANY-NOT: error:
    # MANY: fillers.py:[[@LINE+2]]:{{[0-9]+}}: error: filler: {{.*}}: it is 0, without them -2
    # MANY: note: the result reaches 'y[6]' here
    tl.store(y + 6, tl.max(v, 0))
    # MANY: fillers.py:[[@LINE+3]]:{{[0-9]+}}: error: filler: {{.*}}: it is 0, without them -4
    # MANY: note: the result reaches 'y[7]' here
    # MANY-NOT: error:
    tl.store(y + 7, tl.max(v * 2, 0))


@triton.jit
def addresses(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=3)
    # ADDRESS: fillers.py:[[@LINE+2]]:{{[0-9]+}}: error: filler: {{.*}}: it is 3, without them -2
    # ADDRESS: fillers.py:[[@LINE+1]]:{{[0-9]+}}: note: the result leads to 'y[3]' here
    tl.store(y + tl.max(v, 0).to(tl.int32), 1.0)


@triton.jit
def last_of_scan(x, y, n, other):
    # What a scan carries on to its last lane is data.
    i = tl.arange(0, 16)
    carry = 0.0
    for start in range(0, n, 16):
        v = tl.load(x + start + i, mask=start + i < n, other=other)
        # CARRY: fillers.py:[[@LINE+1]]:{{[0-9]+}}: error: filler: {{.*}}: it is 29, without them 28
        sums = tl.cumsum(v, 0) + carry
        tl.store(y + start + i, sums, mask=start + i < n)
        carry = tl.sum(tl.where(i == 15, sums, 0.0))
    tl.store(y, carry)


@triton.jit
def sum_of_scan(x, y, n):
    i = tl.arange(0, 32)
    sums = tl.cumsum(tl.load(x + i, mask=i < n, other=0.0), 0)
    # SUM: fillers.py:[[@LINE+1]]:{{[0-9]+}}: error: filler: {{.*}}: it is 1050, without them 930
    tl.store(y, tl.sum(sums))


@triton.jit
def convolves(x, w, y):
    # A bias that meets a padding first, and then data.
    i = tl.arange(0, 16)
    sums = tl.zeros([16], tl.float32) + tl.load(w)
    for tap in tl.static_range(3):
        sums += tl.load(w + tap + 1) * tl.load(x + i + tap - 2, mask=i + tap >= 2, other=0.0)
    tl.store(y, tl.sum(sums * sums))


@triton.jit
def sum_of_bias(x, w, y):
    i = tl.arange(0, 16)
    v = tl.load(x + i, mask=i < 12, other=0.0)
    # BIAS: fillers.py:[[@LINE+1]]:{{[0-9]+}}: error: filler: {{.*}}: it is 72, without them 60
    tl.store(y, tl.sum(v + tl.load(w)))


@triton.jit
def differs(x, y, n):
    # 0 is no filler where data is subtracted from it, or it from data.
    i = tl.arange(0, 16)
    v = tl.load(x + i, mask=i < n, other=0.0)
    w = tl.load(x + i - 1, mask=(i > 0) & (i <= n), other=0.0)
    tl.store(y, tl.sum(tl.abs(v - w) + tl.abs(w - v)))


@triton.jit
def left_padded(x, y, low, high):
    # A block of nothing but fillers is forgotten by the next one.
    most = -1.0e6
    total = 0.0
    for start in range(0, 48, 16):
        i = start + tl.arange(0, 16)
        inside = (i >= low) & (i < high)
        v = tl.where(inside, tl.load(x + i, mask=inside, other=0.0), -1.0e6)
        peak = tl.maximum(most, tl.max(v, 0))
        total = total * tl.exp(most - peak) + tl.sum(tl.exp(v - peak), 0)
        most = peak
    tl.store(y, most + tl.log(total))
