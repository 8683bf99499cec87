//===- PTX.h - LLVM dialect to PTX text -------------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The last step: a module in the llvm and nvvm dialects becomes LLVM IR, which
// is optimised and printed as PTX. Nothing is decided here; what the metadata
// of the PTX file says comes with the options.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TARGET_PTX_PTX_H
#define TILEC_TARGET_PTX_PTX_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/Timing.h"
#include "tilec/KernelInfo/KernelInfo.h"

namespace tilec {

/// What the text is made for.
struct PTXOptions {
  /// Architecture: `sm_80`, `sm_90a`, ...
  std::string arch = "sm_80";
  /// PTX version times ten.
  unsigned ptxVersion = 70;
  /// Name and version of the compiler, for the metadata.
  std::string compiler;
  /// The metadata of the entries.
  std::vector<KernelInfo> kernels;
};

/// Appends the optimised LLVM IR of `module` to `text`. Errors, LLVM's fatal
/// ones among them, are diagnostics of the module.
mlir::LogicalResult translateToLLVMIR(mlir::ModuleOp module,
                                      const PTXOptions &options,
                                      std::string &text,
                                      mlir::TimingScope &timing);

/// Appends the PTX of `module`, with its metadata lines first, to `text`.
/// Errors as above.
mlir::LogicalResult translateToPTX(mlir::ModuleOp module,
                                   const PTXOptions &options, std::string &text,
                                   mlir::TimingScope &timing);

} // namespace tilec

#endif // TILEC_TARGET_PTX_PTX_H
