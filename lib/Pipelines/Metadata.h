//===- Metadata.h - what the IR says about its kernels ----------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_PIPELINES_METADATA_H
#define TILEC_LIB_PIPELINES_METADATA_H

#include "mlir/IR/BuiltinOps.h"
#include "tilec/KernelInfo/KernelInfo.h"

namespace tilec {

/// Names and types the arguments of kernels that a front end did not name, as
/// long as their types are there to see.
void nameParameters(mlir::ModuleOp module);

/// The metadata of each kernel of a module in the llvm dialect, from the
/// attributes that the phases left on it. `numStages` as in CodegenOptions.
std::vector<KernelInfo> collectKernelInfo(mlir::ModuleOp module,
                                          unsigned numStages);

/// Removes from parameters what LLVM IR has no place for.
void dropParameterAttributes(mlir::ModuleOp module);

} // namespace tilec

#endif // TILEC_LIB_PIPELINES_METADATA_H
