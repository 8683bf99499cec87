//===- Syntax.cpp - functions and statements ------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The middle of the parser: functions and the statements in them.
//
//===----------------------------------------------------------------------===//

#include "Syntax.h"
#include "llvm/ADT/ScopeExit.h"

using namespace tilec::frontend;
using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

bool SyntaxParser::acceptOp(StringRef op) {
  if (!token.isOp(op))
    return false;
  advance();
  return true;
}

bool SyntaxParser::acceptName(StringRef name) {
  if (!token.isName(name))
    return false;
  advance();
  return true;
}

bool SyntaxParser::expectOp(StringRef op, const char *where) {
  if (acceptOp(op))
    return true;
  if (token.kind == Tok::Error)
    error(token.offset, lexer.errorText());
  else
    error(token.offset, "expected '" + op + "' " + where);
  return false;
}

std::nullptr_t SyntaxParser::error(uint32_t offset, const Twine &message) {
  if (!failed && !quiet)
    onError(offset, message);
  failed = true;
  return nullptr;
}

std::nullptr_t SyntaxParser::unexpected(const char *wanted) {
  if (token.kind == Tok::Error)
    return error(token.offset, lexer.errorText());
  if (token.kind == Tok::Eof)
    return error(token.offset,
                 Twine("expected ") + wanted + ", but the file ends here");
  if (token.kind == Tok::Newline)
    return error(token.offset,
                 Twine("expected ") + wanted + ", but the line ends here");
  if (token.kind == Tok::Indent)
    return error(token.offset, "this line is indented for no reason");
  return error(token.offset,
               Twine("expected ") + wanted + ", got '" + token.text + "'");
}

/// After an error in a statement: passes over it, so that the errors of the
/// others are found. False where that cannot be done.
bool SyntaxParser::recover() {
  static constexpr unsigned kMaxErrors = 20;
  if (quiet || token.kind == Tok::Error || token.kind == Tok::Eof ||
      ++errors > kMaxErrors)
    return false;
  failed = false;
  inAnnotation = false;
  if (token.kind == Tok::Indent)
    skipBlock();
  else if (token.kind != Tok::Dedent)
    skipStatement();
  return true;
}

