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

/// Sectors of 32 bytes that one instruction of a warp touches at most, with no
/// lane masked off, and those that its bytes would fill.
struct SectorCount {
  unsigned sectors = 0, ideal = 0;
};

/// The sectors of an instruction that moves `bytes` a thread of elements of
/// `elementBytes` held by `layout`, where `info` is known of the addresses.
SectorCount countSectors(const LinearLayout &layout, const AxisInfo &info,
                         unsigned elementBytes, unsigned bytes);

/// What an operation that accesses global memory takes: its pointers, a tile or
/// one, and its mask, null where it has none.
struct MemoryOperands {
  mlir::Value pointer, mask;
};

/// Those of a load, store, atomic or asynchronous copy; no pointer for any
/// other operation.
MemoryOperands getMemoryOperands(mlir::Operation *op);

/// An operation's access to global memory.
struct GlobalAccessCost {
  MemoryOperands operands;
  unsigned bytes = 0;        ///< that a thread moves by one instruction
  unsigned instructions = 0; ///< of a thread
  SectorCount sectors;
};

/// The access of a load, store, atomic or asynchronous copy with layouts; none
/// for any other operation. `facts` decide the instructions, `places` (which
/// may assume more) where the addresses lie.
std::optional<GlobalAccessCost> getGlobalAccess(mlir::Operation *op,
                                                const AxisInfoAnalysis &facts,
                                                const AxisInfoAnalysis &places);

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
