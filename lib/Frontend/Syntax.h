//===- Syntax.h - tokens to trees -------------------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A recursive descent parser for Python's grammar as far as kernels use it. The
// rest of a `.py` file is passed over, token by token.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_FRONTEND_SYNTAX_H
#define TILEC_LIB_FRONTEND_SYNTAX_H

#include "AST.h"
#include "Lexer.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"

namespace tilec::frontend {

/// Parses one file.
class SyntaxParser {
public:
  using ErrorFn =
      llvm::function_ref<void(uint32_t offset, const llvm::Twine &message)>;

  /// Whether a condition outside of functions holds, where that is known.
  using DecideFn = llvm::function_ref<std::optional<bool>(const Expr *)>;

  SyntaxParser(ASTContext &context, Module &module, ErrorFn onError,
               DecideFn decide = nullptr)
      : context(context), module(module), onError(onError), decide(decide) {}

  /// Fills the module; false after an error.
  bool parseModule();

  /// Parses a function that a `.py` file holds outside the kernels.
  FunctionDef *parseDeferred(uint32_t offset);

  /// Parses a text that is one expression and nothing else (`-D` values).
  Expr *parseWhole();

private:
  struct Enclosing {
    bool isLoop;
    bool flag = false;
  };
  struct State {
    Lexer lexer;
    Token token;
    bool failed;
  };

  // Tokens.
  void advance() { token = lexer.next(); }
  bool acceptOp(StringRef op);
  bool acceptName(StringRef name);
  bool expectOp(StringRef op, const char *where);
  std::nullptr_t error(uint32_t offset, const llvm::Twine &message);
  std::nullptr_t unexpected(const char *wanted);
  bool recover();
  State save() const { return {lexer, token, failed}; }
  void restore(const State &state);
  template <typename Fn>
  bool tentatively(Fn parse);

  // Top level.
  void parseTopLevel(bool inBlock, unsigned nesting);
  bool parseBranch(unsigned nesting, bool &mayBeLeftOut);
  void parseDecorated(unsigned nesting);
  void parseImport(unsigned nesting);
  bool parseImportFrom(unsigned nesting);
  bool parseConstant(unsigned nesting);
  void skipLine();
  void skipBlock();
  void skipStatement();
  void skipBody();
  void noteAssigned();
  void define(StringRef name, Global global, unsigned nesting);
  std::string parseDottedName();

  // Functions and statements.
  FunctionDef *parseFunction();
  bool parseParams(std::vector<Param> &params);
  bool parseBlock(Block &block);
  bool parseStatement(std::vector<Stmt *> &out);
  Stmt *parseSimple();
  Stmt *parseExprStatement();
  Expr *parseCondition();
  Stmt *parseIf();
  /// Reads the body of a loop, and an `else` after it, which later is an error.
  template <typename Loop>
  bool parseLoopBody(Loop *stmt);
  Stmt *parseFor();
  Stmt *parseWhile();
  Stmt *parseWith();
  Stmt *parseUnsupported(StringRef what);
  bool isMatch();
  void markExit(bool throughLoops, bool isBreak);

  // Expressions.
  Expr *parseTupleOrExpr(bool *isBare = nullptr);
  Expr *parseExpr();
  Expr *parseTernary();
  Expr *parseOr();
  Expr *parseAnd();
  Expr *parseNot();
  Expr *parseComparison();
  Expr *parseBinary(unsigned level);
  Expr *parseUnary();
  Expr *parsePower();
  Expr *parsePostfix();
  Expr *parseAtom();
  Expr *parseNumber();
  Expr *parseStrings();
  /// `value` with what follows it in its field, which starts at `offset`.
  Expr *parseFormat(Expr *value, StringRef text, uint32_t offset);
  bool parseFStringParts(const Token &token, std::vector<Expr *> &parts);
  Expr *parseBracketed();
  Expr *parseDict(uint32_t at);
  Expr *parseCall(Expr *callee);
  Expr *parseSubscript(Expr *object);
  Expr *parseIndex();
  Expr *parseLambda();
  Expr *makeUnsupported(uint32_t at, StringRef what);
  Expr *parseComprehension(uint32_t at, Expr *element);
  Expr *skipToClose(uint32_t at, StringRef what, StringRef close);
  Expr *makeBinary(BinaryOp op, Expr *lhs, Expr *rhs);
  template <typename T>
  T *deepen(T *node, std::initializer_list<Expr *> children);

  ASTContext &context;
  Module &module;
  ErrorFn onError;
  DecideFn decide;
  Lexer lexer;
  Token token;
  bool failed = false;
  /// Errors after which parsing went on.
  unsigned errors = 0;
  bool quiet = false;
  bool inAnnotation = false;
  /// Is this inside a function or class of the host?
  bool inBody = false;
  unsigned recursion = 0;
  std::vector<Enclosing> enclosing;
};

} // namespace tilec::frontend

#endif // TILEC_LIB_FRONTEND_SYNTAX_H
