"""Float instructions and conversions, against exact fractions and the manual's rules for NaN, zeros and limits."""

import random
import unittest
from fractions import Fraction

import numpy as np

from ptx.rounding import FORMATS, decode, encode, round_to
from snippet import apply, fault


def bits32(*values):
    return np.array(values, np.float32).view(np.uint32)


def bits64(*values):
    return np.array(values, np.float64).view(np.uint64)


def nearest(kind, exact):
    """The number of a format that is nearest to a fraction; of two the even one. By search, not by the emulator."""
    size = {"f16": 16, "bf16": 16, "f32": 32}[kind]
    form = FORMATS[kind]
    top = int(encode(kind, np.array([form.greatest]))[0])
    magnitude, low, high = abs(exact), 0, top
    value = lambda code: Fraction(float(decode(kind, np.array([code], f"u{size // 8}"))[0]))
    while low < high:  # the greatest code that is not above
        middle = (low + high + 1) // 2
        low, high = (middle, high) if value(middle) <= magnitude else (low, middle - 1)
    if low < top:
        below, above = magnitude - value(low), value(low + 1) - magnitude
        low += above < below or (above == below and low & 1)
    return low | (exact < 0) << (size - 1)


def floats_near(draw, kind, count):
    """Bits of finite numbers, many of them with near exponents."""
    size = {"f16": 16, "bf16": 16, "f32": 32}[kind]
    codes = []
    while len(codes) < count:
        code = draw.getrandbits(size)
        if draw.random() < 0.7 and kind != "f16":
            code = code & ~(0x7F80 << (size - 16)) | draw.choice([0x3F00, 0x3F80, 0x4000, 0x3380]) << (size - 16)
        with np.errstate(invalid="ignore"):
            if np.isfinite(decode(kind, np.array([code], f"u{size // 8}"))[0]):
                codes.append(code)
    return np.array(codes, f"u{size // 8}")


class Arithmetic(unittest.TestCase):
    def test_fma_rounds_once(self):
        draw = random.Random(2)
        for kind, register, result in (("f32", "%r", "b32"), ("f16", "%rs", "b16"), ("bf16", "%rs", "b16")):
            a, b, c = (floats_near(draw, kind, 256) for _ in range(3))
            got = apply(f"fma.rn.{kind} {register}0, {register}1, {register}2, {register}3;", a, b, c, result=result)
            values = [decode(kind, x) for x in (a, b, c)]
            for x, y, z, code in zip(*values, got.tolist()):
                exact = Fraction(x) * Fraction(y) + Fraction(z)
                if exact and abs(exact) < FORMATS[kind].greatest:
                    self.assertEqual(code, nearest(kind, exact), (kind, x, y, z))

    def test_fma_double(self):
        draw = random.Random(3)
        a, b, c = ([draw.uniform(-2, 2) * 2.0 ** draw.choice([-600, -60, -1, 0, 1, 500]) for _ in range(256)]
                   for _ in range(3))
        c[:128] = [-x * y for x, y in zip(a[:128], b)]
        got = apply("fma.rn.f64 %rd0, %rd1, %rd2, %rd3;", bits64(*a), bits64(*b), bits64(*c), result="b64")
        for x, y, z, code in zip(a, b, c, got.view(np.float64)):
            exact = Fraction(x) * Fraction(y) + Fraction(z)
            self.assertEqual(code, exact.numerator / exact.denominator, (x, y, z))

    def test_half_sums(self):
        draw = random.Random(4)
        a, b = (floats_near(draw, "f16", 256) for _ in range(2))
        got = apply("add.rn.f16 %rs0, %rs1, %rs2;", a, b, result="b16")
        for x, y, code in zip(decode("f16", a), decode("f16", b), got.tolist()):
            if abs(x + y) <= 65504 and x + y:
                self.assertEqual(code, nearest("f16", Fraction(x) + Fraction(y)))
        self.assertEqual(apply("add.rn.f16x2 %r0, %r1, %r2;", np.uint32([0x3C004000]), np.uint32([0x40003C00])).tolist(),
                         [0x42004200])

    def test_directions(self):
        tiny = 2.0 ** -60
        for mode, want in (("rn", 1.0), ("rz", 1.0), ("rm", 1.0), ("rp", np.nextafter(np.float32(1), np.float32(2)))):
            self.assertEqual(apply(f"add.{mode}.f32 %r0, %r1, %r2;", bits32(1), bits32(tiny)).view(np.float32)[0], want)
        self.assertEqual(apply("mul.rm.f32 %r0, %r1, %r2;", bits32(-1 - 2 ** -23), bits32(1 + 2 ** -23)).view(np.float32)[0],
                         np.float32(-1 - 2 ** -22 - 2 ** -23))

    def test_division(self):
        self.assertEqual(apply("div.rn.f32 %r0, %r1, %r2;", bits32(1), bits32(3)).tolist(), bits32(1 / 3).tolist())
        self.assertEqual(apply("div.rn.f64 %rd0, %rd1, %rd2;", bits64(1), bits64(3), result="b64").tolist(),
                         bits64(1 / 3).tolist())
        with fault(self, "needs .rn"):
            apply("div.f32 %r0, %r1, %r2;", bits32(1), bits32(3))

    def test_subnormals(self):
        small = bits32(2.0 ** -140, -2.0 ** -140)
        self.assertEqual(apply("add.rn.f32 %r0, %r1, 0f00000000;", small).tolist(), small.tolist())
        self.assertEqual(apply("add.rn.ftz.f32 %r0, %r1, 0f00000000;", small)[0], 0)
        self.assertEqual(apply("mul.rn.ftz.f32 %r0, %r1, 0f3F800000;", small).tolist(), [0, 0x80000000])
        self.assertEqual(apply("ex2.approx.ftz.f32 %r0, %r1;", bits32(-130, 3)).view(np.float32).tolist(), [0, 8])


    def test_one_nan(self):
        nans = np.uint32([0x7FC00001, 0xFFC00002])
        for name in ("add.rn", "sub.rn", "mul.rn", "div.rn", "min.NaN"):
            self.assertEqual(apply(f"{name}.f32 %r0, %r1, %r2;", nans, nans[::-1]).tolist(), [0x7FFFFFFF] * 2)


