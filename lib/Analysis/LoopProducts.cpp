//===- LoopProducts.cpp - products that a loop repeats or forgets ---------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A loop over the inner dimension of a product adds up other products in each
// round. Where the operands do not change, pointers are not moved; where the
// next round replaces the product, it is not added.
//
//===----------------------------------------------------------------------===//

#include "TrapFinders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace tilec;

/// Is a value, inside a loop, the same in every round? A load is, if nothing in
/// the loop writes.
static bool isInvariant(Value value, scf::ForOp loop, bool writes,
                        llvm::SmallDenseMap<Value, bool> &known) {
  if (!loop->isAncestor(value.getParentRegion()->getParentOp()))
    return true;
  auto [it, isNew] = known.try_emplace(value, false);
  if (!isNew)
    return it->second;
  Operation *op = value.getDefiningOp();
  auto isSteadyLoad = [&](Operation *op) {
    auto load = dyn_cast<tile::LoadOp>(op);
    return load && !writes && !load.getIsVolatile();
  };
  bool result = op && op->getNumRegions() == 0 &&
                (isPure(op) || isSteadyLoad(op)) &&
                llvm::all_of(op->getOperands(), [&](Value operand) {
                  return isInvariant(operand, loop, writes, known);
                });
  known[value] = result;
  return result;
}

/// Is a product added to what the loop carries?
static bool isAddedUp(tile::DotOp dot, scf::ForOp loop) {
  auto isCarried = [&](Value value) {
    return llvm::is_contained(loop.getRegionIterArgs(), value);
  };
  return isCarried(dot.getC()) ||
         llvm::any_of(dot->getUsers(), [&](Operation *user) {
           return isa<arith::AddFOp, arith::AddIOp>(user) &&
                  llvm::any_of(user->getOperands(), isCarried);
         });
}

/// Of a product whose operands are the same in every round.
static void warnOfRepeated(scf::ForOp loop, Warnings &warnings) {
  bool writes = loop.walk([](Operation *op) {
                      return isa<tile::StoreOp, tile::AtomicRMWOp,
                                 tile::AtomicCASOp, tile::BarrierOp>(op)
                                 ? WalkResult::interrupt()
                                 : WalkResult::advance();
                    })
                    .wasInterrupted();
  llvm::SmallDenseMap<Value, bool> known;
  for (auto dot : loop.getOps<tile::DotOp>())
    if (isAddedUp(dot, loop) && isInvariant(dot.getA(), loop, writes, known) &&
        isInvariant(dot.getB(), loop, writes, known))
      warnings.report(Warning::RepeatedProduct, dot.getLoc(),
                      "this product has the same operands in every round of "
                      "the loop that adds it up; move the pointers on, or "
                      "take it out of the loop",
                      {{loop.getLoc(), "the loop is here"}});
}

/// Of a product that the next round replaces.
static void warnOfLost(scf::ForOp loop, Warnings &warnings) {
  for (auto [argument, value, result] :
       llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues(),
                 loop.getResults())) {
    auto dot = value.getDefiningOp<tile::DotOp>();
    if (dot && argument.use_empty() && !result.use_empty() &&
        dot->getBlock() == loop.getBody() && dot->hasOneUse())
      warnings.report(Warning::LostProduct, dot.getLoc(),
                      "each round of the loop replaces this product, so that "
                      "the last one alone counts; add it with '+=', or give "
                      "dot() the sum as acc",
                      {{loop.getLoc(), "the loop is here"}});
  }
}

void tilec::warnOfLoopProducts(func::FuncOp kernel, Warnings &warnings) {
  if (!warnings.isEnabled(Warning::RepeatedProduct) &&
      !warnings.isEnabled(Warning::LostProduct))
    return;
  kernel.walk([&](scf::ForOp loop) {
    if (loop.getOps<tile::DotOp>().empty())
      return;
    warnOfRepeated(loop, warnings);
    warnOfLost(loop, warnings);
  });
}
