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


def join(a, b):
    x, y = broadcast(a, b)
    return where(arange(0, 2) == 0, expand_dims(x, -1), expand_dims(y, -1))


def first_of(x, i, y, j):
    left = i < j
    return where(left, x, y), where(left, i, j)


def last_of(x, i, y, j):
    left = i > j
    return where(left, x, y), where(left, i, j)


def split(x):
    static_assert(x.shape[-1] == 2, "split() needs a last axis of size 2")
    place = broadcast_to(arange(0, 2), x.shape)
    a, i = reduce((x, place), -1, first_of)
    b, j = reduce((x, place), -1, last_of)
    return a, b


def interleave(a, b):
    c = join(a, b)
    if len(c.shape) == 1:
        return c
    return reshape(c, c.shape[:-2] + (2 * c.shape[-2],))


def cat(input, other, can_reorder=False, dim=0):
    static_assert(len(input.shape) == 1 and dim == 0, "cat() joins tiles of one axis")
    return reshape(trans(join(input, other)), (2 * input.shape[0],))


def histogram(input, num_bins, mask=None):
    hit = input[:, None] == arange(0, num_bins)[None, :]
    if mask is not None:
        hit = hit & mask[:, None]
    return sum(hit.to(int32), axis=0)


def high_product(a: constexpr, b):
    return ((b.to(uint64) * a) >> 32).to(uint32)


def philox_impl(c0, c1, c2, c3, k0, k1, n_rounds: constexpr = 10):
    for round in static_range(n_rounds):
        low0 = 0xD2511F53 * c0
        low2 = 0xCD9E8D57 * c2
        high0 = high_product(0xD2511F53, c0)
        high2 = high_product(0xCD9E8D57, c2)
        c0, c1, c2, c3 = high2 ^ c1 ^ k0, low2, high0 ^ c3 ^ k1, low0
        k0 = k0 + 0x9E3779B9
        k1 = k1 + 0xBB67AE85
    return c0, c1, c2, c3


def philox(seed, c0, c1, c2, c3, n_rounds: constexpr = 10):
    key = to_tensor(seed).to(uint64)
    return philox_impl(to_tensor(c0).to(uint32), to_tensor(c1).to(uint32), to_tensor(c2).to(uint32),
                       to_tensor(c3).to(uint32), key.to(uint32), (key >> 32).to(uint32), n_rounds)


def randint4x(seed, offset, n_rounds: constexpr = 10):
    at = to_tensor(offset)
    low = at.to(uint32)
    high = low * 0
    if at.dtype.primitive_bitwidth > 32:
        high = (at >> 32).to(uint32)
    return philox(seed, low, high, low * 0, low * 0, n_rounds)


def randint(seed, offset, n_rounds: constexpr = 10):
    return randint4x(seed, offset, n_rounds)[0]


def uint_to_uniform_float(x):
    y = x.to(int32, bitcast=True)
    return where(y < 0, -y - 1, y) * 4.6566127342e-10


def rand(seed, offset, n_rounds: constexpr = 10):
    return uint_to_uniform_float(randint(seed, offset, n_rounds))


def rand4x(seed, offset, n_rounds: constexpr = 10):
    a, b, c, d = randint4x(seed, offset, n_rounds)
    return (uint_to_uniform_float(a), uint_to_uniform_float(b), uint_to_uniform_float(c),
            uint_to_uniform_float(d))


def pair_uniform_to_normal(u1, u2):
    r = sqrt(-2.0 * log(maximum(1.0e-7, u1)))
    angle = 6.283185307179586 * u2
    return r * cos(angle), r * sin(angle)


def randn(seed, offset, n_rounds: constexpr = 10):
    a, b, c, d = rand4x(seed, offset, n_rounds)
    return pair_uniform_to_normal(a, b)[0]


def randn4x(seed, offset, n_rounds: constexpr = 10):
    a, b, c, d = rand4x(seed, offset, n_rounds)
    p, q = pair_uniform_to_normal(a, b)
    r, s = pair_uniform_to_normal(c, d)
    return p, q, r, s


def swizzle2d(i, j, size_i, size_j, size_g):
    ij = i * size_j + j
    size_gj = size_g * size_j
    group_id = ij // size_gj
    off_i = group_id * size_g
    rows = minimum(size_i - off_i, size_g)
    ij = ij % size_gj
    return off_i + ij % rows, ij // rows
)py";
