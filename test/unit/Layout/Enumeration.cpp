//===- Enumeration.cpp - Counting wavefronts by walking lanes -------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Enumeration.h"
#include "gtest/gtest.h"
#include <set>

namespace tilec {

namespace {
/// The words that one phase asks of every bank.
struct Banks {
  std::set<uint32_t> words[32];

  /// An access of `bytes` from a byte address.
  void touch(uint32_t address, uint32_t bytes) {
    for (uint32_t word = address / 4; word <= (address + bytes - 1) / 4; ++word)
      words[word % 32].insert(word);
  }
  uint64_t wavefronts() const {
    size_t most = 0;
    for (const std::set<uint32_t> &bank : words)
      most = std::max(most, bank.size());
    return most;
  }
};
} // namespace

/// Vectors: lanes of every instruction, `lanes served together` at a time.
static uint64_t countVectors(const Access &access, uint32_t base) {
  const Vectors &reg = access.addr[InDim::Register],
                &lane = access.addr[InDim::Lane];
  uint32_t bytes = (access.bits << access.v) / 8, lanes = 1u << lane.size();
  uint32_t together = std::min(lanes, std::max(1u, 128 / bytes));
  together = std::min(together, 32u);
  std::set<uint32_t> groups;
  uint64_t total = 0;
  for (uint32_t r = 0; r < 1u << reg.size(); ++r) {
    uint32_t group = (base ^ gf2::mul(reg, r)) >> access.v << access.v;
    if (!groups.insert(group).second)
      continue;
    for (uint32_t first = 0; first < lanes; first += together) {
      Banks banks;
      for (uint32_t l = first; l < first + together; ++l)
        banks.touch((group ^ gf2::mul(lane, l)) * access.bits / 8, bytes);
      total += banks.wavefronts();
    }
  }
  return total;
}

/// Matrices: the eight rows that the elements of each one fall into.
static uint64_t countMatrices(const Access &access, uint32_t base) {
  const Vectors &reg = access.addr[InDim::Register],
                &lane = access.addr[InDim::Lane];
  uint64_t total = 0;
  for (uint32_t m = 0; m < 1u << access.restRegs.size(); ++m) {
    uint32_t start = base ^ gf2::mul(reg, gf2::mul(access.restRegs, m));
    std::set<uint32_t> rows;
    for (uint32_t l = 0; l < 32; ++l)
      for (uint32_t h = 0; h < 1u << access.half.size(); ++h) {
        uint32_t offset =
            start ^ gf2::mul(lane, l) ^ gf2::mul(reg, gf2::mul(access.half, h));
        rows.insert(offset * access.bits / 8 / 16 * 16);
      }
    EXPECT_EQ(rows.size(), 8u);
    Banks banks;
    for (uint32_t row : rows)
      banks.touch(row, 16);
    total += banks.wavefronts();
  }
  return total;
}

uint64_t wavefrontsByEnumeration(const Access &access, unsigned warp) {
  uint32_t base = gf2::mul(access.addr[InDim::Warp], warp);
  return access.kind == AccessKind::Vec ? countVectors(access, base)
                                        : countMatrices(access, base);
}

} // namespace tilec
