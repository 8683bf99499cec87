#!/usr/bin/env python3
"""Check tilec's kernels against PyTorch on a GPU.

usage: check_torch.py [--tilec build/bin/tilec] [--only SUBSTRING] [--arch sm_80] [--time] [--out FILE.jsonl]

Each case compiles a kernel of triton_kernels.py with `tilec`, launches the PTX through the CUDA driver on PyTorch's
tensors, and compares with the same computation by PyTorch in float64 (float32 where that does not fit). Prints one JSON
object a case: error relative to the reference, the bound, and with --time the median of the time in ms. The last line is
"N passed, N failed". Needs PyTorch with a CUDA device.
"""
import argparse
import ctypes
import json
import os
import re
import subprocess
import sys
import tempfile

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.path.join(HERE, "triton_kernels.py")
CUDA = ctypes.CDLL("libcuda.so.1")
TYPES = {torch.float32: "*fp32", torch.bfloat16: "*bf16", torch.float16: "*fp16"}


def check(code, what):
    if code:
        text = ctypes.c_char_p()
        CUDA.cuGetErrorString(code, ctypes.byref(text))
        raise RuntimeError(f"{what}: {text.value.decode() if text.value else code}")


class Kernel:
    """A kernel of triton_kernels.py compiled with this signature, these constants and these options."""

    def __init__(self, name, sig, consts, warps, arch):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "k.ptx")
            cmd = [OPTIONS.tilec, KERNELS, "--kernel", name, "--sig", ", ".join(sig), "--arch", arch,
                   f"--num-warps={warps}", "-o", path]
            for key, value in consts.items():
                cmd += ["-D", f"{key}={value}"]
            p = subprocess.run(cmd, capture_output=True, text=True)
            if p.returncode:
                raise RuntimeError(f"{' '.join(cmd)}: {p.stdout}{p.stderr}"[:600])
            text = open(path).read()
        meta = next(m for m in (json.loads(line[len("// tilec:"):]) for line in text.splitlines()
                                if line.startswith("// tilec:")) if "entry" in m)
        self.load(text, meta["entry"], meta["threads"], meta["dynamic_shared"])

    def load(self, text, entry, threads, shared):
        """Loads an entry of a PTX text into the current context."""
        self.threads, self.shared = threads, shared
        module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        check(CUDA.cuModuleLoadData(ctypes.byref(module), text.encode()), "cuModuleLoadData")
        check(CUDA.cuModuleGetFunction(ctypes.byref(self.function), module, entry.encode()), "cuModuleGetFunction")
        if self.shared > 48 * 1024:
            check(CUDA.cuFuncSetAttribute(self.function, 8, self.shared), "cuFuncSetAttribute")

    def __call__(self, grid, *args):
        values = []
        for a in args:
            if isinstance(a, torch.Tensor):
                values.append(ctypes.c_void_p(a.data_ptr()))
            elif isinstance(a, float):
                values.append(ctypes.c_float(a))
            elif a != 1:  # 1 is folded
                values.append(ctypes.c_int32(a))
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.addressof(v) for v in values])
        x, y, z = (tuple(grid) + (1, 1))[:3]
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        check(CUDA.cuLaunchKernel(self.function, x, y, z, self.threads, 1, 1, self.shared, stream, pointers, None), "cuLaunchKernel")


def types(*args):
    """What a just-in-time compiler would assume of these arguments: 16-byte aligned pointers, integers that are 1 folded,
    others divisible by 16 where they are."""
    sig = []
    for a in args:
        if isinstance(a, torch.Tensor):
            sig.append(TYPES[a.dtype] + (":16" if a.data_ptr() % 16 == 0 else ""))
        elif isinstance(a, float):
            sig.append("fp32")
        else:
            sig.append("i32:1" if a == 1 else "i32:16" if a % 16 == 0 else "i32")
    return sig


def error(got, want):
    want = want.to(torch.float64)
    if not torch.isfinite(got.to(torch.float64)).all():
        return float("inf")
    return float((got.to(torch.float64) - want).norm() / want.norm().clamp_min(1e-30))


def rand(*shape, dtype=torch.float32):
    return torch.randn(*shape, device="cuda", dtype=torch.float32).to(dtype)


def nan(*shape, dtype=torch.float32):
    return torch.full(shape, float("nan"), device="cuda", dtype=dtype)


def cdiv(a, b):
    return (a + b - 1) // b


EPS = {torch.float32: 2e-6, torch.bfloat16: 5e-3, torch.float16: 7e-4}


