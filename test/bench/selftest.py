"""Kernels that are wrong on purpose: the judge must accept each kernel as it is and refuse it with one fault.

usage: selftest.py [--device cpu|cuda]

A fault is an edit of the kernels' text: a constant that is a little off, a tile that is not written, a term that is left
out. On the interpreter this needs neither a GPU nor PyTorch. Ends with `N passed, N failed`.
"""
import argparse
import sys

import numpy as np

from engine import SOURCE, GpuEngine, InterpreterEngine
from judge import ROUNDED, SUM, SUMMED, judge_all

RANDOM = np.random.default_rng(0)


def rand(*shape):
    return RANDOM.standard_normal(shape, dtype=np.float32)


def unwritten(*shape):
    return np.full(shape, np.nan, np.float32)


def gelu():
    n = 8 * 256 + 100
    x = rand(n)
    wide = x.astype(np.float64)
    want = 0.5 * wide * (1 + np.tanh(0.7978845608028654 * (wide + 0.044715 * wide ** 3)))
    return "gelu_kernel", (x, unwritten(n), n), (9,), dict(BLOCK=256), {1: ("y", want, ROUNDED["float32"])}


def row_sum():
    x = rand(37, 700)
    return ("row_sum_kernel", (x, unwritten(37), 700, 700), (37,), dict(BLOCK=256), {1: ("sums", x.sum(1, dtype=np.float64), SUM)})


def matmul():
    M, N, K = 96, 80, 64
    a, b = rand(M, K), rand(K, N)
    blocks = dict(BLOCK_M=32, BLOCK_N=32, BLOCK_K=32, GROUP_M=8)
    want = a.astype(np.float64) @ b.astype(np.float64)
    return ("matmul_grouped_kernel", (a, b, unwritten(M, N), M, N, K, K, 1, N, 1, N, 1), (9,), blocks, {2: ("c", want, SUMMED["float32"])})


def rmsnorm_backward():
    rows, cols, group = 32, 200, 8
    x, g, dy = rand(rows, cols), rand(cols), rand(rows, cols)
    wide, wide_g, wide_dy = (v.astype(np.float64) for v in (x, g, dy))
    r = 1 / np.sqrt((wide ** 2).mean(1) + 1e-5)
    scale = r[:, None]
    dx = wide_dy * wide_g * scale - scale ** 3 * wide / cols * (wide_dy * wide_g * wide).sum(1, keepdims=True)
    parts = (wide_dy * wide * scale).reshape(rows // group, group, cols).sum(1)
    arguments = (x, g, dy, r.astype(np.float32), unwritten(rows, cols), unwritten(rows // group, cols), cols, rows, cols)
    return ("rmsnorm_bwd_kernel", arguments, (rows // group,), dict(ROWS_PER_PROGRAM=group, BLOCK=256),
            {4: ("dx", dx, SUM), 5: ("dg parts", parts, SUM)})


# What is wrong, in which kernel, the text that is there once in it, and what takes its place.
FAULTS = [
    ("a constant that is off by 0.03 %", gelu, "0.044715", "0.0447"),
    ("another constant that is off by 0.01 %", gelu, "0.7978845608028654", "0.79796"),
    ("an unwritten tile", gelu, "y.to(y_ptr.dtype.element_ty), mask=mask", "y.to(y_ptr.dtype.element_ty), mask=mask & (tl.program_id(0) != 3)"),
    ("an unwritten last element", gelu, "mask = offs < n", "mask = offs < n - 1"),
    ("a row that is not written", row_sum, "tl.store(out_ptr + row, tl.sum(acc, axis=0))",
     "tl.store(out_ptr + row, tl.sum(acc, axis=0), mask=row != 36)"),
    ("a sum without its last block", row_sum, "range(0, n_cols, BLOCK)", "range(0, n_cols - BLOCK, BLOCK)"),
    ("an unwritten tile of a product", matmul, "(offs_cm[:, None] < M) & (offs_cn[None, :] < N)",
     "(offs_cm[:, None] < M) & (offs_cn[None, :] < N) & (pid != 4)"),
    ("a product without its last step", matmul, "for k in range(0, tl.cdiv(K, BLOCK_K))", "for k in range(0, tl.cdiv(K, BLOCK_K) - 1)"),
    ("a second output that is not written", rmsnorm_backward, "pid.to(tl.int64) * n_cols + cols, dg, mask=mask",
     "pid.to(tl.int64) * n_cols + cols, dg, mask=mask & (pid != 1)"),
    ("a second output that is off", rmsnorm_backward, "dg += dy * x * r", "dg += dy * x * (r * 1.001)"),
]


def kernel_text(source, name):
    """A kernel's lines."""
    start = source.index(f"def {name}(")
    end = source.find("@triton.jit", start)
    return source[start:end if end >= 0 else len(source)]


def with_fault(source, kernel, old, new):
    """The source with one edit in one kernel."""
    text = kernel_text(source, kernel)
    if text.count(old) != 1:
        raise ValueError(f"'{old}' is not there once in {kernel}")
    return source.replace(text, text.replace(old, new))


class OnGpu(GpuEngine):
    """Runs on copies of NumPy's arrays."""

    def run(self, kernel, arguments, grid, config, text):
        import torch
        copies = [torch.from_numpy(a).cuda() if isinstance(a, np.ndarray) else a for a in arguments]
        self.compile(kernel, copies, config, text)(copies, grid)()
        torch.cuda.synchronize()
        return [a.cpu().numpy() if hasattr(a, "cpu") else a for a in copies]


class OnInterpreter(InterpreterEngine):
    def run(self, kernel, arguments, grid, config, text):
        copies = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
        self.compile(kernel, copies, config, text)(copies, grid)()
        return copies


def verdict(engine, make, text, edit=None):
    kernel, arguments, grid, config, outputs = make()
    source = with_fault(text, kernel, *edit) if edit else text
    after = engine.run(kernel, arguments, grid, config, source)
    got = {name: after[i] for i, (name, _, _) in outputs.items()}
    return judge_all(got, {name: want for name, want, _ in outputs.values()}, {name: bound for name, _, bound in outputs.values()})


def self_test(engine, say=print):
    """Runs all; returns how many verdicts are as they should be, and how many not."""
    text = open(SOURCE).read()
    passed = failed = 0
    for make in (gelu, row_sum, matmul, rmsnorm_backward):
        one = verdict(engine, make, text)
        passed, failed = passed + one.ok, failed + (not one.ok)
        say(f"{'accepted' if one.ok else 'REFUSED'}: {make.__name__} as it is: " + (f"error {one.error:.1e}" if one.ok else one.reason))
    for what, make, *edit in FAULTS:
        one = verdict(engine, make, text, edit)
        passed, failed = passed + (not one.ok), failed + one.ok
        say(f"{'ACCEPTED' if one.ok else 'refused'}: {make.__name__} with {what}: " + (f"error {one.error:.1e}" if one.ok else one.reason))
    return passed, failed


def run(device):
    passed, failed = self_test(OnGpu() if device == "cuda" else OnInterpreter())
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    sys.exit(run(parser.parse_args().device))
