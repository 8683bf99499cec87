//===- MemoryAccess.cpp - what an access costs a warp ---------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The addresses that the lanes of a warp touch are linear in the bits of the
// lane wherever something is known about them, so sectors are counted by a
// rank.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/MemoryAccess.h"
#include "tilec/Analysis/AsyncCopy.h"
#include "tilec/Analysis/SharedMemory.h"
#include "tilec/Layout/Access.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

/// Bytes of a sector.
static constexpr unsigned kSectorBytes = 32;

/// Counts the different coordinates that the lanes of a warp reach when they
/// are told apart only as far as their addresses are: groups of one address are
/// one, and so are `together` (a power of two) neighbours along the axis
/// `fastest`.
static uint64_t countApart(const LinearLayout &layout, const AxisInfo &info,
                           unsigned fastest, int64_t together) {
  Vectors columns;
  for (uint32_t column : layout.columns(InDim::Lane)) {
    SmallVector<uint32_t, 4> at;
    for (unsigned axis = 0; axis < layout.rank(); ++axis) {
      int64_t same = info.constancy[axis];
      if (axis == fastest)
        same = std::max(same, std::min(info.contiguity[axis], together));
      at.push_back(layout.coordinate(column, axis) & ~uint32_t(same - 1));
    }
    columns.push_back(layout.flatten(at));
  }
  return uint64_t(1) << gf2::rank(columns);
}

SectorCount tilec::countSectors(const LinearLayout &layout,
                                const AxisInfo &info, unsigned elementBytes,
                                unsigned bytes) {
  unsigned fastest =
      llvm::max_element(info.contiguity) - info.contiguity.begin();
  int64_t run = info.contiguity[fastest];
  SectorCount count;
  count.sectors =
      countApart(layout, info, fastest, kSectorBytes / elementBytes);
  // A run of addresses that starts inside a sector may reach into one more.
  uint32_t inside = 0;
  for (uint32_t column : layout.columns(InDim::Lane))
    inside |= layout.coordinate(column, fastest) & uint32_t(run - 1);
  int64_t alignment =
      std::max<int64_t>(info.divisibility[fastest], elementBytes);
  if (alignment < kSectorBytes &&
      int64_t(inside) * elementBytes + bytes > alignment)
    count.sectors += countApart(layout, info, fastest, run);
  uint64_t vectors = countApart(layout, info, fastest, bytes / elementBytes);
  count.ideal = std::max<uint64_t>(1, vectors * bytes / kSectorBytes);
  return count;
}

MemoryOperands tilec::getMemoryOperands(Operation *op) {
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return {load.getPtr(), load.getMask()};
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return {store.getPtr(), store.getMask()};
  if (auto rmw = dyn_cast<tile::AtomicRMWOp>(op))
    return {rmw.getPtr(), rmw.getMask()};
  if (auto cas = dyn_cast<tile::AtomicCASOp>(op))
    return {cas.getPtr(), cas.getMask()};
  if (auto copy = dyn_cast<AsyncCopyOp>(op))
    return {copy.getPtr(), copy.getMask()};
  return {};
}

/// The registers that one instruction of the operation moves together.
static SmallVector<uint32_t, 4> getVector(Operation *op,
                                          const AxisInfoAnalysis &facts,
                                          const MemoryOperands &operands) {
  if (isa<tile::AtomicRMWOp, tile::AtomicCASOp>(op))
    return {};
  if (auto copy = dyn_cast<AsyncCopyOp>(op)) {
    auto plan = planAsyncCopy(facts, operands.pointer, operands.mask,
                              copy.getRing().getType());
    return plan ? plan->vector : SmallVector<uint32_t, 4>();
  }
  return getGlobalVector(facts, operands.pointer, operands.mask,
                         /*edges=*/!isPerformedOnce(op));
}

std::optional<GlobalAccessCost>
tilec::getGlobalAccess(Operation *op, const AxisInfoAnalysis &facts,
                       const AxisInfoAnalysis &places) {
  GlobalAccessCost cost;
  cost.operands = getMemoryOperands(op);
  Value pointer = cost.operands.pointer;
  if (!pointer)
    return std::nullopt;
  auto pointee = cast<tile::PtrType>(getElementTypeOrSelf(pointer.getType()));
  unsigned bytes = getBits(pointee.getPointee()) / 8;
  cost.bytes = bytes;
  cost.instructions = 1;
  cost.sectors = {1, 1};
  auto type = dyn_cast<RankedTensorType>(pointer.getType());
  if (!type)
    return cost;
  const LinearLayout &layout = getLayout(type);
  unsigned vector = getVector(op, facts, cost.operands).size();
  cost.bytes = bytes << vector;
  cost.instructions = layout.size(InDim::Register) >> vector;
  cost.sectors = countSectors(layout, places.get(pointer), bytes, cost.bytes);
  return cost;
}

