"""Ways of threads, barriers, what warps exchange, and errors that name their place."""

import unittest

import numpy as np

from snippet import apply, fault, run, store


class Ways(unittest.TestCase):
    def test_branches_meet(self):
        # Even threads double, odd ones add 100; then all add the same.
        got = run("""
  and.b32 %r1, %r63, 1;
  setp.eq.s32 %p1, %r1, 1;
  @%p1 bra ODD;
  shl.b32 %r2, %r63, 1;
  bra.uni MEET;
ODD:
  add.s32 %r2, %r63, 100;
MEET:
  activemask.b32 %r3;
  setp.eq.b32 %p2, %r3, -1;
  @%p2 add.s32 %r2, %r2, 1000;""" + store("%r2"))
        self.assertEqual(got[:4].tolist(), [1000, 1101, 1004, 1103])

    def test_loops_of_each_thread(self):
        # The sum of 0 to t - 1, and in it an inner loop that runs i times.
        got = run("""
  mov.b32 %r1, 0;
  mov.b32 %r2, 0;
OUTER:
  setp.ge.s32 %p1, %r1, %r63;
  @%p1 bra DONE;
  mov.b32 %r3, 0;
INNER:
  setp.ge.s32 %p2, %r3, %r1;
  @%p2 bra NEXT;
  add.s32 %r2, %r2, 1;
  add.s32 %r3, %r3, 1;
  bra INNER;
NEXT:
  add.s32 %r1, %r1, 1;
  bra OUTER;
DONE:""" + store("%r2"))
        self.assertEqual(got.tolist(), [t * (t - 1) // 2 for t in range(32)])

    def test_pairs_are_compared_apart(self):
        # 1 < 2 but not 2 < 1; of a NaN nothing is so.
        got = run("""
  griddepcontrol.wait;
  mov.b32 %r1, 0x40003C00;
  mov.b32 %r2, 0x3C004000;
  mov.b32 %r3, 0x7E003C00;
  setp.lt.f16x2 %p1|%p2, %r1, %r2;
  selp.b32 %r4, 1, 0, %p1;
  @%p2 add.s32 %r4, %r4, 2;
  setp.geu.f16x2 %p1|%p2, %r3, %r1;
  @%p1 add.s32 %r4, %r4, 4;
  @%p2 add.s32 %r4, %r4, 8;""" + store("%r4"))
        self.assertEqual(got[:2].tolist(), [13, 13])

    def test_some_threads_leave(self):
        got = run("setp.gt.s32 %p1, %r63, 7;\n  @%p1 ret;\n  mov.b32 %r1, 5;" + store("%r1") +
                  "\n  setp.gt.s32 %p1, %r63, 3;\n  @%p1 exit;\n  mov.b32 %r1, 6;" + store("%r1"))
        self.assertEqual(got[:10].tolist(), [6, 6, 6, 6, 5, 5, 5, 5, 0, 0])

    def test_blocks_of_a_grid(self):
        body = """
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ctaid.y;
  mov.u32 %r3, %nctaid.x;
  mad.lo.s32 %r4, %r2, %r3, %r1;
  mov.u32 %r5, %ntid.x;
  mad.lo.s32 %r6, %r4, %r5, %r63;
  mul.wide.u32 %rd1, %r6, 4;
  add.s64 %rd1, %rd30, %rd1;
  st.global.b32 [%rd1], %r6;"""
        for lanes in (32, 96, 2048):
            self.assertEqual(run(body, count=192, grid=(3, 2, 1), lanes=lanes).tolist(), list(range(192)))

    def test_no_end(self):
        with fault(self, r"line \d+: `.*`: the kernel does not end within 1000 instructions"):
            run("AGAIN:\n  bra AGAIN;", limit=1000)


class Barriers(unittest.TestCase):
    SWAP = """
  shl.b32 %r1, %r63, 2;
  add.s32 %r2, %r62, %r1;
  st.shared.b32 [%r2], %r63;
  BARRIER
  sub.s32 %r3, 63, %r63;
  shl.b32 %r4, %r3, 2;
  add.s32 %r5, %r62, %r4;
  ld.shared.b32 %r6, [%r5];"""

    def test_exchange(self):
        got = run(self.SWAP.replace("BARRIER", "bar.sync 0;") + store("%r6"), threads=64, count=64)
        self.assertEqual(got.tolist(), list(range(63, -1, -1)))

    def test_exchange_without_barrier(self):
        with fault(self, r"line \d+: `ld.shared.b32 %r6, \[%r5\]`: race: thread 0 reads byte 252 of shared memory that "
                         "thread 63 wrote with no barrier between"):
            run(self.SWAP.replace("BARRIER", "") + store("%r6"), threads=64, count=64)

    def test_a_barrier_of_a_warp_is_none_of_the_block(self):
        with fault(self, "race"):
            run(self.SWAP.replace("BARRIER", "bar.warp.sync -1;"), threads=64)
        run(self.SWAP.replace("BARRIER", "bar.warp.sync -1;").replace("63, %r63", "31, %r63"), threads=32)

    def test_write_after_read(self):
        body = self.SWAP.replace("BARRIER", "bar.sync 0;") + "\n  add.s32 %r7, %r6, 1;\n  st.shared.b32 [%r2], %r7;"
        with fault(self, "writes byte 0 of shared memory that thread 63 read with no barrier"):
            run(body, threads=64)
        run(body.replace("  add.s32 %r7", "  bar.sync 0;\n  add.s32 %r7"), threads=64)

    def test_write_after_read_by_several(self):
        # A warp reads one word, then both warps; a thread of the first writes it.
        for threads, who in ((32, "warp 0"), (64, "the warps of block 0")):
            body = f"""
  setp.eq.s32 %p1, %r63, 0;
  ld.shared.b32 %r1, [%r62];
  BARRIER
  @%p1 st.shared.b32 [%r62], 77;"""
            with fault(self, f"that {who} read"):
                run(body.replace("BARRIER", ""), threads=threads)
            run(body.replace("BARRIER", "bar.sync 0;"), threads=threads)

    def test_two_writers(self):
        with fault(self, "threads store different values to offset 0 of 1024 bytes of shared"):
            run("st.shared.b32 [%r62], %r63;")
        run("mov.b32 %r1, 5;\n  st.shared.b32 [%r62], %r1;")

    def test_not_all_threads_arrive(self):
        with fault(self, "`@%p1 bar.sync 0`: a barrier of the block that only some of its threads reach"):
            run("setp.lt.s32 %p1, %r63, 16;\n  @%p1 bar.sync 0;")
        with fault(self, "only some of its threads reach"):
            run("setp.lt.s32 %p1, %r63, 32;\n  @!%p1 bra OVER;\n  bar.sync 0;\nOVER:", threads=64)

    def test_threads_that_left_are_not_waited_for(self):
        run("setp.lt.s32 %p1, %r63, 32;\n  @%p1 ret;\n  bar.sync 0;", threads=64)


class Warps(unittest.TestCase):
    def shuffle(self, mode, b, c):
        return run(f"shfl.sync.{mode}.b32 %r1|%p1, %r63, {b}, {c}, -1;\n  selp.b32 %r2, 100, 0, %p1;\n"
                   "  add.s32 %r1, %r1, %r2;" + store("%r1")).tolist()

    def test_shuffles(self):
        lanes = list(range(32))
        self.assertEqual(self.shuffle("bfly", 5, 31), [100 + (lane ^ 5) for lane in lanes])
        self.assertEqual(self.shuffle("up", 3, 0), [100 + lane - 3 if lane >= 3 else lane for lane in lanes])
        self.assertEqual(self.shuffle("down", 3, 31), [100 + lane + 3 if lane < 29 else lane for lane in lanes])
        self.assertEqual(self.shuffle("idx", 4, 31), [104] * 32)
        # Segments of eight: the mask 11000 in bits 8 to 12.
        self.assertEqual(self.shuffle("idx", 2, 0x181F), [100 + lane // 8 * 8 + 2 for lane in lanes])
        self.assertEqual(self.shuffle("up", 1, 0x1800), [100 + lane - 1 if lane % 8 else lane for lane in lanes])

    def test_members_must_be_there(self):
        with fault(self, "names threads that do not execute"):
            run("setp.lt.s32 %p1, %r63, 16;\n  @%p1 shfl.sync.bfly.b32 %r1, %r63, 1, 31, -1;")
        with fault(self, "lacks a thread that executes"):
            run("shfl.sync.bfly.b32 %r1, %r63, 1, 31, 0xFFFF;")
        run("setp.lt.s32 %p1, %r63, 16;\n  @%p1 shfl.sync.bfly.b32 %r1, %r63, 1, 31, 0xFFFF;")
        with fault(self, "reads from a lane that does not execute"):
            run("setp.lt.s32 %p1, %r63, 16;\n  @%p1 shfl.sync.bfly.b32 %r1, %r63, 16, 31, 0xFFFF;")

    def test_votes(self):
        head = "setp.lt.s32 %p1, %r63, 3;\n"
        self.assertEqual(run(head + "vote.sync.ballot.b32 %r1, %p1, -1;" + store("%r1")).tolist(), [7] * 32)
        for mode, want in (("any", 1), ("all", 0), ("uni", 0)):
            got = run(head + f"vote.sync.{mode}.pred %p2, %p1, -1; selp.b32 %r1, 1, 0, %p2;" + store("%r1"))
            self.assertEqual(got.tolist(), [want] * 32)

    def test_reductions_and_matches(self):
        for name, want in (("add.u32", 496), ("max.s32", 31), ("min.u32", 0), ("xor.b32", 0), ("or.b32", 31)):
            self.assertEqual(run(f"redux.sync.{name} %r1, %r63, -1;" + store("%r1")).tolist(), [want] * 32)
        got = run("shr.u32 %r1, %r63, 4;\n  match.any.sync.b32 %r2, %r1, -1;" + store("%r2"))
        self.assertEqual(got.tolist(), [0xFFFF] * 16 + [0xFFFF0000] * 16)
        got = run("match.all.sync.b32 %r2|%p1, %r63, -1;" + store("%r2"))
        self.assertEqual(got.tolist(), [0] * 32)
        got = run("elect.sync %r1|%p1, -1; selp.b32 %r2, 1, 0, %p1;" + store("%r2"))
        self.assertEqual(got.tolist(), [1] + [0] * 31)


class Unknown(unittest.TestCase):
    def test_instruction(self):
        with fault(self, r"line 13: `wgmma.fence.sync.aligned`: the emulator does not know this instruction"):
            run("  wgmma.fence.sync.aligned;")

    def test_modifier(self):
        with fault(self, r"does not know \.rn here"):
            apply("add.rn.s32 %r0, %r1, 1;", np.uint32([1]))

    def test_register_and_label(self):
        with fault(self, "'%rq1' is not declared"):
            run("mov.b32 %rq1, 0;")
        with fault(self, "there is no label NOWHERE"):
            run("bra NOWHERE;")

    def test_call(self):
        with fault(self, "does not know this function"):
            run("call.uni malloc, (%r1);")

    def test_trap(self):
        with fault(self, "thread 3 stops the kernel"):
            run("setp.eq.s32 %p1, %r63, 3;\n  @%p1 trap;")

    def test_blocks_in_braces(self):
        got = run("mov.b32 %r1, 1;\n  { .reg .b32 t; add.s32 t, %r1, 2; { .reg .b32 t; mov.b32 t, 9; } mov.b32 %r1, t; }" +
                  store("%r1"))
        self.assertEqual(got[0], 3)


if __name__ == "__main__":
    unittest.main()
