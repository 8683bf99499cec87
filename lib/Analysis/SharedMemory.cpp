//===- SharedMemory.cpp - who needs shared memory -------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/SharedMemory.h"
#include "tilec/Layout/Reduction.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

Conversion tilec::planConversion(Type from, Type to) {
  unsigned bits = getBits(getElementTypeOrSelf(from));
  const LinearLayout &a = getLayout(from), &b = getLayout(to);
  SmallVector<AccessKind> loads{AccessKind::Vec};
  if (bits == 16)
    loads = {AccessKind::Vec, AccessKind::Matrix, AccessKind::MatrixTrans};
  return conversion(a, b, bits, {AccessKind::Vec}, loads);
}

std::optional<Access> tilec::planOperandRead(MemDescType buffer,
                                             const LinearLayout &fragments) {
  unsigned bits = getBits(buffer.getElementType());
  // A matrix of 16-bit pieces is one of words with half as many columns.
  SmallVector<AccessKind> kinds{AccessKind::Vec};
  if (bits <= 32)
    kinds.push_back(AccessKind::Matrix);
  if (bits == 16)
    kinds.push_back(AccessKind::MatrixTrans);
  return bestAccess(buffer.getLayout().getLinear(), fragments, bits, kinds);
}

std::optional<Access> tilec::planVectors(Type tile, MemDescType buffer) {
  return bestAccess(buffer.getLayout().getLinear(), getLayout(tile),
                    getBits(buffer.getElementType()), {AccessKind::Vec});
}

MemDescType tilec::getOwnBufferType(ArrayRef<int64_t> shape, Type element,
                                    const LinearLayout &layout) {
  auto shared = swizzle(layout, layout, getBits(element));
  return MemDescType::get(element.getContext(), shape, element,
                          LayoutAttr::get(element.getContext(), shared->image));
}

bool tilec::hasOneOwner(const LinearLayout &layout) {
  HardwareIndex free = layout.freeMasks();
  return free[InDim::Lane] == 0 && free[InDim::Warp] == 0;
}

bool tilec::isPerformedOnce(Operation *access) {
  if (auto load = dyn_cast<tile::LoadOp>(access))
    return load.getIsVolatile() || load.getCache() == tile::CacheModifier::CV;
  return isa<tile::AtomicRMWOp, tile::AtomicCASOp>(access);
}

bool tilec::sharesResult(Operation *access) {
  if (access->use_empty())
    return false;
  auto type = dyn_cast<RankedTensorType>(access->getResult(0).getType());
  return !type || !hasOneOwner(getLayout(type));
}

/// Bytes of a whole tile.
static int64_t getTileBytes(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return int64_t(getBits(tensor.getElementType()) / 8)
           << getLayout(tensor).outBits();
  return getBits(type) / 8;
}

/// Partial results that the warps of a reduction or scan exchange: for each
/// input, one element for each line of the tile and warp along the axis.
static int64_t getPartialBytes(ValueRange inputs, unsigned axis) {
  const LinearLayout &layout = getLayout(inputs.front().getType());
  unsigned warpBits = 0;
  for (uint32_t column : layout.columns(InDim::Warp))
    warpBits += layout.coordinate(column, axis) != 0;
  if (!warpBits)
    return 0;
  int64_t bytes = 0;
  unsigned lineBits = layout.outBits() - layout.axisBits()[axis];
  for (Value input : inputs)
    bytes +=
        llvm::alignTo((int64_t(getBits(getElementTypeOrSelf(input.getType()))) /
                       8) << (lineBits + warpBits),
                      16);
  return bytes;
}

int64_t tilec::getBufferBytes(MemDescType type) {
  return (int64_t(getBits(type.getElementType())) / 8)
         << type.getLayout().getLinear().outBits();
}

int64_t tilec::getSharedBytes(Operation *op) {
  if (auto convert = dyn_cast<ConvertLayoutOp>(op)) {
    Conversion plan =
        planConversion(convert.getSrc().getType(), convert.getType());
    return plan.kind == ConversionKind::Shared ? plan.bytes : 0;
  }
  if (auto alloc = dyn_cast<LocalAllocOp>(op))
    return getBufferBytes(alloc.getType());
  if (auto ring = dyn_cast<RingAllocOp>(op))
    return ring.getStages() * getBufferBytes(ring.getType());
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return getPartialBytes(reduce.getInputs(), reduce.getAxis());
  if (auto scan = dyn_cast<tile::ScanOp>(op))
    return getPartialBytes(scan.getInputs(), scan.getAxis());
  if (auto gather = dyn_cast<tile::GatherOp>(op))
    return getTileBytes(gather.getSrc().getType());
  if (auto histogram = dyn_cast<tile::HistogramOp>(op))
    return getTileBytes(histogram.getType());
  if (isPerformedOnce(op))
    return sharesResult(op) ? getTileBytes(op->getResult(0).getType()) : 0;
  return 0;
}

LogicalResult tilec::checkLayouts(func::FuncOp function) {
  auto hasLayout = [](Type type) {
    if (auto memory = dyn_cast<MemDescType>(type))
      return memory.getLayout() != nullptr;
    auto tensor = dyn_cast<RankedTensorType>(type);
    return !tensor || isa_and_nonnull<LayoutAttr>(tensor.getEncoding());
  };
  WalkResult result = function.walk([&](Operation *op) {
    bool all = llvm::all_of(op->getResultTypes(), hasLayout);
    for (Region &region : op->getRegions())
      all &= llvm::all_of(region.getArgumentTypes(), hasLayout);
    if (all)
      return WalkResult::advance();
    op->emitError(
        "expected tiles with layouts: run convert-tile-to-tilegpu first");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult tilec::checkOffsets(func::FuncOp function) {
  WalkResult result = function.walk([](Operation *op) {
    if (op->getAttrOfType<IntegerAttr>(kOffsetAttr) || !getSharedBytes(op))
      return WalkResult::advance();
    op->emitError() << "expected '" << kOffsetAttr
                    << "': run tilegpu-allocate-shared first";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}
