//===- ReduceOps.cpp - reductions and scans -------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Verifiers of the operations in ReduceOps.td.
//
//===----------------------------------------------------------------------===//

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
/// Compares what a region computes with what it computes when the left and the
/// right operand change places.
class Swapped {
public:
  explicit Swapped(Block &block) : block(block) {}

  /// Is `a` of the region what `b` is when the operands change places?
  bool equal(Value a, Value b) {
    auto argument = dyn_cast<BlockArgument>(a);
    if (argument && argument.getOwner() == &block)
      return b == partner(argument);
    Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
    if (!x || x->getBlock() != &block)
      return a == b;
    if (!y || y->getBlock() != &block)
      return false;
    auto [it, isNew] = known.try_emplace({a, b}, false);
    if (isNew) {
      bool result = equal(x, y) && cast<OpResult>(a).getResultNumber() ==
                                       cast<OpResult>(b).getResultNumber();
      known[{a, b}] = result;
      return result;
    }
    return it->second;
  }

private:
  Value partner(BlockArgument argument) {
    unsigned half = block.getNumArguments() / 2;
    unsigned i = argument.getArgNumber();
    return block.getArgument(i < half ? i + half : i - half);
  }

  bool equal(Operation *x, Operation *y) {
    if (x->getName() != y->getName() || x->getNumRegions() ||
        !isMemoryEffectFree(x) || x->getNumOperands() != y->getNumOperands() ||
        x->getResultTypes() != y->getResultTypes())
      return false;
    if (x->getNumOperands() == 2 && equal(x->getOperand(0), y->getOperand(1)) &&
        equal(x->getOperand(1), y->getOperand(0)) && mirrors(x, y))
      return true;
    return x->getAttrDictionary() == y->getAttrDictionary() &&
           llvm::all_of(llvm::zip(x->getOperands(), y->getOperands()),
                        [&](auto pair) {
                          return equal(std::get<0>(pair), std::get<1>(pair));
                        });
  }

  /// Does `x` of (p, q) equal `y` of (q, p)?
  static bool mirrors(Operation *x, Operation *y) {
    if (auto a = dyn_cast<arith::CmpIOp>(x))
      return mirror(a.getPredicate()) == cast<arith::CmpIOp>(y).getPredicate();
    return x->hasTrait<OpTrait::IsCommutative>() &&
           x->getAttrDictionary() == y->getAttrDictionary();
  }

  /// The predicate of (q, p) that says the same of (p, q).
  static arith::CmpIPredicate mirror(arith::CmpIPredicate predicate) {
    using P = arith::CmpIPredicate;
    switch (predicate) {
    case P::eq:
    case P::ne:
      return predicate;
    case P::slt:
      return P::sgt;
    case P::sgt:
      return P::slt;
    case P::sle:
      return P::sge;
    case P::sge:
      return P::sle;
    case P::ult:
      return P::ugt;
    case P::ugt:
      return P::ult;
    case P::ule:
      return P::uge;
    case P::uge:
      return P::ule;
    }
    llvm_unreachable("all predicates are handled");
  }

  Block &block;
  llvm::DenseMap<std::pair<Value, Value>, bool> known;
};

/// A reduction whose region says that order does not matter is marked so.
struct MarkCommutative : OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    Block &block = op.getCombine().front();
    Swapped swapped(block);
    if (op.getCommutative() ||
        !llvm::all_of(block.getTerminator()->getOperands(),
                      [&](Value value) { return swapped.equal(value, value); }))
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
