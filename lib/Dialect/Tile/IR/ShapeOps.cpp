//===- ShapeOps.cpp - making and reshaping tiles --------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Verifiers and folders of the operations in ShapeOps.td. A constant of equal
// elements folds through all of them: that is how `zeros` and masks disappear.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace tilec::tile;

/// The constant with `src`'s one value in every element of `type`, if `src` is
/// such a constant.
static OpFoldResult foldSplat(Attribute src, Type type) {
  auto tensor = cast<RankedTensorType>(type);
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(src))
    return splat.resizeSplat(tensor);
  return {};
}

/// (C1) of several operations: the element types agree.
static LogicalResult verifySameElement(Operation *op, Type src, Type result) {
  if (getElementType(src) != getElementType(result))
    return op->emitOpError("expected the result to have elements of type ")
           << getElementType(src) << ", got " << getElementType(result);
  return success();
}

//===----------------------------------------------------------------------===//
// arange, splat
//===----------------------------------------------------------------------===//

LogicalResult ArangeOp::verify() {
  int64_t start = static_cast<int32_t>(getStart());
  int64_t end = static_cast<int32_t>(getEnd());
  if (end <= start) // (C1)
    return emitOpError("expected the end to be greater than the start, got [")
           << start << ", " << end << ")";
  if (getType().getDimSize(0) != end - start) // (C1)
    return emitOpError("expected a result of ")
           << end - start << " elements, got " << getType().getDimSize(0);
  return success();
}

LogicalResult SplatOp::verify() { // (C1)
  return verifySameElement(*this, getSrc().getType(), getType());
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  Attribute src = adaptor.getSrc();
  if (isa_and_nonnull<IntegerAttr, FloatAttr>(src))
    return SplatElementsAttr::get(cast<RankedTensorType>(getType()), src);
  return {};
}

//===----------------------------------------------------------------------===//
// broadcast
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  auto src = cast<RankedTensorType>(getSrc().getType());
  auto result = cast<RankedTensorType>(getType());
  if (failed(verifySameElement(*this, src, result))) // (C1)
    return failure();
  if (src.getRank() != result.getRank()) // (C1)
    return emitOpError("expected a result of rank ")
           << src.getRank() << ", got " << result.getRank();
  for (auto [axis, from, to] :
       llvm::enumerate(src.getShape(), result.getShape()))
    if (from != to && from != 1) // (C2)
      return emitOpError("expected axis ")
             << axis << " to have size 1 or " << to << ", got " << from;
  return success();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  return foldSplat(adaptor.getSrc(), getType());
}

namespace {
/// A broadcast of a splat is a splat.
struct BroadcastOfSplat : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BroadcastOp op,
                                PatternRewriter &rewriter) const override {
    auto splat = op.getSrc().getDefiningOp<SplatOp>();
    if (!splat)
      return failure();
    rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), splat.getSrc());
    return success();
  }
};

/// A broadcast of a broadcast is one broadcast.
struct BroadcastOfBroadcast : OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BroadcastOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getSrc().getDefiningOp<BroadcastOp>();
    if (!inner)
      return failure();
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), inner.getSrc());
    return success();
  }
};
} // namespace

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<BroadcastOfSplat, BroadcastOfBroadcast>(context);
}

//===----------------------------------------------------------------------===//
// expand_dims, reshape, trans
//===----------------------------------------------------------------------===//

LogicalResult ExpandDimsOp::verify() {
  ArrayRef<int64_t> src = getShape(getSrc().getType());
  if (getAxis() > src.size()) // (C1)
    return emitOpError("expected an axis in [0, ")
           << src.size() << "], got " << static_cast<int32_t>(getAxis());
  SmallVector<int64_t> want(src);
  want.insert(want.begin() + getAxis(), 1);
  if (getShape(getType()) != ArrayRef<int64_t>(want)) // (C2)
    return emitOpError("expected a result of shape [")
           << want << "], got [" << getShape(getType()) << "]";
  return verifySameElement(*this, getSrc().getType(), getType()); // (C2)
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) {
  return foldSplat(adaptor.getSrc(), getType());
}

LogicalResult ReshapeOp::verify() {
  auto src = cast<RankedTensorType>(getSrc().getType());
  auto result = cast<RankedTensorType>(getType());
  if (src.getNumElements() != result.getNumElements()) // (C1)
    return emitOpError("expected a result of ")
           << src.getNumElements() << " elements, got "
           << result.getNumElements();
  return verifySameElement(*this, src, result); // (C1)
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  if (auto inner = getSrc().getDefiningOp<ReshapeOp>()) {
    getSrcMutable().assign(inner.getSrc());
    return getResult();
  }
  return foldSplat(adaptor.getSrc(), getType());
}

LogicalResult TransOp::verify() {
  ArrayRef<int64_t> src = getShape(getSrc().getType());
  ArrayRef<int32_t> order = getOrder();
  llvm::SmallBitVector seen(src.size());
  for (int32_t axis : order)
    if (axis >= 0 && axis < static_cast<int32_t>(src.size()))
      seen.set(axis);
  if (order.size() != src.size() || !seen.all()) // (C1)
    return emitOpError("expected a permutation of the ")
           << src.size() << " axes, got [" << order << "]";
  for (auto [axis, from] : llvm::enumerate(order))
    if (getShape(getType()).size() != src.size() ||
        getShape(getType())[axis] != src[from]) // (C2)
      return emitOpError("expected axis ")
             << axis << " of the result to have size " << src[from];
  return verifySameElement(*this, getSrc().getType(), getType()); // (C2)
}

OpFoldResult TransOp::fold(FoldAdaptor adaptor) {
  ArrayRef<int32_t> order = getOrder();
  if (getSrc().getType() == getType() &&
      llvm::equal(order, llvm::seq<int32_t>(0, order.size())))
    return getSrc();
  if (auto inner = getSrc().getDefiningOp<TransOp>()) {
    SmallVector<int32_t> composed;
    for (int32_t axis : order)
      composed.push_back(inner.getOrder()[axis]);
    setOrder(composed);
    getSrcMutable().assign(inner.getSrc());
    return getResult();
  }
  return foldSplat(adaptor.getSrc(), getType());
}

//===----------------------------------------------------------------------===//
// gather
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::verify() {
  ArrayRef<int64_t> src = getShape(getSrc().getType());
  ArrayRef<int64_t> index = getShape(getIndex().getType());
  if (getAxis() >= src.size()) // (C1)
    return emitOpError("expected an axis in [0, ")
           << src.size() << "), got " << static_cast<int32_t>(getAxis());
  bool fits = src.size() == index.size();
  for (size_t axis = 0; fits && axis < src.size(); ++axis)
    fits = axis == getAxis() || src[axis] == index[axis];
  if (!fits) // (C1)
    return emitOpError("expected indices of the shape [")
           << src << "] but along axis " << getAxis() << ", got [" << index
           << "]";
  if (getShape(getType()) != index) // (C2)
    return emitOpError("expected a result of shape [")
           << index << "], got [" << getShape(getType()) << "]";
  return verifySameElement(*this, getSrc().getType(), getType()); // (C2)
}
