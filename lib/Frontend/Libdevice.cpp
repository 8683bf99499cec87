//===- Libdevice.cpp - the device library in the language -----------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// What the device's mathematical library has beyond the operations of `math`,
// said in the language and seen as `libdevice.NAME`. Both engines run the same
// formulas.
//
//===----------------------------------------------------------------------===//

#include "Session.h"

const char *const tilec::frontend::libdeviceText = R"py(
# Exponentials and logarithms.


def exp10(x):
    high: constexpr = 3.321928094887362 if x.dtype == float64 else 3.321928024291992
    low: constexpr = 1.661617516973592e-16 if x.dtype == float64 else 7.0595370e-08
    y = x * high
    rest = fma(x, high, -y) + x * low
    power = libdevice.exp2(y)
    # 2 ** (y + rest); 0, what overflows and what is no number stay.
    return where((power > 0) & (power < inf), fma(power, rest * 0.6931471805599453, power), power)


def fast_exp10f(x):
    return exp2(x * 3.321928094887362)


def fast_log10f(x):
    return log2(x) * 0.3010299956639812


def fast_tanf(x):
    return libdevice.fast_dividef(sin(x), cos(x))


def normcdf_of(x):
    # The product's rest, by the slope of erfc.
    y = x * -0.7071067811865476
    rest = fma(x, -0.7071067811865476, -y) + x * 4.833646656726457e-17
    half = 0.5 * libdevice.erfc(y)
    slope = 0.5641895835477563 * libdevice.exp(-y * y)
    return where(abs(y) < 40.0, half - slope * rest, half)


def normcdf(x):
    if x.dtype == float64:
        return normcdf_of(x)
    return normcdf_of(x.to(float64)).to(float32)


def rcbrt(x):
    return div_rn(1.0, libdevice.cbrt(x))


# Lengths.


def scaled_norm(a, b, c, d):
    """The greatest of four numbers, and the square root of the sum of the squares
    of all over it; a length that is infinite is the first, times 1, and one that
    is 0 or no number the first, 0, times 1 or no number."""
    a, b, c, d = abs(a), abs(b), abs(c), abs(d)
    whole = a + b + (c + d)
    most = maximum(maximum(a, b), maximum(c, d))
    plain = (most == 0) | (most == inf)
    by = where(plain, 1.0, most)
    a, b, c, d = div_rn(a, by), div_rn(b, by), div_rn(c, by), div_rn(d, by)
    return most, where(plain, where(most == 0, 1.0 + whole, 1.0), sqrt_rn(fma(a, a, fma(b, b, fma(c, c, d * d)))))


def norm4d(x, y, z, w):
    most, root = scaled_norm(x, y, z, w)
    return most * root


def norm3d(x, y, z):
    return norm4d(x, y, z, z * 0)


def hypot(x, y):
    return norm4d(x, y, y * 0, y * 0)


def rnorm4d(x, y, z, w):
    # The length itself may overflow where this does not vanish.
    most, root = scaled_norm(x, y, z, w)
    return div_rn(div_rn(1.0, root), most)


def rnorm3d(x, y, z):
    return rnorm4d(x, y, z, z * 0)


def rhypot(x, y):
    return rnorm4d(x, y, y * 0, y * 0)


# Angles in multiples of pi.


def turned_sine(x, quarters: constexpr):
    """sin(pi * (x + quarters / 2))."""
    turn = x - 2 * libdevice.rint(x * 0.5)
    quarter = libdevice.rint(turn * 2)
    angle = fma(quarter, -0.5, turn) * 3.141592653589793
    n = where(x == x, quarter, 0.0).to(int32) + quarters
    value = where((n & 1) == 0, libdevice.sin(angle), libdevice.cos(angle))
    return where((n & 2) == 0, value, -value)


def sinpi(x):
    return where(x == libdevice.trunc(x), x * 0, turned_sine(x, 0))


def cospi(x):
    return turned_sine(x, 1) + 0.0


# Parts of a number.


def bits_of(x):
    return x.to(int64 if x.dtype == float64 else int32, bitcast=True)


def signbit(x):
    return bits_of(x) < 0


