#!/usr/bin/env python3
"""Check tilec's kernels against PyTorch on a GPU.

usage: check_torch.py [--only REGEX] [--arch sm_80] [--time] [--out FILE.jsonl]

Each case compiles a kernel of triton_kernels.py and launches it on PyTorch's tensors, both through tilec's C interfaces, and
compares with the same computation by PyTorch in float64 (float32 where that does not fit). Prints one JSON object a case
that is wrong: error relative to the reference, and the bound. With --out the file gets those of all cases; --time adds the
median of the time in ms, which for right cases is there alone. The last line is "N passed, N failed". Needs PyTorch with a
CUDA device.
"""
import argparse
import json
import re
import sys

import torch

from case import cdiv, rand, unwritten
from engine import GpuEngine
from judge import Bound, judge

EPS = {torch.float32: 2e-6, torch.bfloat16: 5e-3, torch.float16: 7e-4}


def elementwise_cases():
    for n in (1 << 20, 1000, 4097):
        x, y, o = rand(n), rand(n), unwritten(n)
        yield f"add f32 {n}", "add_kernel", (cdiv(n, 1024),), (x, y, o, n), dict(BLOCK=1024), 4, o, lambda: x + y, 0
        for dt in (torch.float32, torch.bfloat16):
            x, o = rand(n, dtype=dt), unwritten(n, dtype=dt)
            xd = x.double()
            gelu = lambda: 0.5 * xd * (1 + torch.tanh(0.7978845608028654 * (xd + 0.044715 * xd ** 3)))
            yield f"gelu {dt} {n}", "gelu_kernel", (cdiv(n, 1024),), (x, o, n), dict(BLOCK=1024), 4, o, gelu, EPS[dt]
            yield f"silu {dt} {n}", "silu_kernel", (cdiv(n, 1024),), (x, o, n), dict(BLOCK=1024), 4, o, lambda: xd * torch.sigmoid(xd), EPS[dt]


def row_cases():
    for rows, cols, block, warps in ((300, 781, 1024, 4), (512, 1024, 1024, 4), (256, 4096, 4096, 8), (64, 16384, 16384, 16)):
        for dt in (torch.float32, torch.bfloat16):
            x, o = rand(rows, cols, dtype=dt), unwritten(rows, cols, dtype=dt)
            want = lambda: torch.softmax(x.double(), 1)
            args = (x, o, cols, cols, cols)
            yield f"softmax {dt} {rows}x{cols}", "softmax_kernel", (rows,), args, dict(BLOCK=block), warps, o, want, EPS[dt]
            yield (f"online softmax {dt} {rows}x{cols}", "online_softmax_kernel", (rows,), (x, o, cols, cols), dict(BLOCK=min(block, 4096)),
                   8, o, want, EPS[dt])
        x, o = rand(rows, cols), unwritten(rows)
        yield f"row sum {rows}x{cols}", "row_sum_kernel", (rows,), (x, o, cols, cols), dict(BLOCK=1024), 4, o, lambda: x.double().sum(1), 1e-5
        for dt in (torch.float32, torch.bfloat16):
            x, g, b = rand(rows, cols, dtype=dt), rand(cols, dtype=dt), rand(cols, dtype=dt)
            y, r, m = unwritten(rows, cols, dtype=dt), unwritten(rows), unwritten(rows)
            xd, gd, bd = x.double(), g.double(), b.double()
            rms = lambda: (xd * torch.rsqrt((xd * xd).mean(1, keepdim=True) + 1e-5)) * gd
            yield (f"rmsnorm forward {dt} {rows}x{cols}", "rmsnorm_fwd_kernel", (rows,), (x, g, y, r, cols, cols, 1e-5), dict(BLOCK=block), warps, y,
                   rms, EPS[dt])
            ln = lambda: torch.nn.functional.layer_norm(xd, (cols,), gd, bd, 1e-5)
            yield (f"layer norm {dt} {rows}x{cols}", "layernorm_fwd_kernel", (rows,), (x, g, b, y, m, r, cols, cols, 1e-5), dict(BLOCK=block), warps, y,
                   ln, EPS[dt])
            dy, dx, part = rand(rows, cols, dtype=dt), unwritten(rows, cols, dtype=dt), unwritten(cdiv(rows, 16), cols)
            rs = torch.rsqrt((xd * xd).mean(1) + 1e-5).float()
            def bwd():
                rr, d = rs.double()[:, None], dy.double()
                return d * gd * rr - rr ** 3 * xd / cols * (d * gd * xd).sum(1, keepdim=True)
            args = (x, g, dy, rs, dx, part, cols, rows, cols)
            yield (f"rmsnorm backward dx {dt} {rows}x{cols}", "rmsnorm_bwd_kernel", (cdiv(rows, 16),), args, dict(ROWS_PER_PROGRAM=16, BLOCK=block), warps,
                   dx, bwd, EPS[dt] * 2)
            def dg():
                return (dy.double() * xd * rs.double()[:, None]).sum(0)
            part = unwritten(cdiv(rows, 16), cols)
            args = (x, g, dy, rs, unwritten(rows, cols, dtype=dt), part, cols, rows, cols)
            yield (f"rmsnorm backward dg {dt} {rows}x{cols}", "rmsnorm_bwd_kernel", (cdiv(rows, 16),), args, dict(ROWS_PER_PROGRAM=16, BLOCK=block), warps,
                   lambda: part.sum(0), dg, 1e-5)


