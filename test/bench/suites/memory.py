"""Kernels that memory bounds, in GB/s of the bytes that must move."""
from case import Case, Data, Program, cdiv, compiled, power_of_2, rand, unwritten
from judge import EXACT, ROUNDED, SUM, SUMMED, Bound, widen

SIZE = {"float32": 4, "bfloat16": 2}
SHORT = {"float32": "f32", "bfloat16": "bf16"}
FLAT = [dict(BLOCK=block, num_warps=warps) for block in (1024, 2048, 4096) for warps in (4, 8)]
# What is listed, in full, for a quick look, and for a rehearsal on a machine without a GPU.
SIZES = {
    "full": dict(flat=1 << 27, gelu=1 << 28, softmax=((65536, 781), (65536, 1024), (32768, 4096), (16384, 16384), (4096, 65536), (2048, 131072)),
                 square=16384, norm=((16384, 4096), (65536, 1024), (8192, 8192))),
    "quick": dict(flat=1 << 27, gelu=1 << 28, softmax=((32768, 4096), (4096, 65536)), square=16384, norm=((16384, 4096),)),
    "tiny": dict(flat=4000, gelu=4000, softmax=((12, 781), (4, 16384)), square=64, norm=((40, 256),)),
}


def cases(scale):
    sizes = SIZES[scale]
    yield copy(4 * sizes["flat"])
    yield add(sizes["flat"])
    for dtype in SIZE:
        yield gelu(sizes["gelu"], dtype)
    for dtype in SIZE:
        for rows, cols in sizes["softmax"]:
            yield softmax(rows, cols, dtype)
    yield row_sum(sizes["square"])
    for make in (rmsnorm, layer_norm, rmsnorm_backward):
        for rows, cols in sizes["norm"]:
            yield make(rows, cols, "bfloat16")


def flat_grid(n):
    return lambda config: (cdiv(n, config["BLOCK"]),)


def import_torch():
    import torch
    return torch


def count(n):
    """2^27, or the number itself."""
    return f"2^{n.bit_length() - 1}" if n & (n - 1) == 0 else str(n)


def copy(n):
    """What the memory gives: one read and one write of each element by an elementwise operation. The driver's own copy takes
    another engine in a graph."""
    return Case(f"copy f32 {count(n)}", "memory", "GB/s", 8.0 * n, lambda: Data(x=rand(n), y=unwritten(n)), lambda d: dict(y=d.x), dict(y=EXACT), [],
                {"PyTorch": lambda d: dict(y=import_torch().mul(d.x, 1.0, out=d.y))})


def add(n):
    compute = compiled(lambda x, y: x + y)
    return Case(f"add f32 {count(n)}", "memory", "GB/s", 12.0 * n,
                lambda: Data(x=rand(n), y=rand(n), o=unwritten(n)), lambda d: dict(o=widen(d.x) + widen(d.y)), dict(o=Bound(1e-7, 1.2e-7)),
                [Program("add_kernel", lambda d: (d.x, d.y, d.o, n), flat_grid(n), FLAT)],
                {"PyTorch": lambda d: dict(o=import_torch().add(d.x, d.y, out=d.o)), "torch.compile": lambda d: dict(o=compute(d.x, d.y))})


def gelu(n, dtype):
    def compute(x):
        import torch
        return torch.nn.functional.gelu(x, approximate="tanh")
    compute_fast = compiled(compute)
    return Case(f"gelu {SHORT[dtype]} {count(n)}", "memory", "GB/s", 2.0 * SIZE[dtype] * n,
                lambda: Data(x=rand(n, dtype=dtype), y=unwritten(n, dtype=dtype)), lambda d: dict(y=compute(widen(d.x))), dict(y=ROUNDED[dtype]),
                [Program("gelu_kernel", lambda d: (d.x, d.y, n), flat_grid(n), FLAT)],
                {"PyTorch": lambda d: dict(y=compute(d.x)), "torch.compile": lambda d: dict(y=compute_fast(d.x))})


