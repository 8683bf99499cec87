"""Records the launches of kernels that a project's own tests make, on a machine without a GPU.

usage: record_launches.py OUT [--most N] [--seconds S] [--cap SIZE] PYTEST_ARGUMENT...

Runs pytest with PyTorch's "cuda" standing for the CPU and Triton's launches written down instead of made: nothing
computes, so that tests that compare results fail, which does not matter. Needs PyTorch, Triton and pytest, and whatever
the project imports. At most N of a test's parametrisations run (4), each for at most S seconds (60). With --cap, integer
parameters of tests above SIZE become SIZE and what is left of them by 16: what PyTorch computes beside takes less time.

OUT/launches.jsonl gets a line for each distinct compilation (kernel, types, hints, constants, options), of its launch on
the fewest elements:

    name, file, root    the kernel, its source, and the folder that its imports start from
    test                which test launched it
    signature           what `tilec --sig` takes: types with hints, constants in their places
    globals             {NAME: value} of the constants that the kernel and its helpers read in their modules
    warps, stages, grid
    arguments           of what is left at run time: {name, type} with a number as `value`, or of an array `elements`,
                        counted from its address to the end of its storage, `shape`, `stride`, and `data`, a .npy file
                        in OUT, where it holds integers

Numbers that Triton takes for 1 are `:1`, addresses and integers that 16 divides are `:16`, by Triton's rule. Of an
autotuned kernel the first configuration counts.
"""
import contextlib
import enum
import json
import os
import pathlib
import signal
import sys
import types

os.environ.setdefault("TORCHDYNAMO_DISABLE", "1")

import numpy
import pytest
import torch
import triton
from torch.overrides import TorchFunctionMode
from triton.backends.compiler import GPUTarget
from triton.compiler import make_backend
from triton.runtime.autotuner import Autotuner
from triton.runtime.jit import JITFunction, create_function_from_signature

TARGET = GPUTarget("cuda", 90, 32)
LARGEST_FILE = 1 << 20  # elements


# ===-- A GPU that is none -------------------------------------------------------------------------------------------===#


def is_cuda(value):
    return isinstance(value, (str, torch.device)) and str(value).startswith("cuda")


class CpuForCuda(TorchFunctionMode):
    """Makes tensors on the CPU where "cuda" is asked for, and zeros where memory is left as it is: no kernel fills it."""

    EMPTY = (torch.empty, torch.empty_like, torch.empty_strided, torch.Tensor.new_empty)

    def __torch_function__(self, function, kinds, arguments=(), options=None):
        options = dict(options or {})
        if is_cuda(options.get("device")) or isinstance(options.get("device"), int):
            options["device"] = "cpu"
        options.pop("pin_memory", None)
        if function in (torch.Tensor.cuda, torch.Tensor.pin_memory):
            return arguments[0]
        arguments = tuple("cpu" if is_cuda(a) else a for a in arguments)
        result = function(*arguments, **options)
        return result.zero_() if function in self.EMPTY else result


class Driver:
    """What launchers ask Triton's driver."""

    class utils:
        @staticmethod
        def get_device_properties(device):
            return {"multiprocessor_count": 132, "max_shared_mem": 232448, "max_num_regs": 65536, "warpSize": 32,
                    "sm_clock_rate": 1980000, "mem_clock_rate": 3201000, "mem_bus_width": 6144}

    def get_current_target(self):
        return TARGET

    def get_current_device(self):
        return 0

    def set_current_device(self, device):
        pass

    def get_current_stream(self, device=0):
        return 0

    def get_device_interface(self):
        return torch.cuda

    def get_active_torch_device(self):
        return torch.device("cpu")

    def get_benchmarker(self):
        return lambda call, quantiles=None, **_: [1.0] * len(quantiles or [0])


