"""Constants of other modules: types and functions of the language; what needs Python is given by -D."""
# rule: global
# RUN: %tilec %s --kernel scaled --sig "*bf16" --emit=tile | FileCheck %s
# RUN: not %tilec %s --kernel block --sig "*i32" --emit=tile 2>&1 | FileCheck %s --check-prefix=PYTHON
# RUN: %tilec %s --kernel block --sig "*i32" -D BLOCK=32 --emit=tile | FileCheck %s --check-prefix=GIVEN
# RUN: not %tilec %s --kernel block --sig "*i32" -D "BLOCK=f()" --emit=tile 2>&1 | FileCheck %s --check-prefix=BAD
# RUN: not %tilec %s --kernel scaled --sig "*bf16" -D BLOCK=32 --emit=tile 2>&1 | FileCheck %s --check-prefix=UNUSED
# RUN: %tilec %s --kernel taken --sig "*i32" -D BLOCK=32 --emit=tile | FileCheck %s --check-prefix=TAKEN
# RUN: not %tilec %s --kernel lost --sig "*i32" -D BLOCK=32 --emit=tile 2>&1 | FileCheck %s --check-prefix=LOST
# RUN: %tilec %s --kernel nowhere --sig "*i32" -D SIZE=16 --emit=tile | FileCheck %s --check-prefix=NOWHERE
# RUN: not %tilec %s --kernel nowhere --sig "*i32" --emit=tile 2>&1 | FileCheck %s --check-prefix=ABSENT
import triton
import triton.language as tl
from nowhere.config import BLOCK_SIZE as SIZE
from Inputs.needs_python import BLOCK, EXP
import Inputs.needs_python as constants
from Inputs.narrow import BLOCK as HB
import Inputs.narrow as narrow


# CHECK: arith.extf %{{.*}} : bf16 to f32
# CHECK: math.exp
# UNUSED: error: 'scaled' has no parameter 'BLOCK', which -D sets
@triton.jit
def scaled(x):
    tl.store(x, EXP(tl.load(x).to(constants.F)).to(tl.bfloat16))


# PYTHON: needs_python.py:5:26: error: cannot find the module 'os'; name its folder with -I, or pass the constant that needs it by -D BLOCK=VALUE
# GIVEN: tile.arange 0, 32
# BAD: error: cannot read the value of -D BLOCK=f(); write a Python literal such as 128, 1.5, True, None, "text" or a type
@triton.jit
def block(x):
    o = tl.arange(0, BLOCK)
    tl.store(x + o, o)


# A parameter takes the -D: constants of its name in other modules keep their values.
# TAKEN-LABEL: func.func @taken
# TAKEN: tile.arange 0, 32
# TAKEN: tile.arange 0, 8
# TAKEN: tile.arange 1, 9
@triton.jit
def taken(x, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    tl.store(x + o, o)
    i = tl.arange(0, HB)
    tl.store(x + i, i + 1)
    j = tl.arange(1, 1 + narrow.BLOCK)
    tl.store(x + j, j)


# Nor can -D give such a constant where Python is needed.
# LOST: needs_python.py:5:26: error: cannot find the module 'os'; name its folder with -I{{$}}
@triton.jit
def lost(x, BLOCK: tl.constexpr):
    o = tl.arange(0, constants.BLOCK)
    tl.store(x + o, o)


# What is imported may be given by its name in this file: then its module is not read.
# NOWHERE: tile.arange 0, 16
# ABSENT: error: cannot find the module 'nowhere.config'; name its folder with -I
@triton.jit
def nowhere(x):
    o = tl.arange(0, SIZE)
    tl.store(x + o, o)
