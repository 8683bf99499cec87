//===- Reduction.h - Which index bits run along a reduced axis ------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The columns that run along the axis say what a reduction does: register bits
// combine inside a thread, lane bits by butterflies, warp bits through shared
// memory, block bits across the cluster. Zero columns are copies: they run
// along nothing and take no part, so nothing is combined twice.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LAYOUT_REDUCTION_H
#define TILEC_LAYOUT_REDUCTION_H

#include "tilec/Layout/LinearLayout.h"

namespace tilec {

/// The lane step where threads hold several results: lanes l and l ^ bit each
/// keep half of them, so the count halves with every step and the result is
/// spread over lanes. For commutative reductions.
struct SplitReduction {
  /// 32-bit shuffles per warp.
  uint64_t shuffles = 0;
  /// Lane bit of the step, register bit (of `Reduction::result`) it halves.
  /// Lane bits of the axis that are missing here are plain butterflies.
  llvm::SmallVector<std::pair<unsigned, unsigned>, 5> pairs;
  /// Layout of the result after it.
  LinearLayout result;
};

/// The plan of a reduction over one axis.
struct Reduction {
  /// Bits of each in-dim that run along the axis.
  llvm::SmallVector<unsigned, 8> registerBits, laneBits, warpBits, blockBits;
  /// Combinations inside a thread; 32-bit shuffles per warp by butterflies.
  uint64_t inThreadOps = 0, shuffles = 0;
  /// Shared memory for the partial results of warps, and barriers.
  uint64_t sharedBytes = 0, barriers = 0;
  SplitReduction split;
  /// The layout without the axis and without repeated registers.
  LinearLayout result;
};

/// Plans a reduction of elements of `bits`; none if the layout is not
/// distributed (convert first).
std::optional<Reduction> reduction(const LinearLayout &layout, unsigned axis,
                                   unsigned bits = 32);

} // namespace tilec

#endif // TILEC_LAYOUT_REDUCTION_H
