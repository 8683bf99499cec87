//===- DotTypes.h - element types of matrix products ------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// One rule for the products of both dialects.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DIALECT_TILE_IR_DOTTYPES_H
#define TILEC_DIALECT_TILE_IR_DOTTYPES_H

#include "mlir/IR/Types.h"

namespace tilec::tile {

/// May products of `a` and `b` be added in type `c`?
bool areDotTypes(mlir::Type a, mlir::Type b, mlir::Type c);

} // namespace tilec::tile

#endif // TILEC_DIALECT_TILE_IR_DOTTYPES_H
