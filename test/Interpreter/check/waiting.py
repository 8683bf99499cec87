# Programs that wait for each other as real kernels do: right under every schedule, and
# nothing to report.

# RUN: tile-run %s --kernel matmul --grid 6 a="randint(i8,-4,4,48,64,seed=1)" b="randint(i8,-4,4,64,32,seed=2)" \
# RUN:   c="zeros(f32,48,32)" M=48 N=32 K=64 --save c=%t.npy
# RUN: tile-run %s --kernel split_k --grid 6,4 a="randint(i8,-4,4,48,64,seed=1)" b="randint(i8,-4,4,64,32,seed=2)" \
# RUN:   c="empty(f32,48,32)" turn="zeros(i32,6)" M=48 N=32 K=64 --check --seed 1 --expect c=@%t.npy
# RUN: tile-run %s --kernel split_k --grid 6,4 a="randint(i8,-4,4,48,64,seed=1)" b="randint(i8,-4,4,64,32,seed=2)" \
# RUN:   c="empty(f32,48,32)" turn="zeros(i32,6)" M=48 N=32 K=64 --schedule reverse --expect c=@%t.npy
# RUN: tile-run %s --kernel split_k --grid 6,4 a="randint(i8,-4,4,48,64,seed=1)" b="randint(i8,-4,4,64,32,seed=2)" \
# RUN:   c="empty(f32,48,32)" turn="zeros(i32,6)" M=48 N=32 K=64 --schedule random --seed 7 --expect c=@%t.npy
# RUN: tile-run %s --kernel stream_k --grid 5 a="randint(i8,-4,4,48,64,seed=1)" b="randint(i8,-4,4,64,32,seed=2)" \
# RUN:   c="empty(f32,48,32)" part="empty(f32,5,16,16)" ready="zeros(i32,5)" M=48 N=32 K=64 --check --seed 2 --expect c=@%t.npy
# RUN: tile-run %s --kernel stream_k --grid 5 a="randint(i8,-4,4,48,64,seed=1)" b="randint(i8,-4,4,64,32,seed=2)" \
# RUN:   c="empty(f32,48,32)" part="empty(f32,5,16,16)" ready="zeros(i32,5)" M=48 N=32 K=64 --schedule random --seed 8 \
# RUN:   --expect c=@%t.npy
# RUN: tile-run %s --kernel stream_k --grid 5 a="randint(i8,-4,4,48,64,seed=1)" b="randint(i8,-4,4,64,32,seed=2)" \
# RUN:   c="empty(f32,48,32)" part="empty(f32,5,16,16)" ready="zeros(i32,5)" M=48 N=32 K=64 --check --schedule parallel \
# RUN:   --expect c=@%t.npy
# RUN: not tile-run %s --kernel stream_k --grid 5 -D SEM='"relaxed"' a="randint(i8,-4,4,48,64,seed=1)" \
# RUN:   b="randint(i8,-4,4,64,32,seed=2)" c="empty(f32,48,32)" part="empty(f32,5,16,16)" ready="zeros(i32,5)" \
# RUN:   M=48 N=32 K=64 --check --schedule reverse 2>&1 | FileCheck %s --check-prefix=RELAXED

# RUN: tile-run %s --kernel grads --grid 32 x="full(f32,3,32,40)" dw="zeros(f32,4,40)" lock="zeros(i32,8)" n=40 \
# RUN:   --check --seed 3 --expect dw="full(f32,24,4,40)"
# RUN: tile-run %s --kernel grads --grid 32 x="full(f32,3,32,40)" dw="zeros(f32,4,40)" lock="zeros(i32,8)" n=40 \
# RUN:   --schedule random --seed 3 --expect dw="full(f32,24,4,40)"
# RUN: tile-run %s --kernel scan --grid 20 x="full(i32,1,160)" out="zeros(i32,160)" sums="zeros(i32,20)" \
# RUN:   totals="zeros(i32,20)" state="zeros(i32,20)" --check --seed 4 --expect out="arange(i32,160)"
# RUN: tile-run %s --kernel scan --grid 20 x="full(i32,1,160)" out="zeros(i32,160)" sums="zeros(i32,20)" \
# RUN:   totals="zeros(i32,20)" state="zeros(i32,20)" --schedule reverse --expect out="arange(i32,160)"

import triton
import triton.language as tl


@triton.jit
def product(a, b, tile, first, end, N, K, S: tl.constexpr):
    """The sum over steps [first, end) of a tile of the product."""
    tiles = N // S
    i = tl.arange(0, S)
    rows = tile // tiles * S + i
    cols = tile % tiles * S + i
    acc = tl.zeros((S, S), dtype=tl.float32)
    for step in range(first, end):
        k = step * S + i
        u = tl.load(a + rows[:, None] * K + k[None, :]).to(tl.float32)
        v = tl.load(b + k[:, None] * N + cols[None, :]).to(tl.float32)
        acc += tl.dot(u, v)
    return acc


