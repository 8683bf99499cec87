"""Rounding of floats by format and direction, and exact products, in float64.

A value that float64 cannot hold exactly is rounded to odd first: its last bit says that something was cut off, so that
the second rounding, to fewer bits, is right (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved
algorithms using rounding to odd").
"""

import dataclasses
from fractions import Fraction

import numpy as np

from .types import DTYPES, bits


@dataclasses.dataclass(frozen=True)
class Format:
    """Significant bits with the hidden one, the least exponent of a normal number (of 1.x), the greatest number."""
    precision: int
    least: int
    greatest: float
    has_infinity: bool = True
    nan: int = 0x7FFF


FORMATS = {
    "f64": Format(53, -1022, np.finfo(np.float64).max, nan=0x7FFF_FFFF_FFFF_FFFF),
    "f32": Format(24, -126, float(np.finfo(np.float32).max), nan=0x7FFF_FFFF),
    "tf32": Format(11, -126, (2 - 2.0 ** -10) * 2.0 ** 127, nan=0x7FFF_FFFF),
    "f16": Format(11, -14, 65504.0),
    "bf16": Format(8, -126, (2 - 2.0 ** -7) * 2.0 ** 127),
    "e4m3": Format(4, -6, 448.0, has_infinity=False, nan=0x7F),
    "e5m2": Format(3, -14, 57344.0, nan=0x7F),
}


def small_values(precision, bias, fraction_bits, top):
    """All values of an 8-bit format whose codes from `top` on are no numbers."""
    codes = np.arange(256)
    exponent, fraction = (codes & 127) >> fraction_bits, codes & ((1 << fraction_bits) - 1)
    normal = (1 + fraction / 2.0 ** fraction_bits) * 2.0 ** (exponent - bias)
    value = np.where(exponent == 0, fraction * 2.0 ** (1 - bias - fraction_bits), normal)
    value = np.where(codes & 127 >= top, np.nan, value)
    return np.where(codes & 128, -value, value)


SMALL = {"e4m3": small_values(4, 7, 3, 0x7F), "e5m2": small_values(3, 15, 2, 0x7D)}
SMALL["e5m2"][[0x7C, 0xFC]] = np.inf, -np.inf


def decode(kind, value):
    """The numbers that the bits mean, as float64."""
    if kind in SMALL:
        return SMALL[kind][value]
    if kind == "bf16":
        return (value.astype(np.uint32) << np.uint32(16)).view(np.float32).astype(np.float64)
    if kind == "tf32":
        return (value & np.uint32(0xFFFFE000)).view(np.float32).astype(np.float64)
    return np.ascontiguousarray(value).view(DTYPES[kind]).astype(np.float64)


def encode(kind, value):
    """The bits of float64 numbers that the format has; NaN is the canonical one."""
    if kind in SMALL:
        positive = SMALL[kind][:0x7D if kind == "e5m2" else 0x7F]
        code = np.searchsorted(positive, np.abs(value)).astype(np.uint8)
        code |= np.where(np.signbit(value), 128, 0).astype(np.uint8)
    elif kind in ("bf16", "tf32"):
        code = value.astype(np.float32).view(np.uint32)
        if kind == "bf16":
            code = (code >> np.uint32(16)).astype(np.uint16)
    else:
        code = bits(value.astype(DTYPES[kind]))
    return np.where(np.isnan(value), code.dtype.type(FORMATS[kind].nan), code)


ROUND = {"rn": np.rint, "rz": np.trunc, "rm": np.floor, "rp": np.ceil,
         "rna": lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x)}


def round_to(kind, value, mode="rn", saturates=False):
    """float64 values rounded to a narrower format (PTX ISA, "Rounding Modifiers"): rn to nearest even, rna to nearest
    away from zero, rz, rm, rp towards zero, minus and plus infinity. What saturates ends at the greatest number."""
    form = FORMATS[kind]
    exponent = np.maximum(np.frexp(value)[1] - form.precision, form.least - form.precision + 1)
    result = np.ldexp(ROUND[mode](np.ldexp(value, -exponent)), exponent)
    result = np.where(np.isfinite(value), result, value)
    over = np.abs(result) > form.greatest
    if saturates:
        return np.where(over, np.copysign(form.greatest, value), result)
    if over.any():
        # Directions towards zero stop at the greatest number, unless the value was infinite.
        stops = {"rz": value == value, "rm": value > 0, "rp": value < 0}.get(mode, False) & np.isfinite(value)
        limit = np.where(stops, form.greatest, np.inf if form.has_infinity else np.nan)
        result = np.where(over, np.copysign(limit, value), result)
    return result


def to_odd(value, error):
    """`value`, that misses the exact result by `error`, as the neighbour with an odd last bit."""
    code = value.view(np.int64)
    fix = (error != 0) & (code & 1 == 0) & np.isfinite(value)
    towards = np.where((error > 0) == (value > 0), 1, -1)
    return np.where(fix, code + towards, code).view(np.float64)


def two_sum(a, b):
    """a + b rounded and its error (Knuth)."""
    total = a + b
    rest = total - a
    return total, (a - (total - rest)) + (b - rest)


def two_product(a, b):
    """a * b rounded and its error (Dekker), for numbers far from the ends of the range."""
    split = lambda x: (lambda c: (c - (c - x), x - (c - (c - x))))(x * (2.0 ** 27 + 1))
    product = a * b
    (a1, a2), (b1, b2) = split(a), split(b)
    return product, a2 * b2 - (((product - a1 * b1) - a2 * b1) - a1 * b2)


def sum_to_odd(a, b):
    return to_odd(*two_sum(a, b))


def fma_to_odd(a, b, c):
    """a * b + c for factors of at most 26 bits, whose product is exact in float64."""
    return sum_to_odd(a * b, c)


def integers_to_odd(value):
    """64-bit integers as float64, rounded to odd."""
    high, low = value >> value.dtype.type(32), value & value.dtype.type(0xFFFFFFFF)
    return sum_to_odd(high.astype(np.float64) * 2.0 ** 32, low.astype(np.float64))


def fma64(a, b, c):
    """a * b + c in float64, rounded once: by Boldo and Melquiond's algorithm, at the ends of the range in fractions."""
    product, below = two_product(a, b)
    middle, low = two_sum(c, below)
    high, rest = two_sum(product, middle)
    result = high + sum_to_odd(low, rest)
    size = [np.abs(x) for x in (a, b, c)]
    moderate = np.logical_and.reduce([(x > 2.0 ** -400) & (x < 2.0 ** 400) for x in size])
    result = np.where(moderate, result, a * b + c)
    exact = ~moderate & (a != 0) & (b != 0) & np.isfinite(a) & np.isfinite(b) & np.isfinite(c)
    for n in np.flatnonzero(exact):
        total = Fraction(float(a[n])) * Fraction(float(b[n])) + Fraction(float(c[n]))
        if total:
            try:
                result[n] = total.numerator / total.denominator
            except OverflowError:
                result[n] = np.inf if total > 0 else -np.inf
    return result
