//===- Commutative.h - does order matter to a reduction ---------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_DIALECT_TILE_IR_COMMUTATIVE_H
#define TILEC_LIB_DIALECT_TILE_IR_COMMUTATIVE_H

#include "mlir/IR/Block.h"

namespace tilec::tile {

/// Does a region that combines a left and a right operand compute the same when
/// they change places, as far as one can see? NaN and the sign of zero apart.
bool isCommutative(mlir::Block &block);

} // namespace tilec::tile

#endif // TILEC_LIB_DIALECT_TILE_IR_COMMUTATIVE_H
