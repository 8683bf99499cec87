"""Binary operators on every ordered pair of types, and on every type with Python's numbers on either side.

The type of each result and its value, or the message where there is none, come from the rules of docs/LanguageRules.md.
"""

import math
from fractions import Fraction

from formats import ALL, NAMED, cast, rounded, wrapped
from kernels import LANES, Kernel, Rejected

ARITHMETIC, DIVISION, BITS = ["+", "-", "*"], ["/", "//", "%"], ["&", "|", "^", "<<", ">>"]
COMPARISONS = ["<", "<=", ">", ">=", "==", "!="]
OPERATORS = ARITHMETIC + DIVISION + BITS + COMPARISONS
# Literals of each kind and type: Boolean, int32, int32 that narrow types have not, uint32, int64, uint64, fp32, fp64.
NUMBERS = [True, 3, -3, 200, 70000, 1 << 31, 1 << 33, 1 << 63, 0.5, -2.5, 1e39, 1e-40]
MIXED = "cannot divide {a} and {b}, one signed and one unsigned; cast one of them with .to()"


# ===-- The rules --------------------------------------------------------------===#


def literal_type(number):
    """rule: literal-bool, literal-int, literal-float"""
    if isinstance(number, bool):
        return NAMED["int1"]
    if isinstance(number, int):
        return next(t for t in (NAMED[n] for n in ("int32", "uint32", "int64", "uint64")) if t.low <= number <= t.high)
    small = number == 0 or not math.isfinite(number) or 2.0 ** -126 <= abs(number) <= NAMED["fp32"].greatest
    return NAMED["fp32" if small else "fp64"]


def promote(a, b, divides, number=None):
    """The common type of two types, or the message where there is none. `number` is 0 or 1 if this side is one."""
    # rule: promotion-number, promotion-number-kind
    if number is not None:
        scalar, tensor = (a, b) if number == 0 else (b, a)
        if scalar.kind <= tensor.kind:
            return NAMED["fp32"] if divides and tensor.name in ("fp16", "bf16") else tensor
    names = {a.name, b.name}
    # rule: promotion-fp64, promotion-fp32
    for wide in ("fp64", "fp32"):
        if wide in names:
            return NAMED[wide]
    # rule: promotion-fp16
    if "fp16" in names:
        return NAMED["fp32" if divides else "fp16"]
    # rule: promotion-bf16, promotion-bf16-other
    if names == {"bf16"}:
        return NAMED["fp32" if divides else "bf16"]
    if "bf16" in names:
        return NAMED["fp32"]
    # rule: promotion-fp8, promotion-fp8-int
    if a.is_small and b.is_small:
        return a if a == b else NAMED["fp16"]
    if a.is_small or b.is_small:
        return f"no common type for {a.name} and {b.name}; cast one of them with .to()"
    # rule: promotion-int-sign, promotion-int-mixed, promotion-division-sign
    if a.signed == b.signed:
        return a if a.bits > b.bits else b
    if divides:
        return MIXED.format(a=a.name, b=b.name)
    unsigned, signed = (b, a) if a.signed else (a, b)
    return unsigned if unsigned.bits >= signed.bits else signed


def result_type(op, a, b, number=None, value=None):
    """(the type that the operands get, that of the result), or a message."""
    common = promote(a, b, op in DIVISION, number)
    if isinstance(common, str):
        return common
    # rule: promotion-range, promotion-negative
    if value is not None and not common.is_float and not isinstance(value, float):
        if not common.low <= value <= common.high:
            return f"the number {value} does not fit in {common.name}; cast the other operand with .to()"
    # rule: op-bits-int, op-floordiv-int
    if common.is_float and (op in BITS or op == "//"):
        return f"'{op}' needs integers, got {common.name}" + ("; use floor(a / b) for floats" if op == "//" else "")
    # rule: op-compare-type, op-div-int
    if op in COMPARISONS:
        return common, NAMED["int1"]
    if op == "/" and not common.is_float:
        return common, NAMED["fp32"]
    return common, common


