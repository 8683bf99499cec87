//===- SyntaxExpr.cpp - expressions ---------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The lower half of the parser: expressions by precedence, as in the grammar of
// Python. Recursion and the height of trees are limited, so that no input can
// exhaust the stack here or later.
//
//===----------------------------------------------------------------------===//

#include "Syntax.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"

using namespace tilec::frontend;
using llvm::cast;
using llvm::isa;
using llvm::Twine;

/// Trees may be this high.
static constexpr unsigned kMaxHeight = 500;

/// Gives a node its height; null with an error where it is too great.
template <typename T>
T *SyntaxParser::deepen(T *node, std::initializer_list<Expr *> children) {
  unsigned height = 0;
  for (Expr *child : children)
    if (child)
      height = std::max<unsigned>(height, child->depth);
  if (height >= kMaxHeight)
    return error(node->offset, "this expression is too long; split it");
  node->depth = height + 1;
  return node;
}

/// `a, b` as a tuple, or one expression; `isBare` says which it was.
Expr *SyntaxParser::parseTupleOrExpr(bool *isBare) {
  uint32_t at = token.offset;
  std::vector<Expr *> elements;
  bool isTuple = false;
  while (true) {
    Expr *e;
    if (token.isOp("*")) {
      auto *star = context.make<StarredExpr>(token.offset);
      advance();
      star->value = parseExpr();
      e = star->value ? deepen(star, {star->value}) : nullptr;
    } else {
      e = parseExpr();
    }
    if (!e)
      return nullptr;
    elements.push_back(e);
    if (!token.isOp(","))
      break;
    isTuple = true;
    advance();
    if (token.kind == Tok::Newline || token.kind == Tok::Eof ||
        token.isOp("=") || token.isOp(")") || token.isOp("]") ||
        token.isOp(";") || token.isOp(":"))
      break;
  }
  isTuple |= isa<StarredExpr>(elements[0]);
  if (isBare)
    *isBare = isTuple;
  if (!isTuple)
    return elements[0];
  auto *tuple = context.make<TupleExpr>(at);
  tuple->elements = context.copy(ArrayRef(elements));
  for (Expr *e : elements)
    tuple->depth = std::max<uint16_t>(tuple->depth, e->depth + 1);
  return tuple->depth > kMaxHeight
             ? error(at, "this expression is too long; split it")
             : tuple;
}

Expr *SyntaxParser::parseExpr() {
  if (++recursion > Lexer::kMaxNesting) {
    --recursion;
    return error(token.offset, "expressions are nested too deeply");
  }
  llvm::scope_exit leave([&] { --recursion; });
  if (token.isName("lambda"))
    return parseLambda();
  if (token.isName("yield") || token.isName("await")) {
    uint32_t at = token.offset;
    StringRef what = token.isName("yield") ? "'yield'" : "'await'";
    advance();
    return parseExpr() ? makeUnsupported(at, what) : nullptr;
  }
  Expr *e = parseTernary();
  if (!e || !token.isOp(":="))
    return e;
  auto *name = llvm::dyn_cast<NameExpr>(e);
  if (!name)
    return error(e->offset, "expected a name before ':='");
  advance();
  auto *walrus = context.make<WalrusExpr>(e->offset);
  walrus->name = name->name;
  walrus->value = parseExpr();
  return walrus->value ? deepen(walrus, {walrus->value}) : nullptr;
}

/// Python that the language lacks: an error only where it is reached.
Expr *SyntaxParser::makeUnsupported(uint32_t at, StringRef what) {
  auto *e = context.make<UnsupportedExpr>(at);
  e->what = what;
  return e;
}

/// Passes over what a bracket holds from here on, up to its end.
Expr *SyntaxParser::skipToClose(uint32_t at, StringRef what, StringRef close) {
  for (unsigned depth = 0; depth || !token.isOp(close); advance()) {
    if (token.kind == Tok::Eof || token.kind == Tok::Error)
      return unexpected("the end of the bracket");
    depth += token.isOp("(") || token.isOp("[") || token.isOp("{");
    depth -= token.isOp(")") || token.isOp("]") || token.isOp("}");
  }
  return makeUnsupported(at, what);
}

