"""`x.to(type)` of every ordered pair of types, with both roundings and of the bits, at the numbers where one rounds
another way: ties, limits, subnormals, what overflows."""

import math

from formats import ALL, cast, decode, encode, rounded
from kernels import Kernel, Rejected

ROUNDING = 'a rounding is "rtne", or "rtz" of a float to one with fewer bits'
FLOATS = [t for t in ALL if t.is_float]
INTEGERS = [t for t in ALL if t.kind == 1]


def float_edges():
    """Where conversions to each type change their minds."""
    values = [0.5, 0.999, 1.5, 2.5, 3.7, 100.25, 1e-3]
    for t in FLOATS:
        step = 2.0 ** (1 - t.precision)
        tiny = 2.0 ** (t.least - t.precision + 1)
        values += [1 + step / 2, 1 + 3 * step / 2, 1 + step / 2 + step / 64, 1 + 3 * step / 2 - step / 64,
                   t.greatest, t.greatest * (1 + step / 8), t.greatest * (1 + step / 2), 2.0 ** t.least,
                   2.0 ** t.least - tiny, tiny, tiny / 2, 1.5 * tiny, 2.5 * tiny, 0.75 * tiny]
    for t in INTEGERS:
        values += [float(t.high), t.high + 0.5, t.high + 1.0, t.low - 0.5, t.low - 1.0, float(t.low)]
    return values + [-v for v in values] + [0.0, -0.0, math.inf, -math.inf, math.nan]


def int_edges():
    values = [0, 1, 3, 100, 449, 464, 465, 480, 57344, 61439, 61440, 61441, 65504, 65519, 65520, 65521]
    for t in FLOATS:
        values += [2 ** t.precision + k for k in (-1, 0, 1, 2, 3)] + [2 ** (t.precision + 1) + k for k in (1, 2, 3, 6)]
    for t in INTEGERS:
        values += [t.high + k for k in (-1, 0, 1)] + [t.high // 2 + 1]
    return values + [-v for v in values]


def numbers_of(kind):
    """Numbers of a type; all of them where they are few."""
    if kind.bits <= 8:
        return [decode(bits, kind) for bits in range(1 << kind.bits)]
    if kind.is_float:
        values = [rounded(v, kind) for v in float_edges()]
        return list({encode(v, kind): v for v in values}.values())
    return sorted({v for v in int_edges() if kind.low <= v <= kind.high})


def casts():
    """A kernel for each type to convert from.

    rule: cast-fp, cast-rtz, cast-rtz-narrows, cast-fp8-saturates, cast-int, cast-bool, cast-fp-int, cast-int-fp
    rule: cast-bitcast, cast-bitcast-size, type-bool
    """
    for source in ALL:
        values = numbers_of(source)
        kernel = Kernel("from_" + source.name, 1 << (len(values) - 1).bit_length())
        values += [values[0]] * (kernel.lanes - len(values))
        x = kernel.load("x", source, values)
        for to in ALL:
            kernel.check(f"{x}.to({to.name})", to, [cast(v, source, to) for v in values])
            if source.bits == to.bits and source.bits > 1:
                kernel.check(f"{x}.to({to.name}, bitcast=True)", to, [decode(encode(v, source), to) for v in values])
            elif source.bits != to.bits:
                yield Rejected(f"x.to({to.name}, bitcast=True)", {"x": source},
                               f"cannot bitcast {source.name} to {to.name}, which has another size; a cast without "
                               "bitcast=True converts the value")
            narrows = source.is_float and to.is_float and source.bits > to.bits
            toward_zero = f'.to({to.name}, fp_downcast_rounding="rtz")'
            if narrows:
                kernel.check(x + toward_zero, to, [cast(v, source, to, toward_zero=True) for v in values])
            else:
                yield Rejected("x" + toward_zero, {"x": source}, ROUNDING)
        yield kernel
