"""Loads and stores (PTX ISA, "Data Movement and Conversion Instructions": ld, ld.global.nc, st, prefetch,
createpolicy), and fences."""

import re

import numpy as np

from .operands import reader, whole
from .registry import Operands, instruction
from .types import DTYPES, Fault, bits, unsigned_of

# Hints and orders that change no value where all blocks run in one order.
HINTS = ("ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "weak", "volatile", "relaxed", "acquire", "release")
SCOPES = ("cta", "cluster", "gpu", "sys")


def take_hints(ins):
    """Takes what does not matter; whether a policy follows the operands."""
    prefixed = ins.prefixed("L1::", "L2::")
    ins.flag(*HINTS, *SCOPES)
    return "L2::cache_hint" in prefixed


def addresses(program, operand, space):
    """The addresses of all threads as int64."""
    if operand.kind != "address":
        raise Fault("an address is expected")
    base = operand.value
    register = base.kind == "register" and program.entry.registers[base.value]
    dtype = np.uint32 if register and DTYPES[register].itemsize == 4 else np.uint64
    if dtype == np.uint32 and space == "global":
        raise Fault("an address of global memory has 64 bits")
    read, offset = reader(program, base, dtype), operand.offset
    return lambda batch: whole(batch, read(batch)).astype(np.int64) + offset


def chosen(batch, mask):
    return batch.threads if mask is None else np.flatnonzero(mask)


def space_of(ins):
    spaces = ins.prefixed("global", "shared", "local", "param", "const")
    if not spaces:
        return "generic"
    return spaces[0].split("::")[0]


def vector_length(ins):
    return int((ins.choice("v2", "v4", "v8") or "v1")[1:])


@instruction("ld")
def load(program, ins):
    kind, space, count = ins.type(), space_of(ins), vector_length(ins)
    take_hints(ins)
    operands = Operands(program, ins)
    writes, dtype = operands.write_each(0), DTYPES[kind]
    if len(writes) != count:
        raise Fault(f"expected {count} destinations, got {len(writes)}")
    if space == "param" and operands[1].value.kind == "symbol" and operands[1].value.value in program.parameters:
        return load_parameter(program, operands[1], writes, dtype)
    read = addresses(program, operands[1], space)

    def execute(batch, mask):
        threads = chosen(batch, mask)
        values = batch.memory(space, read(batch)).load(batch, read(batch)[threads], threads, dtype, count)
        for write, value in zip(writes, values):
            if mask is not None:
                full = np.zeros(batch.size, dtype)
                full[threads] = value
                value = full
            write(batch, value, mask)

    return execute


def load_parameter(program, operand, writes, dtype):
    offset, name = operand.offset, operand.value.value

    def execute(batch, mask):
        data = batch.parameters[name]
        for k, write in enumerate(writes):
            write(batch, np.frombuffer(data, dtype, 1, offset + k * dtype.itemsize)[0], mask)

    return execute


@instruction("st")
def store(program, ins):
    kind, space, count = ins.type(), space_of(ins), vector_length(ins)
    take_hints(ins)
    operands = Operands(program, ins)
    reads = operands.read_each(1, unsigned_of(kind))
    if len(reads) != count:
        raise Fault(f"expected {count} sources, got {len(reads)}")
    address = addresses(program, operands[0], space)

    def execute(batch, mask):
        threads = chosen(batch, mask)
        values = [bits(whole(batch, read(batch))[threads]) for read in reads]
        batch.memory(space, address(batch)).store(batch, address(batch)[threads], threads, values)

    return execute


@instruction("createpolicy")
def create_policy(program, ins):
    """A policy is a number that says nothing here."""
    ins.modifiers = []
    write = Operands(program, ins).write()
    return lambda batch, mask: write(batch, np.uint64(0), mask)


@instruction("prefetch", "prefetchu", "applypriority", "discard")
def prefetch(program, ins):
    ins.modifiers = []
    return lambda batch, mask: None


@instruction("griddepcontrol")
def depend_on_grid(program, ins):
    """A grid starts when the one before it is done, here: nothing to wait for (PTX ISA, "griddepcontrol")."""
    if ins.choice("launch_dependents", "wait") is None:
        raise Fault("griddepcontrol says .wait or .launch_dependents")
    return lambda batch, mask: None


@instruction("fence", "membar")
def fence(program, ins):
    """Memory is one for all threads here, and its order is that of the instructions."""
    if ins.prefixed("proxy", "mbarrier_init"):
        raise Fault("the emulator does not know proxies")
    ins.flag("sc", "acq_rel", "acquire", "release", "cta", "cluster", "gpu", "gl", "sys")
    return lambda batch, mask: None
