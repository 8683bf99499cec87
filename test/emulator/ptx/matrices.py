"""Tensor cores (PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions"): mma.sync, ldmatrix, stmatrix.

A product is computed in float64, in which products of 16-bit and smaller floats are exact, and rounded once to the
accumulator's type; a GPU adds with fewer bits and in another order, so that results agree within a tolerance. Integers
and f64 agree but for the order of f64.
"""

import re

import numpy as np

from .access import addresses
from .operands import whole
from .registry import Operands, instruction
from .rounding import decode, encode, round_to
from .types import DTYPES, Fault, bits_of, is_float, unsigned_of

LANES = np.arange(32)
GROUP, IN_GROUP = LANES >> 2, LANES & 3  # of a lane, as the manual's figures of fragments name them


def active_warps(batch, mask):
    """The warps that execute; all lanes of a warp must."""
    if batch.warp_size != 32:
        raise Fault("a warp has fewer than 32 threads")
    if mask is None:
        return np.arange(batch.size // 32)
    lanes = mask.reshape(-1, 32)
    if (lanes.any(1) != lanes.all(1)).any():
        raise Fault("only some lanes of a warp execute an instruction of the whole warp")
    return np.flatnonzero(lanes.all(1))


def spread(batch, warps, values):
    """Values of some warps as an array of all threads."""
    full = np.zeros((batch.size // 32, 32), values.dtype)
    full[warps] = values
    return full.reshape(-1)


class Fragment:
    """The registers of an operand of mma as a matrix of each warp.

    Operands hold 32 bits a register (f64: 64) along K: register j has rows `GROUP + 8 * (j % row blocks)` and elements
    from `IN_GROUP * n + 4 * n * (j // row blocks)` on, n elements a register.
    """

    def __init__(self, kind, rows, depth):
        self.kind, self.rows, self.depth = kind, rows, depth
        self.bits = unsigned_of("f64" if kind == "f64" else "b32")
        self.each = self.bits.itemsize * 8 // bits_of(kind)
        self.blocks = max(1, rows // 8)

    def matrix(self, registers):
        """(warps, rows, depth) from arrays (warps, 32)."""
        result = np.full((registers[0].shape[0], self.rows, self.depth), np.nan)
        if len(registers) * self.each * 32 != self.rows * self.depth:
            raise Fault(f"a matrix of {self.rows} x {self.depth} .{self.kind} does not fit {len(registers)} registers")
        for j, register in enumerate(registers):
            values = elements(self.kind, register, self.each)
            row, column = GROUP + 8 * (j % self.blocks), IN_GROUP * self.each + 4 * self.each * (j // self.blocks)
            for e in range(self.each):
                result[:, row, column + e] = values[:, :, e]
        return result


def elements(kind, register, each):
    """(warps, 32, each) numbers from the bits of registers."""
    single = unsigned_of(kind)
    code = np.ascontiguousarray(register).view(single).reshape(register.shape + (each,))
    if not is_float(kind):
        return code.view(DTYPES[kind]).astype(np.float64)
    return decode(kind, code.ravel()).reshape(code.shape)


class Accumulator:
    """C and D: element e of a lane is at row `GROUP + 8 * (e // 2)`, column `2 * IN_GROUP + e % 2`."""

    def __init__(self, kind, rows, columns):
        self.kind, self.rows, self.columns = kind, rows, columns
        self.each = 2 if kind == "f16" else 1  # elements of a register
        self.bits = np.dtype(np.uint32) if kind == "f16" else unsigned_of(kind)

    def place(self, element):
        return GROUP + 8 * (element // 2), 2 * IN_GROUP + element % 2

    def matrix(self, registers):
        result = np.zeros((registers[0].shape[0], self.rows, self.columns))
        for j, register in enumerate(registers):
            values = elements(self.kind, register, self.each)
            for e in range(self.each):
                row, column = self.place(j * self.each + e)
                result[:, row, column] = values[:, :, e]
        return result

    def registers(self, matrix, count):
        if self.kind == "s32":
            codes = matrix.astype(np.int64).astype(np.int32).view(np.uint32)
        else:
            rounded = round_to("f16", matrix) if self.kind == "f16" else matrix
            codes = encode(self.kind, rounded)
        for j in range(count):
            parts = [codes[(slice(None), *self.place(j * self.each + e))] for e in range(self.each)]
            yield np.ascontiguousarray(np.stack(parts, -1)).view(self.bits)[..., 0]


@instruction("mma")
def multiply(program, ins):
    ins.flag("sync", "aligned", "row", "col")
    if ins.flag("satfinite", "sp", "block_scale"):
        raise Fault("the emulator does not know this form of mma")
    kinds = [ins.type() for _ in range(4)][::-1]
    rows, columns, depth = map(int, re.match(r"m(\d+)n(\d+)k(\d+)$", ins.modifiers.pop()).groups())
    a, b = Fragment(kinds[1], rows, depth), Fragment(kinds[2], columns, depth)
    c, d = Accumulator(kinds[3], rows, columns), Accumulator(kinds[0], rows, columns)
    operands = Operands(program, ins)
    reads = [operands.read_each(k, part.bits) for k, part in ((1, a), (2, b), (3, c))]
    writes = operands.write_each(0)

    def execute(batch, mask):
        warps = active_warps(batch, mask)
        left, right, start = (part.matrix([whole(batch, read(batch)).reshape(-1, 32)[warps] for read in each])
                              for part, each in zip((a, b, c), reads))
        result = left @ right.transpose(0, 2, 1) + start
        for write, values in zip(writes, d.registers(result, len(writes))):
            write(batch, spread(batch, warps, values), mask)

    return execute


def matrix_form(ins):
    """Takes .sync.aligned.m8n8.x*.{trans}.shared.b16: how many matrices, and whether they are turned."""
    if ins.type() != "b16":
        raise Fault("the emulator knows matrices of .b16 only")
    ins.flag("sync", "aligned", "m8n8")
    ins.prefixed("shared")
    turned = ins.flag("trans")
    return int((ins.choice("x1", "x2", "x4") or "x1")[1:]), turned


def row_addresses(batch, warps, address, count):
    """Offsets of the rows of the matrices: the addresses of the first lanes. (warps, count * 8), and a thread of each
    warp."""
    rows = address(batch).reshape(-1, 32)[warps][:, :count * 8]
    threads = np.repeat(warps * 32, count * 8)
    return batch.shared.locate(rows.reshape(-1), 16, threads), threads


@instruction("ldmatrix")
def load_matrix(program, ins):
    """Lane l gets elements 2 (l % 4) and the next of row l / 4 of each matrix; of its column, if turned."""
    count, turned = matrix_form(ins)
    operands = Operands(program, ins)
    writes, address = operands.write_each(0), addresses(program, operands[1], "shared")
    if len(writes) != count:
        raise Fault(f"expected {count} destinations, got {len(writes)}")

    def execute(batch, mask):
        warps = active_warps(batch, mask)
        offsets, threads = row_addresses(batch, warps, address, count)
        if batch.shared.accesses:
            batch.shared.accesses.read(batch, offsets, threads, 16, collective=True)
        halves = batch.shared.view(np.dtype(np.uint16))
        rows = halves[(offsets // 2)[:, None] + np.arange(8)].reshape(warps.size, count, 8, 8)
        if turned:
            rows = rows.transpose(0, 1, 3, 2)
        for k, write in enumerate(writes):
            pair = np.stack([rows[:, k, GROUP, 2 * IN_GROUP], rows[:, k, GROUP, 2 * IN_GROUP + 1]], -1)
            write(batch, spread(batch, warps, np.ascontiguousarray(pair).view(np.uint32)[..., 0]), mask)

    return execute


@instruction("stmatrix")
def store_matrix(program, ins):
    count, turned = matrix_form(ins)
    operands = Operands(program, ins)
    reads, address = operands.read_each(1, np.uint32), addresses(program, operands[0], "shared")
    if len(reads) != count:
        raise Fault(f"expected {count} sources, got {len(reads)}")

    def execute(batch, mask):
        warps = active_warps(batch, mask)
        offsets, threads = row_addresses(batch, warps, address, count)
        rows = np.zeros((warps.size, count, 8, 8), np.uint16)
        for k, read in enumerate(reads):
            pair = whole(batch, read(batch)).reshape(-1, 32)[warps].view(np.uint16).reshape(-1, 32, 2)
            rows[:, k, GROUP, 2 * IN_GROUP], rows[:, k, GROUP, 2 * IN_GROUP + 1] = pair[..., 0], pair[..., 1]
        if turned:
            rows = rows.transpose(0, 1, 3, 2)
        if batch.shared.accesses:
            granules = batch.shared.accesses.granules(offsets, 16)
            batch.shared.accesses.write(batch, offsets, threads, 16, np.ones(granules.shape, bool))
        batch.shared.view(np.dtype(np.uint16))[(offsets // 2)[:, None] + np.arange(8)] = rows.reshape(-1, 8)

    return execute
