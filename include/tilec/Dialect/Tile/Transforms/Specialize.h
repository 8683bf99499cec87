//===- Specialize.h - more versions of a kernel -----------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A kernel that takes for granted that a pointer is aligned or a stride is 1 is
// faster, and one that does not runs on everything. A PTX file may hold both:
// the runtime takes the first that the arguments at hand allow.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DIALECT_TILE_TRANSFORMS_SPECIALIZE_H
#define TILEC_DIALECT_TILE_TRANSFORMS_SPECIALIZE_H

#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <vector>

namespace tilec::tile {

/// On a version of a kernel, the kernel's name in the source.
inline constexpr llvm::StringLiteral kSpecializationOfAttr =
    "tile.specialization_of";

/// What one version takes for granted.
struct Specialization {
  struct Hint {
    /// An argument, `*` for every pointer, `#` for every integer.
    std::string name;
    /// A power of two that divides the value (bytes for a pointer); 0 says that
    /// the value is 1.
    uint32_t divisor = 16;
  };
  std::vector<Hint> hints;
};

/// Puts before each kernel `k` a version `k__1`, `k__2`, ... for each
/// specialisation that says more of its arguments than is known, in their
/// order. A hint for a name that no kernel has, or that fits no such argument,
/// is an error.
mlir::LogicalResult
specializeKernels(mlir::ModuleOp module,
                  llvm::ArrayRef<Specialization> specializations);

} // namespace tilec::tile

#endif // TILEC_DIALECT_TILE_TRANSFORMS_SPECIALIZE_H
