"""Small kernels of every kind of operation, made rather than written.

usage: generated_kernels.py assemble TILEC [FAMILY...]
       generated_kernels.py compare TILE_RUN [--sample N [--seed N]] [--jobs N] [FAMILY...]
       generated_kernels.py cut TILE_RUN [FAMILY...]

`assemble` compiles each family for three architectures and, where ptxas is present,
assembles the PTX. `compare` runs each kernel on the interpreter and on the GPU and
compares what they leave in memory; of each family N at random with `--sample`. `cut` compares on the interpreter alone: each
kernel as it is and with its tiles cut into small chunks, if that cuts any; each family
must have such kernels.
"""

import argparse
import concurrent.futures
import dataclasses
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

ARCHITECTURES = ["sm_80", "sm_89", "sm_90a"]
BYTES = {"i8": 1, "i16": 2, "i32": 4, "i64": 8, "f8E4M3FN": 1, "f8E5M2": 1,
         "f16": 2, "bf16": 2, "f32": 4, "f64": 8}
INTEGERS = ["i8", "i16", "i32", "i64"]
FLOATS = ["f8E4M3FN", "f8E5M2", "f16", "bf16", "f32", "f64"]
# The language's names, in signatures and values.
NAMES = {"f8E4M3FN": "fp8e4nv", "f8E5M2": "fp8e5", "f16": "fp16", "f32": "fp32", "f64": "fp64"}
# Small chunks, from tiles of a few elements a thread on; nothing in shared memory, which the interpreter has not.
CUT = "elements=4 registers=16 keep=false"
# How far two orders of one sum may lie apart.
TOLERANCE = {"f16": 0.02, "bf16": 1.0, "f32": 1e-3, "f64": 1e-9}
# And two products in tf32: the interpreter rounds to it, tensor cores cut, and what is too small for them does neither.
TF32_TOLERANCE = 8e-3


def name_of(element):
    return NAMES.get(element, element)


@dataclasses.dataclass
class Kernel:
    name: str
    body: str
    arguments: list  # (name, type, value); arrays have types like *f32
    outputs: list
    tolerance: float = 0
    warps: int = 4

    def text(self):
        arguments = []
        for name, kind, _ in self.arguments:
            pointer = kind.startswith("*")
            element = kind.lstrip("*")
            mlir = f"!tile.ptr<{element}>" if pointer else element
            hint = ", tile.divisibility = 16 : i32" if pointer else ""
            arguments.append(f'%{name}: {mlir} {{tile.name = "{name}", '
                             f'tile.type = "{"*" * pointer}{name_of(element)}"{hint}}}')
        return (f"func.func @{self.name}({', '.join(arguments)}) attributes "
                f"{{tile.kernel, tile.num_warps = {self.warps} : i32}} {{\n{self.body}\n  return\n}}\n")


# ===-- Pieces of kernels ------------------------------------------------------===#


def tile(shape, element):
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


def addresses(base, shape, element, tag):
    """Pointers %q<tag> to a packed tile at %<base>, by its flat index %i<tag>."""
    flat = [1]
    for size in shape:
        flat[0] *= size
    pointers, index = tile(shape, f"!tile.ptr<{element}>"), tile(shape, "i32")
    return f"""  %f{tag} = tile.arange 0, {flat[0]} : {tile(flat, "i32")}
  %i{tag} = tile.reshape %f{tag} : {tile(flat, "i32")} -> {index}
  %s{tag} = tile.splat %{base} : !tile.ptr<{element}> -> {pointers}
  %q{tag} = tile.addptr %s{tag}, %i{tag} : {pointers}, {index}
"""


def load(base, shape, element, tag):
    """%v<tag>, the tile at %<base>."""
    pointers = tile(shape, f"!tile.ptr<{element}>")
    return (addresses(base, shape, element, tag) +
            f"  %v{tag} = tile.load %q{tag} : {pointers} -> {tile(shape, element)}\n")


def store(base, shape, element, tag, value):
    pointers = tile(shape, f"!tile.ptr<{element}>")
    return (addresses(base, shape, element, tag) +
            f"  tile.store %q{tag}, {value} : {pointers}, {tile(shape, element)}\n")


def region(element, operation):
    return f"""{{
  ^bb0(%left: {element}, %right: {element}):
    %both = arith.{operation} %left, %right : {element}
    tile.yield %both : {element}
  }}
"""


