"""Reads PTX text: entries, their parameters and registers, instructions with their lines.

Only what a compiler prints: one module, entries without functions beside them. Inline assembly may hold several
statements in a line and blocks in braces with registers of their own.
"""

import dataclasses
import functools
import json
import re

from .types import DTYPES, Fault, bits_of


@dataclasses.dataclass(frozen=True)
class Operand:
    """kind: register, integer, float, special, vector, address, symbol, label, pair (p|q), not, discard."""
    kind: str
    value: object = None
    offset: int = 0  # of an address, in bytes


class Instruction:
    """`@predicate name.modifiers operands` in a line. Whoever executes it takes the modifiers that it knows; one that
    is left over is an error."""

    def __init__(self, line, text, predicate, negated, opcode, operands):
        self.line, self.text = line, text
        self.predicate, self.negated = predicate, negated
        self.name, *self.modifiers = opcode.split(".")
        self.operands = operands

    def flag(self, *names):
        """Takes the modifiers of these names; whether there was any."""
        found = [m for m in self.modifiers if m in names]
        self.modifiers = [m for m in self.modifiers if m not in names]
        return bool(found)

    def choice(self, *names, default=None):
        """Takes the first of these modifiers."""
        for name in names:
            if name in self.modifiers:
                self.modifiers.remove(name)
                return name
        return default

    def prefixed(self, *prefixes):
        """Takes the modifiers that begin so."""
        found = [m for m in self.modifiers if m.startswith(prefixes)]
        self.modifiers = [m for m in self.modifiers if m not in found]
        return found

    def type(self):
        """Takes the last modifier, a type."""
        if not self.modifiers:
            raise Fault("the instruction has no type")
        return self.modifiers.pop()

    def __str__(self):
        return f"line {self.line}: `{self.text}`"


@dataclasses.dataclass
class Entry:
    name: str
    parameters: list  # (name, type)
    registers: list  # types by number
    instructions: list
    labels: dict  # name to the number of an instruction
    shared: dict  # name to (offset, bytes) of arrays in shared memory
    shared_bytes: int
    local: dict
    local_bytes: int
    threads: int = 0  # .reqntid
    metadata: dict = dataclasses.field(default_factory=dict)


ENTRY = re.compile(r"\.entry\s+([\w$]+)\s*\((.*?)\)([^{;]*)\{", re.S)
GLOBAL = re.compile(r"^\.(?:visible\s+)?\.?(?:global|const)\s+(?:\.align\s+(\d+)\s+)?\.(\w+)\s+([\w$]+)"
                    r"(?:\[(\d*)\])?(?:\s*=\s*(.*?))?;", re.M | re.S)
ARRAY = re.compile(r"\.(shared|local|param)\s+(?:\.align\s+(\d+)\s+)?\.(\w+)\s+([\w$]+)(?:\[(\d*)\])?")
EXTERN_SHARED = re.compile(r"^\.extern\s+\.shared\s+.*?\s([\w$]+)\[\];", re.M)
LABEL = re.compile(r"([\w$]+):(?!:)\s*")
SPECIAL = re.compile(r"%(?:(?:n?tid|n?ctaid)\.[xyz]|laneid|warpid|nwarpid|smid|nsmid|globaltimer|clock|clock64|"
                     r"lanemask_(?:lt|le|eq|ge|gt))$")


def entry_names(text):
    return [match[1] for match in ENTRY.finditer(text)]


def find_close(text, start):
    """Where the block ends whose brace opens just before `start`."""
    depth = 1
    for match in re.compile(r"[{}]").finditer(text, start):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return match.start()
    raise Fault("a block is not closed")


def without_comments(text):
    """The text with comments blank, and every line where it was."""
    text = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S)
    return re.sub(r"//[^\n]*", "", text)


def parse_globals(text):
    """Initialised arrays of the module: name to (alignment, bytes)."""
    result = {}
    for match in GLOBAL.finditer(without_comments(text)):
        align, kind, name, count, value = match.groups()
        size = bits_of(kind) // 8
        numbers = [int(n, 0) for n in re.findall(r"-?\w+", value or "")]
        length = int(count) if count else max(1, len(numbers))
        data = b"".join((n % (1 << 8 * size)).to_bytes(size, "little") for n in numbers)
        result[name] = int(align or size), data.ljust(length * size, b"\0")
    return result


def parse(text, name):
    """The entry of that name."""
    metadata = {}
    for line in re.findall(r"^// tilec: (\{.*)$", text, re.M):
        fields = json.loads(line)
        if fields.get("entry") == name:
            metadata = fields
    extern = EXTERN_SHARED.findall(text)
    text = without_comments(text)
    for match in ENTRY.finditer(text):
        if match[1] == name:
            break
    else:
        raise Fault(f"the PTX has no entry '{name}'")
    parameters = []
    for part in filter(None, (p.strip() for p in match[2].split(","))):
        words = part.split()
        kind = next(w[1:] for w in words if w[1:] in DTYPES)
        parameters.append((words[-1], kind))
    threads = re.search(r"\.reqntid\s+(\d+)", match[3])
    line = text.count("\n", 0, match.end()) + 1
    body = text[match.end():find_close(text, match.end())]
    return BodyParser(line).run(body, Entry(name, parameters, [], [], {}, {symbol: None for symbol in extern}, 0, {}, 0,
                                            int(threads[1]) if threads else 0, metadata))


