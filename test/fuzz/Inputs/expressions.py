"""Random typed programs, run by tilec and by a model of the language in NumPy.

usage: expressions.py [--count N] [--seed N] [--programs N] [--device cpu|cuda] [--jobs N] [--keep FOLDER]

A kernel holds several programs. Each takes tiles of two arrays, computes with values of
every type and shape (promotion, casts, shifts, division, comparisons, broadcasting,
reductions, branches, loops), and stores what it got. On the CPU the interpreter is
compared with the model; with --device cuda the GPU is compared with the interpreter.
Everything must agree to the bit, but for the sign of zeros that maximum and minimum
choose and for which NaN a NaN is.
"""

import argparse
import concurrent.futures
import dataclasses
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np

import model as m

SHAPES = [(1, 1), (1, 16), (4, 8), (3, 5), (8, 33), (16, 16), (2, 100), (7, 1)]
INPUTS = 4096
# Of one program's results: at most four tiles.
SLOT = 4 * 8 * 33


@dataclasses.dataclass
class Value:
    text: str
    kind: str
    data: np.ndarray
    is_product: bool = False  # of floats: an addition would be fused with it

    @property
    def shape(self):
        return self.data.shape


def make_inputs(seed):
    """Integers of every magnitude and floats of every kind."""
    random_bits = np.random.default_rng(seed)
    whole = random_bits.integers(-(1 << 63), (1 << 63) - 1, INPUTS, dtype=np.int64)
    whole >>= random_bits.integers(0, 64, INPUTS)
    whole[::97] = np.resize([0, -1, 1, 127, 128, 255, -128, 1 << 31, -(1 << 31), (1 << 63) - 1, -(1 << 63)],
                            len(whole[::97]))
    floats = random_bits.standard_normal(INPUTS) * 10.0 ** random_bits.integers(-6, 7, INPUTS)
    floats[::53] = np.resize([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 65504, 65520, 1e-40, 1e-7, 3e38, 0.5, 2.5],
                             len(floats[::53]))
    return whole, floats


