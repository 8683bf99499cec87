//===- Value.cpp - elements and tiles at run time -------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Conversions between the float formats, from their definitions, and the walk
// over strided views.
//
//===----------------------------------------------------------------------===//

#include "Value.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace tilec::interpreter;

unsigned tilec::interpreter::sizeOf(Kind kind) {
  switch (kind) {
  case Kind::I1:
  case Kind::I8:
  case Kind::F8E4M3:
  case Kind::F8E5M2:
    return 1;
  case Kind::I16:
  case Kind::F16:
  case Kind::BF16:
    return 2;
  case Kind::I32:
  case Kind::F32:
    return 4;
  case Kind::I64:
  case Kind::F64:
    return 8;
  }
  llvm_unreachable("all kinds are handled");
}

std::optional<Kind> tilec::interpreter::kindOf(Type type) {
  type = getElementTypeOrSelf(type);
  if (isa<tile::PtrType>(type) || type.isIndex() || type.isInteger(64))
    return Kind::I64;
  if (type.isInteger(1))
    return Kind::I1;
  if (type.isInteger(8))
    return Kind::I8;
  if (type.isInteger(16))
    return Kind::I16;
  if (type.isInteger(32))
    return Kind::I32;
  if (isa<Float8E4M3FNType>(type))
    return Kind::F8E4M3;
  if (isa<Float8E5M2Type>(type))
    return Kind::F8E5M2;
  if (type.isF16())
    return Kind::F16;
  if (type.isBF16())
    return Kind::BF16;
  if (type.isF32())
    return Kind::F32;
  if (type.isF64())
    return Kind::F64;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Float formats
//===----------------------------------------------------------------------===//

namespace {
/// A binary float format of at most 32 bits.
struct Format {
  int mantissaBits; // without the hidden one
  int bias;
  bool hasInfinity; // otherwise all exponents are of finite numbers
  bool saturates;   // too large becomes the largest finite number
  uint32_t largest, infinity, nan;

  int bits() const { return saturates ? 8 : mantissaBits == 23 ? 32 : 16; }
};
} // namespace

/// The format of a narrow kind, and of f32.
static const Format &formatOf(Kind kind) {
  static const Format e4m3 = {3, 7, false, true, 0x7E, 0x7E, 0x7F};
  static const Format e5m2 = {2, 15, true, true, 0x7B, 0x7C, 0x7F};
  static const Format f16 = {10, 15, true, false, 0x7BFF, 0x7C00, 0x7E00};
  static const Format bf16 = {7, 127, true, false, 0x7F7F, 0x7F80, 0x7FC0};
  static const Format f32 = {23,         127,        true,      false,
                             0x7F7FFFFF, 0x7F800000, 0x7FC00000};
  switch (kind) {
  case Kind::F8E4M3:
    return e4m3;
  case Kind::F8E5M2:
    return e5m2;
  case Kind::F16:
    return f16;
  case Kind::BF16:
    return bf16;
  default:
    return f32;
  }
}

/// Does a magnitude round up, given what is cut off relative to one half
/// (-1 below, 0 equal, 1 above), whether anything is, and the last bit kept?
static bool roundsUp(Rounding rounding, bool negative, int half, bool inexact,
                     bool odd) {
  switch (rounding) {
  case Rounding::to_nearest_even:
    return half > 0 || (half == 0 && odd);
  case Rounding::to_nearest_away:
    return half >= 0;
  case Rounding::downward:
    return inexact && negative;
  case Rounding::upward:
    return inexact && !negative;
  case Rounding::toward_zero:
    return false;
  }
  return false;
}

/// The bits of `value` in `format`: one rounding, with subnormals.
static uint32_t encode(double value, const Format &format, Rounding rounding) {
  bool negative = std::signbit(value);
  uint32_t sign = negative ? 1u << (format.bits() - 1) : 0;
  if (std::isnan(value))
    return sign | format.nan;
  uint32_t overflow = format.saturates ? format.largest : format.infinity;
  if (std::isinf(value))
    return sign | overflow;
  double magnitude = std::fabs(value);
  if (magnitude == 0)
    return sign;
  int exponent = std::ilogb(magnitude);
  exponent = std::max(exponent, 1 - format.bias);
  // The value in units of its last place, at most 2^24: exact up to the cut.
  double scaled = std::ldexp(magnitude, format.mantissaBits - exponent);
  double whole = std::floor(scaled), rest = scaled - whole;
  uint32_t units = static_cast<uint32_t>(whole);
  int half = rest > 0.5 ? 1 : rest == 0.5 ? 0 : -1;
  units += roundsUp(rounding, negative, half, rest != 0, units & 1);
  // The hidden one adds itself to the exponent field, as does a carry.
  uint64_t bits = (static_cast<int64_t>(exponent + format.bias - 1)
                   << format.mantissaBits) +
                  units;
  if (bits > format.largest) {
    bool stays = rounding == Rounding::toward_zero ||
                 rounding == (negative ? Rounding::upward : Rounding::downward);
    return sign | (stays ? format.largest : overflow);
  }
  return sign | static_cast<uint32_t>(bits);
}

/// The value of `bits` in `format`; exact.
static float decode(uint32_t bits, const Format &format) {
  uint32_t sign = bits >> (format.bits() - 1) & 1;
  uint32_t rest = bits & ((1u << (format.bits() - 1)) - 1);
  uint32_t exponent = rest >> format.mantissaBits;
  uint32_t mantissa = rest & ((1u << format.mantissaBits) - 1);
  if (format.hasInfinity ? rest > format.infinity : rest == format.nan)
    return llvm::bit_cast<float>(sign << 31 | 0x7FC00000u |
                                 mantissa << (23 - format.mantissaBits));
  if (format.hasInfinity && rest == format.infinity)
    return llvm::bit_cast<float>(sign << 31 | 0x7F800000u);
  float magnitude =
      exponent == 0
          ? std::ldexp(static_cast<float>(mantissa),
                       1 - format.bias - format.mantissaBits)
          : llvm::bit_cast<float>((exponent + 127 - format.bias) << 23 |
                                  mantissa << (23 - format.mantissaBits));
  return sign ? -magnitude : magnitude;
}

/// All values of an 8-bit format.
static const float *tableOf(Kind kind) {
  struct Table {
    float values[256];
    explicit Table(Kind kind) {
      for (uint32_t i = 0; i < 256; ++i)
        values[i] = decode(i, formatOf(kind));
    }
  };
  static const Table e4m3(Kind::F8E4M3), e5m2(Kind::F8E5M2);
  return kind == Kind::F8E4M3 ? e4m3.values : e5m2.values;
}

/// f16 to f32 without branches, so that loops become vector code.
static float widenF16(uint16_t h) {
  uint32_t rest = static_cast<uint32_t>(h & 0x7FFF) << 13;
  uint32_t sign = static_cast<uint32_t>(h & 0x8000) << 16;
  // Normal numbers: shift the exponent. Infinity and NaN: shift it again.
  uint32_t normal = rest + ((127 - 15) << 23);
  normal += (rest & 0x0F800000) == 0x0F800000 ? (128u - 16) << 23 : 0;
  // Subnormal ones: the mantissa as an integer, times 2^-24.
  uint32_t small = llvm::bit_cast<uint32_t>(
      static_cast<float>(static_cast<int32_t>(h & 0x3FF)) * 0x1p-24f);
  return llvm::bit_cast<float>(sign | ((h & 0x7C00) == 0 ? small : normal));
}

/// f32 to f16, to nearest even, without branches.
static uint16_t narrowF16(float value) {
  uint32_t bits = llvm::bit_cast<uint32_t>(value);
  uint32_t sign = bits >> 16 & 0x8000, rest = bits & 0x7FFFFFFF;
  // Normal: round at bit 13; the carry moves into the exponent.
  uint32_t normal =
      (rest - ((127u - 15) << 23) + 0xFFF + (rest >> 13 & 1)) >> 13;
  // Subnormal: adding 1/2 puts the last place of f16 at the last place of f32.
  uint32_t small =
      llvm::bit_cast<uint32_t>(llvm::bit_cast<float>(rest) + 0.5f) -
      0x3F000000u;
  uint32_t result = rest < (113u << 23) ? small : normal;
  result = rest >= 0x477FF000u ? 0x7C00 : result;
  result = rest > 0x7F800000u ? 0x7E00 | (rest >> 13 & 0x3FF) : result;
  return static_cast<uint16_t>(sign | result);
}

/// f32 to bf16, to nearest even, without branches.
static uint16_t narrowBF16(float value) {
  uint32_t bits = llvm::bit_cast<uint32_t>(value);
  uint32_t rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
  uint32_t nan = bits >> 16 | 0x40;
  return static_cast<uint16_t>((bits & 0x7FFFFFFF) > 0x7F800000u ? nan
                                                                 : rounded);
}

void tilec::interpreter::widen(Kind from, const void *src, float *dst,
                               int64_t n) {
  if (sizeOf(from) == 1) {
    const float *table = tableOf(from);
    for (int64_t i = 0; i < n; ++i)
      dst[i] = table[static_cast<const uint8_t *>(src)[i]];
    return;
  }
  const auto *halves = static_cast<const uint16_t *>(src);
  if (from == Kind::BF16) {
    for (int64_t i = 0; i < n; ++i)
      dst[i] = llvm::bit_cast<float>(static_cast<uint32_t>(halves[i]) << 16);
    return;
  }
  for (int64_t i = 0; i < n; ++i)
    dst[i] = widenF16(halves[i]);
}

/// Rounds one by one: any format, any rounding.
template <typename T>
static void narrowEach(Kind to, Rounding rounding, const T *src, void *dst,
                       int64_t n) {
  const Format &format = formatOf(to);
  for (int64_t i = 0; i < n; ++i) {
    uint32_t bits = encode(src[i], format, rounding);
    if (sizeOf(to) == 1)
      static_cast<uint8_t *>(dst)[i] = bits;
    else
      static_cast<uint16_t *>(dst)[i] = bits;
  }
}

void tilec::interpreter::narrow(Kind to, Rounding rounding, const float *src,
                                void *dst, int64_t n) {
  if (rounding != Rounding::to_nearest_even || sizeOf(to) == 1)
    return narrowEach(to, rounding, src, dst, n);
  auto *halves = static_cast<uint16_t *>(dst);
  if (to == Kind::BF16)
    for (int64_t i = 0; i < n; ++i)
      halves[i] = narrowBF16(src[i]);
  else
    for (int64_t i = 0; i < n; ++i)
      halves[i] = narrowF16(src[i]);
}

void tilec::interpreter::narrow(Kind to, Rounding rounding, const double *src,
                                void *dst, int64_t n) {
  narrowEach(to, rounding, src, dst, n);
}

float tilec::interpreter::roundToFloat(double value, Rounding rounding) {
  if (rounding == Rounding::to_nearest_even)
    return static_cast<float>(value);
  return llvm::bit_cast<float>(encode(value, formatOf(Kind::F32), rounding));
}

/// To tf32 after `addend` is added to the bits of a finite value.
static float toTF32(float value, uint32_t addend) {
  if (!std::isfinite(value))
    return value;
  uint32_t bits = llvm::bit_cast<uint32_t>(value) + addend;
  return llvm::bit_cast<float>(bits & 0xFFFFE000u);
}

float tilec::interpreter::roundToTF32(float value) {
  return toTF32(value, 0x1000);
}

float tilec::interpreter::cutToTF32(float value) { return toTF32(value, 0); }

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

int64_t tilec::interpreter::countOf(ArrayRef<int64_t> shape) {
  uint64_t n = 1;
  for (int64_t size : shape)
    n = llvm::SaturatingMultiply<uint64_t>(n, size);
  return std::min<uint64_t>(n, INT64_MAX);
}

uint64_t tilec::interpreter::bytesOf(uint64_t count, uint64_t size) {
  return llvm::SaturatingMultiply(count, size);
}

bool View::isDense() const {
  int64_t expected = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] != 1 && strides[axis] != expected)
      return false;
    expected *= shape[axis];
  }
  return true;
}

