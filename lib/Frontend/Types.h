//===- Types.h - types of the language --------------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The language's element types. They have a sign, which the IR's integers lack,
// so every value carries one beside its MLIR type. Promotion is here too.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_FRONTEND_TYPES_H
#define TILEC_LIB_FRONTEND_TYPES_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace tilec::frontend {

/// A type of numbers.
enum class DType : uint8_t {
#define TILEC_DTYPE(ID, ...) ID,
#include "Types.def"
};

/// Tiles may have this many elements.
constexpr int64_t kMaxElements = 1 << 20;

/// The type of one element: a number, or a pointer to one.
struct ElemType {
  DType dtype = DType::I32;
  /// 1 for a pointer, 2 for a pointer to pointers.
  uint8_t pointers = 0;
  /// A pointer that is only read.
  bool isConst = false;

  ElemType() = default;
  ElemType(DType dtype) : dtype(dtype) {}

  bool operator==(const ElemType &other) const {
    return dtype == other.dtype && pointers == other.pointers;
  }
  bool operator!=(const ElemType &other) const { return !(*this == other); }

  bool isPointer() const { return pointers; }
  bool isFloat() const { return !pointers && kind() == 2; }
  /// Integers and Booleans.
  bool isInt() const { return !pointers && kind() < 2; }
  bool isBool() const { return !pointers && dtype == DType::I1; }
  bool isSigned() const;
  unsigned bits() const;
  /// Does it have conversions only?
  bool isStorageOnly() const { return !pointers && kind() == 3; }
  /// As in Types.def.
  unsigned kind() const;
  bool isFP8() const { return isFloat() && bits() == 8; }

  ElemType pointee() const;
  ElemType pointerTo(bool toConst = false) const;

  /// As messages have it: `int32`, `*fp32`.
  std::string name() const;
  /// In Triton's signatures: `i32`, `*kfp32`.
  std::string signature() const;
  /// In the IR. A pointer to Booleans points to bytes.
  mlir::Type mlirType(mlir::MLIRContext *context) const;
};

/// Reads a type in any of its spellings: `fp32`, `f32`, `float32`, `*bf16`,
/// `*ki8`, `pointer<f32>`.
std::optional<ElemType> parseElemType(llvm::StringRef text);

/// The number type that the language module calls `name` (`float32`, `f32`).
std::optional<DType> dtypeNamed(llvm::StringRef name);

/// All names of the number types, in any of their spellings.
std::vector<llvm::StringRef> dtypeNames();

/// The name of a type, as in messages.
llvm::StringRef dtypeName(DType dtype);

/// What to write instead of a type that other makers' GPUs have; empty if the
/// name is no such type.
std::string otherMakersType(llvm::StringRef name);

/// The type of an operation on two numbers. A side is "scalar" when it is a
/// literal or compile-time number. Null, with the reason, where there is none.
std::optional<ElemType> promote(ElemType a, bool aIsScalar, ElemType b,
                                bool bIsScalar, bool isDivision,
                                std::string &error);

/// The type for two integers.
DType promoteIntegers(DType a, DType b);

/// A type with a shape, as messages have it: `fp32[16, 32]`.
std::string describeType(ElemType type, llvm::ArrayRef<int64_t> shape);

/// A shape as messages have it: `[16, 32]`.
std::string describeShape(llvm::ArrayRef<int64_t> shape);

} // namespace tilec::frontend

#endif // TILEC_LIB_FRONTEND_TYPES_H
