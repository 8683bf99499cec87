//===- AddressRanges.h - offsets that do not fit 32 bits --------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_ADDRESSRANGES_H
#define TILEC_ANALYSIS_ADDRESSRANGES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilec/Dialect/Tile/IR/Warnings.h"
#include <string>

namespace tilec {

/// What a user says of an integer: an argument of a kernel by its name, or
/// `pid0`, `pid1`, `pid2` for the number of a program along an axis. Both ends
/// are possible values.
struct Assumption {
  std::string name;
  int64_t low = 0, high = INT64_MAX;
};

/// Is it about a kernel: does the kernel have such an integer?
bool isAbout(const Assumption &assumption, mlir::func::FuncOp kernel);

/// Warns where a 32-bit addition, subtraction, product or shift that an address
/// is computed from overflows for some of the assumed values. What nothing is
/// known of (other arguments, loaded values) warns of nothing. Conditions of
/// `tile.assume` on arguments count too. The kernel is after inlining.
void warnOfOverflow(mlir::func::FuncOp kernel,
                    llvm::ArrayRef<Assumption> assumptions, Warnings &warnings);

} // namespace tilec

#endif // TILEC_ANALYSIS_ADDRESSRANGES_H
