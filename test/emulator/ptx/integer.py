"""Integer, logic, shift, comparison and selection instructions (PTX ISA, "Integer Arithmetic Instructions", "Logic and
Shift Instructions", "Comparison and Selection Instructions")."""

import numpy as np

from .operands import whole, writer
from .registry import Operands, instruction
from .rounding import decode
from .types import DTYPES, Fault, UNSIGNED, bits_of, is_float, is_signed, unpack, unsigned_of


def elementwise(program, ins, kind, function, sources=2):
    """`function` on the elements of registers of a type, packed or not, in the modular arithmetic of NumPy."""
    element, count = unpack(kind)
    dtype, operands = DTYPES[element], Operands(program, ins)
    write = operands.write()
    if count == 1:
        reads = [operands.read(k + 1, dtype) for k in range(sources)]
        return lambda batch, mask: write(batch, function(*(read(batch) for read in reads)), mask)
    held = unsigned_of(kind)
    reads = [operands.read(k + 1, held) for k in range(sources)]

    def execute(batch, mask):
        values = [whole(batch, read(batch)).view(dtype) for read in reads]
        write(batch, np.ascontiguousarray(function(*values).astype(dtype)).view(held), mask)

    return execute


def double(kind):
    """The integer type of twice the size."""
    return np.dtype(("i" if is_signed(kind) else "u") + str(bits_of(kind) // 4))


def high_product(a, b, kind):
    """The upper half of a product."""
    bits = bits_of(kind)
    if bits < 64:
        wide = double(kind)
        return ((np.asarray(a).astype(wide) * np.asarray(b).astype(wide)) >> wide.type(bits)).astype(DTYPES[kind])
    a, b = np.broadcast_arrays(a, b)
    a0, b0 = (x.astype(np.uint64) & np.uint64(0xFFFFFFFF) for x in (a, b))
    a1, b1 = (x.astype(np.uint64) >> np.uint64(32) for x in (a, b))
    middle = a1 * b0 + ((a0 * b0) >> np.uint64(32))
    other = a0 * b1 + (middle & np.uint64(0xFFFFFFFF))
    high = a1 * b1 + (middle >> np.uint64(32)) + (other >> np.uint64(32))
    if is_signed(kind):
        high = high - np.where(a < 0, b, 0).astype(np.uint64) - np.where(b < 0, a, 0).astype(np.uint64)
    return high.view(DTYPES[kind])


def add(program, ins, kind):
    """add and sub; with .cc they leave a carry, or a borrow, in the condition code."""
    if "cc" in ins.modifiers:
        return add_carry(program, ins, kind)
    function = {"add": np.add, "sub": np.subtract}[ins.name]
    return elementwise(program, ins, unsigned_name(kind), function)


def add_carry(program, ins, kind):
    """add.cc, addc, sub.cc, subc: what the condition code says is added to b (PTX ISA, "Extended-Precision Integer
    Arithmetic Instructions")."""
    takes, gives, operands = ins.name in ("addc", "subc"), ins.flag("cc"), Operands(program, ins)
    a, b, write, dtype = operands.read_bits(1, kind), operands.read_bits(2, kind), operands.write(), unsigned_of(kind)

    def execute(batch, mask):
        x, y = whole(batch, a(batch)), whole(batch, b(batch))
        more = batch.carry.astype(dtype) if takes else dtype.type(0)
        if ins.name.startswith("add"):
            result = x + y + more
            carry = (result < x) | ((result == x) & (more > 0) & (y != 0))
        else:
            result = x - y - more
            carry = (x < y) | ((x == y) & (more > 0))
        if gives:
            batch.carry = carry if mask is None else np.where(mask, carry, batch.carry)
        write(batch, result, mask)

    return execute


@instruction("addc", "subc")
def add_with_carry(program, ins):
    return add_carry(program, ins, ins.type())


def unsigned_name(kind):
    element, count = unpack(kind)
    return "u" + element[1:] + ("x2" if count == 2 else "")


def multiply(program, ins, kind):
    """mul and mad: .lo, .hi, .wide."""
    form = ins.choice("lo", "hi", "wide", default="lo")
    operands = Operands(program, ins)
    a, b, write = operands.read(1, kind), operands.read(2, kind), operands.write()
    result = {"lo": unsigned_of(kind), "hi": DTYPES[kind], "wide": double(kind) if bits_of(kind) < 64 else None}[form]
    if result is None:
        raise Fault("there is no .wide product of 64-bit integers")
    unsigned = UNSIGNED[result.itemsize]

    def product(x, y):
        if form == "hi":
            return np.asarray(high_product(x, y, kind))
        return np.asarray(x).astype(result) * np.asarray(y).astype(result)

    if ins.name == "mul":
        return lambda batch, mask: write(batch, product(a(batch), b(batch)), mask)
    c = operands.read(3, result)
    return lambda batch, mask: write(
        batch, (whole(batch, product(a(batch), b(batch))).view(unsigned) + whole(batch, c(batch)).view(unsigned)), mask)


def quotient(a, b):
    """Division towards zero; by zero it gives all ones, which PTX leaves open."""
    safe = np.where(b == 0, 1, b).astype(a.dtype)
    if a.dtype.kind == "u":
        return np.where(b == 0, ~np.zeros_like(a), a // safe)
    floor = a // safe
    return np.where(b == 0, -1, floor + ((floor * safe != a) & ((a < 0) != (safe < 0)))).astype(a.dtype)


def divide(program, ins, kind):
    operands = Operands(program, ins)
    a, b, write = operands.read(1, kind), operands.read(2, kind), operands.write()
    remainder = ins.name == "rem"

    def execute(batch, mask):
        x, y = whole(batch, a(batch)), whole(batch, b(batch))
        result = quotient(x, y)
        write(batch, x - result * y if remainder else result, mask)

    return execute


def extreme(program, ins, kind):
    choose, floor = np.minimum if ins.name == "min" else np.maximum, ins.flag("relu")
    return elementwise(program, ins, kind, lambda a, b: np.maximum(choose(a, b), 0) if floor else choose(a, b))


def sign(program, ins, kind):
    return elementwise(program, ins, kind, np.abs if ins.name == "abs" else np.negative, 1)


INTEGER = {"add": add, "sub": add, "mul": multiply, "mad": multiply, "div": divide, "rem": divide, "min": extreme,
           "max": extreme, "abs": sign, "neg": sign}


@instruction("mad", "rem")
def integer(program, ins):
    return INTEGER[ins.name](program, ins, ins.type())


@instruction("and", "or", "xor", "not", "cnot")
def logic(program, ins):
    kind = ins.type()
    function = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor, "not": np.invert,
                "cnot": lambda x: (x == 0).astype(x.dtype)}[ins.name]
    return elementwise(program, ins, kind, function, 1 if ins.name.endswith("not") else 2)


#===-- Shifts and fields -----------------------------------------------------===#


def shift_left(value, count):
    """0 where the count is the width or more."""
    bits = value.dtype.itemsize * 8
    small = np.where(count < bits, count, 0).astype(value.dtype)
    return np.where(count < bits, value << small, value.dtype.type(0))


def shift_right(value, count):
    """Of a signed value, its sign where the count is the width or more."""
    bits = value.dtype.itemsize * 8
    small = np.where(count < bits, count, bits - 1).astype(value.dtype)
    beyond = value.dtype.type(0) if value.dtype.kind == "u" else value >> value.dtype.type(bits - 1)
    return np.where(count < bits, value >> small, beyond).astype(value.dtype)


@instruction("shl", "shr")
def shift(program, ins):
    kind = ins.type()
    operands = Operands(program, ins)
    a, b, write = operands.read(1, kind), operands.read(2, np.uint32), operands.write()
    function = shift_left if ins.name == "shl" else shift_right
    return lambda batch, mask: write(batch, function(whole(batch, a(batch)), np.asarray(b(batch))), mask)


@instruction("shf")
def funnel_shift(program, ins):
    """A part of b:a: .l the upper half of it shifted left, .r the lower half shifted right."""
    ins.flag("b32")
    left, wraps = ins.choice("l", "r") == "l", ins.choice("wrap", "clamp") == "wrap"
    operands = Operands(program, ins)
    a, b, c = (operands.read(k, np.uint32) for k in (1, 2, 3))
    write = operands.write()

    def execute(batch, mask):
        both = whole(batch, b(batch)).astype(np.uint64) << np.uint64(32) | whole(batch, a(batch)).astype(np.uint64)
        count = np.asarray(c(batch)).astype(np.uint64)
        count = count & np.uint64(31) if wraps else np.minimum(count, np.uint64(32))
        result = both << count >> np.uint64(32) if left else both >> count
        write(batch, result.astype(np.uint32), mask)

    return execute


@instruction("lop3")
def lookup(program, ins):
    """Any function of three bits, by its table: the result of (a, b, c) is bit 4a + 2b + c."""
    ins.flag("b32")
    operands = Operands(program, ins)
    reads, write = [operands.read(k, np.uint32) for k in (1, 2, 3)], operands.write()
    table = operands[4].value

    def execute(batch, mask):
        values = [whole(batch, read(batch)) for read in reads]
        result = np.zeros(batch.size, np.uint32)
        for row in range(8):
            if table >> row & 1:
                terms = [v if row >> (2 - k) & 1 else ~v for k, v in enumerate(values)]
                result |= terms[0] & terms[1] & terms[2]
        write(batch, result, mask)

    return execute


def low_ones(count, dtype):
    return shift_left(np.full(np.shape(count), 1, dtype), count) - dtype.type(1)


@instruction("bfe")
def extract_field(program, ins):
    """Bits from position b on, c of them, the sign repeated if the type is signed; both counts are 8 bits."""
    kind = ins.type()
    operands = Operands(program, ins)
    a, b, c, write = operands.read_bits(1, kind), operands.read(2, np.uint32), operands.read(3, np.uint32), operands.write()
    width, dtype = bits_of(kind), unsigned_of(kind)

    def execute(batch, mask):
        value = whole(batch, a(batch))
        position, length = (whole(batch, x(batch)).astype(np.int64) & 255 for x in (b, c))
        inside = low_ones(np.clip(np.minimum(length, width - position), 0, width), dtype)
        result = shift_right(value, position) & inside
        if is_signed(kind):
            top = np.clip(position + length - 1, 0, width - 1)
            negative = (shift_right(value, top) & dtype.type(1) == 1) & (length > 0)
            result = np.where(negative, result | ~inside, result)
        write(batch, result, mask)

    return execute


@instruction("bfi")
def insert_field(program, ins):
    """b with the low bits of a at position c, d of them."""
    kind = ins.type()
    operands = Operands(program, ins)
    a, b, c, d = [operands.read(k, kind) for k in (1, 2)] + [operands.read(k, np.uint32) for k in (3, 4)]
    write, dtype = operands.write(), DTYPES[kind]

    def execute(batch, mask):
        position, length = (whole(batch, x(batch)).astype(np.int64) & 255 for x in (c, d))
        field = shift_left(low_ones(length, dtype), position)
        write(batch, whole(batch, b(batch)) & ~field | shift_left(whole(batch, a(batch)), position) & field, mask)

    return execute


@instruction("prmt")
def permute(program, ins):
    """Four bytes of b:a by the nibbles of c; bit 3 of a nibble repeats the sign of the byte."""
    ins.flag("b32")
    operands = Operands(program, ins)
    a, b, c = (operands.read(k, np.uint32) for k in (1, 2, 3))
    write = operands.write()

    def execute(batch, mask):
        both = np.stack([whole(batch, a(batch)), whole(batch, b(batch))], 1).view(np.uint8)
        choice = whole(batch, c(batch))
        result = np.empty((batch.size, 4), np.uint8)
        for k in range(4):
            nibble = (choice >> np.uint32(4 * k)) & np.uint32(15)
            byte = both[np.arange(batch.size), nibble & 7]
            result[:, k] = np.where(nibble & 8, np.where(byte & 128, 255, 0), byte)
        write(batch, result.view(np.uint32)[:, 0], mask)

    return execute


def count_ones(value):
    return np.unpackbits(value.view(np.uint8).reshape(value.size, -1), axis=1).sum(1).astype(np.uint32)


def reverse_bits(value):
    rows = np.unpackbits(value.view(np.uint8).reshape(value.size, -1), axis=1, bitorder="little")
    return np.packbits(rows[:, ::-1], axis=1, bitorder="little").view(value.dtype)[:, 0]


def leading_zeros(value):
    for k in range(value.dtype.itemsize.bit_length() + 2):
        value = value | value >> value.dtype.type(1 << k)
    return np.uint32(value.dtype.itemsize * 8) - count_ones(np.ascontiguousarray(value))


@instruction("popc", "clz", "brev")
def count(program, ins):
    kind = ins.type()
    operands = Operands(program, ins)
    read, write = operands.read(1, kind), operands.write()
    function = {"popc": count_ones, "clz": leading_zeros, "brev": reverse_bits}[ins.name]
    return lambda batch, mask: write(batch, function(whole(batch, read(batch))), mask)


@instruction("dp4a")
def dot_bytes(program, ins):
    """The sum of four products of bytes, and c."""
    right, left = ins.type(), ins.type()
    operands = Operands(program, ins)
    a, b, c = (operands.read(k, np.uint32) for k in (1, 2, 3))
    write = operands.write()
    byte = {"s32": np.int8, "u32": np.uint8}

    def execute(batch, mask):
        x, y = (whole(batch, v(batch)).view(byte[kind]).reshape(-1, 4).astype(np.int64)
                for v, kind in ((a, left), (b, right)))
        write(batch, ((x * y).sum(1) + whole(batch, c(batch)).astype(np.int64)).astype(np.uint32), mask)

    return execute


#===-- Comparison and selection ----------------------------------------------===#

COMPARE = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
           "ge": np.greater_equal, "lo": np.less, "ls": np.less_equal, "hi": np.greater, "hs": np.greater_equal}


def comparison(name, kind):
    """A comparison of floats is false where one is NaN; with u at its end it is true there."""
    if not is_float(kind):
        return COMPARE[name]
    numbers = (lambda x: x) if kind in ("f16", "f32", "f64") else (lambda x: decode(kind, np.asarray(x)))
    either = lambda a, b: np.isnan(a) | np.isnan(b)
    if name in ("num", "nan"):
        return lambda a, b: either(numbers(a), numbers(b)) == (name == "nan")
    if name[:2] in COMPARE and name[2:] in ("", "u"):
        function, unordered = COMPARE[name[:2]], name.endswith("u")

        def compare(a, b):
            a, b = numbers(a), numbers(b)
            return np.where(either(a, b), unordered, function(a, b))

        return compare
    raise Fault(f"the emulator does not know the comparison .{name}")


@instruction("setp")
def set_predicate(program, ins):
    """p|q = a compared with b, combined with c; q is the opposite comparison, or that of the second elements."""
    kind = ins.type()
    element, count = unpack(kind)
    flush = ins.flag("ftz")
    name = ins.modifiers.pop(0)
    combine = {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}.get(ins.choice("and", "or", "xor"))
    operands = Operands(program, ins)
    held = unsigned_of(kind) if count == 2 else kind
    a, b, compare = operands.read(1, held), operands.read(2, held), comparison(name, element)
    if flush:
        raise Fault("the emulator does not know .ftz here")
    c = operands.read(3, np.bool_) if combine else None
    target = operands[0]
    targets = target.value if target.kind == "pair" else [target]
    writes = [writer(program, t) for t in targets]

    def execute(batch, mask):
        if count == 2:
            x, y = (whole(batch, read(batch)).view(DTYPES[element]) for read in (a, b))
            values = [compare(x[i::2], y[i::2]) for i in range(len(writes))]
        else:
            result = np.broadcast_to(compare(a(batch), b(batch)), (batch.size,))
            values = [result, ~result][:len(writes)]
        if combine:
            other = c(batch)
            values = [combine(v, other) for v in values]
        for write, value in zip(writes, values):
            write(batch, value, mask)

    return execute


@instruction("selp")
def select(program, ins):
    kind = ins.type()
    operands = Operands(program, ins)
    a, b, c, write = operands.read_bits(1, kind), operands.read_bits(2, kind), operands.read(3, np.bool_), operands.write()
    dtype = unsigned_of(kind)
    return lambda batch, mask: write(batch, np.where(c(batch), a(batch), b(batch)).astype(dtype), mask)