def softmax(rows, cols, dtype):
    def compute(x):
        import torch
        return torch.softmax(x, -1)
    compute_fast = compiled(compute)
    block = power_of_2(cols)
    programs = []
    if block <= 65536:
        programs.append(Program("softmax_kernel", lambda d: (d.x, d.y, cols, cols, cols), lambda c: (rows,),
                                row_configs(block)))
    if cols >= 16384:
        programs.append(Program("online_softmax_kernel", lambda d: (d.x, d.y, cols, cols), lambda c: (rows,),
                                [dict(BLOCK=b, num_warps=w) for b in (2048, 4096, 8192) for w in (8, 16)]))
    return Case(f"softmax {SHORT[dtype]} {rows}x{cols}", "memory", "GB/s", 2.0 * SIZE[dtype] * rows * cols,
                lambda: Data(x=rand(rows, cols, dtype=dtype), y=unwritten(rows, cols, dtype=dtype)),
                lambda d: dict(y=compute(widen(d.x))), dict(y=ROUNDED[dtype]), programs,
                {"PyTorch": lambda d: dict(y=compute(d.x)), "torch.compile": lambda d: dict(y=compute_fast(d.x))})


def row_configs(block):
    """From one element a thread to 64, or as many as four warps leave."""
    return [dict(BLOCK=block, num_warps=w) for w in (1, 2, 4, 8, 16, 32) if 32 * w <= block and (w >= 4 or block <= 2048 * w)]


def row_sum(size):
    compute_fast = compiled(lambda x: x.sum(1))
    configs = [dict(BLOCK=b, num_warps=w) for b in (1024, 2048, 4096, 8192) for w in (4, 8)]
    return Case(f"row sum f32 {size}x{size}", "memory", "GB/s", 4.0 * size * size,
                lambda: Data(x=rand(size, size), o=unwritten(size)), lambda d: dict(o=widen(d.x).sum(1)), dict(o=SUM),
                [Program("row_sum_kernel", lambda d: (d.x, d.o, size, size), lambda c: (size,), configs)],
                {"PyTorch": lambda d: dict(o=import_torch().sum(d.x, 1, out=d.o)), "torch.compile": lambda d: dict(o=compute_fast(d.x))})


EPSILON = 1e-5


def norm_configs(cols):
    return [dict(BLOCK=power_of_2(cols), num_warps=w) for w in (2, 4, 8, 16)]


def rms_scale(x):
    """1 over the root mean square of each row, in float64."""
    return 1 / ((widen(x) ** 2).mean(1) + EPSILON) ** 0.5


def rmsnorm(rows, cols, dtype):
    def compute(x, g):
        import torch
        return torch.nn.functional.rms_norm(x, (cols,), g, EPSILON)
    compute_fast = compiled(compute)

    def want(d):
        r = rms_scale(d.x)
        return dict(y=widen(d.x) * r[:, None] * widen(d.g), r=r)
    return Case(f"rmsnorm forward {SHORT[dtype]} {rows}x{cols}", "memory", "GB/s", 2.0 * SIZE[dtype] * rows * cols,
                lambda: Data(x=rand(rows, cols, dtype=dtype), g=rand(cols, dtype=dtype), y=unwritten(rows, cols, dtype=dtype), r=unwritten(rows)),
                want, dict(y=SUMMED[dtype], r=SUM),
                [Program("rmsnorm_fwd_kernel", lambda d: (d.x, d.g, d.y, d.r, cols, cols, EPSILON), lambda c: (rows,), norm_configs(cols))],
                {"PyTorch": lambda d: dict(y=compute(d.x, d.g)), "torch.compile": lambda d: dict(y=compute_fast(d.x, d.g))})


