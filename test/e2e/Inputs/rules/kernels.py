"""Kernels of many expressions over tiles of numbers, each with its type and its expected values."""

import math
import pathlib
import re
import shlex
import subprocess

import numpy as np

from formats import from_file, same, to_file

LANES = 32


class Failure(Exception):
    """What a kernel gave and should not."""


class Kernel:
    """Expressions over loaded tiles. The type of each is asserted while compiling, its values are stored."""

    def __init__(self, name, lanes=LANES):
        self.name, self.lanes = name, lanes
        self.inputs = {}   # name: (type, values)
        self.outputs = {}  # type: [(text, expected values, units of the last place)]
        self.lines = []
        self.known = {}

    def load(self, name, kind, values):
        """The name of a tile with these values."""
        if name not in self.inputs:
            self.inputs[name] = (kind, values)
            self.lines.append(f"v_{name} = load({name} + o)")
        return "v_" + name

    def load_values(self, kind, values):
        """The same, under a name of its own."""
        name = self.known.setdefault(repr((kind.name, values)), f"i{len(self.known)}")
        return self.load(name, kind, values)

    def scratch(self, name, kind):
        """Pointers to numbers of its own, all 0 at first."""
        self.inputs.setdefault(name, (kind, [0.0 if kind.is_float else 0] * self.lanes))
        return f"({name} + o)"

    def holds(self, text):
        """The condition `text` is known while compiling, and true."""
        self.lines.append(f"static_assert({text}, {repr(text)})")

    def check(self, text, kind, expected, units=0):
        """The expression `text` has this type and these values, up to units of the last place."""
        checks = self.outputs.setdefault(kind, [])
        label = text.replace('"', "'")
        self.lines.append(f"r = {text}")
        self.lines.append(f'static_assert(r.dtype == {kind.name}, "{label} is {kind.name}")')
        self.lines.append(f"store(out_{kind.name} + {len(checks) * self.lanes} + o, r)")
        checks.append((text, expected, units))

    def source(self):
        names = [(name, kind) for name, (kind, _) in self.inputs.items()]
        names += [("out_" + kind.name, kind) for kind in self.outputs]
        parameters = ", ".join(f"{name}: ptr[{kind.name}]" for name, kind in names)
        body = [f"o = arange(0, {self.lanes})"] + self.lines
        return f"@kernel(num_warps=1)\ndef {self.name}({parameters}):\n    " + "\n    ".join(body) + "\n"

    def run(self, tile_run, options, folder):
        """Runs it; how many values were compared."""
        file = pathlib.Path(folder, self.name + ".tile")
        file.write_text(self.source())
        words = []
        for name, (kind, values) in self.inputs.items():
            path = f"{folder}/{self.name}-{name}.npy"
            np.save(path, to_file(values, kind))
            words.append(f"{name}=@{path}:{kind.name}")
        for kind, checks in self.outputs.items():
            path = f"{folder}/{self.name}-out_{kind.name}.npy"
            words += [f"out_{kind.name}=zeros({kind.name},{len(checks) * self.lanes})", "--save", f"out_{kind.name}={path}"]
        command = [tile_run, str(file), "--grid", "1", *options, *words]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise Failure(f"{shlex.join(command)}\n{done.stdout}{done.stderr}")
        wrong = []
        for kind, checks in self.outputs.items():
            values = from_file(np.load(f"{folder}/{self.name}-out_{kind.name}.npy"), kind)
            for number, (text, expected, units) in enumerate(checks):
                got = values[number * self.lanes:][:self.lanes]
                wrong += self.compare(text, kind, got, expected, units)
        if wrong:
            raise Failure("\n".join(wrong))
        return sum(map(len, self.outputs.values()))

    def compare(self, text, kind, got, expected, units):
        """A sentence about the first lane that differs, if any does."""
        for lane, (g, e) in enumerate(zip(got, expected)):
            if not same(g, e) and not (units and is_near(g, e, kind, units)):
                given = {name: values[lane] for name, (_, values) in self.inputs.items()
                         if re.search(rf"\bv_{name}\b", text)}
                yield f"{self.name}: {text} gives {g!r} as {kind.name}, expected {e!r}, for {given}"
                return


def is_near(got, expected, kind, units):
    """Within units of the last place of the expected value?"""
    if not (math.isfinite(got) and math.isfinite(expected)):
        return False
    exponent = max(math.frexp(expected)[1] - 1, kind.least)
    return abs(got - expected) <= units * math.ldexp(1, exponent - kind.precision + 1)


class Rejected:
    """An expression over loaded numbers that must be refused with one message, at its place."""

    def __init__(self, text, operands, message):
        self.text, self.operands, self.message = text, operands, message

    def source(self, number):
        parameters = ", ".join(f"p{name}: ptr[{kind.name}]" for name, kind in self.operands.items())
        loads = "".join(f"    {name} = load(p{name})\n" for name in self.operands)
        return f"@kernel\ndef rejected_{number}({parameters}):\n{loads}    r = {self.text}\n"


def check_rejected(cases, tilec, folder):
    """Compiles all in one file: each has its message, and no other."""
    text, expected = "", {}
    for number, case in enumerate(cases):
        text += case.source(number)
        expected[text.count("\n")] = case
    file = pathlib.Path(folder, "rejected.tile")
    file.write_text(text)
    done = subprocess.run([tilec, "--emit=tile", str(file), "-o", "/dev/null"], capture_output=True, text=True)
    found = {}
    for line, message in re.findall(r"rejected\.tile:(\d+):\d+: error: (.*)", done.stderr):
        found.setdefault(int(line), []).append(message)
    wrong = [f"{case.text} of {', '.join(k.name for k in case.operands.values())}: expected the error "
             f"'{case.message}', got {found.get(line)}"
             for line, case in expected.items() if found.get(line) != [case.message]]
    wrong += [f"unexpected: {messages}" for line, messages in found.items() if line not in expected]
    if wrong or done.returncode != 1:
        raise Failure("\n".join(wrong) or f"exit status {done.returncode}\n{done.stderr}")
    return len(expected)
