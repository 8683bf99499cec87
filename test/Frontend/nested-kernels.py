# A jitted function inside another one, or inside a class, is a kernel where --kernel names it. It sees
# the imports and the jitted functions around it.

# rule: nested-kernel
# RUN: %tilec %s --emit=tile --kernel doubled --sig "*fp32, 16" | FileCheck %s --check-prefix=DOUBLED
# DOUBLED: func.func @doubled
# DOUBLED: arith.mulf
# RUN: %tilec %s --emit=tile --kernel member --sig "*fp32" | FileCheck %s --check-prefix=MEMBER
# MEMBER: func.func @member
# RUN: not %tilec %s --emit=tile 2>&1 | FileCheck %s --check-prefix=NONE
# NONE: nested-kernels.py:[[#@LINE+15]]:9: error: there is no kernel at the top level of this file; name the one that stands here with --kernel twice
# RUN: not %tilec %s --emit=tile --kernel captures --sig "*fp32" 2>&1 | FileCheck %s --check-prefix=CAPTURES
# CAPTURES: nested-kernels.py:[[#@LINE+28]]:21: error: 'size' is not defined
import torch


def launch(x):
    """
    @triton.jit
    def no_code(): pass
    """
    import triton
    from triton import language as tl
    if x.is_cuda:
        @triton.jit
        def twice(v):
            return v * 2

        @triton.autotune(configs=[], key=[])
        @triton.jit
        def doubled(p, N: tl.constexpr):
            o = tl.arange(0, N)
            tl.store(p + o, twice(tl.load(p + o)))
      # a comment at no block's column
    doubled[(1,)](x, 16)


def build(size):
    @triton.jit
    def captures(p):
        tl.store(p, size)
    return captures


class Methods:
    @staticmethod
    @triton.jit
    def member(p):
        tl.store(p, 1.0)

    def twice(self):
        return 2
