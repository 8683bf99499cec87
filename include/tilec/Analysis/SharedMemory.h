//===- SharedMemory.h - who needs shared memory -----------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// What each operation of the tilegpu phase keeps in shared memory. Allocation,
// barriers and lowering ask here, so that they agree.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_SHAREDMEMORY_H
#define TILEC_ANALYSIS_SHAREDMEMORY_H

#include "tilec/Dialect/TileGPU/IR/TileGPU.h"
#include "tilec/Layout/Conversion.h"

namespace tilec {

/// How code generation converts between these two tiles of one block: any kind
/// but Cluster.
Conversion planConversion(mlir::Type from, mlir::Type to);

/// How a product reads its fragments from a buffer; none if the buffer lacks
/// elements of them.
std::optional<Access> planOperandRead(tilegpu::MemDescType buffer,
                                      const LinearLayout &fragments);

/// How threads reach their own elements of a tile in a buffer, by vectors; none
/// if the buffer lacks some.
std::optional<Access> planVectors(mlir::Type tile, tilegpu::MemDescType buffer);

/// A buffer in which threads write their own elements of a tile with this
/// layout, and read them back, by the widest accesses without conflicts of
/// banks.
tilegpu::MemDescType getOwnBufferType(llvm::ArrayRef<int64_t> shape,
                                      mlir::Type element,
                                      const LinearLayout &layout);

/// Is every element of a tile with this layout held by one thread alone?
bool hasOneOwner(const LinearLayout &layout);

/// Does one thread perform the access for all that hold the element? Yes where
/// two of them could find different values: atomics, and loads of memory that
/// others are expected to change.
bool isPerformedOnce(mlir::Operation *access);

/// Do other threads than the one that performs such an access need its result?
bool sharesResult(mlir::Operation *access);

/// Bytes of one buffer.
int64_t getBufferBytes(tilegpu::MemDescType type);

/// Bytes that an operation keeps in shared memory: a buffer that lives on
/// (`local_alloc`, `ring_alloc`) or scratch that it is done with at its end.
/// Operations with scratch write it, wait for the block, and read it.
int64_t getSharedBytes(mlir::Operation *op);

/// Does every tile and buffer of the function have a layout? Says so where one
/// has none.
mlir::LogicalResult checkLayouts(mlir::func::FuncOp function);

/// Does every operation that uses shared memory have a place there? Says so
/// where one has none. Tiles must have layouts.
mlir::LogicalResult checkOffsets(mlir::func::FuncOp function);

} // namespace tilec

#endif // TILEC_ANALYSIS_SHAREDMEMORY_H