void SyntaxParser::restore(const State &state) {
  lexer = state.lexer;
  token = state.token;
  failed = state.failed;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

FunctionDef *SyntaxParser::parseFunction() {
  uint32_t at = token.offset;
  if (!acceptName("def"))
    return unexpected("'def'");
  if (token.kind != Tok::Name)
    return unexpected("the name of a function");
  auto *function = context.make<FunctionDef>();
  function->name = token.text;
  function->offset = at;
  function->module = &module;
  advance();
  if (!expectOp("(", "after the name of the function"))
    return nullptr;
  std::vector<Param> params;
  if (!parseParams(params))
    return nullptr;
  if (acceptOp("->") && !parseExpr())
    return nullptr;
  function->params = context.copy(ArrayRef(params));
  std::vector<Enclosing> outer;
  std::swap(outer, enclosing);
  bool ok = parseBlock(function->body);
  std::swap(outer, enclosing);
  return ok ? function : nullptr;
}

bool SyntaxParser::parseParams(std::vector<Param> &params) {
  bool keywordOnly = false;
  while (!token.isOp(")")) {
    Param param;
    param.offset = token.offset;
    if (acceptOp("/")) {
      if (!token.isOp(")") && !expectOp(",", "between parameters"))
        return false;
      continue;
    }
    if (token.isOp("**"))
      return error(token.offset, describeUnsupported("a '**' parameter")) !=
             nullptr;
    if (acceptOp("*")) {
      keywordOnly = true;
      if (acceptOp(","))
        continue;
      param.isStar = true;
    }
    if (token.kind != Tok::Name)
      return unexpected("the name of a parameter") != nullptr;
    param.name = token.text;
    for (const Param &other : params)
      if (other.name == param.name) {
        error(token.offset, "parameter '" + param.name + "' is named twice");
        return false;
      }
    param.isKeywordOnly = keywordOnly && !param.isStar;
    advance();
    if (acceptOp(":")) {
      inAnnotation = true;
      param.annotation = parseExpr();
      inAnnotation = false;
      if (!param.annotation)
        return false;
    }
    if (acceptOp("=")) {
      param.defaultValue = parseExpr();
      if (!param.defaultValue)
        return false;
    }
    params.push_back(param);
    if (!token.isOp(")") && !expectOp(",", "between parameters"))
      return false;
  }
  advance();
  return true;
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

bool SyntaxParser::parseBlock(Block &block) {
  if (!expectOp(":", "before the block"))
    return false;
  std::vector<Stmt *> stmts;
  if (token.kind != Tok::Newline) {
    if (!parseStatement(stmts))
      return false;
    block = context.copy(ArrayRef(stmts));
    return true;
  }
  advance();
  if (token.kind != Tok::Indent)
    return unexpected("an indented block") != nullptr;
  advance();
  while (token.kind != Tok::Dedent && token.kind != Tok::Eof) {
    if (token.kind == Tok::Newline) {
      advance();
      continue;
    }
    if (!parseStatement(stmts) && !recover())
      return false;
  }
  if (token.kind == Tok::Dedent)
    advance();
  block = context.copy(ArrayRef(stmts));
  return true;
}

bool SyntaxParser::parseStatement(std::vector<Stmt *> &out) {
  Stmt *compound = nullptr;
  bool isCompound = true;
  if (token.isName("if"))
    compound = parseIf();
  else if (token.isName("for"))
    compound = parseFor();
  else if (token.isName("while"))
    compound = parseWhile();
  else if (token.isName("with"))
    compound = parseWith();
  else if (token.isName("def") || token.isOp("@"))
    compound = parseUnsupported("a function inside a function");
  else if (token.isName("class"))
    compound = parseUnsupported("a class inside a function");
  else if (token.isName("try"))
    compound = parseUnsupported("'try'");
  else if (token.isName("async"))
    compound = parseUnsupported("'async'");
  else if (isMatch())
    compound = parseUnsupported("'match'");
  else
    isCompound = false;
  if (isCompound) {
    if (compound)
      out.push_back(compound);
    return compound;
  }
  while (true) {
    Stmt *stmt = parseSimple();
    if (!stmt)
      return false;
    out.push_back(stmt);
    if (acceptOp(";")) {
      if (token.kind == Tok::Newline)
        break;
      continue;
    }
    break;
  }
  if (token.kind == Tok::Newline)
    advance();
  else if (token.kind != Tok::Eof && token.kind != Tok::Dedent)
    return unexpected("the end of the statement") != nullptr;
  return true;
}

/// Notes that the constructs around a `return`, `break` or `continue` are left
/// by it: all of them, or those inside the innermost loop.
void SyntaxParser::markExit(bool throughLoops, bool isBreak) {
  for (Enclosing &e : llvm::reverse(enclosing)) {
    if (e.isLoop && !throughLoops) {
      e.flag |= isBreak;
      return;
    }
    if (!e.isLoop)
      e.flag = true;
  }
}

/// Does a `match` statement begin here? Its word is a name elsewhere.
bool SyntaxParser::isMatch() {
  if (!token.isName("match"))
    return false;
  State state = save();
  skipLine();
  bool isBlock = token.kind == Tok::Indent;
  advance();
  bool result = isBlock && token.isName("case");
  restore(state);
  return result;
}

Stmt *SyntaxParser::parseSimple() {
  uint32_t at = token.offset;
  if (acceptName("pass"))
    return context.make<PassStmt>(at);
  if (acceptName("break")) {
    markExit(false, true);
    return context.make<BreakStmt>(at);
  }
  if (acceptName("continue")) {
    markExit(false, false);
    return context.make<ContinueStmt>(at);
  }
  if (acceptName("return")) {
    markExit(true, false);
    auto *stmt = context.make<ReturnStmt>(at);
    if (token.kind != Tok::Newline && token.kind != Tok::Eof &&
        token.kind != Tok::Dedent && !token.isOp(";")) {
      stmt->value = parseTupleOrExpr();
      if (!stmt->value)
        return nullptr;
    }
    return stmt;
  }
  if (acceptName("assert")) {
    auto *stmt = context.make<AssertStmt>(at);
    stmt->cond = parseExpr();
    if (!stmt->cond)
      return nullptr;
    if (acceptOp(",")) {
      stmt->message = parseExpr();
      if (!stmt->message)
        return nullptr;
    }
    return stmt;
  }
  static constexpr StringRef unsupported[] = {
      "raise", "import", "from", "global", "del", "yield", "nonlocal", "await"};
  for (StringRef word : unsupported)
    if (token.isName(word)) {
      auto *stmt = context.make<UnsupportedStmt>(at);
      stmt->what = context.strings.save("'" + Twine(word) + "'");
      while (token.kind != Tok::Newline && token.kind != Tok::Eof &&
             token.kind != Tok::Error)
        advance();
      return stmt;
    }
  return parseExprStatement();
}

/// The operator of an augmented assignment, if the token is one.
static const BinaryOp *augmentedOp(const Token &token) {
  static const std::pair<StringRef, BinaryOp> ops[] = {
      {"+=", BinaryOp::Add},       {"-=", BinaryOp::Sub},
      {"*=", BinaryOp::Mul},       {"/=", BinaryOp::Div},
      {"//=", BinaryOp::FloorDiv}, {"%=", BinaryOp::Mod},
      {"**=", BinaryOp::Pow},      {"<<=", BinaryOp::LShift},
      {">>=", BinaryOp::RShift},   {"&=", BinaryOp::And},
      {"|=", BinaryOp::Or},        {"^=", BinaryOp::Xor},
      {"@=", BinaryOp::MatMul}};
  if (token.kind == Tok::Op)
    for (auto &[text, op] : ops)
      if (token.text == text)
        return &op;
  return nullptr;
}

Stmt *SyntaxParser::parseExprStatement() {
  uint32_t at = token.offset;
  Expr *first = parseTupleOrExpr();
  if (!first)
    return nullptr;
  if (const BinaryOp *op = augmentedOp(token)) {
    auto *stmt = context.make<AugAssignStmt>(at);
    advance();
    stmt->target = first;
    stmt->op = *op;
    stmt->value = parseTupleOrExpr();
    return stmt->value ? stmt : nullptr;
  }
  if (acceptOp(":")) {
    auto *stmt = context.make<AnnAssignStmt>(at);
    stmt->target = first;
    inAnnotation = true;
    stmt->annotation = parseExpr();
    inAnnotation = false;
    if (!stmt->annotation)
      return nullptr;
    if (acceptOp("=")) {
      stmt->value = parseTupleOrExpr();
      if (!stmt->value)
        return nullptr;
    }
    return stmt;
  }
  if (!token.isOp("=")) {
    auto *stmt = context.make<ExprStatement>(at);
    stmt->value = first;
    return stmt;
  }
  auto *stmt = context.make<AssignStmt>(at);
  std::vector<Expr *> targets;
  Expr *value = first;
  while (acceptOp("=")) {
    targets.push_back(value);
    value = parseTupleOrExpr();
    if (!value)
      return nullptr;
  }
  stmt->targets = context.copy(ArrayRef(targets));
  stmt->value = value;
  return stmt;
}

Expr *SyntaxParser::parseCondition() {
  Expr *e = parseExpr();
  if (e && token.isOp("="))
    return error(token.offset, "a condition compares with '==', not with '='");
  return e;
}

Stmt *SyntaxParser::parseIf() {
  auto *stmt = context.make<IfStmt>(token.offset);
  advance();
  stmt->cond = parseCondition();
  if (!stmt->cond)
    return nullptr;
  enclosing.push_back({/*isLoop=*/false});
  llvm::scope_exit finish([&] {
    stmt->exits = enclosing.back().flag;
    enclosing.pop_back();
  });
  if (enclosing.size() > Lexer::kMaxNesting)
    return error(stmt->offset, "blocks are nested too deeply");
  if (!parseBlock(stmt->thenBlock))
    return nullptr;
  if (token.isName("elif")) {
    Stmt *nested = parseIf();
    if (!nested)
      return nullptr;
    stmt->elseBlock = context.copy(ArrayRef(nested));
  } else if (acceptName("else")) {
    if (!parseBlock(stmt->elseBlock))
      return nullptr;
  }
  return stmt;
}

template <typename Loop>
bool SyntaxParser::parseLoopBody(Loop *stmt) {
  enclosing.push_back({/*isLoop=*/true});
  bool ok = parseBlock(stmt->body);
  stmt->hasBreak = enclosing.back().flag;
  enclosing.pop_back();
  if (!ok || !token.isName("else"))
    return ok;
  stmt->elseOffset = token.offset;
  advance();
  Block ignored;
  return parseBlock(ignored);
}

Stmt *SyntaxParser::parseFor() {
  auto *stmt = context.make<ForStmt>(token.offset);
  advance();
  // The target ends at `in`, which is an operator of expressions.
  std::vector<Expr *> targets;
  uint32_t at = token.offset;
  bool paren = acceptOp("(");
  do {
    if (token.kind != Tok::Name)
      return unexpected("the variable of the loop");
    auto *name = context.make<NameExpr>(token.offset);
    name->name = token.text;
    targets.push_back(name);
    advance();
  } while (acceptOp(","));
  if (paren && !expectOp(")", "after the variables of the loop"))
    return nullptr;
  if (targets.size() == 1) {
    stmt->target = targets[0];
  } else {
    auto *tuple = context.make<TupleExpr>(at);
    tuple->elements = context.copy(ArrayRef(targets));
    stmt->target = tuple;
  }
  if (!acceptName("in"))
    return unexpected("'in'");
  stmt->iterable = parseTupleOrExpr();
  if (!stmt->iterable)
    return nullptr;
  return parseLoopBody(stmt) ? stmt : nullptr;
}

Stmt *SyntaxParser::parseWhile() {
  auto *stmt = context.make<WhileStmt>(token.offset);
  advance();
  stmt->cond = parseCondition();
  if (!stmt->cond)
    return nullptr;
  return parseLoopBody(stmt) ? stmt : nullptr;
}

Stmt *SyntaxParser::parseWith() {
  auto *stmt = context.make<WithStmt>(token.offset);
  advance();
  do {
    if (!parseExpr() || (acceptName("as") && !parseExpr()))
      return nullptr;
  } while (acceptOp(","));
  return parseBlock(stmt->body) ? stmt : nullptr;
}

Stmt *SyntaxParser::parseUnsupported(StringRef what) {
  auto *stmt = context.make<UnsupportedStmt>(token.offset);
  stmt->what = what;
  bool isTry = token.isName("try");
  while (token.isOp("@"))
    skipLine();
  skipStatement();
  while (isTry && (token.isName("except") || token.isName("else") ||
                   token.isName("finally")))
    skipStatement();
  return stmt;
}
