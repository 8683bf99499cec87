"""What the kernel language means, on NumPy arrays: types, promotion, operators.

bf16 has no type in NumPy; its values are float32 arrays, rounded after each
operation.
"""

import numpy as np

INTS = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"]
FLOATS = ["f16", "bf16", "f32", "f64"]
TYPES = ["i1"] + INTS + FLOATS
DTYPES = {"i1": np.bool_, "f16": np.float16, "bf16": np.float32, "f32": np.float32, "f64": np.float64}
for bits in (8, 16, 32, 64):
    DTYPES[f"i{bits}"] = np.dtype(f"int{bits}")
    DTYPES[f"u{bits}"] = np.dtype(f"uint{bits}")


def bits_of(kind):
    return 16 if kind == "bf16" else int(kind[1:])


def is_float(kind):
    return kind in FLOATS


def is_signed(kind):
    return kind.startswith("i") and kind != "i1"


def to_bf16(values):
    """Numbers of fp32 or fp64 rounded to the nearest bf16, ties to even."""
    wide = np.asarray(values)
    narrow = wide.astype(np.float32)
    if wide.dtype == np.float64:
        # Towards zero with a sticky last bit, so that the second rounding is the only one.
        back = narrow.astype(np.float64)
        bits = narrow.view(np.uint32).copy()
        with np.errstate(invalid="ignore"):
            inexact = np.isfinite(wide) & (back != wide)
            bits = np.where(inexact & (np.abs(back) > np.abs(wide)), bits - np.uint32(1), bits)
        bits = np.where(inexact, bits | np.uint32(1), bits).astype(np.uint32)
        narrow = bits.view(np.float32)
    bits = narrow.view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) & np.uint32(0xFFFF0000)
    return np.where(np.isnan(narrow), np.float32(np.nan), rounded.astype(np.uint32).view(np.float32)).astype(np.float32)


def finish(values, kind):
    """A result in its type."""
    if kind == "bf16":
        return to_bf16(values)
    return np.asarray(values).astype(DTYPES[kind])


def cast(values, source, target):
    values = np.asarray(values)
    if target == "i1":
        return values != 0
    if is_float(source) and not is_float(target):
        info = np.iinfo(DTYPES[target])
        wide = np.trunc(values.astype(np.float64))
        clipped = np.clip(np.nan_to_num(wide, nan=0.0, posinf=1e300, neginf=-1e300), float(info.min), float(info.max))
        whole = [min(max(int(v), info.min), info.max) for v in clipped.ravel()]
        return np.array(whole, dtype=object).astype(DTYPES[target]).reshape(values.shape)
    if target == "bf16":
        return to_bf16(values.astype(np.float64) if source != "f32" else values)
    return values.astype(DTYPES[target])


def promote(a, b, divides=False):
    """The type of an operation on two values."""
    both = {a, b}
    if "f64" in both:
        return "f64"
    if "f32" in both:
        return "f32"
    if "f16" in both:
        return "f32" if divides else "f16"
    if both == {"bf16"}:
        return "f32" if divides else "bf16"
    if "bf16" in both:
        return "f32"
    if is_signed(a) == is_signed(b):
        return a if bits_of(a) > bits_of(b) else b
    signed, unsigned = (a, b) if is_signed(a) else (b, a)
    return unsigned if bits_of(unsigned) >= bits_of(signed) else signed


def divide(x, y, kind):
    """Integers, towards zero."""
    quotient = [int(abs(int(a)) // abs(int(b))) * (1 if (int(a) < 0) == (int(b) < 0) else -1)
                for a, b in zip(x.ravel(), y.ravel())]
    return wrap(quotient, kind, x.shape)


def remainder(x, y, kind):
    if is_float(kind):
        with np.errstate(all="ignore"):
            return finish(np.fmod(x, y), kind)
    rest = [abs(int(a)) % abs(int(b)) * (1 if int(a) >= 0 else -1) for a, b in zip(x.ravel(), y.ravel())]
    return wrap(rest, kind, x.shape)


def wrap(numbers, kind, shape):
    """Python's integers, modulo the type's range."""
    bits = bits_of(kind)
    unsigned = np.array([n % (1 << bits) for n in numbers], dtype=np.uint64)
    return unsigned.astype(np.dtype(f"uint{bits}")).view(DTYPES[kind]).reshape(shape)


def arithmetic(op, x, y, kind):
    with np.errstate(all="ignore"):
        if op == "+":
            return finish(x ^ y if kind == "i1" else x + y, kind)
        if op == "-":
            return finish(x ^ y if kind == "i1" else x - y, kind)
        if op == "*":
            return finish(x & y if kind == "i1" else x * y, kind)
        if op == "&":
            return x & y
        if op == "|":
            return x | y
        return x ^ y


def compare(op, x, y):
    with np.errstate(all="ignore"):
        return {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal, "==": np.equal,
                "!=": np.not_equal}[op](x, y)


def extreme(name, x, y, kind):
    """maximum and minimum: NaN loses. The sign of a zero is open."""
    return finish((np.fmax if name == "maximum" else np.fmin)(x, y), kind)


def shift(op, x, y, kind):
    return finish(np.left_shift(x, y) if op == "<<" else np.right_shift(x, y), kind)