bool View::isUniform() const {
  for (auto [size, stride] : llvm::zip(shape, strides))
    if (size != 1 && stride != 0)
      return false;
  return true;
}

llvm::SmallVector<int64_t, 4>
tilec::interpreter::denseStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t, 4> strides(shape.size(), 0);
  int64_t step = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = shape[axis] == 1 ? 0 : step;
    step *= shape[axis];
  }
  return strides;
}

//===----------------------------------------------------------------------===//
// Reader
//===----------------------------------------------------------------------===//

Reader::Reader(const View &view, ArrayRef<int64_t> shape, bool raw)
    : kind(view.kind), widens(!raw && computeKind(view.kind) != view.kind),
      offset(view.offset) {
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    int64_t size = shape[axis];
    int64_t stride = view.shape.empty() ? 0 : view.strides[axis];
    if (size == 1)
      continue;
    if (!sizes.empty() && strides.back() == stride * size) {
      sizes.back() *= size;
      strides.back() = stride;
      continue;
    }
    sizes.push_back(size);
    strides.push_back(stride);
  }
  total = countOf(shape);
  uniform = sizes.empty() || (sizes.size() == 1 && strides[0] == 0);
  dense = sizes.empty() || (sizes.size() == 1 && strides[0] == 1);
}

/// Copies `n` elements `stride` apart.
template <typename T>
static void copyRun(const T *src, int64_t stride, T *dst, int64_t n) {
  if (stride == 1) {
    std::memcpy(dst, src, n * sizeof(T));
  } else if (stride == 0) {
    for (int64_t i = 0; i < n; ++i)
      dst[i] = *src;
  } else {
    for (int64_t i = 0; i < n; ++i)
      dst[i] = src[i * stride];
  }
}

