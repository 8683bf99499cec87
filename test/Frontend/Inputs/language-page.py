"""Checks that docs/Language.md names what the front end knows, and that a kernel of
test/e2e/language uses it; extracts the page's example.

usage: language-page.py SOURCE_ROOT OUTPUT.tile
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
page = (root / "docs/Language.md").read_text()
rows = re.findall(r'^TILEC_BUILTIN\("(\w+)"', (root / "lib/Frontend/Builtins.def").read_text(), re.M)
written = re.findall(r"^def (\w+)", (root / "lib/Frontend/Prelude.cpp").read_text(), re.M)
# Of the device library every function runs in test/e2e/libdevice.test; the page has
# those of all directions of rounding by one name.
names = (root / "test/e2e/Inputs/libdevice_names.txt").read_text().splitlines()
library = {re.sub(r"_r[nzdu]$", "", line.split()[0]) for line in names}
library = {re.sub(r"^double2(?!float|hi|lo)", "float2", name) for name in library}
# Names that only help: other prelude functions, or Triton's own internals.
inner = {"first_of", "last_of", "along", "flipped", "goes_before", "sorted_pairs", "taken", "turned",
         "first_along", "sorted_along", "sorted_places_along", "unpacked", "scaled_operand", "high_word",
         "high_product", "philox_impl", "from_e4b15", "to_e4b15", "get_int_dtype", "_log2", "tensor", "dtype", "const", "list", "jit", "ptr", "to"}
missing = [name for name in rows + written + sorted(library) if name not in inner and not re.search(rf"\b{name}(?:_rn)?\b", page)]
if missing:
    sys.exit("docs/Language.md does not name " + ", ".join(missing))
kernels = "".join(p.read_text() for p in (root / "test/e2e/language").glob("*.tile"))
# These need a GPU: test/e2e/inline-asm.tile; extern_elementwise is in libdevice.test.
elsewhere = {"inline_asm_elementwise", "globaltimer", "smid", "extern_elementwise"} | library


def is_used(name):
    # A function of descriptors is a method too.
    method = name.removeprefix("descriptor_")
    return re.search(rf"\b{name}\b" if method == name else rf"\b{name}\(|\.{method}\(", kernels)


unused = [name for name in rows + written if name not in inner | elsewhere and not is_used(name)]
if unused:
    sys.exit("no kernel of test/e2e/language uses " + ", ".join(unused))
pathlib.Path(sys.argv[2]).write_text(re.search(r"```tile\n(.*?)```", page, re.S)[1])
