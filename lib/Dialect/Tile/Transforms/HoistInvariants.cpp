//===- HoistInvariants.cpp - computes once what a loop computes again -----===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// MLIR's loop-invariant code motion, inner loops first, with an account of what
// it did and of the loads that it had to leave.
//
//===----------------------------------------------------------------------===//

#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "tilec/Analysis/Remarks.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "tilec/Dialect/Tile/Transforms/Passes.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEHOISTINVARIANTSPASS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec;

/// Moves what it can out of a loop; returns how many operations on tiles went.
static unsigned hoist(LoopLikeOpInterface loop) {
  unsigned tiles = 0;
  moveLoopInvariantCode(
      loop.getLoopRegions(),
      [&](Value value, Region *) { return loop.isDefinedOutsideOfLoop(value); },
      [&](Operation *op, Region *) {
        return isMemoryEffectFree(op) && isSpeculatable(op);
      },
      [&](Operation *op, Region *) {
        tiles += llvm::any_of(op->getResultTypes(),
                              [](Type type) { return isa<TensorType>(type); });
        loop.moveOutOfLoop(op);
      });
  return tiles;
}

namespace {
struct TileHoistInvariantsPass
    : tile::impl::TileHoistInvariantsPassBase<TileHoistInvariantsPass> {
  void runOnOperation() override {
    getOperation()->walk([&](LoopLikeOpInterface loop) {
      if (unsigned tiles = hoist(loop))
        remarkPassed(loop, getArgument(), "hoisted")
            << remark::add("{0} operation{1} on tiles moved out of the loop",
                           tiles, tiles == 1 ? "" : "s");
      for (Region *region : loop.getLoopRegions())
        for (auto load : region->getOps<tile::LoadOp>())
          if (llvm::all_of(load->getOperands(), [&](Value operand) {
                return loop.isDefinedOutsideOfLoop(operand);
              }))
            remarkMissed(load, getArgument(), "hoisted") << remark::add(
                "every iteration loads from the same addresses: load before "
                "the loop if nothing writes there");
    });
  }
};
} // namespace
