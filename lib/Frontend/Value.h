//===- Value.h - what an expression gives -----------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A name or expression of a kernel is either known while compiling (numbers,
// types, functions, modules, tuples of such) or a value of the IR with its
// element type. A number that was assigned to a name is both: it has the type
// that its literal gets, and still may stand where a constant is needed.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_FRONTEND_VALUE_H
#define TILEC_LIB_FRONTEND_VALUE_H

#include "AST.h"
#include "Types.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Value.h"
#include <memory>
#include <vector>

namespace tilec::frontend {

struct BuiltinRow;
struct Val;

/// Why a name has no value where it is used.
struct Poison {
  std::string message;
  std::vector<std::pair<mlir::Location, std::string>> notes;
};

/// A value while compiling.
struct Val {
  enum Kind : uint8_t {
    Poisoned, // a name that has no single value here
    None,
    Bool,
    Int,
    Float,
    String,
    Type,
    Tuple,
    Dict,     // elements: each key and its value
    Function, // of the source
    Builtin,  // of the language
    Method,   // a builtin bound to its first argument
    TypeTest, // `dtype.is_fp32`, to be called
    Module,   // of the language (by path)
    UserModule,
    Slice, // `:`
    Range,
    BlockPointer, // elements: base, then sizes, strides and offsets of the axes
    Runtime
  };
  Kind kind = None;
  /// Of `Range`: unrolled while compiling? Of `Runtime`: which constant is
  /// known?
  bool isStatic = false;
  Kind known = None;
  ElemType type;
  BigInt integer = 0;
  double number = 0;
  StringRef text;
  mlir::Value value;
  const FunctionDef *function = nullptr;
  const BuiltinRow *builtin = nullptr;
  struct Module *userModule = nullptr;
  std::shared_ptr<std::vector<Val>> elements;
  /// Of `BlockPointer`: the shape of what it loads. `isStatic` marks a
  /// descriptor, which is always checked and gets its offsets at each access;
  /// `number` is what lies outside.
  std::vector<int64_t> blockShape;
  std::shared_ptr<Poison> poison;

  static Val none() { return {}; }
  static Val boolean(bool b) {
    Val v;
    v.kind = Bool;
    v.integer = b;
    return v;
  }
  static Val intValue(BigInt i) {
    Val v;
    v.kind = Int;
    v.integer = i;
    return v;
  }
  static Val floatValue(double f) {
    Val v;
    v.kind = Float;
    v.number = f;
    return v;
  }
  static Val string(StringRef s) {
    Val v;
    v.kind = String;
    v.text = s;
    return v;
  }
  static Val elemType(ElemType type) {
    Val v;
    v.kind = Type;
    v.type = type;
    return v;
  }
  static Val tuple(std::vector<Val> elements) {
    Val v;
    v.kind = Tuple;
    v.elements = std::make_shared<std::vector<Val>>(std::move(elements));
    return v;
  }
  static Val dict(std::vector<Val> entries) {
    Val v = tuple(std::move(entries));
    v.kind = Dict;
    return v;
  }
  static Val module(StringRef path) {
    Val v;
    v.kind = Module;
    v.text = path;
    return v;
  }
  static Val runtime(mlir::Value value, ElemType type) {
    Val v;
    v.kind = Runtime;
    v.value = value;
    v.type = type;
    return v;
  }

  bool isRuntime() const { return kind == Runtime; }
  /// A Python number: Boolean, integer or float that is not an IR value.
  bool isNumber() const { return kind == Bool || kind == Int || kind == Float; }
  /// The shape of an IR value; empty for scalars.
  ArrayRef<int64_t> shape() const;
  bool isScalar() const { return shape().empty(); }
  /// This value as something known while compiling: itself, or the constant
  /// that a runtime value is known to be; `Poisoned` where there is none.
  Val constant() const;
  /// The integer that is known, if any.
  std::optional<BigInt> asInt() const;
  /// In messages: `int32[16]`, `the text "abc"`, `None`.
  std::string describe() const;
};

/// Do two values mean the same (the same IR value or equal constants)?
bool same(const Val &a, const Val &b);

/// Decimal text.
std::string toText(BigInt value);

/// The type that a number gets as a value of its own; null if nothing holds it.
std::optional<ElemType> literalType(const Val &number);

/// Python's arithmetic on two numbers; null with the reason on an error.
std::optional<Val> foldBinary(BinaryOp op, const Val &a, const Val &b,
                              std::string &error);

/// Python's comparison of two constants of any kind; null where it has none.
std::optional<bool> foldCompare(CompareOp op, const Val &a, const Val &b);

/// Is a constant true in a condition? Null if it is not a constant.
std::optional<bool> foldTruth(const Val &value);

} // namespace tilec::frontend

#endif // TILEC_LIB_FRONTEND_VALUE_H
