//===- Value.h - elements and tiles at run time -----------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Elements are kept in their true bits. A tile is a view of the frame: an
// offset and a stride for each axis, 0 where the axis only repeats, so that
// splats and broadcasts cost nothing and work on them is done once.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_INTERPRETER_VALUE_H
#define TILEC_LIB_INTERPRETER_VALUE_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace tilec::interpreter {

/// What an element is. Pointers and `index` are I64; a Boolean takes a byte, 0
/// or 1.
enum class Kind : uint8_t {
  I1,
  I8,
  I16,
  I32,
  I64,
  F8E4M3,
  F8E5M2,
  F16,
  BF16,
  F32,
  F64
};

/// How a conversion to a narrower float rounds.
using Rounding = mlir::arith::RoundingMode;

/// Elements that an inner loop handles at a time; scratch buffers have this
/// size.
inline constexpr int64_t kChunk = 512;

/// Bytes of an element.
unsigned sizeOf(Kind kind);

/// Is it a float?
inline bool isFloat(Kind kind) { return kind >= Kind::F8E4M3; }

/// Floats of 8 and 16 bits are computed in f32; everything else as it is.
inline Kind computeKind(Kind kind) {
  return kind >= Kind::F8E4M3 && kind <= Kind::BF16 ? Kind::F32 : kind;
}

/// The kind of the elements of a type, if the interpreter has one.
std::optional<Kind> kindOf(mlir::Type type);

/// Converts `n` floats of an 8- or 16-bit kind to f32; exact.
void widen(Kind from, const void *src, float *dst, int64_t n);

/// Rounds `n` f32 (or f64) to an 8- or 16-bit kind. 8-bit kinds saturate.
void narrow(Kind to, Rounding rounding, const float *src, void *dst, int64_t n);
void narrow(Kind to, Rounding rounding, const double *src, void *dst,
            int64_t n);

/// Rounds to f32 in the given direction.
float roundToFloat(double value, Rounding rounding);

/// To tf32, whose fraction has 13 bits less: rounded to nearest with ties away
/// from zero, or cut as a tensor core does with an f32. NaN stays NaN.
float roundToTF32(float value);
float cutToTF32(float value);

/// Elements of a shape, and bytes of elements. Both saturate, so that shapes
/// that no memory holds are found to be too large.
int64_t countOf(llvm::ArrayRef<int64_t> shape);
uint64_t bytesOf(uint64_t count, uint64_t size);

/// Where a tile's elements lie in the frame.
struct View {
  Kind kind = Kind::I1;
  uint64_t offset = 0; // bytes
  llvm::SmallVector<int64_t, 4> shape;
  llvm::SmallVector<int64_t, 4> strides; // elements; 0 repeats

  /// Elements of the shape; saturates.
  int64_t count() const { return countOf(shape); }
  /// Are the elements stored in row-major order, each of its own?
  bool isDense() const;
  /// Is one element stored for all?
  bool isUniform() const;
  /// Bytes that a dense tile of this shape takes.
  uint64_t denseBytes() const { return bytesOf(count(), sizeOf(kind)); }
};

/// Row-major strides of a shape; 0 on axes of size 1.
llvm::SmallVector<int64_t, 4> denseStrides(llvm::ArrayRef<int64_t> shape);

/// Hands out a view's elements in row-major order, a chunk at a time, converted
/// to the kind that is computed with.
class Reader {
public:
  Reader() = default;
  /// Reads `view` over `shape`; a scalar is repeated. With `raw`, narrow floats
  /// stay as they are.
  Reader(const View &view, llvm::ArrayRef<int64_t> shape, bool raw);

  /// Elements [start, start + n), n <= kChunk, in place when they are stored as
  /// asked, or else in `scratch`, which must keep what the chunk before put
  /// there.
  const void *read(const char *frame, int64_t start, int64_t n,
                   void *scratch) const;

  /// Copies all elements to `dst`, converted as by `read`.
  void readAll(const char *frame, char *dst) const;

  /// Are the elements in place in the frame, and where?
  bool isInPlace() const { return dense && !widens; }
  uint64_t getOffset() const { return offset; }
  int64_t count() const { return total; }
  /// The kind of what `read` gives.
  Kind getKind() const { return widens ? Kind::F32 : kind; }

private:
  /// Copies [start, start + n) in the stored kind to `dst`.
  void gather(const char *frame, int64_t start, int64_t n, char *dst) const;

  Kind kind = Kind::I1;
  bool dense = true, uniform = false, widens = false;
  uint64_t offset = 0;
  int64_t total = 1;
  // Axes after merging those that walk memory together, outermost first.
  llvm::SmallVector<int64_t, 4> sizes, strides;
};

} // namespace tilec::interpreter

#endif // TILEC_LIB_INTERPRETER_VALUE_H
