//===- Enumeration.h - Counting wavefronts by walking lanes ---------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TEST_UNIT_LAYOUT_ENUMERATION_H
#define TILEC_TEST_UNIT_LAYOUT_ENUMERATION_H

#include "tilec/Layout/Swizzle.h"

namespace tilec {

/// Wavefronts of one warp: in each phase, the most words that one of the 32
/// banks has to serve.
uint64_t wavefrontsByEnumeration(const Access &access, unsigned warp);

} // namespace tilec

#endif // TILEC_TEST_UNIT_LAYOUT_ENUMERATION_H
