"""Compares the work that `tilec --report` counts with what `tile-run --meter` counts.

usage: check-work.py EXAMPLES FOLDER

Sizes are multiples of the blocks, so that every lane is on. The lengths of loops are
what the report says, with the arguments' values.
"""

import json
import math
import pathlib
import subprocess
import sys

examples, folder = map(pathlib.Path, sys.argv[1:])
folder.mkdir(parents=True, exist_ok=True)

# file, kernel, grid, definitions, arrays, scalars
CASES = [
    ("01-vector-add", "vector_add", "4", {"BLOCK": 256},
     {"x_ptr": "f32,1024", "y_ptr": "f32,1024", "out_ptr": "f32,1024"}, {"n": 1024}),
    ("02-gelu", "gelu", "3", {}, {"x_ptr": "f32,3072", "y_ptr": "f32,3072"}, {"n": 3072}),
    ("04-softmax", "softmax", "5", {}, {"x_ptr": "f32,5,1024", "y_ptr": "f32,5,1024"},
     {"stride": 1024, "n": 1024}),
    ("06-online-softmax", "online_softmax", "7", {}, {"x_ptr": "f32,7,4096", "y_ptr": "f32,7,4096"}, {"n": 4096}),
    ("07-row-sum", "row_sum", "3", {}, {"x_ptr": "f32,3,4096", "y_ptr": "f32,3"}, {"n": 4096}),
    ("08-matmul-relu", "matmul_relu", "2,3", {},
     {"a_ptr": "f16,128,160", "b_ptr": "f16,160,192", "c_ptr": "f32,128,192"}, {"M": 128, "N": 192, "K": 160}),
    ("10-rmsnorm", "rmsnorm", "3", {},
     {"x_ptr": "f32,3,1024", "g_ptr": "f32,1024", "y_ptr": "f32,3,1024", "rstd_ptr": "f32,3"},
     {"n": 1024, "eps": 1e-5}),
    ("13-flash-attention", "attention", "4,2", {},
     {name: "f16,2,256,64" for name in ["q_ptr", "k_ptr", "v_ptr", "o_ptr"]}, {"S": 256, "scale": 0.125}),
]  # fmt: skip


def run(*words):
    return json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout)


def check(file, kernel, grid, defines, arrays, scalars):
    source = examples / f"{file}.tile"
    options = ["--kernel", kernel, *(word for item in defines.items() for word in ("-D", f"{item[0]}={item[1]}"))]
    report = run("tilec", source, *options, "--report=json", "--toolkit", folder, "-o", folder / "k.ptx")
    work = report["kernels"][0]["work"]
    lengths = [eval(loop["length"], {"ceil": math.ceil, "min": min, "max": max}, scalars) for loop in work["loops"]]

    programs = math.prod(map(int, grid.split(",")))

    def total(count):
        return programs * sum(t["factor"] * math.prod(lengths[loop] for loop in t["loops"]) for t in count)

    arguments = [f"{name}=full({shape.replace(',', ',1,', 1)})" for name, shape in arrays.items()]
    arguments += [f"{name}={value}" for name, value in scalars.items()]
    meter = run("tile-run", source, *options, "--grid", grid, *arguments, "--meter=json")
    counted = {kind: total(count) for kind, count in work["flops"].items()}
    counted["dot"] = sum(total(count) for count in work["dot_flops"].values())
    counted["read"], counted["written"] = total(work["bytes_read"]), total(work["bytes_written"])
    measured = dict(meter["flops"])
    measured.setdefault("dot", 0)
    for member in ["read", "written"]:
        measured[member] = sum(argument[f"bytes_{member}"] for argument in meter["args"].values())
    assert counted == measured, f"{kernel}: the report counts {counted}, the interpreter {measured}"
    assert all(line["lanes_off"] == 0 for line in meter["lines"]), f"{kernel}: a lane is masked off"


for case in CASES:
    check(*case)