Expr *SyntaxParser::parseLambda() {
  Expr *e = makeUnsupported(token.offset, "'lambda'");
  advance();
  while (!token.isOp(":")) {
    if (token.kind == Tok::Newline || token.kind == Tok::Eof ||
        token.kind == Tok::Error)
      return unexpected("':'");
    advance();
  }
  advance();
  return parseExpr() ? e : nullptr;
}

Expr *SyntaxParser::parseTernary() {
  Expr *value = parseOr();
  if (!value || !token.isName("if"))
    return value;
  auto *e = context.make<IfExpExpr>(value->offset);
  advance();
  e->thenValue = value;
  e->cond = parseOr();
  if (!e->cond)
    return nullptr;
  if (!acceptName("else"))
    return unexpected("'else'");
  e->elseValue = parseExpr();
  return e->elseValue ? deepen(e, {e->cond, e->thenValue, e->elseValue})
                      : nullptr;
}

Expr *SyntaxParser::parseOr() {
  Expr *lhs = parseAnd();
  while (lhs && acceptName("or")) {
    auto *e = context.make<BoolOpExpr>(lhs->offset, /*isAnd=*/false);
    e->lhs = lhs;
    e->rhs = parseAnd();
    lhs = e->rhs ? deepen(e, {e->lhs, e->rhs}) : nullptr;
  }
  return lhs;
}

Expr *SyntaxParser::parseAnd() {
  Expr *lhs = parseNot();
  while (lhs && acceptName("and")) {
    auto *e = context.make<BoolOpExpr>(lhs->offset, /*isAnd=*/true);
    e->lhs = lhs;
    e->rhs = parseNot();
    lhs = e->rhs ? deepen(e, {e->lhs, e->rhs}) : nullptr;
  }
  return lhs;
}

Expr *SyntaxParser::parseNot() {
  if (!token.isName("not"))
    return parseComparison();
  if (++recursion > Lexer::kMaxNesting) {
    --recursion;
    return error(token.offset, "expressions are nested too deeply");
  }
  llvm::scope_exit leave([&] { --recursion; });
  auto *e = context.make<UnaryExpr>(token.offset);
  advance();
  e->op = UnaryOp::Not;
  e->operand = parseNot();
  return e->operand ? deepen(e, {e->operand}) : nullptr;
}

Expr *SyntaxParser::parseComparison() {
  Expr *lhs = parseBinary(0);
  CompareExpr *last = nullptr;
  while (lhs) {
    CompareOp op;
    uint32_t at = token.offset;
    if (token.isOp("=="))
      op = CompareOp::Eq;
    else if (token.isOp("!="))
      op = CompareOp::Ne;
    else if (token.isOp("<"))
      op = CompareOp::Lt;
    else if (token.isOp("<="))
      op = CompareOp::Le;
    else if (token.isOp(">"))
      op = CompareOp::Gt;
    else if (token.isOp(">="))
      op = CompareOp::Ge;
    else if (token.isName("is"))
      op = CompareOp::Is;
    else if (token.isName("in"))
      op = CompareOp::In;
    else if (token.isName("not"))
      op = CompareOp::NotIn;
    else
      return lhs;
    advance();
    if (op == CompareOp::Is && acceptName("not"))
      op = CompareOp::IsNot;
    if (op == CompareOp::NotIn && !acceptName("in"))
      return unexpected("'in'");
    auto *e = context.make<CompareExpr>(lhs->offset);
    e->op = op;
    e->lhs = lhs;
    e->rhs = parseBinary(0);
    if (!e->rhs)
      return nullptr;
    if (last) {
      e->chained = true;
      e->chainOffset = at;
    }
    last = e;
    lhs = deepen(e, {e->lhs, e->rhs});
  }
  return lhs;
}

Expr *SyntaxParser::makeBinary(BinaryOp op, Expr *lhs, Expr *rhs) {
  auto *e = context.make<BinaryExpr>(lhs->offset);
  e->op = op;
  e->lhs = lhs;
  e->rhs = rhs;
  return deepen(e, {lhs, rhs});
}