def values(element, shape, seed):
    sizes = ",".join(map(str, shape))
    if element in INTEGERS:
        return f"randint({element},-100,100,{sizes},seed={seed})"
    return f"randn({name_of(element)},{sizes},seed={seed})"


def zeros(element, shape):
    return f"zeros({name_of(element)},{','.join(map(str, shape))})"


# ===-- Families ---------------------------------------------------------------===#


def memory():
    """Every element type and width of mask."""
    for element in INTEGERS + FLOATS:
        for size in (16, 1024):
            for bound in (size - 5, size - 8):
                shape = [size]
                body = load("p", shape, element, "p") + addresses("o", shape, element, "o")
                body += f"""  %n = arith.constant dense<{bound}> : {tile(shape, "i32")}
  %m = arith.cmpi slt, %ip, %n : {tile(shape, "i32")}
  tile.store %qo, %vp mask %m : {tile(shape, f"!tile.ptr<{element}>")}, {tile(shape, element)}"""
                yield Kernel(f"memory_{element}_{size}_{bound}", body, [
                    ("p", "*" + element, values(element, shape, 1)),
                    ("o", "*" + element, values(element, shape, 2))], ["o"])


def combinations():
    """Reductions and scans along each axis, in few and in many warps."""
    for element, operation in (("i8", "addi"), ("i64", "maxsi"), ("f16", "maxnumf"),
                               ("f32", "addf"), ("f64", "addf")):
        for shape in ([2, 4], [16, 64], [64, 16], [1, 256], [4, 8, 16]):
            for axis in range(len(shape)):
                for warps in {"f32": (1, 4, 16), "f64": (1,)}.get(element, (4,)):
                    rest = shape[:axis] + shape[axis + 1:]
                    whole, tail = tile(shape, element), f"{'_'.join(map(str, shape))}_{axis}_{warps}"
                    tolerance = TOLERANCE.get(element, 0) if operation == "addf" else 0
                    source = ("p", "*" + element, values(element, shape, 1))
                    body = load("p", shape, element, "p")
                    body += f"  %r = tile.reduce (%vp) axis {axis} : {whole} -> {tile(rest, element)} "
                    body += region(element, operation) + store("o", rest, element, "o", "%r")
                    yield Kernel(f"reduce_{element}_{tail}", body, [
                        source, ("o", "*" + element, zeros(element, rest))], ["o"], tolerance, warps)
                    for reverse in ("", "reverse "):
                        body = load("p", shape, element, "p")
                        body += f"  %r = tile.scan (%vp) axis {axis} {reverse}: {whole} -> {whole} "
                        body += region(element, operation) + store("o", shape, element, "o", "%r")
                        yield Kernel(f"scan_{element}_{tail}_{reverse.strip()}", body, [
                            source, ("o", "*" + element, zeros(element, shape))], ["o"], tolerance, warps)


def layouts():
    """Tiles that change hands: stored transposed, under another shape."""
    for element in ("i8", "f16", "f32", "f64"):
        for rows, columns in ((2, 4), (16, 64), (64, 64), (128, 32)):
            for warps in (1, 8):
                shape, turned, flat = [rows, columns], [columns, rows], [rows * columns]
                body = load("p", shape, element, "p")
                body += f"  %t = tile.trans %vp, [1, 0] : {tile(shape, element)} -> {tile(turned, element)}\n"
                body += store("o", turned, element, "o", "%t")
                body += f"  %f = tile.reshape %t : {tile(turned, element)} -> {tile(flat, element)}\n"
                body += store("u", flat, element, "u", "%f")
                yield Kernel(f"layout_{element}_{rows}_{columns}_{warps}", body, [
                    ("p", "*" + element, values(element, shape, 1)),
                    ("o", "*" + element, zeros(element, turned)),
                    ("u", "*" + element, zeros(element, flat))], ["o", "u"], 0, warps)


