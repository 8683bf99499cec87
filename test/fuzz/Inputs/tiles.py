"""Random kernels of tiles in loops, on the interpreter and on a GPU.

usage: tiles.py [--count N] [--seed N] [--jobs N] [--keep FOLDER] [--only N]

A kernel loads tiles with and without masks, in nested loops that a compiler pipelines, and makes others of them:
products, reductions, scans, transposes, reshapes, gathers, sorts, sums that loops carry, branches, atomic sums, what was
stored and is read again. All numbers are small integers, in whatever type, so that every order of a sum gives the same
and both engines must agree to the bit. Each runs for a random number of warps and stages; the GPU may be the emulator
of test/emulator.
"""

import argparse
import concurrent.futures
import dataclasses
import pathlib
import random
import shlex
import subprocess
import sys
import tempfile

import numpy as np

ELEMENTS = 1 << 16  # of each input
INPUTS = {"i32": "xi", "f32": "xf", "f16": "xh", "i8": "xb", "bf16": "xg", "i64": "xl", "f64": "xd"}
# How large a number may grow: all integers up to it are exact, and one more sum of two.
LIMIT = {"i8": 60, "bf16": 120, "f16": 1000, "f32": 1 << 20, "i32": 1 << 20, "i64": 1 << 20, "f64": 1 << 20}
FLOATS = ("f16", "bf16", "f32", "f64")
SMALL = 7  # what a number is cut to
SIZES = (1, 2, 4, 8, 16, 32, 64, 128)
AREA = 8192  # elements of a tile at most
ROW = 16384  # of one that is too big for the registers of few warps


@dataclasses.dataclass
class Value:
    name: str
    kind: str
    shape: tuple
    bound: int