Expr *SyntaxParser::parseBinary(unsigned level) {
  static const std::vector<std::pair<StringRef, BinaryOp>> levels[] = {
      {{"|", BinaryOp::Or}},
      {{"^", BinaryOp::Xor}},
      {{"&", BinaryOp::And}},
      {{"<<", BinaryOp::LShift}, {">>", BinaryOp::RShift}},
      {{"+", BinaryOp::Add}, {"-", BinaryOp::Sub}},
      {{"*", BinaryOp::Mul},
       {"/", BinaryOp::Div},
       {"//", BinaryOp::FloorDiv},
       {"%", BinaryOp::Mod},
       {"@", BinaryOp::MatMul}}};
  if (level == std::size(levels))
    return parseUnary();
  Expr *lhs = parseBinary(level + 1);
  while (lhs && token.kind == Tok::Op) {
    const BinaryOp *op = nullptr;
    for (auto &[text, candidate] : levels[level])
      if (token.text == text)
        op = &candidate;
    if (!op)
      break;
    uint32_t at = token.offset;
    advance();
    // `x: f32*` as in C.
    if (inAnnotation && *op == BinaryOp::Mul &&
        (token.isOp(",") || token.isOp(")") || token.isOp("=")))
      return error(at, "a pointer type is written ptr[f32] or, as text, "
                       "\"*fp32\"");
    Expr *rhs = parseBinary(level + 1);
    lhs = rhs ? makeBinary(*op, lhs, rhs) : nullptr;
  }
  return lhs;
}

Expr *SyntaxParser::parseUnary() {
  UnaryOp op;
  if (token.isOp("-"))
    op = UnaryOp::Neg;
  else if (token.isOp("+"))
    op = UnaryOp::Plus;
  else if (token.isOp("~"))
    op = UnaryOp::Invert;
  else
    return parsePower();
  if (++recursion > Lexer::kMaxNesting) {
    --recursion;
    return error(token.offset, "expressions are nested too deeply");
  }
  llvm::scope_exit leave([&] { --recursion; });
  auto *e = context.make<UnaryExpr>(token.offset);
  advance();
  e->op = op;
  e->operand = parseUnary();
  return e->operand ? deepen(e, {e->operand}) : nullptr;
}

Expr *SyntaxParser::parsePower() {
  Expr *base = parsePostfix();
  if (!base || !token.isOp("**"))
    return base;
  if (++recursion > Lexer::kMaxNesting) {
    --recursion;
    return error(token.offset, "expressions are nested too deeply");
  }
  llvm::scope_exit leave([&] { --recursion; });
  advance();
  Expr *exponent = parseUnary();
  return exponent ? makeBinary(BinaryOp::Pow, base, exponent) : nullptr;
}

Expr *SyntaxParser::parsePostfix() {
  Expr *e = parseAtom();
  while (e) {
    if (token.isOp("(")) {
      e = parseCall(e);
    } else if (token.isOp("[")) {
      e = parseSubscript(e);
    } else if (token.isOp(".")) {
      advance();
      if (token.kind != Tok::Name)
        return unexpected("a name after '.'");
      auto *attribute = context.make<AttributeExpr>(e->offset);
      attribute->object = e;
      attribute->name = token.text;
      attribute->nameOffset = token.offset;
      advance();
      e = deepen(attribute, {e});
    } else {
      return e;
    }
  }
  return e;
}

Expr *SyntaxParser::parseCall(Expr *callee) {
  auto *call = context.make<CallExpr>(callee ? callee->offset : token.offset);
  advance();
  std::vector<CallArg> args;
  unsigned height = callee ? callee->depth : 0;
  while (!token.isOp(")")) {
    CallArg arg;
    arg.offset = token.offset;
    if (token.isOp("*") || token.isOp("**")) {
      bool dictionary = token.isOp("**");
      advance();
      auto *star = context.make<StarredExpr>(arg.offset);
      star->value = parseExpr();
      if (!star->value)
        return nullptr;
      arg.doubleStar = dictionary;
      arg.value = deepen(star, {star->value});
    } else {
      arg.value = parseExpr();
      if (!arg.value)
        return nullptr;
      if (token.isOp("=")) {
        auto *name = llvm::dyn_cast<NameExpr>(arg.value);
        if (!name)
          return error(arg.offset, "expected a name before '='");
        advance();
        arg.name = name->name;
        arg.value = parseExpr();
      } else if (token.isName("for")) {
        arg.value = skipToClose(arg.offset, "a generator", ")");
      }
    }
    if (!arg.value)
      return nullptr;
    height = std::max<unsigned>(height, arg.value->depth);
    args.push_back(arg);
    if (!token.isOp(")") && !expectOp(",", "between arguments"))
      return nullptr;
  }
  advance();
  if (height >= kMaxHeight)
    return error(call->offset, "this expression is too long; split it");
  call->callee = callee;
  call->args = context.copy(ArrayRef(args));
  call->depth = height + 1;
  return call;
}

