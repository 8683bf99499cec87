//===- Utils.h - what several passes build ----------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_DIALECT_TILE_TRANSFORMS_UTILS_H
#define TILEC_LIB_DIALECT_TILE_TRANSFORMS_UTILS_H

#include "mlir/IR/Matchers.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

namespace tilec::tile {

/// Is every element the constant zero (of either sign)?
inline bool isZero(mlir::Value value) {
  return mlir::matchPattern(value, mlir::m_AnyZeroFloat()) ||
         mlir::matchPattern(value, mlir::m_Zero());
}

/// A tile of one axis along an axis of a tile of `shape`, the same in all
/// others.
inline mlir::Value spread(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Value line, mlir::ArrayRef<int64_t> shape,
                          unsigned axis) {
  mlir::Type element = getElementType(line.getType());
  mlir::SmallVector<int64_t> dims(shape.size(), 1);
  dims[axis] = shape[axis];
  if (shape.size() > 1)
    line = ReshapeOp::create(b, loc, mlir::RankedTensorType::get(dims, element),
                             line);
  if (mlir::ArrayRef<int64_t>(dims) != shape)
    line = BroadcastOp::create(
        b, loc, mlir::RankedTensorType::get(shape, element), line);
  return line;
}

} // namespace tilec::tile

#endif // TILEC_LIB_DIALECT_TILE_TRANSFORMS_UTILS_H