def float_operation(op, x, y, to):
    """rule: op-add, op-sub, op-mul, op-div, op-mod-float: one rounding of the exact result."""
    if op == "%":
        value = math.nan if math.isinf(x) or y == 0 or math.isnan(x) or math.isnan(y) else math.fmod(x, y)
        return rounded(value, to)
    if op == "/":
        if math.isfinite(x) and math.isfinite(y) and x and y:
            value = Fraction(x) / Fraction(y)
        elif y == 0 and x and not math.isnan(x):
            value = math.copysign(math.inf, x) * math.copysign(1, y)
        else:
            value = math.nan if y == 0 else x / y
        return rounded(value, to)
    plain = {"+": lambda: x + y, "-": lambda: x - y, "*": lambda: x * y}[op]()
    if not math.isfinite(x) or not math.isfinite(y) or (op == "*" and not (x and y)):
        return rounded(plain, to)
    exact = {"+": lambda p, q: p + q, "-": lambda p, q: p - q, "*": lambda p, q: p * q}[op](Fraction(x), Fraction(y))
    return rounded(exact or plain, to)


def int_operation(op, x, y, to, keeps_sign):
    """rule: op-wraps, op-floordiv, op-mod-int, op-shift-left, op-shift-right, op-bits"""
    if op in ("//", "%"):
        quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        return wrapped(quotient if op == "//" else x - quotient * y, to)
    if op == ">>":
        bits = x & (1 << to.bits) - 1
        if keeps_sign and bits >> to.bits - 1:
            bits -= 1 << to.bits
        return wrapped(bits >> y, to)
    return wrapped({"+": lambda: x + y, "-": lambda: x - y, "*": lambda: x * y, "&": lambda: x & y, "|": lambda: x | y,
                    "^": lambda: x ^ y, "<<": lambda: x << y}[op](), to)