class Extremes(unittest.TestCase):
    NAN = 0x7FFFFFFF

    def check(self, name, a, b, want):
        self.assertEqual(apply(f"{name}.f32 %r0, %r1, %r2;", bits32(a), bits32(b)).tolist(), [want])

    def test_rules(self):
        one, zero, minus_zero = int(bits32(1)[0]), 0, 0x80000000
        for name in ("max", "min"):
            self.check(name, np.nan, 1, one)
            self.check(name, 1, np.nan, one)
            self.check(name, np.nan, np.nan, self.NAN)
            self.check(name + ".NaN", np.nan, 1, self.NAN)
            self.check(name + ".NaN", 1, np.nan, self.NAN)
        self.check("max", 0.0, -0.0, zero)
        self.check("max", -0.0, 0.0, zero)
        self.check("min", 0.0, -0.0, minus_zero)
        self.check("min", -0.0, 0.0, minus_zero)

    def test_packed(self):
        got = apply("max.bf16x2 %r0, %r1, %r2;", np.uint32([0x3F807FC0]), np.uint32([0x40003F80]))
        self.assertEqual(got.tolist(), [0x40003F80])
        got = apply("min.NaN.f16x2 %r0, %r1, %r2;", np.uint32([0x3C007E00]), np.uint32([0x40003C00]))
        self.assertEqual(got.tolist(), [0x3C007FFF])

    def test_comparisons(self):
        for name, want in (("eq", 0), ("ne", 0), ("equ", 1), ("neu", 1), ("lt", 0), ("ltu", 1), ("num", 0), ("nan", 1)):
            got = apply(f"setp.{name}.f32 %p1, %r1, %r2; selp.b32 %r0, 1, 0, %p1;", bits32(np.nan), bits32(1))
            self.assertEqual(got[0], want, name)

    def test_signs(self):
        self.assertEqual(apply("neg.f32 %r0, %r1;", np.uint32([0x7FC00001])).tolist(), [0xFFC00001])
        self.assertEqual(apply("abs.f16x2 %r0, %r1;", np.uint32([0xBC00FC00])).tolist(), [0x3C007C00])
        self.assertEqual(apply("copysign.f32 %r0, %r1, %r2;", bits32(-0.0), bits32(3)).view(np.float32).tolist(), [-3])
        self.assertEqual(apply("neg.bf16 %rs0, %rs1;", np.uint16([0x3F80]), result="b16").tolist(), [0xBF80])


