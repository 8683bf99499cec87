//===- LoopSlice.h - what decides whether a loop goes on --------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_INTERPRETER_OPERATIONS_LOOPSLICE_H
#define TILEC_LIB_INTERPRETER_OPERATIONS_LOOPSLICE_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/BitVector.h"

namespace tilec::interpreter {

/// The values that a while loop carries, by what depends on them: an iteration
/// that leaves those that matter as they are and finds memory unchanged does
/// what the one before did, however much it counts on the way.
struct LoopSlice {
  /// Decides the value whether the loop goes on, but for what memory holds?
  llvm::BitVector decides;
  /// Or what the loop accesses, stores or prints?
  llvm::BitVector matters;
  /// May the loop read memory that others change?
  bool reads = false;
};

/// Finds the slice of a loop.
LoopSlice sliceLoop(mlir::scf::WhileOp loop);

} // namespace tilec::interpreter

#endif // TILEC_LIB_INTERPRETER_OPERATIONS_LOOPSLICE_H
