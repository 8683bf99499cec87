"""Atomic operations on every type: what they return, what they leave, and which are refused."""

from formats import ALL, NAMED
from kernels import LANES, Kernel, Rejected
from operators import float_operation, int_operation

NAMES = ["add", "max", "min", "and", "or", "xor", "xchg"]
SYMBOLS = {"add": "+", "and": "&", "or": "|", "xor": "^"}


def is_allowed(name, kind):
    """rule: fn-atomic"""
    if kind.bits < 16 or kind.bits == 16 and (name != "add" or not kind.is_float):
        return False
    return not (kind.is_float and name in ("and", "or", "xor"))


def result(name, x, y, kind):
    if name == "xchg":
        return y
    if name in ("max", "min"):
        return max(x, y) if name == "max" else min(x, y)
    operation = float_operation if kind.is_float else int_operation
    return operation(SYMBOLS[name], x, y, kind, *([] if kind.is_float else [False]))


def operands(kind):
    """Numbers of both signs, and the limits of integers; sums of floats that are rounded."""
    if kind.is_float:
        step = 2.0 ** (1 - kind.precision)
        values = [1.0, -2.5, 1 + step, -kind.greatest / 4, 0.0, 3.0, 2.0 ** kind.least, -7.0, kind.greatest / 2]
    else:
        values = [0, 1, kind.high, kind.low, 77, kind.high - 1, kind.low + 1, 12, 5]
    return [[values[lane * step % len(values)] for lane in range(LANES)] for step in (1, 2)]


def atomics():
    for kind in ALL:
        kernel = Kernel("atomic_" + kind.name)
        xs, ys = operands(kind)
        for name in NAMES:
            if not is_allowed(name, kind):
                yield Rejected(f"atomic_{name}(px, x)", {"x": kind},
                               f"'atomic_{name}' does not work on {kind.name}; use a 32 or 64 bit type it is defined for")
                continue
            x, y = kernel.load("x", kind, xs), kernel.load("y", kind, ys)
            place = kernel.scratch("at", kind)
            kernel.lines.append(f"store({place}, {x})")
            kernel.check(f"atomic_{name}({place}, {y})", kind, xs)
            kernel.check(f"load({place})", kind, [result(name, p, q, kind) for p, q in zip(xs, ys)])
        if kind.bits >= 32 or kind.bits == 16:
            x, y = kernel.load("x", kind, xs), kernel.load("y", kind, ys)
            place = kernel.scratch("at", kind)
            kernel.lines.append(f"store({place}, {x})")
            kernel.check(f"atomic_cas({place}, {y}, {x})", kind, xs)
            kernel.check(f"atomic_cas({place}, {x}, {y})", kind, xs)
            kernel.check(f"load({place})", kind, ys)
        if kernel.outputs:
            yield kernel
