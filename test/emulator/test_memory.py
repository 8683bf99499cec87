"""Loads and stores, bounds, asynchronous copies, atomics, matrices of tensor cores."""

import unittest

import numpy as np

from ptx.rounding import encode
from snippet import fault, load, run, store

THREAD4 = "  shl.b32 %r1, %r63, 4;\n  add.s32 %r2, %r62, %r1;\n  cvt.u64.u32 %rd1, %r1;\n  add.s64 %rd2, %rd31, %rd1;\n"


class Accesses(unittest.TestCase):
    def test_widths_and_signs(self):
        given = np.arange(-16, 16, dtype=np.int8)
        got = run("cvt.u64.u32 %rd1, %r63;\n  add.s64 %rd2, %rd31, %rd1;\n  ld.global.s8 %r1, [%rd2];" + store("%r1"), given)
        self.assertEqual(got.view(np.int32).tolist(), given.tolist())
        got = run("cvt.u64.u32 %rd1, %r63;\n  add.s64 %rd2, %rd31, %rd1;\n  ld.global.u8 %rs1, [%rd2];\n"
                  "  cvt.u32.u16 %r1, %rs1;" + store("%r1"), given)
        self.assertEqual(got.tolist(), given.view(np.uint8).tolist())

    def test_vectors(self):
        given = np.arange(128, dtype=np.uint32)
        got = run(THREAD4 + "  ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%rd2];\n"
                  "  st.shared.v2.b32 [%r2], {%r7, %r6};\n  ld.shared.b64 %rd5, [%r2];" + store("%rd5", "b64"), given,
                  kind=np.uint64)
        self.assertEqual(got.tolist(), [(4 * t + 2) << 32 | (4 * t + 3) for t in range(32)])

    def test_halves(self):
        got = run("mov.b32 {%rs1, %rs2}, 0x20001;\n  mov.b32 %r1, {%rs2, %rs1};" + store("%r1"))
        self.assertEqual(got[0], 0x10002)

    def test_bounds(self):
        with fault(self, r"thread 31 accesses 4 bytes of global memory at offset 124 from the start of buffer 1 of 124 "
                         "bytes, which is outside of its bounds"):
            run(load("%r1"), np.zeros(31, np.uint32))
        with fault(self, "thread 0 accesses 4 bytes of global memory .* outside"):
            run("ld.global.b32 %r1, [%rd31+-4];", np.zeros(31, np.uint32))
        with fault(self, "thread 16 accesses 16 bytes of shared memory at offset 256 of 256 bytes"):
            run(THREAD4 + "st.shared.v4.b32 [%r2], {%r1, %r1, %r1, %r1};", shared=256)
        run("setp.lt.s32 %p1, %r63, 31;\n" + load("%r1").replace("ld.", "@%p1 ld."), np.zeros(31, np.uint32))

    def test_alignment(self):
        with fault(self, "thread 0 accesses 4 bytes .* is not aligned"):
            run("ld.global.b32 %r1, [%rd31+2];", np.zeros(4, np.uint32))
        with fault(self, "is not aligned"):
            run("ld.global.v2.b32 {%r1, %r2}, [%rd31+4];", np.zeros(4, np.uint32))

    def test_shared_memory_is_not_zero(self):
        self.assertTrue(run(THREAD4 + "ld.shared.b32 %r3, [%r2];" + store("%r3")).all())

    def test_blocks_have_their_own(self):
        body = """
  mov.u32 %r1, %ctaid.x;
  shl.b32 %r2, %r63, 2;
  add.s32 %r3, %r62, %r2;
  st.shared.b32 [%r3], %r1;
  bar.sync 0;
  ld.shared.b32 %r4, [%r62+124];
  shl.b32 %r5, %r1, 5;
  add.s32 %r5, %r5, %r63;
  mul.wide.u32 %rd1, %r5, 4;
  add.s64 %rd1, %rd30, %rd1;
  st.global.b32 [%rd1], %r4;"""
        self.assertEqual(run(body, count=96, grid=(3, 1, 1)).tolist(), np.repeat(range(3), 32).tolist())


