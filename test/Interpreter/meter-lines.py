# The meter by source line: sectors tell a walk along rows from one across them, and a GPU's
# name what bounds the kernel there.

# RUN: tile-run %s --kernel copy --grid 200 x="arange(f32,200,64)" y="zeros(f32,200,64)" --meter --gpu h200 | FileCheck %s
# RUN: tile-run %s --kernel copy --grid 200 x="arange(f32,200,64)" y="zeros(f32,200,64)" --meter --num-warps 2 \
# RUN:   | FileCheck %s --check-prefix=WARPS
# RUN: tile-run %s --kernel copy --grid 200 x="arange(f32,200,64)" y="zeros(f32,200,64)" --meter=json --num-warps 2 \
# RUN:   | FileCheck %s --check-prefix=JSON
# RUN: tile-run %s --kernel square --grid 1 x="zeros(f16,64,64)" y="zeros(f32,64,64)" down=64 right=1 --meter --specialize \
# RUN:   | FileCheck %s --check-prefix=ROWS
# RUN: tile-run %s --kernel square --grid 1 x="zeros(f16,64,64)" y="zeros(f32,64,64)" down=1 right=64 --meter \
# RUN:   | FileCheck %s --check-prefix=COLUMNS
# RUN: tile-run %s --kernel wide --grid 1 x="zeros(f32,65536)" y="zeros(f32,65536)" --meter=json | FileCheck %s --check-prefix=WIDE
# RUN: not tile-run %s --kernel copy --grid 4 x="arange(f32,4,64)" y="zeros(f32,4,64)" --meter --gpu h300 2>&1 \
# RUN:   | FileCheck %s --check-prefix=UNKNOWN
# RUN: not tile-run %s --kernel copy --grid 4 x="arange(f32,4,64)" y="zeros(f32,4,64)" --gpu h200 2>&1 \
# RUN:   | FileCheck %s --check-prefix=USE
# RUN: tile-run %s --kernel chooses --grid 1 x="zeros(f32,64)" y="zeros(f32,64)" out="zeros(f32,32)" n=32 --meter \
# RUN:   | FileCheck %s --check-prefix=TWO
# RUN: tile-run %s --kernel chooses --grid 1 x="zeros(f32,64)" y="zeros(f32,64)" out="zeros(f32,32)" n=0 --meter=json \
# RUN:   | FileCheck %s --check-prefix=OFF

# The textbook's matmul: 1000x512 by 512x700 in tiles of 64x64x32 runs 16x11 programs of 16 steps.
# RUN: tile-run %s --kernel tiles --grid 16,11 -D K=512 count="zeros(i32,2)" --expect count="full(i32,2816,2)" --meter=json \
# RUN:   | FileCheck %s --check-prefix=TILES

# CHECK: copy: 200 programs, grid 200x1x1
# CHECK: line argument access elements bytes masked off sectors 128-byte lines sector use
# Four warps hold 64 elements twice, and read them so; one copy writes.
# CHECK-NEXT: {{[0-9]+}} x load 12800 51200 0.0% 3200 800 50.0%
# CHECK-NEXT: {{[0-9]+}} y store 3200 12800 75.0% 3200 3200 12.5%
# CHECK: 0.20 operations a byte; each byte is moved 1.00 times
# CHECK: h200: bound by memory: 0.01 us to move the distinct bytes, 0.00 us to compute
# CHECK: h200: 200 programs on 132 multiprocessors: 2 waves of one program each, the last uses 51.5%
# WARPS: x load 12800 51200 0.0% 1600 400 100.0%
# JSON: "op": "load", "arg": "x", {{.*}}"sectors": 1600, "cache_lines": 400, "has_layout": true
# ROWS: x load 4096 8192 0.0% 256 64 100.0%
# A thread has eight neighbours, and stores them four at a time.
# ROWS: y store 4096 16384 0.0% 1024 256 50.0%
# COLUMNS: x load 4096 8192 0.0% 4096 4096 6.2%
# A tile that becomes a loop over parts of it.
# WIDE: "op": "load", "arg": "x", {{.*}}"sectors": 8192, "cache_lines": 2048, "has_layout": true}
# UNKNOWN: error: option '--gpu': unknown GPU 'h300', choose one of b300, b200,
# USE: option '--gpu' is about what '--meter' counts, add --meter
# Each lane counts for the buffer that it is in, by line as by argument.
# TWO: x 16 0 64 0 64 0
# TWO-NEXT: y 16 0 64 0 64 0
# TWO: line argument access
# TWO-NEXT: {{[0-9]+}} x load 16 64 0.0% 8 4 25.0%
# TWO-NEXT: {{[0-9]+}} y load 16 64 0.0% 8 4 25.0%
# A load without an active lane has a line.
# OFF: {"line": [[#]], "op": "load", "arg": "x", "elements_read": 0, {{.*}}"lanes_off": 32, "sectors": 0,
# TILES: "programs": 176
# TILES: "op": "atomic_rmw", "arg": "count", "elements_read": 2816, {{[^}]*}}"has_layout": false}
# TILES: "loops": [{"line": {{[0-9]+}}, "runs": 176, "iterations": 2816}]

import triton
import triton.language as tl


@triton.jit
def copy(x, y):
    i = tl.arange(0, 64)
    v = tl.load(x + tl.program_id(0) * 64 + i)
    tl.store(y + tl.program_id(0) + i * 200, v * 2, mask=i % 4 == 0)


@triton.jit
def square(x, y, down, right):
    i = tl.arange(0, 64)
    v = tl.load(x + i[:, None] * down + i[None, :] * right)
    tl.store(y + i[:, None] * 64 + i[None, :], v)


@triton.jit
def wide(x, y):
    i = tl.arange(0, 65536)
    v = tl.load(x + i)
    tl.store(y + i, v - tl.max(v, 0))


@triton.jit
def tiles(count, K: tl.constexpr, BLOCK_K: tl.constexpr = 32):
    for k in range(0, K, BLOCK_K):
        tl.atomic_add(count, 1, sem="relaxed")
    for k in tl.static_range(0, K, BLOCK_K):
        tl.atomic_add(count + 1, 1, sem="relaxed")


@triton.jit
def chooses(x, y, out, n):
    i = tl.arange(0, 32)
    v = tl.load(tl.where(i < 16, x + i, y + 32 + i), mask=i < n)
    tl.store(out + i, v)
