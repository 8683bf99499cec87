# The parts of a tuple are arguments of their own, with a dot in their names.

# RUN: tile-run %s --sig "(i32, *i32), *i32" --grid 1 pair.0=3 "pair.1=arange(i32,4)" "out=zeros(i32,4)" \
# RUN:   --expect "out=arange(i32,4):i32" --atol 3 --save pair.1=%t.npy --watch "pair.1[2]" --assume "pair.0 < 4"
# RUN: %python -c "import numpy; assert (numpy.load('%t.npy') == [0, 1, 2, 3]).all()"
# RUN: not tile-run %s --sig "(i32, *i32), *i32" --grid 1 pair.=3 2>&1 | FileCheck %s
# RUN: not tile-run %s --sig "(i32, *i32), *i32" --grid 1 pair.0x=3 2>&1 | FileCheck %s
# CHECK: expected ARG=VALUE, got 'pair.

import triton
import triton.language as tl


@triton.jit
def kernel(pair, out):
    i = tl.arange(0, 4)
    tl.store(out + i, tl.load(pair[1] + i) + pair[0])
