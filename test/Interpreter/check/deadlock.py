# Programs that wait: for each other they finish, for nothing they are reported.

# RUN: not tile-run %s --kernel keeps --grid 4 lock="zeros(i32,1)" out="zeros(i32,1)" --check 2>&1 | FileCheck %s --check-prefix=KEEPS
# RUN: not tile-run %s --kernel keeps --grid 4 lock="zeros(i32,1)" out="zeros(i32,1)" --schedule random 2>&1 | FileCheck %s --check-prefix=KEEPS
# RUN: not tile-run %s --kernel keeps --grid 4 lock="zeros(i32,1)" out="zeros(i32,1)" --schedule reverse 2>&1 | FileCheck %s --check-prefix=KEEPS
# RUN: not tile-run %s --kernel ring --grid 4 flags="zeros(i32,4)" --check=json | FileCheck %s --check-prefix=RING
# RUN: tile-run %s --kernel backwards --grid 100 flags="zeros(i32,101)" out="zeros(i32,1)" --check --expect out="full(i32,100,1)"
# RUN: tile-run %s --kernel backwards --grid 100 flags="zeros(i32,101)" out="zeros(i32,1)" --schedule sequential --expect out="full(i32,100,1)"
# RUN: tile-run %s --kernel backwards --grid 100 flags="zeros(i32,101)" out="zeros(i32,1)" --schedule random --seed 9 --expect out="full(i32,100,1)"

import triton
import triton.language as tl


@triton.jit
def keeps(lock, out):
    # KEEPS: deadlock.py:[[@LINE+2]]:{{[0-9]+}}: error: deadlock: 3 programs wait for what none of them does
    # KEEPS: deadlock.py:[[@LINE+1]]:{{[0-9]+}}: note: program ({{[0-9]}}, 0, 0) waits here
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(out, tl.load(out) + 1)


@triton.jit
def wait(flag):
    # RING: "kind": "deadlock", "message": "deadlock: 4 programs wait {{.*}}"line": [[@LINE+1]]
    while tl.atomic_add(flag, 0) == 0:
        pass


@triton.jit
def ring(flags):
    pid = tl.program_id(0)
    wait(flags + (pid + 1) % 4)
    tl.atomic_xchg(flags + pid, 1)


@triton.jit
def backwards(flags, out):
    # Each waits for the one after it, which a GPU may not start in time.
    pid = tl.program_id(0)
    if pid + 1 < tl.num_programs(0):
        while tl.atomic_add(flags + pid + 1, 0, sem="acquire") == 0:
            pass
    tl.store(out, tl.load(out) + 1)
    tl.atomic_xchg(flags + pid, 1, sem="release")
