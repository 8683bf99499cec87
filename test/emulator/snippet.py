"""Runs a few lines of PTX on the emulator, for its own tests."""

import contextlib
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from ptx import host  # noqa: E402
from ptx.types import Fault  # noqa: E402

HEADER = """
.visible .entry k(.param .u64 out, .param .u64 in)
{
  .reg .pred %p<32>;
  .reg .b16 %rs<32>;
  .reg .b32 %r<64>;
  .reg .b64 %rd<32>;
  .shared .align 16 .b8 tile[SHARED];
  ld.param.u64 %rd30, [out];
  ld.param.u64 %rd31, [in];
  mov.u32 %r63, %tid.x;
  mov.u32 %r62, tile;
"""

def run(body, given=(), count=32, kind=np.uint32, threads=32, grid=(1, 1, 1), shared=1024, **options):
    """What the body leaves in `count` elements at %rd30; `given` is at %rd31, the thread in %r63, shared memory at
    %r62."""
    text = HEADER.replace("SHARED", str(shared)) + body + "\n  ret;\n}\n"
    arguments = [np.zeros(count, kind), np.atleast_1d(np.asarray(given))]
    options.setdefault("limit", 100_000)
    return host.run(text, "k", arguments, grid, threads, **options)[0]


def store(register, kind="b32"):
    """Stores a register of each thread."""
    size = int(kind[1:]) // 8
    return f"""
  mul.wide.u32 %rd29, %r63, {size};
  add.s64 %rd29, %rd30, %rd29;
  st.global.{kind} [%rd29], {register};"""


def load(register, kind="b32", array="%rd31"):
    """Loads the element of each thread."""
    size = int(kind[1:]) // 8
    return f"""
  mul.wide.u32 %rd28, %r63, {size};
  add.s64 %rd28, {array}, %rd28;
  ld.global.{kind} {register}, [%rd28];"""


def apply(instructions, *sources, result="b32", kind="b32"):
    """The result in %r0, %rs0 or %rd0 of instructions whose sources are in register 1, 2 and so on of that size: each
    source is an array of a value for each thread."""
    names = {"b16": "%rs", "b32": "%r", "b64": "%rd"}
    sources = [np.asarray(s) for s in sources]
    threads = max(32, -(-max(s.size for s in sources) // 32) * 32)
    full = [np.resize(s, threads) for s in sources]
    body, at = "", 0
    for k, source in enumerate(full):
        width = f"b{source.dtype.itemsize * 8}"
        body += f"\n  add.s64 %rd27, %rd31, {at};" + load(f"{names[width]}{k + 1}", width, "%rd27")
        at += -(-source.nbytes // 8) * 8
    given = np.concatenate([np.resize(s.view(np.uint8), -(-s.nbytes // 8) * 8) for s in full])
    body += "\n" + instructions + store(names[result] + "0", result)
    out = run(body, given, threads, f"u{int(result[1:]) // 8}", threads)
    return out[:max(s.size for s in sources)]


@contextlib.contextmanager
def fault(test, text):
    """The block must fail with this text."""
    with test.assertRaisesRegex(Fault, text):
        yield
