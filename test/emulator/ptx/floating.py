"""Float instructions (PTX ISA, "Floating Point Instructions", "Half Precision Floating Point Instructions").

Each is computed in float64, exactly or rounded to odd, and rounded once to its type. Approximate ones are the right
result rounded, so they lie within the error that the manual allows a GPU.
"""

import numpy as np

from .integer import INTEGER
from .operands import whole
from .registry import Operands, instruction
from .rounding import FORMATS, decode, encode, fma64, fma_to_odd, round_to, sum_to_odd, to_odd
from .types import Fault, bits, is_float, unpack, unsigned_of

LEAST_NORMAL = np.float32(2.0 ** -126)


def flush(value):
    """Subnormal float32 as zeros of the same sign (.ftz)."""
    return np.where(np.abs(value) < LEAST_NORMAL, np.copysign(np.float32(0), value), value)


def floats(program, ins, kind, function, sources, rounds=True):
    """`function` takes and returns float64, the result still to be rounded unless it is one of the operands; it gets
    and gives the elements of packed registers one after another."""
    element, count = unpack(kind)
    mode = ins.choice("rn", "rz", "rm", "rp", default="rn")
    flushes, saturates = ins.flag("ftz"), ins.flag("sat")
    if element == "f64" and mode != "rn":
        raise Fault(f"the emulator does not know .{mode} of .f64")
    operands = Operands(program, ins)
    held, single = unsigned_of(kind), unsigned_of(element)
    reads, write = [operands.read(k + 1, held) for k in range(sources)], operands.write()

    def execute(batch, mask):
        values = [decode(element, whole(batch, read(batch)).view(single)) for read in reads]
        if flushes and element == "f32":
            values = [flush(v.astype(np.float32)).astype(np.float64) for v in values]
        result = function(*values)
        if rounds and (element, mode) not in (("f64", "rn"), ("f32", "rn")):  # NumPy's encoding does these
            result = round_to(element, result, mode)
        if saturates:
            result = np.clip(np.where(np.isnan(result), 0, result), 0, 1)
        code = encode(element, result)
        if flushes and element == "f32":
            code = bits(flush(code.view(np.float32)))
        write(batch, code.view(held), mask)

    return execute


#===-- Arithmetic -------------------------------------------------------------===#


def product_to_odd(a, b):
    """A product of at most 53 bits is exact."""
    return a * b


def quotient_to_odd(a, b):
    """The remainder tells on which side of the quotient the exact one lies."""
    quotient = a / b
    rest = np.where(np.isfinite(quotient) & (b != 0) & np.isfinite(b), fma_remainder(a, b, quotient), 0.0)
    return to_odd(quotient, rest * np.sign(b))


def fma_remainder(a, b, quotient):
    """a - quotient * b for factors of float32: the sign is right."""
    high = quotient.astype(np.float32).astype(np.float64)
    return (a - high * b) - (quotient - high) * b


NATIVE = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}
TO_ODD = {"add": sum_to_odd, "sub": lambda a, b: sum_to_odd(a, -b), "mul": product_to_odd, "div": quotient_to_odd}


def arithmetic(program, ins, kind):
    """add, sub, mul, div. NumPy rounds float32 and float64 to nearest even as PTX does."""
    approximate = ins.name == "div" and ins.flag("full", "approx")
    if kind == "f64" or (kind == "f32" and not {"rz", "rm", "rp", "sat"} & set(ins.modifiers)):
        flushes, dtype = ins.flag("ftz"), {"f32": np.float32, "f64": np.float64}[kind]
        rounds = ins.flag("rn")
        if ins.name == "div" and not (rounds or approximate):
            raise Fault("a division needs .rn, .full or .approx")
        operands, function = Operands(program, ins), NATIVE[ins.name]
        a, b, write = operands.read(1, dtype), operands.read(2, dtype), operands.write()
        nan = np.array(FORMATS[kind].nan, unsigned_of(kind)).view(dtype)

        def execute(batch, mask):
            result = function(flush(a(batch)), flush(b(batch))) if flushes else function(a(batch), b(batch))
            result = np.where(np.isnan(result), nan, result)  # which NaN it is must not depend on the order of operands
            write(batch, flush(result) if flushes else result, mask)

        return execute
    return floats(program, ins, kind, TO_ODD[ins.name], 2)