Expr *SyntaxParser::parseSubscript(Expr *object) {
  auto *e = context.make<SubscriptExpr>(object->offset);
  advance();
  std::vector<Expr *> indices;
  unsigned height = object->depth;
  while (!token.isOp("]")) {
    Expr *index = parseIndex();
    if (!index)
      return nullptr;
    height = std::max<unsigned>(height, index->depth);
    indices.push_back(index);
    if (token.isOp("]"))
      break;
    if (!expectOp(",", "between indices"))
      return nullptr;
    e->isTuple = true;
  }
  if (indices.empty())
    return unexpected("an index");
  advance();
  if (height >= kMaxHeight)
    return error(e->offset, "this expression is too long; split it");
  e->object = object;
  e->indices = context.copy(ArrayRef(indices));
  e->depth = height + 1;
  return e;
}

Expr *SyntaxParser::parseIndex() {
  uint32_t at = token.offset;
  Expr *lower = nullptr;
  if (!token.isOp(":")) {
    lower = parseExpr();
    if (!lower || !token.isOp(":"))
      return lower;
  }
  auto *slice = context.make<SliceExpr>(at);
  slice->lower = lower;
  advance();
  auto ends = [&] {
    return token.isOp("]") || token.isOp(",") || token.isOp(":");
  };
  if (!ends() && !(slice->upper = parseExpr()))
    return nullptr;
  if (acceptOp(":") && !ends() && !(slice->step = parseExpr()))
    return nullptr;
  return deepen(slice, {slice->lower, slice->upper, slice->step});
}

Expr *SyntaxParser::parseAtom() {
  uint32_t at = token.offset;
  switch (token.kind) {
  case Tok::Int:
  case Tok::Float:
    return parseNumber();
  case Tok::String:
    return parseStrings();
  case Tok::Name:
    break;
  case Tok::Op:
    if (token.isOp("(") || token.isOp("[") || token.isOp("{"))
      return parseBracketed();
    if (acceptOp("*"))
      return parsePostfix() ? makeUnsupported(at, "a starred name") : nullptr;
    if (token.isOp("...")) {
      advance();
      return makeUnsupported(at, "'...'");
    }
    [[fallthrough]];
  default:
    return unexpected("an expression");
  }
  if (token.isName("True") || token.isName("False")) {
    auto *e = context.make<BoolExpr>(at);
    e->value = token.isName("True");
    advance();
    return e;
  }
  if (acceptName("None"))
    return context.make<NoneExpr>(at);
  static constexpr StringRef keywords[] = {
      "if",    "else",   "elif",     "for",    "while",  "in",      "is",
      "and",   "or",     "not",      "def",    "class",  "return",  "import",
      "from",  "as",     "with",     "try",    "except", "finally", "raise",
      "pass",  "break",  "continue", "assert", "del",    "global",  "nonlocal",
      "yield", "lambda", "async",    "await"};
  if (llvm::is_contained(keywords, token.text))
    return unexpected("an expression");
  auto *name = context.make<NameExpr>(at);
  name->name = token.text;
  advance();
  if (inAnnotation && name->name == "const" && token.kind == Tok::Name) {
    // `ptr[const f32]` reads like a call of `const`.
    auto *call = context.make<CallExpr>(at);
    CallArg arg;
    arg.offset = token.offset;
    arg.value = parsePostfix();
    if (!arg.value)
      return nullptr;
    call->callee = name;
    call->args = context.copy(ArrayRef(arg));
    return deepen(call, {arg.value});
  }
  return name;
}

