"""What a case of the benchmark is: its data, what is right, the kernels and the peers that compute it.

The lists of cases (suites/) are made without PyTorch, so that they can be shown anywhere; only making data needs it.
"""
from dataclasses import dataclass, field
from typing import Callable

DEVICE = "cuda"


class Data(dict):
    """One set of buffers, by name."""
    __getattr__ = dict.__getitem__


@dataclass
class Program:
    """A kernel of triton_kernels.py with the configurations that every compiler of it is tuned over: constants of the
    kernel, `num_warps` and `num_stages`."""
    kernel: str
    arguments: Callable[[Data], tuple]
    grid: Callable[[dict], tuple]
    configs: list
    finish: Callable[[Data, dict], None] = None  # what must follow the kernel to have the same result as the peers


@dataclass
class Case:
    """One row of a table. `amount` is the bytes that must move or the operations that must be done; `want` gives the right
    outputs by name, in float64 or float32, and `bounds` how far off they may be. The outputs are those of the data set that
    have such a name, unless a peer returns its own."""
    name: str
    suite: str
    unit: str  # GB/s or TFLOP/s
    amount: float
    data: Callable[[], Data]
    want: Callable[[Data], dict]
    bounds: dict
    programs: list
    peers: dict = field(default_factory=dict)  # name -> function of a data set that returns outputs by name
    descriptors: Callable = None  # Triton's kernel with descriptors: configuration -> launch of a data set
    also_poisoned: tuple = ()

    @property
    def poisoned(self):
        """Names of the arrays of a set that hold NaN before a run; also those that only finish() reads."""
        return [*self.bounds, *self.also_poisoned]

    def rate(self, ms):
        return self.amount / ms / (1e6 if self.unit == "GB/s" else 1e9)


def torch_type(dtype):
    """A type of PyTorch, by its name or itself."""
    import torch
    return getattr(torch, dtype) if isinstance(dtype, str) else dtype


def rand(*shape, dtype="float32"):
    """Random values of a type; e4m3 too."""
    import torch
    return torch.randn(*shape, device=DEVICE, dtype=torch.float32).to(torch_type(dtype))


def unwritten(*shape, dtype="float32"):
    """An output: NaN."""
    import torch
    return torch.full(shape, float("nan"), device=DEVICE, dtype=torch_type(dtype))


def compiled(function):
    """torch.compile, anew for these shapes."""
    done = []

    def call(*args):
        if not done:
            import torch
            torch._dynamo.reset()
            done.append(torch.compile(function, dynamic=False))
        return done[0](*args)
    return call


def cdiv(a, b):
    return (a + b - 1) // b


def power_of_2(n):
    """The least power of two that is not below n."""
    return 1 << (n - 1).bit_length()
