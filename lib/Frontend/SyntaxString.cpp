//===- SyntaxString.cpp - texts and f-strings -----------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Neighbouring texts are one. An f-string is cut into texts and the expressions
// of its fields, which are parsed in their places.
//
//===----------------------------------------------------------------------===//

#include "Syntax.h"

using namespace tilec::frontend;
using llvm::cast;

Expr *SyntaxParser::parseStrings() {
  uint32_t at = token.offset;
  std::vector<Expr *> parts;
  bool formatted = false;
  while (token.kind == Tok::String) {
    Token string = token;
    if (isFString(string.text)) {
      formatted = true;
      if (!parseFStringParts(string, parts))
        return nullptr;
      // The lexer is back where it was; step over the string.
    } else {
      auto *e = context.make<StringExpr>(string.offset);
      e->value = context.strings.save(decodeString(string.text));
      parts.push_back(e);
    }
    advance();
  }
  if (formatted) {
    auto *e = context.make<FStringExpr>(at);
    e->parts = context.copy(ArrayRef(parts));
    for (Expr *part : parts)
      e->depth = std::max<uint16_t>(e->depth, part->depth + 1);
    return e;
  }
  if (parts.size() == 1)
    return parts[0];
  std::string all;
  for (Expr *part : parts)
    all += cast<StringExpr>(part)->value;
  auto *e = context.make<StringExpr>(at);
  e->value = context.strings.save(all);
  return e;
}

/// The expression of an f-string's field `x = `, which shows its own text, or
/// nothing where the field is no such one.
static StringRef selfDocumented(StringRef field) {
  StringRef trimmed = field.rtrim();
  if (!trimmed.consume_back("=") || trimmed.empty() ||
      StringRef("=!<>").contains(trimmed.back()))
    return StringRef();
  return trimmed;
}

Expr *SyntaxParser::parseFormat(Expr *value, StringRef text, uint32_t offset) {
  text.consume_front("="); // of a field that shows its own text
  StringRef rest = text.ltrim();
  auto *e = context.make<FormattedExpr>(value->offset);
  e->value = value;
  if (rest.consume_front("!")) {
    char conversion = rest.empty() ? 0 : rest[0];
    if (!StringRef("rsa").contains(conversion))
      return error(offset, "a text is converted by '!r', '!s' or '!a'");
    e->isQuoted = conversion != 's';
    rest = rest.drop_front().ltrim();
  }
  if (rest.consume_front(":"))
    e->format = rest;
  if (size_t inner = text.find('{'); inner != StringRef::npos)
    return error(offset + inner,
                 "a format cannot hold a field; write its number out");
  e->depth = value->depth + 1;
  return e->isQuoted || !e->format.empty() ? e : value;
}

/// Cuts an f-string into texts and expressions.
bool SyntaxParser::parseFStringParts(const Token &string,
                                     std::vector<Expr *> &parts) {
  size_t open = string.text.find_first_of("'\"");
  char quote = string.text[open];
  size_t width = string.text.size() - open >= 6 &&
                         string.text[open + 1] == quote &&
                         string.text[open + 2] == quote
                     ? 3
                     : 1;
  StringRef body = string.text.drop_front(open + width).drop_back(width);
  uint32_t base = string.offset + open + width;
  std::string literal;
  auto flush = [&] {
    if (literal.empty())
      return;
    auto *e = context.make<StringExpr>(string.offset);
    e->value = context.strings.save(decodeString("\"" + literal + "\""));
    parts.push_back(e);
    literal.clear();
  };
  for (size_t i = 0; i < body.size(); ++i) {
    char c = body[i];
    if ((c == '{' || c == '}') && i + 1 < body.size() && body[i + 1] == c) {
      literal += c;
      ++i;
      continue;
    }
    if (c == '}') {
      error(base + i, "this '}' closes nothing; write '}}' for the character");
      return false;
    }
    if (c != '{') {
      literal += c;
      continue;
    }
    flush();
    unsigned depth = 0;
    size_t end = i + 1;
    for (; end < body.size(); ++end) {
      char d = body[end];
      if (d == '(' || d == '[' || d == '{')
        ++depth;
      else if (depth == 0 && (d == '}' || d == ':' ||
                              (d == '!' && body.substr(end + 1, 1) != "=")))
        break;
      else if (d == ')' || d == ']' || d == '}')
        depth -= depth > 0;
    }
    size_t close = body.find('}', end);
    if (close == StringRef::npos) {
      error(base + i, "this '{' is never closed; write '{{' for the character");
      return false;
    }
    StringRef field = body.slice(i + 1, end);
    if (StringRef expression = selfDocumented(field); !expression.empty()) {
      literal = field;
      flush();
      end = i + 1 + expression.size();
    }
    State outer = save();
    lexer = Lexer(module.text.take_front(base + end), base + i + 1);
    lexer.ignoreLines();
    advance();
    Expr *e = parseExpr();
    bool ok = e && (token.kind == Tok::Newline || token.kind == Tok::Eof ||
                    unexpected("'}'"));
    bool wasFailed = failed;
    restore(outer);
    failed = wasFailed;
    if (!ok)
      return false;
    e = parseFormat(e, body.slice(end, close), base + end);
    if (!e)
      return false;
    parts.push_back(e);
    i = close;
  }
  flush();
  return true;
}
