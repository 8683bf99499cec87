"""Calls that the CUDA driver answers, vprintf and __assertfail (CUDA C++ Programming Guide, "Formatted Output",
"Assertion"), and trap."""

import re

import numpy as np

from .access import chosen
from .memory import WINDOW
from .registry import instruction
from .types import Fault


@instruction("trap", "brkpt")
def trap(program, ins):
    def execute(batch, mask):
        raise Fault(f"thread {chosen(batch, mask)[0]} stops the kernel")

    return execute


@instruction("call")
def call(program, ins):
    ins.flag("uni")
    names = [o for o in ins.operands if o.kind == "symbol"]
    function = names[0].value if names else None
    if function not in ("vprintf", "__assertfail"):
        raise Fault("the emulator does not know this function")
    arguments = ins.operands[-1].value
    places = [program.entry.local[a.value][0] for a in arguments]

    def execute(batch, mask):
        threads = chosen(batch, mask)
        for thread in threads:
            words = [argument(batch, thread, place) for place in places]
            if function == "__assertfail":
                raise Fault(f"assertion: {text_at(batch, words[0])}")
            batch.launch.log(formatted(batch, thread, text_at(batch, words[0]), words[1]))

    return execute


def argument(batch, thread, place, kind="u8"):
    start = thread * batch.local.stride + place
    size = np.dtype(kind).itemsize
    return batch.local.bytes[start:start + size].view(kind)[0]


def text_at(batch, address):
    memory = batch.global_memory
    start = int(address) - memory.base
    data = memory.bytes[start:start + 4096].tobytes()
    return data[:data.index(0)].decode()


CONVERSION = re.compile(r"%(?:%|[-+ #0]*\d*(?:\.\d+)?(ll|l|h|hh)?([diouxXeEfgGcsp]))")


def formatted(batch, thread, text, address):
    """printf of arguments in local memory, each aligned to its size."""
    at = int(address) % WINDOW

    def next_one(match):
        nonlocal at
        if match[0] == "%%":
            return "%"
        length, letter = match[1], match[2]
        kind = "f8" if letter in "eEfgG" else ("i8" if letter in "di" else "u8") if length or letter in "sp" else (
            "i4" if letter in "di" else "u4")
        size = np.dtype(kind).itemsize
        at = -(-at // size) * size
        value = argument(batch, thread, at, kind)
        at += size
        if letter == "s":
            value = text_at(batch, value)
        if letter == "p":
            return hex(int(value))
        return re.sub(r"ll|l|hh|h", "", match[0]) % value

    return CONVERSION.sub(next_one, text)
