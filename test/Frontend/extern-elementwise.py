"""Symbols of libdevice by extern_elementwise, as kernels of Triton call them."""
# rule: fn-extern
# RUN: %tilec --emit=tile %s --kernel sines | FileCheck %s
# RUN: %tilec --emit=tile %s --kernel pairs | FileCheck %s --check-prefix=PAIRS
# RUN: not %tilec --emit=tile %s 2>&1 | FileCheck %s --check-prefix=ERROR --implicit-check-not=error:
import triton
import triton.language as tl
from triton.language import core


@core.extern
def sine(arg0, _semantic=None):
    return core.extern_elementwise(
        "libdevice", "", [arg0], {
            (core.dtype("fp32"), ): ("__nv_sinf", core.dtype("fp32")),
            (core.dtype("fp64"), ): ("__nv_sin", core.dtype("fp64")),
        }, is_pure=True, _semantic=_semantic)


# CHECK-LABEL: func.func @sines
@triton.jit
def sines(x: "*fp32", y: "*fp64"):
    i = tl.arange(0, 64)
    # CHECK: math.sin %{{.*}} : tensor<64xf32>
    a = sine(tl.load(x + i))
    # CHECK: math.sin %{{.*}} : tensor<64xf64>
    tl.store(y + i, sine(tl.load(y + i)) + a)


# PAIRS-LABEL: func.func @pairs
@triton.jit
def pairs(x: "*fp32", y: "*fp64"):
    i = tl.arange(0, 64)
    # The arguments get their common type where no entry has theirs.
    # PAIRS: arith.extf
    # PAIRS: math.powf %{{.*}} : tensor<64xf64>
    p = tl.extern_elementwise("", "", [tl.load(x + i), tl.load(y + i)], {(tl.float64, tl.float64): ("__nv_pow", tl.float64)}, True)
    # The result is of the type that the entry names.
    # PAIRS: arith.cmpf uno
    # PAIRS: arith.extui {{.*}} : tensor<64xi1> to tensor<64xi32>
    n = tl.extern_elementwise("libdevice", "", [p], {(tl.float64,): ("__nv_isnand", tl.int32)}, True)
    # PAIRS: arith.maxnumf %{{.*}} : tensor<64xf64>
    m = tl.extern_elementwise("libdevice", "", [p, p + 1.0], {(tl.float64, tl.float64): ("__nv_fmax", tl.float64)}, True)
    tl.store(y + i, m + n)


# ERROR: extern-elementwise.py:[[#@LINE+3]]:51: error: '__nv_sinuf' is no function of libdevice; nothing is linked, write it in the language
@triton.jit
def symbol(x: "*fp32", y: "*fp64"):
    tl.extern_elementwise("libdevice", "", [1.0], {(tl.float32,): ("__nv_sinuf", tl.float32)}, True)


# ERROR: extern-elementwise.py:[[#@LINE+3]]:27: error: expected the library "libdevice", got the text "mine"; nothing is linked, write the function in the language
@triton.jit
def library(x: "*fp32", y: "*fp64"):
    tl.extern_elementwise("mine", "mine.bc", [1.0], {(tl.float32,): ("__nv_sinf", tl.float32)}, True)


# ERROR: extern-elementwise.py:[[#@LINE+3]]:49: error: the dictionary of 'extern_elementwise' has no entry for (int32); add one or cast the arguments
@triton.jit
def entry(x: "*fp32", y: "*fp64"):
    tl.extern_elementwise("libdevice", "", [1], {(tl.float32,): ("__nv_sinf", tl.float32)}, True)


# ERROR: extern-elementwise.py:[[#@LINE+3]]:51: error: expected (symbol, type of the result) in the dictionary, got the text "__nv_sinf"
@triton.jit
def result(x: "*fp32", y: "*fp64"):
    tl.extern_elementwise("libdevice", "", [1.0], {(tl.float32,): "__nv_sinf"}, True)


# ERROR: extern-elementwise.py:[[#@LINE+3]]:5: error: expected extern_elementwise(name, path, [arguments], {(types): (symbol, type)}, is_pure), got 1.0 and a dictionary
@triton.jit
def form(x: "*fp32", y: "*fp64"):
    tl.extern_elementwise("libdevice", "", 1.0, {}, True)
