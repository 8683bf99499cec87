//===- Traps.h - warnings that need the IR ----------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_TRAPS_H
#define TILEC_ANALYSIS_TRAPS_H

#include "mlir/IR/BuiltinOps.h"
#include "tilec/Dialect/Tile/IR/Warnings.h"

namespace tilec {

/// Warns of what only the flow of values gives away in the kernels of a module,
/// as the front end made it. Fails if a warning was an error.
mlir::LogicalResult warnOfTraps(mlir::ModuleOp module,
                                const WarningOptions &options);

} // namespace tilec

#endif // TILEC_ANALYSIS_TRAPS_H
