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


def picked(h, v, g, w):
    return h | g, where(h != 0, v, w)


def along(n, axis, rank):
    return reshape(arange(0, n), tuple([n if i == axis else 1 for i in range(rank)]))


def gather(src, index, axis):
    rank = len(src.shape)
    at: constexpr = axis if axis >= 0 else axis + rank
    hit = along(src.shape[at], at, rank + 1) == expand_dims(index, at)
    hit, values = broadcast(hit.to(int32), expand_dims(src, at + 1))
    h, v = reduce((hit, values), at, picked)
    return v


def flip(x, dim=-1):
    rank = len(x.shape)
    at: constexpr = dim if dim >= 0 else dim + rank
    n: constexpr = x.shape[at]
    return gather(x, broadcast_to(n - 1 - along(n, at, rank), x.shape), at)


def ranks(x, descending):
    a = expand_dims(x, -1)
    b = expand_dims(x, -2)
    if descending:
        before = (b > a) | ((b != b) & (a == a))
    else:
        before = (b < a) | ((a != a) & (b == b))
    equal = (a == b) | ((a != a) & (b != b))
    place = arange(0, x.shape[-1])
    before = before | (equal & (place[None, :] < place[:, None]))
    return sum(before.to(int32), axis=-1)


def ordered(x, values, count, descending):
    rank = len(x.shape)
    hit = expand_dims(ranks(x, descending), -1) == arange(0, count)
    hit, wide = broadcast(hit.to(int32), expand_dims(values, -1))
    h, v = reduce((hit, wide), rank - 1, picked)
    return v


def sort(x, dim=None, descending=False):
    if dim is None or dim == -1 or dim == len(x.shape) - 1:
        return ordered(x, x, x.shape[-1], descending)
    order = [len(x.shape) - 1 if i == dim else dim if i == len(x.shape) - 1 else i for i in range(len(x.shape))]
    y = trans(x, order)
    return trans(ordered(y, y, y.shape[-1], descending), order)


def argsort(x, dim=-1, descending=False):
    static_assert(dim == -1 or dim == len(x.shape) - 1, "argsort() sorts the last axis")
    return ordered(x, broadcast_to(arange(0, x.shape[-1]), x.shape), x.shape[-1], descending)


def topk(x, k, dim=None, descending=True):
    static_assert(dim is None or dim == -1 or dim == len(x.shape) - 1, "topk() works along the last axis")
    return ordered(x, x, k, descending)


def histogram(input, num_bins, mask=None):
    hit = input[:, None] == arange(0, num_bins)[None, :]
    if mask is not None:
        hit = hit & mask[:, None]
    return sum(hit.to(int32), axis=0)


def get_int_dtype(bitwidth, signed):
    if bitwidth == 1:
        return int1
    if bitwidth == 8:
        return int8 if signed else uint8
    if bitwidth == 16:
        return int16 if signed else uint16
    if bitwidth == 32:
        return int32 if signed else uint32
    return int64 if signed else uint64


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
    if x.dtype.primitive_bitwidth == 64:
        z = x.to(int64, bitcast=True)
        return where(z < 0, -z - 1, z) * 1.0842020432385337e-19
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
