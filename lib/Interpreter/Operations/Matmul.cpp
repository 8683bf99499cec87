//===- Matmul.cpp - matrix products ---------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Products are exact and are added in the order of k. Operands are first
// brought to the type that is multiplied in: rounded to tf32, or split into
// parts whose products are added from the smallest to the largest.
//
//===----------------------------------------------------------------------===//

#include "Checks/Fillers.h"
#include "Scope.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace tilec;
using namespace tilec::interpreter;

//===----------------------------------------------------------------------===//
// c += a * b
//===----------------------------------------------------------------------===//

/// Sizes of a product.
struct Sizes {
  int64_t m, n, k;
};

/// x * y + z, rounded once. With `isExact` the product needs no rounding, so
/// two operations give the same.
template <bool isExact, typename T>
static inline __attribute__((always_inline)) T multiplyAdd(T x, T y, T z) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint32_t>(x) * static_cast<uint32_t>(y) +
                          static_cast<uint32_t>(z));
  else if constexpr (isExact)
    return x * y + z;
  else
    return std::fma(x, y, z);
}

/// R rows and C columns of the result, held in registers while k runs.
template <bool isExact, int R, int C, typename T>
static inline __attribute__((always_inline)) void
multiplyBlock(const Sizes &sizes, const T *a, const T *b, T *c) {
  T sum[R][C];
  for (int r = 0; r < R; ++r)
    for (int j = 0; j < C; ++j)
      sum[r][j] = c[r * sizes.n + j];
  for (int64_t k = 0; k < sizes.k; ++k)
    for (int r = 0; r < R; ++r)
      for (int j = 0; j < C; ++j)
        sum[r][j] = multiplyAdd<isExact>(a[r * sizes.k + k], b[k * sizes.n + j],
                                         sum[r][j]);
  for (int r = 0; r < R; ++r)
    for (int j = 0; j < C; ++j)
      c[r * sizes.n + j] = sum[r][j];
}

/// R rows of the result.
template <bool isExact, int R, typename T>
static inline __attribute__((always_inline)) void
multiplyRows(const Sizes &sizes, const T *a, const T *b, T *c) {
  int64_t j = 0;
  for (; j + 16 <= sizes.n; j += 16)
    multiplyBlock<isExact, R, 16>(sizes, a, b + j, c + j);
  for (; j < sizes.n; ++j)
    multiplyBlock<isExact, R, 1>(sizes, a, b + j, c + j);
}

/// The whole result.
template <bool isExact, typename T>
static inline __attribute__((always_inline)) void
multiplyAll(const Sizes &sizes, const T *a, const T *b, T *c) {
  int64_t i = 0;
  for (; i + 4 <= sizes.m; i += 4)
    multiplyRows<isExact, 4>(sizes, a + i * sizes.k, b, c + i * sizes.n);
  for (; i < sizes.m; ++i)
    multiplyRows<isExact, 1>(sizes, a + i * sizes.k, b, c + i * sizes.n);
}

#if defined(__x86_64__)
/// The same for processors with AVX2 and fused multiply-add.
template <typename T>
__attribute__((target("avx2,fma"))) static void
multiplyWide(const Sizes &sizes, const T *a, const T *b, T *c) {
  multiplyAll<false>(sizes, a, b, c);
}

/// Does the processor have them?
static bool hasWide() {
  static const bool has =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return has;
}
#endif

/// c += a * b by the fastest loop that this processor has.
template <typename T>
static void multiply(const Sizes &sizes, const T *a, const T *b, T *c,
                     bool isExact) {
#if defined(__x86_64__)
  if (hasWide())
    return multiplyWide(sizes, a, b, c);
#endif
  if (isExact)
    multiplyAll<true>(sizes, a, b, c);
  else
    multiplyAll<false>(sizes, a, b, c);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Rounds to bf16.
static float roundToBF16(float value) {
  uint16_t bits;
  narrow(Kind::BF16, Rounding::to_nearest_even, &value, &bits, 1);
  float result;
  widen(Kind::BF16, &bits, &result, 1);
  return result;
}

/// Splits values into what one rounding keeps and what is left.
static void split(float (*round)(float), float *values, float *rest,
                  int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    float kept = round(values[i]);
    rest[i] = std::isfinite(kept) ? values[i] - kept : 0;
    values[i] = kept;
  }
}

namespace {
/// A product and the places of its operands.
struct Dot {
  tile::DotPrecision precision;
  Kind kind;        // of a and b
  Kind accumulates; // of c
  int64_t batch;
  Sizes sizes;
  Reader a, b, c;
  uint64_t out;
  // Operands as they are multiplied, one array for each part.
  SmallVector<uint64_t, 3> aParts, bParts;
  uint64_t sum;

  /// Parts that an operand is split into.
  unsigned parts() const {
    if (kind != Kind::F32)
      return 1;
    switch (precision) {
    case tile::DotPrecision::TF32x3:
    case tile::DotPrecision::BF16x3:
      return 2;
    case tile::DotPrecision::BF16x6:
      return 3;
    default:
      return 1;
    }
  }
  void prepare(char *frame, const Reader &from, ArrayRef<uint64_t> to) const;
  template <typename T>
  void multiplyBatches(char *frame, bool isExact) const;
  void multiplyParts(char *frame) const;
  Step run(State &state) const;
};
} // namespace

