//===- Shape.cpp - constants, and tiles seen in other shapes --------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Nothing here computes at run time: constants are part of the frame, and the
// other operations only look at elements that are there.
//
//===----------------------------------------------------------------------===//

#include "Checks/Elements.h"
#include "Scope.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include <cstring>

using namespace mlir;
using namespace tilec;
using namespace tilec::interpreter;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Appends the low bytes of a number's bits.
static void appendBits(std::vector<char> &bytes, const APInt &bits, Kind kind) {
  uint64_t word = bits.getZExtValue();
  if (kind == Kind::I64 && bits.getBitWidth() < 64)
    word = static_cast<uint64_t>(bits.getSExtValue());
  char buffer[8];
  std::memcpy(buffer, &word, 8);
  bytes.insert(bytes.end(), buffer, buffer + sizeOf(kind));
}

/// Appends all elements of a dense constant, or the one that all equal.
static bool appendElements(std::vector<char> &bytes, DenseElementsAttr elements,
                           Kind kind) {
  if (elements.isSplat()) {
    Attribute value = elements.getSplatValue<Attribute>();
    if (auto number = dyn_cast<IntegerAttr>(value))
      appendBits(bytes, number.getValue(), kind);
    else if (auto number = dyn_cast<FloatAttr>(value))
      appendBits(bytes, number.getValue().bitcastToAPInt(), kind);
    return !bytes.empty();
  }
  if (isa<FloatType>(elements.getElementType())) {
    for (const APFloat &value : elements.getValues<APFloat>())
      appendBits(bytes, value.bitcastToAPInt(), kind);
    return true;
  }
  if (!isa<IntegerType, IndexType>(elements.getElementType()))
    return false;
  for (const APInt &value : elements.getValues<APInt>())
    appendBits(bytes, value, kind);
  return true;
}

static LogicalResult buildConstant(Scope &scope, Operation *op) {
  Attribute value = cast<arith::ConstantOp>(op).getValue();
  Type type = op->getResult(0).getType();
  std::optional<Kind> kind = kindOf(type);
  std::vector<char> bytes;
  if (kind && (type.isIntOrIndexOrFloat() || isa<RankedTensorType>(type))) {
    if (auto number = dyn_cast<IntegerAttr>(value))
      appendBits(bytes, number.getValue(), *kind);
    else if (auto number = dyn_cast<FloatAttr>(value))
      appendBits(bytes, number.getValue().bitcastToAPInt(), *kind);
    else if (auto elements = dyn_cast<DenseElementsAttr>(value))
      appendElements(bytes, elements, *kind);
  }
  if (bytes.empty())
    return emitError(op->getLoc(),
                     "the interpreter does not know constants of type ")
           << type;
  scope.bind(op->getResult(0),
             scope.constant(*kind, tile::getShape(type), std::move(bytes)));
  return success();
}

/// A value that nobody uses in a way that matters: 0.
static LogicalResult buildPoison(Scope &scope, Operation *op) {
  Type type = op->getResult(0).getType();
  std::optional<Kind> kind = kindOf(type);
  if (!kind)
    return emitError(op->getLoc(),
                     "the interpreter does not know values of type ")
           << type;
  scope.bind(op->getResult(0),
             scope.constant(*kind, tile::getShape(type),
                            std::vector<char>(sizeOf(*kind))));
  return success();
}

