//===- Alias.h - which memory an address is in ------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_ALIAS_H
#define TILEC_ANALYSIS_ALIAS_H

#include "mlir/IR/Value.h"

namespace tilec {

/// The kernel's argument that an address is computed from; null if not known.
/// Different arguments are taken to be disjoint memory.
mlir::Value getMemoryBase(mlir::Value pointer);

/// Are the addresses of a tile's elements proven to be all different?
bool hasDistinctElements(mlir::Value pointer);

} // namespace tilec

#endif // TILEC_ANALYSIS_ALIAS_H