/// Brings an operand of floats to the numbers that are multiplied.
void Dot::prepare(char *frame, const Reader &from,
                  ArrayRef<uint64_t> to) const {
  from.readAll(frame, frame + to[0]);
  if (kind != Kind::F32 || precision == tile::DotPrecision::IEEE)
    return;
  bool isTF32 = precision == tile::DotPrecision::TF32 ||
                precision == tile::DotPrecision::TF32x3;
  auto *round = isTF32 ? roundToTF32 : roundToBF16;
  auto part = [&](unsigned i) {
    return reinterpret_cast<float *>(frame + to[i]);
  };
  for (unsigned i = 0; i + 1 < to.size(); ++i)
    split(round, part(i), part(i + 1), from.count());
  float *last = part(to.size() - 1);
  if (precision == tile::DotPrecision::TF32) {
    for (int64_t i = 0; i < from.count(); ++i)
      last[i] = cutToTF32(last[i]);
  } else if (isTF32) {
    for (int64_t i = 0; i < from.count(); ++i)
      last[i] = roundToTF32(last[i]);
  } else {
    for (int64_t i = 0; i < from.count(); ++i)
      last[i] = roundToBF16(last[i]);
  }
}

/// Adds the products of all parts but the ones too small to matter.
void Dot::multiplyParts(char *frame) const {
  unsigned n = parts();
  for (unsigned order = n; order-- > 0;)
    for (unsigned i = 0; i <= order; ++i)
      for (int64_t z = 0; z < batch; ++z)
        multiply(sizes,
                 reinterpret_cast<float *>(frame + aParts[i]) +
                     z * sizes.m * sizes.k,
                 reinterpret_cast<float *>(frame + bParts[order - i]) +
                     z * sizes.k * sizes.n,
                 reinterpret_cast<float *>(frame + sum) + z * sizes.m * sizes.n,
                 /*isExact=*/kind != Kind::F32 ||
                     precision != tile::DotPrecision::IEEE);
}

/// One product for each index of the first axis.
template <typename T>
void Dot::multiplyBatches(char *frame, bool isExact) const {
  for (int64_t z = 0; z < batch; ++z)
    multiply(
        sizes, reinterpret_cast<T *>(frame + aParts[0]) + z * sizes.m * sizes.k,
        reinterpret_cast<T *>(frame + bParts[0]) + z * sizes.k * sizes.n,
        reinterpret_cast<T *>(frame + out) + z * sizes.m * sizes.n, isExact);
}

/// Extends i8 to i32.
static void extend(const Reader &from, const char *frame, char *narrowed,
                   char *dst) {
  from.readAll(frame, narrowed);
  auto *out = reinterpret_cast<int32_t *>(dst);
  for (int64_t i = 0; i < from.count(); ++i)
    out[i] = static_cast<int8_t>(narrowed[i]);
}

Step Dot::run(State &state) const {
  char *frame = state.frame;
  c.readAll(frame, frame + sum);
  if (kind == Kind::I8) {
    extend(a, frame, frame + aParts[1], frame + aParts[0]);
    extend(b, frame, frame + bParts[1], frame + bParts[0]);
    multiplyBatches<int32_t>(frame, true);
    return Step::Next;
  }
  if (kind == Kind::F64) {
    a.readAll(frame, frame + aParts[0]);
    b.readAll(frame, frame + bParts[0]);
    multiplyBatches<double>(frame, false);
    return Step::Next;
  }
  prepare(frame, a, aParts);
  prepare(frame, b, bParts);
  multiplyParts(frame);
  if (accumulates == Kind::F16)
    narrow(Kind::F16, Rounding::to_nearest_even,
           reinterpret_cast<const float *>(frame + sum), frame + out,
           c.count());
  return Step::Next;
}

static LogicalResult buildDot(Scope &scope, Operation *op) {
  auto product = cast<tile::DotOp>(op);
  FailureOr<View> result = scope.define(product.getResult());
  if (failed(result))
    return failure();
  const View &a = scope.lookup(product.getA()),
             &b = scope.lookup(product.getB()),
             &c = scope.lookup(product.getC());
  size_t rank = a.shape.size();
  Dot dot;
  dot.precision = product.getPrecision();
  // The two 8-bit floats may mix; both are computed in f32.
  dot.kind = a.kind;
  dot.accumulates = c.kind;
  dot.batch = rank == 3 ? a.shape[0] : 1;
  dot.sizes = {a.shape[rank - 2], b.shape[rank - 1], a.shape[rank - 1]};
  dot.a = Reader(a, a.shape, /*raw=*/false);
  dot.b = Reader(b, b.shape, /*raw=*/false);
  dot.c = Reader(c, c.shape, /*raw=*/false);
  dot.out = result->offset;
  unsigned size = sizeOf(a.kind) == 8 ? 8 : 4;
  // The products of i8 need a second array, for the narrow elements.
  for (unsigned i = 0, n = std::max(dot.parts(), a.kind == Kind::I8 ? 2u : 1u);
       i < n; ++i) {
    dot.aParts.push_back(scope.allocate(bytesOf(a.count(), size)));
    dot.bParts.push_back(scope.allocate(bytesOf(b.count(), size)));
  }
  dot.sum =
      c.kind == Kind::F16 ? scope.allocate(bytesOf(c.count(), 4)) : dot.out;
  uint64_t flops =
      2 * uint64_t(dot.batch) * dot.sizes.m * dot.sizes.n * dot.sizes.k;
  Instruction &instruction =
      scope.emit(op, [dot](State &state) { return dot.run(state); });
  if (isFloat(a.kind))
    instruction.flops.emplace_back("dot", flops);
  emitFillerDot(scope, op);
  return success();
}

ArrayRef<BuilderEntry> tilec::interpreter::matmulBuilders() {
  static const BuilderEntry entries[] = {{"tile.dot", buildDot}};
  return entries;
}
