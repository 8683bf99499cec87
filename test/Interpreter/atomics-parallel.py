# Atomics on all cores: each counts, locks and semaphores work, and a deadlock ends.

# DEFINE: %{run} = tile-run %s --schedule parallel --kernel
# RUN: %{run} counts --grid 512 c="zeros(i32,4)" --expect "c=full(i32,8192,4)"
# RUN: %{run} sums --grid 512 x="zeros(f32,4)" h="zeros(f16,4)" --expect "x=full(f32,8192,4)" --expect "h=full(f16,1024,4)"
# RUN: %{run} locked --grid 512 lock="zeros(i32,1)" data="zeros(i32,16)" --expect "data=full(i32,512,16)"
# RUN: %{run} in_order --grid 300 turn="zeros(i32,1)" out="zeros(i32,300)" --expect "out=arange(i32,300)"
# RUN: %{run} in_reverse --grid 300 turn="full(i32,299,1)" out="zeros(i32,300)" --expect "out=arange(i32,300)"
# RUN: not %{run} never --grid 64 flag="zeros(i32,1)" 2>&1 | FileCheck %s

import triton
import triton.language as tl


@triton.jit
def counts(c):
    i = tl.arange(0, 64)
    tl.atomic_add(c + i % 4, 1)


@triton.jit
def sums(x, h):
    i = tl.arange(0, 64)
    tl.atomic_add(x + i % 4, 1.0)
    tl.atomic_add(h + tl.arange(0, 4), tl.full([4], 2.0, tl.float16))


@triton.jit
def locked(lock, data):
    i = tl.arange(0, 16)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(data + i, tl.load(data + i) + 1)
    tl.atomic_xchg(lock, 0)


@triton.jit
def in_order(turn, out):
    # Each program waits for the one before it.
    pid = tl.program_id(0)
    while tl.load(turn, volatile=True) != pid:
        pass
    tl.store(out + pid, pid)
    tl.atomic_xchg(turn, pid + 1)


@triton.jit
def in_reverse(turn, out):
    # Each program waits for the one after it, which all threads have to start.
    pid = tl.program_id(0)
    while tl.load(turn, volatile=True) != pid:
        pass
    tl.store(out + pid, pid)
    tl.atomic_xchg(turn, pid - 1)


@triton.jit
def never(flag):
    # CHECK: error: deadlock: 64 programs wait for what none of them does
    while tl.load(flag, volatile=True) == 0:
        pass
