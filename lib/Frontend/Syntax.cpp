//===- Syntax.cpp - modules, functions and statements ---------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The upper half of the parser. In a `.py` file only functions under a jit
// decorator, imports and simple constants are parsed; everything else is
// skipped by its tokens and its indentation, whatever it is.
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

void SyntaxParser::restore(const State &state) {
  lexer = state.lexer;
  token = state.token;
  failed = state.failed;
}

/// Runs `parse`; where it fails, goes back and says nothing.
template <typename Fn>
bool SyntaxParser::tentatively(Fn parse) {
  State state = save();
  bool wasQuiet = quiet;
  quiet = true;
  bool ok = parse() && !failed;
  quiet = wasQuiet;
  if (!ok)
    restore(state);
  return ok;
}

//===----------------------------------------------------------------------===//
// The top level
//===----------------------------------------------------------------------===//

bool SyntaxParser::parseModule() {
  lexer = Lexer(module.text);
  advance();
  parseTopLevel(0);
  if (token.kind == Tok::Error)
    error(token.offset, lexer.errorText());
  return !failed;
}

FunctionDef *SyntaxParser::parseDeferred(uint32_t offset) {
  uint32_t line = module.text.rfind('\n', offset) + 1;
  lexer = Lexer(module.text, offset, offset - line);
  advance();
  return parseFunction();
}

Expr *SyntaxParser::parseWhole() {
  lexer = Lexer(module.text);
  lexer.ignoreLines();
  advance();
  Expr *e = parseTupleOrExpr();
  if (e && token.kind == Tok::Newline)
    advance();
  if (e && token.kind != Tok::Eof)
    return unexpected("the end of the value");
  return e;
}

/// Parses statements of the top level until the block that they are in ends.
/// `nesting` counts the `if` and `try` blocks around.
void SyntaxParser::parseTopLevel(unsigned nesting) {
  while (!failed) {
    switch (token.kind) {
    case Tok::Eof:
    case Tok::Error:
      return;
    case Tok::Newline:
      advance();
      continue;
    case Tok::Indent:
      if (module.isTile) {
        unexpected("a statement");
        return;
      }
      skipBlock();
      continue;
    case Tok::Dedent:
      if (nesting) {
        advance();
        return;
      }
      advance();
      continue;
    default:
      break;
    }
    static constexpr StringRef conditional[] = {"if",  "elif",   "else",
                                                "try", "except", "finally"};
    if (token.isOp("@") || token.isName("def")) {
      parseDecorated(nesting);
    } else if (token.isName("import") || token.isName("from")) {
      parseImport(nesting);
    } else if (parseConstant(nesting)) {
      continue;
    } else if (module.isTile) {
      if (token.kind == Tok::String) { // a docstring
        if (Expr *e = parseExpr();
            !e || (token.kind != Tok::Newline && token.kind != Tok::Eof))
          unexpected("the end of the line");
      } else if (token.isName("pass")) {
        advance();
      } else if (token.kind == Tok::Error) {
        return;
      } else {
        error(token.offset,
              "expected a function, a constant or an import at the "
              "top level of a '.tile' file");
      }
    } else if (token.kind == Tok::Name &&
               llvm::is_contained(conditional, token.text)) {
      bool isMain = false;
      while (token.kind != Tok::Newline && token.kind != Tok::Eof &&
             token.kind != Tok::Error) {
        isMain |= token.isName("__name__");
        advance();
      }
      if (token.kind == Tok::Newline)
        advance();
      if (token.kind == Tok::Indent && !isMain) {
        advance();
        parseTopLevel(nesting + 1);
      } else {
        skipBlock();
      }
    } else {
      skipStatement();
    }
  }
}

void SyntaxParser::skipLine() {
  while (token.kind != Tok::Newline && token.kind != Tok::Eof &&
         token.kind != Tok::Error)
    advance();
  if (token.kind == Tok::Newline)
    advance();
}

void SyntaxParser::skipBlock() {
  if (token.kind != Tok::Indent)
    return;
  unsigned depth = 0;
  do {
    depth += token.kind == Tok::Indent;
    depth -= token.kind == Tok::Dedent;
    advance();
  } while (depth && token.kind != Tok::Eof && token.kind != Tok::Error);
}

