//===- FloatKernels.cpp - loops on floats ---------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Everything is computed in f32 or f64; narrower kinds are rounded once by
// Kernel::run.
//
//===----------------------------------------------------------------------===//

#include "Operations/Kernels.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <limits>
#include <type_traits>

using namespace mlir;
using namespace tilec::interpreter;

//===----------------------------------------------------------------------===//
// What is computed
//===----------------------------------------------------------------------===//

/// The bits of a float.
template <typename T>
static auto toBits(T value) {
  return llvm::bit_cast<std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>(
      value);
}

/// The larger one, NaN if either is, -0 below +0.
template <typename T>
static T maximum(T a, T b) {
  T zero = llvm::bit_cast<T>(toBits(a) & toBits(b)); // +0 unless both are -0
  return a > b ? a : b > a ? b : a == b ? zero : a + b;
}

/// The smaller one, NaN if either is, -0 below +0.
template <typename T>
static T minimum(T a, T b) {
  T zero = llvm::bit_cast<T>(toBits(a) | toBits(b));
  return a < b ? a : b < a ? b : a == b ? zero : a + b;
}

namespace {
#define FLOAT_UNARY(NAME, EXPRESSION)                                          \
  struct NAME {                                                                \
    template <typename T>                                                      \
    static T apply(T a) {                                                      \
      return EXPRESSION;                                                       \
    }                                                                          \
  };
#define FLOAT_BINARY(NAME, EXPRESSION)                                         \
  struct NAME {                                                                \
    template <typename T>                                                      \
    static T apply(T a, T b) {                                                 \
      return EXPRESSION;                                                       \
    }                                                                          \
  };
#define FLOAT_TEST(NAME, EXPRESSION)                                           \
  struct NAME {                                                                \
    template <typename T>                                                      \
    static int8_t apply(T a) {                                                 \
      return EXPRESSION;                                                       \
    }                                                                          \
  };
#define FLOAT_COMPARE(NAME, EXPRESSION)                                        \
  struct NAME {                                                                \
    template <typename T>                                                      \
    static int8_t apply(T a, T b) {                                            \
      return EXPRESSION;                                                       \
    }                                                                          \
  };

FLOAT_BINARY(Add, a + b)
FLOAT_BINARY(Sub, a - b)
FLOAT_BINARY(Mul, a *b)
FLOAT_BINARY(Div, a / b)
FLOAT_BINARY(Rem, std::fmod(a, b))
FLOAT_BINARY(Maximum, maximum(a, b))
FLOAT_BINARY(Minimum, minimum(a, b))
FLOAT_BINARY(MaxNum, a != a ? b : b != b ? a : maximum(a, b))
FLOAT_BINARY(MinNum, a != a ? b : b != b ? a : minimum(a, b))
FLOAT_BINARY(Power, std::pow(a, b))
FLOAT_BINARY(CopySign, std::copysign(a, b))
FLOAT_BINARY(Atan2, std::atan2(a, b))
FLOAT_UNARY(Negate, -a)
FLOAT_UNARY(Abs, std::fabs(a))
FLOAT_UNARY(Exp, std::exp(a))
FLOAT_UNARY(Exp2, std::exp2(a))
FLOAT_UNARY(ExpM1, std::expm1(a))
FLOAT_UNARY(Log, std::log(a))
FLOAT_UNARY(Log2, std::log2(a))
FLOAT_UNARY(Log10, std::log10(a))
FLOAT_UNARY(Log1P, std::log1p(a))
FLOAT_UNARY(Sin, std::sin(a))
FLOAT_UNARY(Cos, std::cos(a))
FLOAT_UNARY(Tan, std::tan(a))
FLOAT_UNARY(Sinh, std::sinh(a))
FLOAT_UNARY(Cosh, std::cosh(a))
FLOAT_UNARY(Tanh, std::tanh(a))
FLOAT_UNARY(Asin, std::asin(a))
FLOAT_UNARY(Acos, std::acos(a))
FLOAT_UNARY(Atan, std::atan(a))
FLOAT_UNARY(Asinh, std::asinh(a))
FLOAT_UNARY(Acosh, std::acosh(a))
FLOAT_UNARY(Atanh, std::atanh(a))
FLOAT_UNARY(Erf, std::erf(a))
FLOAT_UNARY(Erfc, std::erfc(a))
FLOAT_UNARY(Sqrt, std::sqrt(a))
FLOAT_UNARY(Rsqrt, static_cast<T>(1.0 / std::sqrt(static_cast<double>(a))))
FLOAT_UNARY(Cbrt, std::cbrt(a))
FLOAT_UNARY(Floor, std::floor(a))
FLOAT_UNARY(Ceil, std::ceil(a))
FLOAT_UNARY(Round, std::round(a))
FLOAT_UNARY(RoundEven, std::nearbyint(a))
FLOAT_UNARY(Trunc, std::trunc(a))
FLOAT_TEST(IsNaN, a != a)
FLOAT_TEST(IsInf, std::fabs(a) == std::numeric_limits<T>::infinity())
FLOAT_TEST(IsFinite, std::fabs(a) < std::numeric_limits<T>::infinity())
FLOAT_TEST(IsNormal, std::isnormal(a))
FLOAT_COMPARE(Never, false)
FLOAT_COMPARE(Always, true)
FLOAT_COMPARE(Ordered, a == a && b == b)
FLOAT_COMPARE(Unordered, a != a || b != b)
FLOAT_COMPARE(Oeq, a == b)
FLOAT_COMPARE(Ogt, a > b)
FLOAT_COMPARE(Oge, a >= b)
FLOAT_COMPARE(Olt, a < b)
FLOAT_COMPARE(Ole, a <= b)
FLOAT_COMPARE(One, a<b || a> b)
FLOAT_COMPARE(Ueq, !(a < b || a > b))
FLOAT_COMPARE(Ugt, !(a <= b))
FLOAT_COMPARE(Uge, !(a < b))
FLOAT_COMPARE(Ult, !(a >= b))
FLOAT_COMPARE(Ule, !(a > b))
FLOAT_COMPARE(Une, a != b)

/// a * b + c, rounded once.
struct Fma {
  template <typename T>
  static T apply(T a, T b, T c) {
    return std::fma(a, b, c);
  }
};

/// `a` between bounds.
struct Clamp {
  template <typename T>
  static T apply(T a, T low, T high) {
    return minimum(maximum(a, low), high);
  }
};

/// A float to an integral power: by squaring, in f64 so that f32 is nearly
/// exact.
struct PowerI {
  template <typename T, typename I>
  static T apply(T a, I exponent) {
    return static_cast<T>(
        std::pow(static_cast<double>(a), static_cast<double>(exponent)));
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Which loop
//===----------------------------------------------------------------------===//

/// A kind that no loop is for, for types that are unknown.
static constexpr Kind kUnknown = Kind::F8E4M3;

Kind tilec::interpreter::operandKind(Operation *op, unsigned i) {
  return kindOf(op->getOperand(i).getType()).value_or(kUnknown);
}

Kind tilec::interpreter::resultKind(Operation *op, unsigned i) {
  return kindOf(op->getResult(i).getType()).value_or(kUnknown);
}

LogicalResult tilec::interpreter::addKernel(Operation *op,
                                            SmallVectorImpl<Kernel> &kernels,
                                            KernelFn fn, Kind computes,
                                            StringRef flopKind,
                                            unsigned result) {
  std::optional<Kind> stores = kindOf(op->getResult(result).getType());
  if (!fn || !stores)
    return unknownTypes(op);
  Kernel kernel;
  kernel.fn = fn;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    kernel.operands.push_back(i);
  kernel.computes = computes;
  kernel.stores = *stores;
  kernel.result = result;
  kernel.flopKind = flopKind;
  kernel.flops = flopKind == "fma" ? 2 : 1;
  kernels.push_back(std::move(kernel));
  return success();
}

KernelFn tilec::interpreter::pickFloat(Kind kind, KernelFn f32, KernelFn f64) {
  if (!isFloat(kind))
    return nullptr;
  return computeKind(kind) == Kind::F64 ? f64 : f32;
}

/// What an operation counts as; empty if it only moves bits or compares.
static StringRef flopKindOf(Operation *op) {
  StringRef name = op->getName().stripDialect();
  if (name == "addf" || name == "subf" || name == "mulf" || name == "divf" ||
      name == "remf" || name == "powf")
    return name.drop_back();
  if (name == "maximumf" || name == "maxnumf")
    return "max";
  if (name == "minimumf" || name == "minnumf")
    return "min";
  if (name == "negf" || name == "absf" || name == "copysign" || name == "cmpf")
    return {};
  return name;
}

template <typename F>
static LogicalResult unary(Operation *op, SmallVectorImpl<Kernel> &kernels) {
  Kind kind = operandKind(op);
  return addKernel(
      op, kernels,
      pickFloat(kind, map1<F, float, float>, map1<F, double, double>),
      computeKind(kind), flopKindOf(op));
}

template <typename F>
static LogicalResult binary(Operation *op, SmallVectorImpl<Kernel> &kernels) {
  Kind kind = operandKind(op);
  return addKernel(op, kernels,
                   pickFloat(kind, map2<F, float, float, float>,
                             map2<F, double, double, double>),
                   computeKind(kind), flopKindOf(op));
}

template <typename F>
static LogicalResult ternary(Operation *op, SmallVectorImpl<Kernel> &kernels) {
  Kind kind = operandKind(op);
  return addKernel(op, kernels,
                   pickFloat(kind, map3<F, float, float, float, float>,
                             map3<F, double, double, double, double>),
                   computeKind(kind), flopKindOf(op));
}

template <typename F>
static LogicalResult test(Operation *op, SmallVectorImpl<Kernel> &kernels) {
  return addKernel(
      op, kernels,
      pickFloat(operandKind(op), map1<F, Bit, float>, map1<F, Bit, double>),
      Kind::I1);
}

/// Two functions of one operand.
static LogicalResult sincos(Operation *op, SmallVectorImpl<Kernel> &kernels) {
  Kind kind = operandKind(op);
  if (failed(addKernel(
          op, kernels,
          pickFloat(kind, map1<Sin, float, float>, map1<Sin, double, double>),
          computeKind(kind), "sin", 0)))
    return failure();
  return addKernel(
      op, kernels,
      pickFloat(kind, map1<Cos, float, float>, map1<Cos, double, double>),
      computeKind(kind), "cos", 1);
}

/// The loop of a comparison.
template <typename F>
static KernelFn pickCompare(Kind kind) {
  return pickFloat(kind, map2<F, Bit, float, float>,
                   map2<F, Bit, double, double>);
}

static LogicalResult compare(Operation *op, SmallVectorImpl<Kernel> &kernels) {
  static constexpr KernelFn (*picks[])(Kind) = {
      pickCompare<Never>, pickCompare<Oeq>,     pickCompare<Ogt>,
      pickCompare<Oge>,   pickCompare<Olt>,     pickCompare<Ole>,
      pickCompare<One>,   pickCompare<Ordered>, pickCompare<Ueq>,
      pickCompare<Ugt>,   pickCompare<Uge>,     pickCompare<Ult>,
      pickCompare<Ule>,   pickCompare<Une>,     pickCompare<Unordered>,
      pickCompare<Always>};
  using Predicate = arith::CmpFPredicate;
  static_assert(static_cast<int>(Predicate::OEQ) == 1 &&
                    static_cast<int>(Predicate::ORD) == 7 &&
                    static_cast<int>(Predicate::UEQ) == 8 &&
                    static_cast<int>(Predicate::AlwaysTrue) == 15,
                "the table follows the order of the predicates");
  auto predicate = static_cast<size_t>(cast<arith::CmpFOp>(op).getPredicate());
  return addKernel(op, kernels, picks[predicate](operandKind(op)), Kind::I1);
}

static LogicalResult powerI(Operation *op, SmallVectorImpl<Kernel> &kernels) {
  Kind kind = operandKind(op), exponent = operandKind(op, 1);
  KernelFn fn = nullptr;
  if (exponent == Kind::I32)
    fn = pickFloat(kind, map2<PowerI, float, float, int32_t>,
                   map2<PowerI, double, double, int32_t>);
  else if (exponent == Kind::I64)
    fn = pickFloat(kind, map2<PowerI, float, float, int64_t>,
                   map2<PowerI, double, double, int64_t>);
  return addKernel(op, kernels, fn, computeKind(kind), "pow");
}

ArrayRef<KernelEntry> tilec::interpreter::floatKernels() {
  static const KernelEntry entries[] = {
      {"arith.addf", binary<Add>},
      {"arith.subf", binary<Sub>},
      {"arith.mulf", binary<Mul>},
      {"arith.divf", binary<Div>},
      {"arith.remf", binary<Rem>},
      {"arith.negf", unary<Negate>},
      {"arith.maximumf", binary<Maximum>},
      {"arith.minimumf", binary<Minimum>},
      {"arith.maxnumf", binary<MaxNum>},
      {"arith.minnumf", binary<MinNum>},
      {"arith.cmpf", compare},
      {"math.absf", unary<Abs>},
      {"math.acos", unary<Acos>},
      {"math.acosh", unary<Acosh>},
      {"math.asin", unary<Asin>},
      {"math.asinh", unary<Asinh>},
      {"math.atan", unary<Atan>},
      {"math.atanh", unary<Atanh>},
      {"math.atan2", binary<Atan2>},
      {"math.cbrt", unary<Cbrt>},
      {"math.ceil", unary<Ceil>},
      {"math.clampf", ternary<Clamp>},
      {"math.copysign", binary<CopySign>},
      {"math.cos", unary<Cos>},
      {"math.cosh", unary<Cosh>},
      {"math.erf", unary<Erf>},
      {"math.erfc", unary<Erfc>},
      {"math.exp", unary<Exp>},
      {"math.exp2", unary<Exp2>},
      {"math.expm1", unary<ExpM1>},
      {"math.floor", unary<Floor>},
      {"math.fma", ternary<Fma>},
      {"math.fpowi", powerI},
      {"math.isfinite", test<IsFinite>},
      {"math.isinf", test<IsInf>},
      {"math.isnan", test<IsNaN>},
      {"math.isnormal", test<IsNormal>},
      {"math.log", unary<Log>},
      {"math.log10", unary<Log10>},
      {"math.log1p", unary<Log1P>},
      {"math.log2", unary<Log2>},
      {"math.powf", binary<Power>},
      {"math.round", unary<Round>},
      {"math.roundeven", unary<RoundEven>},
      {"math.rsqrt", unary<Rsqrt>},
      {"math.sin", unary<Sin>},
      {"math.sincos", sincos},
      {"math.sinh", unary<Sinh>},
      {"math.sqrt", unary<Sqrt>},
      {"math.tan", unary<Tan>},
      {"math.tanh", unary<Tanh>},
      {"math.trunc", unary<Trunc>},
  };
  return entries;
}
