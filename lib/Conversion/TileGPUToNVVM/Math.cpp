//===- Math.cpp - elementary functions on one element ---------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// One row for each operation of `math`. The back end has no library to call, so
// a function of f32 is a range reduction, a polynomial and the special cases of
// C99; subnormal numbers count. 16-bit floats go through f32. The largest error
// in ulp of f32, the emitted code run on a CPU for every 61st f32 against f64
// (powf and atan2: 6e7 pairs), with ex2, lg2 and rcp modelled: (a) correctly
// rounded, (b) 2, 2 and 1 ulp off; rows without (b) do not use them:
//
//          (a)  (b)           (a)  (b)           (a)  (b)          (a)  (b)
//   exp    1.0  4.5   expm1   1.5        sin     1.6        asin   1.9
//   exp2   0.5  4.5   log     0.9        cos     1.6        acos   1.3
//   powf   0.9  4.5   log2    1.6        tan     3.2        atan   1.8
//   tanh   1.7  3.1   log10   1.3        erf     1.2  1.6   atan2  1.8
//   sinh   1.7  5.9   log1p   1.0        erfc    2.4  6.1   asinh  1.7
//   cosh   1.7  3.7   acosh   2.8        cbrt    1.0  1.7   atanh  2.0
//
// Functions of f64 are in ExponentialF64.cpp and CircularF64.cpp; their errors
// are in docs/Performance.md.
//
// Angles of any size are reduced exactly. sqrt is IEEE's; rsqrt is the
// hardware's. With `afn`, exp, exp2, log, log2, log10, sqrt, rsqrt, sin and cos
// are the hardware's approximations too: subnormals may be zeros, a logarithm
// near 1 and a large exponential lose bits, and the angle is reduced for
// |x| <= 1e4 (absolute error 2^-22 beside the hardware's own).
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Math/IR/Math.h"
#include "FormulaF64.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::LLVM;
using namespace tilec;
using namespace tilec::formula;

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

/// A sum whose low bits are the exponent field of 2^n, 1 <= n + 127 <= 254.
static Num clampExponent(Num sum) {
  return max(min(sum, toInteger + 254), toInteger + 1);
}

/// e^x * 2^shift; for a shift, x is not negative.
static Num expScaled(Num x, int shift) {
  // What the clamp leaves in the fraction makes it overflow or underflow, once.
  Num sum = clampExponent(fma(x, log2e, toInteger + 127));
  Num n = sum - (toInteger + 127);
  Num fraction = fma(x, low(log2e), fma(x, log2e, -n));
  Num scale = toBits(sum) << 23;
  if (shift)
    scale = scale + shift * 8388608.0;
  return exp2Approx(fraction) * fromBits(scale);
}

static Num exp(Num x, bool approximate) {
  return approximate ? exp2Approx(x * log2e) : expScaled(x, 0);
}

static Num exp2(Num x, bool approximate) {
  return approximate ? exp2Approx(x) : apply<Exp2Op>(x);
}

static Num expm1(Num x, bool) {
  static constexpr double tail[] = {0.000197616377, 0.00139323273,
                                    0.00833354611,  0.0416664928,
                                    0.166666657,    0.5};
  Num clamped = max(min(x, 89), -30);
  // The scale is half of 2^n, since n may be 128.
  Num sum = fma(clamped, log2e, toInteger + 126);
  Num n = sum - (toInteger + 126);
  Num f = fma(n, -low(ln2), fma(n, -static_cast<float>(ln2), clamped));
  Num p = fma(f * f, horner(f, tail), f);
  Num scale = fromBits(toBits(sum) << 23);
  Num half = fma(p, scale, scale - 0.5);
  return copySign(half + half, x);
}

/// The quarters of e^|x| and, four times as large, of e^-|x|.
static std::pair<Num, Num> hyperbolicParts(Num x) {
  Num quarter = expScaled(abs(x), -2);
  return {quarter, reciprocalApprox(quarter) * 0.125};
}

static Num cosh(Num x, bool) {
  auto [quarter, small] = hyperbolicParts(x);
  return fma(quarter, 2, small);
}

