//===- Expr.h - the syntax tree of expressions ------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Expressions as they are written. Nodes live in the arena of an ASTContext and
// are never changed after parsing.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_FRONTEND_EXPR_H
#define TILEC_LIB_FRONTEND_EXPR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Casting.h"
#include <cstdint>

namespace tilec::frontend {

using llvm::ArrayRef;
using llvm::StringRef;

/// Compile-time integers: wide enough for every 64-bit type and what passes
/// between; operations that leave +-2^120 are errors.
using BigInt = __int128;

enum class BinaryOp : uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  FloorDiv,
  Mod,
  Pow,
  LShift,
  RShift,
  And,
  Or,
  Xor,
  MatMul
};

enum class UnaryOp : uint8_t { Neg, Plus, Invert, Not };

enum class CompareOp : uint8_t { Eq, Ne, Lt, Le, Gt, Ge, Is, IsNot, In, NotIn };

/// The operator as it is written.
StringRef spelling(BinaryOp op);
StringRef spelling(CompareOp op);

/// An expression. `offset` is where it begins in its buffer.
struct Expr {
  enum Kind : uint8_t {
    Name,
    Int,
    Float,
    Bool,
    None,
    String,
    FString,
    Formatted,
    Tuple,
    Dict,
    Binary,
    Unary,
    BoolAnd,
    BoolOr,
    Compare,
    Call,
    Attribute,
    Subscript,
    Slice,
    IfExp,
    Starred,
    Walrus,
    Comprehension,
    Unsupported
  };
  Kind kind;
  uint16_t depth = 1;
  uint32_t offset;

protected:
  Expr(Kind kind, uint32_t offset) : kind(kind), offset(offset) {}
};

/// Gives a node class its constructor tag and classof.
#define TILEC_EXPR(CLASS, KIND)                                                \
  explicit CLASS(uint32_t offset) : Expr(KIND, offset) {}                      \
  static bool classof(const Expr *e) { return e->kind == KIND; }

struct NameExpr : Expr {
  TILEC_EXPR(NameExpr, Name)
  StringRef name;
};
struct IntExpr : Expr {
  TILEC_EXPR(IntExpr, Int)
  BigInt value = 0;
};
struct FloatExpr : Expr {
  TILEC_EXPR(FloatExpr, Float)
  double value = 0;
};
struct BoolExpr : Expr {
  TILEC_EXPR(BoolExpr, Bool)
  bool value = false;
};
struct NoneExpr : Expr {
  TILEC_EXPR(NoneExpr, None)
};
struct StringExpr : Expr {
  TILEC_EXPR(StringExpr, String)
  StringRef value;
};
/// `{value!r:format}` in an f-string.
struct FormattedExpr : Expr {
  TILEC_EXPR(FormattedExpr, Formatted)
  Expr *value;
  StringRef format;
  /// Does a text keep its quotes?
  bool isQuoted = false;
};
/// An f-string: literal texts (StringExpr) and expressions, some of them
/// FormattedExpr, in order.
struct FStringExpr : Expr {
  TILEC_EXPR(FStringExpr, FString)
  ArrayRef<Expr *> parts;
};
/// A tuple or a list: the language makes no difference.
struct TupleExpr : Expr {
  TILEC_EXPR(TupleExpr, Tuple)
  ArrayRef<Expr *> elements;
};
struct DictExpr : Expr {
  TILEC_EXPR(DictExpr, Dict)
  /// As many of both; the key of `**other` is null.
  ArrayRef<Expr *> keys, values;
};
struct BinaryExpr : Expr {
  TILEC_EXPR(BinaryExpr, Binary)
  BinaryOp op;
  Expr *lhs, *rhs;
  bool isInParentheses = false;
};
struct UnaryExpr : Expr {
  TILEC_EXPR(UnaryExpr, Unary)
  UnaryOp op;
  Expr *operand;
};
/// `and` and `or` of two operands; chains nest to the left.
struct BoolOpExpr : Expr {
  BoolOpExpr(uint32_t offset, bool isAnd)
      : Expr(isAnd ? BoolAnd : BoolOr, offset) {}
  static bool classof(const Expr *e) {
    return e->kind == BoolAnd || e->kind == BoolOr;
  }
  Expr *lhs, *rhs;
};
struct CompareExpr : Expr {
  TILEC_EXPR(CompareExpr, Compare)
  CompareOp op;
  Expr *lhs, *rhs;
  /// Is this `a < b < c`?
  bool chained = false;
  /// Where the second operator of a chain stands.
  uint32_t chainOffset = 0;
};
/// One argument of a call; `name` is empty for positional ones.
struct CallArg {
  StringRef name;
  Expr *value;
  uint32_t offset;
  bool doubleStar = false;
};
struct CallExpr : Expr {
  TILEC_EXPR(CallExpr, Call)
  Expr *callee;
  ArrayRef<CallArg> args;
};
struct AttributeExpr : Expr {
  TILEC_EXPR(AttributeExpr, Attribute)
  Expr *object;
  StringRef name;
  uint32_t nameOffset;
};
struct SubscriptExpr : Expr {
  TILEC_EXPR(SubscriptExpr, Subscript)
  Expr *object;
  /// The indices between the brackets, without a tuple around them.
  ArrayRef<Expr *> indices;
  /// Was there a comma?
  bool isTuple = false;
};
/// `a:b:c`; parts may be null.
struct SliceExpr : Expr {
  TILEC_EXPR(SliceExpr, Slice)
  Expr *lower = nullptr, *upper = nullptr, *step = nullptr;
};
struct IfExpExpr : Expr {
  TILEC_EXPR(IfExpExpr, IfExp)
  Expr *cond, *thenValue, *elseValue;
};
struct StarredExpr : Expr {
  TILEC_EXPR(StarredExpr, Starred)
  Expr *value;
};
struct WalrusExpr : Expr {
  TILEC_EXPR(WalrusExpr, Walrus)
  StringRef name;
  Expr *value;
};
/// `[element for target in iterable]`.
struct ComprehensionExpr : Expr {
  TILEC_EXPR(ComprehensionExpr, Comprehension)
  Expr *element, *target, *iterable;
};
/// Python that parses but that the language lacks (`lambda`, `await`).
struct UnsupportedExpr : Expr {
  TILEC_EXPR(UnsupportedExpr, Unsupported)
  StringRef what;
};
#undef TILEC_EXPR

} // namespace tilec::frontend

#endif // TILEC_LIB_FRONTEND_EXPR_H