static LogicalResult buildArange(Scope &scope, Operation *op) {
  auto arange = cast<tile::ArangeOp>(op);
  ArrayRef<int64_t> shape = tile::getShape(arange.getType());
  int32_t start = static_cast<int32_t>(arange.getStart());
  if (shape[0] > (int64_t(1) << 28))
    return emitError(
               op->getLoc(),
               "the interpreter takes ranges of at most 2^28 elements, got ")
           << shape[0];
  std::vector<char> bytes(shape[0] * 4);
  for (int64_t i = 0; i < shape[0]; ++i) {
    int32_t value = static_cast<int32_t>(start + i);
    std::memcpy(&bytes[i * 4], &value, 4);
  }
  scope.bind(arange, scope.constant(Kind::I32, shape, std::move(bytes)));
  return success();
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// The view of the only operand.
static View source(Scope &scope, Operation *op) {
  return scope.lookup(op->getOperand(0));
}

/// splat and broadcast: new axes, and axes of size 1, repeat.
static LogicalResult buildRepeat(Scope &scope, Operation *op) {
  View view = source(scope, op);
  ArrayRef<int64_t> shape = tile::getShape(op->getResult(0).getType());
  if (view.shape.empty())
    view.strides.assign(shape.size(), 0);
  for (size_t axis = 0; axis < view.shape.size(); ++axis)
    if (view.shape[axis] == 1)
      view.strides[axis] = 0;
  view.shape.assign(shape.begin(), shape.end());
  scope.bind(op->getResult(0), view);
  return success();
}

static LogicalResult buildExpandDims(Scope &scope, Operation *op) {
  View view = source(scope, op);
  uint32_t axis = cast<tile::ExpandDimsOp>(op).getAxis();
  view.shape.insert(view.shape.begin() + axis, 1);
  view.strides.insert(view.strides.begin() + axis, 0);
  scope.bind(op->getResult(0), view);
  return success();
}

static LogicalResult buildReshape(Scope &scope, Operation *op) {
  View view = source(scope, op);
  ArrayRef<int64_t> shape = tile::getShape(op->getResult(0).getType());
  if (view.isUniform()) {
    view.strides.assign(shape.size(), 0);
  } else {
    view.offset = scope.makeDense(op, view);
    view.strides = denseStrides(shape);
  }
  view.shape.assign(shape.begin(), shape.end());
  scope.bind(op->getResult(0), view);
  return success();
}

static LogicalResult buildTrans(Scope &scope, Operation *op) {
  View view = source(scope, op), result = view;
  for (auto [axis, from] :
       llvm::enumerate(cast<tile::TransOp>(op).getOrder())) {
    result.shape[axis] = view.shape[from];
    result.strides[axis] = view.strides[from];
  }
  scope.bind(op->getResult(0), result);
  return success();
}

/// Copies one element of the source for each index.
static LogicalResult buildGather(Scope &scope, Operation *op) {
  auto gather = cast<tile::GatherOp>(op);
  FailureOr<View> result = scope.define(gather.getResult());
  if (failed(result))
    return failure();
  View source = scope.lookup(gather.getSrc());
  View index = scope.lookup(gather.getIndex());
  uint64_t from = scope.makeDense(op, source);
  uint64_t indices = scope.makeDense(op, index);
  unsigned size = sizeOf(source.kind), indexSize = sizeOf(index.kind);
  // The tiles as [outer, along the axis, inner].
  unsigned axis = gather.getAxis();
  int64_t inner = countOf(ArrayRef(source.shape).drop_front(axis + 1)),
          length = source.shape[axis], wanted = index.shape[axis];
  int64_t count = index.count();
  uint64_t out = result->offset;
  scope.emit(op, [=](State &state) {
    for (int64_t i = 0; i < count; ++i) {
      int64_t k = integerAt(state.frame + indices + i * indexSize, index.kind);
      int64_t row = i / (wanted * inner) * length + k;
      uint64_t element = from + (row * inner + i % inner) * size;
      auto copy = [&](char *frame) {
        if (k < 0 || k >= length)
          std::memset(frame + out + i * size, 0, size);
        else
          std::memcpy(frame + out + i * size, frame + element, size);
      };
      copy(state.frame);
      if (state.isMarked)
        copy(state.marks());
    }
    return Step::Next;
  });
  return success();
}

ArrayRef<BuilderEntry> tilec::interpreter::shapeBuilders() {
  static const BuilderEntry entries[] = {
      {"arith.constant", buildConstant}, {"ub.poison", buildPoison},
      {"tile.arange", buildArange},      {"tile.splat", buildRepeat},
      {"tile.broadcast", buildRepeat},   {"tile.expand_dims", buildExpandDims},
      {"tile.reshape", buildReshape},    {"tile.trans", buildTrans},
      {"tile.gather", buildGather},
  };
  return entries;
}
