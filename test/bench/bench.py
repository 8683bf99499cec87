#!/usr/bin/env python3
"""Measure tilec beside its peers on one GPU, in one process, interleaved.

usage: bench.py [--tilec build/bin/tilec] [--arch native] [--suite memory,matmul,attention] [--only REGEX] [--out FILE.jsonl] [--quick]
                [--sides tilec,triton]

Every case runs the same kernel source (triton_kernels.py) through tilec and through Triton, each tuned over the same
list of configurations, and the same computation in PyTorch (cuBLAS, cuDNN). A side that is wrong against the float64
reference has no time. Then the sides take turns: three passes, each a CUDA graph of several launches; the figure is the
median over passes and launches, the spread is (max - min) / median of the passes. Buffers are larger than the L2 cache
or rotate past it. Prints one JSON object a side and, at the end, a Markdown table of the ratios.
"""
import argparse
import json
import math
import re
import subprocess
import sys

import torch
import triton

import check_torch as ours
import triton_kernels as K
from check_torch import Kernel, cdiv, error, nan, rand, types

ROWS = []
L2_BYTES = 64 << 20


class Side:
    """One implementation of a case: `launches` are callables, one for each rotated set of buffers."""

    def __init__(self, name, launches, result, config=None):
        self.name, self.launches, self.result, self.config = name, launches, result, config
        self.times, self.graph = [], None

    def capture(self, count):
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for launch in self.launches:
                launch()
        torch.cuda.current_stream().wait_stream(stream)
        self.count = count
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            for i in range(count):
                self.launches[i % len(self.launches)]()

    def measure(self):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        self.graph.replay()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) / self.count


def quick_ms(launch):
    for _ in range(2):
        launch()
    times = []
    for _ in range(5):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        launch()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    return sorted(times)[2]


def best_of(name, configs, make, result, want, bound):
    """The fastest configuration that is right; None if there is none."""
    best, failure = None, "no configuration"
    for config in configs:
        try:
            launches = make(config)
            for tensor in result if isinstance(result, (list, tuple)) else [result]:
                tensor.fill_(float("nan"))
            launches[0]()
            torch.cuda.synchronize()
            got = result[0] if isinstance(result, (list, tuple)) else result
            e = error(got, want)
            if not e <= bound:
                failure = f"{config}: error {e:.2e} is over {bound}"
                continue
            ms = quick_ms(launches[0])
            if best is None or ms < best[0]:
                best = (ms, Side(name, launches, got, config), e)
        except Exception as problem:
            failure = f"{config}: {str(problem)[:300]}"
            if "illegal" in failure or "misaligned" in failure:
                raise
    if best is None:
        print(json.dumps(dict(side=name, failure=failure)), flush=True)
        return None, None
    return best[1], best[2]


