//===- SinkBroadcasts.cpp - compute on the small tile, then repeat --------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// An operation on tiles that are all repeated from smaller ones gives the same
// element many times. The smallest shape that still has every element is the
// largest of the sources' sizes, axis by axis; a scalar counts as size one on
// every axis.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "tilec/Dialect/Tile/Transforms/Passes.h"
#include "tilec/Dialect/Tile/Transforms/Transforms.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILESINKBROADCASTSPASS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

/// Does the operation compute each element from the operands' elements alone,
/// and nothing else?
static bool isElementwise(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 ||
      op->getNumOperands() == 0 || !isMemoryEffectFree(op) ||
      !isa<RankedTensorType>(op->getResult(0).getType()))
    return false;
  if (op->hasAttr(kDivisibilityAttr) || op->hasAttr(kContiguityAttr) ||
      op->hasAttr(kConstancyAttr))
    return false; // what the user says is about this shape
  return isa<AddPtrOp, PtrCastOp>(op) ||
         OpTrait::hasElementwiseMappableTraits(op);
}

/// The one value of a constant tile, or null.
static TypedAttr getSplatConstant(Value value) {
  SplatElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)))
    return {};
  return cast<TypedAttr>(elements.getSplatValue<Attribute>());
}

/// Widens `sizes`, the shape that is needed so far, by what the operand needs.
/// Fails if the operand is not repeated along any axis, as far as one can see.
static LogicalResult addNeededSizes(Value operand,
                                    MutableArrayRef<int64_t> sizes) {
  if (!isa<RankedTensorType>(operand.getType()) ||
      operand.getDefiningOp<SplatOp>() || getSplatConstant(operand))
    return success();
  auto broadcast = operand.getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return failure();
  for (auto [size, from] :
       llvm::zip(sizes, getShape(broadcast.getSrc().getType())))
    size = std::max(size, from);
  return success();
}

/// The elements of `operand` in `shape`, or as a scalar where that is empty.
static Value getSmaller(Value operand, ArrayRef<int64_t> shape, Location loc,
                        OpBuilder &builder) {
  auto type = dyn_cast<RankedTensorType>(operand.getType());
  if (!type)
    return operand; // a scalar condition, say
  auto smaller = RankedTensorType::get(shape, type.getElementType());
  if (TypedAttr constant = getSplatConstant(operand)) {
    if (!shape.empty())
      constant = SplatElementsAttr::get(smaller, Attribute(constant));
    return arith::ConstantOp::create(builder, loc, constant);
  }
  if (auto splat = operand.getDefiningOp<SplatOp>()) {
    if (shape.empty())
      return splat.getSrc();
    return SplatOp::create(builder, loc, smaller, splat.getSrc());
  }
  Value source = operand.getDefiningOp<BroadcastOp>().getSrc();
  if (source.getType() == smaller)
    return source;
  return BroadcastOp::create(builder, loc, smaller, source);
}

namespace {
/// An elementwise operation of repeated tiles is the repeated result of the
/// same operation on smaller ones.
struct SinkBroadcasts : RewritePattern {
  explicit SinkBroadcasts(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isElementwise(op))
      return failure();
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    SmallVector<int64_t> shape(type.getRank(), 1);
    for (Value operand : op->getOperands())
      if (failed(addNeededSizes(operand, shape)))
        return rewriter.notifyMatchFailure(op, "an operand is not repeated");
    bool isScalar = llvm::none_of(op->getOperands(), [](Value operand) {
      return operand.getDefiningOp<BroadcastOp>();
    });
    if (!isScalar && ArrayRef<int64_t>(shape) == type.getShape())
      return rewriter.notifyMatchFailure(
          op, "together the operands need all of it");
    if (isScalar)
      shape.clear();

    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(getSmaller(operand, shape, op->getLoc(), rewriter));
    Type element = type.getElementType();
    Type smaller = isScalar ? element : RankedTensorType::get(shape, element);
    Operation *result = Operation::create(
        op->getLoc(), op->getName(), smaller, operands,
        op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
        /*successors=*/{}, /*numRegions=*/0);
    rewriter.insert(result);
    if (isScalar)
      rewriter.replaceOpWithNewOp<SplatOp>(op, type, result->getResult(0));
    else
      rewriter.replaceOpWithNewOp<BroadcastOp>(op, type, result->getResult(0));
    return success();
  }
};

/// The pass of Passes.td.
struct TileSinkBroadcastsPass
    : tilec::tile::impl::TileSinkBroadcastsPassBase<TileSinkBroadcastsPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateSinkBroadcastsPatterns(patterns);
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace

void tilec::tile::populateSinkBroadcastsPatterns(RewritePatternSet &patterns) {
  patterns.add<SinkBroadcasts>(patterns.getContext());
}