def stand_in_for_cuda():
    """PyTorch's questions about the GPU, answered."""
    properties = types.SimpleNamespace(
        name="NVIDIA H200", major=9, minor=0, total_memory=150 << 30, multi_processor_count=132, warp_size=32,
        shared_memory_per_block=49152, shared_memory_per_block_optin=232448, L2_cache_size=60 << 20,
        max_threads_per_multi_processor=2048, regs_per_multiprocessor=65536)
    stream = types.SimpleNamespace(cuda_stream=0, wait_stream=lambda s: None, synchronize=lambda: None, device_index=0)
    answers = {
        "is_available": True, "device_count": 1, "current_device": 0, "get_device_capability": (9, 0),
        "get_device_name": "NVIDIA H200", "get_device_properties": properties, "synchronize": None, "empty_cache": None,
        "current_stream": stream, "default_stream": stream, "is_bf16_supported": True, "set_device": None,
        "memory_allocated": 0, "max_memory_allocated": 0, "reset_peak_memory_stats": None, "init": None,
        "manual_seed": None, "manual_seed_all": None, "mem_get_info": (140 << 30, 150 << 30), "get_arch_list": ["sm_90"],
        "is_current_stream_capturing": False, "get_rng_state": torch.zeros(16, dtype=torch.uint8), "set_rng_state": None,
    }
    for module in (torch.cuda, torch.cpu):  # the devices of tensors are the CPU's
        for name, answer in answers.items():
            setattr(module, name, lambda *_, answer=answer, **__: answer)
        for name in ("device", "stream", "device_of"):
            setattr(module, name, lambda *_, **__: contextlib.nullcontext())
    register, implement = torch.library.custom_op, torch.library.Library.impl
    torch.library.custom_op = lambda *a, device_types=None, **k: register(*a, **k)

    def implement_both(library, name, function, dispatch_key="", **options):
        implement(library, name, function, dispatch_key, **options)
        if dispatch_key == "CUDA":
            with contextlib.suppress(RuntimeError):  # it has one for the CPU
                implement(library, name, function, "CPU", **options)

    torch.library.Library.impl = implement_both
    torch.Tensor.is_cuda = property(lambda tensor: True)
    torch.Tensor.get_device = lambda tensor: 0
    torch.testing.assert_close = lambda *_, **__: None
    torch.allclose = lambda *_, **__: True
    triton.runtime.driver.set_active(Driver())
    triton.backends.backends["nvidia"].driver.is_active = staticmethod(lambda: True)


# ===-- Launches -----------------------------------------------------------------------------------------------------===#


def plain(value):
    """A constant as a literal of the language."""
    if hasattr(value, "value") and type(value).__name__ == "constexpr":
        return plain(value.value)
    if isinstance(value, enum.Enum):
        return plain(value.value)
    if isinstance(value, (list, tuple)):
        return "(" + "".join(plain(v) + ", " for v in value) + ")"
    if isinstance(value, JITFunction):
        return value.__name__
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return "inf" if value > 0 else "-inf"
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, torch.dtype):
        raise TypeError("a type of PyTorch as a constant")
    return str(value) if isinstance(value, triton.language.dtype) else repr(value)


def read_globals(function, found, seen):
    """The plain constants of modules that `function` and the helpers that it names read."""
    if function in seen:
        return found
    seen.add(function)
    names = function.fn.__code__.co_names
    for name in names:
        value = function.fn.__globals__.get(name)
        for helper in (value, *(getattr(value, n, None) for n in names if isinstance(value, types.ModuleType))):
            if isinstance(helper, JITFunction):
                read_globals(helper, found, seen)
        if type(value).__name__ == "constexpr" or isinstance(value, (bool, int, float, str)):
            found[name] = plain(value)
    return found


class Recorder:
    def __init__(self, out):
        self.out, self.records, self.sizes, self.failures = out, {}, {}, {}
        self.backend, self.test = make_backend(TARGET), ""

    def record(self, kernel, arguments, grid, options):
        """Writes a launch down, unless one of the same kernel with the same types is smaller."""
        options.pop("warmup", None)
        bind = create_function_from_signature(kernel.signature, kernel.params, self.backend)
        values, specialisation, left = bind(*arguments, **options)
        grid = grid(values) if callable(grid) else grid
        grid = [int(g) for g in (grid if isinstance(grid, (tuple, list)) else (grid,))]
        if 0 in grid:
            return
        signature, runtime = [], []
        for (name, value), (kind, hint) in zip(values.items(), specialisation):
            signature.append(self.parameter(kernel.params[len(signature)], name, value, kind, hint, runtime))
        file = pathlib.Path(kernel.fn.__code__.co_filename)
        root = file.parents[len(kernel.fn.__module__.split(".")) - 1]
        record = {"name": kernel.__name__, "file": str(file), "root": str(root), "test": self.test,
                  "signature": ", ".join(signature), "globals": read_globals(kernel, {}, set()),
                  "warps": int(left.get("num_warps", 4)), "stages": int(left.get("num_stages", 3)), "grid": grid}
        key = json.dumps([record[k] for k in ("file", "name", "signature", "warps", "stages")])
        size = sum(v.numel() for _, _, v in runtime if isinstance(v, torch.Tensor)) * max(grid)
        if size < self.sizes.get(key, size + 1):
            self.sizes[key] = size
            record["arguments"] = [self.argument(key, *a) for a in runtime]
            self.records[key] = record

    def parameter(self, parameter, name, value, kind, hint, runtime):
        """The place of a parameter in the signature; what is left of it at run time goes to `runtime`."""
        if parameter.is_constexpr or value is None:
            return plain(value)
        if kind == "constexpr":
            if isinstance(value, int):
                return "i32:1"
            return plain(value)
        if isinstance(kind, tuple):
            fields = [self.parameter(types.SimpleNamespace(is_constexpr=False), f"{name}.{i}", v, k, h, runtime)
                      for i, (v, k, h) in enumerate(zip(value, kind, hint))]
            return "(" + ", ".join(fields) + ")"
        if kind.startswith("tensordesc"):
            runtime.append((name, kind, value.base))
            return kind
        runtime.append((name, kind, value))
        return kind + (":16" if isinstance(hint, str) and "D" in hint else "")

    def argument(self, key, name, kind, value):
        if not isinstance(value, torch.Tensor):
            return {"name": name, "type": kind, "value": value}
        elements = value.untyped_storage().nbytes() // value.element_size() - value.storage_offset()
        argument = {"name": name, "type": kind, "elements": elements, "shape": list(value.shape),
                    "stride": list(value.stride())}
        if not value.dtype.is_floating_point and elements <= LARGEST_FILE:
            flat = value.detach().as_strided((elements,), (1,))
            argument["data"] = f"{abs(hash(key)):x}-{name}.npy"
            numpy.save(self.out / argument["data"], flat.view(torch.int8).numpy() if flat.dtype == torch.bool else flat.numpy())
        return argument

    def save(self):
        with open(self.out / "launches.jsonl", "w") as file:
            file.writelines(json.dumps(record, default=float) + "\n" for record in self.records.values())
        (self.out / "failures.json").write_text(json.dumps(self.failures, indent=1))