class Program:
    """One program: its statements, and what they mean."""

    def __init__(self, random_source, number, inputs):
        self.r = random_source
        self.number = number
        self.whole, self.floats = inputs
        self.rows, self.columns = self.r.choice(SHAPES)
        self.lines = []
        self.values = []
        self.names = 0
        self.indent = "    "

    def emit(self, text):
        self.lines.append(self.indent + text)

    def name(self):
        self.names += 1
        return f"v{self.number}_{self.names}"

    def bind(self, text, kind, data, is_product=False):
        name = self.name()
        self.emit(f"{name} = {text}")
        value = Value(name, kind, np.asarray(data), is_product)
        self.values.append(value)
        return value

    def bind_extreme(self, text, kind, data):
        """The greatest or least of floats: of zeros either may come, so both are made one."""
        name = self.name()
        self.emit(f"{name} = {text}")
        data = np.where(data == 0, data.dtype.type(0), data)
        return self.bind(f"where({name} == 0, 0.0, {name})", kind, data)

    #===-- Leaves ----------------------------------------------------------===#

    def load(self):
        shape = self.r.choice([(self.rows, self.columns)] * 3 + [(self.rows, 1), (1, self.columns), ()])
        start = self.r.randrange(INPUTS - self.rows * self.columns)
        kind = self.r.choice(m.TYPES)
        base, source = ("xf", "f64") if m.is_float(kind) else ("xi", "i64")
        array = self.floats if m.is_float(kind) else self.whole
        if shape == ():
            data, place = array[start], str(start)
        else:
            rows = np.arange(shape[0])[:, None]
            index = start + rows * self.columns + np.arange(shape[1])[None, :]
            data = array[index]
            place = f"{start} + arange(0, {shape[0]})[:, None] * {self.columns} + arange(0, {shape[1]})[None, :]"
        text = f"load({base} + {place})"
        return self.bind(f"{text}.to({kind})" if kind != source else text, kind, m.cast(data, source, kind))

    def pick(self, test=lambda v: True):
        """A value that passes a test; a new one if there is none."""
        for _ in range(8):
            value = self.r.choice(self.values)
            if test(value):
                return value
        for _ in range(200):
            value = self.load()
            if test(value):
                return value
        raise AssertionError("no such value")

    def cast(self, value, kind):
        if value.kind == kind:
            return value
        return self.bind(f"{value.text}.to({kind})", kind, m.cast(value.data, value.kind, kind))

    def widened(self, x, y, kind):
        shape = np.broadcast_shapes(x.shape, y.shape)
        return [np.broadcast_to(m.cast(v.data, v.kind, kind) if v.kind != kind else v.data, shape) for v in (x, y)]

    #===-- Operations -------------------------------------------------------===#

    def arithmetic(self):
        op = self.r.choice("+-*+-*&|^")
        if op in "&|^":
            x, y = self.pick(lambda v: not m.is_float(v.kind)), self.pick(lambda v: not m.is_float(v.kind))
        elif op in "+-":
            x, y = self.pick(lambda v: not v.is_product), self.pick(lambda v: not v.is_product)
        else:
            x, y = self.pick(), self.pick()
        kind = m.promote(x.kind, y.kind)
        a, b = self.widened(x, y, kind)
        return self.bind(f"{x.text} {op} {y.text}", kind, m.arithmetic(op, a, b, kind),
                         is_product=op == "*" and m.is_float(kind))

    def literal(self):
        """A literal takes the type of the other side."""
        op = self.r.choice("+-*")
        x = self.pick(lambda v: v.kind != "i1" and (op == "*" or not v.is_product))
        number = self.r.choice([0, 1, 2, 3, 5, 7, 100])
        if m.is_float(x.kind):
            number = self.r.choice([0.5, 2.0, 0.25, 3.0, 1.5])
        other = np.full((), number).astype(m.DTYPES[x.kind])
        text = f"{x.text} {op} {number}" if self.r.random() < 0.5 else f"{number} {op} {x.text}"
        a, b = (x.data, other) if text.startswith(x.text) else (other, x.data)
        return self.bind(text, x.kind, m.arithmetic(op, np.asarray(a), np.asarray(b), x.kind),
                         is_product=op == "*" and m.is_float(x.kind))

    def division(self):
        op = self.r.choice(["//", "%"])
        x = self.pick(lambda v: v.kind != "i1" and not m.is_float(v.kind))
        y = self.cast(self.pick(lambda v: v.kind != "i1"), x.kind)
        y = self.bind(f"{y.text} | 1", x.kind, y.data | m.DTYPES[x.kind].type(1))
        a, b = self.widened(x, y, x.kind)
        return self.bind(f"{x.text} {op} {y.text}", x.kind,
                         (m.divide if op == "//" else m.remainder)(a, b, x.kind))

    def float_remainder(self):
        x = self.cast(self.pick(), self.r.choice(["f16", "f32", "f64"]))
        y = self.cast(self.pick(), x.kind)
        kind = m.promote(x.kind, y.kind, divides=True)
        a, b = self.widened(x, y, kind)
        return self.bind(f"{x.text} % {y.text}", kind, m.remainder(a, b, kind))

    def exact_division(self):
        x, y = self.cast(self.pick(), "f32"), self.cast(self.pick(), "f32")
        a, b = self.widened(x, y, "f32")
        return self.bind(f"div_rn({x.text}, {y.text})", "f32", a / b)

    def shift(self):
        op = self.r.choice(["<<", ">>"])
        x = self.pick(lambda v: v.kind != "i1" and not m.is_float(v.kind))
        y = self.cast(self.pick(lambda v: v.kind != "i1"), x.kind)
        y = self.bind(f"{y.text} & 7", x.kind, y.data & m.DTYPES[x.kind].type(7))
        a, b = self.widened(x, y, x.kind)
        return self.bind(f"{x.text} {op} {y.text}", x.kind, m.shift(op, a, b, x.kind))

    def comparison(self):
        op = self.r.choice(["<", "<=", ">", ">=", "==", "!="])
        x, y = self.pick(lambda v: v.kind != "i1"), self.pick(lambda v: v.kind != "i1")
        a, b = self.widened(x, y, m.promote(x.kind, y.kind))
        return self.bind(f"{x.text} {op} {y.text}", "i1", m.compare(op, a, b))

    def selection(self):
        c = self.cast(self.pick(), "i1")
        x, y = self.pick(), self.pick()
        kind = m.promote(x.kind, y.kind)
        a, b = self.widened(x, y, kind)
        shape = np.broadcast_shapes(c.shape, a.shape)
        return self.bind(f"where({c.text}, {x.text}, {y.text})", kind,
                         np.where(np.broadcast_to(c.data, shape), a, b))

    def extreme(self):
        name = self.r.choice(["maximum", "minimum"])
        x, y = self.pick(lambda v: v.kind != "i1"), self.pick(lambda v: v.kind != "i1")
        kind = m.promote(x.kind, y.kind)
        if kind == "bf16":
            kind = "f32"
        a, b = self.widened(x, y, kind)
        value = m.extreme(name, a, b, kind)
        bind = self.bind_extreme if m.is_float(kind) else self.bind
        return bind(f"{name}({x.text}, {y.text})", kind, value)

    def unary(self):
        x = self.pick(lambda v: v.kind != "i1")
        op = self.r.choice(["-", "abs"] if m.is_float(x.kind) else ["-", "~", "abs"])
        if op == "abs":
            return self.bind(f"abs({x.text})", x.kind, np.abs(x.data))
        if op == "~":
            return self.bind(f"~{x.text}", x.kind, ~x.data)
        return self.bind(f"-{x.text}", x.kind, (-x.data).astype(x.data.dtype))

    def conversion(self):
        x = self.pick()
        kind = self.r.choice([t for t in m.TYPES if t != x.kind])
        return self.bind(f"{x.text}.to({kind})", kind, m.cast(x.data, x.kind, kind))

    def reduction(self):
        x = self.pick(lambda v: len(v.shape) == 2 and v.kind != "i1")
        axis = self.r.randrange(2)
        name = self.r.choice(["max", "min"] if m.is_float(x.kind) else ["sum", "max", "min", "xor_sum"])
        data, kind = x.data, x.kind
        if name in ("max", "min") and m.bits_of(kind) < 32:
            kind = "f32" if m.is_float(kind) else "i32"
            data = m.cast(data, x.kind, kind)
        if name == "sum" and m.bits_of(kind) < 32:
            kind = "i32" if m.is_signed(kind) else "u32"
            data = m.cast(data, x.kind, kind)
        result = {"sum": lambda: np.add.reduce(data, axis, dtype=data.dtype),
                  "max": lambda: np.fmax.reduce(data, axis), "min": lambda: np.fmin.reduce(data, axis),
                  "xor_sum": lambda: np.bitwise_xor.reduce(data, axis)}[name]()
        result = np.expand_dims(result, axis)
        text = f"{name}({x.text}, axis={axis}, keep_dims=True)"
        return (self.bind_extreme if m.is_float(kind) else self.bind)(text, kind, result)

    #===-- Control flow -----------------------------------------------------===#

    def branch(self):
        """A variable that each side of a branch sets."""
        c = self.pick(lambda v: v.shape == ())
        c = self.cast(c, "i1")
        x = self.pick(lambda v: not m.is_float(v.kind) and v.kind != "i1")
        y = self.cast(self.pick(lambda v: not m.is_float(v.kind) and np.broadcast_shapes(v.shape, x.shape) == x.shape),
                      x.kind)
        name = self.name()
        self.emit(f"{name} = {x.text}")
        self.emit(f"if {c.text}:")
        self.emit(f"    {name} = {x.text} + {y.text}")
        self.emit("else:")
        self.emit(f"    {name} = {x.text} ^ {y.text}")
        a, b = self.widened(x, y, x.kind)
        self.values.append(Value(name, x.kind, m.arithmetic("+" if c.data else "^", a, b, x.kind)))

    def loop(self):
        """A sum that a loop carries, with a bound known at run time."""
        x = self.pick(lambda v: not m.is_float(v.kind) and v.kind in ("i32", "i64", "u32"))
        y = self.cast(self.pick(lambda v: not m.is_float(v.kind) and np.broadcast_shapes(v.shape, x.shape) == x.shape),
                      x.kind)
        turns = self.r.randrange(4)
        name = self.name()
        self.emit(f"{name} = {x.text}")
        self.emit(f"for i in range(n - {7 - turns}):")
        self.emit(f"    {name} = {name} * 3 + {y.text} * i.to({x.kind})")
        a, b = self.widened(x, y, x.kind)
        value = np.array(a)
        for i in range(turns):
            value = (value * m.DTYPES[x.kind].type(3) + b * m.DTYPES[x.kind].type(i)).astype(value.dtype)
        self.values.append(Value(name, x.kind, value))

    def build(self, operations):
        for _ in range(3):
            self.load()
        choices = [self.arithmetic] * 4 + [self.literal, self.division, self.float_remainder, self.exact_division,
                                           self.shift, self.comparison, self.comparison, self.selection,
                                           self.extreme, self.unary, self.conversion, self.conversion,
                                           self.reduction, self.branch, self.loop]
        for _ in range(operations):
            self.r.choice(choices)()
        return self.finish()

    def finish(self):
        """Stores the last values; returns what each slot must hold."""
        stores = []
        for k, value in enumerate(self.values[-4:]):
            base, kind = ("of", "f64") if m.is_float(value.kind) else ("oi", "i64")
            at = self.number * SLOT + k * 8 * 33
            if value.shape == ():
                place = str(at)
            else:
                rows, columns = value.shape
                place = f"{at} + arange(0, {rows})[:, None] * {columns} + arange(0, {columns})[None, :]"
            self.emit(f"store({base} + {place}, {value.text}.to({kind}))")
            stores.append((base, at, m.cast(value.data, value.kind, kind).ravel(), value.text))
        return stores


