import triton
import triton.language as tl


@triton.jit
def scale(x, y, n, factor, B: tl.constexpr, MODE: tl.constexpr):
    o = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + o, mask=o < n)
    tl.store(y + o, v * factor if MODE == "mul" else v + factor, mask=o < n)


@triton.jit
def wrong(x):
    tl.store(x, nothing)


@triton.jit
def pick(x, index, y):
    tl.store(y, tl.load(x + tl.load(index)))
