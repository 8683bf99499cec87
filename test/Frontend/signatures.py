"""--sig: tuples of arguments, and the signature that is suggested for one that does not fit."""
# RUN: %tilec --emit=tile %s --kernel pair --sig "(i32, i32:16), *i32" -o - | FileCheck %s
# RUN: not %tilec --emit=tile %s --kernel pair --sig "(i32, fp32), _" 2>&1 | FileCheck %s --check-prefix=TUPLE
# RUN: not %tilec --emit=tile %s --kernel typed --sig "i32, i32, i32, i32, i32" 2>&1 | FileCheck %s --check-prefix=TYPED
import triton
import triton.language as tl


# CHECK: func.func @pair(%arg0: i32 {tile.name = "t.0", tile.type = "i32"}, %arg1: i32 {tile.divisibility = 16 : i32, tile.name = "t.1", tile.type = "i32"},
# CHECK: arith.addi %arg0, %arg1
# TUPLE: signatures.py:[[#@LINE+2]]:13: error: the argument 'x' of 'pair' has no type; pass for example --sig "(i32, fp32), i32"
@triton.jit
def pair(t, x):
    tl.store(x, t[0] + t[1])


# Annotations come first, then guesses.
# TYPED: a signature that fits is --sig "tensordesc<fp16[4, 8]>, *i32:16, i32, 1024"
@triton.jit
def typed(d: "tensordesc<fp16[4, 8]>", y: "*i32:16", n, B: tl.constexpr):
    tl.store(y, n + B)
