//===- TileGPUOps.cpp - operations of the tilegpu dialect -----------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Verifiers and folders.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/IR/DotTypes.h"
#include "tilec/Dialect/TileGPU/IR/TileGPU.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

LogicalResult ConvertLayoutOp::verify() {
  auto src = cast<RankedTensorType>(getSrc().getType());
  auto result = cast<RankedTensorType>(getType());
  if (src.getShape() != result.getShape() ||
      src.getElementType() != result.getElementType()) // (C1)
    return emitOpError(
               "expected the result to have the shape and the elements of ")
           << src << ", got " << result;
  if (!isa_and_nonnull<LayoutAttr>(src.getEncoding()) ||
      !isa_and_nonnull<LayoutAttr>(result.getEncoding())) // (C1)
    return emitOpError("expected both tiles to have a layout");
  return success();
}

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  return {};
}

LogicalResult LocalAllocOp::verify() {
  auto src = cast<RankedTensorType>(getSrc().getType());
  if (src.getShape() != getType().getShape() ||
      src.getElementType() != getType().getElementType()) // (C1)
    return emitOpError("expected a buffer of the shape and the elements of ")
           << src << ", got " << getType();
  if (!isa_and_nonnull<LayoutAttr>(src.getEncoding())) // (C2)
    return emitOpError("expected a tile with a layout, got ") << src;
  return success();
}

bool tilegpu::isElementwise(Operation *op) {
  return op->getNumResults() == 1 &&
         isa<RankedTensorType>(op->getResult(0).getType()) &&
         (isa<tile::AddPtrOp, tile::PtrCastOp, arith::SelectOp>(op) ||
          OpTrait::hasElementwiseMappableTraits(op));
}

ArrayRef<int64_t> tilegpu::getOperandShape(Value operand) {
  if (auto memory = dyn_cast<MemDescType>(operand.getType()))
    return memory.getShape();
  return cast<RankedTensorType>(operand.getType()).getShape();
}

Type tilegpu::getOperandElementType(Value operand) {
  if (auto memory = dyn_cast<MemDescType>(operand.getType()))
    return memory.getElementType();
  return getElementTypeOrSelf(operand.getType());
}

int64_t tilegpu::getTensorCoreDepth(Type a, tile::DotPrecision precision) {
  if (a.isF64())
    return 8;
  if (!a.isF32())
    return 256 / a.getIntOrFloatBitWidth();
  switch (precision) {
  case tile::DotPrecision::TF32:
  case tile::DotPrecision::TF32x3:
    return 8;
  case tile::DotPrecision::BF16x3:
  case tile::DotPrecision::BF16x6:
    return 16;
  case tile::DotPrecision::IEEE:
    return 0;
  }
  llvm_unreachable("unknown precision");
}

/// (C3): is this a step of tensor cores, and do the sizes fill it?
static LogicalResult verifyInstruction(DotOp op, Type element, int64_t k) {
  if (op.getTiling().getKind() != DotKind::MMA)
    return success();
  int64_t depth = getTensorCoreDepth(element, op.getPrecision());
  if (!depth)
    return op.emitOpError("expected a precision that tensor cores have, got ")
           << tile::stringifyDotPrecision(op.getPrecision());
  if (op.getTiling().getInstruction() != ArrayRef<int64_t>{16, 8, depth} ||
      k % depth)
    return op.emitOpError("expected instructions of [16, 8, ")
           << depth << "] and a K that they fill, got ["
           << op.getTiling().getInstruction() << "] and " << k;
  return success();
}

LinearLayout tilegpu::getOperandFragments(DotOp dot, unsigned operand) {
  Value value = dot->getOperand(operand);
  ArrayRef<int64_t> shape = getOperandShape(value);
  if (dot.getTiling().getKind() == DotKind::FMA)
    return getFmaOperandLayout(getLayout(dot.getType()), operand,
                               shape[1 - operand]);
  return getOperandLayout(dot.getTiling(), operand, shape,
                          getBits(getOperandElementType(value)))
      .dedupRegisters();
}

