//===- CircularF64.cpp - sines of f64, their inverses ---------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Angles of any size are reduced exactly, to pairs. Errors are in
// docs/Performance.md.
//
//===----------------------------------------------------------------------===//

#include "Circular.h"
#include "FormulaF64.h"

using namespace tilec;
using namespace tilec::formula;
namespace f64 = tilec::formula::f64;

/// What f64 leaves of pi/2.
static constexpr double halfPiLow = 6.123233995736766e-17;

//===----------------------------------------------------------------------===//
// Reduction
//===----------------------------------------------------------------------===//

/// The address of the bits of 2/pi in words of 64, the high ones first, behind
/// a word of zeros.
static Value getTwoOverPi(Emitter &e) {
  static constexpr uint64_t words[] = {0,
                                       0xa2f9836e4e441529,
                                       0xfc2757d1f534ddc0,
                                       0xdb6295993c439041,
                                       0xfe5163abdebbc561,
                                       0xb7246e3a424dd2e0,
                                       0x06492eea09d1921c,
                                       0xfe1deb1cb129a73e,
                                       0xe88235f52ebb4484,
                                       0xe99c7026b45f7e41,
                                       0x3991d639835339f4,
                                       0x9c845f8bbdf9283b,
                                       0x1ff897ffde05980f,
                                       0xef2f118b5a0a6d1f,
                                       0x6d367ecf27cb09b7,
                                       0x4f463f669e5fea2d,
                                       0x7527bac7ebe5f17b,
                                       0x3d0739f78a5292ea,
                                       0x6bfb5fb11f8d5d08,
                                       0x56033046fc7b6bab};
  static constexpr StringLiteral name = "tilec_two_over_pi";
  OpBuilder &b = e.b;
  auto module = e.getTarget()->getParentOfType<ModuleOp>();
  auto global = module.lookupSymbol<GlobalOp>(name);
  if (!global) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto type = RankedTensorType::get({std::size(words)}, b.getI64Type());
    global = GlobalOp::create(
        b, e.loc, LLVMArrayType::get(b.getI64Type(), std::size(words)),
        /*isConstant=*/true, Linkage::Internal, name,
        DenseElementsAttr::get(type, ArrayRef<uint64_t>(words)),
        /*alignment=*/8, /*addrSpace=*/1);
  }
  return AddressOfOp::create(b, e.loc, global);
}

/// For large finite |x|: multiplies by as many bits of 2/pi as matter. Returns
/// x minus `n` times pi/2 for the nearest n, as a pair, and n modulo 4.
static SmallVector<Num, 2> reduceLarge(Num x) {
  Emitter &e = *x.e;
  OpBuilder &b = e.b;
  Type i64 = b.getI64Type(), i128 = b.getIntegerType(128);
  Num bits = toBits(x);
  // |x| = mantissa * 2^exponent; bits of 2/pi before `first` give multiples
  // of 4.
  Num exponent = ((bits >> 52) & 2047) - 1075;
  Num mantissa = (bits & (0x1p52 - 1)) | 0x1p52;
  Num first = exponent + (64 - 2), word = first >> 6;
  Value table = getTwoOverPi(e);
  SmallVector<Num, 4> words;
  for (int i = 0; i < 4; ++i) {
    Value address = GEPOp::create(b, e.loc, table.getType(), i64, table,
                                  ArrayRef<GEPArg>{(word + i).value});
    words.push_back({e, LoadOp::create(b, e.loc, i64, address)});
  }
  SmallVector<Num, 3> part;
  for (int i = 0; i < 3; ++i)
    part.push_back({e, FshlOp::create(b, e.loc, words[i].value,
                                      words[i + 1].value, first.value)});
  auto wide = [&](Num n) { return convert<ZExtOp>(n, i128); };
  Num product = (wide(mantissa * part[0]) << 64) +
                wide(mantissa) * wide(part[1]) +
                (wide(mantissa) * wide(part[2]) >> 64);
  // Two bits of integer; rounded to the nearest, the rest is a signed fraction.
  Num quadrant = (product + (Num(e, e.constant(i128, 1)) << 125)) >> 126;
  Num fraction = product - (quadrant << 126);
  // Three parts of 42 bits, each a number of f64.
  auto piece = [&](int shift) {
    Num all(e,
            AShrOp::create(b, e.loc, fraction.value, e.constant(i128, shift)));
    Num bits = convert<TruncOp>(all, i64);
    if (shift < 84)
      bits = bits & (0x1p42 - 1);
    return convert<SIToFPOp>(bits, b.getF64Type());
  };
  auto [sum, rest] = f64::addAny(piece(84) * 0x1p-42, piece(42) * 0x1p-84);
  auto [high, low] = addSmaller(sum, fma(piece(0), 0x1p-126, rest));
  auto [r, rLow] = f64::multiply({high, low}, halfPi, halfPiLow);
  Num n = convert<TruncOp>(quadrant, b.getI32Type());
  Num isNegative = x < 0;
  n = select(isNegative, Num(e, e.i32(0)) - n, n);
  Num isFinite = abs(x) < infinity;
  return {select(isFinite, select(isNegative, -r, r), notANumber),
          select(isNegative, -rLow, rLow), n};
}

