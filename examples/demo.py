"""The demo of `make demo`: one matrix product through the whole compiler.

usage: demo.py [FOLDER]   the folder that has tilec and tile-run, or else the path

Compiles a matmul to PTX, runs it on the interpreter, compares with NumPy, and shows
how the size of a tile decides how much memory is read.
"""
# RUN: %python %s | FileCheck %s
# CHECK: mma.sync
# CHECK: {{^ *16x16 +}}2,097,152 {{ *}}65,536{{$}}
# CHECK: {{^ *128x128 +}}262,144 {{ *}}65,536{{$}}
# CHECK: agrees with NumPy

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

KERNEL = pathlib.Path(__file__).with_name("08-matmul-relu.tile")
SIZE = 256
BLOCKS = [16, 32, 64, 128]

if len(sys.argv) > 1:
    os.environ["PATH"] = os.path.abspath(sys.argv[1]) + os.pathsep + os.environ["PATH"]


def execute(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def show_ptx():
    ptx = execute("tilec", str(KERNEL), "-o", "-").splitlines()
    head = next(i for i, line in enumerate(ptx) if ".entry" in line) + 12
    print("\n".join(ptx[:head]), "\n        ...")
    mma = [line for line in ptx if "mma.sync" in line]
    print("\n".join(mma[:2]), f"\n        ... {len(ptx)} lines, {len(mma)} tensor core instructions\n")


def multiply(block, a, b, folder):
    """The product by the interpreter with square tiles, and what it counted."""
    np.save(f"{folder}/a.npy", a)
    np.save(f"{folder}/b.npy", b)
    programs = -(-SIZE // block)
    text = execute(
        "tile-run", str(KERNEL), "--kernel", "matmul_relu", "--grid", f"{programs},{programs}",
        "-D", f"BLOCK_M={block}", "-D", f"BLOCK_N={block}", "--meter=json",
        f"a_ptr=@{folder}/a.npy", f"b_ptr=@{folder}/b.npy", f"c_ptr=zeros(f32,{SIZE},{SIZE})",
        f"M={SIZE}", f"N={SIZE}", f"K={SIZE}", "--save", f"c_ptr={folder}/c.npy")
    return np.load(f"{folder}/c.npy"), json.loads(text.splitlines()[-1])["args"]


def main():
    show_ptx()
    generator = np.random.default_rng(0)
    a, b = (generator.standard_normal((SIZE, SIZE)).astype(np.float16) for _ in range(2))
    want = np.maximum(a.astype(np.float64) @ b.astype(np.float64), 0)
    print(f"max(A B, 0), {SIZE}x{SIZE}, on the interpreter:")
    print("   tile    elements read  elements written")
    with tempfile.TemporaryDirectory() as folder:
        for block in BLOCKS:
            got, args = multiply(block, a, b, folder)
            np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-4)
            read = sum(arg["elements_read"] for arg in args.values())
            written = sum(arg["elements_written"] for arg in args.values())
            print(f"{block:4}x{block:<4} {read:15,} {written:17,}")
    print(f"every result agrees with NumPy (largest difference {abs(got - want).max():.1e})")


if __name__ == "__main__":
    main()
