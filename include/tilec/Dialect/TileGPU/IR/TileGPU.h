//===- TileGPU.h - the tilegpu dialect --------------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Types, attributes and operations of the tilegpu dialect.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DIALECT_TILEGPU_IR_TILEGPU_H
#define TILEC_DIALECT_TILEGPU_IR_TILEGPU_H

#include "mlir/IR/TensorEncoding.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "tilec/Layout/LinearLayout.h"

#include "tilec/Dialect/TileGPU/IR/TileGPUDialect.h.inc"
#include "tilec/Dialect/TileGPU/IR/TileGPUEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tilec/Dialect/TileGPU/IR/TileGPUAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "tilec/Dialect/TileGPU/IR/TileGPUTypes.h.inc"

namespace tilec::tilegpu {

/// The memory that the threads of a block share.
struct SharedMemory : public mlir::SideEffects::Resource::Base<SharedMemory> {
  llvm::StringRef getName() override { return "shared memory"; }
};

/// Names of the attributes that the dialect defines on other operations; the
/// dialect's description says what each means.
inline constexpr llvm::StringLiteral kArchAttr = "tilegpu.arch";
inline constexpr llvm::StringLiteral kNumWarpsAttr = "tilegpu.num_warps";
inline constexpr llvm::StringLiteral kNumStagesAttr = "tilegpu.num_stages";
inline constexpr llvm::StringLiteral kBlocksAttr = "tilegpu.blocks";
inline constexpr llvm::StringLiteral kSharedAttr = "tilegpu.shared";
inline constexpr llvm::StringLiteral kLayoutAttr = "tilegpu.layout";
inline constexpr llvm::StringLiteral kTilingAttr = "tilegpu.tiling";
inline constexpr llvm::StringLiteral kOffsetAttr = "tilegpu.offset";
inline constexpr llvm::StringLiteral kPartAttr = "tilegpu.part";
inline constexpr llvm::StringLiteral kIndependentAttr = "tilegpu.independent";

/// The warps of a kernel's blocks. Says so where nothing has chosen them.
mlir::FailureOr<int64_t> getNumWarps(mlir::func::FuncOp function);

/// The layout of a tile. The type must have one.
const LinearLayout &getLayout(mlir::Type type);

/// The tile type `type` with this layout.
mlir::RankedTensorType withLayout(mlir::Type type, const LinearLayout &layout);

/// Bits of an element as registers and shared memory hold it: pointers have 64,
/// Booleans 8.
unsigned getBits(mlir::Type element);

/// Does the operation compute each element of a tile from the operands'
/// elements at the same place?
bool isElementwise(mlir::Operation *op);

/// The shape and the elements of an operand of a product, a tile or a buffer of
/// shared memory.
llvm::ArrayRef<int64_t> getOperandShape(mlir::Value operand);
mlir::Type getOperandElementType(mlir::Value operand);

/// The length along k of a step of tensor cores for left operands of this type;
/// 0 if they do not have the precision.
int64_t getTensorCoreDepth(mlir::Type a, tile::DotPrecision precision);

/// Layout of the accumulator of a product of this shape.
LinearLayout getAccumulatorLayout(DotTilingAttr tiling,
                                  llvm::ArrayRef<int64_t> shape);

/// Layout of the fragments of operand 0 (MxK) or 1 (KxN) of a product.
LinearLayout getOperandLayout(DotTilingAttr tiling, unsigned operand,
                              llvm::ArrayRef<int64_t> shape, unsigned bits);

/// The layout in which each thread of a multiply-add product reads operand 0
/// (MxK) or 1 (KxN): the rows (columns) of its own patches, all of k in
/// registers.
LinearLayout getFmaOperandLayout(const LinearLayout &accumulator,
                                 unsigned operand, int64_t k);

} // namespace tilec::tilegpu

#define GET_OP_CLASSES
#include "tilec/Dialect/TileGPU/IR/TileGPUOps.h.inc"

namespace tilec::tilegpu {

/// The layout of the fragments that a product computes with, of operand 0 or 1.
LinearLayout getOperandFragments(DotOp dot, unsigned operand);

} // namespace tilec::tilegpu

#endif // TILEC_DIALECT_TILEGPU_IR_TILEGPU_H
