//===- FormulaF64.h - elementary functions of f64 ---------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The functions of f64 have the names of those of f32 in a namespace of their
// own. The hardware approximates nothing in f64, so they differ in their
// method: exponentials and logarithms are one each, of numbers that are kept as
// pairs, and the others are made of the two.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CONVERSION_TILEGPUTONVVM_FORMULAF64_H
#define TILEC_CONVERSION_TILEGPUTONVVM_FORMULAF64_H

#include "Formula.h"

namespace tilec::formula::f64 {

/// In ExponentialF64.cpp.
Num exp(Num x);
Num exp2(Num x);
Num expm1(Num x);
Num sinh(Num x);
Num cosh(Num x);
Num tanh(Num x);
Num log(Num x);
Num log2(Num x);
Num log10(Num x);
Num log1p(Num x);
Num asinh(Num x);
Num acosh(Num x);
Num atanh(Num x);
Num rsqrt(Num x);
Num cbrt(Num x);
Num erf(Num x);
Num erfc(Num x);
Num powf(Nums xy, bool = false);

/// In CircularF64.cpp.
Num sin(Num x);
Num cos(Num x);
Num tan(Num x);
Num asin(Num x);
Num acos(Num x);
Num atan(Num x);
Num atan2(Nums yx, bool = false);

/// Adding it rounds a number below 2^51 to an integer, kept in the low bits.
inline constexpr double toInteger = 6755399441055744; // 1.5 * 2^52

/// The low 32 bits of a number to which `toInteger` was added.
inline Num lowBits(Num sum) {
  return convert<TruncOp>(toBits(sum), sum.e->b.getI32Type());
}

/// x + y for any two numbers, and what rounding took away.
inline Pair addAny(Num x, Num y) {
  Num sum = x + y, part = sum - x;
  return {sum, (x - (sum - part)) + (y - part)};
}

/// A pair times a constant, itself `factor + low`.
inline Pair multiply(Pair x, double factor, double low) {
  auto [high, rest] = formula::multiply(x.first, factor);
  return {high, fma(x.first, low, fma(x.second, factor, rest))};
}

} // namespace tilec::formula::f64

#endif // TILEC_CONVERSION_TILEGPUTONVVM_FORMULAF64_H
