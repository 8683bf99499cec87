//===- Coalesce.cpp - chooses the layout of each memory access ------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The layout follows from facts about addresses alone (Analysis/AxisInfo); who
// else wants the value in another layout is decided later.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/AxisInfo.h"
#include "tilec/Dialect/TileGPU/Transforms/Passes.h"
#include "tilec/Layout/Constructors.h"

using namespace mlir;
using namespace tilec;

namespace tilec::tilegpu {
#define GEN_PASS_DEF_TILEGPUCOALESCEPASS
#include "tilec/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
struct CoalescePass : impl::TileGPUCoalescePassBase<CoalescePass> {
  using TileGPUCoalescePassBase::TileGPUCoalescePassBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    auto numWarps = func->getAttrOfType<IntegerAttr>(kNumWarpsAttr);
    if (!numWarps) {
      func.emitError() << "expected '" << kNumWarpsAttr
                       << "': run tilegpu-set-target first";
      return signalPassFailure();
    }
    AxisInfoAnalysis facts(func);
    func.walk([&](Operation *op) {
      Value pointer, mask;
      if (auto load = dyn_cast<tile::LoadOp>(op))
        std::tie(pointer, mask) =
            std::pair(Value(load.getPtr()), Value(load.getMask()));
      else if (auto store = dyn_cast<tile::StoreOp>(op))
        std::tie(pointer, mask) =
            std::pair(Value(store.getPtr()), Value(store.getMask()));
      else if (auto rmw = dyn_cast<tile::AtomicRMWOp>(op))
        std::tie(pointer, mask) =
            std::pair(Value(rmw.getPtr()), Value(rmw.getMask()));
      else if (auto cas = dyn_cast<tile::AtomicCASOp>(op))
        pointer = cas.getPtr();
      auto type =
          pointer ? dyn_cast<RankedTensorType>(pointer.getType()) : nullptr;
      if (!type)
        return;
      AxisInfoAnalysis::Run run = facts.getRun(pointer, mask);
      unsigned bits =
          getBits(cast<tile::PtrType>(type.getElementType()).getPointee());
      LinearLayout layout = coalesced(type.getShape(), bits, numWarps.getInt(),
                                      run.contiguity, run.divisibilityBytes)
                                .dedupRegisters();
      op->setAttr(kLayoutAttr, LayoutAttr::get(&getContext(), layout));
    });
  }
};
} // namespace
} // namespace tilec::tilegpu
