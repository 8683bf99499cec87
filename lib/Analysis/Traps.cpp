//===- Traps.cpp - warnings that need the IR ------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/Traps.h"
#include "TrapFinders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "tilec/Analysis/Alias.h"
#include "tilec/Analysis/AxisInfo.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace tilec;

/// Is an integer computed from the same integers, element by element?
static bool isIndexArithmetic(Operation *op) {
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp,
             arith::ExtSIOp, arith::ExtUIOp, tile::SplatOp, tile::BroadcastOp,
             tile::ExpandDimsOp, tile::ReshapeOp, tile::TransOp>(op);
}

/// The value that an integer repeats or widens.
static Value getOrigin(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && isIndexArithmetic(op) && op->getNumOperands() == 1) {
    value = op->getOperand(0);
    op = value.getDefiningOp();
  }
  return value;
}

/// The integer that all elements of a value are, if it is known.
static std::optional<int64_t> constantOf(Value value) {
  APInt number;
  if (!matchPattern(getOrigin(value), m_ConstantInt(&number)))
    return std::nullopt;
  return number.getSExtValue();
}

/// Do two integers have one value?
static bool areEqual(Value a, Value b) {
  std::optional<int64_t> known = constantOf(a);
  return getOrigin(a) == getOrigin(b) || (known && known == constantOf(b));
}

/// Is it `(x + y - 1) // y`, which rounds up what is not negative? Sizes are
/// divided so, by `cdiv` too.
static bool roundsUp(arith::DivSIOp division) {
  Value divisor = division.getRhs();
  auto isLess = [&](Value value) { // by 1 than the divisor
    if (std::optional<int64_t> known = constantOf(value))
      return constantOf(divisor) && *known == *constantOf(divisor) - 1;
    auto minus = getOrigin(value).getDefiningOp<arith::SubIOp>();
    return minus && areEqual(minus.getLhs(), divisor) &&
           constantOf(minus.getRhs()) == 1;
  };
  Value dividend = getOrigin(division.getLhs());
  if (auto sum = dividend.getDefiningOp<arith::AddIOp>())
    return isLess(sum.getLhs()) || isLess(sum.getRhs());
  auto minus = dividend.getDefiningOp<arith::SubIOp>();
  auto sum = minus && constantOf(minus.getRhs()) == 1
                 ? minus.getLhs().getDefiningOp<arith::AddIOp>()
                 : arith::AddIOp();
  return sum &&
         (areEqual(sum.getLhs(), divisor) || areEqual(sum.getRhs(), divisor));
}

/// Of quotients and remainders that Python would round otherwise.
static void warnOfFloorDivision(func::FuncOp kernel, Warnings &warnings) {
  SmallVector<Operation *> divisions;
  kernel.walk([&](Operation *op) {
    auto quotient = dyn_cast<arith::DivSIOp>(op);
    if (isa<arith::RemSIOp>(op) || (quotient && !roundsUp(quotient)))
      divisions.push_back(op);
  });
  if (divisions.empty())
    return;
  AxisInfoAnalysis facts(kernel);
  for (Operation *op : divisions) {
    if (facts.get(op->getOperand(0)).nonNegative)
      continue;
    bool isQuotient = isa<arith::DivSIOp>(op);
    warnings.report(
        Warning::FloorDivision, op->getLoc(),
        isQuotient ? "'//' rounds toward 0, where Python rounds down, and this "
                     "dividend may be negative; add a multiple of the divisor "
                     "before, and take it off after"
                   : "'%' has the sign of the dividend, where Python's has "
                     "that of the divisor, and this dividend may be negative; "
                     "add a multiple of the divisor before");
  }
}

/// Of products that overflow when arrays get large enough.
static void warnOfOffsets(func::FuncOp kernel, Warnings &warnings) {
  llvm::DenseSet<Operation *> seen;
  kernel.walk([&](tile::AddPtrOp address) {
    SmallVector<Value> open = {address->getOperand(1)};
    while (!open.empty()) {
      Operation *op = open.pop_back_val().getDefiningOp();
      if (!op || !isIndexArithmetic(op) || !seen.insert(op).second)
        continue;
      llvm::append_range(open, op->getOperands());
      if (isa<arith::MulIOp>(op) &&
          getElementTypeOrSelf(op->getResult(0).getType()).isInteger(32) &&
          llvm::none_of(op->getOperands(), constantOf))
        warnings.report(Warning::Int32Offset, op->getLoc(),
                        "this product in an address is int32 and overflows in "
                        "arrays of 2^31 elements; make one side int64 with "
                        ".to()",
                        {{address.getLoc(), "this address uses it"}});
    }
  });
}

/// Of loads of what a store before them, through another argument, may have
/// changed.
static void warnOfAliases(func::FuncOp kernel, Warnings &warnings) {
  SmallVector<std::pair<tile::StoreOp, Value>> stores;
  kernel.walk([&](Operation *op) {
    if (auto store = dyn_cast<tile::StoreOp>(op))
      if (Value base = getMemoryBase(store.getPtr()))
        stores.push_back({store, base});
    auto load = dyn_cast<tile::LoadOp>(op);
    Value base = load ? getMemoryBase(load.getPtr()) : Value();
    if (!base)
      return;
    for (auto [store, other] : stores) {
      if (base == other || base.getType() != other.getType())
        continue;
      warnings.report(Warning::StoreLoadAlias, load.getLoc(),
                      "this load is taken to see nothing of a store before it "
                      "through another argument; load through the same "
                      "argument what the kernel has stored",
                      {{store.getLoc(), "the store is here"}});
      break;
    }
  });
}

LogicalResult tilec::warnOfTraps(ModuleOp module,
                                 const WarningOptions &options) {
  Warnings warnings(options);
  for (func::FuncOp kernel : module.getOps<func::FuncOp>()) {
    if (kernel.isExternal())
      continue;
    warnOfOverlappingStores(kernel, warnings);
    warnOfMaskedZeros(kernel, warnings);
    warnOfLoopProducts(kernel, warnings);
    warnOfUnmaskedStores(kernel, warnings);
    if (warnings.isEnabled(Warning::FloorDivision))
      warnOfFloorDivision(kernel, warnings);
    if (warnings.isEnabled(Warning::Int32Offset))
      warnOfOffsets(kernel, warnings);
    if (warnings.isEnabled(Warning::StoreLoadAlias))
      warnOfAliases(kernel, warnings);
  }
  return success(!warnings.hasErrors());
}
