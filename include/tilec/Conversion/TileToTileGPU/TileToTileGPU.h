//===- TileToTileGPU.h - gives every tile a layout --------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CONVERSION_TILETOTILEGPU_TILETOTILEGPU_H
#define TILEC_CONVERSION_TILETOTILEGPU_TILETOTILEGPU_H

#include "mlir/Pass/Pass.h"
#include "tilec/Dialect/TileGPU/IR/TileGPU.h"

namespace tilec {
#define GEN_PASS_DECL_CONVERTTILETOTILEGPUPASS
#include "tilec/Conversion/Passes.h.inc"
} // namespace tilec

#endif // TILEC_CONVERSION_TILETOTILEGPU_TILETOTILEGPU_H
