"""Attention forward, in TFLOP/s (half of the products where causal): 16384 tokens of 2048 channels in all."""
import math

from case import Case, Data, Program, cdiv, rand, unwritten
from judge import SUMMED, Bound, widen

BLOCKS = [dict(BLOCK_M=m, BLOCK_N=n, num_warps=w, num_stages=s) for m, n, w, s in
          ((128, 64, 4, 3), (128, 64, 8, 3), (128, 128, 8, 2), (64, 64, 4, 3), (128, 32, 4, 3), (128, 32, 4, 4), (128, 32, 8, 4), (64, 32, 4, 4))]
SIZES = {"full": (1024, 4096, 16384), "quick": (4096,), "tiny": (128,)}


def cases(scale):
    for d in (64, 128):
        for causal in (False, True):
            for n_ctx in SIZES[scale]:
                yield attention(d, causal, n_ctx, *(2048 // d, 16384 // n_ctx) if scale != "tiny" else (2, 1))


def attention(dim, causal, n_ctx, heads, batch):
    def arguments(d):
        return (d.q, d.k, d.v, d.o, d.lse, 1 / math.sqrt(dim), n_ctx, n_ctx * dim, dim)

    def data():
        shape = (batch * heads, n_ctx, dim)
        return Data(q=rand(*shape, dtype="bfloat16"), k=rand(*shape, dtype="bfloat16"), v=rand(*shape, dtype="bfloat16"),
                    o=unwritten(*shape, dtype="bfloat16"), lse=unwritten(batch * heads, n_ctx))

    def want(d):
        import torch
        hidden = torch.ones(n_ctx, n_ctx, device=d.q.device, dtype=torch.bool).triu(1) if causal else None
        o, lse = [], []
        for q, k, v in zip(d.q, d.k, d.v):  # a head at a time: the scores are large
            s = (widen(q) @ widen(k).T) / math.sqrt(dim)
            if causal:
                s.masked_fill_(hidden, -math.inf)
            total = torch.logsumexp(s, 1)
            lse.append((total * math.log2(math.e)).float())
            o.append((torch.exp(s.sub_(total[:, None])) @ widen(v)).float())
        return dict(o=torch.stack(o), lse=torch.stack(lse))

    def peer(backend):
        def run(d):
            import torch
            from torch.nn.attention import SDPBackend, sdpa_kernel
            q, k, v = (t.view(batch, heads, n_ctx, dim) for t in (d.q, d.k, d.v))
            with sdpa_kernel(getattr(SDPBackend, backend)):
                return dict(o=torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal).reshape(d.o.shape))
        return run
    name = f"d{dim} {'causal' if causal else 'full'} {n_ctx}"
    flops = 4.0 * batch * heads * n_ctx * n_ctx * dim * (0.5 if causal else 1)
    configs = [dict(block, HEAD_DIM=dim, CAUSAL=causal) for block in BLOCKS]
    program = Program("attention_fwd_kernel", arguments, lambda c: (cdiv(n_ctx, c["BLOCK_M"]), batch * heads), configs)
    # The sum of the scores is of products rounded to bf16 once; it is near 0 nowhere, but log2 of it may be.
    return Case(name, "attention", "TFLOP/s", flops, data, want, dict(o=SUMMED["bfloat16"], lse=Bound(1e-3, 1e-3)), [program],
                {"cuDNN": peer("CUDNN_ATTENTION"), "FlashAttention-2": peer("FLASH_ATTENTION")})