/// x minus a multiple of pi/2 as a pair, and the multiple modulo 4.
static std::pair<Pair, Num> reduceQuadrant(Num x) {
  static constexpr double third = -1.4973849048591833e-33;
  Num sum = fma(x, 1 / halfPi, f64::toInteger), n = sum - f64::toInteger;
  auto [second, secondLow] = multiply(n, halfPiLow);
  // The first difference is exact: it has no bits below those of pi/2.
  auto [high, rest] = f64::addAny(fma(n, -halfPi, x), -second);
  Num low = rest - fma(n, third, secondLow);
  auto all = ifRare(abs(x) > 0x1p30, {high, low, f64::lowBits(sum)},
                    [&] { return reduceLarge(x); });
  return {{all[0], all[1]}, all[2]};
}

//===----------------------------------------------------------------------===//
// Sines
//===----------------------------------------------------------------------===//

/// The sine and the cosine of a pair in [-pi/4, pi/4].
static std::pair<Num, Num> sineAndCosine(Pair r) {
  static constexpr double sineTail[] = {
      -7.586682497157688e-13, 1.6058531370931902e-10, -2.505210623088241e-08,
      2.755731921933466e-06,  -0.0001984126984126506, 0.008333333333333331,
      -0.16666666666666666};
  static constexpr double cosineTail[] = {
      4.745863773282908e-14,  -1.147046074969686e-11, 2.0876755790210228e-09,
      -2.755731922140032e-07, 2.4801587301584642e-05, -0.0013888888888888887,
      0.041666666666666664};
  auto [x, low] = r;
  Num square = x * x, half = square * 0.5, most = Num(1) - half;
  Num sine = x + fma(x * square, horner(square, sineTail), low * most);
  Num rest = fma(square * square, horner(square, cosineTail), -(x * low));
  return {sine, most + (((Num(1) - most) - half) + rest)};
}

/// The sine of x plus `quarters` times pi/2.
static Num sinShifted(Num x, int quarters) {
  auto [r, n] = reduceQuadrant(x);
  if (quarters)
    n = n + quarters;
  auto [sine, cosine] = sineAndCosine(r);
  Num result = select((n & 1) == 0, sine, cosine);
  return select((n & 2) == 0, result, -result);
}

Num f64::sin(Num x) { return select(x == 0, x, sinShifted(x, 0)); }
Num f64::cos(Num x) { return sinShifted(x, 1); }

Num f64::tan(Num x) {
  auto [r, n] = reduceQuadrant(x);
  auto [sine, cosine] = sineAndCosine(r);
  return tanBy(x, sine, cosine, n);
}

//===----------------------------------------------------------------------===//
// Their inverses
//===----------------------------------------------------------------------===//

/// The arc tangent of a number in [0, 1].
static Num atanInner(Num x) {
  static constexpr double tail[] = {
      1.8061954618470585e-05, -0.00019996189377762772, 0.0010496035084905863,
      -0.0034958859738989695, 0.008368931178417298,    -0.015535152475368989,
      0.023696731580002028,   -0.03127718906695966,    0.03749486812533011,
      -0.04260356632600597,   0.04737749579527394,     -0.05257973334284003,
      0.05881506877793633,    -0.066665646992891,      0.07692298971033217,
      -0.09090908590891934,   0.11111111093490827,     -0.14285714285384132,
      0.1999999999999753,     -0.3333333333333333};
  Num square = x * x;
  return fma(x * square, horner(square, tail), x);
}

/// A multiple of pi/2 minus an angle.
static Num complement(double quarters, Num angle) {
  return Num(quarters * halfPi) - (angle - quarters * halfPiLow);
}

Num f64::atan(Num x) { return atanBy(x, atanInner, complement); }

Num f64::atan2(Nums operands, bool) {
  Num y = operands[0], x = operands[1];
  Num a = abs(y), b = abs(x), isSteep = a > b;
  Num larger = select(isSteep, a, b), smaller = select(isSteep, b, a);
  return atan2By(y, x, isSteep, larger, smaller, atanInner, complement);
}

/// asin of a number in [0, 1/2], or its complement pi/2 - asin(a) beyond.
static std::pair<Num, Num> arcParts(Num a) {
  static constexpr double tail[] = {
      0.028757851367602328, -0.014851887071528912, 0.01740087944288715,
      0.005457506718563782, 0.0103228143502052,    0.011479177415181617,
      0.013971212973553311, 0.017352392720869945,  0.02237217294214989,
      0.030381944138531247, 0.04464285714635543,   0.07499999999998433,
      0.16666666666666669};
  Num isOuter = a > 0.5;
  Num root = squareRoot(fma(a, -0.5, 0.5));
  Num t = select(isOuter, root, a), square = t * t;
  Num arc = fma(t * square, horner(square, tail), t);
  return {isOuter, select(isOuter, arc + arc, arc)};
}
Num f64::asin(Num x) { return asinBy(x, arcParts(abs(x)), complement); }
Num f64::acos(Num x) { return acosBy(x, arcParts(abs(x)), complement); }
