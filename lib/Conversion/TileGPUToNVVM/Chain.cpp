//===- Chain.cpp - elementwise operations, register by register -----------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The order in which the elements of tiles are computed decides how many
// registers are needed at once.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// Is this an operation on each element of tiles, from the tables of
/// arithmetic? Others are emitted by themselves.
static bool mayJoinChain(Operation *op) {
  return op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         isa<RankedTensorType>(op->getResult(0).getType()) &&
         (isa<tile::AddPtrOp, tile::PtrCastOp>(op) ||
          (isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
               op->getDialect()) &&
           !isa<arith::ConstantOp>(op)));
}

/// One register of the result of an elementwise operation.
static LogicalResult emitRegister(Emitter &e, Operation *op, unsigned r,
                                  Registers &results) {
  SmallVector<Value, 3> operands;
  for (Value operand : op->getOperands()) {
    ArrayRef<Value> registers = e.get(operand);
    operands.push_back(registers.size() == 1 ? registers[0] : registers[r]);
  }
  e.loc = op->getLoc();
  results.push_back(emitElement(e, op, operands));
  return success(results.back() != nullptr);
}

/// The bits of a register's number that its value does not depend on: integers
/// and pointers may be equal in groups of elements, as the mask of a vector is.
unsigned Emitter::findRepeats(Operation *op) const {
  Value result = op->getResult(0);
  AxisInfo info = certainInfo.get(result);
  if (llvm::all_of(info.constancy, [](int64_t size) { return size == 1; }))
    return 0;
  const LinearLayout &layout = getLayout(result.getType());
  unsigned repeats = 0;
  for (auto [bit, column] : llvm::enumerate(layout.columns(InDim::Register)))
    if (llvm::all_of(llvm::seq(layout.rank()), [&](unsigned axis) {
          return layout.coordinate(column, axis) < info.constancy[axis];
        }))
      repeats |= 1u << bit;
  return repeats;
}

LogicalResult Emitter::emitChain(ArrayRef<Operation *> chain) {
  if (chain.empty())
    return success();
  // Register by register through the whole chain: what one operation hands to
  // the next is a value, not a tile, and a tile of masks would not fit the
  // predicates.
  unsigned count =
      getLayout(chain.front()->getResult(0).getType()).size(InDim::Register);
  SmallVector<unsigned> repeats;
  for (Operation *op : chain) {
    values[op->getResult(0)] = {};
    repeats.push_back(findRepeats(op));
  }
  for (unsigned r = 0; r < count; ++r)
    for (auto [op, repeated] : llvm::zip(chain, repeats)) {
      Registers results(std::move(values[op->getResult(0)]));
      if (r & repeated)
        results.push_back(results[r & ~repeated]);
      else if (failed(emitRegister(*this, op, r, results)))
        return failure();
      values[op->getResult(0)] = std::move(results);
    }
  return success();
}

/// A wider copy of a tile is made where it is first used: until then the narrow
/// one takes fewer registers. Not of masks, for which there are few predicates.
static void sinkExtensions(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (!isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(op) ||
        !isa<RankedTensorType>(op.getResult(0).getType()) ||
        getElementTypeOrSelf(op.getOperand(0).getType()).isInteger(1))
      continue;
    Operation *first = nullptr;
    for (Operation *user : op.getUsers())
      if (Operation *at = block.findAncestorOpInBlock(*user);
          at && (!first || at->isBeforeInBlock(first)))
        first = at;
    if (first)
      op.moveBefore(first);
  }
}

LogicalResult Emitter::emitBlock(Block &block) {
  sinkExtensions(block);
  SmallVector<Operation *> chain;
  llvm::SmallPtrSet<Operation *, 16> inChain;
  auto usesChain = [&](Operation *op) {
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      return inChain.contains(operand.getDefiningOp());
    });
  };
  auto flush = [&] {
    LogicalResult result = emitChain(chain);
    chain.clear();
    inChain.clear();
    return result;
  };
  for (Operation &op : block.without_terminator()) {
    if (mayJoinChain(&op) &&
        (chain.empty() ||
         getLayout(op.getResult(0).getType()) ==
             getLayout(chain.front()->getResult(0).getType()))) {
      chain.push_back(&op);
      inChain.insert(&op);
      continue;
    }
    // What has no side effects and needs nothing of the chain comes before it.
    bool before = isPure(&op) && op.getNumRegions() == 0 && !usesChain(&op);
    if (!before && failed(flush()))
      return failure();
    if (failed(emit(&op)))
      return failure();
  }
  return flush();
}

LogicalResult tilec::emitElementwise(Emitter &e, Operation *op) {
  size_t count = 1;
  if (auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType()))
    count = getLayout(type).size(InDim::Register);
  Registers results;
  for (size_t r = 0; r < count; ++r)
    if (failed(emitRegister(e, op, r, results)))
      return failure();
  e.set(op->getResult(0), std::move(results));
  return success();
}
