//===- CastKernels.cpp - conversions --------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Conversions to integers saturate, and NaN becomes 0, as cvt does.
//
//===----------------------------------------------------------------------===//

#include "Operations/Kernels.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <limits>
#include <type_traits>

using namespace mlir;
using namespace tilec::interpreter;

namespace {
/// Float to integer: towards zero, saturating, NaN to 0.
template <typename Tag, bool isSigned>
struct ToInt {
  template <typename F>
  static ValueOf<Tag> apply(F value) {
    using Int = ValueOf<Tag>;
    using Limits = std::numeric_limits<
        std::conditional_t<isSigned, Int, std::make_unsigned_t<Int>>>;
    constexpr bool isBit = Elem<Tag>::width == 1;
    // Powers of two, so exact in every float: the first value too large.
    double end =
        isBit ? (isSigned ? 1.0 : 2.0) : std::ldexp(1.0, Limits::digits);
    double low = isBit ? (isSigned ? -1.0 : 0.0) : isSigned ? -end : 0.0;
    if (value != value)
      return 0;
    if (static_cast<double>(value) >= end)
      return isBit ? Int(isSigned ? 0 : 1) : static_cast<Int>(Limits::max());
    if (static_cast<double>(value) <= low)
      return static_cast<Int>(isBit ? (isSigned ? -1 : 0)
                                    : static_cast<int64_t>(Limits::min()));
    if constexpr (isSigned)
      return static_cast<Int>(value);
    else
      return static_cast<Int>(static_cast<std::make_unsigned_t<Int>>(value));
  }
};

/// Integer to float, to nearest even.
template <typename Tag, bool isSigned, typename F>
struct FromInt {
  static F apply(ValueOf<Tag> value) {
    if constexpr (isSigned)
      return static_cast<F>(value);
    else if constexpr (Elem<Tag>::width == 1)
      return static_cast<F>(value & 1);
    else
      return static_cast<F>(
          static_cast<std::make_unsigned_t<ValueOf<Tag>>>(value));
  }
};

/// Integer to f64 on the way to a narrower float: what is cut off leaves its
/// trace in the last bit (rounding to odd), so that the second rounding is the
/// only one.
template <typename Tag, bool isSigned>
struct FromIntToOdd {
  static double apply(ValueOf<Tag> value) {
    double rounded = FromInt<Tag, isSigned, double>::apply(value);
    if constexpr (Elem<Tag>::width < 64)
      return rounded;
    bool negative = isSigned && value < 0;
    uint64_t magnitude = negative ? 0 - static_cast<uint64_t>(value)
                                  : static_cast<uint64_t>(value);
    // Keep 53 bits, the last one sticky.
    int shift = std::max(0, 11 - llvm::countl_zero(magnitude));
    uint64_t kept = magnitude >> shift;
    if (kept << shift != magnitude)
      kept |= 1;
    double result = std::ldexp(static_cast<double>(kept), shift);
    return negative ? -result : result;
  }
};

/// Integer to integer: signed extension, or truncation.
template <typename To, typename From>
struct Extend {
  static ValueOf<To> apply(ValueOf<From> value) {
    return static_cast<ValueOf<To>>(value);
  }
};

/// Integer to integer, extended by zeros.
template <typename To, typename From>
struct ExtendU {
  static ValueOf<To> apply(ValueOf<From> value) {
    if constexpr (Elem<From>::width == 1)
      return static_cast<ValueOf<To>>(value & 1);
    else
      return static_cast<ValueOf<To>>(
          static_cast<std::make_unsigned_t<ValueOf<From>>>(value));
  }
};

/// f64 to f32 in a direction.
template <Rounding rounding>
struct ToFloat {
  static float apply(double value) { return roundToFloat(value, rounding); }
};

/// The same number.
struct Same {
  template <typename T>
  static T apply(T value) {
    return value;
  }
};
} // namespace

/// Calls `fn` with a value of the tag type of an integer kind; null for others.
template <typename Fn>
static KernelFn withTag(Kind kind, Fn fn) {
  switch (kind) {
  case Kind::I1:
    return fn(Elem<Bit>());
  case Kind::I8:
    return fn(Elem<int8_t>());
  case Kind::I16:
    return fn(Elem<int16_t>());
  case Kind::I32:
    return fn(Elem<int32_t>());
  case Kind::I64:
    return fn(Elem<int64_t>());
  default:
    return nullptr;
  }
}

