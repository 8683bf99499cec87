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
  return e.constant(cast<TypedAttr>(value));
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

/// The whole source goes to shared memory in row-major order, and each thread
/// reads the elements that it wants.
LogicalResult tilec::emitGather(Emitter &e, tile::GatherOp op) {
  OpBuilder &b = e.b;
  const LinearLayout &from = getLayout(op.getSrc().getType());
  const LinearLayout &to = getLayout(op.getType());
  if (getLayout(op.getIndex().getType()) != to)
    return op.emitError("expected indices in the layout of the result");
  int64_t offset = op->getAttrOfType<IntegerAttr>(kOffsetAttr).getInt();
  Value base = e.sharedAddress(offset);
  Type element = getElementTypeOrSelf(op.getType());
  Type stored =
      element.isInteger(1) ? b.getI8Type() : e.convertElement(element);
  auto address = [&](Value flat) {
    return LLVM::GEPOp::create(b, e.loc, base.getType(), stored, base,
                               ArrayRef<LLVM::GEPArg>{flat});
  };
  Value owner = e.isOwner(from);
  for (auto [flat, value] : llvm::zip(e.coordinates(from), e.get(op.getSrc())))
    e.storeShared(address(flat), value, owner);
  e.barrier();

  unsigned axis = op.getAxis(), shift = to.shift(axis);
  unsigned bits = to.axisBits()[axis], sourceBits = from.axisBits()[axis];
  uint32_t low = (1u << shift) - 1, inside = (1u << sourceBits) - 1;
  Registers result;
  for (auto [flat, index] :
       llvm::zip(e.coordinates(to), e.get(op.getIndex()))) {
    Type type = index.getType();
    Value limit = e.constant(type, int64_t(1) << sourceBits);
    Value fits =
        LLVM::ICmpOp::create(b, e.loc, LLVM::ICmpPredicate::ult, index, limit);
    Value narrow =
        type.isInteger(64)
            ? Value(LLVM::TruncOp::create(b, e.loc, b.getI32Type(), index))
            : index;
    // Coordinates around the axis stay; the index takes the axis's place.
    Value place = LLVM::ShlOp::create(
        b, e.loc, LLVM::AndOp::create(b, e.loc, narrow, e.i32(inside)),
        e.i32(shift));
    if (shift)
      place = LLVM::OrOp::create(
          b, e.loc, place, LLVM::AndOp::create(b, e.loc, flat, e.i32(low)));
    if (shift + bits < to.outBits()) {
      Value high = LLVM::LShrOp::create(b, e.loc, flat, e.i32(shift + bits));
      high = LLVM::ShlOp::create(b, e.loc, high, e.i32(shift + sourceBits));
      place = LLVM::OrOp::create(b, e.loc, place, high);
    }
    Value value = e.loadShared(address(place), element);
    Value zero = LLVM::ZeroOp::create(b, e.loc, value.getType());
    result.push_back(LLVM::SelectOp::create(b, e.loc, fits, value, zero));
  }
  e.set(op.getResult(), std::move(result));
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
