"""The number types of the language, their values, and conversions between them by definition.

Written from the rules of docs/LanguageRules.md alone, so that it can judge both engines. A value is a Python integer
or float; floats of all formats are exact in float64. In files its bits are kept as `Type.stored`.
"""

import dataclasses
import math
from fractions import Fraction

import numpy as np


@dataclasses.dataclass(frozen=True)
class Type:
    name: str
    bits: int
    kind: int                   # 0 Boolean, 1 integer, 2 float
    signed: bool
    stored: type                # NumPy's type of its bytes
    precision: int = 0          # significant bits, the hidden one counted
    least: int = 0              # exponent of the least normal number
    greatest: float = math.inf  # greatest finite number
    saturates: bool = False

    @property
    def is_float(self):
        return self.kind == 2

    @property
    def low(self):
        return -(1 << self.bits - 1) if self.signed else 0

    @property
    def high(self):
        return (1 << self.bits - self.signed) - 1

    @property
    def is_small(self):
        """An 8-bit float?"""
        return self.is_float and self.bits == 8


def integer(bits, signed):
    dtype = getattr(np, f"{'' if signed else 'u'}int{bits}")
    return Type(f"{'' if signed else 'u'}int{bits}", bits, 1, signed, dtype)


ALL = [Type("int1", 1, 0, False, np.uint8)]
ALL += [integer(bits, signed) for signed in (True, False) for bits in (8, 16, 32, 64)]
ALL += [
    Type("fp8e4nv", 8, 2, True, np.uint8, 4, -6, 448.0, True),
    Type("fp8e5", 8, 2, True, np.uint8, 3, -14, 57344.0, True),
    Type("fp16", 16, 2, True, np.uint16, 11, -14, 65504.0),
    Type("bf16", 16, 2, True, np.uint16, 8, -126, (2 - 2.0 ** -7) * 2.0 ** 127),
    Type("fp32", 32, 2, True, np.uint32, 24, -126, (2 - 2.0 ** -23) * 2.0 ** 127),
    Type("fp64", 64, 2, True, np.uint64, 53, -1022, float(np.finfo(np.float64).max)),
]
NAMED = {t.name: t for t in ALL}


def rounded(value, to, toward_zero=False):
    """A number (Python's, or a Fraction) in a float format: to nearest, ties to even, or toward zero."""
    if isinstance(value, float) and (math.isnan(value) or value == 0):
        return value
    sign = -1.0 if value < 0 else 1.0
    overflow = to.greatest if to.saturates else math.inf
    if isinstance(value, float) and math.isinf(value):
        return sign * overflow
    exact = abs(Fraction(value))
    if not exact:
        return 0.0
    exponent = exact.numerator.bit_length() - exact.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > exact
    unit = Fraction(2) ** (max(exponent, to.least) - to.precision + 1)
    count, rest = divmod(exact, unit)
    if not toward_zero and (2 * rest > unit or 2 * rest == unit and count % 2):
        count += 1
    if count * unit > Fraction(to.greatest):
        return sign * (to.greatest if toward_zero else overflow)
    return sign * float(count * unit)


def wrapped(value, to):
    """An integer modulo 2^bits, in the range of the type."""
    value &= (1 << to.bits) - 1
    return value - (1 << to.bits) if to.signed and value >> to.bits - 1 else value


def cast(value, source, to, toward_zero=False):
    """`value.to(type)`. Float to integer saturates and takes NaN to 0, where Triton leaves it open."""
    if source == to:
        return value
    if to.kind == 0:
        return int(value != 0)
    if not source.is_float:
        if not to.is_float:
            return wrapped(value, to)
        # bf16 and the 8-bit formats are reached through fp32.
        if to.name == "bf16" or to.is_small:
            value = rounded(value, NAMED["fp32"])
        return rounded(value, to)
    if to.is_float:
        return rounded(value, to, toward_zero)
    if math.isnan(value):
        return 0
    return int(max(to.low, min(to.high, math.trunc(value) if math.isfinite(value) else
                               (to.high if value > 0 else to.low))))


def decode(bits, kind):
    """The value that the bits mean."""
    bits = int(bits)
    if not kind.is_float:
        return wrapped(bits, kind) if kind.bits > 1 else bits & 1
    fraction_bits = kind.precision - 1
    exponent_bits = kind.bits - 1 - fraction_bits
    fraction = bits & (1 << fraction_bits) - 1
    exponent = bits >> fraction_bits & (1 << exponent_bits) - 1
    sign = -1.0 if bits >> kind.bits - 1 else 1.0
    top = exponent == (1 << exponent_bits) - 1
    if kind.name == "fp8e4nv":
        if top and fraction == 7:
            return math.nan
    elif top:
        return math.nan if fraction else sign * math.inf
    if exponent == 0:
        return sign * math.ldexp(fraction, kind.least - fraction_bits)
    return sign * math.ldexp(fraction + (1 << fraction_bits), exponent - 1 + kind.least - fraction_bits)


def encode(value, kind):
    """The bits of a value of the type; NaN is a quiet one."""
    if not kind.is_float:
        return value & (1 << kind.bits) - 1
    fraction_bits = kind.precision - 1
    infinity = ((1 << kind.bits - 1 - fraction_bits) - 1) << fraction_bits
    if math.isnan(value):
        return infinity | (7 if kind.name == "fp8e4nv" else 1 << fraction_bits - 1)
    sign = (math.copysign(1, value) < 0) << kind.bits - 1
    value = abs(value)
    if math.isinf(value):
        return sign | infinity
    if value == 0:
        return sign
    exponent = max(math.frexp(value)[1] - 1, kind.least)
    units = int(math.ldexp(value, fraction_bits - exponent))
    return sign | ((exponent - kind.least) << fraction_bits) + units


def to_file(values, kind):
    bits = np.array([encode(v, kind) for v in values], np.uint64).astype(kind.stored)
    # NumPy has these floats; of the others it keeps the bits.
    return bits.view(kind.name.replace("fp", "float")) if kind.name in ("fp16", "fp32", "fp64") else bits


def from_file(array, kind):
    bits = array.reshape(-1).view(kind.stored)
    return [decode(b, kind) for b in bits]


def same(a, b):
    """Equal, with the sign of 0; all NaN are one."""
    if isinstance(a, float) and isinstance(b, float):
        return math.isnan(a) and math.isnan(b) or a == b and math.copysign(1, a) == math.copysign(1, b)
    return a == b
