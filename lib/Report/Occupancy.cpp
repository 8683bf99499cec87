//===- Occupancy.cpp - how many blocks a multiprocessor holds -------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tilec/Report/Occupancy.h"

#include <algorithm>

using namespace tilec;

/// How resources are given out, the same for all capabilities in the table.
static constexpr unsigned warpThreads = 32, quarters = 4, registerUnit = 256,
                          maxRegisters = 255, sharedUnit = 128,
                          maxThreads = 1024;

std::optional<Multiprocessor> tilec::findMultiprocessor(unsigned capability) {
  static constexpr Multiprocessor rows[] = {
#define TILEC_MULTIPROCESSOR(...) {__VA_ARGS__},
#include "tilec/Report/Gpus.def"
  };
  for (const Multiprocessor &row : rows)
    if (row.capability == capability)
      return row;
  return std::nullopt;
}

/// The least multiple of `unit` from `value` on.
static uint64_t roundUp(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// Blocks whose registers fit; each has `warps` warps.
static unsigned limitByRegisters(unsigned registers, unsigned warps) {
  uint64_t perWarp = roundUp(uint64_t(registers) * warpThreads, registerUnit);
  // A block is admitted as if it had the same number of warps in each quarter.
  if (registers > maxRegisters ||
      perWarp * roundUp(warps, quarters) > Multiprocessor::registers)
    return 0;
  uint64_t warpsInQuarter = Multiprocessor::registers / quarters / perWarp;
  return warpsInQuarter * quarters / warps;
}

Occupancy tilec::computeOccupancy(const Multiprocessor &multiprocessor,
                                  const BlockResources &block) {
  Occupancy result;
  unsigned warps =
      std::max(1u, (block.threads + warpThreads - 1) / warpThreads);
  result.byWarps =
      block.threads > maxThreads ? 0 : multiprocessor.warps / warps;
  result.byBlocks = multiprocessor.blocks;
  if (block.registers && *block.registers)
    result.byRegisters = limitByRegisters(*block.registers, warps);
  // Guarded against sizes that wrap.
  result.byShared =
      block.shared > multiprocessor.shared
          ? 0
          : multiprocessor.shared /
                roundUp(block.shared + Multiprocessor::reservedShared,
                        sharedUnit);
  struct {
    uint64_t blocks;
    std::string_view name;
  } limits[] = {{result.byWarps, "warps"},
                {result.byRegisters.value_or(~0u), "registers"},
                {result.byShared, "shared memory"},
                {result.byBlocks, "blocks"}};
  result.blocks = result.byWarps;
  for (const auto &limit : limits)
    result.blocks = std::min<uint64_t>(result.blocks, limit.blocks);
  // All warps in use is what a user can wish for, whatever else is used up.
  for (const auto &limit : limits)
    if (limit.blocks == result.blocks && result.limiter != "warps")
      result.limiter +=
          (result.limiter.empty() ? "" : " and ") + std::string(limit.name);
  result.warps = result.blocks * warps;
  result.share = double(result.warps) / multiprocessor.warps;
  return result;
}
