//===- ExponentialF64.cpp - exponentials and logarithms of f64 ------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// One exponential and one logarithm, of pairs whose sum is good to about 2^-65:
// what is made of them is rounded little more than once. Errors are in
// docs/Performance.md.
//
//===----------------------------------------------------------------------===//

#include "FormulaF64.h"

using namespace tilec;
using namespace tilec::formula;
namespace f64 = tilec::formula::f64;

/// What f64 leaves of constants.
static constexpr double ln2Low = 2.3190468138462996e-17,
                        log2eLow = 2.0355273740931033e-17,
                        log10eLow = 1.098319650216765e-17;
/// ln2 in 33 bits, which an exponent multiplies exactly, and the rest.
static constexpr double ln2Short = 0.693147180369123816490,
                        ln2Rest = 1.90821492927058770002e-10;

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

/// e^r - 1 for |r| <= ln2 / 2.
static Num expm1Inner(Pair r) {
  static constexpr double tail[] = {2.0914680780540263e-09,
                                    2.5105208339987698e-08,
                                    2.7557273657975953e-07,
                                    2.7557255421023506e-06,
                                    2.4801587325536023e-05,
                                    0.00019841269874804214,
                                    0.0013888888888883752,
                                    0.00833333333332614,
                                    0.04166666666666667,
                                    0.1666666666666667,
                                    0.5};
  return fma(r.first * r.first, horner(r.first, tail), r.second) + r.first;
}

/// x between bounds; NaN stays.
static Num clamp(Num x, double low, double high) {
  return select(x < low, low, select(x > high, high, x));
}

/// x minus a multiple of ln2, and `toInteger` plus the multiple.
static std::pair<Pair, Num> reduceExponent(Pair x) {
  Num sum = fma(x.first, log2e, f64::toInteger), n = sum - f64::toInteger;
  Num rest = fma(n, -ln2Short, x.first);
  Num high = fma(n, -ln2Rest, rest);
  Num low = fma(n, -ln2Rest, rest - high) + x.second;
  return {addSmaller(high, low), sum};
}

/// 2^n for an exponent of f64 in a word of 32 bits.
static Num powerOfTwo(Num n) {
  return fromBits(convert<ZExtOp>(n + 1023, n.e->b.getI64Type()) << 52);
}

/// e^(sum of x) * factor, for |x.second| small.
static Num expTimes(Pair x, Num factor) {
  // What lies further out overflows or underflows all the same.
  Num bounded = clamp(x.first, -800, 800);
  Num isNear = abs(x.first) < 800;
  auto [r, sum] = reduceExponent({bounded, select(isNear, x.second, 0)});
  Num inner = expm1Inner(r);
  // Two halves of the scale, since 2^n may be infinite or subnormal.
  Num n = f64::lowBits(sum);
  Num half(*n.e, AShrOp::create(n.e->b, n.e->loc, n.value, n.e->i32(1)));
  return fma(inner, factor, factor) * powerOfTwo(half) * powerOfTwo(n - half);
}

/// A number that is exact.
static Pair exactly(Num x) { return {x, Num(*x.e, materialize(0, x))}; }

Num f64::exp(Num x) {
  return expTimes(exactly(x), Num(*x.e, materialize(1, x)));
}

Num f64::exp2(Num x) {
  Num bounded = clamp(x, -1100, 1100);
  return expTimes(multiply(exactly(bounded), ln2, ln2Low),
                  Num(*x.e, materialize(1, x)));
}

Num f64::expm1(Num x) {
  auto [r, sum] = reduceExponent(exactly(clamp(x, -60, 709.9)));
  // The scale is half of 2^n, since n may be 1024.
  Num scale = powerOfTwo(lowBits(sum) - 1);
  Num half = fma(expm1Inner(r), scale, scale - 0.5);
  return copySign(half + half, x);
}

/// The quarters of e^|x| and, four times as large, of e^-|x|.
static std::pair<Num, Num> hyperbolicParts(Num x) {
  Num quarter = expTimes(exactly(abs(x)), Num(*x.e, materialize(0.25, x)));
  return {quarter, Num(0.125) / quarter};
}

Num f64::cosh(Num x) {
  auto [quarter, small] = hyperbolicParts(x);
  return fma(quarter, 2, small);
}

Num f64::sinh(Num x) {
  static constexpr double tail[] = {
      7.746178593018927e-13,  1.6057679623801635e-10, 2.5052117695907823e-08,
      2.7557319191381816e-06, 0.00019841269841324198, 0.008333333333333299,
      0.16666666666666666};
  auto [quarter, small] = hyperbolicParts(x);
  Num square = x * x;
  Num inner = fma(x * square, horner(square, tail), x);
  Num outer = fma(quarter, 2, -small);
  return copySign(select(abs(x) < 1, inner, outer), x);
}

