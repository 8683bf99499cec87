//===- Handles.h - what the compiler's handles point to ---------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_CAPI_COMPILER_HANDLES_H
#define TILEC_LIB_CAPI_COMPILER_HANDLES_H

#include "../Types/Types.h"
#include "Contexts.h"
#include "tilec-c/tilec.h"
#include "tilec/Driver/CompileOptions.h"

#include <mutex>

struct tilec_options {
  tilec::FrontendOptions frontend;
  tilec::CodegenOptions codegen;
};

struct tilec_text {
  std::string text;
};

struct tilec_module {
  std::mutex mutex; ///< held while IR of the context is used
  std::string file;
  tilec::capi::Context context;
  llvm::SourceMgr sources;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The same, simplified for the interpreter; made when it is needed.
  mlir::OwningOpRef<mlir::ModuleOp> simplified;
  std::vector<std::string> kernels;
};

namespace tilec::capi {

/// While it lives, hands the diagnostics of a context to a sink.
class DiagnosticSink : public mlir::ScopedDiagnosticHandler {
public:
  DiagnosticSink(mlir::MLIRContext &context, const Reporter &reporter);
};

} // namespace tilec::capi

#endif // TILEC_LIB_CAPI_COMPILER_HANDLES_H