def layer_norm(rows, cols, dtype):
    def compute(x, w, b):
        import torch
        return torch.nn.functional.layer_norm(x, (cols,), w, b, EPSILON)
    compute_fast = compiled(compute)

    def want(d):
        x = widen(d.x)
        mean = x.mean(1)
        rstd = 1 / (((x - mean[:, None]) ** 2).mean(1) + EPSILON) ** 0.5
        return dict(y=(x - mean[:, None]) * rstd[:, None] * widen(d.w) + widen(d.b), mean=mean, rstd=rstd)
    return Case(f"layer norm {SHORT[dtype]} {rows}x{cols}", "memory", "GB/s", 2.0 * SIZE[dtype] * rows * cols,
                lambda: Data(x=rand(rows, cols, dtype=dtype), w=rand(cols, dtype=dtype), b=rand(cols, dtype=dtype),
                             y=unwritten(rows, cols, dtype=dtype), mean=unwritten(rows), rstd=unwritten(rows)),
                want, dict(y=SUMMED[dtype], mean=SUM, rstd=SUM),
                [Program("layernorm_fwd_kernel", lambda d: (d.x, d.w, d.b, d.y, d.mean, d.rstd, cols, cols, EPSILON), lambda c: (rows,),
                         norm_configs(cols))],
                {"PyTorch": lambda d: dict(y=compute(d.x, d.w, d.b)), "torch.compile": lambda d: dict(y=compute_fast(d.x, d.w, d.b))})


def rmsnorm_backward(rows, cols, dtype):
    """The kernel leaves sums for groups of rows; their sum by PyTorch is part of the time, since the peers give it."""
    def forward(x, g):
        import torch
        return torch.nn.functional.rms_norm(x, (cols,), g, EPSILON)

    def backward(compute):
        done = {}

        def run(d):
            import torch
            import torch._functorch.config
            torch._functorch.config.donated_buffer = False  # the backward pass runs often
            if id(d) not in done:
                x, g = d.x.detach().requires_grad_(True), d.g.detach().requires_grad_(True)
                done[id(d)] = x, g, compute(x, g)
            x, g, y = done[id(d)]
            dx, dg = torch.autograd.grad(y, (x, g), d.dy, retain_graph=True)
            return dict(dx=dx, dg=dg)
        return run

    def data():
        x = rand(rows, cols, dtype=dtype)
        return Data(x=x, g=rand(cols, dtype=dtype), dy=rand(rows, cols, dtype=dtype), r=rms_scale(x).float(), dx=unwritten(rows, cols, dtype=dtype),
                    part=unwritten(cdiv(rows, 8), cols), dg=unwritten(cols))

    def want(d):
        x, g, dy, r = widen(d.x), widen(d.g), widen(d.dy), widen(d.r)[:, None]
        return dict(dx=dy * g * r - r ** 3 * x / cols * (dy * g * x).sum(1, keepdim=True), dg=(dy * x * r).sum(0))

    def finish(d, config):
        import torch
        torch.sum(d.part[:cdiv(rows, config["ROWS_PER_PROGRAM"])], 0, out=d.dg)
    program = Program("rmsnorm_bwd_kernel", lambda d: (d.x, d.g, d.dy, d.r, d.dx, d.part, cols, rows, cols),
                      lambda c: (cdiv(rows, c["ROWS_PER_PROGRAM"]),),
                      [dict(ROWS_PER_PROGRAM=p, BLOCK=power_of_2(cols), num_warps=w) for p in (8, 16, 64) for w in (4, 8, 16)], finish)
    # The peers round dg to the type of the weights.
    return Case(f"rmsnorm backward {SHORT[dtype]} {rows}x{cols}", "memory", "GB/s", 3.0 * SIZE[dtype] * rows * cols, data, want,
                dict(dx=SUMMED[dtype], dg=SUMMED[dtype]), [program],
                {"PyTorch": backward(forward), "torch.compile": backward(compiled(forward))}, also_poisoned=("part",))