def exponent_of(x):
    """The exponent of a finite number other than 0, as an int32."""
    width: constexpr = 52 if x.dtype == float64 else 23
    mask: constexpr = 2047 if x.dtype == float64 else 255
    small = ((bits_of(x) >> width) & mask) == 0
    scaled = where(small, x * 2.0**60, x)
    field = ((bits_of(scaled) >> width) & mask).to(int32)
    return field - mask // 2 - where(small, 60, 0)


def ilogb(x):
    usual = (abs(x) < inf) & (x != 0)
    return where(usual, exponent_of(x), where(abs(x) == inf, 2147483647, -2147483647 - 1))


def logb(x):
    usual = (abs(x) < inf) & (x != 0)
    return where(usual, exponent_of(x).to(x.dtype), where(x == 0, -inf, x * x))


def power_of_two(n, dtype: constexpr):
    if dtype == float64:
        return ((n + 1023).to(int64) << 52).to(float64, bitcast=True)
    return (n + 127 << 23).to(float32, bitcast=True)


def ldexp(x, n):
    # The number without its exponent is scaled in two steps, of which the last
    # alone may round.
    most: constexpr = 1100 if x.dtype == float64 else 160
    width: constexpr = 52 if x.dtype == float64 else 23
    e = exponent_of(x)
    small = e < (-1022 if x.dtype == float64 else -126)
    scaled = where(small, x * 2.0**60, x)
    shift = where(small, e + 60, e)
    fraction = (bits_of(scaled) - (shift.to(bits_of(x).dtype) << width)).to(x.dtype, bitcast=True)
    total = minimum(maximum(minimum(maximum(n, -5000), 5000) + e, -most), most)
    first = total >> 1
    result = fraction * power_of_two(first, x.dtype) * power_of_two(total - first, x.dtype)
    return where((abs(x) < inf) & (x != 0), result, x + x)


def scalbn(x, n):
    return ldexp(x, n)


def nextafter(x, y):
    step = where((x < y) == (x > 0), 1, -1)
    bits = bits_of(x)
    moved = (bits + step.to(bits.dtype)).to(x.dtype, bitcast=True)
    least = to_tensor(1).to(bits.dtype).to(x.dtype, bitcast=True)
    moved = where(x == 0, libdevice.copysign(least + x * 0, y), moved)
    return where((x != x) | (y != y), x + y, where(x == y, y, moved))


# Remainders and rounding.


def remainder(x, y):
    b = abs(y)
    a = libdevice.fmod(abs(x), b + b)
    once = where(a + a > b, a - b, a)
    twice = where((a + a > b) & (once + once >= b), once - b, once)
    return where(signbit(x), -twice, twice)


def fdim(x, y):
    return where(x <= y, 0.0, x - y)


def saturatef(x):
    return minimum(maximum(x, 0.0), 1.0)


def llrint(x):
    return libdevice.rint(x).to(int64)


def llround(x):
    return libdevice.round(x).to(int64)


# Arithmetic that is rounded in a direction: the nearest number, moved by one where
# what rounding took away says so.


def moved_toward(nearest, rest, finite, direction: constexpr):
    """The neighbour of the nearest result that the direction asks for; `rest` is what
    the exact one has beyond it. That of `finite` operands is not infinite."""
    rest = where(finite & (abs(nearest) == inf), -nearest, rest)
    if direction == "d":
        below = rest < 0
        above = rest > inf
    elif direction == "u":
        below = rest > inf
        above = rest > 0
    elif direction == "n":
        return nearest
    else:
        below = (rest < 0) & (nearest > 0)
        above = (rest > 0) & (nearest < 0)
    bound = where(below, -inf, inf)
    return where(below | above, nextafter(nearest, bound.to(nearest.dtype)), nearest)


def add_toward(x, y, direction: constexpr):
    total = x + y
    part = total - x
    finite = (abs(x) < inf) & (abs(y) < inf)
    return moved_toward(total, (x - (total - part)) + (y - part), finite, direction)


def sub_toward(x, y, direction: constexpr):
    return add_toward(x, -y, direction)


def mul_toward(x, y, direction: constexpr):
    if x.dtype == float32:
        return double2float_toward(x.to(float64) * y.to(float64), direction)
    product = x * y
    if direction == "n":
        return product
    finite = (abs(x) < inf) & (abs(y) < inf)
    return moved_toward(product, libdevice.exact_rest(x, y, x * 0, product), finite, direction)


