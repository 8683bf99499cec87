//===- BlockOccupancy.h - the occupancy of a block at hand ------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_DRIVER_BLOCKOCCUPANCY_H
#define TILEC_LIB_DRIVER_BLOCKOCCUPANCY_H

#include "tilec/Report/Gpu.h"
#include "tilec/Report/Occupancy.h"

#include <string>

namespace tilec {

/// Reads `threads=256,registers=96,shared=48K`: registers of a thread, bytes of
/// shared memory. Only threads are needed.
Result<BlockResources> parseBlockResources(std::string_view text);

/// Two lines: how many such blocks a multiprocessor of the GPU holds and what
/// limits them, and how many each resource alone would allow.
std::string describeOccupancy(const Gpu &gpu, const BlockResources &block);

} // namespace tilec

#endif // TILEC_LIB_DRIVER_BLOCKOCCUPANCY_H
