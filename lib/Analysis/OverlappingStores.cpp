//===- OverlappingStores.cpp - stores that programs race for --------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Which axes of the grid a value depends on, by what it is computed from. Where
// a stored value depends on an axis and neither its address nor whether it is
// stored does, the programs along the axis overwrite each other's value.
//
//===----------------------------------------------------------------------===//

#include "TrapFinders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace tilec;

/// Axes of the grid as bits 0 to 2. An atomic operation or assembly may give
/// each program another value: it may stand for all axes.
using Axes = uint8_t;
static constexpr Axes kUnknown = 8;

namespace {
/// What the values of a kernel depend on.
class GridDependence {
public:
  explicit GridDependence(func::FuncOp kernel) {
    visit(kernel.getBody().front(), 0);
  }

  Axes get(Value value) const { return axes.lookup(value); }
  Axes get(ValueRange values) const {
    Axes all = 0;
    for (Value value : values)
      all |= get(value);
    return all;
  }
  /// What decides whether an operation is executed, and how often.
  Axes getControl(Operation *op) const { return controls.lookup(op); }

private:
  void visit(Block &block, Axes control);
  void visit(Operation *op, Axes control);
  void visitIf(scf::IfOp branch, Axes control);
  void visitLoop(LoopLikeOpInterface loop, Axes bounds, Axes control);
  /// Adds to what a value depends on; true if that is news.
  bool add(Value value, Axes more) {
    if (!more)
      return false;
    Axes &known = axes[value];
    bool isNew = more & ~known;
    known |= more;
    return isNew;
  }

  llvm::DenseMap<Value, Axes> axes;
  llvm::DenseMap<Operation *, Axes> controls;
};
} // namespace

void GridDependence::visit(Block &block, Axes control) {
  for (Operation &op : block)
    visit(&op, control);
}

void GridDependence::visitIf(scf::IfOp branch, Axes control) {
  Axes condition = get(branch.getCondition());
  for (Region &region : branch->getRegions()) {
    if (region.empty())
      continue;
    visit(region.front(), control | condition);
    for (auto [result, value] :
         llvm::zip(branch.getResults(),
                   region.front().getTerminator()->getOperands()))
      add(result, get(value) | condition);
  }
}

/// What a loop carries is followed round until nothing is news.
void GridDependence::visitLoop(LoopLikeOpInterface loop, Axes bounds,
                               Axes control) {
  auto whileLoop = dyn_cast<scf::WhileOp>(loop.getOperation());
  for (bool isNew = true; isNew;) {
    isNew = false;
    for (auto [argument, init] :
         llvm::zip(loop.getRegionIterArgs(), loop.getInits()))
      add(argument, get(init));
    if (whileLoop) {
      visit(*whileLoop.getBeforeBody(), control | bounds);
      scf::ConditionOp condition = whileLoop.getConditionOp();
      bounds |= get(condition.getCondition());
      for (auto [argument, value] :
           llvm::zip(whileLoop.getAfterArguments(), condition.getArgs()))
        add(argument, get(value) | bounds);
      visit(*whileLoop.getAfterBody(), control | bounds);
    } else {
      visit(loop.getLoopRegions().front()->front(), control | bounds);
    }
    for (auto [argument, value] :
         llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues()))
      isNew |= add(argument, get(value));
  }
  ValueRange last = whileLoop ? ValueRange(whileLoop.getConditionOp().getArgs())
                              : ValueRange(loop.getYieldedValues());
  for (auto [result, value] : llvm::zip(loop->getResults(), last))
    add(result, get(value) | bounds);
  if (!whileLoop)
    for (auto [result, init] : llvm::zip(loop->getResults(), loop.getInits()))
      add(result, get(init));
}

void GridDependence::visit(Operation *op, Axes control) {
  if (auto program = dyn_cast<tile::ProgramIdOp>(op)) {
    add(program, Axes(1) << program.getAxis());
    return;
  }
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return visitIf(branch, control);
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    Axes bounds =
        get({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
    add(loop.getInductionVar(), bounds);
    return visitLoop(loop, bounds, control);
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return visitLoop(loop, 0, control);
  if (isa<tile::StoreOp>(op) && control)
    controls[op] = control;
  Axes all = get(op->getOperands());
  if (isa<tile::AtomicRMWOp, tile::AtomicCASOp, tile::InlineAsmOp>(op))
    all |= kUnknown;
  // The regions of reductions compute on elements of the operands.
  for (Value result : op->getResults())
    add(result, all);
}

/// Do programs of a grid wait for each other?
static bool isSynchronized(func::FuncOp kernel) {
  return kernel
      .walk([](Operation *op) {
        bool waits = isa<tile::AtomicCASOp>(op) ||
                     (isa<tile::AtomicRMWOp>(op) && !op->use_empty());
        if (auto load = dyn_cast<tile::LoadOp>(op))
          if (auto loop = dyn_cast<scf::WhileOp>(load->getParentOp()))
            waits |= load->getParentRegion() == &loop.getBefore();
        return waits ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

void tilec::warnOfOverlappingStores(func::FuncOp kernel, Warnings &warnings) {
  if (!warnings.isEnabled(Warning::OverlappingStore) &&
      !warnings.isEnabled(Warning::OverlappingAxis))
    return;
  SmallVector<tile::StoreOp> stores;
  kernel.walk([&](tile::StoreOp store) { stores.push_back(store); });
  if (stores.empty() || isSynchronized(kernel))
    return;
  GridDependence dependence(kernel);
  for (tile::StoreOp store : stores) {
    Axes place = dependence.get(store.getPtr()) | dependence.getControl(store);
    if (Value mask = store.getMask())
      place |= dependence.get(mask);
    Axes open = dependence.get(store.getValue()) & ~place & ~kUnknown;
    if (!open || (place & kUnknown))
      continue;
    std::string axis = std::to_string(llvm::countr_zero(unsigned(open)));
    // An axis may have one program, which its launcher knows.
    if (!place)
      warnings.report(Warning::OverlappingStore, store.getLoc(),
                      "all programs of the grid store here to the same "
                      "addresses, each its own value; add an offset by "
                      "program_id(" +
                          axis + "), or use atomic_add");
    else
      warnings.report(Warning::OverlappingAxis, store.getLoc(),
                      "programs along axis " + Twine(axis) +
                          " of the grid store here to the same addresses, each "
                          "its own value; add an offset by program_id(" +
                          axis + "), unless the axis has one program");
  }
}