def products():
    """Products of each type, shape and orientation."""
    for left, right, out in (("f16", "f16", "f32"), ("bf16", "bf16", "f32"), ("f32", "f32", "f32"),
                             ("f16", "f16", "f16"), ("i8", "i8", "i32"), ("f64", "f64", "f64"),
                             ("f8E4M3FN", "f8E5M2", "f32"), ("f8E5M2", "f8E5M2", "f16")):
        for m, n, k in ((1, 16, 32), (16, 8, 16), (64, 64, 32), (32, 64, 64), (4, 4, 4), (64, 2, 16)):
            for turned in (False, True):
                for precision in range(5) if left == "f32" else (0,):
                    body = load("a", [m, k], left, "a") + load("c", [m, n], out, "c")
                    b = [n, k] if turned else [k, n]
                    body += load("b", b, right, "b")
                    right_tile, operand = tile([k, n], right), "%vb"
                    if turned:
                        body += f"  %t = tile.trans %vb, [1, 0] : {tile(b, right)} -> {right_tile}\n"
                        operand = "%t"
                    body += (f"  %d = tile.dot %va, {operand}, %vc {{precision = {precision} : i32}} : "
                             f"{tile([m, k], left)}, {right_tile} -> {tile([m, n], out)}\n"
                             f"  tile.store %qc, %d : {tile([m, n], f'!tile.ptr<{out}>')}, {tile([m, n], out)}")
                    yield Kernel(f"product_{left}_{right}_{out}_{m}_{n}_{k}_{int(turned)}_{precision}", body, [
                        ("a", "*" + left, values(left, [m, k], 1)), ("b", "*" + right, values(right, b, 2)),
                        ("c", "*" + out, values(out, [m, n], 3))], ["c"],
                        TF32_TOLERANCE if left == "f32" and precision == 0 else TOLERANCE.get(out, 0),
                        4 if m * n > 256 else 1)


def conversions():
    """Between float types: f32 from bit patterns all over its range, then on."""
    shape = [4096]
    for target in FLOATS:
        for mode in ("", " toward_zero"):
            if target == "f32" or (target == "f64" and mode):
                continue
            narrow = BYTES[target] < 4
            body = addresses("o", shape, target, "o") + f"""  %k = arith.constant dense<1048573> : {tile(shape, "i32")}
  %bits = arith.muli %io, %k : {tile(shape, "i32")}
  %x = arith.bitcast %bits : {tile(shape, "i32")} to {tile(shape, "f32")}
  %y = arith.{"truncf" if narrow else "extf"} %x{mode} : {tile(shape, "f32")} to {tile(shape, target)}
  tile.store %qo, %y : {tile(shape, f"!tile.ptr<{target}>")}, {tile(shape, target)}
"""
            outputs = [("o", "*" + target, zeros(target, shape))]
            if narrow:
                body += f"  %z = arith.extf %y : {tile(shape, target)} to {tile(shape, 'f64')}\n"
                body += store("w", shape, "f64", "w", "%z")
                outputs.append(("w", "*f64", zeros("f64", shape)))
            yield Kernel(f"convert_{target}{mode.replace(' ', '_')}", body, outputs,
                         [name for name, _, _ in outputs])


def arithmetic():
    shape = [1024]
    for element in INTEGERS + FLOATS:
        operations = (["addi", "muli", "minsi", "maxui", "xori"] if element in INTEGERS else
                      ["addf", "mulf", "divf", "maxnumf", "minimumf"])
        for operation in operations:
            body = load("p", shape, element, "p") + load("r", shape, element, "r")
            body += f"  %x = arith.{operation} %vp, %vr : {tile(shape, element)}\n"
            body += store("o", shape, element, "o", "%x")
            yield Kernel(f"{operation}_{element}", body, [
                ("p", "*" + element, values(element, shape, 1)), ("r", "*" + element, values(element, shape, 2)),
                ("o", "*" + element, zeros(element, shape))], ["o"])


