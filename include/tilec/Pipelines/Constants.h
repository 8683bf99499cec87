//===- Constants.h - the compile-time values of a kernel --------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_PIPELINES_CONSTANTS_H
#define TILEC_PIPELINES_CONSTANTS_H

#include "tilec/KernelInfo/KernelInfo.h"

#include "mlir/IR/Operation.h"

namespace tilec {

/// The entries of a dictionary attribute of a kernel, such as
/// `tile.constants`, as the metadata has them.
std::vector<NamedConstant> readConstants(mlir::Operation *kernel,
                                         llvm::StringRef attribute);

} // namespace tilec

#endif // TILEC_PIPELINES_CONSTANTS_H
