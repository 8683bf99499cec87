//===- Compile.h - from a file to the text of a phase -----------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// What tools and bindings share: reading sources of any kind, and all that
// tilec does after reading its command line.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DRIVER_COMPILE_H
#define TILEC_DRIVER_COMPILE_H

#include "tilec/Driver/CompileOptions.h"
#include "llvm/Support/raw_ostream.h"

namespace tilec {

/// Reads a file into `sources` as their main buffer and makes a module of it: a
/// `.mlir` file is parsed, any other is a kernel source. The module has a
/// kernel. Errors are diagnostics.
mlir::OwningOpRef<mlir::ModuleOp> loadModule(const std::string &file,
                                             const FrontendOptions &options,
                                             llvm::SourceMgr &sources,
                                             mlir::MLIRContext &context);

/// The same for text that is the main buffer of `sources` already; the buffer's
/// identifier is the file's name.
mlir::OwningOpRef<mlir::ModuleOp> parseModule(const FrontendOptions &options,
                                              llvm::SourceMgr &sources,
                                              mlir::MLIRContext &context);

/// The architecture that an `--arch` operand means; `native` asks the first
/// GPU.
Result<std::string> resolveArch(const std::string &name);

/// Compiles a module as `compile` does and appends the report that is asked
/// for; its resources come from an assembler, if there is one. The architecture
/// must be known. Errors are diagnostics.
mlir::LogicalResult compileReported(mlir::ModuleOp module,
                                    const CodegenOptions &options, Phase phase,
                                    const ReportRequest &request,
                                    std::string &text, std::string &report,
                                    mlir::TimingScope *timing = nullptr);

/// Compiles a file and writes the result, only when all went well. Messages go
/// to `err`. Returns the exit status, 0 or 1.
int compileFile(const CompileOptions &options, llvm::raw_ostream &err);

} // namespace tilec

#endif // TILEC_DRIVER_COMPILE_H
