"""Runs launches that record_launches.py wrote down on the interpreter and on the GPU, and compares what they leave.

usage: run_launches.py pack TILEC TILE_RUN OUT RECORDS... [--elements N] [--most N] [--name PART] [--jobs N]
       run_launches.py interpret TILE_RUN PACK [--name PART] [--jobs N] [--check]
       run_launches.py compare TILE_RUN PACK [--name PART] [--jobs N]

`pack` takes the N smallest launches (1) of each kernel, of at most so many elements (2^18), and copies what they need to
OUT, with a script `run.sh` that compares: a folder to carry to a GPU machine, which needs Python and NumPy. Arrays of
integers have their recorded values, all others are random. What a launch reads beside its arrays fails on the
interpreter; `pack` leaves it out and says so.

`interpret` runs a pack on the interpreter, with --check under its checks. `compare` runs on both engines and exits with 1
if any launch differs: floats lie within the tolerance of the launch's least precise type, of the element and of a usual
one together; integers are equal.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading

import numpy

HERE = pathlib.Path(__file__).resolve().parent
LIMIT = 300  # seconds of a run
# Of two orders of a sum, and of functions that differ in their last bits.
TOLERANCE = {"fp64": 1e-6, "fp32": 4e-3, "fp16": 1e-2, "bf16": 4e-2, "fp8e4nv": 0.13, "fp8e5": 0.26}
RUN = """#!/bin/sh
# Compares the launches of this folder on the interpreter and on the GPU: run.sh TILE_RUN [--name PART]
tile_run=$1 && shift && exec "${PYTHON:-python3}" "$(dirname "$0")/run_launches.py" compare "$tile_run" "$(dirname "$0")" "$@"
"""


def element_type(argument):
    kind = argument["type"].lstrip("*k")
    return kind[len("tensordesc<"):].partition("[")[0] if kind.startswith("tensordesc") else kind


def is_array(argument):
    return "elements" in argument


def value(argument, seed, folder, spread):
    """What `tile-run` is given for an argument."""
    if not is_array(argument):
        return repr(argument["value"])
    kind = element_type(argument)
    if argument["type"].startswith("tensordesc"):
        return f"{spread}({kind},{','.join(map(str, argument['shape']))},seed={seed})"
    if "data" in argument:
        return f"@{folder / argument['data']}:{kind}"
    if kind not in TOLERANCE:
        return f"zeros({kind},{argument['elements']})"
    return f"{spread}({kind},{argument['elements']},seed={seed})"


def command(tile_run, record, folder, saved, device, extra=()):
    """The command line of a launch; arrays are saved to the folder `saved`."""
    place = lambda path: str(folder / path)
    line = [tile_run, place(record["file"]), "-I", place(record["root"]), "--kernel", record["name"], "--sig",
            record["signature"], "--grid", ",".join(map(str, record["grid"])), "--device", device, "--num-warps",
            str(record["warps"]), "--num-stages", str(record["stages"]), *record.get("constants", []), *extra]
    for seed, argument in enumerate(record["arguments"]):
        line.append(f"{argument['name']}={value(argument, seed + 1, folder, record.get('spread', 'randn'))}")
        if is_array(argument) and saved:
            line += ["--save", f"{argument['name']}={saved}/{argument['name']}.npy"]
    return line


def run(line):
    """The message of a failure, or ""."""
    try:
        done = subprocess.run(line, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return f"more than {LIMIT} s"
    return "" if done.returncode == 0 else done.stderr.strip() or f"ended with {done.returncode}"


# ===-- Results -------------------------------------------------------------------------------------------------------===#


def e4m3(bits):
    sign, exponent, fraction = bits >> 7, bits >> 3 & 15, bits & 7
    size = numpy.where(exponent == 0, fraction / 8 * 2.0 ** -6, (1 + fraction / 8) * 2.0 ** (exponent.astype(float) - 7))
    return numpy.where(bits & 127 == 127, numpy.nan, numpy.where(sign == 1, -size, size))


def numbers(path, kind):
    """A saved array as numbers of NumPy."""
    data = numpy.load(path)
    if kind == "bf16" and data.dtype == numpy.uint16:
        return (data.astype(numpy.uint32) << 16).view(numpy.float32)
    if kind == "fp8e5" and data.dtype.itemsize == 1:
        return (data.view(numpy.uint8).astype(numpy.uint16) << 8).view(numpy.float16)
    return e4m3(data.view(numpy.uint8)) if kind == "fp8e4nv" and data.dtype.itemsize == 1 else data


def difference(argument, tolerance, left, right):
    """How two results of an array differ, or ""."""
    kind = element_type(argument)
    expected, got = (numbers(f"{folder}/{argument['name']}.npy", kind) for folder in (left, right))
    if kind not in TOLERANCE:
        wrong = expected != got
    else:
        expected, got = expected.astype(numpy.float64), got.astype(numpy.float64)
        with numpy.errstate(invalid="ignore"):
            bound = tolerance * (numpy.abs(expected) + typical(expected))
            wrong = ~((numpy.abs(expected - got) <= bound) | (expected == got) | (numpy.isnan(expected) & numpy.isnan(got)))
    if not wrong.any():
        return ""
    index = numpy.unravel_index(numpy.argmax(wrong), wrong.shape)
    return (f"{argument['name']}: {int(wrong.sum())} of {wrong.size} elements, the first {[int(i) for i in index]}: "
            f"{expected[index]} on the interpreter, {got[index]} on the GPU")


def typical(data):
    """The size of a usual element: the root of the mean square of those that are finite."""
    finite = data[numpy.isfinite(data)]
    return float(numpy.sqrt(numpy.mean(numpy.square(finite)))) if finite.size else 0.0


# ===-- Commands ------------------------------------------------------------------------------------------------------===#


def records_of(folder, part):
    lines = (folder / "launches.jsonl").read_text().splitlines()
    return [r for r in map(json.loads, lines) if part in r["name"]]


def each(given, function, records):
    """Calls a function for records, several at a time: pairs of both, in order."""
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        yield from zip(records, pool.map(function, records))


def interpret(given):
    def message_of(record):
        return run(command(given.tile_run, record, given.pack, None, "cpu", ["--check"] if given.check else []))

    failed = 0
    for record, message in each(given, message_of, records_of(given.pack, given.name)):
        failed += bool(message)
        print(f"{record['name']}: {message or 'ok'}", flush=True)
    print(f"{failed} failed")
    return failed


def compare(given):
    def message_of(record):
        with tempfile.TemporaryDirectory() as left, tempfile.TemporaryDirectory() as right:
            for device, saved in (("cpu", left), ("cuda", right)):
                message = run(command(given.tile_run, record, given.pack, saved, device))
                if message:
                    return f"{device}: {message}"
            arrays = [a for a in record["arguments"] if is_array(a)]
            tolerance = max((TOLERANCE.get(element_type(a), 0) for a in arrays), default=0)
            return "; ".join(filter(None, (difference(a, tolerance, left, right) for a in arrays)))

    equal, differ = 0, 0
    for record, message in each(given, message_of, records_of(given.pack, given.name)):
        equal, differ = equal + (not message), differ + bool(message)
        print(f"{'DIFFERS' if message else 'equal'} {record['project']} {record['name']} ({record['signature']})"
              f"{': ' if message else ''}{message}", flush=True)
    print(f"{equal} equal, {differ} differ")
    return differ


def smallest(places, given):
    """The smallest launches of each kernel."""
    kernels = collections.defaultdict(list)
    for place in map(pathlib.Path, places):
        for line in (place / "launches.jsonl").read_text().splitlines():
            record = json.loads(line) | {"project": place.name, "folder": place}
            elements = sum(a.get("elements", 0) for a in record["arguments"])
            if elements <= given.elements and given.name in record["name"]:
                kernels[record["file"], record["name"]].append((elements * max(record["grid"]), len(kernels), record))
    for those in kernels.values():
        yield from (record for *_, record in sorted(those, key=lambda k: k[:2])[:given.most])


def copy(source, target):
    """Copies a file that others may be reading."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"{target.name}.{threading.get_ident()}")
    shutil.copy(source, part)
    part.replace(target)


