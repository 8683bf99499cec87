//===- Passes.h - conversions between dialects ------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CONVERSION_PASSES_H
#define TILEC_CONVERSION_PASSES_H

#include "tilec/Conversion/TileGPUToNVVM/TileGPUToNVVM.h"
#include "tilec/Conversion/TileToTileGPU/TileToTileGPU.h"

namespace tilec {
#define GEN_PASS_REGISTRATION
#include "tilec/Conversion/Passes.h.inc"
} // namespace tilec

#endif // TILEC_CONVERSION_PASSES_H
