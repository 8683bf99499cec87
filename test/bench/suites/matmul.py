"""Matrix products, in TFLOP/s: the plain pointer kernel beside cuBLAS, and Triton's with descriptors where it applies."""
from case import Case, Data, Program, cdiv, compiled, rand, unwritten
from judge import SUMMED, widen

TILES = [dict(BLOCK_M=m, BLOCK_N=n, BLOCK_K=k, GROUP_M=8, num_warps=w, num_stages=s) for m, n, k, w, s in
         ((128, 256, 64, 8, 3), (256, 128, 64, 8, 3), (128, 256, 64, 8, 4), (128, 128, 64, 4, 4), (128, 128, 64, 8, 4),
          (64, 128, 64, 4, 4), (64, 64, 64, 4, 5), (128, 256, 32, 8, 4), (256, 128, 32, 8, 4), (128, 128, 32, 4, 4), (128, 128, 32, 4, 5),
          (128, 64, 64, 4, 4), (128, 64, 32, 4, 5))]
SHORT = {"bfloat16": "bf16", "float16": "fp16", "float32": "tf32", "float8_e4m3fn": "fp8 e4m3"}
# A tile's extent along K that fills 128 bytes of a row: 64 of the above.
BLOCK_K = {"bfloat16": 64, "float16": 64, "float32": 32, "float8_e4m3fn": 128}
SQUARES = ((4096,) * 3, (8192,) * 3)
LONG, WIDE = (4096, 4096, 16384), (8192, 28672, 4096)
SIZES = {
    "full": {("bfloat16", "nn"): ((1024,) * 3, (2048,) * 3, *SQUARES, (16384,) * 3, LONG, WIDE, (1000, 700, 512), (16, 8192, 8192)),
             ("bfloat16", "nt"): (*SQUARES, LONG, WIDE), ("float16", "nn"): SQUARES, ("float32", "nn"): SQUARES,
             ("float8_e4m3fn", "nt"): SQUARES},
    "quick": {("bfloat16", "nn"): ((4096,) * 3,), ("bfloat16", "nt"): ((4096,) * 3,), ("float16", "nn"): ((4096,) * 3,),
              ("float32", "nn"): ((4096,) * 3,), ("float8_e4m3fn", "nt"): ((4096,) * 3,)},
    "tiny": {("bfloat16", "nn"): ((256, 256, 128), (100, 70, 52)), ("bfloat16", "nt"): ((128, 256, 128),), ("float16", "nn"): ((128, 128, 64),),
             ("float32", "nn"): ((128, 128, 64),), ("float8_e4m3fn", "nt"): ((128, 128, 128),)},
}


def cases(scale):
    for (dtype, order), shapes in SIZES[scale].items():
        for shape in shapes:
            yield product(*shape, dtype, order)
    yield product(*(8192,) * 3 if scale == "full" else (4096,) * 3 if scale == "quick" else (128, 128, 64), "bfloat16", "nn", relu=True)


def product(M, N, K, dtype, order, relu=False):
    """C = A B, or relu of it; B is stored as it is (nn) or transposed (nt)."""
    tiles = [dict(tile, BLOCK_K=tile["BLOCK_K"] * BLOCK_K[dtype] // 64) for tile in TILES]
    if M <= 32:
        tiles += [dict(BLOCK_M=16, BLOCK_N=n, BLOCK_K=k, GROUP_M=8, num_warps=4, num_stages=s) for n, k, s in ((64, 128, 4), (128, 64, 5), (32, 256, 3))]
    fp8 = dtype == "float8_e4m3fn"
    result = "bfloat16" if fp8 else dtype

    def data():
        b = rand(K, N, dtype=dtype) if order == "nn" else rand(N, K, dtype=dtype).t()
        return Data(a=rand(M, K, dtype=dtype), b=b, c=unwritten(M, N, dtype=result))

    def want(d):
        c = widen(d.a) @ widen(d.b)
        return dict(c=c.relu() if relu else c)

    def arguments(d):
        return (d.a, d.b, d.c, M, N, K, *d.a.stride(), *d.b.stride(), *d.c.stride())
    if relu:
        tiles = [{k: v for k, v in tile.items() if k != "GROUP_M"} for tile in tiles]
        program = Program("matmul_relu_kernel", arguments, lambda c: (cdiv(M, c["BLOCK_M"]), cdiv(N, c["BLOCK_N"])), tiles)
    else:
        program = Program("matmul_grouped_kernel", arguments, lambda c: (cdiv(M, c["BLOCK_M"]) * cdiv(N, c["BLOCK_N"]),), tiles)
    name = f"{SHORT[dtype]} {order} {'x'.join(map(str, (M, N, K)))}" + (" + relu" if relu else "")
    return Case(name, "matmul", "TFLOP/s", 2.0 * M * N * K, data, want, dict(c=SUMMED[result]), [program], peers(fp8, relu),
                descriptors(M, N, K) if order == "nt" and dtype == "bfloat16" else None)


def peers(fp8, relu):
    def plain(d):
        import torch
        torch.backends.cuda.matmul.allow_tf32 = True
        return dict(c=torch.matmul(d.a, d.b, out=d.c))

    def scaled(d):
        import torch
        if "one" not in d:
            d["one"] = torch.ones((), device=d.a.device)
        return dict(c=torch._scaled_mm(d.a, d.b, d.one, d.one, out_dtype=torch.bfloat16, use_fast_accum=True))
    if fp8:
        return {"cuBLAS": scaled}
    if not relu:
        return {"cuBLAS": plain}
    fused = compiled(lambda a, b: (a @ b).relu())
    return {"cuBLAS": lambda d: dict(c=(d.a @ d.b).relu_()), "torch.compile": lambda d: dict(c=fused(d.a, d.b))}


def descriptors(M, N, K):
    """Triton's persistent kernel over tensor descriptors, in the tiles that fit it."""
    def make(config, d):
        import torch
        import triton_kernels
        from triton.tools.tensor_descriptor import TensorDescriptor
        m, n, k = (config[f"BLOCK_{x}"] for x in "MNK")
        a, b, c = TensorDescriptor.from_tensor(d.a, [m, k]), TensorDescriptor.from_tensor(d.b.t(), [n, k]), TensorDescriptor.from_tensor(d.c, [m, n])
        processors = torch.cuda.get_device_properties(0).multi_processor_count
        grid = (min(processors, cdiv(M, m) * cdiv(N, n)),)
        return lambda: triton_kernels.matmul_descriptor_kernel[grid](a, b, c, M, N, K, NUM_SMS=processors, WARP_SPECIALIZE=False, **config)
    return TILES[:5], make
