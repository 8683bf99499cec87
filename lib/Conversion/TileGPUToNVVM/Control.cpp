//===- Control.cpp - loops and branches as blocks -------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// What a loop carries become block arguments, one for each register. Loops are
// emitted guarded and with their test at the end, the form in which LLVM hoists
// out of them.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

using namespace mlir;
using namespace tilec;

/// The registers of several values, one after another.
Registers Emitter::flatten(ValueRange list) const {
  Registers all;
  for (Value value : list)
    llvm::append_range(all, get(value));
  return all;
}

/// Cuts a list of registers into those of several values.
void Emitter::setAll(ValueRange list, ValueRange registers) {
  for (Value value : list) {
    size_t count = 1;
    if (auto type = dyn_cast<RankedTensorType>(value.getType()))
      count = tilegpu::getLayout(type).size(InDim::Register);
    set(value, Registers(registers.take_front(count)));
    registers = registers.drop_front(count);
  }
}

/// Adds a block at the end of the kernel with one argument for each register of
/// the values, and makes those arguments their registers.
Block *Emitter::addBlock(ValueRange list) {
  Block *block = new Block();
  target.getBody().push_back(block);
  for (Value value : list) {
    size_t count = 1;
    if (auto type = dyn_cast<RankedTensorType>(value.getType()))
      count = tilegpu::getLayout(type).size(InDim::Register);
    for (size_t i = 0; i < count; ++i)
      block->addArgument(convertElement(getElementTypeOrSelf(value.getType())),
                         loc);
  }
  setAll(list, block->getArguments());
  return block;
}

Block *Emitter::branchAside(Value condition, ValueRange list,
                            function_ref<Registers()> emitAside) {
  Block *aside = new Block(), *exit = new Block();
  target.getBody().push_back(aside);
  target.getBody().push_back(exit);
  for (Value value : list)
    exit->addArgument(value.getType(), loc);
  LLVM::CondBrOp::create(b, loc, condition, aside, ValueRange(), exit, list,
                         std::pair<int32_t, int32_t>(1, 1000));
  b.setInsertionPointToEnd(aside);
  LLVM::BrOp::create(b, loc, emitAside(), exit);
  b.setInsertionPointToEnd(exit);
  return exit;
}

/// Adds a value to the front of a list.
static SmallVector<Value> prepend(Value first, ValueRange rest) {
  SmallVector<Value> list{first};
  llvm::append_range(list, rest);
  return list;
}

SmallVector<Value>
Emitter::emitLoop(SmallVector<Value> initial,
                  llvm::function_ref<Value(ValueRange)> more,
                  llvm::function_ref<SmallVector<Value>(ValueRange)> next) {
  Region &region = target.getBody();
  Block *head = new Block(), *body = new Block(), *exit = new Block();
  for (Block *block : {head, body, exit})
    region.push_back(block);
  for (Value value : initial)
    head->addArgument(value.getType(), loc);
  LLVM::BrOp::create(b, loc, initial, head);
  b.setInsertionPointToEnd(head);
  LLVM::CondBrOp::create(b, loc, more(head->getArguments()), body, exit);
  b.setInsertionPointToEnd(body);
  LLVM::BrOp::create(b, loc, next(head->getArguments()), head);
  b.setInsertionPointToEnd(exit);
  return SmallVector<Value>(head->getArguments());
}

LogicalResult Emitter::emitFor(scf::ForOp op) {
  Value upper = getScalar(op.getUpperBound()), step = getScalar(op.getStep());
  Value lower = getScalar(op.getLowerBound());
  Registers inits = flatten(op.getInitArgs());
  Block *body = addBlock(op.getBody()->getArguments());
  Block *exit = addBlock(op.getResults());
  auto branch = [&](Value more, Value iv, ValueRange carried) {
    LLVM::CondBrOp::create(b, loc, more, body, prepend(iv, carried), exit,
                           carried);
  };
  using P = LLVM::ICmpPredicate;
  branch(LLVM::ICmpOp::create(b, loc, P::slt, lower, upper), lower, inits);
  b.setInsertionPointToEnd(body);
  if (failed(emitBlock(*op.getBody())))
    return failure();
  loc = op.getLoc();
  // Asked of the distance that is left, since the next number may wrap around.
  Value iv = body->getArgument(0);
  Value next = LLVM::AddOp::create(b, loc, iv, step);
  Value left = LLVM::SubOp::create(b, loc, upper, iv);
  branch(LLVM::ICmpOp::create(b, loc, P::ugt, left, step), next,
         flatten(op.getYieldedValues()));
  exit->moveBefore(&target.getBody(), target.getBody().end());
  b.setInsertionPointToEnd(exit);
  return success();
}

LogicalResult Emitter::emitWhile(scf::WhileOp op) {
  Registers inits = flatten(op.getInits());
  Block *before = addBlock(op.getBeforeArguments());
  Block *after = addBlock(op.getAfterArguments());
  Block *exit = addBlock(op.getResults());
  LLVM::BrOp::create(b, loc, inits, before);
  b.setInsertionPointToEnd(before);
  if (failed(emitBlock(*op.getBeforeBody())))
    return failure();
  auto condition = op.getConditionOp();
  Registers carried = flatten(condition.getArgs());
  LLVM::CondBrOp::create(b, loc, getScalar(condition.getCondition()), after,
                         carried, exit, carried);
  b.setInsertionPointToEnd(after);
  if (failed(emitBlock(*op.getAfterBody())))
    return failure();
  LLVM::BrOp::create(b, loc, flatten(op.getYieldOp().getOperands()), before);
  b.setInsertionPointToEnd(exit);
  return success();
}

LogicalResult Emitter::emitIf(scf::IfOp op) {
  Block *then = addBlock({});
  Block *exit = addBlock(op.getResults());
  Block *otherwise = op.elseBlock() ? addBlock({}) : exit;
  LLVM::CondBrOp::create(b, loc, getScalar(op.getCondition()), then,
                         ValueRange(), otherwise, ValueRange());
  for (auto [from, to] : {std::pair(op.thenBlock(), then),
                          std::pair(op.elseBlock(), otherwise)}) {
    if (!from)
      continue;
    b.setInsertionPointToEnd(to);
    if (failed(emitBlock(*from)))
      return failure();
    LLVM::BrOp::create(b, loc, flatten(from->getTerminator()->getOperands()),
                       exit);
  }
  // The body may have added values under the names of the results' block.
  setAll(op.getResults(), exit->getArguments());
  b.setInsertionPointToEnd(exit);
  return success();
}
