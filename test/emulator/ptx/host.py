"""Kernels on NumPy arrays, within one process."""

import numpy as np

from .machine import Launch, Program
from .memory import GUARD, GlobalMemory

BASE = 1 << 20


def run(text, entry, arguments, grid=(1, 1, 1), threads=None, shared=None, **options):
    """Runs an entry on arguments in the order of its parameters: arrays, of which copies are given and returned, and
    bytes of scalars. Threads and dynamic shared memory are those of the metadata unless given."""
    program = Program(text, entry)
    offsets, end = [], 0
    for argument in arguments:
        offsets.append(end)
        if not isinstance(argument, bytes):
            end += -(-argument.nbytes // 256) * 256 + 256
    arena = np.zeros(end + GUARD, np.uint8)
    buffers, values = [], []
    for argument, offset in zip(arguments, offsets):
        if isinstance(argument, bytes):
            values.append(argument)
            continue
        arena[offset:offset + argument.nbytes] = np.ascontiguousarray(argument).reshape(-1).view(np.uint8)
        buffers.append((BASE + offset, argument.nbytes))
        values.append((BASE + offset).to_bytes(8, "little"))
    memory = GlobalMemory(arena, BASE, buffers, program.granules["global"])
    metadata = program.entry.metadata
    shared = metadata.get("dynamic_shared", 0) if shared is None else shared
    Launch(grid, threads or metadata["threads"], shared + program.entry.shared_bytes,
           dict(zip((name for name, _ in program.entry.parameters), values)), memory, **options).run(program)
    return [argument if isinstance(argument, bytes) else
            arena[offset:offset + argument.nbytes].view(argument.dtype).reshape(argument.shape).copy()
            for argument, offset in zip(arguments, offsets)]