Num f64::tanh(Num x) {
  Num a = abs(x), power = f64::expm1(a + a);
  Num inner = power / (power + 2), outer = Num(1) - Num(2) / (power + 2);
  return copySign(select(a < 0.55, inner, outer), x);
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

/// log(x) of a positive finite x.first and a small x.second.
static Pair logOf(Pair x) {
  static constexpr double tail[] = {
      5.1318658089833146e-08, 1.9943887151160258e-07, 8.977365510094188e-07,
      4.068999190763746e-06,  1.8780048536369297e-05, 8.877840908036199e-05,
      0.00043402777777789897, 0.0022321428571428566,  0.0125};
  static constexpr double twelfthLow = 1 / 12.0L - 1 / 12.0;
  Num a = x.first, isSubnormal = a < 0x1p-1022;
  Num bits = toBits(select(isSubnormal, a * 0x1p54, a));
  // The mantissa is in [sqrt(1/2), sqrt(2)).
  Num exponentBits = (bits - double(0x3fe6a09e00000000)) & -0x1p52;
  Num steps(*a.e, AShrOp::create(a.e->b, a.e->loc, exponentBits.value,
                                 a.e->constant(a.e->b.getI64Type(), 52)));
  Num exponent = convert<SIToFPOp>(steps, a.e->b.getF64Type()) +
                 select(isSubnormal, Num(*a.e, materialize(-54, a)), 0);
  Num mantissa = fromBits(bits - exponentBits);

  // log(1 + f) = u + u^3/12 + u^5/80 + ... for u = f / (1 + f/2).
  Num f = mantissa - 1;
  Num inverse = Num(1) / (f + 2);
  Num u = (f + f) * inverse;
  Num rest = f - u;
  Num uLow = fma(-u, f, rest + rest) * inverse;
  auto [square, squareLow] = formula::multiply(u, u);
  auto [cube, cubeLow] = formula::multiply(square, u);
  cubeLow = fma(squareLow, u, cubeLow);
  auto [factor, factorLow] =
      addSmaller(1 / 12.0, square * horner(square, tail));
  factorLow = factorLow + twelfthLow;
  auto [term, termLow] = formula::multiply(cube, factor);
  termLow = fma(cube, factorLow, fma(cubeLow, factor, termLow));
  auto [natural, naturalLow] = addSmaller(u, term);
  naturalLow = naturalLow + fma(square * uLow, 0.25, termLow + uLow);
  if (x.second.value)
    naturalLow = naturalLow + x.second / a;
  auto [sum, carry] = addSmaller(exponent * ln2Short, natural);
  return addSmaller(sum, fma(exponent, ln2Rest, carry + naturalLow));
}

/// A logarithm for x in (0, inf), with the special cases of the others.
static Num withLogLimits(Num x, Num result) {
  Num isInside = (x > 0) & (x < infinity);
  result = select(isInside, result, fma(x, infinity, infinity));
  return select(x == 0, -infinity, result);
}

Num f64::log(Num x) { return withLogLimits(x, logOf({x, 0}).first); }
Num f64::log2(Num x) {
  auto [high, low] = multiply(logOf({x, 0}), log2e, log2eLow);
  return withLogLimits(x, high + low);
}
Num f64::log10(Num x) {
  auto [high, low] = multiply(logOf({x, 0}), log10e, log10eLow);
  return withLogLimits(x, high + low);
}

/// log(1 + x) for a pair.
static Num log1pOf(Pair x) {
  auto [sum, rest] = f64::addAny(1, x.first);
  return logOf({sum, rest + x.second}).first;
}

Num f64::log1p(Num x) {
  Num isInside = (x > -1) & (x < infinity);
  Num result = copySign(log1pOf(exactly(x)), x);
  result = select(isInside, result, fma(x, infinity, infinity));
  return select(x == -1, -infinity, result);
}

/// log(1 + small) where |x| is below 2^30, log(2|x|) beyond.
static Num inverseHyperbolic(Num x, Pair small) {
  Num a = abs(x), isLarge = a > 0x1p30;
  auto [sum, rest] = f64::addAny(1, small.first);
  Num result =
      logOf({select(isLarge, a, sum), select(isLarge, 0, rest + small.second)})
          .first;
  result = select(isLarge, result + ln2, result);
  return select(a < infinity, result, a); // infinity and NaN
}

Num f64::asinh(Num x) {
  Num a = abs(x), square = a * a;
  Pair small = addAny(a, square / (squareRoot(square + 1) + 1));
  return copySign(inverseHyperbolic(x, small), x);
}
Num f64::acosh(Num x) {
  auto [t, rest] = addAny(-1, x);
  auto [sum, low] = addAny(t, squareRoot(t * (t + 2)));
  return select(x < 1, notANumber, inverseHyperbolic(x, {sum, low + rest}));
}
Num f64::atanh(Num x) {
  // log((1 + a) / (1 - a)) = log(1 + 2a / (1 - a)), with the quotient's rest.
  Num a = abs(x);
  auto [below, rest] = addAny(1, -a);
  Num ratio = (a + a) / below;
  Num low = (fma(-ratio, below, a + a) - ratio * rest) / below;
  Num result = log1pOf({ratio, low}) * 0.5;
  result =
      select(a < 1, result,
             select(a == 1, Num(*x.e, materialize(infinity, x)), notANumber));
  return copySign(result, x);
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

Num f64::rsqrt(Num x) { return Num(1) / squareRoot(x); }

Num f64::cbrt(Num x) {
  // |x| = w * 2^(3 * third) with w in [1, 8); a step of Halley's method makes
  // the 21 bits of the hardware's estimate 63.
  Num a = abs(x), isSubnormal = a < 0x1p-1022;
  Num bits = toBits(select(isSubnormal, a * 0x1p54, a));
  Num exponent = bits >> 52, third = apply<UDivOp>(exponent, 3);
  Num w =
      fromBits((bits & (0x1p52 - 1)) | ((exponent - third * 3 + 1023) << 52));
  Num narrow = convert<FPTruncOp>(w, x.e->b.getF32Type());
  Num root = convert<FPExtOp>(exp2Approx(log2Approx(narrow) * (1.0 / 3)),
                              x.e->b.getF64Type());
  Num quotient = w / (root * root); // the square of 24 bits is exact
  root = fma(root, (quotient - root) / (root + root + quotient), root);
  root = root * fromBits((third + (1023 - 341)) << 52);
  root = select(isSubnormal, root * 0x1p-18, root);
  return select((a > 0) & (a < infinity), copySign(root, x), x);
}

Num f64::powf(Nums operands, bool) {
  Num x = operands[0], y = operands[1];
  auto [high, low] = logOf({abs(x), 0});
  Num bounded = clamp(y, -0x1p80, 0x1p80);
  auto [product, fine] = formula::multiply(high, bounded);
  fine = fma(low, bounded, fine);
  return withPowerLimits(
      x, y, expTimes({product, fine}, Num(*x.e, materialize(1, x))));
}

//===----------------------------------------------------------------------===//
// Error functions
//===----------------------------------------------------------------------===//

/// erf for |x| <= 1.
static Num erfInner(Num x) {
  static constexpr double tail[] = {
      5.957176147746114e-11,   -1.1372848856789924e-09, 1.4659775274046955e-08,
      -1.6350312701054618e-07, 1.6461000484121361e-06,  -1.4925595266831182e-05,
      0.0001205533111164271,   -0.000854832698083379,   0.0052239776248180145,
      -0.026866170645076792,   0.11283791670954879,     -0.3761263890318375,
      0.1283791670955126};
  return fma(x, horner(x * x, tail), x);
}

/// erfc for x >= 1/2.
static Num erfcOuter(Num x) {
  // erfc(a) * exp(a^2) * (1 + 2a) in terms of (a - 4) / (a + 4).
  static constexpr double scaled[] = {
      1.9717656765049794e-09,  -9.652213521087604e-09, -1.8406671051403966e-08,
      1.03256669073015e-07,    7.540467350144586e-08,  -8.195085083459565e-07,
      2.9313186423696087e-07,  5.706494720146254e-06,  -1.1221668942295945e-05,
      -2.4398057333996413e-05, 0.00015062155590137163, -0.00019925696553927866,
      -0.0007577732634973155,  0.00503197001856426,    -0.016197734061059108,
      0.03716751553379472,     -0.06633036581196795,   0.09373283499853434,
      -0.1010390660363143,     0.06809705425468844,    0.015379652102619901,
      -0.1396211168405625,     1.2329951186255526};
  Num a = clamp(x, 0, 28);
  Num ratio = horner((a - 4) / (a + 4), scaled) / fma(a, 2, 1);
  auto [square, squareLow] = formula::multiply(a, a);
  return expTimes({-square, -squareLow}, ratio);
}

Num f64::erf(Num x) {
  Num a = abs(x);
  return copySign(select(a < 1, erfInner(a), Num(1) - erfcOuter(a)), x);
}

Num f64::erfc(Num x) {
  Num outer = erfcOuter(abs(x));
  outer = select(x < 0, Num(2) - outer, outer);
  return select(abs(x) < 0.5, Num(1) - erfInner(x), outer);
}
