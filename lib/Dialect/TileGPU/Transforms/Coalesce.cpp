//===- Coalesce.cpp - chooses the layout of each memory access ------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The layout follows from facts about addresses alone (Analysis/AxisInfo); who
// else wants the value in another layout is decided later.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/MemoryAccess.h"
#include "tilec/Analysis/Remarks.h"
#include "tilec/Dialect/TileGPU/Transforms/Passes.h"
#include "tilec/Layout/Constructors.h"

using namespace mlir;
using namespace tilec;

namespace tilec::tilegpu {
#define GEN_PASS_DEF_TILEGPUCOALESCEPASS
#include "tilec/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
/// The longest run in bytes, and the axis that it is along.
std::pair<int64_t, unsigned> getLongest(const AxisInfoAnalysis::Run &run,
                                        int64_t bytes) {
  unsigned axis = llvm::max_element(run.contiguity) - run.contiguity.begin();
  return {run.contiguity[axis] * bytes, axis};
}

/// Says why an access is narrower than an instruction can be: `run` is what the
/// addresses and the mask allow together, `unmasked` what the addresses do.
void explainWidth(Operation *op, Value pointer,
                  const AxisInfoAnalysis::Run &run,
                  const AxisInfoAnalysis::Run &unmasked) {
  constexpr int64_t widest = 16;
  auto type = cast<RankedTensorType>(pointer.getType());
  int64_t element =
      getBits(cast<tile::PtrType>(type.getElementType()).getPointee()) / 8;
  auto [together, axis] = getLongest(run, element);
  auto [free, freeAxis] = getLongest(unmasked, element);
  int64_t width = std::min(together, run.divisibilityBytes[axis]);
  int64_t aligned = unmasked.divisibilityBytes[freeAxis];
  if (isa<tile::AtomicRMWOp, tile::AtomicCASOp>(op) ||
      width >= std::min(widest, element * type.getNumElements()))
    return;
  auto remark = remarkMissed(op, "tilegpu-coalesce", "narrow");
  if (free <= element)
    remark << remark::add("an instruction moves one element: the addresses are "
                          "not known to follow each other along any axis");
  else if (width < std::min({free, aligned, widest}))
    remark << remark::add("an instruction moves {0} bytes: the mask may change "
                          "after as many; a bound that is known to be a "
                          "multiple of {1} helps",
                          width, widest / element);
  else if (aligned <= width)
    remark << remark::add("an instruction moves {0} bytes: where its elements "
                          "start is only known to be a multiple of {0} bytes",
                          width);
  else
    remark << remark::add(
        "an instruction moves {0} bytes: the addresses follow "
        "each other no longer",
        width);
}

/// Does a product read what the operation loads? Asynchronous copies move whole
/// vectors or nothing.
bool feedsProduct(Operation *op) {
  return op->getNumResults() == 1 &&
         llvm::any_of(op->getUsers(), [](Operation *user) {
           return isa<tile::DotOp>(user) ||
                  (isa<tile::TransOp, tile::ReshapeOp, tile::ExpandDimsOp,
                       tile::BroadcastOp>(user) &&
                   feedsProduct(user));
         });
}

struct CoalescePass : impl::TileGPUCoalescePassBase<CoalescePass> {
  using TileGPUCoalescePassBase::TileGPUCoalescePassBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    FailureOr<int64_t> numWarps = getNumWarps(func);
    if (failed(numWarps))
      return signalPassFailure();
    AxisInfoAnalysis facts(func);
    func.walk([&](Operation *op) {
      auto [pointer, mask] = getMemoryOperands(op);
      auto type =
          pointer ? dyn_cast<RankedTensorType>(pointer.getType()) : nullptr;
      if (!type)
        return;
      bool edges = isa<tile::LoadOp, tile::StoreOp>(op) && !feedsProduct(op);
      AxisInfoAnalysis::Run run = facts.getRun(pointer, mask, edges);
      unsigned bits =
          getBits(cast<tile::PtrType>(type.getElementType()).getPointee());
      LinearLayout layout = coalesced(type.getShape(), bits, *numWarps,
                                      run.contiguity, run.divisibilityBytes)
                                .dedupRegisters();
      op->setAttr(kLayoutAttr, LayoutAttr::get(&getContext(), layout));
      explainWidth(op, pointer, run, facts.getRun(pointer, {}));
    });
  }
};
} // namespace
} // namespace tilec::tilegpu
