//===- WgmmaOperand.h - Shared images that wgmma reads --------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// wgmma reads operands from shared memory by a descriptor with a swizzle and
// two offsets. This recognises the images it can read and gives the numbers.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LAYOUT_WGMMAOPERAND_H
#define TILEC_LAYOUT_WGMMAOPERAND_H

#include "tilec/Layout/LinearLayout.h"

namespace tilec {

/// The axis that runs along consecutive addresses: k, or m (for A) or n (B).
enum class OperandMajor : uint8_t { K, MN };

/// The fields of a descriptor; sizes and offsets in bytes.
struct WgmmaOperand {
  /// 128, 64, 32, or 0 for none.
  unsigned swizzle;
  OperandMajor major;
  /// Leading and stride byte offset. K-major: sbo to the next 8 rows, lbo
  /// unused. MN-major: sbo to the next 8 of k, lbo to the next panel. Without
  /// swizzle: lbo to the next core matrix along k, sbo along m or n.
  uint64_t lbo, sbo;
};

/// Recognises an image of two axes, one of them k. MN-major images are for
/// 16-bit elements only.
std::optional<WgmmaOperand> wgmmaOperand(const LinearLayout &image,
                                         unsigned bits, unsigned kAxis);

} // namespace tilec

#endif // TILEC_LAYOUT_WGMMAOPERAND_H
