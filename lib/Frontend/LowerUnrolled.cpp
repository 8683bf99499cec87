//===- LowerUnrolled.cpp - loops that run while compiling -----------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// `for` over static_range() and tuples, and the loops of constexpr functions:
// the body is lowered once for each turn.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace tilec::frontend;
using llvm::Twine;
using mlir::failed;
using mlir::FailureOr;

Flow Lowering::lowerStaticFor(const ForStmt *stmt, const Val &range) {
  std::vector<Val> items;
  if (range.kind == Val::Tuple) {
    items = *range.elements;
  } else {
    int64_t bounds[3];
    for (auto [bound, part] : llvm::zip(bounds, *range.elements)) {
      FailureOr<int64_t> value = constantInt(
          part, "the bounds of static_range()", loc(stmt->iterable));
      if (failed(value))
        return Flow::Fail;
      bound = *value;
    }
    if (bounds[2] == 0) {
      error(loc(stmt->iterable), "the step of a range cannot be 0");
      return Flow::Fail;
    }
    for (int64_t i = bounds[0]; bounds[2] > 0 ? i < bounds[1] : i > bounds[1];
         i += bounds[2]) {
      items.push_back(Val::intValue(i));
      if (items.size() > 100000) {
        error(loc(stmt->iterable),
              "this loop is too long to unroll; use range()");
        return Flow::Fail;
      }
    }
  }
  InLoop inLoop(*frame, Frame::StaticLoop);
  bool outerBreak = frame->staticBreak;
  frame->staticBreak = false;
  for (const Val &item : items) {
    if (failed(assign(stmt->target, item, loc(stmt->target))))
      return Flow::Fail;
    if (lowerBlock(stmt->body, nullptr) == Flow::Fail)
      return Flow::Fail;
    if (frame->staticBreak)
      break;
  }
  frame->staticBreak = outerBreak;
  return frame->result ? Flow::Exit : Flow::Next;
}

/// A loop of a constexpr function.
Flow Lowering::lowerStaticWhile(const WhileStmt *stmt) {
  InLoop inLoop(*frame, Frame::StaticLoop);
  bool outerBreak = frame->staticBreak;
  frame->staticBreak = false;
  for (unsigned turns = 0; !frame->staticBreak; ++turns) {
    FailureOr<Val> cond = eval(stmt->cond);
    if (failed(cond))
      return Flow::Fail;
    std::optional<bool> holds = foldTruth(*cond);
    if (!holds || turns > 10000) {
      error(loc(stmt->cond),
            holds ? Twine("this loop of a constexpr function does not end in "
                          "10000 turns; "
                          "change what its condition reads")
                  : "a constexpr function needs conditions that are known "
                    "while compiling, got " +
                        cond->describe() + "; write it under @jit");
      return Flow::Fail;
    }
    if (!*holds)
      break;
    if (lowerBlock(stmt->body, nullptr) == Flow::Fail)
      return Flow::Fail;
  }
  frame->staticBreak = outerBreak;
  return frame->result ? Flow::Exit : Flow::Next;
}
