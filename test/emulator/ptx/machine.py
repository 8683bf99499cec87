"""Runs the instructions of an entry.

All threads of a batch have one instruction counter. Where they take different ways, some of them wait until the others
reach the instruction at which all ways meet again, the immediate post-dominator of the branch.
"""

import dataclasses

import numpy as np

from . import (access, asynchronous, atomic, calls, conversion, floating, integer, matrices, registry,  # noqa: F401
               warps)
from .flow import is_branch, is_exit, reconvergence
from .memory import GlobalMemory
from .parse import parse
from .state import SHARED_BASE, Batch
from .types import Fault, bits_of

STEP, BRANCH, EXIT, BARRIER, WARP_BARRIER = range(5)


class Program:
    """An entry, ready to run. `globals` maps symbols of the module to addresses."""

    def __init__(self, text, name, symbols=None):
        self.entry = parse(text, name)
        self.parameters = {parameter for parameter, _ in self.entry.parameters}
        self.symbols = symbols or {}
        self.meeting = reconvergence(self.entry)
        self.granules = {"global": 4, "shared": 4, "local": 4}
        # Threads that wait for one another must run one block after another.
        self.waits = any(i.name == "atom" and {"cas", "exch"} & set(i.modifiers) or
                         i.name == "ld" and {"acquire", "relaxed", "volatile"} & set(i.modifiers)
                         for i in self.entry.instructions)
        self.code = [self.translate(number, ins) for number, ins in enumerate(self.entry.instructions)]

    def translate(self, number, ins):
        """What kind of step it is, and what does it."""
        try:
            self.note_granules(ins)
            if is_branch(ins):
                return BRANCH, self.target(ins)
            if is_exit(ins):
                return EXIT, None
            if ins.name in ("bar", "barrier"):
                return self.barrier(ins), None
            return STEP, registry.build(self, ins)
        except Fault as fault:
            raise Fault(f"{ins}: {fault}") from None

    def target(self, ins):
        label = ins.operands[0].value
        if label not in self.entry.labels:
            raise Fault(f"there is no label {label}")
        return self.entry.labels[label]

    def barrier(self, ins):
        """bar.sync of all threads of the block, or of a warp (PTX ISA, "bar", "bar.warp.sync")."""
        if "arrive" in ins.modifiers or "red" in ins.modifiers or "cluster" in ins.modifiers:
            raise Fault("the emulator does not know this barrier")
        if "warp" in ins.modifiers:
            return WARP_BARRIER
        if len(ins.operands) > 1 and ins.operands[1].value != self.entry.threads:
            raise Fault("the emulator knows barriers of all threads of a block only")
        return BARRIER

    def note_granules(self, ins):
        """The least access of each space tells how finely accesses are told apart."""
        if ins.name in ("ld", "st", "atom", "red"):
            for space in self.granules:
                if any(m.startswith(space) for m in ins.modifiers) or not any(
                        m.split("::")[0] in ("global", "shared", "local", "param", "const") for m in ins.modifiers):
                    self.granules[space] = min(self.granules[space], bits_of(ins.modifiers[-1]) // 8)
        elif ins.name in ("ldmatrix", "stmatrix"):
            self.granules["shared"] = min(self.granules["shared"], 4)

    def address_of(self, symbol):
        """The address of an array in shared or local memory or of the module."""
        if symbol in self.entry.shared:
            place = self.entry.shared[symbol]
            return SHARED_BASE + (place[0] if place else self.entry.shared_bytes)
        if symbol in self.entry.local:
            return self.entry.local[symbol][0]
        if symbol in self.symbols:
            return self.symbols[symbol]
        raise Fault(f"'{symbol}' is not declared")


@dataclasses.dataclass
class Launch:
    """A grid of blocks. `parameters` maps names to bytes; `log` takes what kernels print."""
    grid: tuple
    threads: int
    shared_bytes: int
    parameters: dict
    memory: GlobalMemory
    log: object = print
    watched: bool = True
    limit: int = 5_000_000  # instructions of a batch
    lanes: int = 2048  # threads that run together
    steps: int = 0

    def run(self, program):
        gx, gy, gz = self.grid
        blocks = [(x, y, z) for z in range(gz) for y in range(gy) for x in range(gx)]
        count = 1 if program.waits else max(1, self.lanes // self.threads)
        with np.errstate(all="ignore"):
            for first in range(0, len(blocks), count):
                run_batch(program, Batch(program, self, blocks[first:first + count], first), self)


def run_batch(program, batch, launch):
    """Runs all threads to their end."""
    Walk(program, batch, launch).run()
    if batch.copies.open:
        raise Fault("the kernel ends before its asynchronous copies are complete")


@dataclasses.dataclass
class Way:
    """Threads that walk together from `at`; they stop before instruction `until` (-1: at the end). The mask is None for
    all threads of the batch."""
    at: int
    mask: np.ndarray
    until: int = -1


class Walk:
    """The ways of the threads of a batch, the one that runs last."""

    def __init__(self, program, batch, launch):
        self.program, self.batch, self.launch = program, batch, launch
        self.alive = np.ones(batch.size, bool)
        self.ways = [Way(0, None)]

    def run(self):
        code, instructions = self.program.code, self.program.entry.instructions
        registers, steps, end = self.batch.registers, 0, len(code)
        while self.ways:
            way = self.ways[-1]
            if way.at == way.until or way.at == end or (way.mask is not None and not way.mask.any()):
                self.ways.pop()
                continue
            number, mask = way.at, way.mask
            ins = instructions[number]
            steps += 1
            if steps > self.launch.limit:
                raise Fault(f"{ins}: the kernel does not end within {self.launch.limit} instructions of a block")
            if ins.predicate is not None:
                mask = registers[ins.predicate]
                if ins.negated:
                    mask = ~mask
                if way.mask is not None:
                    mask = mask & way.mask
                if not mask.any():
                    way.at += 1
                    continue
                if mask.all():
                    mask = None
            kind, what = code[number]
            try:
                if kind == STEP:
                    what(self.batch, mask)
                    way.at += 1
                elif kind == BRANCH:
                    self.branch(way, number, mask, what)
                elif kind == EXIT:
                    self.exit(way, mask)
                else:
                    self.barrier(way, mask, kind)
            except Fault as fault:
                raise Fault(f"{ins}: {fault}") from None
        self.launch.steps += steps

    def branch(self, way, number, mask, target):
        every = way.mask if way.mask is not None else self.alive
        taken = self.alive if mask is None else mask
        rest = every & ~taken
        if not rest.any():
            way.at = target
            return
        meeting = self.program.meeting[number]
        way.at = meeting
        # Both sides end where they meet; the side that goes there directly is none.
        for at, some in ((number + 1, rest), (target, taken)):
            if at != meeting:
                self.ways.append(Way(at, some, meeting))

    def exit(self, way, mask):
        gone = self.alive if mask is None else mask
        self.alive = self.alive & ~gone
        way.at += 1
        for other in self.ways:
            other.mask = self.alive if other.mask is None else other.mask & ~gone

    def barrier(self, way, mask, kind):
        batch = self.batch
        here = self.alive if mask is None else mask & self.alive
        if kind == BARRIER:
            blocks, waiting = (x.reshape(-1, batch.block_size) for x in (here, self.alive))
            if ((blocks != waiting) & blocks.any(1, keepdims=True)).any():
                raise Fault("a barrier of the block that only some of its threads reach")
            batch.phase = batch.phase + here
        else:
            batch.warp_phase = batch.warp_phase + np.repeat(here.reshape(-1, batch.warp_size).any(1), batch.warp_size)
        way.at += 1