def run_case(case, unit, amount, sides, passes=3):
    """`amount` bytes or flops; unit GB/s or TFLOP/s."""
    sides = [(side, e) for side, e in sides if side]
    estimate = max(quick_ms(side.launches[0]) for side, _ in sides)
    count = max(1, min(50, int(5 / estimate)))
    count += -count % max(len(side.launches) for side, _ in sides)
    for side, _ in sides:
        side.capture(count)
        side.measure()
    for _ in range(passes):
        for side, _ in sides:
            side.times.append(sorted(side.measure() for _ in range(3))[1])
    for side, e in sides:
        ms = sorted(side.times)[len(side.times) // 2]
        rate = amount / ms / (1e6 if unit == "GB/s" else 1e9)
        row = dict(case=case, side=side.name, ms=round(ms, 5), rate=round(rate, 1), unit=unit,
                   spread=round((max(side.times) - min(side.times)) / ms, 4), error=e, config=side.config)
        ROWS.append(row)
        print(json.dumps(row), flush=True)
        if OUT:
            OUT.write(json.dumps(row) + "\n")
            OUT.flush()
    for side, _ in sides:
        side.graph = None
    torch.cuda.empty_cache()


def tilec_launch(kernel, grid, args, config, consts):
    k = Kernel(kernel.__name__, types(*args), consts, config["w"], ARCH)
    return [lambda: k(grid, *args)]


def triton_launch(kernel, grid, args, config, consts):
    f = getattr(K, kernel.__name__)
    return [lambda: f[grid](*args, **consts, num_warps=config["w"], num_stages=config.get("s", 3))]


class TritonPtx(Kernel):
    """Triton's own code for sm_80, from its compiler's PTX: the peer of tensor-core code without Hopper's instructions."""

    def __init__(self, kernel, args, consts, config):
        f = getattr(K, kernel.__name__)
        names = [n for n in f.arg_names if n not in consts]
        signature, attributes, folded = {}, {}, dict(consts)
        for name, kind in zip(names, types(*args)):
            base, _, hint = kind.partition(":")
            if hint == "1":
                folded[name] = 1
                signature[name] = "constexpr"
                continue
            signature[name] = base
            if hint == "16":
                attributes[(f.arg_names.index(name),)] = [["tt.divisibility", 16]]
        signature.update({name: "constexpr" for name in consts})
        signature = {name: signature[name] for name in f.arg_names}
        source = triton.compiler.ASTSource(f, signature, folded, attributes)
        target = triton.backends.compiler.GPUTarget("cuda", 80, 32)
        done = triton.compile(source, target=target, options=dict(num_warps=config["w"], num_stages=config.get("s", 3)))
        entry = re.search(r"\.entry\s+(\w+)", done.asm["ptx"])[1]
        self.extra = len(re.findall(r"\.param [^\n]*%s_param_" % entry, done.asm["ptx"])) - sum(v != "constexpr" for v in signature.values())
        self.load(done.asm["ptx"], entry, 32 * config["w"], done.metadata.shared)

    def __call__(self, grid, *args):
        super().__call__(grid, *args, *[torch.empty(0, device="cuda")] * self.extra)  # scratch that it does not use


def triton80_launch(kernel, grid, args, config, consts):
    k = TritonPtx(kernel, args, consts, config)
    return [lambda: k(grid, *args)]


def compare(case, unit, amount, kernel, grid, args, result, want, bound, configs, torch_launch=None):
    """grid and consts are functions of the configuration; torch_launch returns the result."""
    if not re.search(OPTIONS.only, case):
        return
    sides = []
    consts = lambda c: {k: v for k, v in c.items() if k not in "ws"}
    makers = [("tilec", tilec_launch), ("triton", triton_launch)]
    if OPTIONS.sm80:
        makers.append(("triton sm_80", triton80_launch))
    for name, make in makers:
        if name.split()[0] not in OPTIONS.sides.split(","):
            continue  # Triton needs minutes for rows of 64k
        sides.append(best_of(name, configs, lambda c: make(kernel, grid(c), args, c, consts(c)), result, want, bound))
    if torch_launch:
        for name, launch in torch_launch.items():
            e = error(launch(), want)
            sides.append((Side(name, [launch], None), e))
    run_case(case, unit, amount, sides)


def memory():
    n = 1 << 27
    x, y, o = rand(n), rand(n), nan(n)
    flat = [dict(BLOCK=b, w=w) for b, w in ((1024, 4), (2048, 8), (4096, 8), (1024, 8))]
    flat_grid = lambda c: (cdiv(n, c["BLOCK"]),)
    compare("add f32 2^27", "GB/s", 12 * n, K.add_kernel, flat_grid, (x, y, o, n), o, x + y, 0, flat, dict(torch=lambda: torch.add(x, y, out=o)))
    del x, y, o
    for dt, size in ((torch.float32, 4), (torch.bfloat16, 2)):
        n = 1 << 27
        x, o = rand(n, dtype=dt), nan(n, dtype=dt)
        gelu = lambda: torch.nn.functional.gelu(x, approximate="tanh")
        want = torch.nn.functional.gelu(x.double(), approximate="tanh")
        compare(f"gelu {str(dt)[6:]} 2^27", "GB/s", 2 * size * n, K.gelu_kernel, flat_grid, (x, o, n), o, want, ours.EPS[dt], flat, dict(torch=gelu))
        del x, o, want
    torch.cuda.empty_cache()
    for dt, size in ((torch.float32, 4), (torch.bfloat16, 2)):
        for rows, cols in ((65536, 781), (65536, 1024), (32768, 4096), (16384, 16384), (4096, 65536), (2048, 131072)):
            if (OPTIONS.quick and (rows, cols) != (32768, 4096)) or not re.search(OPTIONS.only, f"softmax {str(dt)[6:]} {rows}x{cols}"):
                continue
            block = triton.next_power_of_2(cols)
            x, o = rand(rows, cols, dtype=dt), nan(rows, cols, dtype=dt)
            want = torch.softmax(x.float(), 1)
            configs = [dict(BLOCK=block, w=w) for w in ((8, 16, 32) if cols > 16384 else (2, 4, 8, 16)) if 32 * w <= block]
            compare(f"softmax {str(dt)[6:]} {rows}x{cols}", "GB/s", 2 * size * rows * cols, K.softmax_kernel, lambda c: (rows,), (x, o, cols, cols, cols),
                    o, want, ours.EPS[dt], configs, dict(torch=lambda: torch.softmax(x, 1)))
            del x, o, want
            torch.cuda.empty_cache()
    rows = cols = 16384
    x, o = rand(rows, cols), nan(rows)
    compare("row sum float32 16384x16384", "GB/s", 4 * rows * cols, K.row_sum_kernel, lambda c: (rows,), (x, o, cols, cols), o, x.sum(1, dtype=torch.float64),
            1e-4, [dict(BLOCK=b, w=w) for b, w in ((1024, 4), (2048, 4), (4096, 8), (8192, 8))], dict(torch=lambda: x.sum(1)))
    del x, o
    torch.cuda.empty_cache()
    dt = torch.bfloat16
    for rows, cols in ((16384, 4096), (65536, 1024), (8192, 8192), (1024, 65536)):
        if (OPTIONS.quick and cols != 4096) or not re.search(OPTIONS.only, f"rmsnorm forward backward layer norm bf16 {rows}x{cols}"):
            continue
        x, g, b, y, r, m = rand(rows, cols, dtype=dt), rand(cols, dtype=dt), rand(cols, dtype=dt), nan(rows, cols, dtype=dt), nan(rows), nan(rows)
        configs = [dict(BLOCK=cols, w=w) for w in ((8, 16, 32) if cols > 16384 else (2, 4, 8, 16))]
        xf, gf, bf = x.float(), g.float(), b.float()
        rms = xf * torch.rsqrt((xf * xf).mean(1, keepdim=True) + 1e-5) * gf
        compare(f"rmsnorm forward bf16 {rows}x{cols}", "GB/s", 4 * rows * cols, K.rmsnorm_fwd_kernel, lambda c: (rows,), (x, g, y, r, cols, cols, 1e-5), y, rms,
                5e-3, configs, dict(torch=lambda: torch.nn.functional.rms_norm(x, (cols,), g, 1e-5)))
        ln = torch.nn.functional.layer_norm(xf, (cols,), gf, bf, 1e-5)
        compare(f"layer norm bf16 {rows}x{cols}", "GB/s", 4 * rows * cols, K.layernorm_fwd_kernel, lambda c: (rows,), (x, g, b, y, m, r, cols, cols, 1e-5), y, ln,
                5e-3, configs, dict(torch=lambda: torch.nn.functional.layer_norm(x, (cols,), g, b, 1e-5)))
        if cols > 16384:
            continue  # the backward kernel carries a tile of the row
        dy, dx = rand(rows, cols, dtype=dt), nan(rows, cols, dtype=dt)
        rs = torch.rsqrt((xf * xf).mean(1) + 1e-5)
        d, rr = dy.float(), rs[:, None]
        want = d * gf * rr - rr ** 3 * xf / cols * (d * gf * xf).sum(1, keepdim=True)
        part = nan(cdiv(rows, 8), cols)
        compare(f"rmsnorm backward bf16 {rows}x{cols}", "GB/s", 6 * rows * cols, K.rmsnorm_bwd_kernel, lambda c: (cdiv(rows, c["ROWS_PER_PROGRAM"]),),
                (x, g, dy, rs, dx, part, cols, rows, cols), dx, want, 1e-2,
                [dict(ROWS_PER_PROGRAM=p, BLOCK=cols, w=w) for p in (8, 16, 32) for w in (4, 8, 16)])
        del x, g, b, y, dy, dx, xf, rms, ln, d, want, part
        torch.cuda.empty_cache()


def matmul():
    base = [dict(BLOCK_M=m, BLOCK_N=n, BLOCK_K=k, GROUP_M=8, w=w, s=s) for m, n, k, w, s in
            ((128, 256, 64, 8, 3), (128, 128, 64, 4, 4), (128, 128, 64, 8, 4), (128, 128, 32, 4, 4), (64, 128, 64, 4, 4), (64, 64, 64, 4, 5))]
    sizes = ((4096, 4096, 4096),) if OPTIONS.quick else ((2048, 2048, 2048), (4096, 4096, 4096), (8192, 8192, 8192), (1000, 700, 512))
    for dt in (torch.bfloat16, torch.float16, torch.float32):
        torch.backends.cuda.matmul.allow_tf32 = True
        for M, N, Kk in sizes:
            if dt != torch.bfloat16 and M != 4096:
                continue
            configs = [dict(c, BLOCK_K=32) for c in base] if dt == torch.float32 else base
            a, b, c = rand(M, Kk, dtype=dt), rand(Kk, N, dtype=dt), nan(M, N, dtype=dt)
            want = a.double() @ b.double()
            grid = lambda cf: (cdiv(M, cf["BLOCK_M"]) * cdiv(N, cf["BLOCK_N"]),)
            compare(f"matmul {str(dt)[6:]} nn {M}x{N}x{Kk}", "TFLOP/s", 2.0 * M * N * Kk, K.matmul_grouped_kernel, grid,
                    (a, b, c, M, N, Kk, Kk, 1, N, 1, N, 1), c, want, 6e-3, configs, dict(cublas=lambda: torch.matmul(a, b, out=c)))
            del a, b, c, want
            torch.cuda.empty_cache()


def attention():
    dt = torch.bfloat16
    from torch.nn.attention import SDPBackend, sdpa_kernel
    for d in (64, 128):
        for n_ctx in ((4096,) if OPTIONS.quick else (1024, 4096, 16384)):
            heads, batch = 2048 // d, 16384 // n_ctx
            for causal in (False, True):
                q, k, v = (rand(batch * heads, n_ctx, d, dtype=dt) for _ in range(3))
                o, lse = nan(batch * heads, n_ctx, d, dtype=dt), nan(batch * heads, n_ctx)
                q4, k4, v4 = (t.view(batch, heads, n_ctx, d) for t in (q, k, v))
                with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
                    want = torch.nn.functional.scaled_dot_product_attention(q4, k4, v4, is_causal=causal).view_as(o)

                def peer(backend):
                    def f():
                        with sdpa_kernel(backend):
                            return torch.nn.functional.scaled_dot_product_attention(q4, k4, v4, is_causal=causal).view_as(o)
                    return f
                configs = [dict(HEAD_DIM=d, BLOCK_M=bm, BLOCK_N=bn, CAUSAL=causal, w=w, s=s)
                           for bm, bn, w, s in ((128, 64, 8, 3), (128, 64, 4, 3), (64, 64, 4, 3), (128, 128, 8, 2), (128, 32, 4, 4))]
                flops = 4.0 * batch * heads * n_ctx * n_ctx * d * (0.5 if causal else 1)
                compare(f"attention bf16 d{d} {'causal' if causal else 'full'} {n_ctx}", "TFLOP/s", flops, K.attention_fwd_kernel,
                        lambda c: (cdiv(n_ctx, c["BLOCK_M"]), batch * heads), (q, k, v, o, lse, d ** -0.5, n_ctx, n_ctx * d, d), o, want, 2e-2, configs,
                        dict(cudnn=peer(SDPBackend.CUDNN_ATTENTION), flash2=peer(SDPBackend.FLASH_ATTENTION)))
                del q, k, v, o, lse, want
                torch.cuda.empty_cache()


def table():
    cases = {}
    for row in ROWS:
        cases.setdefault(row["case"], {})[row["side"]] = row
    lines = ["| case | unit | tilec | peers | ratio to the best peer |", "|---|---|---|---|---|"]
    for case, sides in cases.items():
        own, peers = sides.get("tilec"), {k: v for k, v in sides.items() if k != "tilec"}
        best = max((v["rate"] for v in peers.values()), default=math.nan)
        unit = next(iter(sides.values()))["unit"]
        lines.append(f"| {case} | {unit} | {own['rate'] if own else '–'} | " + ", ".join(f"{k} {v['rate']}" for k, v in peers.items())
                     + f" | {own['rate'] / best:.2f} |" if own else " | – |")
    return "\n".join(lines)


def main():
    global OPTIONS, OUT, ARCH
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--tilec", default="build/bin/tilec")
    ap.add_argument("--arch", default="native")
    ap.add_argument("--suite", default="memory,matmul,attention")
    ap.add_argument("--only", default="")
    ap.add_argument("--quick", action="store_true", help="one size of each")
    ap.add_argument("--sm80", action="store_true", help="measure Triton's code for sm_80 as well")
    ap.add_argument("--sides", default="tilec,triton", help="which of the two compilers to measure")
    ap.add_argument("--out")
    OPTIONS = ours.OPTIONS = ap.parse_args()
    OUT = open(OPTIONS.out, "w") if OPTIONS.out else None
    ARCH = OPTIONS.arch
    if ARCH == "native":
        major, minor = torch.cuda.get_device_capability()
        ARCH = f"sm_{major}{minor}" + ("a" if major >= 9 else "")
    torch.manual_seed(0)
    smi = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version,power.limit,clocks.max.sm", "--format=csv,noheader"], capture_output=True, text=True)
    print(json.dumps(dict(gpu=smi.stdout.strip(), torch=torch.__version__, triton=triton.__version__, arch=ARCH)), flush=True)
    for suite in OPTIONS.suite.split(","):
        {"memory": memory, "matmul": matmul, "attention": attention}[suite]()
    print(table())


if __name__ == "__main__":
    sys.exit(main())