class Conversions(unittest.TestCase):
    def check(self, instruction, source, want, result="b32"):
        self.assertEqual(apply(instruction, source, result=result).tolist(), [int(w) for w in want], instruction)

    def test_float_to_integer(self):
        self.check("cvt.rzi.s32.f32 %r0, %r1;", bits32(-1.5, 1.5, 3e9, -3e9, np.nan),
                   np.array([-1, 1, 2**31 - 1, -2**31, 0], np.int64) % 2**32)
        self.check("cvt.rni.s32.f32 %r0, %r1;", bits32(0.5, 1.5, 2.5), [0, 2, 2])
        self.check("cvt.rmi.s32.f32 %r0, %r1;", bits32(-0.5), [2**32 - 1])
        self.check("cvt.rpi.s32.f32 %r0, %r1;", bits32(0.5), [1])
        self.check("cvt.rzi.u32.f32 %r0, %r1;", bits32(-1, 5e9), [0, 2**32 - 1])
        self.check("cvt.rzi.s64.f32 %rd0, %r1;", bits32(np.nan, 1e30), [1 << 63, (1 << 63) - 1], "b64")
        self.check("cvt.rzi.u16.f32 %rs0, %r1;", bits32(70000), [65535], "b16")

    def test_integer_to_float(self):
        self.check("cvt.rn.f32.s32 %r0, %r1;", np.int32([-3, 2**24 + 1]), bits32(-3, 2**24))
        self.check("cvt.rz.f32.u32 %r0, %r1;", np.uint32([2**32 - 1]), bits32(2**32 - 2**8))
        self.check("cvt.rn.f32.u64 %r0, %rd1;", np.uint64([2**63 + 2**39 + 1]), bits32(2.0**63 + 2**40))
        self.check("cvt.rn.f16.s64 %rs0, %rd1;", np.int64([2049, 2**17]), [0x6800, 0x7C00], "b16")
        self.check("cvt.rn.f64.s64 %rd0, %rd1;", np.int64([2**53 + 1, 2**53 + 3]), bits64(2.0**53, 2.0**53 + 4), "b64")
        self.check("cvt.rn.f64.s32 %rd0, %r1;", np.int32([-1]), bits64(-1), "b64")

    def test_integer_to_integer(self):
        self.check("cvt.s32.s8 %r0, %r1;", np.uint32([0x1FF, 0x17F]), [2**32 - 1, 127])
        self.check("cvt.u32.u8 %r0, %r1;", np.uint32([0x1FF]), [255])
        self.check("cvt.s8.s32 %r0, %r1;", np.uint32([0x180]), [2**32 - 128])
        self.check("cvt.sat.u8.s32 %r0, %r1;", np.int32([-4, 300, 7]), [0, 255, 7])
        self.check("cvt.sat.s8.s32 %r0, %r1;", np.int32([-400, 300]), [2**32 - 128, 127])

    def test_between_floats(self):
        self.check("cvt.rn.f16.f32 %rs0, %r1;", bits32(1 + 2**-11, 1 + 3 * 2**-11, 65520, 65519, 2**-25, 2**-25 * 1.01),
                   [0x3C00, 0x3C02, 0x7C00, 0x7BFF, 0, 1], "b16")
        self.check("cvt.rz.f16.f32 %rs0, %r1;", bits32(65520, 1e10, np.inf, -1.9999), [0x7BFF, 0x7BFF, 0x7C00, 0xBFFF], "b16")
        self.check("cvt.rn.bf16.f32 %rs0, %r1;", np.uint32([0x3F808000, 0x3F818000, 0x7F7FFFFF, 0x7F800001]),
                   [0x3F80, 0x3F82, 0x7F80, 0x7FFF], "b16")
        self.check("cvt.rz.bf16.f32 %rs0, %r1;", np.uint32([0x3F80FFFF]), [0x3F80], "b16")
        self.check("cvt.rn.bf16x2.f32 %r0, %r1, 0f40000000;", bits32(1), [0x3F804000])
        self.check("cvt.rna.tf32.f32 %r0, %r1;", np.uint32([0x3F801000, 0x3F800FFF]), [0x3F802000, 0x3F800000])
        self.check("cvt.rn.f32.f64 %r0, %rd1;", bits64(1 + 2.0**-24 + 2.0**-50), bits32(1 + 2**-23))
        self.check("cvt.rz.f32.f64 %r0, %rd1;", bits64(1e300, 1.9999999999), np.uint32([0x7F7FFFFF, 0x3FFFFFFF]))
        self.check("cvt.f32.bf16 %r0, %rs1;", np.uint16([0x3F80]), bits32(1))
        self.check("cvt.rzi.f32.f32 %r0, %r1;", bits32(-1.5), bits32(-1))
        with fault(self, "needs a rounding modifier"):
            apply("cvt.f16.f32 %rs0, %r1;", bits32(1), result="b16")

    def test_eight_bits(self):
        self.check("cvt.rn.satfinite.e4m3x2.f32 %rs0, %r1, 0f3F800000;", bits32(1, 500, -1e9, np.nan, 17, 19, 2**-10, 2**-11),
                   [0x3838, 0x7E38, 0xFE38, 0x7F38, 0x5838, 0x5A38, 0x0038, 0x0038], "b16")
        self.check("cvt.rn.satfinite.e5m2x2.f32 %rs0, %r1, 0f3F800000;", bits32(np.inf, 60000, 2**-16),
                   [0x7B3C, 0x7B3C, 0x013C], "b16")
        self.check("cvt.rn.f16x2.e4m3x2 %r0, %rs1;", np.uint16([0x7E38, 0x7F01]), [0x5F003C00, 0x7FFF1800])
        self.check("cvt.rn.f16x2.e5m2x2 %r0, %rs1;", np.uint16([0x7C3C]), [0x7C003C00])
        for kind in ("e4m3", "e5m2"):  # every value of these formats survives
            values = decode(kind, np.arange(256, dtype=np.uint8))
            values = values[np.isfinite(values)]
            self.assertEqual(round_to(kind, values).tolist(), values.tolist())


if __name__ == "__main__":
    unittest.main()
