//===- IntKernels.cpp - loops over integers -------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Integers wrap at their width; shifts by the width or more shift everything
// out, as PTX has it. Also comparisons, and `select` and `bitcast`, which see
// bits.
//
//===----------------------------------------------------------------------===//

#include "Operations/Kernels.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/bit.h"
#include <type_traits>

using namespace mlir;
using namespace tilec;
using namespace tilec::interpreter;

//===----------------------------------------------------------------------===//
// What is computed
//===----------------------------------------------------------------------===//

/// Unsigned type to compute in, wide enough that C++ does not promote it to
/// int.
template <typename T>
using Wide = std::conditional_t<sizeof(T) <= 4, uint32_t, uint64_t>;

/// Twice the width of a type.
template <typename T>
using Double = std::conditional_t<sizeof(T) <= 4, int64_t, __int128>;

/// The value as an unsigned number of its width.
template <typename Tag>
static auto bits(ValueOf<Tag> value) {
  using U = std::make_unsigned_t<ValueOf<Tag>>;
  U mask = Elem<Tag>::width == 1 ? U(1) : U(~U(0));
  return static_cast<U>(static_cast<U>(value) & mask);
}

namespace {
#define INT_BINARY(NAME, ...)                                                  \
  template <typename Tag>                                                      \
  struct NAME {                                                                \
    using T = ValueOf<Tag>;                                                    \
    using U = std::make_unsigned_t<T>;                                         \
    using W = Wide<T>;                                                         \
    static constexpr unsigned width = Elem<Tag>::width;                        \
    static T apply(T a, T b) { __VA_ARGS__ }                                   \
  };
#define INT_UNARY(NAME, ...)                                                   \
  template <typename Tag>                                                      \
  struct NAME {                                                                \
    using T = ValueOf<Tag>;                                                    \
    static constexpr unsigned width = Elem<Tag>::width;                        \
    static T apply(T a) { __VA_ARGS__ }                                        \
  };

INT_BINARY(Add, return T(W(a) + W(b));)
INT_BINARY(Sub, return T(W(a) - W(b));)
INT_BINARY(Mul, return T(W(a) * W(b));)
INT_BINARY(And, return a & b;)
INT_BINARY(Or, return a | b;)
INT_BINARY(Xor, return a ^ b;)
INT_BINARY(ShiftLeft, U s = bits<Tag>(b);
           return s < width ? T(W(a) << s) : T(0);)
INT_BINARY(ShiftRightU, U s = bits<Tag>(b);
           return s < width ? T(bits<Tag>(a) >> s) : T(0);)
INT_BINARY(ShiftRightS, U s = bits<Tag>(b);
           return T(a >> (s < width ? s : width - 1));)
INT_BINARY(MaxS, return a > b ? a : b;)
INT_BINARY(MinS, return a < b ? a : b;)
INT_BINARY(MaxU, return bits<Tag>(a) > bits<Tag>(b) ? a : b;)
INT_BINARY(MinU, return bits<Tag>(a) < bits<Tag>(b) ? a : b;)
// The smallest number divided by -1 wraps; by 0 all give 0, and who uses that
// finds it reported.
INT_BINARY(DivS, return b == 0 ? T(0) : b == -1 ? T(W(0) - W(a)) : T(a / b);)
INT_BINARY(RemS, return b == 0 || b == -1 ? T(0) : T(a % b);)
INT_BINARY(DivU, return b == 0 ? T(0) : T(bits<Tag>(a) / bits<Tag>(b));)
INT_BINARY(RemU, return b == 0 ? T(0) : T(bits<Tag>(a) % bits<Tag>(b));)
INT_BINARY(FloorDivS, if (b == 0 || b == -1) return DivS<Tag>::apply(a, b);
           return T(a / b - (a % b != 0 && (a < 0) != (b < 0)));)
INT_BINARY(CeilDivS, if (b == 0 || b == -1) return DivS<Tag>::apply(a, b);
           return T(a / b + (a % b != 0 && (a < 0) == (b < 0)));)
INT_BINARY(CeilDivU, if (b == 0) return T(0); U x = bits<Tag>(a);
           U y = bits<Tag>(b); return T(x / y + (x % y != 0));)
INT_BINARY(MulHighS, return T((Double<T>(a) * Double<T>(b)) >> width);)
INT_BINARY(
    MulHighU,
    using D = std::conditional_t<sizeof(T) <= 4, uint64_t, unsigned __int128>;
    return T((D(bits<Tag>(a)) * D(bits<Tag>(b))) >> width);)
INT_BINARY(
    Power, T result = 1; if (b < 0) {
      // Only 1 and -1 have an inverse among the integers.
      return a == 1 ? T(1) : a == -1 ? ((b & 1) ? T(-1) : T(1)) : T(0);
    } for (; b != 0; b = T(bits<Tag>(b) >> 1)) {
      if (b & 1)
        result = T(W(result) * W(a));
      a = T(W(a) * W(a));
    } return result;)
INT_UNARY(Abs, return a < 0 ? T(Wide<T>(0) - Wide<T>(a)) : a;)
INT_UNARY(PopCount, return T(llvm::popcount(bits<Tag>(a)));)
INT_UNARY(LeadingZeros, return T(llvm::countl_zero(bits<Tag>(a)) -
                                 int(sizeof(T) * 8 - width));)
INT_UNARY(TrailingZeros, auto u = bits<Tag>(a);
          return T(u == 0 ? int(width) : llvm::countr_zero(u));)

/// The carry out of an addition.
template <typename Tag>
struct Carry {
  static int8_t apply(ValueOf<Tag> a, ValueOf<Tag> b) {
    auto sum = bits<Tag>(Add<Tag>::apply(a, b));
    return sum < bits<Tag>(a);
  }
};

#define COMPARE(NAME, EXPRESSION)                                              \
  template <typename Tag>                                                      \
  struct NAME {                                                                \
    static int8_t apply(ValueOf<Tag> a, ValueOf<Tag> b) { return EXPRESSION; } \
  };
COMPARE(Eq, a == b)
COMPARE(Ne, a != b)
COMPARE(Slt, a < b)
COMPARE(Sle, a <= b)
COMPARE(Sgt, a > b)
COMPARE(Sge, a >= b)
COMPARE(Ult, bits<Tag>(a) < bits<Tag>(b))
COMPARE(Ule, bits<Tag>(a) <= bits<Tag>(b))
COMPARE(Ugt, bits<Tag>(a) > bits<Tag>(b))
COMPARE(Uge, bits<Tag>(a) >= bits<Tag>(b))

/// One of two, by a Boolean.
struct Select {
  template <typename T>
  static T apply(int8_t condition, T a, T b) {
    return condition ? a : b;
  }
};

/// A pointer moved by elements of 2^log bytes.
template <unsigned log>
struct Offset {
  template <typename T>
  static int64_t apply(int64_t pointer, T offset) {
    return static_cast<int64_t>(
        static_cast<uint64_t>(pointer) +
        (static_cast<uint64_t>(static_cast<int64_t>(offset)) << log));
  }
};

/// The same bits.
struct Same {
  template <typename T>
  static T apply(T a) {
    return a;
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Which loop
//===----------------------------------------------------------------------===//

/// The loop of F over integers of this kind, or null.
template <template <typename> class F>
static KernelFn pick1(Kind kind) {
  switch (kind) {
  case Kind::I1:
    return map1<F<Bit>, Bit, Bit>;
  case Kind::I8:
    return map1<F<int8_t>, int8_t, int8_t>;
  case Kind::I16:
    return map1<F<int16_t>, int16_t, int16_t>;
  case Kind::I32:
    return map1<F<int32_t>, int32_t, int32_t>;
  case Kind::I64:
    return map1<F<int64_t>, int64_t, int64_t>;
  default:
    return nullptr;
  }
}

/// The loop of F over pairs of integers of this kind, or null. `Out` is Bit for
/// comparisons, void for operations that keep the kind.
template <template <typename> class F, typename Out = void>
static KernelFn pick2(Kind kind) {
  constexpr bool keeps = std::is_void_v<Out>;
  switch (kind) {
  case Kind::I1:
    return map2<F<Bit>, Bit, Bit, Bit>;
  case Kind::I8:
    return map2<F<int8_t>, std::conditional_t<keeps, int8_t, Out>, int8_t,
                int8_t>;
  case Kind::I16:
    return map2<F<int16_t>, std::conditional_t<keeps, int16_t, Out>, int16_t,
                int16_t>;
  case Kind::I32:
    return map2<F<int32_t>, std::conditional_t<keeps, int32_t, Out>, int32_t,
                int32_t>;
  case Kind::I64:
    return map2<F<int64_t>, std::conditional_t<keeps, int64_t, Out>, int64_t,
                int64_t>;
  default:
    return nullptr;
  }
}

/// Adds the kernel `fn` with all operands for result `result`.
static LogicalResult add(Operation *op, SmallVectorImpl<Kernel> &kernels,
                         KernelFn fn, unsigned result = 0,
                         bool divides = false) {
  if (failed(addKernel(op, kernels, fn, resultKind(op, result),
                       /*flopKind=*/{}, result)))
    return failure();
  kernels.back().divisor = divides ? 1 : -1;
  return success();
}

template <template <typename> class F>
static LogicalResult unary(Operation *op, SmallVectorImpl<Kernel> &kernels) {
  return add(op, kernels, pick1<F>(operandKind(op)));
}

template <template <typename> class F>
static LogicalResult binary(Operation *op, SmallVectorImpl<Kernel> &kernels) {
  return add(op, kernels, pick2<F>(operandKind(op)));
}

template <template <typename> class F>
static LogicalResult division(Operation *op, SmallVectorImpl<Kernel> &kernels) {
  return add(op, kernels, pick2<F>(operandKind(op)), 0, /*divides=*/true);
}

/// Two results: the low half by F, the high half by G.
template <template <typename> class F, template <typename> class G>
static LogicalResult extended(Operation *op, SmallVectorImpl<Kernel> &kernels) {
  if (failed(add(op, kernels, pick2<F>(operandKind(op)), 0)))
    return failure();
  return add(op, kernels, pick2<G>(operandKind(op)), 1);
}

static LogicalResult addExtended(Operation *op,
                                 SmallVectorImpl<Kernel> &kernels) {
  if (failed(add(op, kernels, pick2<Add>(operandKind(op)), 0)))
    return failure();
  return add(op, kernels, pick2<Carry, Bit>(operandKind(op)), 1);
}

static LogicalResult compare(Operation *op, SmallVectorImpl<Kernel> &kernels) {
  Kind kind = operandKind(op);
  switch (cast<arith::CmpIOp>(op).getPredicate()) {
  case arith::CmpIPredicate::eq:
    return add(op, kernels, pick2<Eq, Bit>(kind));
  case arith::CmpIPredicate::ne:
    return add(op, kernels, pick2<Ne, Bit>(kind));
  case arith::CmpIPredicate::slt:
    return add(op, kernels, pick2<Slt, Bit>(kind));
  case arith::CmpIPredicate::sle:
    return add(op, kernels, pick2<Sle, Bit>(kind));
  case arith::CmpIPredicate::sgt:
    return add(op, kernels, pick2<Sgt, Bit>(kind));
  case arith::CmpIPredicate::sge:
    return add(op, kernels, pick2<Sge, Bit>(kind));
  case arith::CmpIPredicate::ult:
    return add(op, kernels, pick2<Ult, Bit>(kind));
  case arith::CmpIPredicate::ule:
    return add(op, kernels, pick2<Ule, Bit>(kind));
  case arith::CmpIPredicate::ugt:
    return add(op, kernels, pick2<Ugt, Bit>(kind));
  case arith::CmpIPredicate::uge:
    return add(op, kernels, pick2<Uge, Bit>(kind));
  }
  return unknownTypes(op);
}

static LogicalResult select(Operation *op, SmallVectorImpl<Kernel> &kernels) {
  std::optional<Kind> kind = kindOf(op->getResult(0).getType());
  if (!kind)
    return unknownTypes(op);
  KernelFn bySize[] = {map3<Select, uint8_t, Bit, uint8_t, uint8_t>,
                       map3<Select, uint16_t, Bit, uint16_t, uint16_t>,
                       map3<Select, uint32_t, Bit, uint32_t, uint32_t>,
                       map3<Select, uint64_t, Bit, uint64_t, uint64_t>};
  if (failed(add(op, kernels, bySize[llvm::Log2_32(sizeOf(*kind))])))
    return failure();
  kernels.back().raw = true;
  return success();
}

static LogicalResult bitcast(Operation *op, SmallVectorImpl<Kernel> &kernels) {
  std::optional<Kind> from = kindOf(op->getOperand(0).getType());
  std::optional<Kind> to = kindOf(op->getResult(0).getType());
  if (!from || !to || sizeOf(*from) != sizeOf(*to))
    return unknownTypes(op);
  KernelFn bySize[] = {
      map1<Same, uint8_t, uint8_t>, map1<Same, uint16_t, uint16_t>,
      map1<Same, uint32_t, uint32_t>, map1<Same, uint64_t, uint64_t>};
  if (failed(add(op, kernels, bySize[llvm::Log2_32(sizeOf(*to))])))
    return failure();
  kernels.back().raw = true;
  return success();
}

/// The loop that offsets pointers to elements of 2^log bytes.
template <unsigned log>
static KernelFn pickOffset(Kind kind) {
  switch (kind) {
  case Kind::I1:
    return map2<Offset<log>, int64_t, int64_t, Bit>;
  case Kind::I8:
    return map2<Offset<log>, int64_t, int64_t, int8_t>;
  case Kind::I16:
    return map2<Offset<log>, int64_t, int64_t, int16_t>;
  case Kind::I32:
    return map2<Offset<log>, int64_t, int64_t, int32_t>;
  case Kind::I64:
    return map2<Offset<log>, int64_t, int64_t, int64_t>;
  default:
    return nullptr;
  }
}

static LogicalResult addPtr(Operation *op, SmallVectorImpl<Kernel> &kernels) {
  auto type =
      cast<tile::PtrType>(getElementTypeOrSelf(op->getResult(0).getType()));
  Kind offset = kindOf(op->getOperand(1).getType()).value_or(Kind::F64);
  std::optional<Kind> pointee = kindOf(type.getPointee());
  if (!pointee)
    return unknownTypes(op);
  switch (sizeOf(*pointee)) {
  case 1:
    return add(op, kernels, pickOffset<0>(offset));
  case 2:
    return add(op, kernels, pickOffset<1>(offset));
  case 4:
    return add(op, kernels, pickOffset<2>(offset));
  default:
    return add(op, kernels, pickOffset<3>(offset));
  }
}

ArrayRef<KernelEntry> tilec::interpreter::intKernels() {
  static const KernelEntry entries[] = {
      {"arith.addi", binary<Add>},
      {"arith.subi", binary<Sub>},
      {"arith.muli", binary<Mul>},
      {"arith.divsi", division<DivS>},
      {"arith.divui", division<DivU>},
      {"arith.remsi", division<RemS>},
      {"arith.remui", division<RemU>},
      {"arith.floordivsi", division<FloorDivS>},
      {"arith.ceildivsi", division<CeilDivS>},
      {"arith.ceildivui", division<CeilDivU>},
      {"arith.andi", binary<And>},
      {"arith.ori", binary<Or>},
      {"arith.xori", binary<Xor>},
      {"arith.shli", binary<ShiftLeft>},
      {"arith.shrui", binary<ShiftRightU>},
      {"arith.shrsi", binary<ShiftRightS>},
      {"arith.maxsi", binary<MaxS>},
      {"arith.maxui", binary<MaxU>},
      {"arith.minsi", binary<MinS>},
      {"arith.minui", binary<MinU>},
      {"arith.addui_extended", addExtended},
      {"arith.mulsi_extended", extended<Mul, MulHighS>},
      {"arith.mului_extended", extended<Mul, MulHighU>},
      {"arith.cmpi", compare},
      {"arith.select", select},
      {"arith.bitcast", bitcast},
      {"tile.addptr", addPtr},
      {"math.absi", unary<Abs>},
      {"math.ctpop", unary<PopCount>},
      {"math.ctlz", unary<LeadingZeros>},
      {"math.cttz", unary<TrailingZeros>},
      {"math.ipowi", binary<Power>},
  };
  return entries;
}
