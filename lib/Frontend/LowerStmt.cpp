//===- LowerStmt.cpp - statements -----------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Blocks, assignments, returns. Assigning a number to a name gives it the type
// of its literal, as in Triton, but its value is remembered, so that it may
// still stand where a constant is needed.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace tilec::frontend;
using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;
using mlir::failed;
using mlir::failure;
using mlir::FailureOr;
using mlir::Location;
using mlir::LogicalResult;
using mlir::success;

/// A kernel may need this many statements after inlining and unrolling.
static constexpr uint64_t kMaxWork = 100000;
/// Regions may nest this deep; each early exit is a level.
static constexpr unsigned kMaxRegions = 128;
/// Bytes of stack that evaluation may use; threads have 8 MB as a rule.
static constexpr uintptr_t kMaxStack = 3 << 20;

bool Lowering::hasRoom(uint32_t offset) {
  auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  uintptr_t used = here > stackBase ? here - stackBase : stackBase - here;
  if (used > kMaxStack) {
    error(loc(offset), "this kernel is nested too deeply; split it");
    return false;
  }
  if (regionDepth > kMaxRegions) {
    error(loc(offset),
          "too many branches and early exits are nested here; combine "
          "their conditions");
    return false;
  }
  return true;
}

Location Lowering::loc(uint32_t offset) {
  // What happens in the prelude happens at the call, for the user.
  if (frame->callLoc && session.isLibrary(*frame->module))
    return *frame->callLoc;
  Location here = session.loc(*frame->module, offset);
  return frame->callLoc
             ? Location(mlir::CallSiteLoc::get(here, *frame->callLoc))
             : here;
}

void Lowering::bind(StringRef name, const Val &value, Location loc) {
  frame->env.insert_or_assign(name, Binding{value, loc});
}

/// What a name gets when it is assigned `value`: numbers become IR values whose
/// constant is remembered; in a constexpr function they stay numbers.
Val Lowering::decay(const Val &value, Location loc) {
  if (frame->isConstexpr())
    return value;
  if (value.kind == Val::Tuple) {
    std::vector<Val> elements;
    for (const Val &v : *value.elements)
      elements.push_back(decay(v, loc));
    return Val::tuple(std::move(elements));
  }
  if (!value.isNumber() || !literalType(value))
    return value;
  FailureOr<Val> result = toRuntime(value, loc);
  return failed(result) ? value : *result;
}

Flow Lowering::lowerBlock(Block block, const Rest *rest) {
  for (size_t i = 0; i < block.size(); ++i) {
    if (++work > kMaxWork) {
      error(loc(block[i]->offset),
            "this kernel is too large after inlining and unrolling");
      return Flow::Fail;
    }
    if (!hasRoom(block[i]->offset))
      return Flow::Fail;
    Flow flow;
    Rest after{block.drop_front(i + 1), rest};
    if (auto *branch = dyn_cast<IfStmt>(block[i]))
      flow = lowerIf(branch, &after);
    else if (auto *with = dyn_cast<WithStmt>(block[i]))
      flow = lowerBlock(with->body, &after);
    else
      flow = lowerStmt(block[i]);
    if (flow != Flow::Next)
      return flow;
  }
  return Flow::Next;
}

LogicalResult Lowering::assign(const Expr *target, const Val &value,
                               Location loc) {
  if (auto *name = dyn_cast<NameExpr>(target)) {
    bind(name->name, value, loc);
    return success();
  }
  Location at = this->loc(target);
  if (auto *tuple = dyn_cast<TupleExpr>(target)) {
    for (const Expr *element : tuple->elements) {
      if (isa<UnsupportedExpr>(element))
        return eval(element);
      if (isa<StarredExpr>(element)) {
        error(this->loc(element), describeUnsupported("a starred name"));
        return failure();
      }
    }
    if (value.kind != Val::Tuple) {
      error(at, "expected a tuple of " + llvm::Twine(tuple->elements.size()) +
                    " to unpack, got " + value.describe());
      return failure();
    }
    if (value.elements->size() != tuple->elements.size()) {
      error(at, "expected " + llvm::Twine(tuple->elements.size()) +
                    " values to unpack, got " +
                    llvm::Twine(value.elements->size()));
      return failure();
    }
    for (auto [element, part] : llvm::zip(tuple->elements, *value.elements))
      if (failed(assign(element, part, this->loc(element))))
        return failure();
    return success();
  }
  if (llvm::isa<SubscriptExpr>(target))
    error(at, "elements of a tile cannot be assigned; build the tile with " +
                  spell("where()"));
  else if (llvm::isa<AttributeExpr>(target))
    error(at, "attributes cannot be assigned; use a variable");
  else
    error(at, "this cannot be assigned; assign to a name");
  return failure();
}

/// Turns success into the flow of a statement.
static Flow flowOf(LogicalResult result) {
  return failed(result) ? Flow::Fail : Flow::Next;
}

/// Evaluates `value`, and binds it to each target.
static LogicalResult lowerAssign(Lowering &lowering, const AssignStmt *stmt) {
  FailureOr<Val> value = lowering.eval(stmt->value);
  if (failed(value))
    return failure();
  Val stored = lowering.decay(*value, lowering.loc(stmt->value));
  for (const Expr *target : stmt->targets)
    if (failed(lowering.assign(target, stored, lowering.loc(stmt->offset))))
      return failure();
  return success();
}

