//===- SyntaxSkip.cpp - what a file holds besides kernels -----------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Passes over statements of the host by their tokens and notes the names that
// they may assign.
//
//===----------------------------------------------------------------------===//

#include "Syntax.h"

using namespace tilec::frontend;

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
  State start = save();
  skipLine();
  skipBlock();
  State end = save();
  restore(start);
  while (token.offset < end.token.offset)
    noteAssigned();
  restore(end);
}

/// Passes a token and notes the name that it may assign: what stands before `=`
/// and its like, a comma or `in`, and what follows `as` or `global`.
void SyntaxParser::noteAssigned() {
  Token before = token;
  advance();
  while (before.kind == Tok::Name && (token.isOp(")") || token.isOp("]")))
    advance();
  bool isAssigned = token.isOp(",") || token.isName("in") ||
                    (token.kind == Tok::Op && token.text.ends_with("=") &&
                     !llvm::is_contained({"==", "!=", "<=", ">="}, token.text));
  if (before.kind == Tok::Name && isAssigned)
    module.uncertain.insert(before.text);
  bool isGlobal = before.isName("global");
  if (isGlobal || before.isName("as"))
    while (token.kind == Tok::Name) {
      module.uncertain.insert(token.text);
      advance();
      if (!isGlobal || !acceptOp(","))
        break;
    }
}