def product_and(x, y, z):
    """x * y + z, at least its sign."""
    if x.dtype == float64:
        return libdevice.exact_rest(x, y, z, z * 0)
    return fma(x.to(float64), y.to(float64), z.to(float64))


def div_toward(x, y, direction: constexpr):
    quotient = div_rn(x, y)
    if direction == "n":
        return quotient
    rest = product_and(-quotient, y, x)
    return moved_toward(quotient, where(y < 0, -rest, rest), (abs(x) < inf) & (y != 0), direction)


def rcp_toward(x, direction: constexpr):
    return div_toward(x * 0 + 1.0, x, direction)


def sqrt_toward(x, direction: constexpr):
    root = sqrt_rn(x)
    if direction == "n":
        return root
    return moved_toward(root, product_and(-root, root, x), x < inf, direction)


def double2float_toward(x, direction: constexpr):
    nearest = x.to(float32)
    return moved_toward(nearest, x - nearest.to(float64), abs(x) < inf, direction)


def int2float_toward(x, direction: constexpr):
    return double2float_toward(x.to(float64), direction)


def uint2float_toward(x, direction: constexpr):
    return double2float_toward(x.to(float64), direction)


def rsqrt_rn(x):
    return div_rn(1.0, sqrt_rn(x.to(float64))).to(float32)


def int2double_rn(x):
    return x.to(float64)


def uint2double_rn(x):
    return x.to(float64)


# Integers.


def hadd(x, y):
    return (x & y) + ((x ^ y) >> 1)


def rhadd(x, y):
    return (x | y) - ((x ^ y) >> 1)


def sad(x, y, z):
    return where(x > y, x - y, y - x) + z


def mul24(x, y):
    return (x << 8 >> 8) * (y << 8 >> 8)


def brev(x):
    width: constexpr = x.dtype.primitive_bitwidth
    bits = x.to(uint64 if width == 64 else uint32, bitcast=True)
    mask: constexpr = 2**width - 1
    bits = ((bits >> 1) & (0x5555555555555555 & mask)) | ((bits & (0x5555555555555555 & mask)) << 1)
    bits = ((bits >> 2) & (0x3333333333333333 & mask)) | ((bits & (0x3333333333333333 & mask)) << 2)
    bits = ((bits >> 4) & (0x0F0F0F0F0F0F0F0F & mask)) | ((bits & (0x0F0F0F0F0F0F0F0F & mask)) << 4)
    bits = ((bits >> 8) & (0x00FF00FF00FF00FF & mask)) | ((bits & (0x00FF00FF00FF00FF & mask)) << 8)
    bits = ((bits >> 16) & (0x0000FFFF0000FFFF & mask)) | ((bits & (0x0000FFFF0000FFFF & mask)) << 16)
    if width == 64:
        bits = (bits >> 32) | (bits << 32)
    return bits.to(x.dtype, bitcast=True)


def byte_perm(x, y, s):
    pair = (y.to(uint32, bitcast=True).to(uint64) << 32) | x.to(uint32, bitcast=True).to(uint64)
    result = s.to(uint32) * 0
    for i in static_range(4):
        byte = (pair >> (((s >> (4 * i)) & 7) * 8).to(uint64)) & 255
        result = result | (byte.to(uint32) << (8 * i))
    return result.to(x.dtype, bitcast=True)


# Bits and conversions.


def int_as_float(x):
    return x.to(float32, bitcast=True)


def uint_as_float(x):
    return x.to(float32, bitcast=True)


def float_as_int(x):
    return x.to(int32, bitcast=True)


def float_as_uint(x):
    return x.to(uint32, bitcast=True)


def longlong_as_double(x):
    return x.to(float64, bitcast=True)


def double_as_longlong(x):
    return x.to(int64, bitcast=True)


def hiloint2double(x, y):
    low = y.to(uint32, bitcast=True).to(int64)
    return ((x.to(int64) << 32) | low).to(float64, bitcast=True)


def double2hiint(x):
    return (x.to(int64, bitcast=True) >> 32).to(int32)


def double2loint(x):
    return x.to(int64, bitcast=True).to(int32)
)py";
