//===- UnmaskedStores.cpp - stores beyond what loads are masked to --------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "TrapFinders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace tilec;

/// All that an offset is computed from, element by element.
static llvm::SmallPtrSet<Value, 16> getParts(Value offset) {
  llvm::SmallPtrSet<Value, 16> parts;
  SmallVector<Value> open = {offset};
  while (!open.empty()) {
    Value value = open.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (parts.insert(value).second && op &&
        isa<arith::AddIOp, arith::MulIOp, arith::ExtSIOp, tile::BroadcastOp,
            tile::ExpandDimsOp>(op))
      llvm::append_range(open, op->getOperands());
  }
  return parts;
}

/// Is `part < size` in a mask?
static bool isBounded(Value mask, const llvm::SmallPtrSet<Value, 16> &parts) {
  Operation *op = mask.getDefiningOp();
  if (isa_and_nonnull<arith::AndIOp, tile::BroadcastOp, tile::ExpandDimsOp>(op))
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      return isBounded(operand, parts);
    });
  auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
  if (!compare || !isa<RankedTensorType>(compare.getLhs().getType()) ||
      (compare.getPredicate() != arith::CmpIPredicate::slt &&
       compare.getPredicate() != arith::CmpIPredicate::ult))
    return false;
  // Each `i[:, None]` is an operation of its own.
  Value part = compare.getLhs();
  while (isa_and_nonnull<tile::BroadcastOp, tile::ExpandDimsOp>(
      part.getDefiningOp()))
    part = part.getDefiningOp()->getOperand(0);
  return parts.contains(part);
}

/// The offsets of an access through `pointers + offsets`; null for others.
static Value getOffset(Value pointer) {
  auto address = pointer.getDefiningOp<tile::AddPtrOp>();
  return address ? address->getOperand(1) : Value();
}

/// A load of the same offsets from whose elements the stored ones are computed
/// one by one, and that is masked to those in an array; null if there is none.
static tile::LoadOp findMaskedLoad(tile::StoreOp store, Value offset) {
  llvm::SmallPtrSet<Operation *, 16> seen;
  SmallVector<Value> open = {store.getValue()};
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != store->getBlock() || !seen.insert(op).second)
      continue;
    if (op->hasTrait<OpTrait::Elementwise>())
      llvm::append_range(open, op->getOperands());
    auto load = dyn_cast<tile::LoadOp>(op);
    if (load && load.getMask() && getOffset(load.getPtr()) == offset &&
        isBounded(load.getMask(), getParts(offset)))
      return load;
  }
  return {};
}

void tilec::warnOfUnmaskedStores(func::FuncOp kernel, Warnings &warnings) {
  if (!warnings.isEnabled(Warning::UnmaskedStore))
    return;
  kernel.walk([&](tile::StoreOp store) {
    Value offset = store.getMask() ? Value() : getOffset(store.getPtr());
    tile::LoadOp load = offset ? findMaskedLoad(store, offset) : tile::LoadOp();
    // With `other` the kernel says what is to fill up a longer row.
    if (load && !load.getOther())
      warnings.report(Warning::UnmaskedStore, store.getLoc(),
                      "this store has no mask, where the load of what it "
                      "stores has one for the same offsets; give it the mask "
                      "of the load",
                      {{load.getLoc(), "the load is here"}});
  });
}
