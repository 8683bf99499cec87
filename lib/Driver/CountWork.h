//===- CountWork.h - how much a kernel has to compute -----------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_DRIVER_COUNTWORK_H
#define TILEC_LIB_DRIVER_COUNTWORK_H

#include "BenchReport.h"

#include "tilec/Interpreter/Interpreter.h"

namespace tilec {

/// Counts the operations of a kernel on the interpreter: of all its programs,
/// or of as many as run in about a second. The arguments' memory is written to.
/// A fault in the kernel is a diagnostic.
mlir::LogicalResult countWork(mlir::func::FuncOp kernel,
                              llvm::ArrayRef<interpreter::Argument> arguments,
                              std::array<int64_t, 3> grid, Work &work);

} // namespace tilec

#endif // TILEC_LIB_DRIVER_COUNTWORK_H
