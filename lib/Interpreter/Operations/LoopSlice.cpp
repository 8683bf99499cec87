//===- LoopSlice.cpp - what decides whether a loop goes on ----------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A walk from the condition, or from accesses, back to what the loop carries.
//
//===----------------------------------------------------------------------===//

#include "Operations/LoopSlice.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::interpreter;

namespace {
/// What some values in a loop are computed from.
class Walk {
public:
  explicit Walk(scf::WhileOp loop)
      : loop(loop), carried(loop.getBeforeArguments().size()) {}

  void add(ValueRange values) { work.append(values.begin(), values.end()); }
  /// Adds what an operation reads, and what decides whether it runs.
  void addOperation(Operation *op);
  /// The carried values that were reached.
  llvm::BitVector finish();

private:
  void visit(Value value);

  scf::WhileOp loop;
  llvm::BitVector carried;
  SmallVector<Value> work;
  llvm::DenseSet<Value> seen;
  llvm::DenseSet<Operation *> seenOperations;
};
} // namespace

void Walk::addOperation(Operation *op) {
  if (!seenOperations.insert(op).second)
    return;
  op->walk([&](Operation *inner) { add(inner->getOperands()); });
  Operation *parent = op->getParentOp();
  if (parent == loop || !loop->isProperAncestor(parent))
    return;
  // A branch matters by its condition; how often a loop runs, by all in it.
  if (isa<LoopLikeOpInterface>(parent))
    addOperation(parent);
  for (; parent != loop; parent = parent->getParentOp())
    add(parent->getOperands());
}

void Walk::visit(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    unsigned number = argument.getArgNumber();
    if (argument.getOwner() == loop.getBeforeBody()) {
      carried.set(number);
      add(loop.getYieldOp().getOperands()[number]);
      return;
    }
    if (argument.getOwner() == loop.getAfterBody()) {
      add(loop.getConditionOp().getArgs()[number]);
      return;
    }
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    op = cast<BlockArgument>(value).getOwner()->getParentOp();
  if (loop->isProperAncestor(op))
    addOperation(op);
}

llvm::BitVector Walk::finish() {
  while (!work.empty())
    if (Value value = work.pop_back_val(); seen.insert(value).second)
      visit(value);
  return carried;
}

LoopSlice tilec::interpreter::sliceLoop(scf::WhileOp loop) {
  LoopSlice slice;
  Walk decides(loop), matters(loop);
  decides.add(loop.getConditionOp().getCondition());
  matters.add(loop.getConditionOp().getCondition());
  loop.walk([&](Operation *op) {
    slice.reads |=
        isa<tile::LoadOp, tile::AtomicRMWOp, tile::AtomicCASOp, func::CallOp>(
            op);
    if (op->getNumRegions() == 0 && !op->hasTrait<OpTrait::IsTerminator>() &&
        !isMemoryEffectFree(op))
      matters.addOperation(op);
  });
  slice.decides = decides.finish();
  slice.matters = matters.finish();
  return slice;
}
