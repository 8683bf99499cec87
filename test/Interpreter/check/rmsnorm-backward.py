# The backward pass of RMSNorm, of which every program adds to dg: where they read, add and write
# it, most of it is lost on a GPU, whatever the order here makes of it.

# DEFINE: %{values} = x="full(f32,1,12,40)" g="full(f32,2,40)" dy="full(f32,3,12,40)" r="full(f32,1,12)" dx="empty(f32,12,40)" n=40 rows=12
# RUN: not tile-run %s --kernel lost --grid 4 dg="zeros(f32,40)" %{values} --check 2>&1 | FileCheck %s
# RUN: not tile-run %s --kernel lost --grid 4 dg="zeros(f32,40)" %{values} --check --schedule sequential 2>&1 | FileCheck %s
# RUN: not tile-run %s --kernel lost --grid 4 dg="zeros(f32,40)" %{values} --check --schedule reverse 2>&1 | FileCheck %s
# RUN: tile-run %s --kernel lost --grid 1 dg="zeros(f32,40)" %{values} --check --expect dg="full(f32,36,40)"
# RUN: tile-run %s --kernel added --grid 4 dg="zeros(f32,40)" %{values} --check --expect dg="full(f32,36,40)"
# RUN: tile-run %s --kernel parts --grid 4 dg="zeros(f32,4,40)" %{values} --check --expect dg="full(f32,9,4,40)"

import triton
import triton.language as tl


@triton.jit
def gradient(x, g, dy, r, dx, n, row, cols, mask):
    """Stores a row of dx and gives its part of dg."""
    v = tl.load(x + row * n + cols, mask=mask, other=0)
    d = tl.load(dy + row * n + cols, mask=mask, other=0)
    rstd = tl.load(r + row)
    scaled = d * tl.load(g + cols, mask=mask, other=0)
    mean = tl.sum(scaled * v, 0) / n
    tl.store(dx + row * n + cols, rstd * scaled - rstd * rstd * rstd * v * mean, mask=mask)
    return d * v * rstd


@triton.jit
def lost(x, g, dy, r, dx, dg, n, rows, B: tl.constexpr = 64):
    cols = tl.arange(0, B)
    mask = cols < n
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        part = gradient(x, g, dy, r, dx, n, row, cols, mask)
        # CHECK: rmsnorm-backward.py:[[@LINE+4]]:{{[0-9]+}}: error: race: this load and another program's store touch 'dg[0]'
        # CHECK: note: the store puts back what this load read: use tl.atomic_add
        # CHECK: rmsnorm-backward.py:[[@LINE+3]]:{{[0-9]+}}: error: race: two programs store 'dg[0]' here
        # CHECK-NOT: error:
        old = tl.load(dg + cols, mask=mask)
        tl.store(dg + cols, old + part, mask=mask)


@triton.jit
def added(x, g, dy, r, dx, dg, n, rows, B: tl.constexpr = 64):
    cols = tl.arange(0, B)
    mask = cols < n
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        tl.atomic_add(dg + cols, gradient(x, g, dy, r, dx, n, row, cols, mask), mask=mask)


@triton.jit
def parts(x, g, dy, r, dx, dg, n, rows, B: tl.constexpr = 64):
    # A row of dg for each program, to be summed later.
    cols = tl.arange(0, B)
    mask = cols < n
    part = tl.zeros([B], tl.float32)
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        part += gradient(x, g, dy, r, dx, n, row, cols, mask)
    tl.store(dg + tl.program_id(0) * n + cols, part, mask=mask)
