"""Integer instructions, against values worked out by hand or in Python's integers."""

import random
import unittest

import numpy as np

from snippet import apply, fault, run, store


def u32(*values):
    return np.array(values, np.int64).astype(np.uint32)


def u64(*values):
    return np.array([v % (1 << 64) for v in values], np.uint64)


class Arithmetic(unittest.TestCase):
    def check(self, instruction, sources, want, **options):
        got = apply(instruction, *sources, **options)
        self.assertEqual(got.tolist(), [int(w) for w in want], instruction)

    def test_sums_and_products_wrap(self):
        self.check("add.s32 %r0, %r1, %r2;", [u32(0x7FFFFFFF, -1), u32(1, 1)], u32(0x80000000, 0))
        self.check("sub.s32 %r0, %r1, 1;", [u32(0)], u32(-1))
        self.check("mul.lo.s32 %r0, %r1, %r2;", [u32(1 << 20), u32(1 << 13)], [0])
        self.check("mad.lo.s32 %r0, %r1, %r2, %r3;", [u32(3), u32(-4), u32(5)], u32(-7))
        self.check("add.s16x2 %r0, %r1, %r2;", [u32(0x7FFFFFFF), u32(0x00010001)], [0x80000000])
        self.check("add.s16 %rs0, %rs1, %rs2;", [np.uint16([65535]), np.uint16([2])], [1], result="b16")

    def test_high_and_wide_products(self):
        self.check("mul.hi.s32 %r0, %r1, %r2;", [u32(-2, 1 << 30), u32(3, 8)], u32(-1, 2))
        self.check("mul.hi.u32 %r0, %r1, %r2;", [u32(-2), u32(3)], [2])
        self.check("mul.wide.s32 %rd0, %r1, %r2;", [u32(-2), u32(3)], u64(-6), result="b64")
        self.check("mul.wide.u32 %rd0, %r1, %r2;", [u32(-2), u32(3)], [0xFFFFFFFE * 3], result="b64")
        self.check("mul.wide.s16 %r0, %rs1, %rs2;", [np.uint16([65535]), np.uint16([2])], u32(-2))
        draw = random.Random(1)
        a = [draw.getrandbits(64) - (1 << 63) for _ in range(32)]
        b = [draw.getrandbits(64) - (1 << 63) for _ in range(32)]
        self.check("mul.hi.s64 %rd0, %rd1, %rd2;", [u64(*a), u64(*b)], u64(*(x * y >> 64 for x, y in zip(a, b))),
                   result="b64")

    def test_carries(self):
        draw = random.Random(2)
        for name, sign in (("add", 1), ("sub", -1)):
            a, b = ([draw.choice([0, 2**64 - 1, 2**32, draw.getrandbits(96)]) for _ in range(32)] for _ in range(2))
            parts = [u32(*(v >> shift & 0xFFFFFFFF for v in values)) for values in (a, b) for shift in (0, 32, 64)]
            self.check(f"{name}.cc.u32 %r10, %r1, %r4; {name}c.cc.u32 %r11, %r2, %r5; {name}c.u32 %r0, %r3, %r6;", parts,
                       [(x + sign * y) % 2**96 >> 64 for x, y in zip(a, b)])

    def test_division_cuts(self):
        self.check("div.s32 %r0, %r1, %r2;", [u32(-7, 7, -8), u32(2, -2, 2)], u32(-3, -3, -4))
        self.check("rem.s32 %r0, %r1, %r2;", [u32(-7, 7), u32(2, -2)], u32(-1, 1))
        self.check("div.u32 %r0, %r1, %r2;", [u32(-7), u32(2)], [0x7FFFFFFC])
        self.check("rem.u64 %rd0, %rd1, %rd2;", [u64(-1), u64(10)], [5], result="b64")

    def test_extremes_and_signs(self):
        self.check("min.s32 %r0, %r1, %r2;", [u32(-1), u32(1)], u32(-1))
        self.check("min.u32 %r0, %r1, %r2;", [u32(-1), u32(1)], [1])
        self.check("max.u16x2 %r0, %r1, %r2;", [u32(0xFFFF0001), u32(0x00020002)], [0xFFFF0002])
        self.check("min.s16x2 %r0, %r1, %r2;", [u32(0xFFFF0001), u32(0x00020002)], [0xFFFF0001])
        self.check("max.relu.s32 %r0, %r1, %r2;", [u32(-5, 3), u32(-7, 4)], u32(0, 4))
        self.check("abs.s32 %r0, %r1;", [u32(-5)], [5])
        self.check("neg.s32 %r0, %r1;", [u32(5)], u32(-5))


