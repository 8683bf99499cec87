# Types come from the values; --specialize compiles the values in, where a JIT would.

# RUN: tile-run %s --grid 4 -D BLOCK=256 x_ptr="arange(bf16,64):f32" y_ptr="zeros(f32,1000)" \
# RUN:   stride=1 n=64 scale=2.0 --expect y_ptr="zeros(f32,1000)" --atol 126
# RUN: tile-run %s --grid 4 -D BLOCK=256 x_ptr="arange(f32,64)" y_ptr="empty(f32,64)" \
# RUN:   stride=1 n=64 scale=1.0 --expect y_ptr="arange(f32,64)" --specialize
# RUN: not tile-run %s --grid 4 -D BLOCK=256 x_ptr="arange(f32,64)" y_ptr="empty(f32,64)" \
# RUN:   stride=1 n=64 scale=1.5 --expect y_ptr="arange(f32,64)" 2>&1 | FileCheck %s
# CHECK: tile-run: error: 'y_ptr' is not what --expect says

# A number takes the type that it is given, or else the one that holds it.
# RUN: not tile-run %s --grid 1 -D BLOCK=1 x_ptr=3 y_ptr="zeros(f32,1)" stride=1 n=1 \
# RUN:   scale=None 2>&1 | FileCheck %s --check-prefix=NUMBER
# NUMBER: specialize.py:{{[0-9]+}}:{{[0-9]+}}: error:

import triton
import triton.language as tl


@triton.jit
def scaled_copy(x_ptr, y_ptr, stride, n, scale, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets * stride, mask=offsets < n)
    tl.store(y_ptr + offsets * stride, x * scale, mask=offsets < n)
