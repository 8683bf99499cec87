//===- Tile.h - the tile dialect --------------------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Types, attributes and operations of the tile dialect.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DIALECT_TILE_IR_TILE_H
#define TILEC_DIALECT_TILE_IR_TILE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tilec/Dialect/Tile/IR/TileDialect.h.inc"
#include "tilec/Dialect/Tile/IR/TileEnums.h.inc"

namespace tilec::tile {

/// The memory that loads, stores and atomics touch.
struct GlobalMemory : public mlir::SideEffects::Resource::Base<GlobalMemory> {
  llvm::StringRef getName() override { return "global memory"; }
};

/// Names of the attributes that the dialect defines on other operations; the
/// dialect's description says what each means.
inline constexpr llvm::StringLiteral kKernelAttr = "tile.kernel";
inline constexpr llvm::StringLiteral kNumWarpsAttr = "tile.num_warps";
inline constexpr llvm::StringLiteral kNumStagesAttr = "tile.num_stages";
inline constexpr llvm::StringLiteral kConstantsAttr = "tile.constants";
inline constexpr llvm::StringLiteral kFoldedAttr = "tile.folded";
inline constexpr llvm::StringLiteral kNameAttr = "tile.name";
inline constexpr llvm::StringLiteral kTypeAttr = "tile.type";
inline constexpr llvm::StringLiteral kDivisibilityAttr = "tile.divisibility";
inline constexpr llvm::StringLiteral kContiguityAttr = "tile.contiguity";
inline constexpr llvm::StringLiteral kConstancyAttr = "tile.constancy";
inline constexpr llvm::StringLiteral kPaddedAttr = "tile.padded";

/// The element type of a tile, or the type itself when it is a scalar.
mlir::Type getElementType(mlir::Type type);

/// The shape of a tile; empty for a scalar.
llvm::ArrayRef<int64_t> getShape(mlir::Type type);

/// `type` with its element type replaced: a tile of the same shape and
/// encoding, or the element itself for a scalar.
mlir::Type withElementType(mlir::Type type, mlir::Type element);

} // namespace tilec::tile

#define GET_TYPEDEF_CLASSES
#include "tilec/Dialect/Tile/IR/TileTypes.h.inc"

#define GET_OP_CLASSES
#include "tilec/Dialect/Tile/IR/TileOps.h.inc"

#endif // TILEC_DIALECT_TILE_IR_TILE_H
