# Checks see the kernel as it was written: what it does not use, too.

# RUN: not tile-run %s --check --schedule sequential --kernel spins --grid 2 flag="zeros(i32,1)" y="zeros(i32,1)" 2>&1 | FileCheck %s --check-prefix=SPINS
# RUN: not tile-run %s --check --kernel waits --grid 1 flag="zeros(i32,1)" 2>&1 | FileCheck %s --check-prefix=WAITS
# RUN: not tile-run %s --check --kernel beyond --grid 1 x="zeros(f32,8)" y="zeros(f32,1)" 2>&1 | FileCheck %s --check-prefix=BEYOND
# RUN: not tile-run %s --check --kernel unwritten --grid 1 x="empty(f32,1)" y="zeros(f32,1)" 2>&1 | FileCheck %s --check-prefix=UNWRITTEN
# RUN: not tile-run %s --check --kernel unlocked --grid 4 lock="zeros(i32,1)" x="zeros(i32,1)" 2>&1 | FileCheck %s --check-prefix=UNLOCKED

import triton
import triton.language as tl


@triton.jit
def spins(flag, y):
    if tl.program_id(0) == 1:
        # SPINS: as-written.py:[[@LINE+1]]:{{[0-9]+}}: error: race: this atomic and another program's load touch 'flag[0]'
        tl.atomic_xchg(flag, 1)
    else:
        while tl.load(flag) == 0:
            pass
        tl.store(y, 1)


@triton.jit
def waits(flag):
    # WAITS: as-written.py:[[@LINE+2]]:{{[0-9]+}}: error: deadlock: 1 program waits for what none of them does
    f = tl.load(flag)
    while f == 0:
        f = tl.load(flag)


@triton.jit
def beyond(x, y):
    # BEYOND: as-written.py:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}'x'
    tl.load(x + 1000)
    tl.store(y, 1)


@triton.jit
def unwritten(x, y):
    # UNWRITTEN: as-written.py:[[@LINE+1]]:{{[0-9]+}}: error: load of 'x[0]', which nothing wrote
    tl.load(x)
    tl.store(y, 1)


@triton.jit
def unlocked(lock, x):
    # UNLOCKED: as-written.py:[[@LINE+1]]:{{[0-9]+}}: error: race: this load and another program's store touch 'x[0]'
    tl.load(x)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(x, tl.load(x) + 1)
    tl.atomic_xchg(lock, 0)
