//===- Prelude.cpp - functions of the language in the language ------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// What can be said in the language itself is: it is parsed when a kernel first
// uses one of these names, and inlined like any helper.
//
//===----------------------------------------------------------------------===//

#include "Session.h"

const char *const tilec::frontend::preludeText = R"py(
def sigmoid(x):
    return 1 / (1 + exp(-x))


def softmax(x, dim=0, keep_dims=False, ieee_rounding=False):
    z = x - max(x, axis=dim, keep_dims=True)
    num = exp(z)
    den = sum(num, axis=dim, keep_dims=True)
    return fdiv(num, den, ieee_rounding)


def swizzle2d(i, j, size_i, size_j, size_g):
    ij = i * size_j + j
    size_gj = size_g * size_j
    group_id = ij // size_gj
    off_i = group_id * size_g
    rows = minimum(size_i - off_i, size_g)
    ij = ij % size_gj
    return off_i + ij % rows, ij // rows
)py";
