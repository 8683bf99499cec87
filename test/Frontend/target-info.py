"""What a kernel asks about the target is known while compiling."""
# RUN: %tilec --emit=tile %s --arch sm_80 -o - | FileCheck %s --check-prefixes=CHECK,SM80
# RUN: %tilec --emit=tile %s --arch sm_90a -o - | FileCheck %s --check-prefixes=CHECK,SM90
import triton
import triton.language as tl
from triton.language import target_info


# CHECK: func.func @branches
# CHECK-NOT: scf.if
@triton.jit
def branches(x: "*i32"):
    # SM80: arith.constant 80 :
    # SM90: arith.constant 90 :
    if target_info.cuda_capability_geq(9, 0):
        tl.store(x, 90)
    else:
        tl.store(x, 80)
    # CHECK-COUNT-2: tile.store
    if tl.target_info.is_cuda() and not tl.target_info.is_hip():
        tl.store(x + 1, 1)