def record_launches(recorder):
    """Puts the recorder in the place of Triton's launches."""

    def run(kernel, *arguments, grid, **options):
        try:
            recorder.record(kernel, arguments, grid, options)
        except Exception as error:  # the launcher goes on; what failed is listed
            recorder.failures[f"{kernel.fn.__module__}.{kernel.__name__}"] = f"{type(error).__name__}: {error}"
        return types.SimpleNamespace(n_regs=32, n_spills=0, metadata=types.SimpleNamespace(shared=0, num_warps=4), asm={})

    def tune(tuner, *arguments, **options):
        tuner.nargs = dict(zip(tuner.arg_names, arguments))
        config = tuner.best_config = tuner.prune_configs(options)[0]
        if config.pre_hook:
            config.pre_hook({**tuner.nargs, **options, **config.all_kwargs()})
        return tuner.fn.run(*arguments, **{**options, **config.all_kwargs()})

    JITFunction.run = run
    Autotuner.run = tune
    for tuner in Autotuner.__subclasses__():
        tuner.run = tune


# ===-- Tests --------------------------------------------------------------------------------------------------------===#


class Sampler:
    """Runs some of a test's parametrisations, each for a while."""

    def __init__(self, recorder, most, seconds, cap):
        self.recorder, self.most, self.seconds, self.cap = recorder, most, seconds, cap

    def pytest_collection_modifyitems(self, items):
        tests = {}
        for item in items:
            tests.setdefault((item.fspath, getattr(item, "originalname", item.name)), []).append(item)
        for same in tests.values():
            same[:] = [same[i * len(same) // self.most] for i in range(self.most)] if len(same) > self.most else same
        items[:] = [item for same in tests.values() for item in same]
        for parameters in (item.callspec.params for item in items if hasattr(item, "callspec")):
            for name, value in parameters.items():
                if type(value) is int and self.cap and value > self.cap:
                    parameters[name] = self.cap + value % 16

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        def stop(*_):
            raise TimeoutError("test stopped")

        self.recorder.test = item.nodeid
        for name in vars(item.module):
            if "allclose" in name or name.startswith("assert"):  # a project's own comparisons
                setattr(item.module, name, lambda *_, **__: None)
        signal.signal(signal.SIGALRM, stop)
        signal.alarm(self.seconds)
        record_launches(self.recorder)  # again: the project may have made tuners of its own
        try:
            with CpuForCuda():
                return (yield)
        finally:
            signal.alarm(0)
            self.recorder.save()


def main(arguments):
    if not arguments or arguments[0].startswith("-"):
        sys.exit(__doc__)
    options = {"--most": 4, "--seconds": 60, "--cap": 0}
    out, rest = pathlib.Path(arguments[0]), arguments[1:]
    while rest and rest[0] in options:
        options[rest[0]] = int(rest[1])
        rest = rest[2:]
    out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    stand_in_for_cuda()
    recorder = Recorder(out)
    record_launches(recorder)
    with CpuForCuda():
        pytest.main(rest, plugins=[Sampler(recorder, *options.values())])
    recorder.save()
    print(f"{len(recorder.records)} launches of {len({(r['file'], r['name']) for r in recorder.records.values()})} kernels")


if __name__ == "__main__":
    main(sys.argv[1:])
