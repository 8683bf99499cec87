# --trace prints what each line of one program computes, long tiles by their ends;
# --break only one line.

# RUN: tile-run %s --grid 3 x="arange(f32,3,40)" y="zeros(f32,3)" n=40 --trace=1 | FileCheck %s
# RUN: tile-run %s --grid 3 x="arange(f32,3,40)" y="zeros(f32,3)" n=40 --break 25 | FileCheck %s --check-prefix=BREAK
# RUN: not tile-run %s --grid 3 x="arange(f32,3,40)" y="zeros(f32,3)" n=40 --trace=1,2,3,4 2>&1 | FileCheck %s --check-prefix=USE

# CHECK:      line 23: program_id i32 = 1
# CHECK:      line 24: arange i32[64] = [0 1 2 ... 61 62 63]
# CHECK:      line 25: load f32[64] = [40 41 42 ... 0 0 0]
# CHECK:      line 26: reduce f32 = 2380
# CHECK:      line 27: store f32 = 2380
# BREAK:      line 25: load f32[64] = [0 1 2 ... 0 0 0]
# BREAK-NOT:  line 2
# USE: option '--trace': expected at most three numbers X,Y,Z

import triton
import triton.language as tl


@triton.jit
def k(x, y, n, B: tl.constexpr = 64):
    row = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + row * n + i, mask=i < n, other=0)
    s = tl.sum(v, 0)
    tl.store(y + row, s)
