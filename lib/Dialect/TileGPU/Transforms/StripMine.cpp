//===- StripMine.cpp - big tiles as loops over chunks ---------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The pass: cuts one axis of one block after the other, until all tiles fit.
//
//===----------------------------------------------------------------------===//

#include "StripMine.h"
#include "tilec/Analysis/Architecture.h"
#include "tilec/Analysis/Remarks.h"
#include "tilec/Dialect/TileGPU/Transforms/Passes.h"

using namespace mlir;
using namespace tilec;

namespace tilec::tilegpu {
#define GEN_PASS_DEF_TILEGPUSTRIPMINEPASS
#include "tilec/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {
struct StripMinePass : impl::TileGPUStripMinePassBase<StripMinePass> {
  using TileGPUStripMinePassBase::TileGPUStripMinePassBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    FailureOr<int64_t> numWarps = getNumWarps(func);
    if (failed(numWarps))
      return signalPassFailure();
    BlockResources resources;
    resources.threads = 32 * *numWarps;
    resources.registers =
        registers ? registers
                  : std::min<int64_t>(255, 65536 / resources.threads);
    resources.elements = elements;
    resources.sharedBytes = keep ? getFreeSharedBytes(func) : 0;
    int32_t nextPart = 0;
    while (mineOne(func, resources, nextPart))
      ;
  }

  /// Shared memory for what is kept. Products need theirs for operands.
  static int64_t getFreeSharedBytes(func::FuncOp func) {
    const Architecture *arch = getArchitecture(func);
    bool multiplies =
        func.walk([](tile::DotOp) { return WalkResult::interrupt(); })
            .wasInterrupted();
    return arch && !multiplies ? arch->sharedBytes : 0;
  }

  /// Cuts one axis of one block; false if there is none to cut.
  bool mineOne(func::FuncOp func, BlockResources &resources,
               int32_t &nextPart) {
    CheapValues cheap(func);
    AxisInfoAnalysis facts(func);
    std::optional<StripMinePlan> plan;
    func.walk<WalkOrder::PreOrder>([&](Block *block) {
      if (isa<tile::ReduceOp, tile::ScanOp>(block->getParentOp()))
        return WalkResult::skip();
      plan = planStripMine(*block, cheap, facts, resources);
      return plan ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (!plan)
      return false;
    report(*plan);
    for (const StripMinePlan::Kept &kept : plan->kept) {
      auto type = cast<RankedTensorType>(kept.load->getResult(0).getType());
      resources.sharedBytes -= plan->numKept * plan->chunk *
                               (type.getNumElements() / plan->size) *
                               getBits(type.getElementType()) / 8;
    }
    if (plan->blocks > 1)
      func->setAttr(kBlocksAttr, Builder(func).getI32IntegerAttr(plan->blocks));
    mineStrip(*plan, resources.threads, nextPart);
    return true;
  }

  void report(const StripMinePlan &plan) {
    int64_t count = plan.countChunks();
    int64_t peeled = plan.hasReductions();
    auto remark = remarkPassed(plan.steps.back().op, getArgument(), "cut");
    if (plan.kept.empty())
      remark << remark::add("{0} elements become a loop over {1} chunks of {2}",
                            plan.size, count, plan.chunk);
    else
      remark << remark::add(
          "{0} elements become loops over {1} chunks of {2}; what is read "
          "again stays in registers for {3}, in shared memory for {4}, and is "
          "loaded again for {5}",
          plan.size, count, plan.chunk, peeled, plan.numKept,
          count - plan.numKept - peeled);
  }
};
} // namespace
} // namespace tilec::tilegpu
