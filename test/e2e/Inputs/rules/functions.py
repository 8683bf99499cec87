"""Functions and unary operators on every type, where their results are exact; casts one after the other; constants."""

import math

from casts import numbers_of
from formats import ALL, NAMED, cast, rounded, wrapped
from kernels import LANES, Kernel, Rejected
from operators import edges, literal_type

WIDE = {"bf16": "fp32"}  # what compares as another type


def numbers(kind, turn):
    """LANES numbers without -0, whose order and 0's functions leave open, and without infinities of 8-bit floats."""
    plain = [v for v in edges(kind) if not kind.is_float or math.copysign(1, v) > 0 or v]
    plain = [v for v in plain if not kind.is_small or math.isfinite(v)]
    return [plain[(lane * (2 * turn + 1) + lane // len(plain)) % len(plain)] for lane in range(LANES)]


def is_nan(value):
    return isinstance(value, float) and math.isnan(value)


def larger(x, y, sign=1, keeps_nan=False):
    if is_nan(x) or is_nan(y):
        return math.nan if keeps_nan or is_nan(x) and is_nan(y) else y if is_nan(x) else x
    return x if x * sign >= y * sign else y


def add_unary(kernel, x, kind, xs):
    """rule: op-neg, op-invert, op-and-or, fn-arithmetic"""
    integer = not kind.is_float
    kernel.check(f"-{x}", kind, [wrapped(-v, kind) if integer and kind.kind else v if integer else -v for v in xs])
    kernel.check(f"+{x}", kind, xs)
    kernel.check(f"not {x}", NAMED["int1"], [int(v == 0) for v in xs])
    kernel.check(f"abs({x})", kind, [wrapped(abs(v), kind) if integer and kind.kind else abs(v) for v in xs])
    if integer:
        kernel.check(f"~{x}", kind, [wrapped(~v, kind) if kind.kind else 1 - v for v in xs])
    if kind.name in ("fp32", "fp64"):
        finite = lambda f: [float(f(v)) if math.isfinite(v) else v for v in xs]
        kernel.check(f"floor({x})", kind, finite(math.floor))
        kernel.check(f"ceil({x})", kind, finite(math.ceil))
        # The root in fp64, rounded once more, is the rounded root (24 of 53 bits).
        kernel.check(f"sqrt_rn({x})", kind, [
            v if is_nan(v) or v == math.inf else rounded(math.sqrt(v), kind) if v >= 0 else math.nan for v in xs])


def add_binary(kernel, x, y, kind, xs, ys):
    """rule: fn-maximum, fn-where, fn-umulhi, op-min-max"""
    wide = NAMED[WIDE.get(kind.name, kind.name)]
    for name, sign in (("maximum", 1), ("minimum", -1)):
        kernel.check(f"{name}({x}, {y})", wide, [larger(a, b, sign) for a, b in zip(xs, ys)])
        kernel.check(f"{name[:3]}({x}, {y})", wide, [larger(a, b, sign) for a, b in zip(xs, ys)])
        if kind.is_float:
            kernel.check(f"{name}({x}, {y}, propagate_nan=PropagateNan.ALL)", wide,
                         [larger(a, b, sign, True) for a, b in zip(xs, ys)])
    kernel.check(f"where({x} < {y}, {x}, {y})", kind, [a if a < b else b for a, b in zip(xs, ys)])
    if kind.kind == 1 and kind.bits >= 32:
        high = 1 << kind.bits
        kernel.check(f"umulhi({x}, {y})", kind,
                     [wrapped((a % high) * (b % high) >> kind.bits, kind) for a, b in zip(xs, ys)])


def add_extremes(kernel, x, kind, xs):
    """rule: fn-max, fn-sort"""
    narrow = NAMED["fp32" if kind.is_float else "int32"] if kind.bits < 32 else kind
    wide = NAMED[WIDE.get(kind.name, kind.name)]
    values = [v for v in xs if not is_nan(v)]
    for name, best in (("max", max(values)), ("min", min(values))):
        kernel.check(f"{name}({x}, axis=0)", narrow, [cast(best, kind, narrow)] * LANES)
        kernel.check(f"{name}({x}, axis=0, return_indices=True)[0]", wide, [cast(best, kind, wide)] * LANES)
        places = [lane for lane, v in enumerate(xs) if v == best]
        kernel.check(f"arg{name}({x}, axis=0)", NAMED["int32"], [places[0]] * LANES)
        kernel.check(f"arg{name}({x}, axis=0, tie_break_left=False)", NAMED["int32"], [places[-1]] * LANES)
    order = sorted(values) + [math.nan] * (LANES - len(values))
    kernel.check(f"sort({x})", kind, order)
    kernel.check(f"sort({x}, descending=True)", kind, order[::-1])


def add_sums(kernel, kind, xs):
    """rule: fn-sum, fn-scan, fn-xor-sum"""
    if kind.is_float:  # whose sums in any order are exact
        xs = [float([1, 0, 2, 0, -1, 0, 0, 0][lane % 8] * (lane < 24)) for lane in range(LANES)]
    wide = kind if kind.bits >= 32 else NAMED["int32" if kind.signed else "uint32"]
    wide = NAMED[WIDE.get(kind.name, kind.name)] if kind.is_float else wide
    add = (lambda v: v) if kind.is_float else (lambda v: wrapped(v, wide))
    x = kernel.load("s", kind, xs)
    kernel.check(f"sum({x}, axis=0)", wide, [add(sum(xs))] * LANES)
    kernel.check(f"cumsum({x}, axis=0)", wide, [add(sum(xs[:lane + 1])) for lane in range(LANES)])
    kernel.check(f"cumsum({x}, axis=0, reverse=True)", wide, [add(sum(xs[lane:])) for lane in range(LANES)])
    kernel.check(f"sum({x}, axis=0, dtype=int64)", NAMED["int64"],
                 [wrapped(int(sum(xs)), NAMED["int64"])] * LANES)
    if not kind.is_float:
        odd = 0
        for v in xs:
            odd ^= v
        kernel.check(f"xor_sum({x}, axis=0)", kind, [odd] * LANES)
        any_bit = 0
        for v in xs:
            any_bit |= v
        kernel.check(f"reduce_or({x}, axis=0)", kind, [any_bit] * LANES)


def functions():
    for kind in ALL:
        kernel, xs, ys = Kernel("of_" + kind.name), numbers(kind, 0), numbers(kind, 1)
        x, y = kernel.load("x", kind, xs), kernel.load("y", kind, ys)
        add_unary(kernel, x, kind, xs)
        add_binary(kernel, x, y, kind, xs, ys)
        add_extremes(kernel, x, kind, xs)
        add_sums(kernel, kind, xs)
        yield kernel
        if kind.is_float:
            yield Rejected("~x", {"x": kind}, f"'~' needs integers, got {kind.name}")


def chains():
    """Two casts, one after the other: what the first one loses stays lost."""
    for source in ALL:
        values = numbers_of(source)
        values = [values[lane * len(values) // LANES] for lane in range(LANES)]
        kernel = Kernel("chain_" + source.name)
        x = kernel.load("x", source, values)
        for middle in ALL:
            for to in ALL:
                if middle not in (source, to):
                    kernel.check(f"{x}.to({middle.name}).to({to.name})", to,
                                 [cast(cast(v, source, middle), middle, to) for v in values])
        yield kernel


def constants():
    """Numbers as tiles of a type, and as values that are cast.

    rule: literal-bool, literal-int, literal-float, literal-cast, fn-create, cast-fp
    """
    everything = [True, 0, 1, -1, 100, 127, 255, 448, 464, 465, 480, 2049, 2051, 65504, 65520, (1 << 24) + 1, (1 << 31) - 1,
                  1 << 31, (1 << 53) + 1, (1 << 63) - 1, 0.1, -2.5, 0.7, 1e-3, 1.0009765625e-7, 1e10, 1e-40, 1e39, 1e-310]
    for kind in ALL:
        kernel = Kernel("constant_" + kind.name)
        for number in everything:
            literal = literal_type(number)
            value = rounded(number, literal) if literal.is_float else int(number)
            if not kind.is_float and not (kind.low if kind.kind else -1 << 63) <= value <= (kind.high if kind.kind else 1 << 63):
                continue
            kernel.check(f"to_tensor({number}).to({kind.name})", kind, [cast(value, literal, kind)] * LANES)
            kernel.check(f"cast({number}, {kind.name})", kind, [cast(value, literal, kind)] * LANES)
            # A tile of a number is made in its type at once.
            plain = number if literal.is_float else int(number)
            kernel.check(f"full(({LANES},), {number}, {kind.name})", kind,
                         [cast(plain, NAMED["fp64"] if literal.is_float else literal, kind)] * LANES)
        yield kernel