/// Walks the merged axes from element `start` on.
template <typename T>
static void gatherAs(const T *base, ArrayRef<int64_t> sizes,
                     ArrayRef<int64_t> strides, int64_t start, int64_t n,
                     T *dst) {
  if (n == 0)
    return;
  if (sizes.empty()) {
    copyRun(base, 0, dst, n);
    return;
  }
  int64_t inner = sizes.back(), step = strides.back();
  SmallVector<int64_t, 4> index(sizes.size());
  for (size_t axis = sizes.size(); axis-- > 0; start /= sizes[axis])
    index[axis] = start % sizes[axis];
  while (n > 0) {
    const T *row = base;
    for (size_t axis = 0; axis < sizes.size(); ++axis)
      row += index[axis] * strides[axis];
    int64_t run = std::min(n, inner - index.back());
    copyRun(row, step, dst, run);
    dst += run;
    n -= run;
    index.back() = 0;
    for (size_t axis = sizes.size() - 1; axis-- > 0;) {
      if (++index[axis] < sizes[axis])
        break;
      index[axis] = 0;
    }
  }
}

void Reader::gather(const char *frame, int64_t start, int64_t n,
                    char *dst) const {
  const char *base = frame + offset;
  switch (sizeOf(kind)) {
  case 1:
    return gatherAs(reinterpret_cast<const uint8_t *>(base), sizes, strides,
                    start, n, reinterpret_cast<uint8_t *>(dst));
  case 2:
    return gatherAs(reinterpret_cast<const uint16_t *>(base), sizes, strides,
                    start, n, reinterpret_cast<uint16_t *>(dst));
  case 4:
    return gatherAs(reinterpret_cast<const uint32_t *>(base), sizes, strides,
                    start, n, reinterpret_cast<uint32_t *>(dst));
  default:
    return gatherAs(reinterpret_cast<const uint64_t *>(base), sizes, strides,
                    start, n, reinterpret_cast<uint64_t *>(dst));
  }
}

const void *Reader::read(const char *frame, int64_t start, int64_t n,
                         void *scratch) const {
  if (dense && !widens)
    return frame + offset + start * sizeOf(kind);
  if (uniform && start != 0)
    return scratch; // filled by the first chunk, which is the longest
  if (dense) {
    widen(kind, frame + offset + start * sizeOf(kind),
          static_cast<float *>(scratch), n);
    return scratch;
  }
  if (!widens) {
    gather(frame, start, n, static_cast<char *>(scratch));
    return scratch;
  }
  char narrowed[kChunk * 2];
  gather(frame, start, n, narrowed);
  widen(kind, narrowed, static_cast<float *>(scratch), n);
  return scratch;
}

void Reader::readAll(const char *frame, char *dst) const {
  if (dense && !widens) {
    std::memcpy(dst, frame + offset, total * sizeOf(kind));
    return;
  }
  if (!widens) {
    gather(frame, 0, total, dst);
    return;
  }
  auto *out = reinterpret_cast<float *>(dst);
  char narrowed[kChunk * 2];
  for (int64_t start = 0; start < total; start += kChunk) {
    int64_t n = std::min(total - start, kChunk);
    gather(frame, start, n, narrowed);
    widen(kind, narrowed, out + start, n);
  }
}