Expr *SyntaxParser::parseNumber() {
  uint32_t at = token.offset;
  std::string digits;
  for (char c : token.text)
    if (c != '_')
      digits += c;
  if (StringRef(digits).ends_with_insensitive("j") &&
      !StringRef(digits).starts_with_insensitive("0x")) {
    advance();
    return makeUnsupported(at, "a complex number");
  }
  if (token.kind == Tok::Float) {
    auto *e = context.make<FloatExpr>(at);
    llvm::APFloat value(llvm::APFloat::IEEEdouble());
    auto status =
        value.convertFromString(digits, llvm::APFloat::rmNearestTiesToEven);
    if (!status) {
      llvm::consumeError(status.takeError());
      return error(at, "this number is not well formed");
    }
    e->value = value.convertToDouble();
    advance();
    return e;
  }
  auto *e = context.make<IntExpr>(at);
  unsigned radix = 10;
  StringRef text = digits;
  if (text.size() > 2 && text[0] == '0' && llvm::isAlpha(text[1])) {
    char c = llvm::toLower(text[1]);
    radix = c == 'x' ? 16 : c == 'o' ? 8 : 2;
    text = text.drop_front(2);
  }
  for (char c : text) {
    unsigned digit = llvm::hexDigitValue(c);
    if (digit >= radix)
      return error(at, "this number is not well formed");
    if (e->value >> 116)
      return error(at, "this number does not fit in 64 bits; write a float");
    e->value = e->value * radix + digit;
  }
  advance();
  return e;
}

/// A dictionary, behind its brace, or a set, which the language lacks.
Expr *SyntaxParser::parseDict(uint32_t at) {
  auto *dict = context.make<DictExpr>(at);
  std::vector<Expr *> keys, values;
  bool isSet = false;
  while (!token.isOp("}")) {
    bool star = acceptOp("**");
    Expr *key = parseExpr(), *value = nullptr;
    if (!key)
      return nullptr;
    if (!star && acceptOp(":")) {
      value = parseExpr();
      if (!value)
        return nullptr;
    }
    isSet |= !star && !value;
    if (token.isName("for")) {
      Expr *e = skipToClose(at, "a comprehension that is no list", "}");
      return e && acceptOp("}") ? e : nullptr;
    }
    if (!token.isOp("}") && !expectOp(",", "between the entries"))
      return nullptr;
    keys.push_back(star ? nullptr : key);
    values.push_back(star ? key : value);
    unsigned height = std::max<unsigned>(key->depth, value ? value->depth : 0);
    if (height >= kMaxHeight)
      return error(at, "this expression is too long; split it");
    dict->depth = std::max<unsigned>(dict->depth, height + 1);
  }
  advance();
  if (isSet)
    return makeUnsupported(at, "a set");
  dict->keys = context.copy(ArrayRef(keys));
  dict->values = context.copy(ArrayRef(values));
  return dict;
}

/// What follows the element of `[element for name in iterable]`.
Expr *SyntaxParser::parseComprehension(uint32_t at, Expr *element) {
  auto *e = context.make<ComprehensionExpr>(at);
  advance();
  auto *target = context.make<NameExpr>(token.offset);
  target->name = token.text;
  if (token.kind != Tok::Name)
    return unexpected("a name");
  advance();
  if (!acceptName("in"))
    return unexpected("'in'");
  e->element = element;
  e->target = target;
  e->iterable = parseOr();
  if (!e->iterable)
    return nullptr;
  if (!token.isOp("]"))
    return skipToClose(at, "a comprehension with several 'for' or an 'if'",
                       "]");
  return deepen(e, {e->element, e->iterable});
}

/// Parentheses, lists and dictionaries.
Expr *SyntaxParser::parseBracketed() {
  uint32_t at = token.offset;
  bool isList = token.isOp("["), isDict = token.isOp("{");
  bool wasAnnotation = inAnnotation;
  inAnnotation = false;
  llvm::scope_exit leave([&] { inAnnotation = wasAnnotation; });
  advance();
  if (isDict)
    return parseDict(at);
  const char *close = isList ? "]" : ")";
  auto *tuple = context.make<TupleExpr>(at);
  if (acceptOp(close))
    return tuple;
  bool isTuple = false;
  Expr *inner = parseTupleOrExpr(&isTuple);
  if (!inner)
    return nullptr;
  if (token.isName("for")) {
    Expr *e = isList ? parseComprehension(at, inner)
                     : skipToClose(at, "a generator", close);
    return e && expectOp(close, "after the comprehension") ? e : nullptr;
  }
  if (!expectOp(close,
                isList ? "to close the list" : "to close the parenthesis"))
    return nullptr;
  // `(a, b)` and `[a, b]` are the tuple; `[a]` is a tuple of one.
  if (!isList && !isTuple)
    if (auto *binary = llvm::dyn_cast<BinaryExpr>(inner))
      binary->isInParentheses = true;
  if (!isList || isTuple)
    return inner;
  tuple->elements = context.copy(ArrayRef(inner));
  return deepen(tuple, {inner});
}
