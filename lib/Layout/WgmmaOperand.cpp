//===- WgmmaOperand.cpp - Shared images that wgmma reads ------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Layouts have one form, so recognising an image is comparing it with the few
// that the hardware reads.
//
//===----------------------------------------------------------------------===//

#include "tilec/Layout/WgmmaOperand.h"
#include "tilec/Layout/Constructors.h"

namespace tilec {

/// Recognises an image whose consecutive addresses run along axis `inner`.
static std::optional<WgmmaOperand> recognise(const LinearLayout &image,
                                             unsigned bits, unsigned inner,
                                             OperandMajor major) {
  LinearLayout::Shape shape = image.shape();
  uint64_t rows = shape[1 - inner], rowBytes = shape[inner] * bits / 8;
  if (rows < 8)
    return std::nullopt;
  for (unsigned swizzle : {128u, 64u, 32u}) {
    if (rowBytes < swizzle || image != sharedTma(shape, bits, swizzle, inner))
      continue;
    bool panels = major == OperandMajor::MN && rowBytes > swizzle;
    uint64_t lbo = panels ? swizzle * rows : 16;
    return WgmmaOperand{swizzle, major, lbo, 8 * swizzle};
  }
  if (rowBytes < 16 || image != sharedCore(shape, bits, inner))
    return std::nullopt;
  // Cores lie one after another along the outer axis, columns of them follow.
  uint64_t alongInner = 16 * rows, alongOuter = 128;
  if (major == OperandMajor::K)
    return WgmmaOperand{0, major, alongInner, alongOuter};
  return WgmmaOperand{0, major, alongOuter, alongInner};
}

std::optional<WgmmaOperand> wgmmaOperand(const LinearLayout &image,
                                         unsigned bits, unsigned kAxis) {
  if (image.rank() != 2 || kAxis > 1 || bits < 8 || bits > 32)
    return std::nullopt;
  if (auto operand = recognise(image, bits, kAxis, OperandMajor::K))
    return operand;
  if (bits != 16)
    return std::nullopt;
  return recognise(image, bits, 1 - kAxis, OperandMajor::MN);
}

} // namespace tilec
