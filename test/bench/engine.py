"""Runs a kernel of triton_kernels.py through tilec, on a GPU or on the interpreter, as a just-in-time compiler would: types
and hints come from the arguments.
"""
import ast
import os

import capi

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "triton_kernels.py")
TYPES = {"float32": "fp32", "float64": "fp64", "float16": "fp16", "bfloat16": "bf16", "float8_e4m3fn": "fp8e4nv",
         "float8_e5m2": "fp8e5", "int32": "i32", "int64": "i64", "int8": "i8", "uint8": "u8"}
OPTIONS = ("num_warps", "num_stages")


def hints(arguments):
    """The types of arguments with what holds for them: aligned addresses, integers that are 1 or multiples of 16."""
    signature = []
    for value in arguments:
        if hasattr(value, "dtype"):  # an array of NumPy or PyTorch
            aligned = capi.address(value) % 16 == 0
            signature.append("*" + TYPES[str(value.dtype).removeprefix("torch.")] + (":16" if aligned else ""))
        elif isinstance(value, float):
            signature.append("fp32")
        else:
            signature.append("i32:1" if value == 1 else "i32:16" if value % 16 == 0 else "i32")
    return signature


def split(config):
    """A configuration as constants of the kernel and options of the compiler."""
    return ({k: v for k, v in config.items() if k not in OPTIONS}, {k: v for k, v in config.items() if k in OPTIONS})


def parameter_names(kernel, text=None):
    """The parameters of a kernel of the source in order, constants included."""
    tree = ast.parse(text if text is not None else open(SOURCE).read())
    function = next(f for f in tree.body if isinstance(f, ast.FunctionDef) and f.name == kernel)
    return [a.arg for a in function.args.args]


class GpuEngine:
    """Compiles for the first GPU and launches there, on PyTorch's current stream."""

    def __init__(self, arch=None):
        self.compiler, self.runtime = capi.Compiler(), capi.Runtime()
        self.arch = arch or self.runtime.arch
        self.loaded = {}  # by what was compiled: sizes that are not constants share code

    def compile(self, kernel, arguments, config, text=None):
        """A function of arguments like these, and a grid, that returns a launch: a function without arguments, which may
        be captured in a CUDA graph. `text` replaces the source."""
        signature = hints(arguments)
        constants, options = split(config)
        key = kernel, tuple(signature), tuple(config.items()), text
        if key not in self.loaded:
            ptx = self.compiler.compile(SOURCE, kernel, signature, constants, text, arch=self.arch, **options)
            self.loaded[key] = self.load(ptx, signature)
        return self.loaded[key]

    def load(self, ptx, signature):
        """The same for PTX that is there already."""
        import torch
        kernel = self.runtime.kernel(ptx)

        def bind(arguments, grid):
            launch = kernel.bind(grid, remaining(self.compiler, signature, arguments))
            return lambda: launch(torch.cuda.current_stream().cuda_stream)
        return bind


class InterpreterEngine:
    """The same on host memory."""

    def __init__(self, check=False):
        self.compiler, self.check = capi.Compiler(), check

    def compile(self, kernel, arguments, config, text=None):
        signature = hints(arguments)
        constants, options = split(config)
        given = self.compiler.options(kernel, signature, constants, **options)
        module = self.compiler.module(SOURCE, given, text)
        names = [name for name in parameter_names(kernel, text) if name not in constants]

        def bind(arguments, grid):
            values = [(name, kind.partition(":")[0], value) for name, kind, value in zip(names, signature, arguments)
                      if not kind.endswith(":1")]
            return lambda: self.compiler.interpret(module, values, grid, self.check)
        return bind


def remaining(compiler, signature, arguments):
    """The arguments that the compiled code still has, as (type, bits): those that are known to be 1 are part of it."""
    given = []
    for kind, value in zip(signature, arguments):
        base, _, hint = kind.partition(":")
        if hint != "1":
            bits = capi.address(value) if base[0] == "*" else capi.scalar_bits(base, value)
            given.append((compiler.type(base), bits))
    return given
