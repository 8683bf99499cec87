//===- AST.h - the syntax tree ----------------------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Expressions, statements, functions and modules as they are written. Nodes
// live in the arena of a Context and are never changed after parsing; a helper
// is evaluated from its tree anew at every call.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_FRONTEND_AST_H
#define TILEC_LIB_FRONTEND_AST_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/StringSaver.h"
#include <memory>
#include <string>
#include <vector>

namespace tilec::frontend {

using llvm::ArrayRef;
using llvm::StringRef;

/// Compile-time integers: wide enough for every 64-bit type and what passes
/// between; operations that leave +-2^120 are errors.
using BigInt = __int128;

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

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
/// An f-string: literal texts (StringExpr) and expressions in order.
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
};
struct BinaryExpr : Expr {
  TILEC_EXPR(BinaryExpr, Binary)
  BinaryOp op;
  Expr *lhs, *rhs;
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

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

struct FunctionDef;

/// A statement. `offset` is where it begins in its buffer.
struct Stmt {
  enum Kind : uint8_t {
    ExprStmt,
    Assign,
    AnnAssign,
    AugAssign,
    If,
    For,
    While,
    Return,
    Pass,
    Break,
    Continue,
    Assert,
    With,
    Unsupported
  };
  Kind kind;
  uint32_t offset;

protected:
  Stmt(Kind kind, uint32_t offset) : kind(kind), offset(offset) {}
};

using Block = ArrayRef<Stmt *>;

#define TILEC_STMT(CLASS, KIND)                                                \
  explicit CLASS(uint32_t offset) : Stmt(KIND, offset) {}                      \
  static bool classof(const Stmt *s) { return s->kind == KIND; }

struct ExprStatement : Stmt {
  TILEC_STMT(ExprStatement, ExprStmt)
  Expr *value;
};
/// `a = b = value`; a target may be a tuple.
struct AssignStmt : Stmt {
  TILEC_STMT(AssignStmt, Assign)
  ArrayRef<Expr *> targets;
  Expr *value;
};
struct AnnAssignStmt : Stmt {
  TILEC_STMT(AnnAssignStmt, AnnAssign)
  Expr *target, *annotation;
  Expr *value = nullptr;
};
struct AugAssignStmt : Stmt {
  TILEC_STMT(AugAssignStmt, AugAssign)
  Expr *target;
  BinaryOp op;
  Expr *value;
};
struct IfStmt : Stmt {
  TILEC_STMT(IfStmt, If)
  Expr *cond;
  Block thenBlock, elseBlock;
  /// Does a `return`, `break` or `continue` of an enclosing construct stand in
  /// it?
  bool exits = false;
};
struct ForStmt : Stmt {
  TILEC_STMT(ForStmt, For)
  Expr *target, *iterable;
  Block body;
  /// Where an `else` stands; 0 for none.
  uint32_t elseOffset = 0;
  bool hasBreak = false;
};
struct WhileStmt : Stmt {
  TILEC_STMT(WhileStmt, While)
  Expr *cond;
  Block body;
  uint32_t elseOffset = 0;
  bool hasBreak = false;
};
struct ReturnStmt : Stmt {
  TILEC_STMT(ReturnStmt, Return)
  Expr *value = nullptr;
};
struct PassStmt : Stmt {
  TILEC_STMT(PassStmt, Pass)
};
struct BreakStmt : Stmt {
  TILEC_STMT(BreakStmt, Break)
};
struct ContinueStmt : Stmt {
  TILEC_STMT(ContinueStmt, Continue)
};
struct AssertStmt : Stmt {
  TILEC_STMT(AssertStmt, Assert)
  Expr *cond;
  Expr *message = nullptr;
};
/// `with x:` runs its body; what it names is ignored.
struct WithStmt : Stmt {
  TILEC_STMT(WithStmt, With)
  Block body;
};
/// A statement that the language lacks; an error only where it is reached.
struct UnsupportedStmt : Stmt {
  TILEC_STMT(UnsupportedStmt, Unsupported)
  StringRef what;
};
#undef TILEC_STMT

//===----------------------------------------------------------------------===//
// Functions and modules
//===----------------------------------------------------------------------===//

struct Module;

/// One parameter of a function.
struct Param {
  StringRef name;
  Expr *annotation = nullptr;
  Expr *defaultValue = nullptr;
  uint32_t offset = 0;
  bool isStar = false;
  bool isKeywordOnly = false;
};

/// A function of the source.
struct FunctionDef {
  StringRef name;
  uint32_t offset = 0;
  Module *module = nullptr;
  ArrayRef<Param> params;
  Block body;
  /// Is it under `@kernel`, or under `@jit` in a `.py` file?
  bool isKernel = false;
  /// Arguments of `@kernel(...)` and `@jit(...)`.
  ArrayRef<CallArg> options;
};

/// What a name of a module's top level means.
struct Global {
  enum Kind { Function, Deferred, Constant, ImportModule, ImportName, Opaque };
  Kind kind = Opaque;
  uint32_t offset = 0;
  FunctionDef *function = nullptr;
  /// A constant's value.
  Expr *value = nullptr;
  /// The module that is imported (`.helpers` keeps its dots).
  StringRef path;
  /// The name inside it, for `from path import name`.
  StringRef name;
};

/// A parsed file.
struct Module {
  /// Names the file in messages.
  std::string file;
  StringRef text;
  /// Is it a `.tile` file (language names are in scope, everything is parsed)?
  bool isTile = false;
  llvm::StringMap<Global> globals;
  /// Functions in source order.
  std::vector<FunctionDef *> functions;
  /// Modules of `from m import *`.
  std::vector<StringRef> starImports;
  /// Offsets of the lines, for locations.
  std::vector<uint32_t> lineStarts;
};

/// Owns the nodes.
struct ASTContext {
  llvm::BumpPtrAllocator arena;
  llvm::StringSaver strings{arena};

  template <typename T, typename... Args>
  T *make(Args &&...args) {
    return new (arena.Allocate<T>()) T(std::forward<Args>(args)...);
  }
  template <typename T>
  ArrayRef<T> copy(ArrayRef<T> elements) {
    return elements.copy(arena);
  }
};

/// Line and column, both from 1, of an offset.
std::pair<unsigned, unsigned> lineAndColumn(const Module &module,
                                            uint32_t offset);

/// Collects the names that the statements of a block assign, loops and branches
/// included.
void collectAssigned(Block block, std::vector<StringRef> &names);

/// Collects the names that `:=` sets in an expression, where it commonly
/// stands.
void collectWalrus(const Expr *e, std::vector<StringRef> &names);

} // namespace tilec::frontend

#endif // TILEC_LIB_FRONTEND_AST_H
