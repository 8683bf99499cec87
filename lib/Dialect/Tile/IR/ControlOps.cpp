//===- ControlOps.cpp - the grid, assertions, barriers --------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Verifiers of the operations in ControlOps.td.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace tilec::tile;

/// (C1) of program_id and num_programs.
static LogicalResult verifyGridAxis(Operation *op, uint32_t axis) {
  if (axis > 2)
    return op->emitOpError("expected axis 0, 1 or 2 of the grid, got ")
           << static_cast<int32_t>(axis);
  return success();
}

LogicalResult ProgramIdOp::verify() { return verifyGridAxis(*this, getAxis()); }

LogicalResult NumProgramsOp::verify() {
  return verifyGridAxis(*this, getAxis());
}

LogicalResult PrintOp::verify() {
  for (Value value : getValues())
    if (getShape(value.getType()) !=
        getShape(getValues().front().getType())) // (C1)
      return emitOpError("expected values of one shape");
  return success();
}
