//===- TileGPUToNVVM.h - tiles to registers of one thread -------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CONVERSION_TILEGPUTONVVM_TILEGPUTONVVM_H
#define TILEC_CONVERSION_TILEGPUTONVVM_TILEGPUTONVVM_H

#include "mlir/Pass/Pass.h"

namespace tilec {
#define GEN_PASS_DECL_CONVERTTILEGPUTONVVMPASS
#include "tilec/Conversion/Passes.h.inc"
} // namespace tilec

#endif // TILEC_CONVERSION_TILEGPUTONVVM_TILEGPUTONVVM_H
