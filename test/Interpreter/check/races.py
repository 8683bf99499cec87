# Races between programs: both places, programs, lanes, element and a way out; the same
# verdict under every schedule.

# RUN: not tile-run %s --kernel sum_rows --grid 9 -D B=64 x="randn(f32,9,50)" out="zeros(f32,50)" n=50 \
# RUN:   --check 2>&1 | FileCheck %s --check-prefix=SUM
# RUN: not tile-run %s --kernel sum_rows --grid 9 -D B=64 x="randn(f32,9,50)" out="zeros(f32,50)" n=50 \
# RUN:   --check=json --schedule sequential | FileCheck %s --check-prefix=JSON
# RUN: not tile-run %s --kernel sum_rows --grid 9 -D B=64 x="randn(f32,9,50)" out="zeros(f32,50)" n=50 \
# RUN:   --check --schedule reverse 2>&1 | FileCheck %s --check-prefix=SUM
# RUN: not tile-run %s --kernel sum_rows --grid 9 -D B=64 x="randn(f32,9,50)" out="zeros(f32,50)" n=50 \
# RUN:   --check --schedule parallel 2>&1 | FileCheck %s --check-prefix=SUM
# RUN: not tile-run %s --kernel overlapping --grid 4 out="zeros(i32,4,8)" \
# RUN:   --check --seed 3 2>&1 | FileCheck %s --check-prefix=OVERLAP
# RUN: not tile-run %s --kernel half_published --grid 2 x="zeros(f32,8)" out="zeros(f32,8)" flag="zeros(i32,1)" \
# RUN:   --check --seed 1 2>&1 | FileCheck %s --check-prefix=FLAG
# RUN: not tile-run %s --kernel block_scope --grid 3 out="zeros(i32,1)" --check 2>&1 | FileCheck %s --check-prefix=SCOPE
# RUN: tile-run %s --kernel sum_atomic --grid 9 -D B=64 x="full(f32,2,9,50)" out="zeros(f32,50)" n=50 \
# RUN:   --check --seed 5 --expect out="full(f32,18,50)"
# RUN: tile-run %s --kernel sum_locked --grid 9 -D B=64 x="full(f32,2,9,50)" out="zeros(f32,50)" lock="zeros(i32,1)" n=50 \
# RUN:   --check --seed 5 --expect out="full(f32,18,50)"

import triton
import triton.language as tl


@triton.jit
def sum_rows(x, out, n, B: tl.constexpr):
    cols = tl.arange(0, B)
    mask = cols < n
    v = tl.load(x + tl.program_id(0) * n + cols, mask=mask)
    # SUM: races.py:[[@LINE+5]]:{{[0-9]+}}: error: race: this load and another program's store touch 'out[0]', with nothing that orders them
    # SUM: races.py:[[@LINE+4]]:{{[0-9]+}}: note: the load is of program ([[P:[0-9]]], 0, 0), lane 0
    # SUM: races.py:[[@LINE+4]]:{{[0-9]+}}: note: the store is of program ({{[0-9]}}, 0, 0), lane 0
    # SUM: note: seen 400 times, this was the first
    # SUM: note: the store puts back what this load read: use tl.atomic_add
    old = tl.load(out + cols, mask=mask)
    tl.store(out + cols, old + v, mask=mask)
    # SUM: races.py:[[@LINE-1]]:{{[0-9]+}}: error: race: two programs store 'out[0]' here, with nothing that orders them
    # SUM-NOT: error:
    # JSON: {"faults": [{"kind": "race", "message": "race: this load
    # JSON-SAME: "line": [[@LINE-5]], "buffer": "out", "index": [0], "accesses": [
    # JSON-SAME: {"op": "store", "file": "{{[^"]*}}races.py", "line": [[@LINE-5]], "program": [0, 0, 0], "lane": 0},
    # JSON-SAME: {"op": "load", "file": "{{[^"]*}}races.py", "line": [[@LINE-7]], "program": [1, 0, 0], "lane": 0}], "count": 400


@triton.jit
def write(p, value):
    # OVERLAP: races.py:[[@LINE+2]]:{{[0-9]+}}: error: race: two programs store 'out[0, 6]' here
    # OVERLAP-NOT: error:
    tl.store(p, value)


@triton.jit
def overlapping(out):
    # The values agree: it is a race all the same.
    for turn in range(2):
        write(out + tl.program_id(0) * 6 + tl.arange(0, 8), tl.full([8], 7, tl.int32))


@triton.jit
def half_published(x, out, flag):
    i = tl.arange(0, 8)
    if tl.program_id(0) == 0:
        # FLAG: races.py:[[@LINE+3]]:{{[0-9]+}}: error: race: this store and another program's load touch 'x[0]'
        # FLAG: races.py:[[@LINE+7]]:{{[0-9]+}}: note: the load is of program (1, 0, 0), lane 0
        # FLAG: atomics with sem='relaxed' and volatile loads order nothing
        tl.store(x + i, i.to(tl.float32))
        tl.atomic_xchg(flag, 1, sem="relaxed")
    else:
        while tl.atomic_add(flag, 0, sem="acquire") == 0:
            pass
        tl.store(out + i, tl.load(x + i))


@triton.jit
def block_scope(out):
    # SCOPE: races.py:[[@LINE+2]]:{{[0-9]+}}: error: race: two programs update 'out[0]' here
    # SCOPE: note: an atomic with scope 'cta' is atomic inside its own program only, use scope 'gpu'
    tl.atomic_add(out, 1, scope="cta")


@triton.jit
def sum_atomic(x, out, n, B: tl.constexpr):
    cols = tl.arange(0, B)
    v = tl.load(x + tl.program_id(0) * n + cols, mask=cols < n)
    tl.atomic_add(out + cols, v, mask=cols < n, sem="relaxed")


@triton.jit
def sum_locked(x, out, lock, n, B: tl.constexpr):
    cols = tl.arange(0, B)
    v = tl.load(x + tl.program_id(0) * n + cols, mask=cols < n)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(out + cols, tl.load(out + cols, mask=cols < n) + v, mask=cols < n)
    tl.atomic_xchg(lock, 0)
