"""The interpreter in process, in seconds, with and without its checks, beside Triton's interpreter. Needs no GPU; Triton's
needs PyTorch too."""
import json
import os
import subprocess
import sys

import numpy as np

from engine import InterpreterEngine
from judge import ROUNDED, SUM, Bound, judge
from suites import seconds

HERE = os.path.dirname(os.path.abspath(__file__))
SIZE = 256
PRODUCT = "matmul + relu f32 256x256x256, blocks of {}"
SOFTMAX, ADD, ATTENTION = "softmax f32 300x781", "add f32 2^20, blocks of 1024", "attention f32 4 heads x 512 x 64, causal"
BLOCKS = (16, 32, 64, 128)


def names():
    return [*(PRODUCT.format(block) for block in BLOCKS), SOFTMAX, ADD, ATTENTION]


def task(name):
    """Kernel, arguments, grid, constants, which argument is the result, what it should be and how closely. Both
    interpreters run it; arrays are NumPy's."""
    random = np.random.default_rng(0)
    rand = lambda *shape: random.standard_normal(shape, dtype=np.float32)
    unwritten = lambda *shape: np.full(shape, np.nan, np.float32)
    n = SIZE
    for block in BLOCKS:
        if name == PRODUCT.format(block):
            a, b = rand(n, n), rand(n, n)
            return ("matmul_relu_kernel", (a, b, unwritten(n, n), n, n, n, n, 1, n, 1, n, 1), (n // block, n // block),
                    dict(BLOCK_M=block, BLOCK_N=block, BLOCK_K=32), 2, np.maximum(a.astype(float) @ b, 0), Bound(2e-3, 1e-2))
    if name == SOFTMAX:
        x = rand(300, 781)
        e = np.exp(x.astype(float) - x.max(1, keepdims=True))
        return "softmax_kernel", (x, unwritten(300, 781), 781, 781, 781), (300,), dict(BLOCK=1024), 1, e / e.sum(1, keepdims=True), ROUNDED["float32"]
    if name == ADD:
        x, y = rand(1 << 20), rand(1 << 20)
        return "add_kernel", (x, y, unwritten(1 << 20), 1 << 20), (1024,), dict(BLOCK=1024), 2, x.astype(float) + y, SUM
    q, k, v = rand(4, 512, 64), rand(4, 512, 64), rand(4, 512, 64)
    s = np.where(np.tril(np.ones((512, 512), bool)), q.astype(float) @ k.transpose(0, 2, 1) / 8, -np.inf)
    p = np.exp(s - s.max(-1, keepdims=True))
    return ("attention_fwd_kernel", (q, k, v, unwritten(4, 512, 64), unwritten(4, 512), 0.125, 512, 512 * 64, 64), (8, 4),
            dict(HEAD_DIM=64, BLOCK_M=64, BLOCK_N=64, CAUSAL=True), 3, p / p.sum(-1, keepdims=True) @ v, Bound(2e-3, 1e-2))


def own_row(name, side, check):
    kernel, arguments, grid, config, result, want, bound = task(name)
    run = InterpreterEngine(check).compile(kernel, arguments, config)(arguments, grid)
    run()
    verdict = judge(arguments[result], want, bound)
    if not verdict.ok:
        return dict(suite="interpreter", case=name, side=side, unit="s", failure=f"wrong: {verdict.reason}")
    taken, spread = seconds(run, 5)
    return dict(suite="interpreter", case=name, side=side, unit="s", value=round(taken, 6), spread=round(spread, 4), error=verdict.error)


def rows(names, options):
    result = []
    for name in names:
        for side, check in (("tilec", False), ("tilec, all checks", True)):
            result.append(own_row(name, side, check))
    # Triton's own, in a process of its own: what its decorators make is decided when it is imported.
    peer = subprocess.run([sys.executable, os.path.abspath(__file__)], input=json.dumps(names), capture_output=True, text=True,
                          env=dict(os.environ, TRITON_INTERPRET="1", PYTHONPATH=os.path.dirname(HERE)))
    found = [json.loads(line) for line in peer.stdout.splitlines() if line.startswith("{")]
    for name in names:
        why = (peer.stderr.strip().splitlines() or ["no answer"])[-1][:200]
        given = next((row for row in found if row["case"] == name), dict(failure=why))
        result.append(dict(given, suite="interpreter", case=name, side="Triton's interpreter", unit="s"))
    return result


def patch_triton():
    """Triton 3.6's interpreter and NumPy 2.5 disagree on int() of an array of one element."""
    import triton.runtime.interpreter as interpreter
    original = interpreter._patch_lang_tensor

    def patched(tensor, *rest):
        original(tensor, *rest)
        tensor.__index__ = lambda self: int(self.handle.data.item())
    interpreter._patch_lang_tensor = patched


def triton_main():
    import torch
    patch_triton()
    import triton_kernels
    for name in json.load(sys.stdin):
        kernel, arguments, grid, config, result, want, bound = task(name)
        tensors = [torch.from_numpy(a) if isinstance(a, np.ndarray) else a for a in arguments]
        run = lambda: getattr(triton_kernels, kernel)[grid](*tensors, **config)
        run()
        verdict = judge(tensors[result].numpy(), want, bound)
        if not verdict.ok:
            print(json.dumps(dict(case=name, failure=f"wrong: {verdict.reason}")), flush=True)
            continue
        taken, spread = seconds(run, 2)
        print(json.dumps(dict(case=name, value=round(taken, 6), spread=round(spread, 4), error=verdict.error)), flush=True)


if __name__ == "__main__":
    triton_main()
