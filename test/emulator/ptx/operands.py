"""Operands as functions: `read(batch)` gives an array of all threads or one value for all, `write(batch, value, mask)`
changes the register of the threads in the mask (None: all)."""

import numpy as np

from .types import DTYPES, Fault, UNSIGNED


def whole(batch, value):
    """The value of each thread, in memory of its own."""
    value = np.asarray(value)
    return np.ascontiguousarray(value) if value.ndim else np.full(batch.size, value)


def constant(value, dtype):
    """An integer stands for bits, a number with a point for its value."""
    if dtype == np.bool_:
        return np.bool_(value)
    if isinstance(value, float):
        return dtype.type(value)
    size = dtype.itemsize
    return np.array([value % (1 << 8 * size)], UNSIGNED[size]).view(dtype)[0]


def reader(program, operand, dtype):
    """Reads an operand as a NumPy type; a wider register gives its low bits."""
    dtype = np.dtype(dtype)
    if operand.kind in ("integer", "float"):
        fixed = constant(operand.value, dtype)
        return lambda batch: fixed
    if operand.kind == "not":
        inner = reader(program, operand.value, dtype)
        return lambda batch: ~inner(batch)
    if operand.kind == "special":
        name, unsigned = operand.value, UNSIGNED[dtype.itemsize]
        return lambda batch: batch.special(name).astype(unsigned).view(dtype)
    if operand.kind == "symbol":
        address = constant(program.address_of(operand.value), dtype)
        return lambda batch: address
    if operand.kind != "register":
        raise Fault(f"the operand may not be a {operand.kind}")
    number = operand.value
    held = DTYPES[program.entry.registers[number]]
    if held == dtype:
        return lambda batch: batch.registers[number]
    if (held == np.bool_) != (dtype == np.bool_) or held.itemsize < dtype.itemsize:
        raise Fault(f"a register of type .{program.entry.registers[number]} is too small or of another kind")
    if held.itemsize == dtype.itemsize:
        return lambda batch: batch.registers[number].view(dtype)
    unsigned = UNSIGNED[dtype.itemsize]
    return lambda batch: batch.registers[number].astype(unsigned).view(dtype)


def writer(program, operand):
    """Writes a register; a value narrower than it is extended by the sign of its type (PTX ISA, "Operand Size
    Exceeding Instruction-Type Size")."""
    if operand.kind == "discard":
        return lambda batch, value, mask: None
    if operand.kind != "register":
        raise Fault(f"the destination may not be a {operand.kind}")
    number = operand.value
    held = DTYPES[program.entry.registers[number]]

    def write(batch, value, mask):
        value = np.asarray(value)
        if value.ndim == 0:
            value = np.full(batch.size, value)
        if value.dtype != held:
            value = fit(value, held)
        registers = batch.registers
        registers[number] = value if mask is None else np.where(mask, value, registers[number])

    return write


def fit(value, held):
    """The value in a register of another type."""
    size = value.dtype.itemsize
    if (held == np.bool_) != (value.dtype == np.bool_) or size > held.itemsize:
        raise Fault(f"a register of {held.itemsize * 8} bits cannot hold the result")
    value = np.ascontiguousarray(value)
    if size == held.itemsize:
        return value.view(held)
    if value.dtype.kind == "i":
        return value.astype(f"i{held.itemsize}").view(held)
    return value.view(UNSIGNED[size]).astype(UNSIGNED[held.itemsize]).view(held)