class Maker:
    """Makes one kernel. `scope` holds the values that the next statement may use."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.lines, self.scope, self.indent, self.names, self.slots = [], [], 1, 0, 0
        self.loops = []  # variables of the loops around
        self.depth = 0

    #===-- Text --------------------------------------------------------------===#

    def emit(self, text):
        self.lines.append("    " * self.indent + text)

    def bind(self, text, kind, shape, bound):
        self.names += 1
        value = Value(f"v{self.names}", kind, shape, bound)
        self.emit(f"{value.name} = ({text}).to({kind})")
        if bound > LIMIT[kind]:
            self.emit(f"{value.name} = minimum(maximum({value.name}, -{SMALL}), {SMALL}).to({kind})")
            value.bound = SMALL
        self.scope.append(value)
        return value

    def pick(self, test=lambda v: True):
        """A value that passes the test, most often a late one; None if there is none."""
        found = [v for v in self.scope if test(v)]
        return found[max(self.r.randrange(len(found)), self.r.randrange(len(found)))] if found else None

    def small(self, value, bound=SMALL):
        """The text of a value cut to a bound."""
        if value.bound <= bound:
            return value.name
        return f"minimum(maximum({value.name}, -{bound}), {bound}).to({value.kind})"

    def shape(self):
        while True:
            shape = self.r.choice(SIZES), self.r.choice(SIZES)
            if 16 <= shape[0] * shape[1] <= AREA:
                return shape

    def index(self, shape, strides):
        """The text of an index and of its parts: rows and columns."""
        rows, columns = f"arange(0, {shape[0]})[:, None]", f"arange(0, {shape[1]})[None, :]"
        return f"{rows} * {strides[0]} + {columns} * {strides[1]}", rows, columns

    def mask(self, rows, columns):
        texts = [f"{columns} < n", f"{rows} < m", f"({rows} < m) & ({columns} < n)", f"{columns} < {self.r.choice(SIZES)}",
                 f"({columns} < n) & (k > {self.r.randrange(8)})"]
        if self.loops:
            texts.append(f"{rows} + {self.loops[-1]} < m")
        return self.r.choice(texts)

    #===-- Statements ----------------------------------------------------------===#

    def load(self):
        shape, kind = self.shape(), self.r.choice(list(INPUTS))
        if self.r.random() < 0.5 and self.scope:
            shape = self.r.choice([v.shape for v in self.scope if len(v.shape) == 2] or [shape])
        stride = self.r.choice([shape[1], shape[1], 128, "n"])
        strides = (stride, 1) if self.r.random() < 0.8 else (1, shape[0])
        text, rows, columns = self.index(shape, strides)
        start = self.r.choice([0, 0, 0, 0, 16, 16, 4, 1, self.r.randrange(999)])
        if self.loops:
            start = f"{start} + {self.r.choice(self.loops)} * {self.r.choice([shape[1], 16, 128, 'n', 1])}"
        if self.r.random() < 0.3:
            start = f"{start} + program_id(0) * 64"
        mask = f", mask={self.mask(rows, columns)}, other={self.r.randrange(3)}" if self.r.random() < 0.6 else ""
        return self.bind(f"load({INPUTS[kind]} + {start} + {text}{mask})", kind, shape, SMALL)

    def row(self):
        """A row that must be walked in pieces: a maximum, a sum, and what becomes of each element."""
        if self.depth or self.slots + ROW > ELEMENTS // 2:
            return None
        kind, start = self.r.choice(["i32", "f32", "f16", "f64"]), self.r.choice([0, 0, 3, 64])
        end = self.r.choice([ROW, ROW, ROW - 9, 10000, "n * 128 + m"])
        x = self.bind(f"load({INPUTS[kind]} + {start} + arange(0, {ROW}), mask=arange(0, {ROW}) < {end}, other=-1)", kind,
                      (ROW,), SMALL)
        self.scope.pop()
        largest = self.bind(f"max({x.name}, axis=0)", kind, (), SMALL)
        total = self.bind(f"sum({x.name}.to({'f32' if kind in FLOATS else 'i32'}), axis=0)", "i32", (), SMALL * ROW)
        self.names += 1
        y = Value(f"v{self.names}", "i32", (ROW,), 1 << 18)
        self.emit(f"{y.name} = ({x.name} - {largest.name}).to(i32) + {total.name}")
        self.store(y)
        return total

    def same_shape(self, value):
        return self.pick(lambda v: v.shape == value.shape) or value

    def arithmetic(self):
        a = self.pick()
        b = self.same_shape(a)
        kind = self.r.choice([a.kind, b.kind])
        op = self.r.choice(["+", "-", "*", "max", "min", "where"])
        if op in ("max", "min"):
            return self.bind(f"{op}imum({a.name}, {b.name})", kind, a.shape, max(a.bound, b.bound))
        if op == "where":
            return self.bind(f"where({a.name} > {b.name}, {a.name}, {b.name} + 1)", kind, a.shape, max(a.bound, b.bound) + 1)
        if op == "*":
            return self.bind(f"{self.small(a)}.to({kind}) * {self.small(b)}.to({kind})", kind, a.shape, SMALL * SMALL)
        bound = LIMIT[kind] // 2
        return self.bind(f"{self.small(a, bound)}.to({kind}) {op} {self.small(b, bound)}.to({kind})", kind, a.shape,
                         min(a.bound, bound) + min(b.bound, bound))

    def conversion(self):
        a, kind = self.pick(), self.r.choice(list(INPUTS))
        return self.bind(f"{self.small(a, LIMIT[kind])}", kind, a.shape, min(a.bound, LIMIT[kind]))

    def broadcast(self):
        """A row or a column with a tile."""
        a = self.pick(lambda v: len(v.shape) == 1)
        b = a and self.pick(lambda v: len(v.shape) == 2 and a.shape[0] in v.shape)
        if b is None:
            return None
        place = "[None, :]" if a.shape[0] == b.shape[1] else "[:, None]"
        bound = LIMIT[b.kind] // 2
        return self.bind(f"{self.small(b, bound)} - {self.small(a, bound)}.to({b.kind}){place}", b.kind, b.shape,
                         min(a.bound, bound) + min(b.bound, bound))

    def reduction(self):
        a = self.pick(lambda v: len(v.shape) >= 1)
        axis = self.r.randrange(len(a.shape))
        rest, size = a.shape[:axis] + a.shape[axis + 1:], a.shape[axis]
        name = self.r.choice(["sum", "max", "min", "argmax", "argmin"])
        if name == "sum":
            kind = "f32" if a.kind in FLOATS else "i32"
            return self.bind(f"sum({self.small(a, 64)}.to({kind}), axis={axis})", kind, rest, min(a.bound, 64) * size)
        kind = "i32" if name.startswith("arg") else a.kind
        return self.bind(f"{name}({a.name}, axis={axis})", kind, rest, size if kind == "i32" else a.bound)

    def scan(self):
        a = self.pick(lambda v: len(v.shape) >= 1)
        axis, kind = self.r.randrange(len(a.shape)), "f32" if a.kind in FLOATS else "i32"
        reverse = ", reverse=True" if self.r.random() < 0.3 else ""
        return self.bind(f"cumsum({self.small(a, 64)}.to({kind}), axis={axis}{reverse})", kind, a.shape,
                         min(a.bound, 64) * a.shape[axis])

    def product(self):
        a = self.pick(lambda v: len(v.shape) == 2 and min(v.shape) >= 2)
        if a is None:
            return None
        b = self.pick(lambda v: len(v.shape) == 2 and v.shape[0] == a.shape[1] and v.shape[1] >= 2)
        right, columns = (b, b.shape[1]) if b else (a, a.shape[0])
        if a.shape[0] * columns > AREA or a.shape[0] * columns * a.shape[1] > 1 << 19:
            return None
        kind = self.r.choice(["f16", "f16", "bf16", "f32", "i8"])
        text = f"{self.small(right)}.to({kind})"
        out = "i32" if kind == "i8" else "f32"
        acc = self.pick(lambda v: v.shape == (a.shape[0], columns))
        start = f", {self.small(acc)}.to({out})" if acc and self.r.random() < 0.6 else ""
        return self.bind(f"dot({self.small(a)}.to({kind}), {text if b else f'trans({text})'}{start})", out,
                         (a.shape[0], columns), SMALL * SMALL * a.shape[1] + SMALL)

    def move(self):
        """The same elements in other places."""
        a = self.pick(lambda v: len(v.shape) == 2)
        if a is None:
            return None
        rows, columns = a.shape
        options = [(f"trans({a.name})", (columns, rows)), (f"reshape({a.name}, ({columns}, {rows}))", (columns, rows)),
                   (f"flip({a.name}, 1)", a.shape)]
        if columns % 2 == 0 and columns > 2:
            options.append((f"reshape({a.name}, ({rows * 2}, {columns // 2}))", (rows * 2, columns // 2)))
        if columns <= 32 and rows * columns <= 1024:
            options.append((f"sort({a.name}, 1)", a.shape))
        index = self.pick(lambda v: v.shape == a.shape and v.kind == "i32")
        if index:
            options.append((f"gather({a.name}, abs({index.name}) % {columns}, 1)", a.shape))
        text, shape = self.r.choice(options)
        return self.bind(text, a.kind, shape, a.bound)

    def split(self):
        """Halves that come together otherwise, tiles of three axes."""
        a = self.pick(lambda v: len(v.shape) == 2 and v.shape[1] >= 4)
        if a is None:
            return None
        rows, columns = a.shape
        half = (rows, columns // 2)
        form = self.r.choice(["halves", "turned", "middle", "batch", "middle", "turned"])
        if form == "halves":
            self.names += 2
            x, y = (Value(f"v{self.names - k}", a.kind, half, a.bound) for k in (1, 0))
            self.emit(f"{x.name}, {y.name} = split(reshape({a.name}, ({rows}, {columns // 2}, 2)))")
            self.scope += [x, y]
            text = self.r.choice([f"interleave({y.name}, {x.name})", f"reshape(join({y.name}, {x.name}), ({rows}, {columns}))"])
            return self.bind(text, a.kind, a.shape, a.bound)
        three = f"reshape({a.name}, ({rows}, {columns // 4}, 4))"
        if form == "turned":
            order = self.r.sample(range(3), 3)
            return self.bind(f"reshape(permute({three}, {order[0]}, {order[1]}, {order[2]}), ({rows}, {columns}))", a.kind,
                             a.shape, a.bound)
        if form == "middle":
            axis = self.r.randrange(3)
            rest = [extent for k, extent in enumerate((rows, columns // 4, 4)) if k != axis]
            return self.bind(f"{self.r.choice(['max', 'min'])}({three}, axis={axis})", a.kind, tuple(rest), a.bound)
        if rows < 4 or rows * columns > 2048:
            return None
        batch = f"reshape({self.small(a)}.to(f16), (2, {rows // 2}, {columns}))"
        return self.bind(f"reshape(dot({batch}, permute({batch}, 0, 2, 1)), ({rows}, {rows // 2}))", "f32", (rows, rows // 2),
                         SMALL * SMALL * columns)

    def branch(self):
        if self.depth >= 2:
            return None
        a = self.pick()
        self.names += 1
        result = Value(f"v{self.names}", a.kind, a.shape, a.bound)
        self.emit(f"{result.name} = {a.name}")
        conditions = [f"k > {self.r.randrange(8)}", "program_id(0) == 0", *(f"{i} % 2 == 1" for i in self.loops)]
        self.emit(f"if {self.r.choice(conditions)}:")
        self.inside(lambda: self.assign(result), 2)
        self.scope.append(result)
        return result

    def loop(self):
        if self.depth >= 2 or not self.scope:
            return None
        carried = []
        for value in self.r.sample(self.scope, min(len(self.scope), self.r.choice([1, 1, 2, 3]))):
            self.names += 1
            carried.append(Value(f"v{self.names}", value.kind, value.shape, SMALL))
            self.emit(f"{carried[-1].name} = {self.small(value)}")
        variable = f"step{self.names}"
        bounds = self.r.choice(["0, k", "0, k", f"0, {self.r.choice([1, 2, 3, 5])}", "1, k", "0, k, 2", "m // 2, m // 2 + 2"])
        self.emit(f"for {variable} in range({bounds}):")
        kept = list(self.scope)
        self.scope += carried
        self.loops.append(variable)
        if self.r.random() < 0.8:
            self.inside(lambda: [self.load(), *(self.assign(v) for v in carried)], 3)
        else:
            self.inside(lambda: [self.assign(v) for v in carried], 3)
        self.loops.pop()
        self.scope = kept + carried
        return carried[0]

    def sums(self):
        """The loop of a product of matrices, or of a sum of rows: its loads are what a compiler copies ahead."""
        if self.depth >= 2:
            return None
        kind = self.r.choice(["f16", "f16", "bf16", "f32", "i8"])
        out = "i32" if kind == "i8" else "f32"
        rows, columns, depth = (self.r.choice([16, 32, 64]) for _ in range(3))
        self.names += 1
        total = Value(f"v{self.names}", out, (rows, columns), SMALL * SMALL * 64 * 8)
        variable = f"step{self.names}"
        self.emit(f"{total.name} = zeros(({rows}, {columns}), {out})")
        self.emit(f"for {variable} in range({self.r.choice(['0, k', '0, k', '0, 3', '1, k', '0, k, 2'])}):")
        self.loops.append(variable)
        self.inside(lambda: self.add_product(total, variable, kind, depth), 1)
        self.loops.pop()
        self.scope.append(total)
        return total

    def add_product(self, total, variable, kind, depth):
        """total = dot(a, b, total) of tiles whose addresses step, in rows or columns, with masks or without."""
        names = []
        for shape, along in (((total.shape[0], depth), 1), ((depth, total.shape[1]), 0)):
            source = self.r.choice([kind] * 4 + ["f16", "i32"])
            row, column = self.r.choice([(128, 1), (shape[1], 1), ("n", 1), (1, 128)])
            text, rows, columns = self.index(shape, (row, column))
            text = f"{INPUTS[source]} + {variable} * {depth} * {(row, column)[along]} + {text}"
            mask = f", mask={self.mask(rows, columns)}, other=0" if self.r.random() < 0.4 else ""
            self.names += 1
            names.append(f"v{self.names}")
            self.emit(f"{names[-1]} = load({text}{mask}).to({kind})")
        self.emit(f"{total.name} = dot({names[0]}, {names[1]}, {total.name})")
        if self.r.random() < 0.2:
            self.emit(f"{total.name} = minimum({total.name}, {SMALL * SMALL * 64}).to({total.kind})")

    def inside(self, last, count):
        """Up to `count` statements in a block, then the last."""
        kept = list(self.scope)
        self.indent += 1
        self.depth += 1
        for _ in range(self.r.randrange(count + 1)):
            self.statement()
        last()
        self.depth -= 1
        self.indent -= 1
        self.scope = kept

    def assign(self, target):
        """Gives a value that a block carries out a new one, of its type, shape and bound."""
        other = self.pick(lambda v: v.shape == target.shape and v is not target)
        text = other.name if other else "1"
        cut = lambda t: f"minimum(maximum({t}, -{target.bound}), {target.bound})"
        bound = LIMIT[target.kind] // 2
        if other and other.bound > bound:
            text = self.small(other, bound)
        text = f"{text}.to({target.kind})" if other else text
        form = self.r.choice([f"{target.name} + {text}", f"{text} - {target.name}" if other else f"{target.name} - 1",
                              f"maximum({target.name}, {text})"])
        self.emit(f"{target.name} = {cut(form)}.to({target.kind})")

    def store(self, value=None):
        """Stores a tile into a place of its own; sometimes it is read again otherwise."""
        value = value or self.pick(lambda v: len(v.shape) >= 1)
        if value is None or self.slots + (ROW if value.shape == (ROW,) else AREA) > ELEMENTS // 2:
            return
        base, kind = ("of", "f32") if value.kind in FLOATS else ("oi", "i32")
        start = f"{base} + program_id(0) * {ELEMENTS // 2} + {self.slots}"
        size = 1
        for extent in value.shape:
            size *= extent
        self.slots += size
        text = self.small(value, 1 << 20)
        if len(value.shape) == 0:
            self.emit(f"store({start}, {text}.to({kind}))")
            return
        if len(value.shape) == 1:
            self.emit(f"store({start} + arange(0, {size}), {text}.to({kind}))")
            return
        rows, columns = value.shape
        place, row, column = self.index(value.shape, (columns, 1) if self.r.random() < 0.7 else (1, rows))
        mask = f", mask={self.mask(row, column)}" if self.r.random() < 0.3 else ""
        if value.kind not in FLOATS and self.r.random() < 0.15:
            self.emit(f"atomic_add({start} + ({place}) // {self.r.choice([1, 1, 2, 8])}, {text}.to(i32){mask})")
            return
        self.emit(f"store({start} + {place}, {text}.to({kind}){mask})")
        if self.r.random() < 0.2 and not mask:
            if self.r.random() < 0.5:
                self.emit("debug_barrier()")
            place, _, _ = self.index(value.shape, (1, rows))
            self.bind(f"load({start} + {place})", kind, value.shape, value.bound)

    def statement(self):
        choices = [self.load, self.load, self.arithmetic, self.arithmetic, self.conversion, self.broadcast, self.reduction,
                   self.reduction, self.scan, self.product, self.product, self.move, self.move, self.split, self.branch, self.loop,
                   self.loop, self.sums, self.sums, self.store, self.row]
        self.r.choice(choices)()

    def make(self):
        hint = lambda: self.r.choice(["", ", 16", ", 16", ", 16"])
        parameters = [f"{name}: ptr[{kind}{hint()}]" for kind, name in INPUTS.items()]
        parameters += [f"oi: ptr[i32{hint()}]", f"of: ptr[f32{hint()}]", "m: i32",
                       "n: i32" + self.r.choice(["", " % 16"]), "k: i32"]
        self.load()
        self.load()
        for _ in range(self.r.randrange(4, 12)):
            self.statement()
        for value in self.scope[-3:]:
            self.store(value)
        return f"@kernel\ndef t({', '.join(parameters)}):\n" + "\n".join(self.lines) + "\n"

    def numbers(self):
        """The scalars of a run; 16 divides n."""
        return {"m": self.r.choice([1, 3, 8, 16, 100]), "n": self.r.choice([16, 32, 64, 128]), "k": self.r.randrange(7)}


#===-- Runs --------------------------------------------------------------------===#


def make_inputs(folder):
    """Small integers as an array of each type; NumPy has no bf16, tile-run rounds to it."""
    draw = np.random.default_rng(1)
    for kind in INPUTS:
        dtype = {"bf16": "f4", "i8": "i1"}.get(kind, kind[0] + str(int(kind[1:]) // 8) if kind[0] != "b" else "f4")
        np.save(f"{folder}/{kind}.npy", draw.integers(-SMALL, SMALL + 1, ELEMENTS).astype(dtype))


def execute(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    return f"{shlex.join(command)}\n{done.stdout}{done.stderr}" if done.returncode else ""


def check(folder, seed, number):
    """What went wrong with a kernel, or nothing."""
    maker = Maker(f"{seed}/{number}")
    file = pathlib.Path(folder, f"t{number}.tile")
    file.write_text(maker.make())
    chance = random.Random(f"{seed}/{number}/run")
    words = ["tile-run", str(file), "--grid", str(chance.choice([1, 2])), f"--num-warps={chance.choice([1, 2, 4, 4, 8, 16])}",
             f"--num-stages={chance.choice([1, 2, 3, 4])}"]
    words += [f"{name}=@{folder}/{kind}.npy{':bf16' * (kind == 'bf16')}" for kind, name in INPUTS.items()]
    words += [f"oi=zeros(i32,{ELEMENTS})", f"of=zeros(f32,{ELEMENTS})"]
    words += [f"{name}={value}" for name, value in maker.numbers().items()]
    results = {name: f"{folder}/t{number}.{name}.npy" for name in ("oi", "of")}
    saves = [word for name, file in results.items() for word in ("--save", f"{name}={file}")]
    expectations = [word for name, file in results.items() for word in ("--expect", f"{name}=@{file}")]
    fault = execute(*words, *saves) or execute(*words, "--device", "cuda", *expectations)
    return f"seed {seed}, kernel {number}: {fault}{file_text(folder, number)}" if fault else ""


def file_text(folder, number):
    return pathlib.Path(folder, f"t{number}.tile").read_text()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=10, help="kernels")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", type=int, help="this kernel of the seed")
    parser.add_argument("--keep", help="leave the files in this folder")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or temporary
        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
        make_inputs(folder)
        numbers = range(options.count) if options.only is None else [options.only]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            faults = [text for text in pool.map(lambda n: check(folder, options.seed, n), numbers) if text]
    for text in faults[:10]:
        print(text)
    print(f"{len(numbers) - len(faults)} passed, {len(faults)} failed")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
