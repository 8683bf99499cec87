"""A file whose only jitted function returns a value: it is a helper, and the message says so."""
# RUN: not %tilec --emit=tile %s 2>&1 | FileCheck %s
# RUN: not %tilec --emit=tile %s --sig "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl


# CHECK: no-kernel.py:[[#@LINE+3]]:1: error: there is no kernel in this file: 'k' is taken for a helper, since it returns a value; store the value through a pointer
# CHECK: no-kernel.py:[[#@LINE+5]]:9: note: returned here
@triton.jit
def k(x, n):
    v = tl.load(x)
    if n > 0:
        return v
    return 0.0
