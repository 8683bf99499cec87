//===- SetTarget.cpp - the architecture and the number of warps -----------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "tilec/Analysis/Architecture.h"
#include "tilec/Dialect/TileGPU/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec;

namespace tilec::tilegpu {
#define GEN_PASS_DEF_TILEGPUSETTARGETPASS
#include "tilec/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {

/// Layouts are linear over bits, so the sizes of tiles are powers of two.
LogicalResult checkSizes(func::FuncOp func) {
  WalkResult result =
      func.walk([](Operation *op) {
        for (Type type : op->getResultTypes())
          for (int64_t size : tile::getShape(type)) {
            if (ShapedType::isDynamic(size)) {
              op->emitError("code generation takes tiles of static shape, got ")
                  << type;
              return WalkResult::interrupt();
            }
            if (!llvm::isPowerOf2_64(size)) {
              op->emitError()
                  << "code generation takes tiles whose sizes are powers of "
                     "two, got "
                  << size << ": run tile-pad-tiles first";
              return WalkResult::interrupt();
            }
          }
        return WalkResult::advance();
      });
  return failure(result.wasInterrupted());
}

struct SetTargetPass : impl::TileGPUSetTargetPassBase<SetTargetPass> {
  using TileGPUSetTargetPassBase::TileGPUSetTargetPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    Builder builder(&getContext());
    if (!findArchitecture(arch)) {
      module.emitError() << "unknown architecture '" << arch << "': use one of "
                         << listArchitectures();
      return signalPassFailure();
    }
    module->setAttr(kArchAttr, builder.getStringAttr(arch));
    for (auto func : module.getOps<func::FuncOp>()) {
      auto own = func->getAttrOfType<IntegerAttr>(tile::kNumWarpsAttr);
      int64_t warps = numWarps ? numWarps : own ? own.getInt() : 4;
      if (warps > 32 || !llvm::isPowerOf2_64(warps)) {
        func.emitError() << "expected 1, 2, 4, 8, 16 or 32 warps, got "
                         << warps;
        return signalPassFailure();
      }
      func->setAttr(kNumWarpsAttr, builder.getI32IntegerAttr(warps));
      auto ownStages = func->getAttrOfType<IntegerAttr>(tile::kNumStagesAttr);
      int64_t stages = numStages   ? numStages
                       : ownStages ? ownStages.getInt()
                                   : 3;
      func->setAttr(kNumStagesAttr, builder.getI32IntegerAttr(stages));
      if (failed(checkSizes(func)))
        return signalPassFailure();
    }
  }
};
} // namespace
} // namespace tilec::tilegpu
