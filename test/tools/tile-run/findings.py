# A run with findings ends with status 1, but what it computed is written if it came to its end. A
# success says so on a terminal only.

# RUN: rm -rf %t && mkdir -p %t
# RUN: not tile-run %s --kernel races --grid 4 --check x="zeros(i32,4)" --save x=%t/races.npy > %t/races.txt 2>&1
# RUN: FileCheck %s --check-prefix=RACES < %t/races.txt
# RUN: tile-run %s --kernel ends --grid 4 x=@%t/races.npy --expect x="arange(i32,4)"
# RUN: not tile-run %s --kernel races --grid 4 --check x="zeros(i32,4)" --expect x="zeros(i32,4)" 2>&1 | FileCheck %s --check-prefix=EXPECT
# RUN: not tile-run %s --kernel stops --grid 4 --check x="zeros(i32,4)" --save x=%t/stops.npy 2>&1 | FileCheck %s --check-prefix=STOPS
# RUN: not ls %t/stops.npy

# RUN: %python %s tile-run %s --kernel ends --grid 4 x="zeros(i32,4)" --check | FileCheck %s --check-prefix=CHECKED
# RUN: %python %s tile-run %s --kernel ends --grid 1 x="zeros(i32,4)" | FileCheck %s --check-prefix=RAN
# RUN: tile-run %s --kernel ends --grid 1 x="zeros(i32,4)" 2>&1 | count 0

# RACES: error: race:
# EXPECT: error: race:
# EXPECT: error: 'x' is not what --expect says
# STOPS: error: assertion failed: no
# CHECKED: tile-run: 'ends' ran 4 programs, the checks found nothing
# RAN: tile-run: 'ends' ran 1 program; --check looks for faults

import sys

if __name__ == "__main__":
    import pty

    sys.exit(pty.spawn(sys.argv[1:]))

import triton
import triton.language as tl


@triton.jit
def races(x):
    i = tl.arange(0, 4)
    tl.store(x + i, i)


@triton.jit
def stops(x):
    tl.store(x, 1)
    tl.device_assert(tl.load(x) == 0, "no")


@triton.jit
def ends(x):
    tl.store(x + 3 - tl.program_id(0), 3 - tl.program_id(0))
