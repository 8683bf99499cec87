//===- TileGPUOps.cpp - operations of the tilegpu dialect -----------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Verifiers and folders.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/TileGPU/IR/TileGPU.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

LogicalResult ConvertLayoutOp::verify() {
  auto src = cast<RankedTensorType>(getSrc().getType());
  auto result = cast<RankedTensorType>(getType());
  if (src.getShape() != result.getShape() ||
      src.getElementType() != result.getElementType()) // (C1)
    return emitOpError("expected the result to have the shape and the elements of ")
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
  return success();
}

/// Shape of an operand of a product, in registers or in shared memory.
static ArrayRef<int64_t> getOperandShape(Type type) {
  if (auto memory = dyn_cast<MemDescType>(type))
    return memory.getShape();
  return cast<RankedTensorType>(type).getShape();
}

LogicalResult DotOp::verify() {
  ArrayRef<int64_t> a = getOperandShape(getA().getType()),
                    b = getOperandShape(getB().getType());
  auto c = cast<RankedTensorType>(getC().getType());
  if (a.size() != 2 || b.size() != 2 || c.getRank() != 2 || a[1] != b[0] ||
      a[0] != c.getDimSize(0) || b[1] != c.getDimSize(1)) // (C1)
    return emitOpError("expected operands of MxK and KxN and an accumulator of "
                       "MxN, got [")
           << a << "], [" << b << "] and [" << c.getShape() << "]";
  if (!isa_and_nonnull<LayoutAttr>(c.getEncoding()) ||
      getLayout(c) != getAccumulatorLayout(getTiling(), c.getShape())) // (C2)
    return emitOpError("expected the accumulator's layout to be that of the "
                       "tiling, ")
           << getAccumulatorLayout(getTiling(), c.getShape()).str();
  return success();
}

void DotOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpOperand *operand : {&getAMutable(), &getBMutable()})
    if (isa<MemDescType>(operand->get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), operand,
                           SharedMemory::get());
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

LogicalResult RingAllocOp::verify() {
  if (getStages() < 2) // (C1)
    return emitOpError("expected at least two stages, got ") << getStages();
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
