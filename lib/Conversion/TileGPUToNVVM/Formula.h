//===- Formula.h - arithmetic on values as C++ writes it --------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The operators with which the elementary functions are written: `x * y + 1`
// emits the LLVM operations on one element. What is rounded once is written
// `fma`; nothing is contracted.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CONVERSION_TILEGPUTONVVM_FORMULA_H
#define TILEC_CONVERSION_TILEGPUTONVVM_FORMULA_H

#include "Emitter.h"

namespace tilec::formula {
using namespace mlir;
using namespace mlir::LLVM;

/// A number in a formula: a value, or a literal that takes the type of the
/// other operand.
struct Num {
  Num(double literal) : literal(literal) {}
  Num(Emitter &e, Value value) : e(&e), value(value) {}

  Emitter *e = nullptr;
  Value value;
  double literal = 0;
};
using Nums = ArrayRef<Num>;

/// The value of `x`; a literal gets the type of `like`.
inline Value materialize(Num x, Num like) {
  if (x.value)
    return x.value;
  Emitter &e = *like.e;
  Type type = like.value.getType();
  auto integer = static_cast<int64_t>(isa<FloatType>(type) ? 0 : x.literal);
  if (!isa<FloatType>(type)) // words may be written without their sign
    return e.constant(type, type.isInteger(32) ? int32_t(integer) : integer);
  return ConstantOp::create(e.b, e.loc, type,
                            e.b.getFloatAttr(type, x.literal));
}

/// An operation whose operands and result have one type.
template <typename LLVMOp>
inline Num apply(Num x) {
  return {*x.e, LLVMOp::create(x.e->b, x.e->loc, x.value.getType(), x.value)};
}
template <typename LLVMOp>
inline Num apply(Num x, Num y) {
  Num like = x.value ? x : y;
  Emitter &e = *like.e;
  return {e, LLVMOp::create(e.b, e.loc, materialize(x, like),
                            materialize(y, like))};
}

/// `FloatOp` or `IntOp`, as the operands are.
template <typename FloatOp, typename IntOp>
inline Num arithmetic(Num x, Num y) {
  Type type = (x.value ? x : y).value.getType();
  return isa<FloatType>(type) ? apply<FloatOp>(x, y) : apply<IntOp>(x, y);
}
inline Num operator+(Num x, Num y) { return arithmetic<FAddOp, AddOp>(x, y); }
inline Num operator-(Num x, Num y) { return arithmetic<FSubOp, SubOp>(x, y); }
inline Num operator*(Num x, Num y) { return arithmetic<FMulOp, MulOp>(x, y); }
inline Num operator/(Num x, Num y) { return apply<FDivOp>(x, y); }
inline Num operator&(Num x, Num y) { return apply<AndOp>(x, y); }
inline Num operator|(Num x, Num y) { return apply<OrOp>(x, y); }
inline Num operator^(Num x, Num y) { return apply<XOrOp>(x, y); }
inline Num operator<<(Num x, Num y) { return apply<ShlOp>(x, y); }
inline Num operator>>(Num x, Num y) { return apply<LShrOp>(x, y); }
inline Num operator-(Num x) { return apply<FNegOp>(x); }

/// Compares floats (false for NaN unless the predicate says otherwise) or
/// unsigned integers.
inline Num compare(FCmpPredicate onFloats, ICmpPredicate onIntegers, Num x,
                   Num y) {
  Emitter &e = *x.e;
  Value right = materialize(y, x);
  if (isa<FloatType>(x.value.getType()))
    return {e, FCmpOp::create(e.b, e.loc, onFloats, x.value, right)};
  return {e, ICmpOp::create(e.b, e.loc, onIntegers, x.value, right)};
}
inline Num operator<(Num x, Num y) {
  return compare(FCmpPredicate::olt, ICmpPredicate::ult, x, y);
}
inline Num operator>(Num x, Num y) {
  return compare(FCmpPredicate::ogt, ICmpPredicate::ugt, x, y);
}
inline Num operator==(Num x, Num y) {
  return compare(FCmpPredicate::oeq, ICmpPredicate::eq, x, y);
}
/// Is one of them a NaN?
inline Num isUnordered(Num x, Num y) {
  return compare(FCmpPredicate::uno, ICmpPredicate::ne, x, y);
}

inline Num select(Num condition, Num x, Num y) {
  Num like = x.value ? x : y.value ? y : Num(*condition.e, condition.e->f32(0));
  Emitter &e = *condition.e;
  return {e, SelectOp::create(e.b, e.loc, condition.value, materialize(x, like),
                              materialize(y, like))};
}

/// x * y + z, rounded once.
inline Num fma(Num x, Num y, Num z) {
  Num like = x.value ? x : y.value ? y : z;
  Emitter &e = *like.e;
  return {e, FMAOp::create(e.b, e.loc, materialize(x, like),
                           materialize(y, like), materialize(z, like))};
}

inline Num abs(Num x) { return apply<FAbsOp>(x); }
inline Num floor(Num x) { return apply<FFloorOp>(x); }
inline Num squareRoot(Num x) { return apply<SqrtOp>(x); }
inline Num copySign(Num x, Num sign) { return apply<CopySignOp>(x, sign); }
/// Both give NaN if either operand is one.
inline Num min(Num x, Num y) { return apply<MinimumOp>(x, y); }
inline Num max(Num x, Num y) { return apply<MaximumOp>(x, y); }

template <typename LLVMOp>
inline Num convert(Num x, Type type) {
  return {*x.e, LLVMOp::create(x.e->b, x.e->loc, type, x.value)};
}
/// A word or a float of as many bits.
inline Num toBits(Num x) {
  return convert<BitcastOp>(
      x, x.e->b.getIntegerType(x.value.getType().getIntOrFloatBitWidth()));
}
inline Num fromBits(Num x) {
  return convert<BitcastOp>(x, x.value.getType().isInteger(64)
                                   ? Type(x.e->b.getF64Type())
                                   : Type(x.e->b.getF32Type()));
}
/// Is the sign bit set?
inline Num isNegative(Num x) {
  Num bits = toBits(x);
  return bits.value.getType().isInteger(32) ? bits > 0x7fffffff
                                            : (bits >> 63) == 1;
}

inline Num toFloat(Num x) { return convert<SIToFPOp>(x, x.e->b.getF32Type()); }

/// An instruction of the hardware from f32 to f32.
inline Num hardware(StringRef name, Num x) {
  return {*x.e, x.e->intrinsic(name, x.e->b.getF32Type(), x.value)};
}
/// 2^x; both subnormal operands and results are zeros.
inline Num exp2Approx(Num x) {
  return hardware("llvm.nvvm.ex2.approx.ftz.f32", x);
}
inline Num log2Approx(Num x) { return hardware("llvm.nvvm.lg2.approx.f", x); }
inline Num reciprocalApprox(Num x) {
  return hardware("llvm.nvvm.rcp.approx.ftz.f", x);
}

/// A polynomial, the highest coefficient first.
template <size_t count>
inline Num horner(Num x, const double (&coefficients)[count]) {
  Num sum(*x.e, materialize(coefficients[0], x));
  for (size_t i = 1; i < count; ++i)
    sum = fma(sum, x, coefficients[i]);
  return sum;
}

inline constexpr double infinity = std::numeric_limits<double>::infinity(),
                        notANumber = std::numeric_limits<double>::quiet_NaN();
inline constexpr double pi = 3.14159265358979323846, halfPi = pi / 2;
inline constexpr double ln2 = 0.693147180559945309, log2e = 1.44269504088896341;
inline constexpr double log10e = 0.434294481903251828,
                        log10of2 = 0.301029995663981195;
/// What f32 leaves of a constant.
constexpr double low(double x) { return x - static_cast<float>(x); }

/// Adding it rounds a small number to an integer, kept in the low bits.
inline constexpr double toInteger = 12582912; // 1.5 * 2^23

/// The rounded result of an operation and what rounding took away.
using Pair = std::pair<Num, Num>;
inline Pair multiply(Num x, Num y) {
  Num product = x * y;
  return {product, fma(x, y, -product)};
}
/// For |x| >= |y|, or x = 0.
inline Pair addSmaller(Num x, Num y) {
  Num sum = x + y;
  return {sum, y - (sum - x)};
}

/// Computes numbers in a block of their own, which runs when the condition
/// holds; otherwise they are `usual`. In Circular.cpp, as what follows.
SmallVector<Num, 2> ifRare(Num condition, ArrayRef<Num> usual,
                           llvm::function_ref<SmallVector<Num, 2>()> compute);
Num sin(Num x, bool approximate);
Num cos(Num x, bool approximate);
Num tan(Num x, bool approximate);
Num atan(Num x, bool approximate);
Num asin(Num x, bool approximate);
Num acos(Num x, bool approximate);
Num atan2(Nums yx, bool approximate);

/// What is the same for f32 and f64 around a power |x|^y: zeros, infinities,
/// NaN and signs. In Math.cpp.
Num withPowerLimits(Num x, Num y, Num power);

} // namespace tilec::formula

#endif // TILEC_CONVERSION_TILEGPUTONVVM_FORMULA_H
