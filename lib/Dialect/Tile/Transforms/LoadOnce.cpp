//===- LoadOnce.cpp - one value for all threads of a program --------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A scalar is loaded by each thread for itself, which is cheap, and right as
// long as all see the same. Where another program may write between two
// threads' loads, and threads would go different ways, one thread has to load
// for all.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/Alias.h"
#include "tilec/Analysis/MemoryAccess.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "tilec/Dialect/Tile/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILELOADONCEPASS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec;
using tile::AtomicCASOp, tile::AtomicRMWOp, tile::LoadOp, tile::StoreOp;

/// The values in other blocks that an operand of a terminator becomes.
static void follow(Operation *terminator, unsigned number,
                   llvm::SetVector<Value> &values) {
  Operation *parent = terminator->getParentOp();
  if (auto condition = dyn_cast<scf::ConditionOp>(terminator)) {
    auto loop = cast<scf::WhileOp>(parent);
    values.insert(loop.getAfterArguments()[number - 1]);
    values.insert(loop.getResult(number - 1));
  } else if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
    values.insert(loop.getBeforeArguments()[number]);
  } else if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    values.insert(loop.getRegionIterArgs()[number]);
    values.insert(loop.getResult(number));
  } else if (isa<scf::IfOp>(parent)) {
    values.insert(parent->getResult(number));
  }
}

/// Does a value decide where a program goes on?
static bool steers(Value value) {
  llvm::SetVector<Value> values;
  values.insert(value);
  for (unsigned i = 0; i < values.size(); ++i) // grows while it is walked
    for (OpOperand &use : values[i].getUses()) {
      Operation *user = use.getOwner();
      unsigned number = use.getOperandNumber();
      if (isa<scf::IfOp>(user) ||
          (isa<scf::ConditionOp>(user) && number == 0) ||
          (isa<scf::ForOp>(user) && number < 3))
        return true;
      if (user->hasTrait<OpTrait::IsTerminator>()) {
        follow(user, number, values);
      } else if (auto loop = dyn_cast<scf::ForOp>(user)) {
        values.insert(loop.getRegionIterArgs()[number - 3]);
        values.insert(loop.getResult(number - 3));
      } else if (auto loop = dyn_cast<scf::WhileOp>(user)) {
        values.insert(loop.getBeforeArguments()[number]);
      } else {
        values.insert(user->result_begin(), user->result_end());
      }
    }
  return false;
}

/// Does a loop read an address again and again, for somebody else to write it?
static bool waits(LoadOp load) {
  auto loop = load->getParentOfType<scf::WhileOp>();
  return loop && cast<LoopLikeOpInterface>(loop.getOperation())
                     .isDefinedOutsideOfLoop(load.getPtr());
}

namespace {
struct TileLoadOncePass : tile::impl::TileLoadOncePassBase<TileLoadOncePass> {
  void runOnOperation() override {
    SmallVector<LoadOp> loads;
    SmallVector<Value> written; // null where the argument is not known
    getOperation()->walk([&](Operation *op) {
      if (auto load = dyn_cast<LoadOp>(op);
          load && !isa<TensorType>(load.getType()) && !load.getIsVolatile())
        loads.push_back(load);
      else if (isa<StoreOp, AtomicRMWOp, AtomicCASOp>(op))
        written.push_back(getMemoryBase(getMemoryOperands(op).pointer));
    });
    for (LoadOp load : loads) {
      Value base = getMemoryBase(load.getPtr());
      bool mayChange = llvm::any_of(written, [&](Value other) {
        return !other || !base || other == base;
      });
      if ((mayChange || waits(load)) && steers(load.getResult()))
        load.setIsVolatile(true);
    }
  }
};
} // namespace
