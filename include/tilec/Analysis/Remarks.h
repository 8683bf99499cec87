//===- Remarks.h - what passes say of their decisions -----------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A pass tells what it did to a place in the source, or why it did not, through
// MLIR's remark engine. Without an engine nothing is built or stored.
//
//   remarkPassed(loop, getArgument(), "pipelined")
//       << remark::add("{0} loads run {1} iterations ahead", loads, ahead);
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_REMARKS_H
#define TILEC_ANALYSIS_REMARKS_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Remarks.h"

namespace tilec {

/// A decision of `pass` (its command-line name) about `op`. `name` is a word
/// for the kind of decision: "fused", "pipelined". Streamed in is one sentence
/// without a period, by `mlir::remark::add`.
mlir::remark::detail::InFlightRemark
remarkPassed(mlir::Operation *op, llvm::StringRef pass, llvm::StringRef name);

/// The same for what was not done; the sentence says why and, where the user
/// can change it, how.
mlir::remark::detail::InFlightRemark
remarkMissed(mlir::Operation *op, llvm::StringRef pass, llvm::StringRef name);

} // namespace tilec

#endif // TILEC_ANALYSIS_REMARKS_H
