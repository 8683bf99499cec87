//===- AST.h - the syntax tree ----------------------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Statements, functions and modules as they are written. Nodes
// live in the arena of a Context and are never changed after parsing; a helper
// is evaluated from its tree anew at every call.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_FRONTEND_AST_H
#define TILEC_LIB_FRONTEND_AST_H

#include "Expr.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/StringSaver.h"
#include <memory>
#include <string>
#include <vector>

namespace tilec::frontend {

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
  /// Is it under `@constexpr_function`, and computes while compiling?
  bool isConstexpr = false;
  /// Arguments of `@kernel(...)` and `@jit(...)`.
  ArrayRef<CallArg> options;
};

/// What a name of a module's top level means.
struct Global {
  enum Kind { Function, Deferred, Constant, ImportModule, ImportName, Opaque };
  Kind kind = Opaque;
  uint32_t offset = 0;
  FunctionDef *function = nullptr;
  /// Is it a jitted function inside another function or a class?
  /// Imports that it sees there are nested too.
  bool isNested = false;
  /// Are there several nested ones of this name?
  bool isAmbiguous = false;
  /// Is it under `@constexpr_function`?
  bool isConstexpr = false;
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
  /// Names that more than one statement may have set, so that conditions
  /// outside of functions cannot tell which value they have.
  llvm::StringSet<> uncertain;
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

/// What to say of Python that the language lacks, and what to write instead.
std::string describeUnsupported(StringRef what);

/// Collects the names that `:=` sets in an expression, where it commonly
/// stands.
void collectWalrus(const Expr *e, std::vector<StringRef> &names);

} // namespace tilec::frontend

#endif // TILEC_LIB_FRONTEND_AST_H
