"""Every function of libdevice, by its name and by its symbol.

    libdevice.py compile TILEC       all of them for sm_80 and sm_90a
    libdevice.py run TILE_RUN        on the interpreter: names and symbols give the same
    libdevice.py device TILE_RUN     on the interpreter and on the GPU

libdevice_names.txt has a line for each pair of a function and its types: the name, the
symbol, the types of the arguments, that of the result.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

SIZE = 32
TYPES = dict(fp32="f32", fp64="f64", int32="i32", uint32="u32", int64="i64", uint64="u64")
# The hardware's approximations.
FAST = "fast_ rsqrt rcp64h".split()


def signatures():
    for line in (pathlib.Path(__file__).parent / "libdevice_names.txt").read_text().splitlines():
        arguments, result = line.split(" -> ")
        name, symbol, *types = arguments.split()
        yield name, symbol, types, result


def calls():
    """Each line as a call by name and one by symbol, with the type of the result."""
    for name, symbol, types, result in signatures():
        values = [f"{'abcd'[i]}_{TYPES[kind]}" for i, kind in enumerate(types)]
        entry = f"({', '.join(types)},): ({symbol!r}, {result})"
        yield name, result, f"libdevice.{name}({', '.join(values)})", f'extern_elementwise("libdevice", "", [{", ".join(values)}], {{{entry}}}, is_pure=True)'


def kernel(name, lines):
    loads = [f"    {v}_{kind} = load({'x' if kind[0] == 'f' else 'n'} + {SIZE * i} + o).to({kind})" for i, v in enumerate("abcd") for kind in TYPES.values()]
    return "\n".join([f"def {name}(x: ptr[f64], n: ptr[i64], out: ptr[i64]):", f"    o = arange(0, {SIZE})", *loads, *lines]) + "\n\n\n"


def stored(i, call):
    bits = "y.to(float64).to(int64, bitcast=True) if y.dtype.is_floating() else y.to(int64)"
    return [f"    y = {call}", f"    store(out + {i * SIZE} + o, {bits})"]


def compile_all(tilec):
    text = ""
    for i, (name, result, by_name, by_symbol) in enumerate(calls()):
        kinds = f"{result}, u{result}, int1" if result == "int32" else f"{result}, u{result}" if result == "int64" else result
        check = f"    static_assert(({by_name}).dtype in ({kinds},), '{name} has another type')"
        text += "@kernel\n" + kernel(f"{name}_{i}", [check, *stored(0, by_name), *stored(1, by_symbol)])
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "all.tile"
        path.write_text(text)
        for arch in ["sm_80", "sm_90a"]:
            ptx = path.with_suffix(f".{arch}.ptx")
            subprocess.run([tilec, path, "--arch", arch, "-o", ptx], check=True)
            print(f"{arch}: {ptx.read_text().count('.entry')} kernels of {len({name for name, *_ in calls()})} functions")


def inputs():
    """Numbers of both signs, below and beyond 1 and 8, whole and broken, and special ones."""
    rng = np.random.default_rng(7)
    x = np.concatenate([rng.random((4, 8)) * 2 - 1, rng.random((4, 8)) * 20 - 10, rng.random((4, 8)) * 4, np.ones((4, 8)) * [0, 1, -2, 0.5, 30, np.inf, -np.inf, np.nan]], axis=1)
    n = rng.integers(-4, 40, (4, SIZE))
    n[:, -4:] = [0, 1, -1, 2**31 - 1 - 3]
    n[0, -1] = 12345678
    return x.astype(np.float32).astype(np.float64), n


def run(tile_run, folder, name, lines, count, options):
    path = pathlib.Path(folder)
    (path / f"{name}.tile").write_text("@kernel(num_warps=1)\n" + kernel(name, lines))
    command = [tile_run, path / f"{name}.tile", "--grid", "1", f"x=@{path}/x.npy", f"n=@{path}/n.npy", f"out=zeros(i64,{count},{SIZE})", "--save", f"out={path}/out.npy", *options]
    subprocess.run(command, check=True)
    return np.load(path / "out.npy")


def bits(result, rows):
    """Whole numbers of 32 bits without their sign, which the symbols do not tell."""
    return rows & 0xFFFFFFFF if result == "int32" else rows


def differ(name, result, got, want, x):
    """Do the results of one function differ by more than two engines may?"""
    if result[0] != "f":
        # Which NaN it is is nobody's business.
        return (got != want)[~np.isnan(x[0]) | ("_as_" not in name)].any()
    got, want = got.view(np.float64), want.view(np.float64)
    if re.search("_r[nzdu]$", name):  # rounded in a direction: one answer
        return not np.array_equal(got, want, equal_nan=True)
    tolerance = 2e-5 if any(name.startswith(part) for part in FAST) else 2e-6 if result == "fp32" else 1e-13
    return not np.allclose(got, want, rtol=tolerance, atol=tolerance if name.startswith("fast_") or name in ["jn", "yn"] else 0, equal_nan=True)


def compare(tile_run, is_device):
    failures, rows = 0, list(calls())
    with tempfile.TemporaryDirectory() as folder:
        x, n = inputs()
        np.save(f"{folder}/x.npy", x)
        np.save(f"{folder}/n.npy", n)
        for first in range(0, len(rows), 40):
            some = rows[first : first + 40]
            lines = [line for i, row in enumerate(some) for line in stored(i, row[2])]
            want = run(tile_run, folder, "by_name", lines, len(some), [])
            if not is_device:
                lines = [line for i, row in enumerate(some) for line in stored(i, row[3])]
            got = run(tile_run, folder, "other", lines, len(some), ["--device", "cuda"] if is_device else [])
            for (name, result, *_), a, b in zip(some, got, want):
                a, b = bits(result, a), bits(result, b)
                if differ(name, result, a, b, x) if is_device else (a != b).any():
                    failures += 1
                    kind = np.float64 if result[0] == "f" else np.int64
                    at = np.flatnonzero(a != b)
                    print(f"{name} {result}: {a.view(kind)[at]}, not {b.view(kind)[at]} for {x[:, at]} or {n[:, at]}")
    print(f"{len(rows) - failures} passed, {failures} failed")
    return failures > 0


if sys.argv[1] == "compile":
    compile_all(sys.argv[2])
else:
    sys.exit(compare(sys.argv[2], sys.argv[1] == "device"))
