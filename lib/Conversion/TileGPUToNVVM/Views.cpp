//===- Views.cpp - constants, ranges, and other names of elements ---------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Views have layouts under which no element leaves its thread: they rename
// registers.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// The constant `value` as a register holds it.
static Value emitConstant(Emitter &e, Attribute value) {
  Type type = e.convertElement(cast<TypedAttr>(value).getType());
  if (auto number = dyn_cast<FloatAttr>(value);
      number && isa<IntegerType>(type))
    value = IntegerAttr::get(type, number.getValue().bitcastToAPInt());
  if (auto number = dyn_cast<IntegerAttr>(value);
      number && number.getType() != type)
    value = IntegerAttr::get(type, number.getInt());
  return LLVM::ConstantOp::create(e.b, e.loc, type, value);
}

/// The element of a view's operand that stands at a coordinate of the result.
static uint32_t getSourceCoordinate(Operation *view, const LinearLayout &from,
                                    const LinearLayout &to, uint32_t flat) {
  if (isa<tile::ReshapeOp>(view))
    return flat;
  LinearLayout::Coords coords = to.unflatten(flat);
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(view))
    coords.erase(coords.begin() + expand.getAxis());
  else if (auto trans = dyn_cast<tile::TransOp>(view)) {
    LinearLayout::Coords source(coords.size());
    for (auto [axis, origin] : llvm::enumerate(trans.getOrder()))
      source[origin] = coords[axis];
    coords = source;
  } else {
    for (unsigned axis = 0; axis < coords.size(); ++axis)
      if (from.size(axis) == 1)
        coords[axis] = 0;
  }
  return from.flatten(coords);
}

/// Do lanes and warps hold in both layouts what the view says is the same?
static bool keepsThreads(Operation *op, const LinearLayout &from,
                         const LinearLayout &to) {
  for (InDim dim : {InDim::Lane, InDim::Warp})
    for (unsigned bit = 0; bit < std::max(from.bits(dim), to.bits(dim));
         ++bit) {
      uint32_t column = bit < to.bits(dim) ? to.columns(dim)[bit] : 0;
      uint32_t source = bit < from.bits(dim) ? from.columns(dim)[bit] : 0;
      if (getSourceCoordinate(op, from, to, column) != source)
        return false;
    }
  return true;
}

/// A view: each register of the result is a register of the operand.
static LogicalResult emitRename(Emitter &e, Operation *op) {
  const LinearLayout &from = getLayout(op->getOperand(0).getType());
  const LinearLayout &to = getLayout(op->getResult(0).getType());
  gf2::Span span(from.columns(InDim::Register));
  ArrayRef<Value> source = e.get(op->getOperand(0));
  Registers result;
  bool keeps = keepsThreads(op, from, to);
  for (uint32_t r = 0; r < to.size(InDim::Register); ++r) {
    auto reg = span.solve(
        getSourceCoordinate(op, from, to, to.apply(InDim::Register, r)));
    if (!keeps || !reg)
      return op->emitError("expected layouts under which no element leaves its "
                           "thread: insert tilegpu.convert_layout");
    result.push_back(source[*reg]);
  }
  e.set(op->getResult(0), std::move(result));
  return success();
}

LogicalResult tilec::emitView(Emitter &e, Operation *op) {
  Value result = op->getResult(0);
  auto type = dyn_cast<RankedTensorType>(result.getType());
  size_t count = type ? getLayout(type).size(InDim::Register) : 1;
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    Attribute value = constant.getValue();
    if (type) {
      auto splat = dyn_cast<SplatElementsAttr>(value);
      if (!splat)
        return op->emitError("code generation takes constant tiles of equal "
                             "elements only");
      value = splat.getSplatValue<Attribute>();
    }
    e.set(result, Registers(count, emitConstant(e, value)));
    return success();
  }
  if (isa<tile::SplatOp>(op)) {
    e.set(result, Registers(count, e.getScalar(op->getOperand(0))));
    return success();
  }
  if (auto arange = dyn_cast<tile::ArangeOp>(op)) {
    Registers registers = e.coordinates(getLayout(type));
    int64_t start = static_cast<int32_t>(arange.getStart());
    for (Value &reg : registers)
      reg = e.add(reg, start);
    e.set(result, std::move(registers));
    return success();
  }
  return emitRename(e, op);
}