def matmul_cases():
    tiles = ((128, 256, 64, 8), (128, 128, 64, 4), (64, 64, 64, 4), (16, 32, 32, 4))
    for M, N, K in ((1024, 1024, 1024), (1000, 700, 512), (100, 70, 52)):
        for dt in (torch.bfloat16, torch.float16, torch.float32):
            for bm, bn, bk, warps in tiles:
                if dt == torch.float32:
                    bk = 32
                a, b = rand(M, K, dtype=dt), rand(K, N, dtype=dt)
                bound = {torch.bfloat16: 5e-3, torch.float16: 1e-3, torch.float32: 1e-3}[dt]
                c = unwritten(M, N, dtype=dt)
                want = lambda: torch.relu(a.double() @ b.double())
                strides = (K, 1, N, 1, N, 1)
                blocks = dict(BLOCK_M=bm, BLOCK_N=bn, BLOCK_K=bk)
                yield (f"matmul+relu {dt} {M}x{N}x{K} by {bm}x{bn}x{bk}", "matmul_relu_kernel", (cdiv(M, bm), cdiv(N, bn)),
                       (a, b, c, M, N, K) + strides, blocks, warps, c, want, bound)
                c2 = unwritten(M, N, dtype=dt)
                yield (f"grouped matmul {dt} {M}x{N}x{K} by {bm}x{bn}x{bk}", "matmul_grouped_kernel", (cdiv(M, bm) * cdiv(N, bn),),
                       (a, b, c2, M, N, K) + strides, dict(blocks, GROUP_M=8), warps, c2, lambda: a.double() @ b.double(), bound)
        a, bt, c = rand(M, K, dtype=torch.bfloat16), rand(N, K, dtype=torch.bfloat16), unwritten(M, N, dtype=torch.bfloat16)
        yield (f"matmul+relu B transposed {M}x{N}x{K}", "matmul_relu_kernel", (cdiv(M, 128), cdiv(N, 128)),
               (a, bt, c, M, N, K, K, 1, 1, K, N, 1), dict(BLOCK_M=128, BLOCK_N=128, BLOCK_K=64), 4, c,
               lambda: torch.relu(a.double() @ bt.double().T), 5e-3)


def attention_cases():
    for d in (64, 128):
        for n_ctx in (512, 1000):
            for causal in (False, True):
                for dt in (torch.bfloat16, torch.float16, torch.float32):
                    q, k, v, o = (rand(4, n_ctx, d, dtype=dt) for _ in range(4))
                    lse = unwritten(4, n_ctx)
                    def want():
                        s = q.double() @ k.double().transpose(1, 2) * d ** -0.5
                        if causal:
                            s = s.masked_fill(torch.triu(torch.ones(n_ctx, n_ctx, device="cuda", dtype=torch.bool), 1), float("-inf"))
                        return torch.softmax(s, -1) @ v.double()
                    bm, bn = (128, 64) if dt != torch.float32 else (64, 32)
                    o.fill_(float("nan"))
                    yield (f"attention {dt} d{d} n{n_ctx} causal={causal}", "attention_fwd_kernel", (cdiv(n_ctx, bm), 4),
                           (q, k, v, o, lse, d ** -0.5, n_ctx, n_ctx * d, d), dict(HEAD_DIM=d, BLOCK_M=bm, BLOCK_N=bn, CAUSAL=causal),
                           8 if d == 128 else 4, o, want, {torch.bfloat16: 8e-3, torch.float16: 2e-3, torch.float32: 2e-3}[dt])


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


def check(engine, case, options):
    """The row of one case."""
    name, kernel, grid, args, consts, warps, got, want, bound = case
    row = dict(case=name, arch=engine.arch, bound=bound)
    launch = engine.compile(kernel, args, dict(consts, num_warps=warps))(args, grid)
    launch()
    torch.cuda.synchronize()
    # One element may be off by more than the whole.
    verdict = judge(got() if callable(got) else got, want(), Bound(bound, 30 * bound))
    row.update(ok=verdict.ok, error=verdict.error)
    if not verdict.ok:
        row["failure"] = verdict.reason
    if options.time:
        row["ms"] = median_ms(launch)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    parser.add_argument("--arch", default="sm_80", help="what to compile for, or native for the GPU's own")
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--out")
    options = parser.parse_args()
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = False
    engine = GpuEngine(None if options.arch == "native" else options.arch)
    passed = failed = 0
    out = open(options.out, "w") if options.out else None
    for cases in (elementwise_cases, row_cases, matmul_cases, attention_cases):
        for case in cases():
            if not re.search(options.only, case[0]):
                continue
            try:
                row = check(engine, case, options)
            except Exception as problem:
                row = dict(case=case[0], arch=engine.arch, ok=False, failure=str(problem)[:500])
            passed, failed = passed + row["ok"], failed + (not row["ok"])
            if not row["ok"]:
                print(json.dumps(row), flush=True)
            if out:
                out.write(json.dumps(row) + "\n")
                out.flush()
            if is_lost():
                print("the device is lost: stopping", flush=True)
                print(f"{passed} passed, {failed} failed")
                return 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def is_lost():
    """Whether this process can use the GPU no more."""
    try:
        torch.cuda.synchronize()
        return False
    except Exception:
        return True


if __name__ == "__main__":
    sys.exit(main())
