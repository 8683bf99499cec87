//===- SyntaxModule.cpp - the top level of files --------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// In a `.py` file only functions under a jit decorator, imports and simple
// constants are parsed; everything else is skipped by its tokens and its
// indentation, whatever it is. In a `.tile` file everything is parsed.
//
//===----------------------------------------------------------------------===//

#include "Syntax.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace tilec::frontend;
using llvm::dyn_cast;
using llvm::Twine;

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

bool SyntaxParser::parseModule() {
  lexer = Lexer(module.text);
  advance();
  parseTopLevel(/*inBlock=*/false, /*nesting=*/0);
  if (token.kind == Tok::Error)
    error(token.offset, lexer.errorText());
  return !failed && !errors;
}

FunctionDef *SyntaxParser::parseDeferred(uint32_t offset) {
  uint32_t line = module.text.rfind('\n', offset) + 1;
  lexer = Lexer(module.text, offset, offset - line);
  advance();
  FunctionDef *function = parseFunction();
  return errors ? nullptr : function;
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

/// Parses a branch of an `if` or `try` outside of functions: not what runs as a
/// program only, and not what a condition leaves out for certain. What runs for
/// certain defines as the code around does. `mayBeLeftOut` tells whether a
/// branch before may have run instead. Returns whether this one did.
bool SyntaxParser::parseBranch(unsigned nesting, bool &mayBeLeftOut) {
  std::optional<bool> holds;
  if (token.isName("else") && !mayBeLeftOut)
    holds = true;
  State start = save();
  if (token.isName("if") || token.isName("elif")) {
    advance();
    tentatively([&] {
      Expr *condition = parseExpr();
      if (condition && decide)
        holds = decide(condition);
      return condition != nullptr;
    });
    restore(start);
  }
  bool isMain = false;
  while (token.kind != Tok::Newline && token.kind != Tok::Eof &&
         token.kind != Tok::Error) {
    isMain |= token.isName("__name__");
    advance();
  }
  if (token.kind == Tok::Newline)
    advance();
  if (token.kind == Tok::Indent && !isMain && holds.value_or(true)) {
    advance();
    bool isCertain = holds && !mayBeLeftOut;
    parseTopLevel(/*inBlock=*/true, isCertain ? nesting : nesting + 1);
  } else {
    skipBlock();
  }
  mayBeLeftOut |= !holds;
  return holds.value_or(false);
}

/// Parses statements of the top level until the block that they are in ends.
/// `nesting` counts the `if` and `try` blocks around that may not run.
void SyntaxParser::parseTopLevel(bool inBlock, unsigned nesting) {
  bool isDecided = false; // did a branch of this `if` hold for certain?
  bool mayBeLeftOut = true;
  while (!failed || recover()) {
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
      advance();
      if (inBlock)
        return;
      continue;
    default:
      break;
    }
    static constexpr StringRef conditional[] = {"if",  "elif",   "else",
                                                "try", "except", "finally"};
    bool isNext = token.isName("elif") || token.isName("else");
    isDecided &= isNext;
    if (!isNext)
      mayBeLeftOut = !token.isName("if");
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
      if (isDecided) {
        skipLine();
        skipBlock();
      } else {
        isDecided = parseBranch(nesting, mayBeLeftOut);
      }
    } else if (token.isName("class")) {
      skipBody();
    } else {
      skipStatement();
    }
  }
}

/// Is this the name of a decorator that makes a kernel or helper?
static bool isJit(StringRef decorator) {
  return decorator == "jit" || decorator.ends_with(".jit");
}

/// Passes over a function or class. Jitted functions inside are noted: they are
/// kernels where `--kernel` names them, and see what was imported around them.
void SyntaxParser::skipBody() {
  skipLine();
  if (token.kind != Tok::Indent)
    return;
  llvm::SaveAndRestore inside(inBody, true);
  unsigned depth = 0;
  llvm::SmallVector<State, 0> imports;
  do {
    depth += token.kind == Tok::Indent;
    depth -= token.kind == Tok::Dedent;
    bool begins =
        depth && (token.kind == Tok::Indent || token.kind == Tok::Dedent ||
                  token.kind == Tok::Newline);
    advance();
    if (begins && token.isName("global")) {
      noteAssigned();
      continue;
    }
    bool isJitted = false;
    while (begins && token.isOp("@")) {
      advance();
      isJitted |= isJit(parseDottedName());
      skipLine();
    }
    if (begins && (token.isName("import") || token.isName("from")))
      imports.push_back(save());
    if (isJitted && token.isName("def")) {
      State here = save();
      for (const State &state : imports) {
        restore(state);
        parseImport(/*nesting=*/1);
      }
      restore(here);
      imports.clear();
      Global global;
      global.kind = Global::Deferred;
      global.offset = token.offset;
      advance();
      if (token.kind == Tok::Name)
        define(token.text, global, /*nesting=*/1);
    }
  } while (depth && token.kind != Tok::Eof && token.kind != Tok::Error);
}

/// Enters a name of the module; inside `if` and `try` the first meaning stays.
/// What stands inside functions gives way to all else.
void SyntaxParser::define(StringRef name, Global global, unsigned nesting) {
  global.isNested = inBody;
  auto [it, isNew] = module.globals.try_emplace(name, global);
  Global &known = it->second;
  if (isNew)
    return;
  if (inBody) {
    known.isAmbiguous |= known.isNested && known.kind == Global::Deferred &&
                         global.kind == Global::Deferred;
    return;
  }
  if (!known.isNested)
    module.uncertain.insert(name);
  if (known.isNested || !nesting)
    known = global;
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

void SyntaxParser::parseDecorated(unsigned nesting) {
  bool jit = false, kernel = false, isConstexpr = false;
  ArrayRef<CallArg> options;
  while (token.isOp("@")) {
    uint32_t at = token.offset;
    advance();
    std::string name = parseDottedName();
    bool isKernel =
        name == "kernel" || name == "tilec.kernel" || name == "tl.kernel";
    bool isConstant =
        StringRef(name).rsplit('.').second == "constexpr_function" ||
        name == "constexpr_function";
    jit |= isJit(name);
    kernel |= isKernel;
    isConstexpr |= isConstant;
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
    if (module.isTile && !isKernel && !isJit(name) && !isConstant) {
      error(at,
            name == "tensor"
                ? Twine("whole-tensor programs are not supported yet; write a "
                        "'@kernel'")
                : "unknown decorator '" + Twine(name) +
                      "'; '@kernel', '@jit' and '@constexpr_function' are "
                      "known");
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
  global.isConstexpr = isConstexpr;
  if (!module.isTile && !jit && !kernel) {
    global.kind = Global::Deferred;
    advance();
    StringRef name = token.text;
    bool isFunction = token.kind == Tok::Name;
    skipBody();
    if (isFunction)
      define(name, global, nesting);
    return;
  }
  FunctionDef *function = parseFunction();
  if (!function)
    return;
  function->isKernel = kernel || (jit && !module.isTile);
  function->options = options;
  function->isConstexpr = isConstexpr;
  global.kind = Global::Function;
  global.function = function;
  auto previous = module.globals.find(function->name);
  if (previous != module.globals.end() && nesting && !previous->second.isNested)
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
