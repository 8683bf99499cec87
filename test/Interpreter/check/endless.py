# Programs that go round for ever end in a report, in every order, checked or not.

# RUN: not tile-run %s --kernel counts --grid 2 flag="zeros(i32,1)" y="zeros(i32,2)" 2>&1 | FileCheck %s --check-prefix=COUNTS
# RUN: not tile-run %s --kernel counts --grid 2 flag="zeros(i32,1)" y="zeros(i32,2)" --check 2>&1 | FileCheck %s --check-prefix=COUNTS
# RUN: not tile-run %s --kernel counts --grid 2 flag="zeros(i32,1)" y="zeros(i32,2)" --schedule reverse 2>&1 | FileCheck %s --check-prefix=COUNTS
# RUN: not tile-run %s --kernel backs_off --grid 2 flag="full(i32,1,1)" y="zeros(i32,2)" --schedule random 2>&1 | FileCheck %s --check-prefix=BACKS
# RUN: not tile-run %s --kernel marks --grid 3 flag="full(i32,1,1)" y="zeros(i32,1)" 2>&1 | FileCheck %s --check-prefix=MARKS
# RUN: not tile-run %s --kernel marks --grid 3 flag="full(i32,1,1)" y="zeros(i32,1)" --schedule sequential 2>&1 | FileCheck %s --check-prefix=MARKS
# RUN: not tile-run %s --kernel marks --grid 3 flag="full(i32,1,1)" y="zeros(i32,1)" --schedule reverse 2>&1 | FileCheck %s --check-prefix=MARKS
# RUN: not tile-run %s --kernel marks --grid 3 flag="full(i32,1,1)" y="zeros(i32,1)" --check=json | FileCheck %s --check-prefix=JSON
# RUN: not tile-run %s --kernel marks --grid 1 flag="full(i32,1,1)" y="zeros(i32,1)" 2>&1 | FileCheck %s --check-prefix=ALONE
# RUN: not tile-run %s --kernel stands --grid 1 y="zeros(i32,1)" --check 2>&1 | FileCheck %s --check-prefix=STANDS

# What takes long and ends is no deadlock.
# RUN: tile-run %s --kernel bounded --grid 2 flag="zeros(i32,1)" y="zeros(i32,2)" --check --expect y="full(i32,3000,2)"
# RUN: tile-run %s --kernel shares --grid 2 flag="zeros(i32,1)" y="zeros(i32,1)" --check --expect y="full(i32,20000,1)"

import triton
import triton.language as tl


@triton.jit
def counts(flag, y):
    spins = 0
    # COUNTS: endless.py:[[@LINE+1]]:{{[0-9]+}}: error: deadlock: 2 programs wait for what none of them does
    while tl.atomic_add(flag, 0) == 0:
        spins += 1
    tl.store(y + tl.program_id(0), spins)


@triton.jit
def backs_off(flag, y):
    w = 1
    # BACKS: endless.py:[[@LINE+1]]:{{[0-9]+}}: error: deadlock: 2 programs wait for what none of them does
    while tl.atomic_cas(flag, 0, 1) != 0:
        w = w * 2
        if w > 64:
            w = 1
    tl.store(y + tl.program_id(0), w)


@triton.jit
def marks(flag, y):
    # MARKS: endless.py:{{[0-9]+:[0-9]+}}: error: deadlock: 3 programs go round and none has left its loop in the last 1398101 iterations of each
    # ALONE: error: deadlock: 1 program goes round and none has left its loop in the last 4194304 iterations{{$}}
    # JSON: "kind": "deadlock", {{.*}}"accesses": [{"op": "{{(while|atomic)}}", {{.*}}"program": [0, 0, 0]{{.*}}"program": [1, 0, 0]{{.*}}"program": [2, 0, 0]
    while tl.atomic_xchg(flag, 1) == 1:
        tl.atomic_add(y, 1)


@triton.jit
def stands(y):
    i = 0
    # STANDS: endless.py:[[@LINE+1]]:{{[0-9]+}}: error: deadlock: this loop never ends, for its iterations change nothing that its condition reads
    while i < 1:
        i = i * 1
    tl.store(y, i)


@triton.jit
def bounded(flag, y):
    spins = 0
    while (tl.atomic_add(flag, 0) == 0) & (spins < 3000):
        spins += 1
    tl.store(y + tl.program_id(0), spins)


@triton.jit
def shares(flag, y):
    item = tl.atomic_add(flag, 1)
    while item < 20000:
        tl.atomic_add(y, 1)
        item = tl.atomic_add(flag, 1)
