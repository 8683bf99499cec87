"""The state of the threads that run together: registers, memory, where they are."""

import numpy as np

from .asynchronous import Copies
from .memory import WINDOW, OwnedMemory
from .types import DTYPES, Fault

SHARED_BASE = 1024  # a driver keeps the bytes below to itself


class Batch:
    """Some blocks of a grid, whose threads run in lockstep.

    `size` threads, thread t of block t // block_size; `phase` counts the barriers that each has passed, `warp_phase`
    those of its warp.
    """

    def __init__(self, program, launch, blocks, first_block):
        self.program, self.launch = program, launch
        self.block_size = launch.threads
        self.blocks = blocks
        self.size = len(blocks) * self.block_size
        self.warp_size = min(32, self.block_size)
        self.first_thread = first_block * self.block_size
        self.threads = np.arange(self.size)
        self.index = self.threads % self.block_size
        self.lane = self.index % self.warp_size
        self.phase = np.ones(self.size, np.int32)
        self.warp_phase = np.ones(self.size, np.int32)
        self.global_memory, self.parameters = launch.memory, launch.parameters
        self.copies = Copies(self.size)
        self.carry = np.zeros(self.size, bool)  # the condition code
        owned = lambda space, base, size, owners, each: OwnedMemory(
            space, base, size, owners, each, program.granules[space], launch.watched and space == "shared")
        self.shared = owned("shared", SHARED_BASE, launch.shared_bytes, len(blocks), self.block_size)
        self.local = owned("local", 0, program.entry.local_bytes, self.size, 1)
        self.registers = [self.garbage(DTYPES[kind]) for kind in program.entry.registers]
        self.positions = np.array(blocks, np.int64).T

    def garbage(self, dtype):
        """What a register holds before anything is written."""
        if dtype == np.bool_:
            return self.threads % 3 == 1
        return np.full(self.size, 0xDEADBEEF5A5A7FB7 % (1 << 8 * dtype.itemsize), f"u{dtype.itemsize}").view(dtype)

    def memory(self, space, addresses):
        """The memory of a state space; a generic address is of local or of global memory."""
        if space == "shared":
            return self.shared
        if space in ("local", "param") or (space == "generic" and addresses[0] >= WINDOW):
            return self.local
        return self.global_memory

    def special(self, name):
        """A special register of all threads as int64 (PTX ISA, "Special Registers")."""
        kind, _, axis = name[1:].partition(".")
        axis = "xyz".find(axis) if axis else 0
        zero = np.zeros(self.size, np.int64)
        if kind == "tid":
            return self.index if axis == 0 else zero
        if kind == "ntid":
            return zero + (self.block_size if axis == 0 else 1)
        if kind == "ctaid":
            return np.repeat(self.positions[axis], self.block_size)
        if kind == "nctaid":
            return zero + self.launch.grid[axis]
        values = {"laneid": self.lane, "warpid": self.index // self.warp_size, "smid": zero, "nsmid": zero + 1,
                  "nwarpid": zero + -(-self.block_size // 32)}
        if kind in values:
            return values[kind]
        if kind in ("globaltimer", "clock", "clock64"):
            return zero + self.launch.steps
        one = 1 << self.lane
        masks = {"lanemask_eq": one, "lanemask_lt": one - 1, "lanemask_le": 2 * one - 1}
        if kind in masks:
            return masks[kind]
        raise Fault(f"the emulator does not know {name}")