HEADER = '''
@kernel
def k{number}(xi: ptr[i64], xf: ptr[f64], oi: ptr[i64], of: ptr[f64], n: i32):
'''


def make_kernel(seed, number, programs, inputs):
    """Text, and what each program must store."""
    text, wanted = HEADER.format(number=number), []
    for p in range(programs):
        program = Program(random.Random(f"{seed}/{number}/{p}"), p, inputs)
        wanted.append((program.build(12), program.lines))
        text += "\n".join(program.lines) + "\n"
    return text, wanted


def run(folder, number, programs, device):
    size = programs * SLOT
    words = ["tile-run", f"{folder}/k{number}.tile", "--kernel", f"k{number}", "--grid", "1", f"xi=@{folder}/xi.npy",
             f"xf=@{folder}/xf.npy", f"oi=zeros(i64,{size})", f"of=zeros(f64,{size})", "n=7", "--device", device]
    for name in ("oi", "of"):
        words += ["--save", f"{name}={folder}/k{number}.{device}.{name}.npy"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    if done.returncode:
        return None, f"exit status {done.returncode}\n{done.stdout}{done.stderr}"
    return {name: np.load(f"{folder}/k{number}.{device}.{name}.npy") for name in ("oi", "of")}, ""


def equal(got, want):
    return np.array_equal(got, want, equal_nan=got.dtype.kind == "f") and (
        got.dtype.kind != "f" or np.array_equal(np.signbit(got[got == 0]), np.signbit(want[want == 0])))


def check(folder, seed, number, programs, device, inputs):
    """The programs that went wrong, as text."""
    np.seterr(all="ignore")  # holds for one thread
    text, wanted = make_kernel(seed, number, programs, inputs)
    pathlib.Path(f"{folder}/k{number}.tile").write_text(text)
    results, error = run(folder, number, programs, "cpu")
    if results is None:
        return [error]
    other = None
    if device == "cuda":
        other, error = run(folder, number, programs, "cuda")
        if other is None:
            return [error]
    wrong = []
    for stores, lines in wanted:
        for base, at, want, name in stores:
            got = results[base][at:at + len(want)]
            if other is not None:
                want, got = got, other[base][at:at + len(want)]
            if not equal(got, want):
                place = np.flatnonzero(~((got == want) | ((got != got) & (want != want))))
                first = place[0] if len(place) else 0
                wrong.append(f"seed {seed}, kernel {number}: element {first} of {name} is {got[first]!r}, "
                             f"expected {want[first]!r}\n" + "\n".join(lines))
                break
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=4, help="kernels")
    parser.add_argument("--programs", type=int, default=25, help="programs of a kernel")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", help="leave the files in this folder")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or temporary
        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
        whole, floats = inputs = make_inputs(options.seed)
        np.save(f"{folder}/xi.npy", whole)
        np.save(f"{folder}/xf.npy", floats)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            found = pool.map(lambda k: check(folder, options.seed, k, options.programs, options.device, inputs),
                             range(options.count))
            wrong = [text for texts in found for text in texts]
    for text in wrong[:10]:
        print(text)
    total = options.count * options.programs
    print(f"{total - len(wrong)} passed, {len(wrong)} failed")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