def atomics():
    """On distinct addresses, on shared ones, and whose result others need."""
    for element, kind in (("i32", "add"), ("i64", "umin"), ("f32", "fadd"), ("f64", "fmax"), ("i32", "xor")):
        for order in ("relaxed", "acq_rel"):
            for size in (16, 512):
                shape, pointers = [size], tile([size], f"!tile.ptr<{element}>")
                body = load("v", shape, element, "v") + addresses("p", shape, element, "p") + f"""
  %old = tile.atomic_rmw {kind}, {order}, gpu, %qp, %vv : {pointers}, {tile(shape, element)}
  %c = arith.constant dense<8> : {tile(shape, "i32")}
  %few = arith.remui %iv, %c : {tile(shape, "i32")}
  %hs = tile.splat %h : !tile.ptr<i32> -> {tile(shape, "!tile.ptr<i32>")}
  %hq = tile.addptr %hs, %few : {tile(shape, "!tile.ptr<i32>")}, {tile(shape, "i32")}
  %n = tile.atomic_rmw add, {order}, gpu, %hq, %iv : {tile(shape, "!tile.ptr<i32>")}, {tile(shape, "i32")}
  %sum = tile.load %hq : {tile(shape, "!tile.ptr<i32>")} -> {tile(shape, "i32")}
"""
                body += store("o", shape, element, "o", "%old") + store("u", shape, "i32", "u", "%sum")
                yield Kernel(f"atomic_{kind}_{element}_{order}_{size}", body, [
                    ("v", "*" + element, values(element, shape, 1)), ("p", "*" + element, values(element, shape, 2)),
                    ("h", "*i32", zeros("i32", [8])), ("o", "*" + element, zeros(element, shape)),
                    ("u", "*i32", zeros("i32", shape))], ["p", "h", "o", "u"])


def random_addresses():
    """Loads whose addresses are computed at random: vectors must not be too wide."""
    chance = random.Random(7)
    for number in range(60):
        size, element = chance.choice([64, 1024]), chance.choice(["i8", "f16", "f32", "i64"])
        index = tile([size], "i32")
        body = addresses("o", [size], element, "o") + f"  %n = tile.splat %b : i32 -> {index}\n"
        known, masks = ["%io", "%n"], []
        for step in range(chance.randint(2, 8)):
            x, y, operation = chance.choice(known[-3:]), chance.choice(known), chance.choice(
                ["addi", "addi", "subi", "muli", "divsi", "remsi", "divui", "minsi", "select"])
            if operation in ("muli", "divsi", "remsi", "divui", "subi") or chance.random() < 0.5:
                y = f"%c{step}"
                body += f"  {y} = arith.constant dense<{chance.choice([1, 2, 3, 4, 8, 16, 24])}> : {index}\n"
            if operation == "select":
                masks.append(f"%m{step}")
                predicate = chance.choice(["slt", "sge", "sgt", "ult", "eq"])
                body += f"  %m{step} = arith.cmpi {predicate}, {chance.choice(known)}, {y} : {index}\n"
                body += f"  %x{step} = arith.select %m{step}, {x}, {y} : {tile([size], 'i1')}, {index}\n"
            else:
                body += f"  %x{step} = arith.{operation} {x}, {y} : {index}\n"
            known.append(f"%x{step}")
        pointers = tile([size], f"!tile.ptr<{element}>")
        mask = f" mask {chance.choice(masks)}" if masks and chance.random() < 0.7 else ""
        body += f"""  %c = arith.constant dense<4096> : {index}
  %low = arith.remsi {known[-1]}, %c : {index}
  %at = arith.addi %low, %c : {index}
  %s = tile.splat %p : !tile.ptr<{element}> -> {pointers}
  %q = tile.addptr %s, %at : {pointers}, {index}
  %v = tile.load %q{mask} : {pointers} -> {tile([size], element)}
  tile.store %qo, %v : {pointers}, {tile([size], element)}"""
        yield Kernel(f"address_{number}", body, [
            ("p", "*" + element, values(element, [8192], 1)), ("o", "*" + element, zeros(element, [size])),
            ("b", "i32", str(chance.randint(1, 400)))], ["o"], 0, chance.choice([1, 4]))


def grid_addresses(base, shape, element, tag):
    """Pointers %q<tag> to a packed tile of two axes, from a range of each."""
    rows, columns = shape
    index, pointers = tile(shape, "i32"), tile(shape, f"!tile.ptr<{element}>")
    return f"""  %a{tag} = tile.arange 0, {rows} : {tile([rows], "i32")}
  %b{tag} = tile.arange 0, {columns} : {tile([columns], "i32")}
  %c{tag} = tile.expand_dims %a{tag}, 1 : {tile([rows], "i32")} -> {tile([rows, 1], "i32")}
  %d{tag} = tile.expand_dims %b{tag}, 0 : {tile([columns], "i32")} -> {tile([1, columns], "i32")}
  %w{tag} = arith.constant dense<{columns}> : {tile([rows, 1], "i32")}
  %e{tag} = arith.muli %c{tag}, %w{tag} : {tile([rows, 1], "i32")}
  %g{tag} = tile.broadcast %e{tag} : {tile([rows, 1], "i32")} -> {index}
  %h{tag} = tile.broadcast %d{tag} : {tile([1, columns], "i32")} -> {index}
  %i{tag} = arith.addi %g{tag}, %h{tag} : {index}
  %s{tag} = tile.splat %{base} : !tile.ptr<{element}> -> {pointers}
  %q{tag} = tile.addptr %s{tag}, %i{tag} : {pointers}, {index}
"""