/// `x: constexpr = value` keeps the constant; other annotations change nothing.
static LogicalResult lowerAnnAssign(Lowering &lowering,
                                    const AnnAssignStmt *stmt) {
  if (!stmt->value)
    return success();
  FailureOr<Val> value = lowering.eval(stmt->value);
  if (failed(value))
    return failure();
  Location loc = lowering.loc(stmt->offset);
  if (!lowering.isConstexprAnnotation(stmt->annotation))
    return lowering.assign(stmt->target, lowering.decay(*value, loc), loc);
  Val constant = value->constant();
  if (constant.kind == Val::Poisoned) {
    lowering.error(lowering.loc(stmt->value),
                   "expected a compile-time value for a 'constexpr', got " +
                       value->describe());
    return failure();
  }
  return lowering.assign(stmt->target, constant, loc);
}

/// `target op= value`.
static LogicalResult lowerAugAssign(Lowering &lowering,
                                    const AugAssignStmt *stmt) {
  Location loc = lowering.loc(stmt->offset);
  if (!llvm::isa<NameExpr>(stmt->target))
    return lowering.assign(stmt->target, Val::none(), loc);
  FailureOr<Val> old = lowering.eval(stmt->target);
  if (failed(old))
    return failure();
  FailureOr<Val> value = lowering.eval(stmt->value);
  if (failed(value))
    return failure();
  FailureOr<Val> result = lowering.binary(stmt->op, *old, *value, loc);
  if (failed(result))
    return failure();
  return lowering.assign(stmt->target, lowering.decay(*result, loc), loc);
}

/// `return value`, in a function.
static Flow lowerReturn(Lowering &lowering, const ReturnStmt *stmt) {
  Frame &frame = *lowering.frame;
  Location loc = lowering.loc(stmt->offset);
  if (frame.loop != Frame::NoLoop && !frame.isConstexpr()) {
    lowering.error(loc, "'return' cannot stand in a loop; leave the loop with "
                        "'break' or a mask and return after it");
    return Flow::Fail;
  }
  Val value = Val::none();
  if (stmt->value) {
    FailureOr<Val> result = lowering.eval(stmt->value);
    if (failed(result))
      return Flow::Fail;
    value = lowering.decay(*result, loc);
  }
  frame.result = Binding{value, loc};
  frame.staticBreak = frame.loop == Frame::StaticLoop;
  return Flow::Exit;
}

/// `break` and `continue`.
static Flow lowerJump(Lowering &lowering, const Stmt *stmt) {
  Frame &frame = *lowering.frame;
  bool isBreak = stmt->kind == Stmt::Break;
  Location loc = lowering.loc(stmt->offset);
  if (frame.loop == Frame::NoLoop) {
    lowering.error(loc,
                   llvm::Twine(isBreak ? "'break'" : "'continue'") +
                       " stands outside a loop; 'return' ends the function");
    return Flow::Fail;
  }
  if (isBreak && frame.loop == Frame::StaticLoop)
    frame.staticBreak = true;
  else if (isBreak)
    lowering.bind(frame.breakName, lowering.decay(Val::boolean(true), loc),
                  loc);
  return Flow::Exit;
}

/// `assert cond, message`: checked now if the condition is known now.
static LogicalResult lowerAssert(Lowering &lowering, const AssertStmt *stmt) {
  Location loc = lowering.loc(stmt->offset);
  FailureOr<Val> cond = lowering.eval(stmt->cond);
  if (failed(cond))
    return failure();
  FailureOr<Val> message = Val::string("");
  if (stmt->message)
    message = lowering.eval(stmt->message);
  if (failed(message))
    return failure();
  bool isStatic = foldTruth(*cond).has_value();
  const BuiltinRow *row =
      findBuiltin(isStatic ? "static_assert" : "device_assert", kLanguage);
  CallInput input = {{"", *cond, lowering.loc(stmt->cond)},
                     {"", *message, loc}};
  return mlir::success(succeeded(lowering.callBuiltin(*row, input, loc)));
}

Flow Lowering::lowerStmt(const Stmt *stmt) {
  switch (stmt->kind) {
  case Stmt::ExprStmt: {
    const Expr *value = cast<ExprStatement>(stmt)->value;
    if (llvm::isa<StringExpr>(value))
      return Flow::Next;
    FailureOr<Val> result = eval(value);
    if (!failed(result) && result->kind == Val::BlockPointer &&
        llvm::isa<CallExpr>(value)) {
      error(loc(value), "the result of this call is a block pointer and is not "
                        "used; assign it to a name");
      return Flow::Fail;
    }
    if (!failed(result))
      warnOfUnused(value, *result);
    return flowOf(mlir::success(succeeded(result)));
  }
  case Stmt::Assign:
    return flowOf(lowerAssign(*this, cast<AssignStmt>(stmt)));
  case Stmt::AnnAssign:
    return flowOf(lowerAnnAssign(*this, cast<AnnAssignStmt>(stmt)));
  case Stmt::AugAssign:
    return flowOf(lowerAugAssign(*this, cast<AugAssignStmt>(stmt)));
  case Stmt::For:
    return lowerFor(cast<ForStmt>(stmt));
  case Stmt::While:
    return lowerWhile(cast<WhileStmt>(stmt));
  case Stmt::Return:
    return lowerReturn(*this, cast<ReturnStmt>(stmt));
  case Stmt::Pass:
    return Flow::Next;
  case Stmt::Break:
  case Stmt::Continue:
    return lowerJump(*this, stmt);
  case Stmt::Assert:
    return flowOf(lowerAssert(*this, cast<AssertStmt>(stmt)));
  case Stmt::Unsupported:
    error(loc(stmt->offset),
          describeUnsupported(cast<UnsupportedStmt>(stmt)->what));
    return Flow::Fail;
  case Stmt::If:
  case Stmt::With:
    break; // handled in lowerBlock
  }
  return Flow::Next;
}
