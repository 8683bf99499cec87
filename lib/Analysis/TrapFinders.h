//===- TrapFinders.h - the parts of warnOfTraps -----------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_ANALYSIS_TRAPFINDERS_H
#define TILEC_LIB_ANALYSIS_TRAPFINDERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilec/Dialect/Tile/IR/Warnings.h"

namespace tilec {

/// Of stores that several programs of a grid make to one address.
void warnOfOverlappingStores(mlir::func::FuncOp kernel, Warnings &warnings);

/// Of the zeros of masked loads that are combined with elements.
void warnOfMaskedZeros(mlir::func::FuncOp kernel, Warnings &warnings);

/// Of products in loops that do not add up.
void warnOfLoopProducts(mlir::func::FuncOp kernel, Warnings &warnings);

/// Of stores that reach beyond what a load of the same offsets is masked to.
void warnOfUnmaskedStores(mlir::func::FuncOp kernel, Warnings &warnings);

} // namespace tilec

#endif // TILEC_LIB_ANALYSIS_TRAPFINDERS_H
