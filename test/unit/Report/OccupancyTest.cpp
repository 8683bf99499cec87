//===- OccupancyTest.cpp - how many blocks a multiprocessor holds ---------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Expected numbers are those of the CUDA occupancy calculator.
//
//===----------------------------------------------------------------------===//

#include "tilec/Report/Occupancy.h"

#include "gtest/gtest.h"

using namespace tilec;

static Occupancy onHopper(unsigned threads, std::optional<unsigned> registers,
                          uint64_t shared) {
  return computeOccupancy(*findMultiprocessor(90),
                          {threads, registers, shared});
}

TEST(Occupancy, ByRegisters) {
  Occupancy a = onHopper(256, 96, 48 << 10);
  EXPECT_EQ(a.blocks, 2u);
  EXPECT_EQ(a.share, 0.25);
  EXPECT_EQ(a.limiter, "registers");
  Occupancy b = onHopper(128, 160, 0);
  EXPECT_EQ(b.blocks, 3u);
  EXPECT_EQ(b.share, 0.1875);
  // 33 registers count as 40: 16384 / 1280 = 12 warps in a quarter.
  EXPECT_EQ(onHopper(128, 33, 0).byRegisters, 12u);
  EXPECT_EQ(onHopper(128, 32, 0).byRegisters, 16u);
  // Admitted by quarters: 5 warps count as 8.
  EXPECT_EQ(onHopper(160, 255, 0).byRegisters, 1u);
  EXPECT_EQ(onHopper(288, 255, 0).byRegisters, 0u);
  EXPECT_EQ(onHopper(128, 256, 0).blocks, 0u);
}

TEST(Occupancy, BySharedMemory) {
  // 228 KiB, of which each block's kilobyte is the system's.
  Occupancy a = onHopper(128, 32, 56 << 10);
  EXPECT_EQ(a.blocks, 4u);
  EXPECT_EQ(a.limiter, "shared memory");
  EXPECT_EQ(onHopper(128, 32, (56 << 10) + 1).blocks, 3u);
  EXPECT_EQ(onHopper(128, 32, 227 << 10).blocks, 1u);
  EXPECT_EQ(onHopper(128, 32, (227 << 10) + 1).blocks, 0u);
  EXPECT_EQ(onHopper(128, 32, ~uint64_t(0)).blocks, 0u);
}

TEST(Occupancy, ByWarpsAndBlocks) {
  EXPECT_EQ(onHopper(1024, 32, 0).blocks, 2u);
  EXPECT_EQ(onHopper(1024, 32, 0).limiter, "warps");
  EXPECT_EQ(onHopper(1024, 32, 0).share, 1);
  EXPECT_EQ(onHopper(32, 32, 0).blocks, 32u);
  EXPECT_EQ(onHopper(32, 32, 0).limiter, "blocks");
  EXPECT_EQ(onHopper(2048, 32, 0).blocks, 0u);
  // A warp that is not full counts as one.
  EXPECT_EQ(onHopper(33, 32, 0).warps, 64u);
}

TEST(Occupancy, ByTwoResources) {
  Occupancy a = onHopper(256, 198, 196640);
  EXPECT_EQ(a.blocks, 1u);
  EXPECT_EQ(a.limiter, "registers and shared memory");
}

TEST(Occupancy, WithoutRegisters) {
  Occupancy a = onHopper(128, std::nullopt, 0);
  EXPECT_FALSE(a.byRegisters);
  EXPECT_EQ(a.blocks, 16u);
  EXPECT_EQ(a.limiter, "warps");
}
