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
  SmallVector<Value> all(getValues());
  if (getMask())
    all.push_back(getMask());
  for (Value value : all)
    if (getShape(value.getType()) != getShape(all.front().getType())) // (C1)
      return emitOpError("expected values of one shape");
  return success();
}

LogicalResult InlineAsmOp::verify() {
  if (getNumResults() == 0) // (C1)
    return emitOpError("expected at least one result");
  ArrayRef<int64_t> shape = getShape(getResult(0).getType());
  for (Type type :
       llvm::concat<const Type>(SmallVector<Type>(getOperandTypes()),
                                SmallVector<Type>(getResultTypes())))
    if (getShape(type) != shape) // (C1)
      return emitOpError("expected operands and results of one shape, got [")
             << shape << "] and [" << getShape(type) << "]";
  if (getPack() < 1 || getPack() > 32) // (C2)
    return emitOpError("expected a pack of 1 to 32 elements, got ")
           << static_cast<int32_t>(getPack());
  return success();
}

void InlineAsmOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (getPure())
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}
