//===- Lexer.cpp - text to tokens -----------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Lexical structure as in Python's reference, chapter 2: line joining,
// indentation with a stack of columns, every form of string and number.
//
//===----------------------------------------------------------------------===//

#include "Lexer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

using namespace tilec::frontend;
using llvm::StringRef;

/// May this byte begin a name? Bytes of UTF-8 sequences may.
static bool isNameStart(char c) {
  return llvm::isAlpha(c) || c == '_' || (c & 0x80);
}

/// May this byte continue a name?
static bool isNamePart(char c) { return isNameStart(c) || llvm::isDigit(c); }

size_t tilec::frontend::findBadByte(StringRef text) {
  const auto *begin = reinterpret_cast<const llvm::UTF8 *>(text.data());
  const llvm::UTF8 *end = begin + text.size();
  const llvm::UTF8 *p = begin;
  while (p < end) {
    if (*p == 0)
      return p - begin;
    if (*p < 0x80) {
      ++p;
      continue;
    }
    if (!llvm::isLegalUTF8Sequence(p, end))
      return p - begin;
    p += llvm::getNumBytesForUTF8(*p);
  }
  return StringRef::npos;
}

Lexer::Lexer(StringRef text, uint32_t offset, uint32_t column)
    : text(text), pos(offset), atLineStart(offset == 0) {
  if (offset == 0 && text.starts_with("\xEF\xBB\xBF"))
    pos = 3;
  indents.push_back({0, 0});
  if (column) {
    uint32_t wide = 0; // as in `startLine`
    for (char c : text.slice(offset - column, offset))
      wide = c == '\t' ? (wide / 8 + 1) * 8 : wide + 1;
    indents.push_back({wide, column});
  }
  startsInside = column;
}

Token Lexer::make(Tok kind, uint32_t begin) {
  return {kind, text.slice(begin, pos), begin};
}

Token Lexer::fail(const char *message, uint32_t at) {
  error = message;
  done = true;
  uint32_t clipped = std::min<uint32_t>(at, text.size());
  return {Tok::Error, text.substr(clipped, 0), clipped};
}

/// Measures the indentation of a new line; true if that gives a token.
bool Lexer::startLine(Token &token) {
  while (true) {
    uint32_t column = 0, alternative = 0;
    while (true) {
      char c = at(pos);
      if (c == ' ')
        ++column, ++alternative;
      else if (c == '\t')
        column = (column / 8 + 1) * 8, ++alternative;
      else if (c == '\f')
        column = alternative = 0;
      else
        break;
      ++pos;
    }
    char c = at(pos);
    if (c == '#')
      while (pos < text.size() && text[pos] != '\n')
        ++pos;
    if (at(pos) == '\r')
      ++pos;
    if (at(pos) == '\n') {
      ++pos;
      continue;
    }
    if (pos >= text.size())
      column = alternative = 0;
    atLineStart = false;
    auto [open, openAlternative] = indents.back();
    if ((column == open) != (alternative == openAlternative) ||
        (column > open) != (alternative > openAlternative)) {
      token = fail("indentation mixes tabs and spaces; use one of them", pos);
      return true;
    }
    if (column == open)
      return false;
    if (column > open) {
      if (indents.size() > Lexer::kMaxNesting / 2) {
        token = fail("blocks are nested too deeply", pos);
        return true;
      }
      indents.push_back({column, alternative});
      token = {Tok::Indent, text.substr(pos, 0), pos};
      return true;
    }
    while (indents.back().first > column) {
      indents.pop_back();
      ++pendingDedents;
    }
    // What a function that is read alone stands in may begin at any column.
    if (startsInside && indents.size() == 1)
      indents.back() = {column, alternative};
    if (indents.back() != std::make_pair(column, alternative)) {
      token = fail("indentation does not match any enclosing block", pos);
      return true;
    }
    return false;
  }
}

Token Lexer::next() {
  if (done)
    return {Tok::Eof, text.substr(text.size()), uint32_t(text.size())};
  Token token;
  if (atLineStart && bracketStack.empty() && startLine(token))
    return token;
  if (pendingDedents) {
    --pendingDedents;
    return {Tok::Dedent, text.substr(pos, 0), pos};
  }
  while (true) {
    char c = at(pos);
    if (c == ' ' || c == '\t' || c == '\f' || c == '\r') {
      ++pos;
    } else if (c == '\\' && (at(pos + 1) == '\n' ||
                             (at(pos + 1) == '\r' && at(pos + 2) == '\n'))) {
      pos += at(pos + 1) == '\n' ? 2 : 3;
    } else if (c == '#') {
      while (pos < text.size() && text[pos] != '\n')
        ++pos;
    } else if (c == '\n' && !bracketStack.empty()) {
      ++pos;
    } else {
      break;
    }
  }
  uint32_t begin = pos;
  if (pos >= text.size()) {
    if (!bracketStack.empty() && bracketStack.back().second)
      return fail("this bracket is never closed",
                  bracketStack.back().second - 1);
    if (lineHasTokens) {
      lineHasTokens = false;
      atLineStart = bracketStack.empty();
      return make(Tok::Newline, begin);
    }
    done = true;
    return make(Tok::Eof, begin);
  }
  char c = text[pos];
  if (c == '\n') {
    ++pos;
    atLineStart = true;
    lineHasTokens = false;
    return make(Tok::Newline, begin);
  }
  lineHasTokens = true;
  if (isNameStart(c)) {
    while (isNamePart(at(pos)))
      ++pos;
    bool quote = at(pos) == '"' || at(pos) == '\'';
    if (quote && pos - begin <= 2 &&
        text.slice(begin, pos).find_first_not_of("rRbBuUfF") == StringRef::npos)
      return lexString(begin);
    return make(Tok::Name, begin);
  }
  if (llvm::isDigit(c) || (c == '.' && llvm::isDigit(at(pos + 1))))
    return lexNumber(begin);
  if (c == '"' || c == '\'')
    return lexString(begin);
  return lexOperator(begin);
}

