"""Runs one launch for the emulating driver: launch.py REQUEST.

REQUEST is a JSON file: `ptx` the file of the module, `entry`, `grid`, `threads`, `shared` bytes, `parameters` in hex,
`arena` {fd, base, bytes}, `buffers` [address, bytes]. The arena is changed in place. Exit status 1 with a sentence on
standard error if something is wrong.
"""

import json
import mmap
import pathlib
import sys

import numpy as np

from ptx.machine import Launch, Program
from ptx.memory import GUARD, GlobalMemory
from ptx.parse import parse_globals
from ptx.types import Fault


def place_globals(text, arena):
    """The arrays of the module behind the buffers: symbols to addresses, what to write at which offset, and how many
    bytes the arena then has."""
    symbols, contents, at = {}, [], arena["bytes"]
    for name, (align, data) in parse_globals(text).items():
        at = -(-at // align) * align
        symbols[name] = arena["base"] + at
        contents.append((at, data))
        at += len(data)
    return symbols, contents, -(-(at + GUARD) // mmap.PAGESIZE) * mmap.PAGESIZE


def run(request):
    arena, text = request["arena"], pathlib.Path(request["ptx"]).read_text()
    symbols, contents, size = place_globals(text, arena)
    data = np.frombuffer(mmap.mmap(arena["fd"], size), np.uint8)
    for offset, content in contents:
        data[offset:offset + len(content)] = np.frombuffer(content, np.uint8)
    buffers = request["buffers"] + [[arena["base"] + offset, len(content)] for offset, content in contents]
    program = Program(text, request["entry"], symbols)
    if program.entry.threads and program.entry.threads != request["threads"]:
        raise Fault(f"{request['threads']} threads, but the entry is for {program.entry.threads}")
    memory = GlobalMemory(data, arena["base"], buffers, program.granules["global"])
    parameters = dict(zip((name for name, _ in program.entry.parameters), map(bytes.fromhex, request["parameters"])))
    Launch(tuple(request["grid"]), request["threads"], request["shared"] + program.entry.shared_bytes, parameters, memory,
           lambda text: print(text, end="", flush=True)).run(program)


def main():
    try:
        run(json.loads(pathlib.Path(sys.argv[1]).read_text()))
    except Fault as fault:
        sys.exit(str(fault))


if __name__ == "__main__":
    main()