class Bits(Arithmetic):
    def test_shifts_beyond_the_width(self):
        self.check("shl.b32 %r0, %r1, %r2;", [u32(1, 1, 1), u32(31, 32, 255)], [1 << 31, 0, 0])
        self.check("shr.u32 %r0, %r1, %r2;", [u32(-1, -1), u32(31, 32)], [1, 0])
        self.check("shr.s32 %r0, %r1, %r2;", [u32(-2, -2), u32(1, 40)], u32(-1, -1))
        self.check("shr.s64 %rd0, %rd1, %r2;", [u64(-1 << 40), u32(70)], u64(-1), result="b64")

    def test_funnel_shift(self):
        self.check("shf.l.wrap.b32 %r0, %r1, %r2, %r3;", [u32(0x80000001), u32(0x0000000F), u32(4)], [0x000000F8])
        self.check("shf.r.wrap.b32 %r0, %r1, %r2, %r3;", [u32(0x80000001), u32(0x0000000F), u32(4)], [0xF8000000])
        self.check("shf.l.wrap.b32 %r0, %r1, %r2, %r3;", [u32(5), u32(7), u32(32)], [7])
        self.check("shf.l.clamp.b32 %r0, %r1, %r2, %r3;", [u32(5), u32(7), u32(33)], [5])

    def test_logic(self):
        self.check("lop3.b32 %r0, %r1, %r2, %r3, 0x96;", [u32(0xF0), u32(0xCC), u32(0xAA)], [0xF0 ^ 0xCC ^ 0xAA])
        self.check("lop3.b32 %r0, %r1, %r2, %r3, 0xCA;", [u32(0xF0), u32(0xCC), u32(0xAA)], [0xCA])
        self.check("not.b32 %r0, %r1;", [u32(0)], [0xFFFFFFFF])
        self.check("and.b32 %r0, %r1, 0xFF;", [u32(0x1234)], [0x34])

    def test_fields(self):
        self.check("bfe.u32 %r0, %r1, 4, 8;", [u32(0xABCD)], [0xBC])
        self.check("bfe.s32 %r0, %r1, 4, 8;", [u32(0xABCD)], [0xFFFFFFBC])
        self.check("bfe.s32 %r0, %r1, 24, 16;", [u32(0x80000000)], [0xFFFFFF80])
        self.check("bfe.u32 %r0, %r1, %r2, %r3;", [u32(-1, -1), u32(32, 0), u32(4, 0)], [0, 0])
        self.check("bfi.b32 %r0, %r1, %r2, 8, 8;", [u32(0xABCD), u32(0xFFFFFFFF)], [0xFFFFCDFF])

    def test_bytes(self):
        self.check("prmt.b32 %r0, %r1, %r2, 0x7531;", [u32(0x33221100), u32(0x77665544)], [0x77553311])
        self.check("prmt.b32 %r0, %r1, 0, 0x9980;", [u32(0x00008070)], [0xFFFF0070])
        self.check("dp4a.s32.s32 %r0, %r1, %r2, %r3;", [u32(0xFF020304), u32(0x01010101), u32(10)], [18])
        self.check("dp4a.u32.u32 %r0, %r1, %r2, %r3;", [u32(0xFF020304), u32(0x01010101), u32(0)], [264])

    def test_counts(self):
        self.check("popc.b32 %r0, %r1;", [u32(0xF0F0, 0, -1)], [8, 0, 32])
        self.check("clz.b32 %r0, %r1;", [u32(0, 1, -1, 0x8000)], [32, 31, 0, 16])
        self.check("clz.b64 %r0, %rd1;", [u64(1 << 40, 0)], [23, 64])
        self.check("brev.b32 %r0, %r1;", [u32(1, 0x80000001)], [0x80000000, 0x80000001])


class Selection(unittest.TestCase):
    def test_comparison_pairs(self):
        body = "setp.lt.and.s32 %p1|%p2, %r63, 3, %p0; selp.b32 %r1, 1, 0, %p1; selp.b32 %r2, 2, 0, %p2; add.s32 %r1, %r1, %r2;"
        got = run("setp.ne.s32 %p0, %r63, 1;" + body + store("%r1"))
        self.assertEqual(got[:5].tolist(), [1, 0, 1, 2, 2])

    def test_unsigned_comparison(self):
        got = run("sub.s32 %r1, %r63, 1; setp.hi.u32 %p1, %r1, 2; selp.b32 %r2, 1, 0, %p1;" + store("%r2"))
        self.assertEqual(got[:5].tolist(), [1, 0, 0, 0, 1])

    def test_register_sizes(self):
        with fault(self, "too small"):
            run("cvt.u16.u32 %rs1, %r63; add.s32 %r1, %rs1, 1;")


if __name__ == "__main__":
    unittest.main()
