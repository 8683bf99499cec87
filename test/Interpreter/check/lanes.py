# Lanes of one store that put different values into one element.

# RUN: not tile-run %s --kernel pairs --grid 2 out="zeros(i32,2,4)" --check 2>&1 | FileCheck %s --check-prefix=PAIRS
# RUN: not tile-run %s --kernel nested --grid 1 idx="full(i32,3,2,4)" out="zeros(i32,4)" --check 2>&1 \
# RUN:   | FileCheck %s --check-prefix=NESTED
# RUN: not tile-run %s --kernel pairs --grid 1 out="zeros(i32,2,4)" --check=json | FileCheck %s --check-prefix=JSON
# RUN: tile-run %s --kernel agreeing --grid 2 out="zeros(i32,2,4)" --check

import triton
import triton.language as tl


@triton.jit
def pairs(out):
    i = tl.arange(0, 8)
    # PAIRS: lanes.py:[[@LINE+4]]:{{[0-9]+}}: error: overlap: lanes 0 and 1 of this store put different values into 'out[0, 0]', either may stay
    # JSON: "kind": "overlap", "message": "overlap: lanes {{.*}}"lane": 0}, {{.*}}"lane": 1}]
    # PAIRS: note: seen 8 times
    # PAIRS-NOT: error:
    tl.store(out + tl.program_id(0) * 4 + i // 2, i)


@triton.jit
def scatter(p, index, value):
    # NESTED: lanes.py:[[@LINE+1]]:{{[0-9]+}}: error: overlap: lanes (0, 0) and (0, 1) of this store put different values into 'out[3]'
    tl.store(p + index, value)


@triton.jit
def nested(idx, out):
    at = tl.arange(0, 2)[:, None] * 4 + tl.arange(0, 4)[None, :]
    scatter(out, tl.load(idx + at), at)


@triton.jit
def agreeing(out):
    i = tl.arange(0, 8)
    tl.store(out + tl.program_id(0) * 4 + i // 2, i // 2)
