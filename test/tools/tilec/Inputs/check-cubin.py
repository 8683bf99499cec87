"""Checks that a file is an ELF image and holds the metadata of the kernels it has.

usage: check-cubin.py FILE ARCH ENTRY
"""

import json
import pathlib
import sys

file, arch, entry = sys.argv[1:]
image = pathlib.Path(file).read_bytes()
assert image.startswith(b"\x7fELF"), image[:8]
text = image[image.index(b'// tilec: {"schema"') :].split(b"\0")[0].decode()
header, *kernels = [json.loads(line.removeprefix("// tilec: ")) for line in text.splitlines()]
assert header["arch"] == arch, header
assert [kernel["entry"] for kernel in kernels] == [entry], kernels