void SyntaxParser::skipStatement() {
  skipLine();
  skipBlock();
}

/// Enters a name of the module; inside `if` and `try` the first meaning stays.
void SyntaxParser::define(StringRef name, Global global, unsigned nesting) {
  if (nesting)
    module.globals.try_emplace(name, global);
  else
    module.globals[name] = global;
}

std::string SyntaxParser::parseDottedName() {
  std::string name;
  while (token.isOp(".") || token.isOp("...")) {
    name += token.text;
    advance();
  }
  while (token.kind == Tok::Name && !token.isName("import")) {
    name += token.text;
    advance();
    if (!token.isOp("."))
      break;
    name += '.';
    advance();
  }
  return name;
}

/// Is this the name of a decorator that makes a kernel or helper?
static bool isJit(StringRef decorator) {
  return decorator == "jit" || decorator.ends_with(".jit");
}

void SyntaxParser::parseDecorated(unsigned nesting) {
  bool jit = false, kernel = false;
  ArrayRef<CallArg> options;
  while (token.isOp("@")) {
    uint32_t at = token.offset;
    advance();
    std::string name = parseDottedName();
    bool isKernel =
        name == "kernel" || name == "tilec.kernel" || name == "tl.kernel";
    jit |= isJit(name);
    kernel |= isKernel;
    if (token.isOp("(") && (isKernel || isJit(name))) {
      auto parse = [&] {
        auto *call = llvm::cast_or_null<CallExpr>(parseCall(nullptr));
        if (call)
          options = call->args;
        return call != nullptr;
      };
      if (module.isTile ? !parse() : !tentatively(parse) && false)
        return;
    }
    if (module.isTile && !isKernel && !isJit(name)) {
      error(at,
            name == "tensor"
                ? Twine("whole-tensor programs are not supported yet; write a "
                        "'@kernel'")
                : "unknown decorator '" + Twine(name) +
                      "'; '@kernel' and '@jit' are known");
      return;
    }
    skipLine();
  }
  if (!token.isName("def")) {
    skipStatement();
    return;
  }
  Global global;
  global.offset = token.offset;
  if (!module.isTile && !jit && !kernel) {
    global.kind = Global::Deferred;
    advance();
    StringRef name = token.text;
    bool isFunction = token.kind == Tok::Name;
    skipStatement();
    if (isFunction)
      define(name, global, nesting);
    return;
  }
  FunctionDef *function = parseFunction();
  if (!function)
    return;
  function->isKernel = kernel || (jit && !module.isTile);
  function->options = options;
  global.kind = Global::Function;
  global.function = function;
  auto previous = module.globals.find(function->name);
  if (previous != module.globals.end() && nesting)
    return;
  if (module.isTile && previous != module.globals.end()) {
    error(function->offset, "'" + function->name + "' is defined twice");
    return;
  }
  if (previous != module.globals.end())
    llvm::erase(module.functions, previous->second.function);
  module.functions.push_back(function);
  define(function->name, global, nesting);
}

void SyntaxParser::parseImport(unsigned nesting) {
  auto parse = [&] {
    if (token.isName("from"))
      return parseImportFrom(nesting);
    advance();
    do {
      uint32_t at = token.offset;
      std::string path = parseDottedName();
      if (path.empty())
        return unexpected("the name of a module") != nullptr;
      Global global;
      global.kind = Global::ImportModule;
      global.offset = at;
      global.path = context.strings.save(path);
      StringRef name = global.path;
      if (acceptName("as")) {
        name = token.text;
        advance();
      } else {
        // `import a.b` binds `a`.
        name = name.split('.').first;
        global.path = name;
      }
      define(name, global, nesting);
    } while (acceptOp(","));
    return token.kind == Tok::Newline || token.kind == Tok::Eof ||
           token.isOp(";") || unexpected("the end of the line");
  };
  if (module.isTile)
    parse();
  else if (!tentatively(parse))
    skipStatement();
}