def chains(element, columns):
    """Rows that are walked several times, and what is written meanwhile: (name, body, arguments, outputs)."""
    row, mask, index = tile([columns], element), tile([columns], "i1"), tile([columns], "i32")
    pointers = tile([columns], f"!tile.ptr<{element}>")
    power = "math.exp %x" if element == "f32" else "arith.mulf %x, %x"  # the GPU has no exp of f64
    maximum, total = region(element, "maxnumf"), region(element, "addf")
    array = lambda name, seed: (name, "*" + element, values(element, [columns], seed))
    normalise = f"""  %max = tile.reduce (%vp) axis 0 commutative : {row} -> {element} {maximum}
  %ms = tile.splat %max : {element} -> {row}
  %x = arith.subf %vp, %ms : {row}
  %e = {power} : {row}
  %sum = tile.reduce (%e) axis 0 commutative : {row} -> {element} {total}
  %ss = tile.splat %sum : {element} -> {row}
  %y = arith.divf %e, %ss : {row}
"""
    yield "softmax", load("p", [columns], element, "p") + normalise + store("o", [columns], element, "o", "%y"), [
        array("p", 1), array("o", 2)], ["o"]
    yield "in_place", load("p", [columns], element, "p") + normalise + (
        f"  tile.store %qp, %y : {pointers}, {row}\n"), [array("p", 1)], ["p"]
    # The same memory at other addresses: what is read must be read before.
    shifted = load("p", [columns], element, "p") + normalise + f"""  %one = arith.constant dense<1> : {index}
  %qn = tile.addptr %qp, %one : {pointers}, {index}
  %c = arith.constant dense<{columns - 1}> : {index}
  %m = arith.cmpi slt, %ip, %c : {index}
  tile.store %qn, %y mask %m : {pointers}, {row}
"""
    yield "shifted", shifted, [array("p", 1)], ["p"]
    again = load("p", [columns], element, "p") + store("o", [columns], element, "o", "%vp") + f"""
  %zero = arith.constant dense<{columns - 1}> : {index}
  %back = arith.subi %zero, %io : {index}
  %so2 = tile.splat %o : !tile.ptr<{element}> -> {pointers}
  %qb = tile.addptr %so2, %back : {pointers}, {index}
  %v2 = tile.load %qb : {pointers} -> {row}
""" + store("u", [columns], element, "u", "%v2")
    yield "read_back", again, [array("p", 1), array("o", 2), array("u", 3)], ["o", "u"]
    argmax = load("p", [columns], element, "p") + f"""  %max:2 = tile.reduce (%vp, %ip) axis 0 commutative : {row}, {index} -> {element}, i32 {{
  ^bb0(%a: {element}, %i: i32, %b: {element}, %j: i32):
    %more = arith.cmpf ogt, %b, %a : {element}
    %same = arith.cmpf oeq, %b, %a : {element}
    %before = arith.cmpi slt, %j, %i : i32
    %tie = arith.andi %same, %before : i1
    %take = arith.ori %more, %tie : i1
    %v = arith.select %take, %b, %a : {element}
    %k = arith.select %take, %j, %i : i32
    tile.yield %v, %k : {element}, i32
  }}
  tile.store %o, %max#0 : !tile.ptr<{element}>, {element}
  tile.store %u, %max#1 : !tile.ptr<i32>, i32
"""
    yield "argmax", argmax, [array("p", 1), array("o", 2), ("u", "*i32", zeros("i32", [1]))], ["o", "u"]
    carried = f"""  %lo = arith.constant 0 : i32
  %hi = arith.constant 3 : i32
  %step = arith.constant 1 : i32
""" + load("p", [columns], element, "p") + f"""  %l = scf.for %k = %lo to %hi step %step iter_args(%t = %vp) -> ({row}) : i32 {{
    %t2 = arith.addf %t, %vp : {row}
    scf.yield %t2 : {row}
  }}
""" + store("o", [columns], element, "o", "%l")
    yield "carried", carried, [array("p", 1), array("o", 2)], ["o"]