static Num sinh(Num x, bool) {
  static constexpr double tail[] = {2.78221319e-06, 0.000198428956,
                                    0.00833331048, 0.166666672};
  auto [quarter, small] = hyperbolicParts(x);
  Num square = x * x;
  Num inner = fma(x * square, horner(square, tail), x);
  Num outer = copySign(fma(quarter, 2, -small), x);
  return copySign(select(abs(x) < 1, inner, outer), x);
}

static Num tanh(Num x, bool) {
  static constexpr double tail[] = {-0.00589796668, 0.0207986254, -0.0537847169,
                                    0.133319363, -0.333332986};
  Num square = x * x;
  Num inner = fma(x * square, horner(square, tail), x);
  Num power = exp2Approx(abs(x) * (2 * log2e));
  Num outer = fma(reciprocalApprox(power + 1), -2, 1);
  return copySign(select(abs(x) < 0.6, inner, outer), x);
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

/// log(1 + f) - f for 1 + f in [2/3, 4/3], divided by f^2.
static constexpr double logTail[] = {-0.12874262,  0.139867067,  -0.121883817,
                                     0.140053406,  -0.166801795, 0.200104445,
                                     -0.249998048, 0.333332151,  -0.5};

/// Splits a positive finite x into 2^exponent * mantissa; the mantissa is in
/// [low, 2 * low), where `lowBits` are the bits of low.
static std::pair<Num, Num> splitExponent(Num x, double lowBits) {
  Num isSubnormal = x < 0x1p-126;
  Num bits = toBits(select(isSubnormal, x * 0x1p23, x));
  Num exponentBits = (bits - lowBits) & 0xff800000;
  Num steps = Num(
      *x.e, AShrOp::create(x.e->b, x.e->loc, exponentBits.value, x.e->i32(23)));
  return {toFloat(steps) + select(isSubnormal, -23, 0),
          fromBits(bits - exponentBits)};
}

/// A logarithm for x in (0, inf), with the special cases of the others.
static Num withLogLimits(Num x, Num result) {
  // Negative numbers, infinity and NaN have large bits.
  result = select(toBits(x) > 0x7f7fffff, fma(x, infinity, infinity), result);
  return select(x == 0, -infinity, result);
}

/// log(x) * unit, where exponents count `step` each.
static Num logIn(Num x, double unit, double step) {
  auto [exponent, mantissa] = splitExponent(x, 0x3f2aaaab);
  Num f = mantissa - 1;
  Num tail = f * f * horner(f, logTail);
  if (unit == 1)
    return withLogLimits(x, fma(exponent, step, tail + f));
  Num fine = fma(exponent, low(step), fma(f, low(unit), tail * unit));
  return withLogLimits(x, fma(exponent, step, fma(f, unit, fine)));
}

static Num log(Num x, bool approximate) {
  return approximate ? log2Approx(x) * ln2 : logIn(x, 1, ln2);
}
static Num log2(Num x, bool approximate) {
  return approximate ? log2Approx(x) : logIn(x, log2e, 1);
}
static Num log10(Num x, bool approximate) {
  return approximate ? log2Approx(x) * log10of2 : logIn(x, log10e, log10of2);
}

static Num log1p(Num x, bool) {
  static constexpr double tail[] = {-0.0450756811, 0.104648851,  -0.131629914,
                                    0.144786566,   -0.166471153, 0.199908137,
                                    -0.250001013,  0.333334506,  -0.5};
  // (1 + x) / 2^exponent - 1 in [-1/4, 1/2], exact or far from zero.
  Num exponentBits = (toBits(x + 1) - 0x3f400000) & 0xff800000;
  Num scaled = fromBits(toBits(x) - exponentBits);
  Num scale = fromBits(Num(0x40800000) - exponentBits);
  Num f = scaled + fma(scale, 0.25, -1);
  Num sum = fma(f * f, horner(f, tail), f);
  Num result = fma(toFloat(exponentBits), ln2 * 0x1p-23, sum);
  Num isInside = (x > -1) & (x < infinity);
  result = select(isInside, copySign(result, x), fma(x, infinity, infinity));
  return select(x == -1, -infinity, result);
}

static Num asinh(Num x, bool) {
  Num a = abs(x), square = a * a;
  Num small = log1p(a + square / (squareRoot(square + 1) + 1), false);
  return copySign(select(a < 0x1p30, small, log(a, false) + ln2), x);
}
static Num acosh(Num x, bool) {
  Num t = x - 1;
  Num small = log1p(t + squareRoot(t) * squareRoot(t + 2), false);
  return select(x > 0x1p30, log(x, false) + ln2, small);
}
static Num atanh(Num x, bool) {
  Num a = abs(x);
  return copySign(log1p((a + a) / (Num(1) - a), false) * 0.5, x);
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

static Num sqrt(Num x, bool approximate) {
  return approximate && x.value.getType().isF32()
             ? hardware("llvm.nvvm.sqrt.approx.ftz.f", x)
             : squareRoot(x);
}
static Num rsqrt(Num x, bool approximate) {
  return hardware(approximate ? "llvm.nvvm.rsqrt.approx.ftz.f"
                              : "llvm.nvvm.rsqrt.approx.f",
                  x);
}

static Num cbrt(Num x, bool) {
  // Newton's step doubles the bits of the first estimate.
  Num a = abs(x);
  Num y = exp2Approx(log2Approx(a) * (1.0 / 3));
  Num excess = fma(a, reciprocalApprox(y * y), -y);
  Num root = copySign(fma(excess, 1.0 / 3, y), x);
  return select(a + a == a, x, root); // zero and infinity
}

/// log2 of a positive finite x as a sum, about 40 bits good.
static Pair log2Extended(Num x) {
  static constexpr double tail[] = {0.000457424612, 0.0022302405, 0.0125000477};
  auto [exponent, mantissa] = splitExponent(x, 0x3f3504f3);
  // log(1 + f) = u + u^3/12 + u^5/80 + ... for u = f / (1 + f/2).
  Num f = mantissa - 1;
  Num inverse = reciprocalApprox(f + 2);
  Num u = (f + f) * inverse;
  Num rest = f - u;
  Num uLow = fma(-u, f, rest + rest) * inverse;
  auto [square, squareLow] = multiply(u, u);
  auto [cube, cubeLow] = multiply(square, u);
  cubeLow = fma(squareLow, u, cubeLow);
  auto [factor, factorLow] =
      addSmaller(1 / 12.0, square * horner(square, tail));
  factorLow = factorLow + low(1 / 12.0);
  auto [term, termLow] = multiply(cube, factor);
  termLow = fma(cube, factorLow, fma(cubeLow, factor, termLow));
  auto [natural, naturalLow] = addSmaller(u, term);
  naturalLow = naturalLow + fma(square * uLow, 0.25, termLow + uLow);
  auto [high, highLow] = multiply(natural, log2e);
  highLow = fma(natural, low(log2e), fma(naturalLow, log2e, highLow));
  auto [sum, carry] = addSmaller(exponent, high);
  return addSmaller(sum, carry + highLow);
}

static Num powf(Nums operands, bool) {
  Num x = operands[0], y = operands[1];
  Num a = abs(x);
  auto [high, lowPart] = log2Extended(a);
  // Larger powers overflow or underflow all the same.
  Num bounded = max(min(y, 0x1p60), -0x1p60);
  Num product = high * bounded;
  Num fine = fma(high, bounded, -product) + lowPart * bounded;
  Num sum = clampExponent(product + (toInteger + 127));
  Num fraction = product - (sum - (toInteger + 127)) + fine;
  return withPowerLimits(x, y,
                         exp2Approx(fraction) * fromBits(toBits(sum) << 23));
}

Num tilec::formula::withPowerLimits(Num x, Num y, Num result) {
  Num a = abs(x);
  // Zero and infinity: the sign of y decides, zero for exactly one of the
  // cases.
  Num isZero = a == 0, grows = (y < 0) ^ (a > 1);
  Num limit = select(grows, Num(*x.e, materialize(infinity, x)), 0);
  result = select(isZero | (a == infinity), limit, result);
  Num half = y * 0.5;
  Num isOdd = (floor(y) == y) & (floor(half) < half);
  result = select(isNegative(x) & isOdd, -result, result);
  Num isOutside = (x < 0) & (a < infinity) & (floor(y) < y);
  result = select(isOutside, notANumber, result);
  result = select(isUnordered(x, y), x + y, result);
  return select((x == 1) | (y == 0), 1, result);
}

//===----------------------------------------------------------------------===//
// Error functions
//===----------------------------------------------------------------------===//

/// erf below 0.92.
static Num erfInner(Num x) {
  static constexpr double tail[] = {
      7.99380214e-05, -0.000804930518, 0.00519238133, -0.0268557277,
      0.112836257,    -0.376126289,    0.128379166};
  return fma(x, horner(x * x, tail), x);
}

static Num erf(Num x, bool) {
  static constexpr double logOfErfc[] = {
      0.000282695371, -0.0043905573, 0.0320670158,   -0.149942115,
      -0.91925925,    -1.62689221,   -0.000282270717};
  Num a = abs(x);
  Num outer = Num(1) - exp2Approx(horner(min(a, 4), logOfErfc));
  return copySign(select(a < 0.921875, erfInner(x), outer), x);
}

static Num erfc(Num x, bool) {
  // erfc(a) * exp(a^2) * (1 + 2a) in terms of (a - 2) / (a + 2).
  static constexpr double scaled[] = {
      -0.000404721533, -0.00123818486, 0.00131413795, 0.00864036474,
      -0.00805798173,  -0.0542074889,  0.164054602,   -0.166030958,
      -0.0927639157,   1.27697837};
  Num inner = Num(1) - erfInner(x);
  Num a = min(abs(x), 11);
  Num numerator = horner((a - 2) / (a + 2), scaled), denominator = fma(a, 2, 1);
  Num ratio = numerator / denominator;
  // The quotient's remainder, and exp(-a^2) for the rounded square.
  Num remainder = fma(-ratio, denominator, numerator) -
                  ratio * (fma(a, 2, -denominator) + 1);
  auto [square, squareLow] = multiply(a, a);
  Num correction =
      remainder * reciprocalApprox(denominator) - ratio * squareLow;
  Num power = expScaled(-square, 0);
  Num result = fma(ratio, power, correction * power);
  return select(abs(x) < 0.5, inner, select(x < 0, Num(2) - result, result));
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {
/// Builds the result of one operation; approximately, if it may.
using Row = Num (*)(Nums, bool);

struct Entry {
  Row row;
  /// The row of f64, where `row` is of f32 alone and narrower floats are
  /// converted; null where it is of integers or of floats of any width that has
  /// arithmetic.
  Row onF64 = nullptr;
};
} // namespace

/// A row from a function of one number.
template <Num (*function)(Num, bool)>
static Num unary(Nums x, bool approximate) {
  return function(x[0], approximate);
}
template <Num (*function)(Num)>
static Num unary(Nums x, bool) {
  return function(x[0]);
}
/// Rows from an LLVM operation on operands of one type.
template <typename LLVMOp>
static Num same1(Nums x, bool) {
  return apply<LLVMOp>(x[0]);
}

static Num copySignRow(Nums x, bool) { return copySign(x[0], x[1]); }
static Num fmaRow(Nums x, bool) { return fma(x[0], x[1], x[2]); }
static Num clampRow(Nums x, bool) { return min(max(x[0], x[1]), x[2]); }
static Num isNaN(Nums x, bool) { return isUnordered(x[0], x[0]); }
static Num isInf(Nums x, bool) { return abs(x[0]) == infinity; }
static Num isFinite(Nums x, bool) { return abs(x[0]) < infinity; }

static Num absInteger(Nums x, bool) {
  Emitter &e = *x[0].e;
  if (x[0].value.getType().isInteger(16))
    return {e, emitShort(e, "abs", x[0].value)};
  return {e, AbsOp::create(e.b, e.loc, x[0].value.getType(), x[0].value,
                           /*is_int_min_poison=*/false)};
}
static Num leadingZeros(Nums x, bool) {
  Emitter &e = *x[0].e;
  return {e, CountLeadingZerosOp::create(e.b, e.loc, x[0].value.getType(),
                                         x[0].value,
                                         /*is_zero_poison=*/false)};
}
/// The ones below the lowest set bit; the back end would branch.
static Num trailingZeros(Nums x, bool) {
  return apply<CtPopOp>((x[0] - 1) & (x[0] ^ -1));
}

static const llvm::StringMap<Entry> &getTable() {
  static const llvm::StringMap<Entry> table = {
      {"math.absf", {same1<FAbsOp>}},
      {"math.absi", {absInteger}},
      {"math.acos", {unary<acos>, unary<f64::acos>}},
      {"math.acosh", {unary<acosh>, unary<f64::acosh>}},
      {"math.asin", {unary<asin>, unary<f64::asin>}},
      {"math.asinh", {unary<asinh>, unary<f64::asinh>}},
      {"math.atan", {unary<atan>, unary<f64::atan>}},
      {"math.atan2", {atan2, f64::atan2}},
      {"math.atanh", {unary<atanh>, unary<f64::atanh>}},
      {"math.cbrt", {unary<cbrt>, unary<f64::cbrt>}},
      {"math.ceil", {same1<FCeilOp>}},
      {"math.clampf", {clampRow}},
      {"math.copysign", {copySignRow}},
      {"math.cos", {unary<cos>, unary<f64::cos>}},
      {"math.cosh", {unary<cosh>, unary<f64::cosh>}},
      {"math.ctlz", {leadingZeros}},
      {"math.ctpop", {same1<CtPopOp>}},
      {"math.cttz", {trailingZeros}},
      {"math.erf", {unary<erf>, unary<f64::erf>}},
      {"math.erfc", {unary<erfc>, unary<f64::erfc>}},
      {"math.exp", {unary<exp>, unary<f64::exp>}},
      {"math.exp2", {unary<exp2>, unary<f64::exp2>}},
      {"math.expm1", {unary<expm1>, unary<f64::expm1>}},
      {"math.floor", {same1<FFloorOp>}},
      {"math.fma", {fmaRow}},
      {"math.isfinite", {isFinite}},
      {"math.isinf", {isInf}},
      {"math.isnan", {isNaN}},
      {"math.log", {unary<log>, unary<f64::log>}},
      {"math.log10", {unary<log10>, unary<f64::log10>}},
      {"math.log1p", {unary<log1p>, unary<f64::log1p>}},
      {"math.log2", {unary<log2>, unary<f64::log2>}},
      {"math.powf", {powf, f64::powf}},
      {"math.round", {same1<RoundOp>}},
      {"math.roundeven", {same1<RoundEvenOp>}},
      {"math.rsqrt", {unary<rsqrt>, unary<f64::rsqrt>}},
      {"math.sin", {unary<sin>, unary<f64::sin>}},
      {"math.sinh", {unary<sinh>, unary<f64::sinh>}},
      {"math.sqrt", {unary<sqrt>}},
      {"math.tan", {unary<tan>, unary<f64::tan>}},
      {"math.tanh", {unary<tanh>, unary<f64::tanh>}},
      {"math.trunc", {same1<FTruncOp>}},
  };
  return table;
}

/// Does the operation let hardware approximations stand in?
static bool isApproximate(Operation *op) {
  auto flags = dyn_cast<arith::ArithFastMathInterface>(op);
  return flags && flags.getFastMathFlagsAttr() &&
         bitEnumContainsAny(flags.getFastMathFlagsAttr().getValue(),
                            arith::FastMathFlags::afn);
}

Value tilec::emitMath(Emitter &e, Operation *op, ArrayRef<Value> operands) {
  auto it = getTable().find(op->getName().getStringRef());
  if (it == getTable().end()) {
    op->emitError() << "code generation does not know '" << op->getName()
                    << "': run this kernel on the interpreter";
    return {};
  }
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  Type f32 = e.b.getF32Type();
  bool isNarrow =
      isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
  // 8-bit floats have no arithmetic at all.
  auto [row, onF64] = it->second;
  bool viaF32 = isNarrow && (onF64 || element.getIntOrFloatBitWidth() == 8);
  SmallVector<Num, 3> x;
  for (Value operand : operands)
    x.push_back({e, viaF32 ? emitExtF(e, operand, element, f32) : operand});
  if (onF64 && element.isF64())
    row = onF64;
  Value result = row(x, isApproximate(op)).value;
  if (!viaF32 || result.getType() != f32)
    return result;
  return emitTruncF(e, result, f32, element, /*towardZero=*/false);
}
