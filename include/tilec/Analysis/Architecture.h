//===- Architecture.h - what each architecture has --------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_ARCHITECTURE_H
#define TILEC_ANALYSIS_ARCHITECTURE_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir {
class Operation;
} // namespace mlir

namespace tilec {

/// A row of Architectures.def.
struct Architecture {
  llvm::StringLiteral name;
  /// Compute capability times ten.
  unsigned capability;
  /// PTX version times ten.
  unsigned ptxVersion;
  /// Bytes of shared memory that a block may use.
  unsigned sharedBytes;
};

/// The architecture of this name; null if there is none.
const Architecture *findArchitecture(llvm::StringRef name);

/// The architecture that the module of this operation is for, or the module
/// that it is; null if there is none.
const Architecture *getArchitecture(mlir::Operation *op);

/// The names of all architectures, separated by commas, for messages.
std::string listArchitectures();

} // namespace tilec

#endif // TILEC_ANALYSIS_ARCHITECTURE_H