def compare(op, x, y):
    """rule: op-compare, op-compare-nan"""
    return int({"<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y, "==": x == y, "!=": x != y}[op])


def evaluate(op, x, y, a, b, types, keeps_sign):
    common, result = types
    x, y = cast(x, a, common), cast(y, b, common)
    if op in COMPARISONS:
        return compare(op, x, y)
    if op == "/" and not common.is_float:
        x, y = cast(x, common, result), cast(y, common, result)
    if result.is_float:
        return float_operation(op, x, y, result)
    return int_operation(op, x, y, result, keeps_sign)


# ===-- Operands ---------------------------------------------------------------===#


def edges(kind):
    """Numbers around the limits of a type, and some in between."""
    if kind.kind == 0:
        return [0, 1, 1, 0]
    if not kind.is_float:
        return [0, 1, kind.high, 3, 7, kind.low, kind.high - 1, kind.low + 1, 100, 2, kind.high // 3, 5, 64, 17,
                wrapped(-1, kind), wrapped(-77, kind)]
    tiny, step = 2.0 ** (kind.least - kind.precision + 1), 2.0 ** (1 - kind.precision)
    return [0.0, 1.0, kind.greatest, -1.5, 7.0, -kind.greatest, math.nan, tiny, -0.0, 1 + step, 1 - step / 2, 3.0,
            2.0 ** kind.least, -2.5, 448.0, 5 * tiny] + ([] if kind.name == "fp8e4nv" else [math.inf, -math.inf])


def operands(kind, turn):
    """LANES numbers of a type, in another order for each `turn`."""
    all_of = edges(kind)
    return [all_of[(lane * (2 * turn + 1) + lane // len(all_of)) % len(all_of)] for lane in range(LANES)]


def divisors(kind):
    """Without 0 where that is undefined; -1 divides 7 in each type."""
    plain = [v for v in edges(kind) if kind.is_float or v not in (0, -1)] or [1]
    values = [plain[lane * 3 % len(plain)] for lane in range(LANES)]
    if kind.signed and not kind.is_float:
        values[4] = -1
    return values


def amounts(kind, common):
    return [min(lane % common.bits, kind.high) for lane in range(LANES)]


# ===-- Kernels ----------------------------------------------------------------===#


def tolerance(op, result):
    """Units of the last place that `/` may be wrong by (docs/Performance.md); fp64 divides exactly."""
    return {"fp32": 2, "fp8e4nv": 1, "fp8e5": 1}.get(result.name, 0) if op == "/" else 0


def add_check(kernel, text, op, left, right, types, keeps_sign):
    """One statement, its type and its value; `left` and `right` are (type, values)."""
    (a, xs), (b, ys) = left, right
    kernel.check(text, types[1], [evaluate(op, x, y, a, b, types, keeps_sign) for x, y in zip(xs, ys)],
                 tolerance(op, types[1]))


def pairs():
    """A kernel for each type on the left, and one for each pair without a common type."""
    for a in ALL:
        kernel, xs = Kernel(f"left_{a.name}"), operands(a, 0)
        x = kernel.load("x", a, xs)
        for b in ALL:
            y, d = kernel.load("y_" + b.name, b, operands(b, 1)), kernel.load("d_" + b.name, b, divisors(b))
            for op in OPERATORS:
                types = result_type(op, a, b)
                if isinstance(types, str):
                    yield Rejected(f"x {op} y", {"x": a, "y": b}, types)
                    continue
                right, values = (d, divisors(b)) if op in DIVISION else (y, operands(b, 1))
                if op in ("<<", ">>"):
                    values = amounts(b, types[0])
                    right = kernel.load(f"s{types[0].bits}_{b.name}", b, values)
                add_check(kernel, f"{x} {op} {right}", op, (a, xs), (b, values), types, a.signed)
        yield kernel


def numbers():
    """The same with a Python number on either side."""
    for a in ALL:
        kernel = Kernel(f"number_{a.name}")
        for number in NUMBERS:
            literal, values = literal_type(number), [int(number) if isinstance(number, bool) else number] * LANES
            for op in OPERATORS:
                for side in (0, 1):
                    types = result_type(op, *((literal, a) if side == 0 else (a, literal)), side, number)
                    text = f"{number} {op} {{}}" if side == 0 else f"{{}} {op} {number}"
                    if isinstance(types, str):
                        yield Rejected(text.format("x"), {"x": a}, types)
                        continue
                    tile = divisors(a) if side == 0 and op in DIVISION else operands(a, 0)
                    if op in ("<<", ">>"):
                        if side == 1 and not 0 <= number < types[0].bits:
                            continue
                        tile = amounts(a, types[0]) if side == 0 else tile
                    if a.is_small:  # x * 1 may keep an infinity, which any other product saturates
                        tile = [v if math.isfinite(v) else 0.5 for v in tile]
                    name = kernel.load_values(a, tile)
                    both = ((literal, values), (a, tile))
                    add_check(kernel, text.format(name), op, *(both if side == 0 else both[::-1]), types, a.signed)
        yield kernel


def folding():
    """Operators on two constants are Python's.

    rule: constexpr, op-floordiv-constant
    """
    constants = [True, False, 0, 1, 2, 7, -3, 64, 1 << 40, -(1 << 33), 0.5, -2.5, 3.0, 1e300]
    kernel = Kernel("folding")
    for a in constants:
        for b in constants:
            for op in OPERATORS + ["**", "and", "or"]:
                text = f"({a}) {op} ({b})"
                try:
                    value = eval(text) if not (op in ("<<", "**") and abs(b) > 64) else None
                except (ZeroDivisionError, OverflowError, TypeError, ValueError):
                    continue  # an error here too
                if not isinstance(value, (bool, int, float)) or abs(value) >= 1 << 63:
                    continue
                kernel.holds(f"({text}) == ({value!r}) and isinstance({text}, {type(value).__name__})")
    kernel.check("zeros((32,), int32)", NAMED["int32"], [0] * LANES)
    yield kernel
