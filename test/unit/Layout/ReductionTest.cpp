//===- ReductionTest.cpp - Reduction plans, emulated ----------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Sums over an axis by the plan: in threads, by butterflies or split lanes, and
// across warps; every copy of the result must have the total.
//
//===----------------------------------------------------------------------===//

#include "tilec/Layout/Reduction.h"
#include "RandomLayouts.h"
#include "tilec/Layout/Constructors.h"
#include <map>

using namespace tilec;

namespace {
/// The partial sums of every thread: by warp and lane, then result register.
class ReductionRun {
public:
  ReductionRun(const LinearLayout &layout, unsigned axis, const Reduction &plan)
      : layout(layout), axis(axis), plan(plan), registers(plan.result.size(R)) {
    reduceInThreads();
  }

  void reduceLanes(bool split) {
    std::map<unsigned, unsigned> pairs(plan.split.pairs.begin(),
                                       plan.split.pairs.end());
    std::vector<uint32_t> live;
    for (uint32_t r = 0; r < registers; ++r)
      live.push_back(r);
    for (unsigned lane : plan.laneBits) {
      auto pair = pairs.find(lane);
      if (split && pair != pairs.end()) {
        halve(lane, 1u << pair->second, live);
        llvm::erase_if(live, [&](uint32_t r) { return r >> pair->second & 1; });
      } else {
        combine([&](uint32_t thread) { return thread ^ 1u << lane; });
      }
      shuffles += live.size();
    }
    EXPECT_EQ(shuffles, split ? plan.split.shuffles : plan.shuffles);
  }

  void reduceWarps() {
    for (unsigned warp : plan.warpBits)
      combine([&](uint32_t thread) { return thread ^ 32u << warp; });
  }

  /// Compares all copies of the result with the sums of the data.
  void check(const LinearLayout &result) {
    std::map<uint32_t, uint64_t> totals;
    LinearLayout frame(layout.axisBits()), sliced = frame.slice(axis);
    for (uint32_t i = 0; i < 1u << layout.outBits(); ++i) {
      auto coords = frame.unflatten(i);
      coords.erase(coords.begin() + axis);
      totals[sliced.flatten(coords)] += valueOf(i);
    }
    forEachIndex(result, [&](const HardwareIndex &index) {
      EXPECT_EQ(sums[index[L] + 32 * index[W]][index[R]],
                totals[result.apply(index)])
          << layout.str() << " axis " << axis;
    });
  }

private:
  static uint64_t valueOf(uint32_t element) { return element * 37 % 1009; }

  void reduceInThreads() {
    LinearLayout sliced = layout.slice(axis);
    gf2::Span span(gf2::independentColumns(sliced.columns(R)));
    uint32_t copies = 0; // registers that repeat data must not count twice
    for (auto [i, column] : llvm::enumerate(layout.columns(R)))
      copies |= column == 0 ? 1u << i : 0;
    sums.assign(layout.size(L) * layout.size(W),
                std::vector<uint64_t>(registers));
    forEachIndex(layout, [&](const HardwareIndex &index) {
      if (!(index[R] & copies))
        sums[index[L] + 32 * index[W]]
            [*span.solve(sliced.apply(R, index[R]))] +=
            valueOf(layout.apply(index));
    });
  }

  /// Every thread adds what its partner has.
  template <typename Fn>
  void combine(Fn partner) {
    auto old = sums;
    for (uint32_t t = 0; t < sums.size(); ++t)
      for (uint32_t r = 0; r < registers; ++r)
        sums[t][r] += old[partner(t)][r];
  }

  /// Every thread keeps the half that its lane bit names and gets the
  /// partner's share of it.
  void halve(unsigned lane, uint32_t bit, const std::vector<uint32_t> &live) {
    auto old = sums;
    for (uint32_t t = 0; t < sums.size(); ++t) {
      sums[t].assign(registers, 0);
      for (uint32_t r : live)
        if (bool(r & bit) == bool(t >> lane & 1))
          sums[t][r & ~bit] = old[t][r] + old[t ^ 1u << lane][r];
    }
  }

  const LinearLayout &layout;
  unsigned axis;
  const Reduction &plan;
  uint32_t registers;
  std::vector<std::vector<uint64_t>> sums;
  uint64_t shuffles = 0;
};
} // namespace

/// Reduces both ways and returns the plan.
static Reduction checkReduction(const LinearLayout &layout, unsigned axis) {
  auto plan = reduction(layout, axis);
  EXPECT_TRUE(plan);
  for (bool split : {false, true}) {
    ReductionRun run(layout, axis, *plan);
    run.reduceLanes(split);
    run.reduceWarps();
    run.check(split ? plan->split.result : plan->result);
  }
  return *plan;
}

/// A list of bit numbers.
using Bits = llvm::SmallVector<unsigned, 8>;

TEST(Reduction, Named) {
  LinearLayout acc = mmaC({64, 64}, {4, 1});
  Reduction columns = checkReduction(acc, 1), rows = checkReduction(acc, 0);
  EXPECT_EQ(columns.laneBits, (Bits{0, 1}));
  EXPECT_EQ(columns.warpBits, Bits{});
  EXPECT_EQ(columns.shuffles, 4u);
  EXPECT_EQ(columns.split.shuffles, 2u);
  EXPECT_EQ(columns.barriers, 0u);
  EXPECT_EQ(rows.laneBits, (Bits{2, 3, 4}));
  EXPECT_EQ(rows.warpBits, (Bits{0, 1}));
  EXPECT_EQ(rows.shuffles, 48u);
  EXPECT_EQ(rows.split.shuffles, 8u + 4 + 2);
  EXPECT_EQ(rows.sharedBytes, 64u * 4 * 4);
  EXPECT_EQ(reduction(acc, 0, 64)->shuffles, 96u);
  // Copies in warps and lanes take no part.
  Reduction copies =
      checkReduction(blocked({8, 16}, {1, 4}, {8, 4}, {2, 2}, {1, 0}), 1);
  EXPECT_EQ(copies.warpBits, Bits{});
  EXPECT_EQ(copies.laneBits, (Bits{0, 1}));
  copies = checkReduction(blocked({4, 16}, {1, 4}, {8, 4}, {4, 1}, {1, 0}), 0);
  EXPECT_EQ(copies.laneBits, (Bits{2, 3}));
  Bases sheared;
  sheared[R] = {1, 3};
  EXPECT_FALSE(reduction(LinearLayout({2}, sheared), 0));
}

TEST(Reduction, Random) {
  Random random(51);
  for (int round = 0; round < 100; ++round)
    checkReduction(random.distributed(random.range(6, 9)), random.below(2));
}
