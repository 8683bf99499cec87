"""What threads of a warp tell each other (PTX ISA, "Data Movement and Conversion Instructions: shfl.sync", "Parallel
Synchronization and Communication Instructions": vote, match, redux, activemask, elect, bar.warp.sync).

The threads in the membermask must all execute the instruction together: one that is not active here is at fault.
"""

import numpy as np

from .operands import whole, writer
from .registry import Operands, instruction
from .types import DTYPES, Fault


def by_warp(batch, value):
    return value.reshape(-1, batch.warp_size)


def as_masks(batch, flags):
    """For each thread the flags of its warp as a number."""
    lanes = by_warp(batch, flags)
    numbers = (lanes.astype(np.uint64) << np.arange(batch.warp_size, dtype=np.uint64)).sum(1).astype(np.uint32)
    return np.repeat(numbers, batch.warp_size)


def check_members(batch, mask, members):
    """Of an instruction of the threads in `members`: they are active, and the thread is one of them."""
    active = np.ones(batch.size, bool) if mask is None else mask
    members = whole(batch, members)
    present = as_masks(batch, active)
    if (active & ((members >> batch.lane.astype(np.uint32) & np.uint32(1)) == 0)).any():
        raise Fault("the membermask lacks a thread that executes the instruction")
    all_lanes = np.uint32((1 << batch.warp_size) - 1)
    if (active & ((members & all_lanes & ~present) != 0)).any():
        raise Fault("the membermask names threads that do not execute the instruction")
    return active


@instruction("shfl")
def shuffle(program, ins):
    """shfl.sync.mode d|p, a, b, c, membermask; c holds the clamp in its low bits and the segment mask above."""
    ins.flag("sync", "b32")
    mode = ins.choice("up", "down", "bfly", "idx")
    operands = Operands(program, ins)
    targets = operands[0].value if operands[0].kind == "pair" else [operands[0]]
    writes = [writer(program, t) for t in targets]
    a, b, c, members = (operands.read(k, np.uint32) for k in (1, 2, 3, 4))

    def execute(batch, mask):
        active = check_members(batch, mask, members(batch))
        value, lane = whole(batch, a(batch)), batch.lane
        offset, control = (whole(batch, x(batch)).astype(np.int64) for x in (b, c))
        offset &= 31
        clamp, segment = control & 31, control >> 8 & 31
        least = lane & segment
        most = least | clamp & ~segment
        if mode == "up":
            source = lane - offset
            inside = source >= most
        else:
            source = {"down": lane + offset, "bfly": lane ^ offset, "idx": least | offset & ~segment}[mode]
            inside = source <= most
        source = np.where(inside, source, lane)
        if (source >= batch.warp_size).any():
            raise Fault("a thread reads from a lane that its warp does not have")
        source += batch.threads - lane
        if (active & ~active[source]).any():
            raise Fault("a thread reads from a lane that does not execute the instruction")
        for write, result in zip(writes, (value[source], inside)):
            write(batch, result, mask)

    return execute


@instruction("vote")
def vote(program, ins):
    if not ins.flag("sync"):
        raise Fault("the emulator does not know votes without .sync")
    mode = ins.choice("all", "any", "uni", "ballot")
    ins.type()
    operands = Operands(program, ins)
    write, read, members = operands.write(), operands.read(1, np.bool_), operands.read(2, np.uint32)

    def execute(batch, mask):
        active = check_members(batch, mask, members(batch))
        yes = as_masks(batch, whole(batch, read(batch)) & active)
        everyone = as_masks(batch, active)
        write(batch, {"ballot": yes, "any": yes != 0, "all": yes == everyone,
                      "uni": (yes == everyone) | (yes == 0)}[mode], mask)

    return execute


@instruction("match")
def match(program, ins):
    """The lanes that have the same value: .any those of each; .all all of them or none, and which it was."""
    ins.flag("sync")
    mode, kind = ins.choice("any", "all"), ins.type()
    operands = Operands(program, ins)
    targets = operands[0].value if operands[0].kind == "pair" else [operands[0]]
    writes = [writer(program, t) for t in targets]
    read, members = operands.read(1, kind), operands.read(2, np.uint32)

    def execute(batch, mask):
        active = check_members(batch, mask, members(batch))
        lanes, present = by_warp(batch, whole(batch, read(batch))), by_warp(batch, active)
        same = (lanes[:, :, None] == lanes[:, None, :]) & present[:, None, :]
        masks = (same.astype(np.uint64) << np.arange(batch.warp_size, dtype=np.uint64)).sum(2)
        result = masks.astype(np.uint32).reshape(-1)
        agreed = result == as_masks(batch, active)
        if mode == "all":
            result = np.where(agreed, result, 0).astype(np.uint32)
        for write, value in zip(writes, (result, agreed)):
            write(batch, value, mask)

    return execute


@instruction("redux")
def reduce(program, ins):
    ins.flag("sync")
    kind = ins.type()
    function = {"add": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or,
                "xor": np.bitwise_xor}[ins.choice("add", "min", "max", "and", "or", "xor")]
    operands = Operands(program, ins)
    write, read, members = operands.write(), operands.read(1, kind), operands.read(2, np.uint32)

    def execute(batch, mask):
        active = check_members(batch, mask, members(batch))
        lanes, present = by_warp(batch, whole(batch, read(batch))), by_warp(batch, active)
        if (present.any(1) & ~present.all(1)).any():
            raise Fault("the emulator knows reductions of whole warps only")
        write(batch, np.repeat(function.reduce(lanes, axis=1).astype(DTYPES[kind]), batch.warp_size), mask)

    return execute


@instruction("activemask")
def active_mask(program, ins):
    ins.flag("b32")
    write = Operands(program, ins).write()
    return lambda batch, mask: write(
        batch, as_masks(batch, np.ones(batch.size, bool) if mask is None else mask), mask)


@instruction("elect")
def elect(program, ins):
    """One of the threads, here the first, gets true."""
    ins.flag("sync")
    operands = Operands(program, ins)
    lane, chosen = (writer(program, t) for t in operands[0].value)
    members = operands.read(1, np.uint32)

    def execute(batch, mask):
        active = by_warp(batch, check_members(batch, mask, members(batch)))
        leader = np.repeat(active.argmax(1), batch.warp_size)
        lane(batch, leader.astype(np.uint32), mask)
        chosen(batch, leader == batch.lane, mask)

    return execute
