//===- AsyncCopy.h - what asynchronous copies can do ------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_ASYNCCOPY_H
#define TILEC_ANALYSIS_ASYNCCOPY_H

#include "tilec/Analysis/AxisInfo.h"
#include "tilec/Dialect/TileGPU/IR/TileGPU.h"
#include "tilec/Layout/Swizzle.h"

namespace tilec {

/// The registers that one access to global memory moves together: `masks[i]` is
/// the register that bit i of the position in the vector adds. Empty for a
/// scalar. With `edges` the mask need not be the same for all of them (see
/// AxisInfoAnalysis::getRunWithEdges).
llvm::SmallVector<uint32_t, 4> getGlobalVector(const AxisInfoAnalysis &facts,
                                               mlir::Value pointer,
                                               mlir::Value mask,
                                               bool edges = false);

/// The same for pointers that have no layout yet, if it were `layout`.
llvm::SmallVector<uint32_t, 4> getGlobalVector(const AxisInfoAnalysis &facts,
                                               mlir::Value pointer,
                                               mlir::Value mask,
                                               const LinearLayout &layout,
                                               bool edges = false);

/// How a tile of pointers is copied to a buffer of shared memory.
struct AsyncCopyPlan {
  /// The registers of one copy, as masks; 4, 8 or 16 bytes.
  llvm::SmallVector<uint32_t, 4> vector;
  /// Offsets in the buffer.
  Access store;
};

/// The plan of a copy; none if its vectors are shorter than 4 bytes or do not
/// lie together in the buffer.
std::optional<AsyncCopyPlan> planAsyncCopy(const AxisInfoAnalysis &facts,
                                           mlir::Value pointer,
                                           mlir::Value mask,
                                           tilegpu::MemDescType buffer);

} // namespace tilec

#endif // TILEC_ANALYSIS_ASYNCCOPY_H
