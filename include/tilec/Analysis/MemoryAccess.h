//===- MemoryAccess.h - what an access costs a warp -------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// How the code generator accesses global and shared memory for a tile, counted
// from its layout: the instructions, and what the memory has to move for them.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_MEMORYACCESS_H
#define TILEC_ANALYSIS_MEMORYACCESS_H

#include "tilec/Analysis/AxisInfo.h"
#include "tilec/Dialect/TileGPU/IR/TileGPU.h"
#include "tilec/Layout/Swizzle.h"

namespace tilec {

/// An operation's access to global memory.
struct GlobalAccessCost {
  mlir::Value pointer, mask; ///< the mask may be null
  unsigned bytes = 0;        ///< that a thread moves by one instruction
  unsigned instructions = 0; ///< of a thread
  /// Sectors of 32 bytes that one instruction of a warp touches at most, with
  /// no lane masked off, and those that its bytes would fill.
  unsigned sectors = 0, idealSectors = 0;
};

/// The access of a load, store, atomic or asynchronous copy with layouts; none
/// for any other operation.
std::optional<GlobalAccessCost> getGlobalAccess(mlir::Operation *op,
                                                const AxisInfoAnalysis &facts);

/// The elements of a tile, by their numbers in row-major order, that the
/// instructions of all warps move: `perInstruction` of one after those of the
/// other. Elements that several lanes or warps move come as often.
struct WarpAccesses {
  unsigned perInstruction = 0;
  std::vector<uint32_t> elements;
};

/// Those of a load, store, atomic or asynchronous copy of a tile with a layout;
/// none for any other operation. A block has `numWarps` warps.
std::optional<WarpAccesses> getWarpAccesses(mlir::Operation *op,
                                            const AxisInfoAnalysis &facts,
                                            unsigned numWarps);

/// An operation's access to shared memory.
struct SharedAccessCost {
  bool isStore = false;
  std::string what; ///< "operand a", "conversion"
  AccessKind kind = AccessKind::Vec;
  unsigned bytes = 0;        ///< that a thread moves by one instruction
  uint64_t instructions = 0; ///< of a warp
  /// Passes of 128 bytes that these instructions need, and those without bank
  /// conflicts.
  uint64_t wavefronts = 0, idealWavefronts = 0;
};

/// The accesses of an operation whose patterns are planned from layouts:
/// buffers that are filled, operands that products read, conversions.
llvm::SmallVector<SharedAccessCost, 2>
getSharedAccesses(mlir::Operation *op, const AxisInfoAnalysis &facts);

} // namespace tilec

#endif // TILEC_ANALYSIS_MEMORYACCESS_H
