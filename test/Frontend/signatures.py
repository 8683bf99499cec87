"""--sig: tuples of arguments, and the signature that is suggested for one that does not fit."""
# rule: argument-tuple, argument-missing
# RUN: %tilec --emit=tile %s --kernel pair --sig "(i32, i32:16), *i32" -o - | FileCheck %s
# RUN: not %tilec --emit=tile %s --kernel pair --sig "(i32, fp32), _" 2>&1 | FileCheck %s --check-prefix=TUPLE
# RUN: not %tilec --emit=tile %s --kernel typed --sig "i32, i32, i32, i32, i32" 2>&1 | FileCheck %s --check-prefix=TYPED
# RUN: not %tilec --emit=tile %s --kernel used -D B=64 2>&1 | FileCheck %s --check-prefix=USED
# RUN: not %tilec --emit=tile %s --kernel used --sig "*fp16, *bf16:16" 2>&1 | FileCheck %s --check-prefix=SHORT
# RUN: not %tilec --emit=tile %s --kernel used --sig "i64" 2>&1 | FileCheck %s --check-prefix=ONE
# RUN: not %tilec --emit=tile %s --kernel used --sig "*fp16, 32" 2>&1 | FileCheck %s --check-prefix=VALUE
# RUN: not %tilec --emit=tile %s --kernel used --sig "*fp16, *fp16, i64, 32, *fp16, i64, i64" 2>&1 | FileCheck %s --check-prefix=LONG
# RUN: not %tilec --emit=tile %s --kernel ways 2>&1 | FileCheck %s --check-prefix=WAYS
# RUN: not %tilec --emit=tile %s --kernel pair --sig "(i32, 4), *i32" 2>&1 | FileCheck %s --check-prefix=MIXED
import triton
import triton.language as tl


# CHECK: func.func @pair(%arg0: i32 {tile.name = "t.0", tile.type = "i32"}, %arg1: i32 {tile.divisibility = 16 : i32, tile.name = "t.1", tile.type = "i32"},
# CHECK: arith.addi %arg0, %arg1
# MIXED: signatures.py:[[#@LINE+3]]:10: error: the tuple (i32, 4) in the signature, which is for 't', mixes types with something else; write only types, or only values
# TUPLE: signatures.py:[[#@LINE+2]]:13: error: the argument 'x' of 'pair' has no type; pass for example --sig "(i32, fp32), *fp32"
@triton.jit
def pair(t, x):
    tl.store(x, t[0] + t[1])


# Annotations come first, then guesses.
# TYPED: a signature that fits is --sig "tensordesc<fp16[4, 8]>, *i32:16, i32, 1024"
@triton.jit
def typed(d: "tensordesc<fp16[4, 8]>", y: "*i32:16", n, B: tl.constexpr):
    tl.store(y, n + B)


# What is loaded or stored through is a pointer, whatever its name; types that were given are kept.
# USED: signatures.py:[[#@LINE+6]]:10: error: the argument 'x' of 'used' has no type; pass for example --sig "*fp32, i32, *fp32, 64"
# SHORT: error: the signature has 2 types, but 'used' has 4 parameters, 3 of them at run time; a signature that fits is --sig "*fp16, i32, *bf16:16, 1024"
# ONE: error: the signature has 1 type, but 'used' has 4 parameters, 3 of them at run time; a signature that fits is --sig "*fp32, i64, *fp32, 1024"
# VALUE: a signature that fits is --sig "*fp16, i32, *fp32, 32"
# LONG: a signature that fits is --sig "*fp16, *fp16, i64, 32"
@triton.jit
def used(x, n, y, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    p = i + x
    tl.store(y + i, tl.load(p, mask=i < n), mask=i < n)


# WAYS: pass for example --sig "*fp32, *fp32, *fp32, *fp32, *fp32, i32, i32"
@triton.jit
def ways(a, b, c, d, e, n, m):
    # Assignments that lead in a circle, or through each other many times, end.
    p, q = a + n, b
    p = q + p
    while n > 0:
        q += m
        if tl.atomic_add(c, 1) > m:
            tl.store(tl.make_block_ptr(d, (n,), (1,), (0,), (16,), (0,)), tl.load(p))
    r = e
    r1 = r + r
    tl.store(r1[:, None], 1.0)