class Copies(unittest.TestCase):
    GIVEN = np.arange(128, dtype=np.uint32)
    START = THREAD4 + "  cp.async.cg.shared.global [%r2], [%rd2], 16SIZE;\n  cp.async.commit_group;\n"
    WAIT = "  cp.async.wait_group 0;\n"
    BARRIER = "  bar.sync 0;\n"
    OTHER = "  xor.b32 %r3, %r1, 16;\n  add.s32 %r4, %r62, %r3;\n  ld.shared.b32 %r5, [%r4];\n" + store("%r5")

    def copy(self, *parts, size=""):
        return run("".join(parts).replace("SIZE", size), self.GIVEN)

    def test_copy(self):
        self.assertEqual(self.copy(self.START, self.WAIT, self.BARRIER, self.OTHER).tolist(), [4 * (t ^ 1) for t in range(32)])

    def test_own_bytes_need_no_barrier(self):
        got = self.copy(self.START, self.WAIT, "  ld.shared.b32 %r5, [%r2+4];", store("%r5"))
        self.assertEqual(got.tolist(), [4 * t + 1 for t in range(32)])

    def test_zero_fill(self):
        got = self.copy(self.START, self.WAIT, "  ld.shared.b32 %r5, [%r2+4];", store("%r5"), size=", 4")
        self.assertEqual(got.tolist(), [0] * 32)
        got = self.copy(self.START, self.WAIT, "  ld.shared.b32 %r5, [%r2];", store("%r5"), size=", 0")
        self.assertEqual(got.tolist(), [0] * 32)

    def test_bytes_that_are_not_read_may_lie_anywhere(self):
        self.copy(self.START.replace("[%rd2]", "[%rd31+4096]"), self.WAIT, size=", 0")
        with fault(self, "outside of its bounds"):
            self.copy(self.START.replace("[%rd2]", "[%rd31+4096]"), self.WAIT, size=", 4")

    def test_early_reader(self):
        with fault(self, "it reads shared memory that an asynchronous copy is still to write"):
            self.copy(self.START, self.BARRIER, self.OTHER, self.WAIT)
        with fault(self, "still to write"):
            self.copy(self.START, self.WAIT.replace("0", "1"), self.BARRIER, self.OTHER, self.WAIT)
        with fault(self, "race: .* that thread 1 wrote with no barrier"):
            self.copy(self.START, self.WAIT, self.OTHER)

    def test_writer_meanwhile(self):
        with fault(self, "it writes shared memory that an asynchronous copy is still to write"):
            self.copy(self.START, "  st.shared.b32 [%r2], 1;\n", self.WAIT)

    def test_copy_over_a_reader(self):
        with fault(self, "race: .* writes .* that thread 1 read"):
            self.copy(THREAD4, "  xor.b32 %r3, %r1, 16;\n  add.s32 %r4, %r62, %r3;\n  ld.shared.b32 %r5, [%r4];\n", self.START,
                      self.WAIT)

    def test_nobody_waits(self):
        with fault(self, "ends before its asynchronous copies are complete"):
            self.copy(self.START)

    def test_sizes(self):
        with fault(self, "a copy of 12 bytes is not possible"):
            run("cp.async.ca.shared.global [%r62], [%rd31], 12;")
        with fault(self, "not aligned"):
            run("cp.async.ca.shared.global [%r62], [%rd31+4], 8;", self.GIVEN)


class Atomics(unittest.TestCase):
    def test_each_thread_gets_its_turn(self):
        got = run("atom.global.add.u32 %r1, [%rd31], 2;" + store("%r1"), np.uint32([5]))
        self.assertEqual(sorted(got.tolist()), list(range(5, 69, 2)))

    def test_operations(self):
        for name, kind, want in (("add", "u32", 496), ("min", "s32", 0), ("max", "u32", 31), ("xor", "b32", 0),
                                 ("or", "b32", 31), ("and", "b32", 0), ("exch", "b32", 31)):
            self.assertEqual(run(f"atom.global.{name}.{kind} %r1, [%rd30], %r63;", count=1)[0], want, name)

    def test_floats_and_cas(self):
        got = run("mov.b32 %r1, 0f3F000000;\n  red.global.add.f32 [%rd30], %r1;", count=1)
        self.assertEqual(got.view(np.float32)[0], 16)
        got = run("add.s32 %r2, %r63, 1;\n  atom.global.cas.b32 %r1, [%rd30], %r63, %r2;", count=1)
        self.assertEqual(got[0], 32)

    def test_mixed_with_plain_accesses(self):
        with fault(self, "race"):
            run("red.shared.add.u32 [%r62], 1;\n  ld.shared.b32 %r1, [%r62];")
        run("red.shared.add.u32 [%r62], 1;\n  bar.sync 0;\n  ld.shared.b32 %r1, [%r62];")


