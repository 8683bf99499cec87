//===- Occupancy.h - how many blocks a multiprocessor holds -----*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_REPORT_OCCUPANCY_H
#define TILEC_REPORT_OCCUPANCY_H

#include <cstdint>
#include <optional>
#include <string>

namespace tilec {

/// What a multiprocessor of a compute capability has: a row of Gpus.def.
struct Multiprocessor {
  unsigned capability; ///< compute capability times ten
  unsigned warps;      ///< at most at a time
  unsigned blocks;     ///< at most at a time
  uint64_t shared;     ///< bytes of shared memory

  /// 32-bit registers, of all capabilities in the table.
  static constexpr unsigned registers = 65536;
  /// Bytes of shared memory that the system takes for each block.
  static constexpr uint64_t reservedShared = 1024;
};

/// The multiprocessors of a compute capability (times ten), if the table has
/// them.
std::optional<Multiprocessor> findMultiprocessor(unsigned capability);

/// What one block takes.
struct BlockResources {
  unsigned threads = 0;              ///< from 1 on
  std::optional<unsigned> registers; ///< of a thread; none if not known
  uint64_t shared = 0;               ///< bytes, static and dynamic
};

/// How many blocks of a kernel a multiprocessor holds at a time, and why not
/// more.
struct Occupancy {
  /// Blocks that each resource alone allows; by registers, none if unlimited or
  /// not known.
  unsigned byWarps = 0, byBlocks = 0;
  std::optional<unsigned> byRegisters;
  uint64_t byShared = 0;

  unsigned blocks = 0; ///< the least of them; 0: the block does not fit
  unsigned warps = 0;  ///< of these blocks
  /// What is exhausted first: "warps", or else "registers", "shared memory",
  /// "blocks", or several of these with " and " between them.
  std::string limiter;
  double share = 0; ///< of the warps that the multiprocessor could hold, 0 to 1
};

/// The occupancy, as the hardware gives resources out: registers to each warp
/// in units of 256, in each quarter of the multiprocessor apart; shared memory
/// in units of 128 bytes after those that the system reserves (CUDA occupancy
/// calculator).
Occupancy computeOccupancy(const Multiprocessor &multiprocessor,
                           const BlockResources &block);

} // namespace tilec

#endif // TILEC_REPORT_OCCUPANCY_H