Token Lexer::lexNumber(uint32_t begin) {
  auto digits = [&] {
    while (llvm::isDigit(at(pos)) ||
           (at(pos) == '_' && llvm::isDigit(at(pos + 1))))
      ++pos;
  };
  char radix = llvm::toLower(at(pos + 1));
  bool isFloat = false;
  if (text[pos] == '0' && (radix == 'x' || radix == 'o' || radix == 'b')) {
    pos += 2;
    while (llvm::isHexDigit(at(pos)) || at(pos) == '_')
      ++pos;
  } else {
    digits();
    if (at(pos) == '.') {
      isFloat = true;
      ++pos;
      digits();
    }
    char sign = at(pos + 1);
    if (llvm::toLower(at(pos)) == 'e' &&
        (llvm::isDigit(sign) ||
         ((sign == '+' || sign == '-') && llvm::isDigit(at(pos + 2))))) {
      isFloat = true;
      pos += 2;
      digits();
    }
  }
  if (isNamePart(at(pos))) {
    // Skipped Python may hold complex numbers.
    if (llvm::toLower(at(pos)) == 'j' && !isNamePart(at(pos + 1)))
      ++pos;
    else
      return fail("this number is not well formed", begin);
  }
  return make(isFloat ? Tok::Float : Tok::Int, begin);
}

Token Lexer::lexString(uint32_t begin) {
  char quote = text[pos];
  bool triple = at(pos + 1) == quote && at(pos + 2) == quote;
  pos += triple ? 3 : 1;
  while (pos < text.size()) {
    char c = text[pos];
    if (c == '\\') {
      pos += 2;
      continue;
    }
    if (c == '\n' && !triple)
      break;
    if (c == quote &&
        (!triple || (at(pos + 1) == quote && at(pos + 2) == quote))) {
      pos += triple ? 3 : 1;
      return make(Tok::String, begin);
    }
    ++pos;
  }
  return fail("this string is never closed", begin);
}

/// The length of an operator of more than one character at the head of `text`,
/// else 1.
static unsigned operatorLength(StringRef text) {
  char first = text[0], second = text.size() > 1 ? text[1] : 0;
  if (first == second && StringRef("*/<>").contains(first))
    return text.substr(2).starts_with("=") ? 3 : 2;
  if (second == '=' && StringRef("!=<>:+-*/%&|^@").contains(first))
    return 2;
  if (first == '-' && second == '>')
    return 2;
  return text.starts_with("...") ? 3 : 1;
}

Token Lexer::lexOperator(uint32_t begin) {
  if (unsigned length = operatorLength(text.substr(pos)); length > 1) {
    pos += length;
    return make(Tok::Op, begin);
  }
  char c = text[pos];
  if (!StringRef("+-*/%@&|^~<>()[]{},:.;=").contains(c))
    return fail("this character has no meaning here", begin);
  if (c == '(' || c == '[' || c == '{') {
    if (bracketStack.size() >= kMaxNesting)
      return fail("brackets are nested too deeply", begin);
    bracketStack.push_back({c, begin + 1});
  } else if (c == ')' || c == ']' || c == '}') {
    char open = c == ')' ? '(' : c == ']' ? '[' : '{';
    if (bracketStack.empty() || bracketStack.back().first != open)
      return fail("this bracket closes none that is open", begin);
    bracketStack.pop_back();
  }
  ++pos;
  return make(Tok::Op, begin);
}

/// The prefix letters of a string token.
static StringRef stringPrefix(StringRef token) {
  return token.take_until([](char c) { return c == '"' || c == '\''; });
}

bool tilec::frontend::isFString(StringRef token) {
  return stringPrefix(token).find_first_of("fF") != StringRef::npos;
}

std::string tilec::frontend::decodeString(StringRef token) {
  StringRef prefix = stringPrefix(token);
  bool raw = prefix.find_first_of("rR") != StringRef::npos;
  StringRef body = token.drop_front(prefix.size());
  size_t quotes =
      body.size() >= 6 && body[1] == body[0] && body[2] == body[0] ? 3 : 1;
  body = body.drop_front(quotes).drop_back(quotes);
  if (raw)
    return body.str();
  std::string out;
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i] != '\\' || i + 1 == body.size()) {
      out += body[i];
      continue;
    }
    char c = body[++i];
    switch (c) {
    case '\n':
      break;
    case 'n':
      out += '\n';
      break;
    case 't':
      out += '\t';
      break;
    case 'r':
      out += '\r';
      break;
    case '0':
      out += '\0';
      break;
    case 'x': {
      unsigned value = 0;
      if (i + 2 < body.size() + 0 &&
          !body.substr(i + 1, 2).getAsInteger(16, value)) {
        out += char(value);
        i += 2;
      } else {
        out += "\\x";
      }
      break;
    }
    case '\\':
    case '\'':
    case '"':
      out += c;
      break;
    default:
      out += '\\';
      out += c;
    }
  }
  return out;
}
