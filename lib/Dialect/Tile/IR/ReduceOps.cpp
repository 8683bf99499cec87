//===- ReduceOps.cpp - reductions and scans -------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Verifiers of the operations in ReduceOps.td.
//
//===----------------------------------------------------------------------===//

#include "Commutative.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace tilec::tile;

/// (C1) and (C2) of both operations.
static LogicalResult verifyInputs(Operation *op, ValueRange inputs,
                                  uint32_t axis) {
  if (inputs.empty()) // (C1)
    return op->emitOpError("expected at least one input");
  ArrayRef<int64_t> shape = getShape(inputs.front().getType());
  for (Value input : inputs)
    if (getShape(input.getType()) != shape) // (C1)
      return op->emitOpError("expected inputs of one shape, got [")
             << shape << "] and [" << getShape(input.getType()) << "]";
  if (axis >= shape.size()) // (C2)
    return op->emitOpError("expected an axis in [0, ")
           << shape.size() << "), got " << static_cast<int32_t>(axis);
  return success();
}

/// (C4) of both operations: the region combines scalars of the inputs' types.
static LogicalResult verifyCombine(Operation *op, ValueRange inputs,
                                   Region &combine) {
  SmallVector<Type> elements;
  for (Value input : inputs)
    elements.push_back(getElementType(input.getType()));
  SmallVector<Type> arguments(elements);
  llvm::append_range(arguments, elements);
  Block &block = combine.front();
  if (TypeRange(block.getArgumentTypes()) != TypeRange(arguments)) // (C4)
    return op->emitOpError(
               "expected the region to take the elements of the left "
               "operand and then of the right one: (")
           << arguments << "), got (" << block.getArgumentTypes() << ")";
  if (block.getTerminator()->getOperandTypes() != TypeRange(elements)) // (C4)
    return op->emitOpError("expected the region to yield (")
           << elements << "), got (" << block.getTerminator()->getOperandTypes()
           << ")";
  return success();
}

LogicalResult ReduceOp::verify() {
  if (failed(verifyInputs(*this, getInputs(), getAxis())))
    return failure();
  if (getNumResults() != getInputs().size()) // (C3)
    return emitOpError("expected ")
           << getInputs().size() << " results, got " << getNumResults();
  for (auto [input, output] : llvm::zip(getInputs(), getOutputs())) {
    SmallVector<int64_t> shape(getShape(input.getType()));
    shape.erase(shape.begin() + getAxis());
    if (getElementType(input.getType()) != getElementType(output.getType()) ||
        getShape(output.getType()) != ArrayRef<int64_t>(shape) ||
        (shape.empty() && isa<RankedTensorType>(output.getType()))) // (C3)
      return emitOpError("expected a result of shape [")
             << shape << "] with elements of type "
             << getElementType(input.getType()) << ", got " << output.getType();
  }
  return success();
}

LogicalResult ReduceOp::verifyRegions() {
  return verifyCombine(*this, getInputs(), getCombine());
}

namespace {
/// A reduction whose region says that order does not matter is marked so.
struct MarkCommutative : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getCommutative() || !isCommutative(op.getCombine().front()))
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op.setCommutative(true); });
    return success();
  }
};
} // namespace

void ReduceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<MarkCommutative>(context);
}

LogicalResult HistogramOp::verify() {
  if (getShape(getType()).size() != 1) // (C1)
    return emitOpError("expected a result with one axis, got ") << getType();
  return success();
}

LogicalResult ScanOp::verify() {
  if (failed(verifyInputs(*this, getInputs(), getAxis())))
    return failure();
  if (getInputs().getTypes() != getOutputs().getTypes()) // (C3)
    return emitOpError("expected results of the types of the inputs");
  return success();
}

LogicalResult ScanOp::verifyRegions() {
  return verifyCombine(*this, getInputs(), getCombine());
}
