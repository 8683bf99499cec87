# Accesses that are wrong by themselves: a checking run goes on after them and reports
# each place once.

# RUN: not tile-run %s --kernel beyond --grid 4 x="arange(f32,1000)" out="zeros(f32,1024)" --check 2>&1 \
# RUN:   | FileCheck %s --check-prefix=BEYOND
# RUN: tile-run %s --kernel masked --grid 4 x="arange(f32,1000)" out="zeros(f32,1000)" --check
# RUN: not tile-run %s --kernel unwritten --grid 2 x="empty(f32,2,8)" out="empty(f32,2,8)" --check 2>&1 \
# RUN:   | FileCheck %s --check-prefix=UNWRITTEN
# RUN: not tile-run %s --kernel unwritten --grid 2 x="empty(f32,2,8)" out="empty(f32,2,8)" --check=json \
# RUN:   | FileCheck %s --check-prefix=JSON
# RUN: not tile-run %s --kernel half --grid 1 x="empty(f32,8)" out="empty(f32,8)" --check 2>&1 \
# RUN:   | FileCheck %s --check-prefix=HALF
# RUN: tile-run %s --kernel written --grid 2 x="empty(f32,2,8)" out="empty(f32,2,8)" --check
# RUN: not tile-run %s --kernel written --sig "*fp32, *kfp32" --grid 2 x="zeros(f32,2,8)" out="zeros(f32,2,8)" --check 2>&1 \
# RUN:   | FileCheck %s --check-prefix=CONST
# RUN: tile-run %s --kernel resets --grid 2 x="empty(i32,2)" --check --expect x="full(i32,7,2)"

import triton
import triton.language as tl


@triton.jit
def beyond(x, out):
    offs = tl.program_id(0) * 256 + tl.arange(0, 256)
    # BEYOND: memory.py:[[@LINE+4]]:{{[0-9]+}}: error: load out of bounds: element 1000 of 'x' (1000 elements)
    # BEYOND: note: in program (3, 0, 0) of grid (4, 1, 1)
    # BEYOND: note: lane 232 is the first of 24 such lanes, of 256 active lanes
    # BEYOND: note: the farthest reaches 96 bytes past the end of 'x'
    v = tl.load(x + offs)
    tl.store(out + offs, v)
    # BEYOND: memory.py:[[@LINE+2]]:{{[0-9]+}}: error: store out of bounds: element -1 of 'out' (1024 elements)
    # BEYOND-NOT: error:
    tl.store(out + offs - 1, v, mask=offs == 0)


@triton.jit
def masked(x, out):
    offs = tl.program_id(0) * 256 + tl.arange(0, 256)
    v = tl.load(x + offs, mask=offs < 1000)
    tl.store(out + offs, v, mask=offs < 1000)


@triton.jit
def unwritten(x, out):
    offs = tl.program_id(0) * 8 + tl.arange(0, 8)
    # UNWRITTEN: memory.py:[[@LINE+5]]:{{[0-9]+}}: error: load of 'x[{{[01]}}, 0]', which nothing wrote
    # UNWRITTEN: note: seen 16 times
    # UNWRITTEN-NOT: error:
    # JSON: {"kind": "uninitialized", "message": "load of 'x[{{[01]}}, 0]', which nothing wrote"
    # JSON-SAME: "index": [{{[01]}}, 0], {{.*}}"count": 16
    tl.store(out + offs, tl.load(x + offs))


@triton.jit
def twice(p, i):
    # HALF: memory.py:[[@LINE+2]]:{{[0-9]+}}: error: load of 'x[4]', which nothing wrote
    # HALF: note: lane 4 is the first
    return tl.load(p + i) * 2


@triton.jit
def half(x, out):
    i = tl.arange(0, 8)
    tl.store(x + i, i.to(tl.float32), mask=i < 4)
    for turn in range(2):
        tl.store(out + i, twice(x, i))


@triton.jit
def written(x, out):
    offs = tl.program_id(0) * 8 + tl.arange(0, 8)
    tl.store(x + offs, offs.to(tl.float32))
    # CONST: memory.py:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}const
    tl.store(out + offs, tl.load(x + offs) * 2)


@triton.jit
def resets(x):
    # An exchange whose old value nobody wants is a store.
    tl.atomic_xchg(x + tl.program_id(0), 7)