@instruction("fma")
def fused(program, ins):
    kind = ins.type()
    if ins.flag("relu", "oob"):
        raise Fault("the emulator does not know this form of fma")
    return floats(program, ins, kind, fma64 if kind == "f64" else fma_to_odd, 3)


def extreme(program, ins, kind):
    """min and max: of a number and a NaN the number, with .NaN a NaN; -0 is less than +0."""
    propagates = ins.flag("NaN")
    largest = ins.name == "max"
    if ins.flag("xorsign", "abs"):
        raise Fault("the emulator does not know .xorsign.abs")

    def function(a, b):
        choose = {(True, True): np.maximum, (True, False): np.fmax, (False, True): np.minimum,
                  (False, False): np.fmin}[largest, propagates]
        negative = np.signbit(a) & np.signbit(b) if largest else np.signbit(a) | np.signbit(b)
        return np.where((a == 0) & (b == 0), np.where(negative, -0.0, 0.0), choose(a, b))

    return floats(program, ins, kind, function, 2, rounds=False)


def sign(program, ins, kind):
    """abs and neg change the sign bit, of NaN too."""
    flushes = ins.flag("ftz")
    element, count = unpack(kind)
    held, single = unsigned_of(kind), unsigned_of(element)
    operands = Operands(program, ins)
    read, write = operands.read(1, held), operands.write()
    top = single.type(1 << (single.itemsize * 8 - 1))

    def execute(batch, mask):
        value = whole(batch, read(batch)).view(single)
        if flushes and element == "f32":
            value = bits(flush(value.view(np.float32)))
        result = value & ~top if ins.name == "abs" else value ^ top
        write(batch, result.view(held), mask)

    return execute


FLOAT = {"add": arithmetic, "sub": arithmetic, "mul": arithmetic, "div": arithmetic, "min": extreme, "max": extreme,
         "abs": sign, "neg": sign}


@instruction("add", "sub", "mul", "div", "min", "max", "abs", "neg")
def by_type(program, ins):
    """Names that integers and floats share."""
    kind = ins.type()
    return (FLOAT if is_float(kind) else INTEGER)[ins.name](program, ins, kind)


@instruction("copysign")
def copy_sign(program, ins):
    """The sign of a with the magnitude of b."""
    kind = ins.type()
    operands = Operands(program, ins)
    a, b, write = operands.read(1, kind), operands.read(2, kind), operands.write()
    return lambda batch, mask: write(batch, np.copysign(b(batch), a(batch)), mask)


@instruction("testp")
def test_property(program, ins):
    kind = ins.type()
    name = ins.modifiers.pop(0)
    least = 2.0 ** FORMATS[kind].least
    tests = {"finite": np.isfinite, "infinite": np.isinf, "number": lambda x: ~np.isnan(x), "notanumber": np.isnan,
             "normal": lambda x: np.isfinite(x) & (np.abs(x) >= least),
             "subnormal": lambda x: (np.abs(x) < least) & (x != 0)}
    operands = Operands(program, ins)
    read, write = operands.read(1, kind), operands.write()
    return lambda batch, mask: write(batch, tests[name](whole(batch, read(batch))), mask)


#===-- Functions --------------------------------------------------------------===#

FUNCTIONS = {"ex2": np.exp2, "lg2": np.log2, "rsqrt": lambda x: 1 / np.sqrt(x), "rcp": lambda x: 1 / x,
             "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos, "tanh": np.tanh}


@instruction(*FUNCTIONS)
def function(program, ins):
    kind = ins.type()
    approximate = ins.flag("approx")
    if not approximate and ins.name not in ("rcp", "sqrt"):
        raise Fault("the emulator knows only .approx of it")
    if kind == "f64" and approximate:
        raise Fault("the emulator does not know .approx of .f64")
    # A second rounding of a root or a reciprocal from float64 to float32 changes nothing.
    return floats(program, ins, kind, FUNCTIONS[ins.name], 1)
