"""A `.py` file: only what is under a jit decorator is compiled; the rest may be any Python."""
# rule: argument-signature, argument-one, argument-hint, global
# RUN: %tilec --emit=tile %s --kernel scaled --sig "*fp16:16, *fp32, i32, i32:1, 64" -o - | FileCheck %s
# RUN: %tilec --emit=tile %s --kernel scaled --sig "*fp16, *fp32, i32, i32" -D BLOCK=32 -D MODE="'relu'" -o - | FileCheck %s --check-prefix=DEFINED
# RUN: %tilec --emit=tile %s --kernel made --sig "*fp32" -o - | FileCheck %s --check-prefix=MADE
# RUN: not %tilec --emit=tile %s --kernel scaled --sig "*fp16, i32" 2>&1 | FileCheck %s --check-prefix=COUNT
# RUN: not %tilec --emit=tile %s --kernel scaled --sig "*fp16, *fp32, i32, what, 64" 2>&1 | FileCheck %s --check-prefix=WHAT
# RUN: not %tilec --emit=tile %s --kernel scaled --sig "*fp16, *fp32, i32, i32" 2>&1 | FileCheck %s --check-prefix=VALUE
# RUN: not %tilec --emit=tile %s --kernel scaled --sig "*fp8e5b16:16, *fp32, i32, i32, 64" 2>&1 | FileCheck %s --check-prefix=OTHER
# RUN: not %tilec --emit=tile %s --kernel scaled --sig "*fp16, *fp32, i32:3, i32, 64" 2>&1 | FileCheck %s --check-prefix=ALIGN
# RUN: not %tilec --emit=tile %s --kernel scaled --sig "*fp16, *fp32, i32, i32, 64" -D SIZE=3 2>&1 | FileCheck %s --check-prefix=EXTRA
# RUN: not %tilec --emit=tile %s --kernel scaled --sig "*fp16, *fp32, i32, i32" -D BLOCK=x+1 2>&1 | FileCheck %s --check-prefix=LITERAL
# RUN: not %tilec --emit=tile %s --kernel absent 2>&1 | FileCheck %s --check-prefix=ABSENT
# RUN: not %tilec --emit=tile %s 2>&1 | FileCheck %s --check-prefix=UNTYPED
import os
import torch
import triton
import triton.language as tl
from torch import (
    nn, optim,
)

try:
    from triton.language.extra.libdevice import tanh
except ModuleNotFoundError:
    from triton.language.extra.cuda.libdevice import tanh

LIMIT = tl.constexpr(4)
TABLE = {"a": [1, 2,
3], **{"b": lambda x: x}}
text = """
def not_a_function(
"""
match = [i async for i in TABLE] if False else None


class Module(nn.Module):
    def forward(self, x):
        return f"{x!r:>{10}}"


if os.environ.get("FAST"):
    @triton.jit
    def square(x):
        return x * x
else:
    @triton.jit
    def square(x):
        return x + x


def plain(x):
    return x * 3


# CHECK: module
# CHECK-NOT: func.func @square
# CHECK: func.func @scaled(
# CHECK-SAME: %arg0: !tile.ptr<f16> {tile.divisibility = 16 : i32, tile.name = "x_ptr", tile.type = "*fp16"}
# CHECK-SAME: %arg2: i32 {tile.name = "n", tile.type = "i32"})
# CHECK-SAME: tile.constants = {BLOCK = 64 : i64, MODE = "none"}, tile.folded = {stride = 1 : i64}
# CHECK: tile.arange 0, 64
# CHECK: math.tanh
# CHECK-NOT: arith.maxnumf
# DEFINED: %arg3: i32 {tile.name = "stride", tile.type = "i32"})
# DEFINED: tile.constants = {BLOCK = 32 : i64, MODE = "relu"}
# DEFINED: arith.maxnumf
# OTHER: error: 'fp8e5b16' is a type of AMD's GPUs; use fp8e5
# COUNT: python-file.py:[[#@LINE+8]]:1: error: the signature has 2 types, but 'scaled' has 6 parameters, 4 of them at run time; a signature that fits is --sig "*fp16, *fp32, i32, i32, 1024, 'none'"
# WHAT: python-file.py:[[#@LINE+7]]:29: error: cannot read "what" in the signature, which is for 'stride'; write a type such as *fp32, i32:16, or a value
# VALUE: python-file.py:[[#@LINE+6]]:37: error: the constexpr parameter 'BLOCK' of 'scaled' has no value; pass -D BLOCK=VALUE or give it a default
# ALIGN: python-file.py:[[#@LINE+5]]:26: error: an alignment is a power of two, got 3
# EXTRA: python-file.py:[[#@LINE+4]]:1: error: 'scaled' has no parameter 'SIZE', which -D sets
# LITERAL: python-file.py:[[#@LINE+3]]:37: error: cannot read the value of -D BLOCK=x+1; write a Python literal such as 128, 1.5, True, None, "text" or a type
@triton.autotune(configs=[triton.Config({"BLOCK": b}, num_warps=w) for b in (64, 128) for w in [4, 8]], key=["n"])
@triton.jit(do_not_specialize=["n"])
def scaled(x_ptr, y_ptr, n, stride, BLOCK: tl.constexpr, MODE: tl.constexpr = "none"):
    offs = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs * stride, mask=offs < n).to(tl.float32)
    if MODE == "relu":
        x = tl.maximum(x, 0)
    y = plain(square(tanh(x))) + LIMIT
    tl.store(y_ptr + offs, y, mask=offs < n)


def made(p):
    tl.store(p, 1.0)


# MADE: func.func @made
made = triton.jit(made)

# ABSENT: python-file.py:1:1: error: there is no kernel 'absent' in this file; it has 'square', 'scaled', 'made'
# UNTYPED: error: the argument 'x_ptr' of 'scaled' has no type; pass for example --sig "*fp32, *fp32, i32, i32, 1024, 'none'"

if __name__ == "__main__":
    scaled[(1,)](torch.zeros(3), LIMIT=4)
