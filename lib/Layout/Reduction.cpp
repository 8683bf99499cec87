//===- Reduction.cpp - Which index bits run along a reduced axis ----------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// In a distributed layout each bit has one coordinate bit, so a bit either runs
// along the axis or does not touch it.
//
//===----------------------------------------------------------------------===//

#include "tilec/Layout/Reduction.h"
#include "llvm/ADT/STLExtras.h"

namespace tilec {

/// Pairs each reduced lane bit with a register bit of the result while there
/// are any, highest first, so that the low bits of vectors stay in the thread.
static SplitReduction planSplit(const Reduction &plan, uint64_t words) {
  SplitReduction split;
  Bases bases = plan.result.allBases();
  Vectors &registers = bases[InDim::Register];
  uint64_t held = plan.result.size(InDim::Register);
  for (unsigned lane : plan.laneBits) {
    if (!registers.empty()) {
      split.pairs.emplace_back(lane, registers.size() - 1);
      bases[InDim::Lane][lane] = registers.pop_back_val();
      held /= 2;
    }
    split.shuffles += held;
  }
  split.shuffles *= words;
  split.result = LinearLayout(plan.result.axisBits(), std::move(bases));
  return split;
}

std::optional<Reduction> reduction(const LinearLayout &layout, unsigned axis,
                                   unsigned bits) {
  if (!layout.isDistributed())
    return std::nullopt;
  Reduction plan;
  auto alongAxis = [&](InDim dim, llvm::SmallVector<unsigned, 8> &found) {
    for (auto [i, column] : llvm::enumerate(layout.columns(dim)))
      if (layout.coordinate(column, axis))
        found.push_back(i);
  };
  alongAxis(InDim::Register, plan.registerBits);
  alongAxis(InDim::Lane, plan.laneBits);
  alongAxis(InDim::Warp, plan.warpBits);
  alongAxis(InDim::Block, plan.blockBits);
  LinearLayout sliced = layout.slice(axis);
  plan.result = sliced.dedupRegisters();
  uint64_t words = std::max(1u, bits / 32);
  uint64_t held = uint64_t(1) << gf2::rank(sliced.columns(InDim::Register));
  uint64_t distinct = uint64_t(1) << gf2::rank(sliced.columns(
                          {InDim::Register, InDim::Lane, InDim::Warp}));
  plan.inThreadOps = held * ((uint64_t(1) << plan.registerBits.size()) - 1);
  plan.shuffles = held * plan.laneBits.size() * words;
  if (!plan.warpBits.empty()) {
    plan.sharedBytes = (distinct << plan.warpBits.size()) * bits / 8;
    plan.barriers = 1;
  }
  plan.split = planSplit(plan, words);
  return plan;
}

} // namespace tilec
