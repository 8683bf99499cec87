//===- FloatConversion.cpp - between floating-point types -----------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// 16-bit and wider types are LLVM's. 8-bit floats are bits in a register: the
// hardware converts them in pairs from sm_89 on (PTX ISA, cvt); before that
// they are taken apart with integers.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

using namespace mlir;
using namespace tilec;

/// Sizes of an 8-bit float.
namespace {
struct Fp8Format {
  unsigned mantissa; // bits
  int bias;
  uint32_t most; // bits of the largest finite value

  static Fp8Format of(Type type) {
    if (isa<Float8E4M3FNType>(type))
      return {3, 7, 0x7e};
    return {2, 15, 0x7b};
  }
};
} // namespace

bool tilec::isFp8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

StringRef tilec::getFp8Name(Type type) {
  return isa<Float8E4M3FNType>(type) ? "e4m3" : "e5m2";
}

/// 8-bit float to f32 with integers: e5m2 is the high half of an f16; e4m3
/// shifted into an f16's place differs from it by a factor of 2^8, which is
/// exact.
static Value extendByHand(Emitter &e, Value value, Type from) {
  Type i16 = e.b.getIntegerType(16), f16 = e.b.getF16Type(),
       f32 = e.b.getF32Type();
  Value wide = LLVM::ZExtOp::create(e.b, e.loc, i16, value);
  Value high = LLVM::ShlOp::create(e.b, e.loc, wide, e.constant(i16, 8));
  if (isa<Float8E5M2Type>(from)) {
    Value half = LLVM::BitcastOp::create(e.b, e.loc, f16, high);
    return LLVM::FPExtOp::create(e.b, e.loc, f32, half);
  }
  Value sign = LLVM::AndOp::create(e.b, e.loc, high, e.constant(i16, -0x8000));
  Value magnitude = LLVM::AndOp::create(
      e.b, e.loc, LLVM::ShlOp::create(e.b, e.loc, wide, e.constant(i16, 7)),
      e.constant(i16, 0x3f80));
  Value bits = LLVM::OrOp::create(e.b, e.loc, sign, magnitude);
  Value half = LLVM::BitcastOp::create(e.b, e.loc, f16, bits);
  Value scaled = LLVM::FMulOp::create(
      e.b, e.loc, LLVM::FPExtOp::create(e.b, e.loc, f32, half), e.f32(256.0));
  Value isNan = LLVM::ICmpOp::create(e.b, e.loc, LLVM::ICmpPredicate::eq,
                                     magnitude, e.constant(i16, 0x3f80));
  Value nan = LLVM::BitcastOp::create(e.b, e.loc, f32, e.i32(0x7fc00000));
  return LLVM::SelectOp::create(e.b, e.loc, isNan, nan, scaled);
}

