"""Compiles a kernel and launches it on the fake driver that the first argument names."""
import ctypes
import os
import sys
import types

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import capi
import engine

compiler, runtime = capi.Compiler(), capi.Runtime(sys.argv[1])
assert compiler.version.startswith("tilec "), compiler.version
assert (runtime.name, runtime.arch, runtime.driver_version) == ("Fake GPU", "sm_90a", 12040)


def fails(part, call, *args, **named):
    try:
        call(*args, **named)
    except capi.Error as problem:
        assert part in str(problem), problem
    else:
        raise AssertionError(f"expected: {part}")


F32 = "*fp32:16"
ptx = compiler.compile(engine.SOURCE, "row_sum_kernel", [F32, F32, "i32:1", "i32"], dict(BLOCK=128), arch=runtime.arch, num_warps=2)
assert ".target sm_90a" in ptx and '"threads": 64' in ptx
kernel = runtime.kernel(ptx)
assert kernel.usage() == (40, 40)  # what the fake driver says of everything

fake = ctypes.CDLL(sys.argv[1])
fake.fakeCudaLaunches.restype = ctypes.c_ulonglong
buffer = runtime.handle("tilecrt_buffer_allocate", runtime.device, ctypes.c_uint64(4096), free="tilecrt_buffer_free")
runtime.dll.tilecrt_buffer_address.restype = ctypes.c_uint64
address = runtime.dll.tilecrt_buffer_address(buffer)
pointer, number = compiler.type("*fp32"), compiler.type("i32")
launch = kernel.bind((3,), [(pointer, address), (pointer, address + 16), (number, 100)])
launch(0), launch(0)
assert fake.fakeCudaLaunches() == 2

fails("is misaligned", kernel.bind((1,), [(pointer, address + 1), (pointer, address), (number, 1)]), 0)
fails("not a pointer to memory of this GPU", kernel.bind((1,), [(pointer, 4096), (pointer, address), (number, 1)]), 0)
fails("takes 3 arguments, got 1", kernel.bind((1,), [(pointer, address)]), 0)
fails("triton_kernels.py", compiler.compile, engine.SOURCE, "no_such_kernel")
fails("metadata", runtime.kernel, "// no PTX")
launch(0)
assert fake.fakeCudaLaunches() == 3

fails("libnone.so.0 is not there: build it, or set TILEC_LIBRARY_DIR", capi.find_library, "libnone.so.0")
silent = capi.Library.__new__(capi.Library)
silent.dll = types.SimpleNamespace(tilec_silent=lambda sink: 3)
fails("tilec_silent gave status 3", silent.call, "tilec_silent")

# Numbers as bits of their types, and what a just-in-time compiler would take for granted.
assert capi.scalar_bits("fp32", 1.0) == 0x3f800000 and capi.scalar_bits("i32", -1) == 0xffffffff
assert capi.scalar_bits("i64", -1) == 2 ** 64 - 1 and capi.scalar_bits("fp64", 1.0) == 0x3ff0 << 48
import numpy as np

array = np.zeros(32, np.float32)
array = array[-array.ctypes.data % 16 // 4:]  # aligned
assert engine.hints((array, array[1:], 1, 48, 7, 0.5)) == ["*fp32:16", "*fp32", "i32:1", "i32:16", "i32", "fp32"]
