"""What a kernel takes from a library of the host: the message names the language's own function."""
# RUN: not %tilec --emit=tile %s --kernel exponential --sig "*fp32" 2>&1 | FileCheck %s --check-prefix=EXP
# RUN: not %tilec --emit=tile %s --kernel imported --sig "*fp32" 2>&1 | FileCheck %s --check-prefix=IMPORTED
# RUN: not %tilec --emit=tile %s --kernel cast --sig "*fp32" 2>&1 | FileCheck %s --check-prefix=CAST
# RUN: not %tilec --emit=tile %s --kernel device --sig "*fp32" 2>&1 | FileCheck %s --check-prefix=DEVICE
# RUN: not %tilec --emit=tile %s --kernel nested --sig "*fp32" 2>&1 | FileCheck %s --check-prefix=NESTED
# RUN: not %tilec --emit=tile %s --kernel local --sig "*fp32" 2>&1 | FileCheck %s --check-prefix=LOCAL
# RUN: rm -rf %t && mkdir %t && echo "exp = 2" > %t/numpy.py
# RUN: %tilec --emit=tile %s -I %t --kernel found --sig "*fp32" -o - | FileCheck %s --check-prefix=FOUND
import numpy as np
import torch
import triton
import triton.language as tl
from numpy import sqrt


# EXP: host-library.py:[[#@LINE+4]]:17: error: 'exp' is of 'numpy', a library of the host, which a kernel cannot use; write tl.exp
# EXP: host-library.py:10:8: note: imported here
@triton.jit
def exponential(x):
    tl.store(x, np.exp(tl.load(x)))


# IMPORTED: host-library.py:[[#@LINE+3]]:17: error: 'sqrt' is of 'numpy', a library of the host, which a kernel cannot use; write tl.sqrt
@triton.jit
def imported(x):
    tl.store(x, sqrt(tl.load(x)))


# CAST: error: 'float16' is of 'torch', a library of the host, which a kernel cannot use; write tl.float16
@triton.jit
def cast(x: torch.Tensor):
    tl.store(x, tl.load(x).to(torch.float16))


# DEVICE: error: 'log1p' is of 'torch', a library of the host, which a kernel cannot use; write libdevice.log1p
@triton.jit
def device(x):
    tl.store(x, torch.log1p(tl.load(x)))


# NESTED: host-library.py:[[#@LINE+3]]:17: error: 'silu' is of 'torch', a library of the host, which a kernel cannot use; compute it with functions of the language or pass it as an argument
@triton.jit
def nested(x):
    tl.store(x, torch.nn.functional.silu(tl.load(x)))


# A name of the kernel hides the module's; a module of that name that is there is used.
# LOCAL: error: too many arguments for 'exp'
@triton.jit
def local(np):
    tl.store(np, np.exp(1.0))


# FOUND: arith.constant 2.0
@triton.jit
def found(x):
    tl.store(x, np.exp)

# rule: global-host