class BodyParser:
    """The statements of one entry."""

    def __init__(self, line):
        self.line = line
        self.numbers = {}  # register to number
        self.prefixes = {}  # %r of `%r<10>` to type
        self.scopes = [{}]
        self.locals = 0

    def run(self, body, entry):
        self.entry = entry
        body = re.sub(r"^[ \t]*\.(?:loc|file|section)\b[^\n]*$", "", body, flags=re.M)
        for statement in re.split(r"(;)", body):
            if statement == ";":
                continue
            leading = len(statement) - len(statement.lstrip())
            self.statement(statement.strip(), self.line + statement.count("\n", 0, leading))
            self.line += statement.count("\n")
        return entry

    def statement(self, text, line):
        while text:
            if match := LABEL.match(text):
                self.entry.labels[match[1]] = len(self.entry.instructions)
                rest = text[match.end():]
            elif text[0] == "{":
                self.scopes.append({})
                rest = text[1:]
            elif text[0] == "}":
                self.scopes.pop()
                rest = text[1:]
            else:
                break
            line += text[:len(text) - len(rest.lstrip())].count("\n")
            text = rest.lstrip()
        if not text:
            return
        try:
            if text[0] == ".":
                self.directive(text)
            else:
                self.instruction(" ".join(text.split()), line)
        except Fault as fault:
            raise Fault(f"line {line}: `{' '.join(text.split())}`: {fault}") from None

    def directive(self, text):
        if match := re.match(r"\.reg\s+\.(\w+)\s+(.*)", text, re.S):
            for name in (n.strip() for n in match[2].split(",")):
                if several := re.match(r"(%[\w$]+?)<\d+>$", name):
                    self.prefixes[several[1]] = match[1]
                else:
                    self.locals += 1
                    unique = f"{name}#{self.locals}"
                    self.scopes[-1][name] = unique
                    self.numbers[unique] = len(self.entry.registers)
                    self.entry.registers.append(match[1])
        elif match := ARRAY.match(text):
            space, align, kind, name, count = match.groups()
            size = bits_of(kind) // 8 * int(count or 1)
            if space == "shared":
                at = -(-self.entry.shared_bytes // int(align or 1)) * int(align or 1)
                self.entry.shared[name], self.entry.shared_bytes = (at, size), at + size
            else:  # Arguments of calls are kept like local memory.
                at = -(-self.entry.local_bytes // 16) * 16
                self.entry.local[name], self.entry.local_bytes = (at, size), at + size
        elif not re.match(r"\.(pragma|callprototype)\b", text):
            raise Fault("the directive is not known")

    def register(self, name):
        for scope in reversed(self.scopes):
            if name in scope:
                name = scope[name]
                break
        if name not in self.numbers:
            prefix = re.match(r"(%[a-zA-Z_$]+)\d+$", name)
            if not prefix or prefix[1] not in self.prefixes:
                raise Fault(f"'{name}' is not declared")
            self.numbers[name] = len(self.entry.registers)
            self.entry.registers.append(self.prefixes[prefix[1]])
        return self.numbers[name]

    def instruction(self, text, line):
        predicate, negated, whole = None, False, text
        if match := re.match(r"@(!?)([\w%$]+)\s+", text):
            predicate, negated = self.register(match[2]), bool(match[1])
            text = text[match.end():]
        opcode, _, rest = text.partition(" ")
        operands = [self.operand(part) for part in split(rest)]
        self.entry.instructions.append(Instruction(line, whole, predicate, negated, opcode, operands))

    def operand(self, text):
        if text[0] == "%" and not SPECIAL.match(text) and "|" not in text:
            return Operand("register", self.register(text))
        if text[0] in "{(":
            return Operand("vector", [self.operand(part) for part in split(text[1:-1])])
        if text[0] == "[":
            inner, offset = text[1:-1].strip(), 0
            if match := re.match(r"(.*\S)\s*\+\s*(-?\w+)$", inner):
                inner, offset = match[1], int(match[2], 0)
            return Operand("address", self.operand(inner), offset)
        if "|" in text:
            return Operand("pair", [self.operand(part) for part in text.split("|")])
        if text[0] == "!":
            return Operand("not", self.operand(text[1:]))
        return self.constant(text) or Operand("register", self.register(text))

    def constant(self, text):
        """An operand that is no register, or None."""
        if text == "_":
            return Operand("discard")
        if SPECIAL.match(text):
            return Operand("special", text)
        if match := number(text):
            return match
        if any(text in scope for scope in self.scopes):
            return None
        if re.match(r"[A-Za-z_$][\w$]*$", text):
            return Operand("symbol", text)
        return None


@functools.lru_cache(maxsize=None)
def number(text):
    """A literal (PTX ISA, "Constants"), or None."""
    if re.match(r"0[fF][0-9a-fA-F]{8}$", text) or re.match(r"0[dD][0-9a-fA-F]{16}$", text):
        return Operand("integer", int(text[2:], 16))
    if re.match(r"-?(0[xX][0-9a-fA-F]+|\d+)U?$", text):
        return Operand("integer", int(text.rstrip("U"), 0))
    if re.match(r"-?\d+\.\d*(e[-+]?\d+)?$", text):
        return Operand("float", float(text))
    return None


def split(text):
    """Operands at the commas outside brackets."""
    parts, depth, start = [], 0, 0
    for place, letter in enumerate(text):
        if letter in "{[(":
            depth += 1
        elif letter in "}])":
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(text[start:place].strip())
            start = place + 1
    if text[start:].strip():
        parts.append(text[start:].strip())
    return parts
