//===- MaskedZeros.cpp - what masks leave out and reductions take ---------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A masked load without `other` gives 0 where the mask is false. From each
// reduction back, through what makes 0 of 0, to such loads.
//
//===----------------------------------------------------------------------===//

#include "TrapFinders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace tilec;

/// Of a tile as if it were flat.
static constexpr int kAnyAxis = -1;
/// Masks are followed so far.
static constexpr unsigned kMostDepth = 32;

/// Where an axis of the result lies in the operand of an operation that moves
/// elements; none if it has one element there.
static std::optional<int> axisInOperand(Operation *op, int axis) {
  if (axis == kAnyAxis || isa<tile::ReshapeOp>(op))
    return kAnyAxis;
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
    int added = expand.getAxis();
    return added == axis ? std::optional<int>()
                         : std::optional(axis - (added < axis));
  }
  if (auto trans = dyn_cast<tile::TransOp>(op))
    return int(trans.getOrder()[axis]);
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op))
    if (tile::getShape(broadcast->getOperand(0).getType())[axis] == 1)
      return std::nullopt;
  return axis;
}

static bool movesElements(Operation *op) {
  return isa<tile::BroadcastOp, tile::ExpandDimsOp, tile::ReshapeOp,
             tile::TransOp>(op);
}

/// May a mask have different elements along an axis?
static bool varies(Value mask, int axis, unsigned depth = 0) {
  Operation *op = mask.getDefiningOp();
  if (!isa<RankedTensorType>(mask.getType()) ||
      isa_and_nonnull<tile::SplatOp>(op))
    return false;
  if (auto constant = dyn_cast_or_null<arith::ConstantOp>(op))
    return !isa<SplatElementsAttr>(constant.getValue());
  if (!op || depth > kMostDepth)
    return true;
  if (movesElements(op)) {
    std::optional<int> inner = axisInOperand(op, axis);
    return inner && varies(op->getOperand(0), *inner, depth + 1);
  }
  if (!op->hasTrait<OpTrait::Elementwise>())
    return true;
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return varies(operand, axis, depth + 1);
  });
}

namespace {
/// What a reduction makes of its elements.
enum class Combination { Max, Min, Place, Product, Other };

/// Looks for the loads whose zeros reach a value.
class ZeroFinder {
public:
  explicit ZeroFinder(Combination combination) : combination(combination) {}

  /// The first such load; null if there is none.
  tile::LoadOp find(Value value, int axis);

private:
  tile::LoadOp findInLoop(scf::ForOp loop, unsigned number, int axis);
  bool keepsZero(Operation *op) const;

  Combination combination;
  llvm::SmallDenseSet<std::pair<Value, int>> seen;
};
} // namespace

/// Is the result 0 where an operand is, and may it be of either sign elsewhere?
bool ZeroFinder::keepsZero(Operation *op) const {
  if (isa<arith::MulFOp, arith::MulIOp>(op))
    return op->getOperand(0) != op->getOperand(1);
  if (combination == Combination::Max && isa<arith::MaxNumFOp>(op))
    return true;
  if (combination == Combination::Min && isa<arith::MinNumFOp>(op))
    return true;
  return isa<arith::ExtFOp, arith::TruncFOp, arith::AddFOp, arith::SubFOp,
             arith::NegFOp, arith::DivFOp, arith::ExtSIOp, arith::SIToFPOp,
             arith::AddIOp, arith::SubIOp>(op);
}

tile::LoadOp ZeroFinder::findInLoop(scf::ForOp loop, unsigned number,
                                    int axis) {
  if (tile::LoadOp load = find(loop.getYieldedValues()[number], axis))
    return load;
  return find(loop.getInitArgs()[number], axis);
}