class Matrices(unittest.TestCase):
    ROWS = "  and.b32 %r1, %r63, 31;\n  shl.b32 %r2, %r1, 4;\n  add.s32 %r3, %r62, %r2;\n"

    def test_ldmatrix(self):
        # Row r of the 32 rows holds 8 r to 8 r + 7.
        fill = self.ROWS + "".join(
            f"  mad.lo.s32 %r4, %r1, 8, {2 * k};\n  mad.lo.s32 %r4, %r4, 65537, 65536;\n  st.shared.b32 [%r3+{4 * k}], %r4;\n"
            for k in range(4)) + "  bar.sync 0;\n"
        for trans in ("", ".trans"):
            got = run(fill + f"  ldmatrix.sync.aligned.m8n8.x4{trans}.shared.b16 {{%r5, %r6, %r7, %r8}}, [%r3];" + store("%r7"))
            for lane, value in enumerate(got.tolist()):
                row, column = lane // 4, 2 * (lane % 4)
                want = [(16 + row) * 8 + column + e for e in (0, 1)] if not trans else [
                    (16 + column + e) * 8 + row for e in (0, 1)]
                self.assertEqual([value & 0xFFFF, value >> 16], want)
        with fault(self, "race: thread 0 reads"):
            run(fill.replace("bar.sync 0;", "") + "  ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [%r3];")

    def test_whole_warps(self):
        with fault(self, "only some lanes of a warp"):
            run("setp.lt.s32 %p1, %r63, 16;\n  @%p1 ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [%r62];")

    def product(self, shape, kinds, a, b, bits, accumulator):
        """One mma of fragments that are packed here by the manual's figures."""
        m, n, k = shape
        each = 32 // bits
        left, right = [], []  # registers of each lane
        for j in range(m * k // 32 // each):
            row, column = j % (m // 8) * 8, j // (m // 8) * 4 * each
            left.append([self.packed(a[row + lane // 4, column + lane % 4 * each:][:each], bits) for lane in range(32)])
        for j in range(n * k // 32 // each):
            right.append([self.packed(b[j * 4 * each + lane % 4 * each:, lane // 4][:each], bits) for lane in range(32)])
        given = np.array(left + right, np.uint64).astype(np.uint32)
        body = ""
        for j in range(len(given)):
            body += f"\n  add.s64 %rd27, %rd31, {128 * j};" + load(f"%r{10 + j}", "b32", "%rd27")
        names = [f"%r{10 + j}" for j in range(len(given))]
        body += (f"\n  mma.sync.aligned.m{m}n{n}k{k}.row.col.{kinds} {{%r1, %r2, %r3, %r4}}, "
                 f"{{{', '.join(names[:len(left)])}}}, {{{', '.join(names[len(left):])}}}, {{{', '.join([accumulator] * 4)}}};")
        out = np.zeros((16, 8))
        for e in range(4):
            got = run(body + store(f"%r{e + 1}"), given.ravel())
            view = got.view(np.int32 if kinds.startswith("s32") else np.float32)
            for lane in range(32):
                out[lane // 4 + e // 2 * 8, lane % 4 * 2 + e % 2] = view[lane]
        return out

    @staticmethod
    def packed(values, bits):
        return sum(int(v) << bits * e for e, v in enumerate(values))

    def test_products(self):
        draw = np.random.default_rng(1)
        for kind, bits, depth in (("f16", 16, 16), ("bf16", 16, 16), ("tf32", 32, 8), ("e4m3", 8, 32), ("f16", 16, 8)):
            a, b = draw.integers(-4, 5, (16, depth)).astype(float), draw.integers(-4, 5, (depth, 8)).astype(float)
            got = self.product((16, 8, depth), f"f32.{kind}.{kind}.f32", encode(kind, a.ravel()).reshape(a.shape),
                               encode(kind, b.ravel()).reshape(b.shape), bits, "0f3F800000")
            self.assertEqual(got.tolist(), (a @ b + 1).tolist(), kind)
        a, b = draw.integers(-128, 128, (16, 32)), draw.integers(-128, 128, (32, 8))
        got = self.product((16, 8, 32), "s32.s8.s8.s32", a.astype(np.uint8), b.astype(np.uint8), 8, "7")
        self.assertEqual(got.tolist(), (a @ b + 7).tolist())

    def test_unknown_shape(self):
        with fault(self, "does not fit"):
            run("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r1, %r2, %r3, %r4}, {%r1, %r2}, {%r3}, "
                "{%r1, %r1, %r1, %r1};")


if __name__ == "__main__":
    unittest.main()