/// f32 to 8-bit float with integers: round to nearest even by adding half of
/// the last place, saturate, keep NaN. Small values are rounded by adding a
/// power of two whose last place is the format's.
static Value truncateByHand(Emitter &e, Value value, Fp8Format format) {
  OpBuilder &b = e.b;
  Location loc = e.loc;
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  using P = LLVM::ICmpPredicate;
  Value bits = LLVM::BitcastOp::create(b, loc, i32, value);
  Value sign = LLVM::AndOp::create(
      b, loc, LLVM::LShrOp::create(b, loc, bits, e.i32(24)), e.i32(0x80));
  Value magnitude = LLVM::AndOp::create(b, loc, bits, e.i32(0x7fffffff));
  unsigned shift = 23 - format.mantissa;
  // Normal results: rebias the exponent, round, drop the low bits.
  Value odd = LLVM::AndOp::create(
      b, loc, LLVM::LShrOp::create(b, loc, magnitude, e.i32(shift)), e.i32(1));
  int64_t rebias = int64_t(127 - format.bias) << 23;
  Value rounded = LLVM::AddOp::create(
      b, loc, e.add(magnitude, (1 << (shift - 1)) - 1 - rebias), odd);
  Value normal = LLVM::LShrOp::create(b, loc, rounded, e.i32(shift));
  // Subnormal results: |x| + 2^k has the format's last place as its own.
  int exponent = 1 - format.bias - int(format.mantissa) + 23;
  int64_t magic = int64_t(exponent + 127) << 23;
  Value absolute = LLVM::BitcastOp::create(b, loc, f32, magnitude);
  Value offset = LLVM::BitcastOp::create(b, loc, f32, e.i32(magic));
  Value sum = LLVM::FAddOp::create(b, loc, absolute, offset);
  Value subnormal = e.add(LLVM::BitcastOp::create(b, loc, i32, sum), -magic);
  Value isSmall = LLVM::ICmpOp::create(
      b, loc, P::ult, magnitude, e.i32(int64_t(1 - format.bias + 127) << 23));
  Value result = LLVM::SelectOp::create(b, loc, isSmall, subnormal, normal);
  Value most = e.i32(format.most);
  Value isLarge = LLVM::ICmpOp::create(b, loc, P::uge, magnitude,
                                       e.i32(int64_t(127 + 32) << 23));
  Value over = LLVM::ICmpOp::create(b, loc, P::ugt, result, most);
  result = LLVM::SelectOp::create(
      b, loc, LLVM::OrOp::create(b, loc, isLarge, over), most, result);
  Value isNan =
      LLVM::ICmpOp::create(b, loc, P::ugt, magnitude, e.i32(0x7f800000));
  result = LLVM::SelectOp::create(b, loc, isNan, e.i32(0x7f), result);
  return LLVM::TruncOp::create(b, loc, b.getI8Type(),
                               LLVM::OrOp::create(b, loc, result, sign));
}

Value tilec::emitExtF(Emitter &e, Value value, Type from, Type to) {
  if (from == to)
    return value;
  Type f32 = e.b.getF32Type();
  if (isFp8(from)) {
    Value wide;
    if (e.arch.capability >= 89) {
      // One element in the low half of a pair.
      std::string name = getFp8Name(from).str();
      Type i16 = e.b.getIntegerType(16);
      Value pair = LLVM::ZExtOp::create(e.b, e.loc, i16, value);
      Value halves = e.ptx("cvt.rn.f16x2." + name + "x2 $0, $1;", "=r,h",
                           {e.b.getI32Type()}, {pair}, false)[0];
      Value bits = LLVM::TruncOp::create(e.b, e.loc, i16, halves);
      Value half = LLVM::BitcastOp::create(e.b, e.loc, e.b.getF16Type(), bits);
      wide = LLVM::FPExtOp::create(e.b, e.loc, f32, half);
    } else {
      wide = extendByHand(e, value, from);
    }
    return emitTruncF(e, emitExtF(e, wide, f32, to.isF64() ? to : f32),
                      to.isF64() ? to : f32, to, false);
  }
  if (from.isF32() && !to.isF64())
    return value; // a narrower type asks for truncation
  if (from.isBF16() && to.getIntOrFloatBitWidth() >= 32) {
    // By its bits: LLVM takes a value that it sees extended from 16 bits for
    // one that f16 holds, and would compute in f16 what is rounded to f16.
    Type i32 = e.b.getI32Type();
    Value bits = LLVM::BitcastOp::create(e.b, e.loc, e.b.getI16Type(), value);
    bits = LLVM::ZExtOp::create(e.b, e.loc, i32, bits);
    bits = LLVM::ShlOp::create(e.b, e.loc, bits, e.i32(16));
    Value wide = LLVM::BitcastOp::create(e.b, e.loc, f32, bits);
    return to.isF32() ? wide : LLVM::FPExtOp::create(e.b, e.loc, to, wide);
  }
  return LLVM::FPExtOp::create(e.b, e.loc, to, value);
}

