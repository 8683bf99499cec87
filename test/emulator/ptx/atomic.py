"""atom and red (PTX ISA, "Parallel Synchronization and Communication Instructions"). Threads act in their order, which
is one of those that a GPU may take."""

import numpy as np

from .access import SCOPES, addresses, chosen, space_of, take_hints, vector_length
from .operands import whole
from .registry import Operands, instruction
from .rounding import decode, encode, round_to, sum_to_odd
from .types import DTYPES, Fault, is_float, unpack, unsigned_of

OPERATIONS = ("add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec")


def combine(operation, kind):
    """Old bits and operand bits, as arrays, to new bits."""
    dtype = DTYPES[kind]
    if operation == "exch":
        return lambda old, value: value
    if is_float(kind):
        functions = {"add": sum_to_odd if kind not in ("f64",) else np.add, "min": np.fmin, "max": np.fmax}
        function = functions[operation]
        finish = (lambda x: x) if kind in ("f32", "f64") else (lambda x: round_to(kind, x))
        return lambda old, value: encode(kind, finish(function(decode(kind, old), decode(kind, value))))
    functions = {"add": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or,
                 "xor": np.bitwise_xor, "inc": lambda o, v: np.where(o >= v, 0, o + 1).astype(o.dtype),
                 "dec": lambda o, v: np.where((o == 0) | (o > v), v, o - 1).astype(o.dtype)}
    function = functions[operation]
    return lambda old, value: function(old.view(dtype), value.view(dtype)).view(old.dtype)


def ranks(offsets):
    """For each access how many before it are to the same place."""
    order = np.argsort(offsets, kind="stable")
    ordered = offsets[order]
    first = np.r_[True, ordered[1:] != ordered[:-1]]
    starts = np.maximum.accumulate(np.where(first, np.arange(order.size), 0))
    result = np.empty(order.size, np.int64)
    result[order] = np.arange(order.size) - starts
    return result


@instruction("atom", "red")
def atomic(program, ins):
    kind, space, count = ins.type(), space_of(ins), vector_length(ins)
    take_hints(ins)
    ins.flag("acq_rel", "noftz")
    operation = ins.choice(*OPERATIONS)
    operands, shift = Operands(program, ins), 0 if ins.name == "red" else 1
    element, packed = unpack(kind)
    held, single = unsigned_of(kind), unsigned_of(element)
    writes = operands.write_each(0) if shift else []
    address = addresses(program, operands[shift], space)
    reads = operands.read_each(shift + 1, held)
    if len(reads) != count:
        raise Fault(f"expected {count} sources, got {len(reads)}")
    compare = operation == "cas" and operands.read(shift + 2, held)
    function = None if compare else combine(operation, element)

    def new_values(old, value, other):
        if compare:
            return np.where(old == value, other, old)
        return function(old.view(single), np.ascontiguousarray(value).view(single)).view(held)

    def execute(batch, mask):
        threads = chosen(batch, mask)
        memory = batch.memory(space, address(batch))
        offsets = memory.locate(address(batch)[threads], held.itemsize * count, threads)
        if memory.accesses:
            granules = memory.accesses.granules(offsets, held.itemsize * count)
            memory.accesses.write(batch, offsets, threads, held.itemsize * count, np.ones(granules.shape, bool), True)
        other = whole(batch, compare(batch))[threads] if compare else None
        view, rank = memory.view(held), ranks(offsets)
        for k, read in enumerate(reads):
            value, place = whole(batch, read(batch))[threads], offsets // held.itemsize + k
            old = np.empty(threads.size, held)
            for turn in range(rank.max(initial=-1) + 1):
                now = rank == turn
                before = view[place[now]]
                old[now] = before
                view[place[now]] = new_values(before, value[now], other[now] if compare else None)
            if writes:
                full = np.zeros(batch.size, held)
                full[threads] = old
                writes[k](batch, full, mask)

    return execute
