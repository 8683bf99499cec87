//===- AST.cpp - the syntax tree ------------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Questions about trees that more than one phase asks.
//
//===----------------------------------------------------------------------===//

#include "AST.h"
#include "llvm/ADT/STLExtras.h"

using namespace tilec::frontend;
using llvm::dyn_cast;

StringRef tilec::frontend::spelling(BinaryOp op) {
  static constexpr const char *names[] = {"+",  "-",  "*", "/", "//", "%", "**",
                                          "<<", ">>", "&", "|", "^",  "@"};
  return names[static_cast<unsigned>(op)];
}

StringRef tilec::frontend::spelling(CompareOp op) {
  static constexpr const char *names[] = {"==", "!=", "<",      "<=", ">",
                                          ">=", "is", "is not", "in", "not in"};
  return names[static_cast<unsigned>(op)];
}

std::pair<unsigned, unsigned>
tilec::frontend::lineAndColumn(const Module &module, uint32_t offset) {
  const std::vector<uint32_t> &starts = module.lineStarts;
  auto it = llvm::upper_bound(starts, offset);
  unsigned line = it - starts.begin();
  return {line, offset - starts[line - 1] + 1};
}

/// Names that assigning to `target` sets.
static void collectTarget(const Expr *target, std::vector<StringRef> &names) {
  if (auto *name = dyn_cast<NameExpr>(target))
    names.push_back(name->name);
  else if (auto *tuple = dyn_cast<TupleExpr>(target))
    for (Expr *element : tuple->elements)
      collectTarget(element, names);
  else if (auto *star = dyn_cast<StarredExpr>(target))
    collectTarget(star->value, names);
}

void tilec::frontend::collectWalrus(const Expr *e,
                                    std::vector<StringRef> &names) {
  if (!e)
    return;
  if (auto *walrus = dyn_cast<WalrusExpr>(e)) {
    names.push_back(walrus->name);
    collectWalrus(walrus->value, names);
  } else if (auto *binary = dyn_cast<BinaryExpr>(e)) {
    collectWalrus(binary->lhs, names);
    collectWalrus(binary->rhs, names);
  } else if (auto *compare = dyn_cast<CompareExpr>(e)) {
    collectWalrus(compare->lhs, names);
    collectWalrus(compare->rhs, names);
  } else if (auto *logic = dyn_cast<BoolOpExpr>(e)) {
    collectWalrus(logic->lhs, names);
    collectWalrus(logic->rhs, names);
  } else if (auto *unary = dyn_cast<UnaryExpr>(e)) {
    collectWalrus(unary->operand, names);
  } else if (auto *call = dyn_cast<CallExpr>(e)) {
    for (const CallArg &arg : call->args)
      collectWalrus(arg.value, names);
  }
}

void tilec::frontend::collectAssigned(Block block,
                                      std::vector<StringRef> &names) {
  for (const Stmt *stmt : block) {
    if (auto *assign = dyn_cast<AssignStmt>(stmt)) {
      for (Expr *target : assign->targets)
        collectTarget(target, names);
      collectWalrus(assign->value, names);
    } else if (auto *annotated = dyn_cast<AnnAssignStmt>(stmt)) {
      collectTarget(annotated->target, names);
    } else if (auto *augmented = dyn_cast<AugAssignStmt>(stmt)) {
      collectTarget(augmented->target, names);
      collectWalrus(augmented->value, names);
    } else if (auto *expr = dyn_cast<ExprStatement>(stmt)) {
      collectWalrus(expr->value, names);
    } else if (auto *branch = dyn_cast<IfStmt>(stmt)) {
      collectWalrus(branch->cond, names);
      collectAssigned(branch->thenBlock, names);
      collectAssigned(branch->elseBlock, names);
    } else if (auto *loop = dyn_cast<ForStmt>(stmt)) {
      collectTarget(loop->target, names);
      collectAssigned(loop->body, names);
    } else if (auto *loop = dyn_cast<WhileStmt>(stmt)) {
      collectWalrus(loop->cond, names);
      collectAssigned(loop->body, names);
    } else if (auto *with = dyn_cast<WithStmt>(stmt)) {
      collectAssigned(with->body, names);
    }
  }
}

std::string tilec::frontend::describeUnsupported(StringRef what) {
  static constexpr std::pair<StringRef, StringRef> instead[] = {
      {"'lambda'", "write a function outside of the kernel"},
      {"a function inside a function", "write it outside of the kernel"},
      {"a class inside a function", "pass its values, or a tuple of them"},
      {"'try'", "check values with device_assert()"},
      {"'raise'", "use static_assert() or device_assert()"},
      {"'import'", "import at the top of the file"},
      {"'from'", "import at the top of the file"},
      {"'global'", "pass the value as an argument"},
      {"'nonlocal'", "pass the value as an argument"},
      {"'del'", "leave it out, names cost nothing"},
      {"'yield'", "return the value, or store it through a pointer"},
      {"'await'", "call the function without it"},
      {"'async'", "write the statement without it"},
      {"'match'", "write 'if' and 'elif'"},
      {"a set", "write a tuple, (1, 2)"},
      {"a generator", "write a list, [f(x) for x in t]"},
      {"a comprehension that is no list", "write a list, [f(x) for x in t]"},
      {"a comprehension with several 'for' or an 'if'",
       "write a loop over static_range()"},
      {"a starred name", "give each element a name"},
      {"a '**' parameter", "name each one"},
      {"'...'", "write ':' for each axis"},
      {"a complex number", "keep its two parts as two values"}};
  const auto *row = llvm::find_if(
      instead, [&](const auto &row) { return row.first == what; });
  std::string text = (what + " is not part of the kernel language").str();
  if (row != std::end(instead))
    text += ("; " + row->second).str();
  return text;
}
