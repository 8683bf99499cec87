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


def globaltimer():
    return inline_asm_elementwise("mov.u64 $0, %globaltimer;", "=l", [], int64, False, 1)


def smid():
    return inline_asm_elementwise("mov.u32 $0, %smid;", "=r", [], int32, True, 1)


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
    rank: constexpr = len(input.shape)
    at: constexpr = dim + rank if dim < 0 else dim
    static_assert(input.shape == other.shape and 0 <= at and at < rank, "cat() joins tiles of one shape along one of their axes")
    pair = trans(join(input, other), tuple([i if i < at else rank if i == at else i - 1 for i in range(rank + 1)]))
    return reshape(pair, input.shape[:at] + (2 * input.shape[at],) + input.shape[at + 1 :])


def along(n, axis, rank):
    return reshape(arange(0, n), tuple([n if i == axis else 1 for i in range(rank)]))


def flipped(x, at: constexpr):
    n: constexpr = x.shape[at]
    return gather(x, broadcast_to(n - 1 - along(n, at, len(x.shape)), x.shape), at)


def goes_before(a, b, descending: constexpr):
    if descending:
        return (a > b) | ((a != a) & (b == b))
    return (a < b) | ((b != b) & (a == a))


def sorted_pairs(x, descending: constexpr, with_places: constexpr):
    """Sorts the last axis (Batcher's bitonic network on the next power of two)
    and gives the places too, if wanted. What the axis lacks goes behind everything;
    equal elements keep their order if their places are sorted along."""
    n: constexpr = x.shape[-1]
    size: constexpr = next_power_of_2(n)
    rank: constexpr = len(x.shape)
    line = along(size, rank - 1, rank)
    shape: constexpr = x.shape[:-1] + (size,)
    place = broadcast_to(minimum(line, n - 1), shape)
    if n != size:
        behind = broadcast_to((line >= n).to(int32), shape)
        x = gather(x, place, -1)
    for block in static_range(1, _log2(size) + 1):
        for step in static_range(block):
            distance: constexpr = 2 ** (block - 1 - step)
            other = broadcast_to(line ^ distance, shape)
            y = gather(x, other, -1)
            mine = goes_before(x, y, descending)
            theirs = goes_before(y, x, descending)
            if with_places:
                p = gather(place, other, -1)
                tie = (mine == 0) & (theirs == 0)
                mine = mine | (tie & (place < p))
                theirs = theirs | (tie & (p < place))
            if n != size:
                q = gather(behind, other, -1)
                mine = (behind < q) | ((behind == q) & mine)
                theirs = (q < behind) | ((behind == q) & theirs)
            # Blocks run up and down in turn; the lower of two places takes the
            # element that goes first where its block runs up.
            first = ((line & distance) == 0) == ((line & 2 ** block) == 0)
            keep = where(first, theirs == 0, mine == 0)
            x = where(keep, x, y)
            if with_places:
                place = where(keep, place, p)
            if n != size:
                behind = where(keep, behind, q)
    return x, place


def taken(x, count: constexpr):
    rank: constexpr = len(x.shape)
    if count == x.shape[-1]:
        return x
    return gather(x, broadcast_to(along(count, rank - 1, rank), x.shape[:-1] + (count,)), -1)


def turned(x, at: constexpr):
    rank: constexpr = len(x.shape)
    if at == rank - 1:
        return x
    return trans(x, [rank - 1 if i == at else at if i == rank - 1 else i for i in range(rank)])


def first_along(x, count: constexpr, at: constexpr, descending: constexpr):
    y, place = sorted_pairs(turned(x, at), descending, False)
    return turned(taken(y, count), at)


def sorted_along(x, at: constexpr, descending: constexpr):
    return first_along(x, x.shape[at], at, descending)


def sorted_places_along(x, at: constexpr, descending: constexpr):
    z = turned(x, at)
    y, place = sorted_pairs(z, descending, True)
    return turned(taken(place, z.shape[-1]), at)


def unpacked(x):
    """Numbers of four bits (e2m1), two in a byte, the low bits first."""
    pair = join(x & 15, x >> 4)
    bits = reshape(pair, x.shape[:-1] + (2 * x.shape[-1],)).to(int32)
    size = bits & 7
    value = where(size < 2, size.to(float32) * 0.5,
                  (((size >> 1) + 126 << 23) | ((size & 1) << 22)).to(float32, bitcast=True))
    return where(bits > 7, -value, value)


def scaled_operand(x, scale, format: constexpr):
    """An operand of dot_scaled with K along its last axis, in bf16 (fp16 stays)."""
    if format == "e2m1":
        value = unpacked(x).to(bfloat16)
    elif format == "e4m3":
        value = x.to(float8e4nv, bitcast=True).to(bfloat16)
    elif format == "e5m2":
        value = x.to(float8e5, bitcast=True).to(bfloat16)
    else:
        static_assert(format == "bf16" or format == "fp16", "formats of dot_scaled are e2m1, e4m3, e5m2, bf16 and fp16")
        value = x
    if scale is None:
        return value
    exponent = scale.to(uint8, bitcast=True).to(int32)
    # 2 ** (exponent - 127), a denormal for 0, NaN for 255.
    bits = where(exponent == 0, 0x400000, where(exponent == 255, 0x7FC00000, exponent << 23))
    group: constexpr = value.shape[-1] // scale.shape[-1]
    wide = broadcast_to(expand_dims(bits, -1), scale.shape + (group,))
    factor = reshape(wide, value.shape).to(float32, bitcast=True)
    return (value.to(float32) * factor).to(value.dtype)


def dot_scaled(lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, acc=None, fast_math=False,
               lhs_k_pack=True, rhs_k_pack=True, out_dtype=float32):
    static_assert(lhs_k_pack and rhs_k_pack, "dot_scaled() takes numbers of four bits packed along K")
    a = scaled_operand(lhs, lhs_scale, lhs_format)
    b = trans(scaled_operand(trans(rhs), rhs_scale, rhs_format))
    if a.dtype != b.dtype:
        a = a.to(bfloat16)
        b = b.to(bfloat16)
    return dot(a, b, acc=acc, out_dtype=out_dtype)


def from_e4b15(x):
    bits = x.to(uint16)
    return (((bits & 0x80) << 8) | ((bits & 0x7F) << 7)).to(float16, bitcast=True)


def to_e4b15(x):
    """At most 1.875; halves are rounded away from zero."""
    bits = x.to(uint16, bitcast=True)
    size = minimum(bits & 0x7FFF, 0x3F80)
    return (((bits >> 8) & 0x80) | ((size + 0x40) >> 7)).to(uint8)


def bitonic_merge(x, dim=None, descending=False):
    return sort(x, dim, descending)


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


def high_word(x, y, is_signed: constexpr):
    """The high half of a product of 128 bits, from four of 64."""
    a = x.to(uint64, bitcast=True)
    b = y.to(uint64, bitcast=True)
    a_low = a & 0xFFFFFFFF
    b_low = b & 0xFFFFFFFF
    left = (a >> 32) * b_low
    right = a_low * (b >> 32)
    middle = (a_low * b_low >> 32) + (left & 0xFFFFFFFF) + (right & 0xFFFFFFFF)
    high = (a >> 32) * (b >> 32) + (left >> 32) + (right >> 32) + (middle >> 32)
    if is_signed:
        high = high - where(x < 0, b, 0) - where(y < 0, a, 0)
    return high.to(x.dtype, bitcast=True)


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
