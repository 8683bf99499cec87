"""The table of instructions: who builds what executes each.

A builder gets the program and the instruction, takes the modifiers that it knows, and returns `execute(batch, mask)`;
the mask is None where all threads execute it.
"""

from .operands import reader, writer
from .types import DTYPES, Fault, unsigned_of

BUILDERS = {}


def instruction(*names):
    def register(builder):
        for name in names:
            BUILDERS[name] = builder
        return builder

    return register


class Operands:
    """The operands of one instruction as functions."""

    def __init__(self, program, ins):
        self.program, self.ins = program, ins

    def __len__(self):
        return len(self.ins.operands)

    def __getitem__(self, index):
        if index >= len(self.ins.operands):
            raise Fault(f"operand {index + 1} is missing")
        return self.ins.operands[index]

    def read(self, index, kind):
        """`kind` is a type of PTX or of NumPy."""
        return reader(self.program, self[index], DTYPES.get(kind, kind) if isinstance(kind, str) else kind)

    def read_bits(self, index, kind):
        return reader(self.program, self[index], unsigned_of(kind))

    def read_each(self, index, kind):
        """Of a vector, or of the one operand that stands for it."""
        operand = self[index]
        parts = operand.value if operand.kind == "vector" else [operand]
        return [reader(self.program, part, kind) for part in parts]

    def write(self, index=0):
        return writer(self.program, self[index])

    def write_each(self, index=0):
        operand = self[index]
        parts = operand.value if operand.kind == "vector" else [operand]
        return [writer(self.program, part) for part in parts]


def build(program, ins):
    """What executes the instruction."""
    if ins.name not in BUILDERS:
        raise Fault("the emulator does not know this instruction")
    execute = BUILDERS[ins.name](program, ins)
    if ins.modifiers:
        raise Fault(f"the emulator does not know .{ins.modifiers[0]} here")
    return execute
