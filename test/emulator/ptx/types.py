"""Types of PTX as NumPy holds them (PTX ISA, "Fundamental Types" and "Packed Data Types")."""

import numpy as np


class Fault(Exception):
    """What is wrong with a program or with what it does, in one sentence."""


UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}

# Floats that NumPy lacks are held as their bits.
DTYPES = {"pred": np.bool_, "f16": np.float16, "f32": np.float32, "f64": np.float64, "bf16": np.uint16,
          "tf32": np.uint32, "e4m3": np.uint8, "e5m2": np.uint8}
for bits in (8, 16, 32, 64):
    DTYPES[f"b{bits}"] = DTYPES[f"u{bits}"] = UNSIGNED[bits // 8]
    DTYPES[f"s{bits}"] = getattr(np, f"int{bits}")
DTYPES = {name: np.dtype(kind) for name, kind in DTYPES.items()}


def is_type(name):
    return name in DTYPES or (name.endswith("x2") and name[:-2] in DTYPES)


def unpack(name):
    """The element type of a packed type and how many it holds: ("f16", 2) for f16x2."""
    return (name[:-2], 2) if name.endswith("x2") else (name, 1)


def is_float(name):
    return name[0] in "fe" or name in ("bf16", "tf32", "bf16x2")


def is_signed(name):
    return name[0] == "s"


def bits_of(name):
    element, count = unpack(name)
    return DTYPES[element].itemsize * 8 * count


def unsigned_of(name):
    """The NumPy type of the bits of a value."""
    return np.dtype(UNSIGNED[bits_of(name) // 8])


def bits(array):
    """The bits of the elements as unsigned integers of the same size."""
    return np.ascontiguousarray(array).view(UNSIGNED[array.dtype.itemsize])
