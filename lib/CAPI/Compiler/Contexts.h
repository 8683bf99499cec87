//===- Contexts.h - contexts of MLIR, used again ----------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// To make a context and to load the dialects takes a quarter of the compile
// time of a small kernel. A module's context therefore serves a later one.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_CAPI_COMPILER_CONTEXTS_H
#define TILEC_LIB_CAPI_COMPILER_CONTEXTS_H

#include "mlir/IR/MLIRContext.h"
#include <memory>

namespace tilec::capi {

/// A context that nobody else uses while this lives.
class Context {
public:
  Context();
  ~Context();
  Context(const Context &) = delete;

  mlir::MLIRContext &operator*() { return *context; }

private:
  std::unique_ptr<mlir::MLIRContext> context;
  unsigned uses; ///< modules that it has served, this one included
};

} // namespace tilec::capi

#endif // TILEC_LIB_CAPI_COMPILER_CONTEXTS_H