def rows():
    """Tiles that are too big for the registers: rows, and tiles of several rows."""
    for element in ("f32", "f64"):
        for columns, warps in ((8192, 1), (32768, 8)):
            for name, body, arguments, outputs in chains(element, columns):
                # Nothing cuts it: its accesses keep their order. As one tile the wider one is too big.
                if name == "shifted" and columns > 8192:
                    continue
                yield Kernel(f"row_{name}_{element}_{columns}", body, arguments, outputs, TOLERANCE[element], warps)
    for element, warps in (("f32", 4), ("f16", 8)):
        for shape in ([256, 128], [4, 8192], [1, 32768], [16384, 2]):
            for axis in (0, 1):
                whole, rest = tile(shape, element), [shape[1 - axis]]
                line = [shape[0], 1] if axis else [1, shape[1]]
                body = grid_addresses("p", shape, element, "p")
                body += f"  %vp = tile.load %qp : {tile(shape, f'!tile.ptr<{element}>')} -> {whole}\n"
                body += f"  %r = tile.reduce (%vp) axis {axis} commutative : {whole} -> {tile(rest, element)} "
                body += region(element, "maxnumf") + store("o", rest, element, "o", "%r")
                body += f"""  %re = tile.expand_dims %r, {axis} : {tile(rest, element)} -> {tile(line, element)}
  %rb = tile.broadcast %re : {tile(line, element)} -> {whole}
  %x = arith.subf %vp, %rb : {whole}
  %t = tile.trans %x, [1, 0] : {whole} -> {tile(shape[::-1], element)}
""" + grid_addresses("u", shape[::-1], element, "u") + (
                    f"  tile.store %qu, %t : {tile(shape[::-1], f'!tile.ptr<{element}>')}, {tile(shape[::-1], element)}\n")
                yield Kernel(f"rows_{element}_{shape[0]}_{shape[1]}_{axis}", body, [
                    ("p", "*" + element, values(element, shape, 1)), ("o", "*" + element, zeros(element, rest)),
                    ("u", "*" + element, zeros(element, shape[::-1]))], ["o", "u"], 0, warps)


def odd_rows():
    """Rows that start anywhere and end before the tile does, or do not."""
    for element in ("i8", "f16", "f32", "f64"):
        for start, bound in ((0, 1000), (1, 1000), (3, 781), (5, 1), (7, 0), (6, 1017), (2, 1024), (9, 2000)):
            shape, operation = [1024], "maxsi" if element == "i8" else "maxnumf"
            pointers, row, index = tile(shape, f"!tile.ptr<{element}>"), tile(shape, element), tile(shape, "i32")
            body = f"""  %i = tile.arange 0, 1024 : {index}
  %ns = tile.splat %n : i32 -> {index}
  %m = arith.cmpi slt, %i, %ns : {index}
  %pa = tile.addptr %p, %at : !tile.ptr<{element}>, i32
  %oa = tile.addptr %o, %at : !tile.ptr<{element}>, i32
  %ps = tile.splat %pa : !tile.ptr<{element}> -> {pointers}
  %os = tile.splat %oa : !tile.ptr<{element}> -> {pointers}
  %pq = tile.addptr %ps, %i : {pointers}, {index}
  %oq = tile.addptr %os, %i : {pointers}, {index}
  %x = tile.load %pq mask %m : {pointers} -> {row}
  %t = tile.reduce (%x) axis 0 commutative : {row} -> {element} {region(element, operation)}
  %ts = tile.splat %t : {element} -> {row}
  %y = arith.{"addi" if element == "i8" else "subf"} %x, %ts : {row}
  tile.store %oq, %y mask %m : {pointers}, {row}"""
            yield Kernel(f"odd_row_{element}_{start}_{bound}", body, [
                ("p", "*" + element, values(element, [1040], 1)), ("o", "*" + element, values(element, [1040], 2)),
                ("at", "i32", str(start)), ("n", "i32", str(bound))], ["o"], 0, 2 if element == "f64" else 4)


FAMILIES = [rows, odd_rows, memory, combinations, layouts, products, conversions, arithmetic, atomics, random_addresses]


