"""cvt (PTX ISA, "Data Movement and Conversion Instructions: cvt") and mov."""

import numpy as np

from .floating import flush
from .memory import WINDOW
from .operands import whole
from .registry import Operands, instruction
from .rounding import SMALL, decode, encode, integers_to_odd, round_to
from .types import DTYPES, Fault, UNSIGNED, bits_of, is_float, is_signed, unpack, unsigned_of

TO_INTEGER = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}


@instruction("cvt")
def convert(program, ins):
    source, target = ins.type(), ins.type()
    if ins.name == "cvt" and ins.flag("relu", "pack", "scaled"):
        raise Fault("the emulator does not know this form of cvt")
    if source.endswith("x2"):
        return unpack_small(program, ins, source, target)
    if target.endswith("x2"):
        return pack(program, ins, source, target)
    flushes = ins.flag("ftz")
    saturates = ins.flag("sat", "satfinite")
    mode = ins.choice("rn", "rz", "rm", "rp", "rna", *TO_INTEGER)
    function = conversion(source, target, mode, saturates, flushes)
    operands = Operands(program, ins)
    read, write = operands.read_bits(1, source), operands.write()
    return lambda batch, mask: write(batch, function(whole(batch, read(batch))), mask)


def conversion(source, target, mode, saturates, flushes):
    """From the bits of the source to values of the target's NumPy type."""
    if not is_float(source) and not is_float(target):
        return lambda code: integer_to_integer(code.view(DTYPES[source]), target, saturates)
    if not is_float(target):
        if mode not in TO_INTEGER:
            raise Fault("a conversion of a float to an integer needs .rni, .rzi, .rmi or .rpi")
        return lambda code: to_integer(prepared(code, source, flushes), source, target, TO_INTEGER[mode])
    if mode is None and is_float(source) and bits_of(source) > bits_of(target) or mode is None and not is_float(source):
        raise Fault("the conversion needs a rounding modifier")
    if target == "f64" and not is_float(source):
        if mode != "rn":
            raise Fault(f"the emulator does not know .{mode} to .f64")
        return lambda code: encode("f64", code.view(DTYPES[source]).astype(np.float64))
    if mode in TO_INTEGER:  # to a whole number of the same type
        return lambda code: encode(target, TO_INTEGER[mode](prepared(code, source, flushes)))
    return lambda code: to_float(prepared(code, source, flushes), target, mode or "rn", saturates)


def prepared(code, source, flushes):
    """The source as float64, rounded to odd where it has more bits."""
    if not is_float(source):
        value = code.view(DTYPES[source])
        return integers_to_odd(value) if bits_of(source) == 64 else value.astype(np.float64)
    value = decode(source, code)
    return flush(value.astype(np.float32)).astype(np.float64) if flushes and source == "f32" else value


def integer_to_integer(value, target, saturates):
    """Cut to the target's bits, or with .sat limited to its range."""
    dtype = DTYPES[target]
    if saturates:
        limits = np.iinfo(dtype)
        low = max(limits.min, np.iinfo(value.dtype).min)
        high = min(limits.max, np.iinfo(value.dtype).max)
        value = np.clip(value, value.dtype.type(low), value.dtype.type(high))
    return value.astype(dtype)


def to_integer(value, source, target, function):
    """Limited to the target's range; NaN gives 0, or of and to 64 bits the number with the top bit alone."""
    dtype = DTYPES[target]
    limits = np.iinfo(dtype)
    value = function(value)
    below, above = value <= float(limits.min), value >= float(limits.max)
    result = np.where(below | above | np.isnan(value), 0, value).astype(dtype)
    result[below], result[above] = limits.min, limits.max
    wide = source == "f64" or bits_of(target) == 64
    top = 1 << (bits_of(target) - 1)
    result[np.isnan(value)] = np.array([top if wide else 0], unsigned_of(target)).view(dtype)[0]
    return result


def to_float(value, target, mode, saturates):
    if target == "f64":
        return encode("f64", value)
    if target in ("f32", "f16") and saturates:  # .sat is the range from 0 to 1
        return encode(target, np.clip(np.where(np.isnan(value), 0, round_to(target, value, mode)), 0, 1))
    if (target, mode) == ("f32", "rn"):
        return encode(target, value)
    return encode(target, round_to(target, value, mode, saturates))


def pack(program, ins, source, target):
    """Two floats in a register, the first in the upper half; or f16x2 to two of 8 bits."""
    element, _ = unpack(target)
    mode, saturates = ins.choice("rn", "rz", default="rn"), ins.flag("satfinite")
    operands = Operands(program, ins)
    write, held, single = operands.write(), unsigned_of(target), unsigned_of(element)
    if element in SMALL and not saturates:
        raise Fault("a conversion to 8 bits needs .satfinite")
    reads = [operands.read_bits(k, source) for k in (2, 1)]

    def execute(batch, mask):
        values = [round_to(element, decode(source, whole(batch, read(batch))), mode, saturates) for read in reads]
        codes = np.stack([encode(element, v) for v in values], 1).astype(single)
        write(batch, codes.view(held)[:, 0], mask)

    return execute


def unpack_small(program, ins, source, target):
    """Between packed types: 8 bits and f16, whose values f16 all has."""
    ins.flag("rn")
    saturates = ins.flag("satfinite")
    (narrow, _), (wide, _) = unpack(source), unpack(target)
    if not target.endswith("x2"):
        raise Fault("the emulator does not know this conversion")
    operands = Operands(program, ins)
    read, write = operands.read(1, unsigned_of(source)), operands.write()
    held, single = unsigned_of(target), unsigned_of(wide)

    def execute(batch, mask):
        value = decode(narrow, whole(batch, read(batch)).view(unsigned_of(narrow)))
        code = encode(wide, round_to(wide, value, "rn", saturates)).astype(single)
        write(batch, code.view(held), mask)

    return execute


@instruction("mov")
def move(program, ins):
    """Between registers of one size, a vector packed into a register, or a register into a vector."""
    kind = ins.type()
    operands = Operands(program, ins)
    if operands[0].kind == "vector" or operands[1].kind == "vector":
        return move_vector(operands, kind)
    dtype = DTYPES["pred"] if kind == "pred" else unsigned_of(kind)
    read, write = operands.read(1, dtype), operands.write()
    return lambda batch, mask: write(batch, read(batch), mask)


def move_vector(operands, kind):
    splits = operands[0].kind == "vector"
    count = len(operands[0 if splits else 1].value)
    held, part = unsigned_of(kind), np.dtype(UNSIGNED[bits_of(kind) // 8 // count])
    if splits:
        read, writes = operands.read(1, held), operands.write_each()

        def execute(batch, mask):
            parts = whole(batch, read(batch)).view(part).reshape(-1, count)
            for k, write in enumerate(writes):
                write(batch, parts[:, k], mask)

        return execute
    reads, write = operands.read_each(1, part), operands.write()
    return lambda batch, mask: write(
        batch, np.stack([whole(batch, read(batch)) for read in reads], 1).view(held)[:, 0], mask)


@instruction("cvta")
def convert_address(program, ins):
    """Generic addresses of global memory are those of global memory; those of local memory lie in a window."""
    back, space, kind = ins.flag("to"), ins.choice("global", "local"), ins.type()
    if space is None:
        raise Fault("the emulator knows generic addresses of global and local memory only")
    move = np.uint64(WINDOW if space == "local" else 0)
    operands = Operands(program, ins)
    read, write = operands.read(1, kind), operands.write()
    return lambda batch, mask: write(batch, read(batch) - move if back else read(batch) + move, mask)
