//===- Assumptions.h - what a user says of sizes ----------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DRIVER_ASSUMPTIONS_H
#define TILEC_DRIVER_ASSUMPTIONS_H

#include "tilec/Analysis/AddressRanges.h"
#include "tilec/KernelInfo/Result.h"

#include "mlir/IR/BuiltinOps.h"
#include <string_view>

namespace tilec {

/// Adds what the operand of `--assume` says: `NAME<NUMBER`, `NAME<=NUMBER` or
/// `NAME==NUMBER`. A number is decimal or hexadecimal and may be a power and a
/// sum, as in `2^31`, `2**31-1`; with an upper bound alone the lower is 0.
Status addAssumption(std::string_view text,
                     std::vector<Assumption> &assumptions);

/// Warns, through `warnings`, where addresses of the module's kernels overflow
/// for some of the sizes. The error names an assumption that is about none of
/// them. The module is in the tile dialect and stays as it is.
Status checkAssumptions(mlir::ModuleOp module,
                        llvm::ArrayRef<Assumption> assumptions,
                        Warnings &warnings);

} // namespace tilec

#endif // TILEC_DRIVER_ASSUMPTIONS_H