def carry(record, given, depfile):
    """Copies what a launch needs; its record has the paths in the pack."""
    root, project = pathlib.Path(record["root"]), pathlib.Path("source") / record["project"]
    for path in depfile.read_text().replace("\\\n", " ").partition(":")[2].split():
        copy(path, given.pack / project / pathlib.Path(path).resolve().relative_to(root))
    for argument in record["arguments"]:
        if "data" in argument:
            copy(record["folder"] / argument["data"], given.pack / "data" / argument["data"])
            argument["data"] = f"data/{argument['data']}"
    return {**{k: record[k] for k in ("name", "project", "signature", "warps", "stages", "grid", "arguments", "test")},
            "file": str(project / pathlib.Path(record["file"]).relative_to(root)), "root": str(project)}


def pack(given):
    """Copies each launch that the interpreter runs; why it does not run one is printed."""
    def prepare(record):
        with tempfile.NamedTemporaryFile() as depfile:
            for constants in ([], [f"-D{k}={v}" for k, v in record["globals"].items()]):
                message = run([given.tilec, record["file"], "-I", record["root"], "--kernel", record["name"], "--sig",
                               record["signature"], "--num-warps", str(record["warps"]), *constants, "--depfile", depfile.name,
                               "--emit", "tile", "-o", os.devnull])
                if not message:
                    break
            else:
                return None, message
            carried = carry(record, given, pathlib.Path(depfile.name)) | {"constants": constants}
        return carried, run(command(given.tile_run, carried, given.pack, None, "cpu"))

    given.pack.mkdir(parents=True, exist_ok=True)
    kept, left_out = [], 0
    for record, (carried, message) in each(given, prepare, list(smallest(given.records, given))):
        if message:
            left_out += 1
            print(f"left out {record['project']} {record['name']} ({record['signature']}): {message}", flush=True)
        else:
            kept.append(carried)
    (given.pack / "launches.jsonl").write_text("".join(json.dumps(r) + "\n" for r in kept))
    shutil.copy(__file__, given.pack)
    (given.pack / "run.sh").write_text(RUN)
    (given.pack / "run.sh").chmod(0o755)
    print(f"{len(kept)} launches of {len({(r['file'], r['name']) for r in kept})} kernels, {left_out} left out")
    return 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    commands = parser.add_subparsers(required=True)
    for function, positional in ((pack, ("tilec", "tile_run", "pack", "records")), (interpret, ("tile_run", "pack")),
                                 (compare, ("tile_run", "pack"))):
        one = commands.add_parser(function.__name__, usage=__doc__)
        for name in positional:
            one.add_argument(name, **({"nargs": "+"} if name == "records" else {"type": pathlib.Path} if name == "pack" else {}))
        one.add_argument("--name", default="", help="only kernels whose name contains this")
        one.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many run at a time")
        one.set_defaults(function=function)
        if function is pack:
            one.add_argument("--elements", type=int, default=1 << 18)
            one.add_argument("--most", type=int, default=1)
        if function is interpret:
            one.add_argument("--check", action="store_true")
    given = parser.parse_args()
    sys.exit(given.function(given) != 0)


if __name__ == "__main__":
    main()