Value tilec::emitHalves(Emitter &e, Value low, Value high, Type from) {
  Type f16 = e.b.getF16Type(), pair = VectorType::get(2, f16);
  if (e.arch.capability < 89) {
    Registers halves;
    for (Value value : {low, high})
      halves.push_back(LLVM::FPTruncOp::create(e.b, e.loc, f16,
                                               extendByHand(e, value, from)));
    return LLVM::BitcastOp::create(e.b, e.loc, pair, e.pack(halves).front());
  }
  std::string name = getFp8Name(from).str();
  Value word = e.pack({low, high}).front();
  Value halves = e.ptx("cvt.rn.f16x2." + name + "x2 $0, $1;", "=r,h",
                       {e.b.getI32Type()}, {word}, false)[0];
  return LLVM::BitcastOp::create(e.b, e.loc, pair, halves);
}

/// The bits of a float in a register.
static Value toBits(Emitter &e, Value value) {
  Type type = value.getType();
  if (isa<IntegerType>(type))
    return value;
  Type bits = e.b.getIntegerType(type.getIntOrFloatBitWidth());
  return LLVM::BitcastOp::create(e.b, e.loc, bits, value);
}

/// Rounds toward zero: to the nearest, and a step back where that went past the
/// value. `from` is f32 or f64.
static Value truncateTowardZero(Emitter &e, Value value, Type from, Type to) {
  Value nearest = emitTruncF(e, value, from, to, /*towardZero=*/false);
  Value back = emitExtF(e, nearest, to, from);
  Value past = LLVM::FCmpOp::create(e.b, e.loc, LLVM::FCmpPredicate::ogt,
                                    LLVM::FAbsOp::create(e.b, e.loc, back),
                                    LLVM::FAbsOp::create(e.b, e.loc, value));
  Value bits = toBits(e, nearest);
  Value result =
      LLVM::SelectOp::create(e.b, e.loc, past, e.add(bits, -1), bits);
  return isFp8(to) ? result
                   : Value(LLVM::BitcastOp::create(e.b, e.loc, to, result));
}

/// f64 to f32 such that rounding the result once more is rounding the value
/// once: toward zero, and odd where something was lost.
static Value truncateToOdd(Emitter &e, Value value) {
  Type f32 = e.b.getF32Type(), f64 = e.b.getF64Type();
  Value low = truncateTowardZero(e, value, f64, f32);
  Value lost = LLVM::FCmpOp::create(e.b, e.loc, LLVM::FCmpPredicate::one,
                                    emitExtF(e, low, f32, f64), value);
  Value sticky = LLVM::ZExtOp::create(e.b, e.loc, e.b.getI32Type(), lost);
  Value bits = LLVM::OrOp::create(e.b, e.loc, toBits(e, low), sticky);
  return LLVM::BitcastOp::create(e.b, e.loc, f32, bits);
}

Value tilec::emitTruncF(Emitter &e, Value value, Type from, Type to,
                        bool towardZero) {
  if (from == to)
    return value;
  Type f32 = e.b.getF32Type();
  if (towardZero && (isFp8(to) || from.isF64())) {
    Type wide = from.isF64() ? from : f32;
    return truncateTowardZero(e, emitExtF(e, value, from, wide), wide, to);
  }
  if (isFp8(to)) {
    if (!from.isF32())
      value = from.isF64() ? truncateToOdd(e, value)
                           : emitExtF(e, value, from, f32);
    if (e.arch.capability < 89)
      return truncateByHand(e, value, Fp8Format::of(to));
    std::string name = getFp8Name(to).str();
    Value pair =
        e.ptx("cvt.rn.satfinite." + name + "x2.f32 $0, $1, $2;", "=h,f,f",
              {e.b.getIntegerType(16)}, {e.f32(0), value}, false)[0];
    return LLVM::TruncOp::create(e.b, e.loc, e.b.getI8Type(), pair);
  }
  if (towardZero && from.isF32()) {
    std::string name = to.isF16() ? "f16" : "bf16";
    Value bits = e.ptx("cvt.rz." + name + ".f32 $0, $1;", "=h,f",
                       {e.b.getIntegerType(16)}, {value}, false)[0];
    return LLVM::BitcastOp::create(e.b, e.loc, to, bits);
  }
  return LLVM::FPTruncOp::create(e.b, e.loc, to, value);
}
