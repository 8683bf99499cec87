//===- Circular.cpp - sines, their inverses and the reduction of angles ---===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Angles of any size are reduced exactly: three constants for small ones, as
// many bits of 2/pi as matter for the others. Errors are in the table of
// Math.cpp.
//
//===----------------------------------------------------------------------===//

#include "Circular.h"

using namespace tilec;
using namespace tilec::formula;

SmallVector<Num, 2>
tilec::formula::ifRare(Num condition, ArrayRef<Num> usual,
                       llvm::function_ref<SmallVector<Num, 2>()> compute) {
  Emitter &e = *condition.e;
  auto values = [](ArrayRef<Num> nums) {
    return llvm::map_to_vector(nums, [](Num x) { return x.value; });
  };
  Block *before = e.b.getInsertionBlock();
  Block *after = before->splitBlock(e.b.getInsertionPoint());
  Block *rare = e.b.createBlock(after);
  SmallVector<Num, 2> results;
  for (Num x : usual)
    results.push_back({e, after->addArgument(x.value.getType(), e.loc)});
  e.b.setInsertionPointToEnd(before);
  CondBrOp::create(e.b, e.loc, condition.value, rare, ValueRange(), after,
                   values(usual));
  e.b.setInsertionPointToEnd(rare);
  SmallVector<Num, 2> computed = compute();
  BrOp::create(e.b, e.loc, values(computed), after);
  e.b.setInsertionPointToStart(after);
  return results;
}

/// For |x| >= 2^16: multiplies by as many bits of 2/pi as matter. Returns x
/// minus `n` times pi/2 for the nearest n, and n modulo 4.
static SmallVector<Num, 2> reduceLarge(Num x) {
  static constexpr uint32_t twoOverPi[] = {0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                           0xf534ddc0, 0xdb629599, 0x3c439041};
  Emitter &e = *x.e;
  Type i64 = e.b.getI64Type();
  Num bits = toBits(x);
  Num exponent = ((bits >> 23) & 255) - 128;
  Num mantissa = convert<ZExtOp>((bits << 8) | 0x80000000, i64);
  // Bits of 2/pi before this one give multiples of 4.
  Num first = exponent >> 5;
  SmallVector<Num, 4> words;
  for (int i = 0; i < 4; ++i) {
    Num word(e, e.i32(i ? static_cast<int32_t>(twoOverPi[i - 1]) : 0));
    for (int start = 1; start <= 3; ++start)
      word = select(first == start,
                    static_cast<double>(twoOverPi[start + i - 1]), word);
    words.push_back(word);
  }
  SmallVector<Num, 3> shifted;
  for (int i = 0; i < 3; ++i) {
    Value word = FshlOp::create(e.b, e.loc, words[i].value, words[i + 1].value,
                                exponent.value); // modulo 32
    shifted.push_back(convert<ZExtOp>({e, word}, i64));
  }
  Num product = (mantissa * shifted[2] >> 32) + mantissa * shifted[1] +
                (mantissa * shifted[0] << 32);
  // Two bits of integer; rounded to the nearest, the rest is a signed fraction.
  Num quadrant = (product + 0x1p61) >> 62;
  Num fraction = product - (quadrant << 62);
  Num wide = convert<SIToFPOp>(fraction, e.b.getF64Type()) * (halfPi * 0x1p-62);
  Num r = convert<FPTruncOp>(wide, e.b.getF32Type());
  Num n = convert<TruncOp>(quadrant, e.b.getI32Type());
  Num isNegative = bits > 0x7fffffff;
  r = select(isNegative, -r, r);
  n = select(isNegative, (n ^ 0xffffffff) + 1, n);
  Num isFinite = abs(x) < infinity;
  return {select(isFinite, r, notANumber), n};
}

