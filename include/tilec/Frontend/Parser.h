//===- Parser.h - kernel source to tile IR ----------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The front end's only header: text in, a module of the tile dialect out.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_FRONTEND_PARSER_H
#define TILEC_FRONTEND_PARSER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "tilec/Dialect/Tile/IR/Warnings.h"
#include "llvm/Support/SourceMgr.h"
#include <optional>
#include <string>
#include <vector>

namespace tilec {

/// Which kernel to compile, and the types of its arguments where the source
/// does not say.
struct KernelRequest {
  /// Name of the function; empty for every kernel of the file whose types are
  /// known.
  std::string kernel;
  /// Argument types in Triton's ahead-of-time notation, `*fp32:16, i32, 1024`;
  /// empty if the source has them. All parameters in order with constexpr
  /// values in their places, or the run-time ones alone.
  std::string signature;
};

/// What the front end needs besides the text.
struct FrontendOptions {
  /// Kernels to compile; empty means every kernel whose types are known.
  std::vector<KernelRequest> kernels;
  /// `-D NAME=VALUE`: compile-time values by parameter name, as Python
  /// literals.
  std::vector<std::pair<std::string, std::string>> defines;
  /// Types of arguments by name (`x_ptr` -> `*fp32`), used for parameters that
  /// neither the signature nor an annotation types; tile-run fills them from
  /// the values that it was given.
  std::vector<std::pair<std::string, std::string>> argumentTypes;
  /// Folders searched for imported helpers after the file's own.
  std::vector<std::string> includeDirs;
  /// The architecture that `cuda_capability_geq` asks about.
  std::string arch = "sm_80";
  /// What to warn of, and what of it is an error.
  WarningOptions warnings;
};

/// Compiles the main buffer of `sources` (a `.tile` or `.py` text; the buffer's
/// identifier names the file) to a verified module of the tile dialect. Every
/// error is reported as an MLIR diagnostic with a FileLineColLoc (columns from
/// 1); then the result is null. Loads the dialects that it needs into
/// `context`.
mlir::OwningOpRef<mlir::ModuleOp> parseKernels(llvm::SourceMgr &sources,
                                               const FrontendOptions &options,
                                               mlir::MLIRContext &context);

} // namespace tilec

#endif // TILEC_FRONTEND_PARSER_H