tile::LoadOp ZeroFinder::find(Value value, int axis) {
  if (!isa<RankedTensorType>(value.getType()) ||
      !seen.insert({value, axis}).second)
    return {};
  Operation *op = value.getDefiningOp();
  if (!op) {
    auto argument = cast<BlockArgument>(value);
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop ? findInLoop(loop, argument.getArgNumber() - 1, axis)
                : tile::LoadOp();
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return findInLoop(loop, cast<OpResult>(value).getResultNumber(), axis);
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    bool hasZeros =
        load.getMask() && !load.getOther() && !load->hasAttr(tile::kPaddedAttr);
    return hasZeros && varies(load.getMask(), axis) ? load : tile::LoadOp();
  }
  if (movesElements(op)) {
    std::optional<int> inner = axisInOperand(op, axis);
    return inner ? find(op->getOperand(0), *inner) : tile::LoadOp();
  }
  if (!keepsZero(op))
    return {};
  if (isa<arith::DivFOp>(op))
    return find(op->getOperand(0), axis);
  if (isa<arith::AddFOp, arith::SubFOp, arith::AddIOp, arith::SubIOp>(op) &&
      combination != Combination::Other) {
    // What else is added along the axis may hide the zeros: -inf, say.
    Value x = op->getOperand(0), y = op->getOperand(1);
    tile::LoadOp a = find(x, axis), b = find(y, axis);
    if ((a && b) || (a && !varies(y, axis)) || (b && !varies(x, axis)))
      return a ? a : b;
    return {};
  }
  for (Value operand : op->getOperands())
    if (tile::LoadOp load = find(operand, axis))
      return load;
  return {};
}

/// What a reduction computes, by what it yields first.
static Combination classify(tile::ReduceOp reduce) {
  Operation *yield = reduce.getCombine().front().getTerminator();
  Operation *op = yield->getOperand(0).getDefiningOp();
  if (!op)
    return Combination::Other;
  if (isa<arith::MaxNumFOp, arith::MaximumFOp>(op))
    return Combination::Max;
  if (isa<arith::MinNumFOp, arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp>(
          op))
    return Combination::Min;
  if (isa<arith::MulFOp, arith::MulIOp>(op))
    return Combination::Product;
  // The place of the largest or least: both results by one condition, which
  // compares the elements.
  auto value = dyn_cast<arith::SelectOp>(op);
  auto place = yield->getNumOperands() == 2
                   ? yield->getOperand(1).getDefiningOp<arith::SelectOp>()
                   : arith::SelectOp();
  bool compares = !reduce.getCombine().getOps<arith::CmpFOp>().empty();
  return compares && value && place &&
                 value.getCondition() == place.getCondition()
             ? Combination::Place
             : Combination::Other;
}

void tilec::warnOfMaskedZeros(func::FuncOp kernel, Warnings &warnings) {
  bool warnsOfAll = warnings.isEnabled(Warning::MaskedLoad);
  if (!warnsOfAll && !warnings.isEnabled(Warning::MaskedReduction))
    return;
  auto report = [&](Warning warning, tile::LoadOp load, Operation *user,
                    const Twine &text) {
    warnings.report(warning, load.getLoc(), text,
                    {{user->getLoc(), "they are combined here"}});
  };
  kernel.walk([&](Operation *op) {
    auto reduce = dyn_cast<tile::ReduceOp>(op);
    Combination combination = reduce ? classify(reduce) : Combination::Other;
    if (combination != Combination::Other) {
      int axis = reduce.getAxis();
      static constexpr StringRef names[] = {
          "the max", "the min", "the place of the max or min", "the product"};
      if (tile::LoadOp load =
              ZeroFinder(combination).find(reduce.getInputs()[0], axis))
        return report(Warning::MaskedReduction, load, op,
                      "elements that the mask leaves out are 0 and take part "
                      "in " +
                          names[unsigned(combination)] +
                          " of others; give them a value that changes nothing "
                          "with other=");
    }
    if (!warnsOfAll || !isa<tile::ReduceOp, tile::ScanOp, tile::DotOp>(op))
      return;
    int axis = kAnyAxis;
    if (reduce)
      axis = reduce.getAxis();
    else if (auto scan = dyn_cast<tile::ScanOp>(op))
      axis = scan.getAxis();
    for (Value operand : op->getOperands())
      if (tile::LoadOp load =
              ZeroFinder(Combination::Other).find(operand, axis))
        report(Warning::MaskedLoad, load, op,
               "elements that the mask leaves out are combined with others; "
               "they are 0 here and undefined in Triton, write other=0 where "
               "that is meant");
  });
}