@triton.jit
def places(c, tile, N, S: tl.constexpr):
    i = tl.arange(0, S)
    return c + (tile // (N // S) * S + i)[:, None] * N + tile % (N // S) * S + i[None, :]


@triton.jit
def matmul(a, b, c, M, N, K, S: tl.constexpr = 16):
    tile = tl.program_id(0)
    tl.store(places(c, tile, N, S), product(a, b, tile, 0, K // S, N, K, S))


@triton.jit
def split_k(a, b, c, turn, M, N, K, S: tl.constexpr = 16):
    # The parts of a tile are added in the order of their numbers.
    tile = tl.program_id(0)
    part = tl.program_id(1)
    parts = tl.num_programs(1)
    steps = K // S // parts
    acc = product(a, b, tile, part * steps, (part + 1) * steps, N, K, S)
    while tl.atomic_cas(turn + tile, part, part, sem="acquire") != part:
        pass
    at = places(c, tile, N, S)
    if part > 0:
        acc += tl.load(at)
    tl.store(at, acc)
    tl.atomic_xchg(turn + tile, part + 1, sem="release")


@triton.jit
def stream_k(a, b, c, part, ready, M, N, K, S: tl.constexpr = 16, SEM: tl.constexpr = "acquire"):
    # Programs share all steps of all tiles evenly; who begins a tile finishes it with the
    # parts of those after it.
    pid = tl.program_id(0)
    steps = K // S
    total = (M // S) * (N // S) * steps
    share = tl.cdiv(total, tl.num_programs(0))
    at = pid * share
    end = tl.minimum(at + share, total)
    i = tl.arange(0, S)
    while at < end:
        tile = at // steps
        tile_end = (tile + 1) * steps
        stop = tl.minimum(end, tile_end)
        acc = product(a, b, tile, at % steps, at % steps + stop - at, N, K, S)
        if at % steps == 0:
            helper = pid + 1
            done = stop
            while done < tile_end:
                while tl.atomic_add(ready + helper, 0, sem=SEM) == 0:
                    pass
                # RELAXED: waiting.py:[[@LINE+3]]:{{[0-9]+}}: error: race: this load and another program's store touch 'part[
                # RELAXED: waiting.py:[[@LINE+7]]:{{[0-9]+}}: note: the store is of program
                # RELAXED: atomics with sem='relaxed' and volatile loads order nothing
                acc += tl.load(part + helper * S * S + i[:, None] * S + i[None, :])
                done += share
                helper += 1
            tl.store(places(c, tile, N, S), acc)
        else:
            tl.store(part + pid * S * S + i[:, None] * S + i[None, :], acc)
            tl.atomic_xchg(ready + pid, 1, sem="release")
        at = stop


@triton.jit
def grads(x, dw, lock, n, GROUPS: tl.constexpr = 4, B: tl.constexpr = 64):
    # As in a backward pass of layer norm: rows of a group add up under its lock, and the
    # first of them finds memory that nobody has written.
    row = tl.program_id(0)
    cols = tl.arange(0, B)
    mask = cols < n
    partial = tl.load(x + row * n + cols, mask=mask)
    group = row % GROUPS
    at = dw + group * n + cols
    while tl.atomic_cas(lock + group, 0, 1) == 1:
        pass
    count = tl.load(lock + GROUPS + group)
    if count == 0:
        tl.atomic_xchg(lock + GROUPS + group, 1)
    else:
        partial += tl.load(at, mask=mask)
    tl.store(at, partial, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(lock + group, 0)


@triton.jit
def scan(x, out, sums, totals, state, B: tl.constexpr = 8):
    # Decoupled look-back: a program tells its own sum at once, and the sum of all up to
    # itself when it knows it.
    pid = tl.program_id(0)
    i = tl.arange(0, B)
    v = tl.load(x + pid * B + i)
    own = tl.sum(v)
    tl.store(sums + pid, own)
    tl.atomic_xchg(state + pid, 1, sem="release")
    before = 0
    back = pid - 1
    while back >= 0:
        seen = tl.atomic_add(state + back, 0, sem="acquire")
        if seen == 2:
            before += tl.load(totals + back)
            back = -1
        elif seen == 1:
            before += tl.load(sums + back)
            back -= 1
    tl.store(totals + pid, before + own)
    tl.atomic_xchg(state + pid, 2, sem="release")
    tl.store(out + pid * B + i, before + tl.cumsum(v) - v)
