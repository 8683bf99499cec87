"""Fails when a file includes a header of a layer above its own.

usage: layers.py ROOT. The table below is docs/README.md's picture in figures: a
library may use the libraries of its own row's list, and itself, nothing else of
the project. A folder that is not in the table is an error, so that each gets a place.
"""

import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+["<](tilec(?:-c)?/[^">]+)[">]')

IRS = ["Dialect/Tile/IR", "Dialect/TileGPU/IR"]
TRANSFORMS = ["Dialect/Tile/Transforms", "Dialect/TileGPU/Transforms"]
CONVERSIONS = ["Conversion/TileToTileGPU", "Conversion/TileGPUToNVVM", "Conversion/TensorToTile"]

# folder -> the folders that it may include from
ALLOWED = {
    "KernelInfo": [],
    "Layout": [],
    "Runtime": ["KernelInfo"],
    "Dialect/Tile/IR": [],
    "Dialect/TileGPU/IR": ["Layout", "Dialect/Tile/IR"],
    "Analysis": [*IRS, "Layout"],
    "Frontend": ["Dialect/Tile/IR"],
    "Interpreter": IRS,
    "Dialect/Tile/Transforms": ["Dialect/Tile/IR", "Analysis", "Layout"],
    "Dialect/TileGPU/Transforms": [*IRS, "Analysis", "Layout"],
    # Passes.td declares the conversions' passes together; Passes.h gathers their headers.
    "Conversion": CONVERSIONS,
    **{conversion: [*IRS, "Analysis", "Layout", "Conversion"] for conversion in CONVERSIONS},
    "Target/PTX": ["KernelInfo"],
    "Target/Cubin": ["KernelInfo"],
    "Pipelines": [*IRS, *TRANSFORMS, "Conversion", *CONVERSIONS, "Analysis", "Target/PTX", "Target/Cubin", "KernelInfo"],
    "Report": [*IRS, "Analysis", "Layout", "Frontend", "Interpreter", "Pipelines", "KernelInfo"],
    "Driver": [*IRS, *TRANSFORMS, "Analysis", "Frontend", "Interpreter", "Target/Cubin", "Pipelines", "KernelInfo", "Report", "Runtime"],
    "CAPI/Types": ["KernelInfo"],
    "CAPI/Runtime": ["Runtime", "KernelInfo"],
    "CAPI/Compiler": ["Driver", "Report", "KernelInfo", "Pipelines", "Frontend", "Interpreter", *IRS],
}


def folder_of(path):
    """The longest folder of the table that holds the path, or None."""
    return max((f for f in ALLOWED if path.startswith(f + "/")), key=len, default=None)


def check(root, file, top):
    """The faults of one file below include/tilec or lib."""
    own = folder_of(str(file.relative_to(root / top)))
    if own is None:
        return [f"{file}:1: error: the folder has no place in the table of layers"]
    faults = []
    for number, line in enumerate(file.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if not match or match[1].startswith("tilec-c/"):
            continue
        used = folder_of(match[1].removeprefix("tilec/"))
        if used != own and used not in ALLOWED[own]:
            faults.append(f"{file}:{number}: error: {own} may not use {used or match[1]}")
    return faults


root = pathlib.Path(sys.argv[1])
faults = []
for top in ["include/tilec", "lib"]:
    for file in sorted((root / top).rglob("*")):
        if file.suffix in {".h", ".cpp", ".def"}:
            faults += check(root, file, top)
print("\n".join(faults))
sys.exit(1 if faults else 0)