/// The number in row-major order of the element at a flattened coordinate.
static uint32_t numberOf(const LinearLayout &layout, uint32_t flat) {
  uint32_t number = 0;
  for (unsigned axis = 0; axis < layout.rank(); ++axis)
    number = number * layout.size(axis) + layout.coordinate(flat, axis);
  return number;
}

std::optional<WarpAccesses>
tilec::getWarpAccesses(Operation *op, const AxisInfoAnalysis &facts,
                       unsigned numWarps) {
  MemoryOperands operands = getMemoryOperands(op);
  if (!operands.pointer || !isa<RankedTensorType>(operands.pointer.getType()))
    return std::nullopt;
  const LinearLayout &layout = getLayout(operands.pointer.getType());
  SmallVector<uint32_t, 4> vector = getVector(op, facts, operands);
  // Of several copies of an element one writes, but all are read.
  bool reads = isa<tile::LoadOp>(op);
  HardwareIndex free = layout.freeMasks();
  uint32_t warps = layout.size(InDim::Warp);
  WarpAccesses accesses;
  accesses.perInstruction = layout.size(InDim::Lane) << vector.size();
  for (uint32_t warp = 0; warp < (reads ? numWarps : warps); ++warp) {
    if (!reads && (warp & free[InDim::Warp]))
      continue;
    forEachVector(
        layout.size(InDim::Register), vector,
        [&](ArrayRef<unsigned> registers) {
          for (uint32_t reg : registers)
            for (uint32_t lane = 0; lane < layout.size(InDim::Lane); ++lane)
              accesses.elements.push_back(
                  numberOf(layout, layout.apply({reg, lane, warp % warps})));
        });
  }
  return accesses;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// The cost of one planned access.
static SharedAccessCost costOf(const tilec::Access &access, bool isStore,
                               std::string what) {
  SharedAccessCost cost;
  cost.isStore = isStore;
  cost.what = std::move(what);
  cost.kind = access.kind;
  cost.bytes = access.kind == AccessKind::Vec
                   ? (access.bits / 8) << access.v
                   : 4 * access.num; // a word of each matrix
  cost.instructions = access.instructions;
  cost.wavefronts = access.wavefronts();
  cost.idealWavefronts = access.ideal();
  return cost;
}

SmallVector<SharedAccessCost, 2>
tilec::getSharedAccesses(Operation *op, const AxisInfoAnalysis &facts) {
  SmallVector<SharedAccessCost, 2> costs;
  if (auto convert = dyn_cast<ConvertLayoutOp>(op)) {
    Conversion plan =
        planConversion(convert.getSrc().getType(), convert.getType());
    if (plan.kind == ConversionKind::Shared && plan.shared) {
      costs.push_back(costOf(plan.shared->store, true, "conversion"));
      costs.push_back(costOf(plan.shared->load, false, "conversion"));
    }
  } else if (auto alloc = dyn_cast<LocalAllocOp>(op)) {
    if (auto access = planVectors(alloc.getSrc().getType(), alloc.getType()))
      costs.push_back(costOf(*access, true, "buffer"));
  } else if (auto keep = dyn_cast<KeepOp>(op)) {
    if (auto access =
            planVectors(keep.getSrc().getType(), keep.getRing().getType()))
      costs.push_back(costOf(*access, true, "kept"));
  } else if (auto recall = dyn_cast<RecallOp>(op)) {
    if (auto access = planVectors(recall.getType(), recall.getRing().getType()))
      costs.push_back(costOf(*access, false, "kept"));
  } else if (auto copy = dyn_cast<AsyncCopyOp>(op)) {
    if (auto plan = planAsyncCopy(facts, copy.getPtr(), copy.getMask(),
                                  copy.getRing().getType())) {
      plan->store.v = plan->vector.size();
      costs.push_back(costOf(plan->store, true, "asynchronous copy"));
    }
  } else if (auto dot = dyn_cast<DotOp>(op)) {
    for (unsigned operand : {0u, 1u})
      if (auto buffer =
              dyn_cast<MemDescType>(dot->getOperand(operand).getType()))
        if (auto access =
                planOperandRead(buffer, getOperandFragments(dot, operand)))
          costs.push_back(
              costOf(*access, false, operand ? "operand b" : "operand a"));
  }
  return costs;
}
