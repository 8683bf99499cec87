//===- AccessLayouts.h - how compiled code accesses tiles -------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_DRIVER_ACCESSLAYOUTS_H
#define TILEC_LIB_DRIVER_ACCESSLAYOUTS_H

#include "tilec/Interpreter/Interpreter.h"
#include "tilec/Pipelines/Pipelines.h"

namespace tilec {

/// The layouts that the compiler chooses for the accesses of a kernel, as the
/// interpreter's meter takes them. Empty, without a message, if it does not
/// compile the kernel. The module stays as it is.
std::vector<interpreter::AccessLayout>
findAccessLayouts(mlir::func::FuncOp kernel, const CodegenOptions &options);

} // namespace tilec

#endif // TILEC_LIB_DRIVER_ACCESSLAYOUTS_H