# ===-- Commands ---------------------------------------------------------------===#


def assemble(tilec, families):
    with tempfile.TemporaryDirectory() as folder:
        for family in families:
            source = pathlib.Path(folder, family.__name__ + ".mlir")
            source.write_text("".join(kernel.text() for kernel in family()))
            for architecture in ARCHITECTURES:
                ptx = source.with_suffix(".ptx")
                subprocess.run([tilec, source, "--arch", architecture, "--verify-each", "-o", ptx], check=True)
                if shutil.which("ptxas"):
                    subprocess.run(["ptxas", "-O0", f"-arch={architecture}", ptx, "-o", source.with_suffix(".cubin")],
                                   check=True)


def cut_tiles(kernel, source, folder):
    """The file of the kernel with its tiles cut, or None if nothing cuts it."""
    texts = []
    for more in [], [f"--tilegpu-strip-mine={CUT}"]:
        passes = ["--canonicalize", "--cse", "--tilegpu-set-target", *more]
        texts.append(subprocess.run(["tile-opt", source, *passes], capture_output=True, text=True, check=True).stdout)
    if texts[0] == texts[1]:
        return None
    result = pathlib.Path(folder, kernel.name + ".cut.mlir")
    result.write_text(texts[1])
    return result


def run_both(tile_run, kernel, folder, cut=False):
    """What the GPU, or the kernel with its tiles cut, does otherwise than the interpreter; empty if nothing, and None
    if nothing cuts the kernel."""
    source = other = pathlib.Path(folder, kernel.name + ".mlir")
    source.write_text(kernel.text())
    if cut:
        try:
            other = cut_tiles(kernel, source, folder)
        except subprocess.CalledProcessError as error:
            return f"{kernel.name}: {error.stdout}{error.stderr}"
        if not other:
            return None
    types = {name: kind.lstrip("*") for name, kind, _ in kernel.arguments}
    options = ["--grid", "1"]
    arguments = [f"{name}={value}" for name, _, value in kernel.arguments]
    saves, expectations = [], []
    for name in kernel.outputs:
        array = pathlib.Path(folder, f"{kernel.name}.{name}.npy")
        saves += ["--save", f"{name}={array}"]
        suffix = ":" + name_of(types[name]) if types[name] in ("bf16", "f8E4M3FN", "f8E5M2") else ""
        expectations += ["--expect", f"{name}=@{array}{suffix}"]
    limits = ["--rtol", str(kernel.tolerance), "--atol", str(kernel.tolerance)]
    device = ["--device", "cpu" if cut else "cuda"]
    for extra in ([source] + saves, [other] + expectations + limits + device):
        done = subprocess.run([tile_run, *options, *extra, *arguments], capture_output=True, text=True)
        if done.returncode:
            return f"{kernel.name}: {done.stdout}{done.stderr}"
    return ""


def compare(tile_run, kernels, cut, jobs):
    """`kernels` are pairs of a family's name and a kernel."""
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(lambda pair: run_both(tile_run, pair[1], folder, cut), kernels))
    faults = [text for text in results if text]
    compared = [family for (family, _), text in zip(kernels, results) if text is not None]
    count = f"{len(compared)} cut, " if cut else ""
    print(f"{len(kernels)} kernels, {count}{len(faults)} differ\n" + "\n".join(faults))
    missing = sorted({family for family, _ in kernels} - set(compared))
    if missing:
        print("nothing cuts a kernel of " + ", ".join(missing))
    return 1 if faults or missing else 0


def choose(families, sample, seed):
    """All kernels of the families, or some of each."""
    for family in families:
        kernels = list(family())
        if sample:
            kernels = random.Random(f"{seed}/{family.__name__}").sample(kernels, min(sample, len(kernels)))
        for kernel in kernels:
            yield family.__name__, kernel


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=["assemble", "compare", "cut"])
    parser.add_argument("tool")
    parser.add_argument("families", nargs="*")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=8)
    options = parser.parse_args()
    families = [family for family in FAMILIES if not options.families or family.__name__ in options.families]
    if options.command == "assemble":
        return assemble(options.tool, families)
    kernels = list(choose(families, options.sample, options.seed))
    return compare(options.tool, kernels, options.command == "cut", options.jobs)


if __name__ == "__main__":
    sys.exit(main())