bool SyntaxParser::parseImportFrom(unsigned nesting) {
  advance();
  uint32_t at = token.offset;
  StringRef path = context.strings.save(parseDottedName());
  if (!acceptName("import"))
    return unexpected("'import'") != nullptr;
  if (acceptOp("*")) {
    module.starImports.push_back(path);
    return true;
  }
  bool paren = acceptOp("(");
  do {
    if (paren && token.isOp(")"))
      break;
    if (token.kind != Tok::Name)
      return unexpected("a name") != nullptr;
    Global global;
    global.kind = Global::ImportName;
    global.offset = paren ? token.offset : at;
    global.path = path;
    global.name = token.text;
    StringRef name = token.text;
    advance();
    if (acceptName("as")) {
      name = token.text;
      advance();
    }
    define(name, global, nesting);
  } while (acceptOp(","));
  return !paren || expectOp(")", "after the names");
}

/// Parses `NAME = value` and `NAME: constexpr = value`. In `.py` files values
/// that do not parse make the name one that kernels cannot use.
bool SyntaxParser::parseConstant(unsigned nesting) {
  if (token.kind != Tok::Name)
    return false;
  State state = save();
  StringRef name = token.text;
  Global global;
  global.offset = token.offset;
  advance();
  bool annotated = token.isOp(":");
  if (!annotated && !token.isOp("=")) {
    restore(state);
    return false;
  }
  static constexpr StringRef keywords[] = {"else", "try", "finally"};
  if (annotated && llvm::is_contained(keywords, name)) {
    restore(state);
    return false;
  }
  auto parse = [&] {
    if (acceptOp(":") && !parseExpr())
      return false;
    if (!expectOp("=", "after the name of a constant"))
      return false;
    global.value = parseTupleOrExpr();
    return global.value &&
           (token.kind == Tok::Newline || token.kind == Tok::Eof ||
            unexpected("the end of the line"));
  };
  bool ok = module.isTile ? parse() : tentatively(parse);
  if (ok) {
    global.kind = Global::Constant;
    // `f = triton.jit(f)` makes a kernel of a plain function.
    auto *call = dyn_cast<CallExpr>(global.value);
    auto *callee = call ? dyn_cast<AttributeExpr>(call->callee) : nullptr;
    if (callee && callee->name == "jit" && call->args.size() == 1)
      if (auto *arg = dyn_cast<NameExpr>(call->args[0].value)) {
        auto it = module.globals.find(arg->name);
        if (it != module.globals.end() && it->second.kind == Global::Deferred) {
          SyntaxParser inner(context, module, onError);
          if (FunctionDef *function = inner.parseDeferred(it->second.offset)) {
            function->isKernel = true;
            module.functions.push_back(function);
            global.kind = Global::Function;
            global.function = function;
          } else {
            failed = true;
          }
        }
      }
  }
  define(name, global, nesting);
  if (!ok && !module.isTile)
    skipStatement();
  return true;
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
      return error(token.offset,
                   "'**' parameters are not supported; name each one") !=
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
    if (!parseStatement(stmts))
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

Stmt *SyntaxParser::parseIf() {
  auto *stmt = context.make<IfStmt>(token.offset);
  advance();
  stmt->cond = parseExpr();
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
  enclosing.push_back({/*isLoop=*/true});
  bool ok = parseBlock(stmt->body);
  stmt->hasBreak = enclosing.back().flag;
  enclosing.pop_back();
  if (!ok)
    return nullptr;
  if (token.isName("else")) {
    stmt->elseOffset = token.offset;
    advance();
    Block ignored;
    if (!parseBlock(ignored))
      return nullptr;
  }
  return stmt;
}

Stmt *SyntaxParser::parseWhile() {
  auto *stmt = context.make<WhileStmt>(token.offset);
  advance();
  stmt->cond = parseExpr();
  if (!stmt->cond)
    return nullptr;
  enclosing.push_back({/*isLoop=*/true});
  bool ok = parseBlock(stmt->body);
  stmt->hasBreak = enclosing.back().flag;
  enclosing.pop_back();
  if (!ok)
    return nullptr;
  if (token.isName("else")) {
    stmt->elseOffset = token.offset;
    advance();
    Block ignored;
    if (!parseBlock(ignored))
      return nullptr;
  }
  return stmt;
}

Stmt *SyntaxParser::parseWith() {
  auto *stmt = context.make<WithStmt>(token.offset);
  advance();
  if (!parseExpr())
    return nullptr;
  if (acceptName("as") && !parseExpr())
    return nullptr;
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