/// x minus a multiple of pi/2, and the multiple modulo 4.
static std::pair<Num, Num> reduceQuadrant(Num x) {
  static constexpr double first = 1.57079601287841796875; // 18 bits of pi/2
  static constexpr double second = 3.1391647326017846e-07,
                          third = 5.390302858158119e-15;
  Num sum = fma(x, 1 / halfPi, toInteger);
  Num n = sum - toInteger;
  Num r = fma(n, -third, fma(n, -second, fma(n, -first, x)));
  auto both =
      ifRare(abs(x) > 105615, {r, toBits(sum)}, [&] { return reduceLarge(x); });
  return {both[0], both[1]};
}

/// The sine and the cosine of a number in [-pi/4, pi/4].
static std::pair<Num, Num> sineAndCosine(Num r) {
  static constexpr double sineTail[] = {-0.000195180997, 0.00833218824,
                                        -0.166666552};
  static constexpr double cosineTail[] = {2.44325529e-05, -0.00138873106,
                                          0.0416666456, -0.5};
  Num square = r * r;
  return {fma(r * square, horner(square, sineTail), r),
          fma(square, horner(square, cosineTail), 1)};
}

/// The sine of x plus `quarters` times pi/2.
static Num sinShifted(Num x, int quarters) {
  auto [r, n] = reduceQuadrant(x);
  if (quarters)
    n = n + quarters;
  auto [sine, cosine] = sineAndCosine(r);
  Num result = select((n & 1) == 0, sine, cosine);
  return fromBits(toBits(result) ^ ((n & 2) << 30));
}

/// x minus a multiple of 2 pi, for the hardware's sine and cosine.
static Num reduceTurn(Num x) {
  Num turns = fma(x, 0.5 / pi, toInteger) - toInteger;
  return fma(turns, -low(2 * pi), fma(turns, -2 * pi, x));
}

Num tilec::formula::sin(Num x, bool approximate) {
  if (approximate)
    return hardware("llvm.nvvm.sin.approx.ftz.f", reduceTurn(x));
  return select(x == 0, x, sinShifted(x, 0));
}
Num tilec::formula::cos(Num x, bool approximate) {
  return approximate ? hardware("llvm.nvvm.cos.approx.ftz.f", reduceTurn(x))
                     : sinShifted(x, 1);
}

Num tilec::formula::tan(Num x, bool) {
  auto [r, n] = reduceQuadrant(x);
  auto [sine, cosine] = sineAndCosine(r);
  return tanBy(x, sine, cosine, n);
}

/// The arc tangent of a number in [0, 1].
static Num atanInner(Num x) {
  static constexpr double tail[] = {-0.0017870689, 0.0108854854,  -0.0311240591,
                                    0.0579042025,  -0.0840037689, 0.109511547,
                                    -0.142640501,  0.19998531,    -0.333332986};
  Num square = x * x;
  return fma(x * square, horner(square, tail), x);
}

/// A multiple of pi/2 minus an angle.
static Num complement(double quarters, Num angle) {
  return Num(quarters * halfPi) - angle;
}

Num tilec::formula::atan(Num x, bool) {
  return atanBy(x, atanInner, complement);
}

Num tilec::formula::atan2(Nums operands, bool) {
  Num y = operands[0], x = operands[1];
  Num a = abs(y), b = abs(x), isSteep = a > b;
  Num larger = max(a, b), smaller = min(a, b);
  return atan2By(y, x, isSteep, larger, smaller, atanInner, complement);
}

/// asin of a number in [0, 0.57], or its complement pi/2 - asin(a) beyond.
static std::pair<Num, Num> arcParts(Num a) {
  static constexpr double tail[] = {0.0506643243, 0.00392765692, 0.0349320024,
                                    0.044096265,  0.0750296637,  0.166666135};
  Num isOuter = a > 0.57;
  Num root = squareRoot(fma(a, -0.5, 0.5));
  Num t = select(isOuter, root, a), square = t * t;
  Num arc = fma(t * square, horner(square, tail), t);
  return {isOuter, select(isOuter, arc + arc, arc)};
}
Num tilec::formula::asin(Num x, bool) {
  return asinBy(x, arcParts(abs(x)), complement);
}
Num tilec::formula::acos(Num x, bool) {
  return acosBy(x, arcParts(abs(x)), complement);
}
