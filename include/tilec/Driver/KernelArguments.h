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

#include "tilec/Driver/ArgumentValues.h"
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

/// The value for the argument of that name, or null.
ArgumentValue *findValue(std::vector<ArgumentValue> &values,
                         llvm::StringRef name);

/// Adds the sizes and strides that the arguments of a tensor descriptor ask
/// for, as its array has them, where none is given.
void addDescriptorValues(mlir::func::FuncOp kernel,
                         std::vector<ArgumentValue> &values);

/// Checks a value that is given for a constant of the kernel of that name.
Status checkConstant(const NamedConstant &constant, const std::string &kernel,
                     const ArgumentValue &value);

} // namespace tilec

#endif // TILEC_DRIVER_KERNELARGUMENTS_H
