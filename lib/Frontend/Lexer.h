//===- Lexer.h - text to tokens ---------------------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Python's tokens with indentation. The lexer is a small value: copying it is a
// way to look ahead, and the parser asks for one token at a time, so that a
// file that is wrong in its first line costs one line.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_FRONTEND_LEXER_H
#define TILEC_LIB_FRONTEND_LEXER_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace tilec::frontend {

/// What a token is. Keywords are names; operators and brackets are `Op`.
enum class Tok : uint8_t {
  Eof,
  Newline,
  Indent,
  Dedent,
  Name,
  Int,
  Float,
  String,
  Op,
  Error
};

/// One token: its text lies in the buffer.
struct Token {
  Tok kind = Tok::Eof;
  llvm::StringRef text;
  uint32_t offset = 0;

  bool isOp(llvm::StringRef op) const { return kind == Tok::Op && text == op; }
  bool isName(llvm::StringRef name) const {
    return kind == Tok::Name && text == name;
  }
  uint32_t end() const { return offset + text.size(); }
};

/// Cuts a buffer into tokens.
class Lexer {
public:
  /// Brackets may nest this deep; the parser recurses as deep.
  static constexpr unsigned kMaxNesting = 200;

  Lexer() = default;
  /// Starts at `offset`; `column` counts the characters before it in its line.
  explicit Lexer(llvm::StringRef text, uint32_t offset = 0,
                 uint32_t column = 0);

  /// The next token. After `Error` (see `errorText`) only `Eof` follows.
  Token next();

  /// What is wrong, after `Error`.
  const char *errorText() const { return error; }

  /// Pretends to be inside brackets: line ends and indentation do not count.
  /// For expressions that are lexed on their own.
  void ignoreLines() { bracketStack.push_back({'(', 0}); }

private:
  Token make(Tok kind, uint32_t begin);
  Token fail(const char *message, uint32_t at);
  bool startLine(Token &token);
  Token lexNumber(uint32_t begin);
  Token lexString(uint32_t begin);
  Token lexOperator(uint32_t begin);
  char at(uint32_t i) const { return i < text.size() ? text[i] : '\0'; }

  llvm::StringRef text;
  uint32_t pos = 0;
  bool atLineStart = true;
  bool lineHasTokens = false;
  bool done = false;
  unsigned pendingDedents = 0;
  const char *error = nullptr;
  /// Columns of the open indentations, with tabs counted as 8 and as 1.
  llvm::SmallVector<std::pair<uint32_t, uint32_t>, 8> indents;
  /// Is the text a part of one that is indented?
  bool startsInside = false;
  /// Open brackets and where they stand.
  llvm::SmallVector<std::pair<char, uint32_t>, 8> bracketStack;
};

/// The offset of the first byte that cannot be in a source file (NUL, broken
/// UTF-8), or npos.
size_t findBadByte(llvm::StringRef text);

/// Is this token text an f-string?
bool isFString(llvm::StringRef token);

/// The characters that a string token stands for: prefix and quotes off,
/// escapes replaced.
std::string decodeString(llvm::StringRef token);

} // namespace tilec::frontend

#endif // TILEC_LIB_FRONTEND_LEXER_H
