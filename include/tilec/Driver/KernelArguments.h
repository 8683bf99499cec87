//===- KernelArguments.h - kernels and arguments in tile IR -----*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// What whoever runs a kernel asks of its function: which one it is, and what
// its arguments are called and take.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DRIVER_KERNELARGUMENTS_H
#define TILEC_DRIVER_KERNELARGUMENTS_H

#include "tilec/KernelInfo/KernelInfo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilec {

/// The kernel of that name among a module's functions in the tile dialect; the
/// name may be empty where there is one. The error starts with `file` and ends
/// with what there is.
Result<mlir::func::FuncOp> findKernel(mlir::ModuleOp module,
                                      const std::string &name,
                                      const std::string &file);

/// The type of a kernel's argument: as the source says, else as the IR does.
std::optional<ParamType> argumentType(mlir::func::FuncOp kernel,
                                      unsigned index);

/// The name of a kernel's argument, by position where the IR has none.
std::string argumentName(mlir::func::FuncOp kernel, unsigned index);

/// The value in the code of the kernel that a name stands for which is no
/// argument, if it is one.
std::optional<NamedConstant> findConstant(mlir::func::FuncOp kernel,
                                          llvm::StringRef name);

} // namespace tilec

#endif // TILEC_DRIVER_KERNELARGUMENTS_H
