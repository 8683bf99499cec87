"""Checks examples: each compiles, and gives what NumPy expects.

usage: check_example.py [--device cpu|cuda] [--padded] [--options WORDS] FILE.tile...

An example says in comments how to run it, and what then to expect:

    # run: --kernel softmax --grid 300 'x_ptr=randn(f32,300,781)' \
    #   'y_ptr=zeros(f32,300,781)' n=781
    # expect(rtol=1e-5): y_ptr = exp(x_ptr) / exp(x_ptr).sum(1, keepdims=True)
    # meter: x_ptr.elements_read = 234300

The right side of `expect` is a NumPy expression over the arrays and numbers of the
run above it, floats as float64; rtol and atol are 0 unless said. `meter` is about
the interpreter's counters. Where ptxas is present it assembles the PTX. With
--padded the interpreter runs each kernel once more, as the code generator sees it:
tiles of powers of two, products of two matrices. With --options, such as
"--num-warps 8", which tile-run gets at each run, it only runs.
"""

import argparse
import ast
import itertools
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import numpy as np

ARCHITECTURES = ["sm_80", "sm_90a"]
PASSES = "builtin.module(canonicalize,func.func(tile-pad-tiles),tile-split-batches)"
DIRECTIVE = re.compile(r"^# (run|expect|meter)(?:\((.*?)\))?:\s*(.*)$", re.M)


def execute(*command):
    """Standard output of a command that must succeed."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(command)}\nexit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def compile_for_all(example, folder):
    for arch in ARCHITECTURES:
        ptx = f"{folder}/{arch}.ptx"
        execute("tilec", example, "--arch", arch, "-o", ptx)
        if shutil.which("ptxas"):
            execute("ptxas", "-arch", arch, ptx, "-o", f"{folder}/{arch}.cubin")


def load(path, value):
    """A saved array as the numbers that it stands for."""
    array = np.load(path)
    if re.match(r"\w+\(bf16", value):
        array = (array.astype(np.uint32) << 16).view(np.float32)
    return array.astype(np.float64) if array.dtype.kind == "f" else array


def run(example, line, device, options, folder):
    """The values of all arguments after the run, and what the interpreter counted."""
    words = shlex.split(line) + shlex.split(options)
    values = dict(w.split("=", 1) for w in words if re.match(r"[A-Za-z_]\w*=", w))
    arrays = {name: value for name, value in values.items() if "(" in value}
    saves = [w for name in arrays for w in ("--save", f"{name}={folder}/{name}.npy")]
    meter = ["--meter=json"] if device == "cpu" else []
    text = execute("tile-run", example, *words, "--device", device, *meter, *saves)
    after = {name: ast.literal_eval(value.split(":")[0]) for name, value in values.items() if name not in arrays}
    for name, value in arrays.items():
        after[name] = load(f"{folder}/{name}.npy", value)
    return after, json.loads(text.splitlines()[-1]) if meter else None


def check_expectation(line, tolerances, values):
    name, expression = (part.strip() for part in line.split("=", 1))
    tolerances = {key: float(value) for key, value in (t.split("=") for t in re.findall(r"\w+=[^,\s]+", tolerances))}
    want = eval(expression, {**vars(np), **values})
    got = values[name].reshape(np.shape(want))
    np.testing.assert_allclose(got, want, **{"rtol": 0, "atol": 0, **tolerances}, err_msg=line)


def check_meter(line, meter):
    """`argument.counter = number`."""
    argument, counter, want = re.fullmatch(r"(\w+)\.(\w+)\s*=\s*(\d+)", line).groups()
    got = meter["args"][argument][counter]
    if got != int(want):
        sys.exit(f"meter: expected {line}, got {got}")


def check(file, options):
    text = re.sub(r"\\\n#\s*", "", pathlib.Path(file).read_text())
    directives = DIRECTIVE.findall(text)
    if not any(word == "expect" for word, _, _ in directives):
        sys.exit(f"{file}: error: nothing is expected of it")
    with tempfile.TemporaryDirectory() as folder:
        if not options.options:
            compile_for_all(file, folder)
        files = [file]
        if options.padded:
            files.append(f"{folder}/padded.mlir")
            execute("tilec", file, "--emit=tile", "-o", f"{folder}/tile.mlir")
            execute("tile-opt", f"{folder}/tile.mlir", f"--pass-pipeline={PASSES}", "-o", files[1])
        for source, (word, parameters, line) in itertools.product(files, directives):
            if word == "run":
                values, meter = run(source, line, options.device, options.options, folder)
            elif word == "expect":
                check_expectation(line, parameters, values)
            elif meter and source == file:
                check_meter(line, meter)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--padded", action="store_true")
    parser.add_argument("--options", default="")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    for file in options.files:
        check(file, options)


if __name__ == "__main__":
    main()