def elementwise_cases():
    for n in (1 << 20, 1000, 4097):
        x, y, o = rand(n), rand(n), nan(n)
        yield f"add f32 {n}", "add_kernel", (cdiv(n, 1024),), (x, y, o, n), dict(BLOCK=1024), 4, o, lambda: x + y, 0, 12 * n
        for dt in (torch.float32, torch.bfloat16):
            x, o = rand(n, dtype=dt), nan(n, dtype=dt)
            xd = x.double()
            gelu = lambda: 0.5 * xd * (1 + torch.tanh(0.7978845608028654 * (xd + 0.044715 * xd ** 3)))
            yield f"gelu {dt} {n}", "gelu_kernel", (cdiv(n, 1024),), (x, o, n), dict(BLOCK=1024), 4, o, gelu, EPS[dt], 0
            yield f"silu {dt} {n}", "silu_kernel", (cdiv(n, 1024),), (x, o, n), dict(BLOCK=1024), 4, o, lambda: xd * torch.sigmoid(xd), EPS[dt], 0


def row_cases():
    for rows, cols, block, warps in ((300, 781, 1024, 4), (512, 1024, 1024, 4), (256, 4096, 4096, 8), (64, 16384, 16384, 16)):
        for dt in (torch.float32, torch.bfloat16):
            x, o = rand(rows, cols, dtype=dt), nan(rows, cols, dtype=dt)
            want = lambda: torch.softmax(x.double(), 1)
            args = (x, o, cols, cols, cols)
            yield f"softmax {dt} {rows}x{cols}", "softmax_kernel", (rows,), args, dict(BLOCK=block), warps, o, want, EPS[dt], 0
            yield (f"online softmax {dt} {rows}x{cols}", "online_softmax_kernel", (rows,), (x, o, cols, cols), dict(BLOCK=min(block, 4096)),
                   8, o, want, EPS[dt], 0)
        x, o = rand(rows, cols), nan(rows)
        yield f"row sum {rows}x{cols}", "row_sum_kernel", (rows,), (x, o, cols, cols), dict(BLOCK=1024), 4, o, lambda: x.double().sum(1), 1e-5, 0
        for dt in (torch.float32, torch.bfloat16):
            x, g, b, y, r, m = rand(rows, cols, dtype=dt), rand(cols, dtype=dt), rand(cols, dtype=dt), nan(rows, cols, dtype=dt), nan(rows), nan(rows)
            xd, gd, bd = x.double(), g.double(), b.double()
            rms = lambda: (xd * torch.rsqrt((xd * xd).mean(1, keepdim=True) + 1e-5)) * gd
            yield (f"rmsnorm forward {dt} {rows}x{cols}", "rmsnorm_fwd_kernel", (rows,), (x, g, y, r, cols, cols, 1e-5), dict(BLOCK=block), warps, y,
                   rms, EPS[dt], 0)
            ln = lambda: torch.nn.functional.layer_norm(xd, (cols,), gd, bd, 1e-5)
            yield (f"layer norm {dt} {rows}x{cols}", "layernorm_fwd_kernel", (rows,), (x, g, b, y, m, r, cols, cols, 1e-5), dict(BLOCK=block), warps, y,
                   ln, EPS[dt], 0)
            dy, dx, part = rand(rows, cols, dtype=dt), nan(rows, cols, dtype=dt), nan(cdiv(rows, 16), cols)
            rs = torch.rsqrt((xd * xd).mean(1) + 1e-5).float()
            def bwd():
                rr, d = rs.double()[:, None], dy.double()
                return d * gd * rr - rr ** 3 * xd / cols * (d * gd * xd).sum(1, keepdim=True)
            args = (x, g, dy, rs, dx, part, cols, rows, cols)
            yield (f"rmsnorm backward dx {dt} {rows}x{cols}", "rmsnorm_bwd_kernel", (cdiv(rows, 16),), args, dict(ROWS_PER_PROGRAM=16, BLOCK=block), warps,
                   dx, bwd, EPS[dt] * 2, 0)
            def dg():
                return (dy.double() * xd * rs.double()[:, None]).sum(0)
            yield (f"rmsnorm backward dg {dt} {rows}x{cols}", "rmsnorm_bwd_kernel", (cdiv(rows, 16),), args, dict(ROWS_PER_PROGRAM=16, BLOCK=block), warps,
                   lambda: part.sum(0), dg, 1e-5, 0)