/// (C4): does an operand in registers have the layout of the fragments?
static LogicalResult verifyFragments(DotOp op, unsigned operand) {
  auto type = dyn_cast<RankedTensorType>(op->getOperand(operand).getType());
  if (!type)
    return success();
  LinearLayout fragments = getOperandFragments(op, operand);
  if (!isa_and_nonnull<LayoutAttr>(type.getEncoding()) ||
      getLayout(type) != fragments)
    return op.emitOpError("expected operand #")
           << operand << " to have the layout of the tiling's fragments, "
           << fragments.str();
  return success();
}

LogicalResult DotOp::verify() {
  ArrayRef<int64_t> a = getOperandShape(getA()), b = getOperandShape(getB());
  auto c = cast<RankedTensorType>(getC().getType());
  if (a.size() != 2 || b.size() != 2 || c.getRank() != 2 || a[1] != b[0] ||
      a[0] != c.getDimSize(0) || b[1] != c.getDimSize(1)) // (C1)
    return emitOpError("expected operands of MxK and KxN and an accumulator of "
                       "MxN, got [")
           << a << "], [" << b << "] and [" << c.getShape() << "]";
  Type ea = getOperandElementType(getA()), eb = getOperandElementType(getB());
  if (!tile::areDotTypes(ea, eb, c.getElementType())) // (C1)
    return emitOpError("expected element types that multiply, got ")
           << ea << " * " << eb << " -> " << c.getElementType();
  if (failed(verifyInstruction(*this, ea, a[1])))
    return failure();
  if (!isa_and_nonnull<LayoutAttr>(c.getEncoding()) ||
      getLayout(c) != getAccumulatorLayout(getTiling(), c.getShape())) // (C2)
    return emitOpError("expected the accumulator's layout to be that of the "
                       "tiling, ")
           << getAccumulatorLayout(getTiling(), c.getShape()).str();
  return success(succeeded(verifyFragments(*this, 0)) &&
                 succeeded(verifyFragments(*this, 1)));
}

void DotOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand *operand : {&getAMutable(), &getBMutable()})
    if (isa<MemDescType>(operand->get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), operand,
                           SharedMemory::get());
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

LogicalResult RingAllocOp::verify() {
  if (getStages() < 1) // (C1)
    return emitOpError("expected at least one stage, got ") << getStages();
  return success();
}

/// Checks that buffers are those of a ring.
static LogicalResult verifyRing(Operation *op, Value ring) {
  if (!ring.getDefiningOp<RingAllocOp>())
    return op->emitOpError("expected buffers that tilegpu.ring_alloc made");
  return success();
}

LogicalResult SlotOp::verify() { return verifyRing(*this, getRing()); } // (C1)

LogicalResult AsyncCopyOp::verify() {
  auto pointers = cast<RankedTensorType>(getPtr().getType());
  MemDescType buffers = getRing().getType();
  if (pointers.getShape() != buffers.getShape() ||
      cast<tile::PtrType>(pointers.getElementType()).getPointee() !=
          buffers.getElementType()) // (C1)
    return emitOpError("expected buffers of what ")
           << pointers << " points at, got " << buffers;
  return verifyRing(*this, getRing()); // (C2)
}

//===----------------------------------------------------------------------===//
// What a thread keeps for itself
//===----------------------------------------------------------------------===//

/// Checks the tile of an operation that keeps or recalls.
static LogicalResult verifyKept(Operation *op, Type tile, Value ring) {
  auto type = cast<RankedTensorType>(tile);
  auto memory = cast<MemDescType>(ring.getType());
  if (type.getShape() != memory.getShape() ||
      type.getElementType() != memory.getElementType()) // (C1)
    return op->emitOpError("expected buffers of the shape and the elements of ")
           << type << ", got " << memory;
  if (failed(verifyRing(op, ring))) // (C2)
    return failure();
  for (Operation *user : ring.getUsers()) { // (C3)
    Type other = isa<KeepOp>(user)     ? user->getOperand(0).getType()
                 : isa<RecallOp>(user) ? user->getResult(0).getType()
                                       : type;
    if (other != type) {
      InFlightDiagnostic error =
          op->emitOpError("expected one type for all tiles of a ring, got ")
          << type << " and " << other;
      error.attachNote(user->getLoc()) << "the other is here";
      return error;
    }
  }
  return success();
}

LogicalResult KeepOp::verify() {
  return verifyKept(*this, getSrc().getType(), getRing());
}

LogicalResult RecallOp::verify() {
  return verifyKept(*this, getType(), getRing());
}
