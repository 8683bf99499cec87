# --watch prints every access to an element, in the order in which they happen.

# RUN: tile-run %s --grid 3 x="arange(f32,2,3)" count="zeros(i32,1)" --schedule sequential --watch "x[1,0]" --watch "count[0]" \
# RUN:   | FileCheck %s
# RUN: not tile-run %s --grid 3 x="arange(f32,2,3)" count="zeros(i32,1)" --watch "x[2,0]" 2>&1 | FileCheck %s --check-prefix=BEYOND
# RUN: not tile-run %s --grid 3 x="arange(f32,2,3)" count="zeros(i32,1)" --watch "y[0]" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
# RUN: not tile-run %s --grid 3 x="arange(f32,2,3)" count="zeros(i32,1)" --watch "x" 2>&1 | FileCheck %s --check-prefix=USE

# CHECK:      watch x[1, 0]: line [[@LINE+20]], program (0, 0, 0), lane 3: load gives 3
# CHECK-NEXT: watch x[1, 0]: line [[@LINE+19]], program (0, 0, 0), lane 3: store puts 4.5
# CHECK-NEXT: watch count[0]: line [[@LINE+19]], program (0, 0, 0): atomic finds 0, operand 1
# CHECK-NEXT: watch x[1, 0]: line [[@LINE+17]], program (1, 0, 0), lane 2: load gives 4.5
# CHECK:      watch x[1, 0]: line {{[0-9]+}}, program (2, 0, 0), lane 1: store puts 7.5
# CHECK:      watch count[0]: {{.*}} atomic finds 2, operand 1
# BEYOND: cannot watch 'x': index 2 is beyond its 2 elements
# UNKNOWN: cannot watch 'y': it is not an argument with an array
# USE: option '--watch': expected ARG[INDEX,...], got 'x'

import triton
import triton.language as tl


@triton.jit
def k(x, count):
    pid = tl.program_id(0)
    i = pid + tl.arange(0, 4)
    # The tiles overlap: one after another the programs add to the same elements.
    mask = i < 6
    tl.store(x + i, tl.load(x + i, mask=mask) + 1.5, mask=mask)
    tl.atomic_add(count, 1)