def matmul_cases():
    tiles = ((128, 256, 64, 8), (128, 128, 64, 4), (64, 64, 64, 4), (16, 32, 32, 4))
    for M, N, K in ((1024, 1024, 1024), (1000, 700, 512), (100, 70, 52)):
        for dt in (torch.bfloat16, torch.float16, torch.float32):
            for bm, bn, bk, warps in tiles:
                if dt == torch.float32:
                    bk = 32
                a, b = rand(M, K, dtype=dt), rand(K, N, dtype=dt)
                bound = {torch.bfloat16: 5e-3, torch.float16: 1e-3, torch.float32: 1e-3}[dt]
                c = nan(M, N, dtype=dt)
                want = lambda: torch.relu(a.double() @ b.double())
                strides = (K, 1, N, 1, N, 1)
                blocks = dict(BLOCK_M=bm, BLOCK_N=bn, BLOCK_K=bk)
                yield (f"matmul+relu {dt} {M}x{N}x{K} by {bm}x{bn}x{bk}", "matmul_relu_kernel", (cdiv(M, bm), cdiv(N, bn)),
                       (a, b, c, M, N, K) + strides, blocks, warps, c, want, bound, 0)
                c2 = nan(M, N, dtype=dt)
                yield (f"grouped matmul {dt} {M}x{N}x{K} by {bm}x{bn}x{bk}", "matmul_grouped_kernel", (cdiv(M, bm) * cdiv(N, bn),),
                       (a, b, c2, M, N, K) + strides, dict(blocks, GROUP_M=8), warps, c2, lambda: a.double() @ b.double(), bound, 0)
        a, bt, c = rand(M, K, dtype=torch.bfloat16), rand(N, K, dtype=torch.bfloat16), nan(M, N, dtype=torch.bfloat16)
        yield (f"matmul+relu B transposed {M}x{N}x{K}", "matmul_relu_kernel", (cdiv(M, 128), cdiv(N, 128)),
               (a, bt, c, M, N, K, K, 1, 1, K, N, 1), dict(BLOCK_M=128, BLOCK_N=128, BLOCK_K=64), 4, c,
               lambda: torch.relu(a.double() @ bt.double().T), 5e-3, 0)


def attention_cases():
    for d in (64, 128):
        for n_ctx in (512, 1000):
            for causal in (False, True):
                for dt in (torch.bfloat16, torch.float16, torch.float32):
                    q, k, v, o = (rand(4, n_ctx, d, dtype=dt) for _ in range(4))
                    lse = nan(4, n_ctx)
                    def want():
                        s = q.double() @ k.double().transpose(1, 2) * d ** -0.5
                        if causal:
                            s = s.masked_fill(torch.triu(torch.ones(n_ctx, n_ctx, device="cuda", dtype=torch.bool), 1), float("-inf"))
                        return torch.softmax(s, -1) @ v.double()
                    bm, bn = (128, 64) if dt != torch.float32 else (64, 32)
                    o.fill_(float("nan"))
                    yield (f"attention {dt} d{d} n{n_ctx} causal={causal}", "attention_fwd_kernel", (cdiv(n_ctx, bm), 4),
                           (q, k, v, o, lse, d ** -0.5, n_ctx, n_ctx * d, d), dict(HEAD_DIM=d, BLOCK_M=bm, BLOCK_N=bn, CAUSAL=causal),
                           8 if d == 128 else 4, o, want, {torch.bfloat16: 8e-3, torch.float16: 2e-3, torch.float32: 2e-3}[dt], 0)


def median_ms(launch, runs=20):
    for _ in range(3):
        launch()
    times = []
    for _ in range(runs):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        launch()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    return sorted(times)[len(times) // 2]


def main():
    global OPTIONS
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--tilec", default="build/bin/tilec")
    ap.add_argument("--only", default="")
    ap.add_argument("--arch", default="sm_80")
    ap.add_argument("--time", action="store_true")
    ap.add_argument("--out")
    OPTIONS = ap.parse_args()
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = False
    passed = failed = 0
    out = open(OPTIONS.out, "w") if OPTIONS.out else None
    for cases in (elementwise_cases, row_cases, matmul_cases, attention_cases):
        for name, kernel, grid, args, consts, warps, got, want, bound, _ in cases():
            if not re.search(OPTIONS.only, name):
                continue
            row = dict(case=name, arch=OPTIONS.arch, bound=bound)
            try:
                k = Kernel(kernel, types(*args), consts, warps, OPTIONS.arch)
                k(grid, *args)
                torch.cuda.synchronize()
                row["error"] = error(got() if callable(got) else got, want())
                row["ok"] = row["error"] <= bound
                if OPTIONS.time:
                    row["ms"] = median_ms(lambda: k(grid, *args))
            except Exception as e:
                row.update(ok=False, failure=str(e)[:500])
                if "illegal" in str(e) or "launch failed" in str(e) or "misaligned" in str(e):
                    print(json.dumps(row), flush=True)
                    print("the device is lost: stopping", flush=True)
                    print(f"{passed} passed, {failed + 1} failed")
                    return 1
            passed, failed = passed + row["ok"], failed + (not row["ok"])
            if not row["ok"]:
                print(json.dumps(row), flush=True)
            if out:
                out.write(json.dumps(row) + "\n")
                out.flush()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