/// The tag of an `Elem`.
template <typename Tag>
static Tag tagOf(Elem<Tag>);

template <template <typename, typename> class F>
static LogicalResult intToInt(Operation *op, SmallVectorImpl<Kernel> &kernels) {
  KernelFn fn = withTag(operandKind(op), [&](auto from) {
    using From = decltype(tagOf(from));
    return withTag(resultKind(op), [](auto to) -> KernelFn {
      using To = decltype(tagOf(to));
      return map1<F<To, From>, To, From>;
    });
  });
  return addKernel(op, kernels, fn, resultKind(op));
}

template <bool isSigned>
static LogicalResult intToFloat(Operation *op,
                                SmallVectorImpl<Kernel> &kernels) {
  Kind to = resultKind(op);
  KernelFn fn = withTag(operandKind(op), [&](auto from) -> KernelFn {
    using From = decltype(tagOf(from));
    if (to == Kind::F32)
      return map1<FromInt<From, isSigned, float>, float, From>;
    if (to == Kind::F64)
      return map1<FromInt<From, isSigned, double>, double, From>;
    return map1<FromIntToOdd<From, isSigned>, double, From>;
  });
  return addKernel(op, kernels, isFloat(to) ? fn : nullptr,
                   to == Kind::F32 ? Kind::F32 : Kind::F64);
}

template <bool isSigned>
static LogicalResult floatToInt(Operation *op,
                                SmallVectorImpl<Kernel> &kernels) {
  KernelFn fn = withTag(resultKind(op), [&](auto to) -> KernelFn {
    using To = decltype(tagOf(to));
    return pickFloat(operandKind(op), map1<ToInt<To, isSigned>, To, float>,
                     map1<ToInt<To, isSigned>, To, double>);
  });
  return addKernel(op, kernels, fn, resultKind(op));
}

/// f64 to f32 by rounding mode.
static KernelFn pickToFloat(Rounding rounding) {
  switch (rounding) {
  case Rounding::to_nearest_even:
    return map1<ToFloat<Rounding::to_nearest_even>, float, double>;
  case Rounding::downward:
    return map1<ToFloat<Rounding::downward>, float, double>;
  case Rounding::upward:
    return map1<ToFloat<Rounding::upward>, float, double>;
  case Rounding::toward_zero:
    return map1<ToFloat<Rounding::toward_zero>, float, double>;
  case Rounding::to_nearest_away:
    return map1<ToFloat<Rounding::to_nearest_away>, float, double>;
  }
  return nullptr;
}

/// extf and truncf.
static LogicalResult floatToFloat(Operation *op,
                                  SmallVectorImpl<Kernel> &kernels) {
  Kind from = operandKind(op), to = resultKind(op);
  Rounding rounding = Rounding::to_nearest_even;
  if (auto truncate = dyn_cast<arith::TruncFOp>(op))
    rounding = truncate.getRoundingmode().value_or(rounding);
  if (!isFloat(from) || !isFloat(to))
    return unknownTypes(op);
  KernelFn fn;
  Kind computes = from == Kind::F64 ? Kind::F64 : Kind::F32;
  if (from == Kind::F64 && to == Kind::F32) {
    fn = pickToFloat(rounding);
    computes = Kind::F32;
  } else if (from != Kind::F64 && to == Kind::F64) {
    fn = map1<Extend<double, float>, double, float>;
    computes = Kind::F64;
  } else {
    fn = pickFloat(from, map1<Same, float, float>, map1<Same, double, double>);
  }
  if (failed(addKernel(op, kernels, fn, computes)))
    return failure();
  kernels.back().rounding = rounding;
  return success();
}

ArrayRef<KernelEntry> tilec::interpreter::castKernels() {
  static const KernelEntry entries[] = {
      {"arith.extsi", intToInt<Extend>},
      {"arith.extui", intToInt<ExtendU>},
      {"arith.trunci", intToInt<Extend>},
      {"arith.index_cast", intToInt<Extend>},
      {"arith.index_castui", intToInt<ExtendU>},
      {"arith.sitofp", intToFloat<true>},
      {"arith.uitofp", intToFloat<false>},
      {"arith.fptosi", floatToInt<true>},
      {"arith.fptoui", floatToInt<false>},
      {"arith.extf", floatToFloat},
      {"arith.truncf", floatToFloat},
  };
  return entries;
}
