"""Time to compile a kernel to PTX in process, warm, in milliseconds: from the source to the text, through the C interface.
Triton's is by its own account of its stages, up to PTX. Needs no GPU."""
import statistics

import engine
from capi import Compiler, Error
from suites import seconds
from triton_source import triton_source

F32, BF16 = "*fp32:16", "*bf16:16"
STRIDES = ["i32:16", "i32:1", "i32:16", "i32:1", "i32:16", "i32:1"]
# Signature, constants, warps.
KERNELS = {
    "add": ("add_kernel", [F32] * 3 + ["i32:16"], dict(BLOCK=1024), 4),
    "gelu": ("gelu_kernel", [F32] * 2 + ["i32:16"], dict(BLOCK=1024), 4),
    "softmax": ("softmax_kernel", [F32] * 2 + ["i32:16"] * 3, dict(BLOCK=1024), 4),
    "online softmax": ("online_softmax_kernel", [F32] * 2 + ["i32:16"] * 2, dict(BLOCK=4096), 8),
    "row sum": ("row_sum_kernel", [F32] * 2 + ["i32:16"] * 2, dict(BLOCK=1024), 4),
    "rmsnorm forward": ("rmsnorm_fwd_kernel", [BF16] * 3 + [F32, "i32:16", "i32:16", "fp32"], dict(BLOCK=4096), 8),
    "rmsnorm backward": ("rmsnorm_bwd_kernel", [BF16] * 3 + [F32, BF16, F32] + ["i32:16"] * 3, dict(ROWS_PER_PROGRAM=16, BLOCK=4096), 8),
    "layer norm": ("layernorm_fwd_kernel", [BF16] * 4 + [F32] * 2 + ["i32:16", "i32:16", "fp32"], dict(BLOCK=4096), 8),
    "matmul + relu 128x256x64": ("matmul_relu_kernel", [BF16] * 3 + ["i32:16"] * 3 + STRIDES, dict(BLOCK_M=128, BLOCK_N=256, BLOCK_K=64), 8),
    "attention d128 causal": ("attention_fwd_kernel", [BF16] * 4 + [F32, "fp32"] + ["i32:16"] * 3,
                              dict(HEAD_DIM=128, BLOCK_M=128, BLOCK_N=64, CAUSAL=True), 8),
}
ARCH = "sm_90a"
RUNS = 9


def names():
    return list(KERNELS)


def row(name, side, **fields):
    return dict(suite="compile", case=name, side=side, unit="ms", **fields)


def own_row(compiler, name):
    kernel, signature, constants, warps = KERNELS[name]
    run = lambda: compiler.compile(engine.SOURCE, kernel, signature, constants, arch=ARCH, num_warps=warps)
    try:
        run(), run()
        taken, spread = seconds(run, RUNS)
    except Error as problem:
        return row(name, "tilec", failure=str(problem)[:300])
    return row(name, "tilec", value=round(taken * 1e3, 3), spread=round(spread, 4))


def triton_row(name):
    """The sum of Triton's stages before the assembler; where it does not tell them, why not."""
    try:
        import triton
        kernel, signature, constants, warps = KERNELS[name]
        stages = []
        triton.knobs.compilation.always_compile = True
        triton.knobs.compilation.listener = lambda **given: stages.append(given["times"])
        for _ in range(5):
            triton.compile(triton_source(kernel, signature, constants), target=triton.backends.compiler.GPUTarget("cuda", 90, 32),
                           options=dict(num_warps=warps))
        times = [(t.ir_initialization + sum(us for stage, us in t.lowering_stages if stage != "cubin")) / 1e3 for t in stages[1:]]
    except Exception as problem:
        return row(name, "Triton", failure=f"{type(problem).__name__}: {problem}"[:300])
    taken = statistics.median(times)
    return row(name, "Triton", value=round(taken, 3), spread=round((max(times) - min(times)) / taken, 4))


def rows(names, options):
    compiler = Compiler()
    result = []
    for name in names:
        result += [own_row(compiler, name), triton_row(name)]
    return result
