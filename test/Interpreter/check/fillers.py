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
    v = tl.load(x + i, mask=i < n)
    tl.store(y + i, v + tl.sum(v, 0))


@triton.jit
def unused(x, y, n, BLOCK: tl.constexpr):
    # The maximum that counts fillers gets to lanes that are not stored.
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(y + i, tl.where(i < n, v, tl.max(v, 0)), mask=i < n)
