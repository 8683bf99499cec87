"""cp.async (PTX ISA, "Data Movement and Conversion Instructions: Non-bulk copy").

A copy reads its source and fills its destination when a wait of its thread says that it is complete, the latest time
that is allowed; until then the destination may not be touched. Each thread counts its own groups.
"""

import numpy as np

from .access import addresses, chosen, take_hints
from .operands import whole
from .registry import Operands, instruction
from .types import DTYPES, Fault


class Copies:
    """The copies of a batch that are not complete."""

    def __init__(self, size):
        self.groups = np.zeros(size, np.int64)  # committed by each thread
        self.open = []  # (threads, group of each, offsets, data)

    def wait(self, batch, mask, allowed):
        """Completes the groups of the threads in the mask but the last `allowed`."""
        shared, rest = batch.shared, []
        for threads, group, offsets, data in self.open:
            done = group < self.groups[threads] - allowed
            if mask is not None:
                done &= mask[threads]
            if done.any():
                finish(batch, shared, threads[done], offsets[done], data[done])
            if not done.all():
                rest.append((threads[~done], group[~done], offsets[~done], data[~done]))
        self.open = rest


def finish(batch, shared, threads, offsets, data):
    size = data.shape[1]
    places = offsets[:, None] + np.arange(size)
    if shared.accesses:
        granules = shared.accesses.granules(offsets, size)
        shared.accesses.pending[granules] = False
        shared.accesses.write(batch, offsets, threads, size, np.ones(granules.shape, bool))
    shared.bytes[places] = data
    if (shared.bytes[places] != data).any():
        raise Fault("asynchronous copies write different bytes to one place")


@instruction("cp")
def copy(program, ins):
    if not ins.flag("async") or ins.flag("bulk", "reduce", "mbarrier"):
        raise Fault("the emulator does not know this copy")
    if ins.flag("commit_group"):
        def commit(batch, mask):
            batch.copies.groups += 1 if mask is None else mask

        return commit
    if ins.flag("wait_all"):
        def wait_all(batch, mask):
            batch.copies.groups += 1 if mask is None else mask
            batch.copies.wait(batch, mask, 0)

        return wait_all
    operands = Operands(program, ins)
    if ins.flag("wait_group"):
        allowed = operands[0].value
        return lambda batch, mask: batch.copies.wait(batch, mask, allowed)
    return copy_to_shared(program, ins, operands)


def copy_to_shared(program, ins, operands):
    """cp.async.{ca,cg}.shared.global [to], [from], size{, how many bytes are read}: the rest is filled with zeros. A
    predicate in that place says that nothing is read."""
    whole_line = "cg" in ins.modifiers
    ins.prefixed("shared")
    ins.flag("global")
    has_policy = take_hints(ins)
    size = operands[2].value
    if size not in ((16,) if whole_line else (4, 8, 16)):
        raise Fault(f"a copy of {size} bytes is not possible")
    target, source = addresses(program, operands[0], "shared"), addresses(program, operands[1], "global")
    read_size = ignored = None
    if len(operands) - has_policy > 3:
        extra = operands[3]
        predicate = extra.kind == "not" or (
            extra.kind == "register" and DTYPES[program.entry.registers[extra.value]] == np.bool_)
        if predicate:
            ignored = operands.read(3, np.bool_)
        else:
            read_size = operands.read(3, np.uint32)

    def execute(batch, mask):
        threads = chosen(batch, mask)
        to, come = target(batch)[threads], source(batch)[threads]
        count = np.full(threads.size, size)
        if read_size:
            count = whole(batch, read_size(batch))[threads].astype(np.int64)
        if ignored:
            count = np.where(whole(batch, ignored(batch))[threads], 0, count)
        if (count > size).any():
            raise Fault(f"a copy of {size} bytes is told to read {count.max()}")
        start(batch, threads, to, come, count, size)

    return execute


def start(batch, threads, to, come, count, size):
    """Reads the sources now and marks the destinations."""
    shared, memory = batch.shared, batch.global_memory
    offsets = shared.locate(to, size, threads)
    data = np.zeros((threads.size, size), np.uint8)
    for part in np.unique(count[count > 0]):
        rows = np.flatnonzero(count == part)
        if (come[rows] % size).any():
            raise Fault(f"the source of a copy of {size} bytes is not aligned to that")
        places = memory.locate(come[rows], int(part), threads[rows], align=1)
        data[rows, :part] = memory.bytes[places[:, None] + np.arange(part)]
        if memory.accesses:
            memory.accesses.read(batch, places, threads[rows], int(part))
    if shared.accesses:
        granules = shared.accesses.granules(offsets, size)
        shared.accesses.write(batch, offsets, threads, size, np.ones(granules.shape, bool))
        shared.accesses.pending[granules] = True
    shared.bytes[offsets[:, None] + np.arange(size)] = 0xFF  # what an early reader would see
    batch.copies.open.append((threads, batch.copies.groups[threads], offsets, data))
