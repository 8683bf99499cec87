//===- SectorsTest.cpp - sectors that a warp touches ----------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Random layouts over random addresses of which random facts hold, against the
// sectors of the addresses themselves.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/MemoryAccess.h"
#include "tilec/Layout/Access.h"
#include "tilec/Layout/Constructors.h"

#include "gtest/gtest.h"

#include <map>
#include <random>
#include <set>

using namespace tilec;

namespace {

/// A tile of addresses with facts that hold for them.
struct Addresses {
  llvm::SmallVector<int64_t> shape;
  unsigned fastest, elementBytes;
  AxisInfo info;
  std::vector<uint64_t> bytes; ///< by flattened coordinate

  explicit Addresses(std::mt19937 &random);
};

} // namespace

/// A power of two from 1 to 2^limit.
static int64_t pickPower(std::mt19937 &random, unsigned limit) {
  return int64_t(1) << random() % (limit + 1);
}

Addresses::Addresses(std::mt19937 &random) {
  shape = {pickPower(random, 5), pickPower(random, 6)};
  fastest = random() % 2;
  elementBytes = pickPower(random, 3);
  int64_t run = pickPower(random, llvm::Log2_64(shape[fastest]));
  int64_t aligned = elementBytes * pickPower(random, 5);
  int64_t same = pickPower(random, llvm::Log2_64(shape[1 - fastest]));
  info.contiguity = {1, 1};
  info.divisibility = {int64_t(elementBytes), int64_t(elementBytes)};
  info.constancy = {1, 1};
  info.contiguity[fastest] = run;
  info.divisibility[fastest] = aligned;
  info.constancy[1 - fastest] = same;
  // One start for each run and group of rows, far from all others.
  std::map<std::pair<int64_t, int64_t>, uint64_t> starts;
  for (int64_t row = 0; row < shape[0]; ++row)
    for (int64_t column = 0; column < shape[1]; ++column) {
      int64_t along = fastest ? column : row, across = fastest ? row : column;
      uint64_t far = (starts.size() + 1) << 20;
      uint64_t start = far + random() % 1024 * aligned;
      start =
          starts.try_emplace({along / run, across / same}, start).first->second;
      bytes.push_back(start + along % run * elementBytes);
    }
}

/// The addresses' sectors that the instruction of one warp touches whose first
/// register is `first`.
static size_t countTouched(const Addresses &addresses,
                           const LinearLayout &layout,
                           llvm::ArrayRef<uint32_t> vector, uint32_t first) {
  std::set<uint64_t> sectors;
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t k = 0; k < 1u << vector.size(); ++k) {
      uint32_t flat =
          layout.apply(InDim::Lane, lane) ^
          layout.apply(InDim::Register, first ^ gf2::mul(vector, k));
      uint64_t row = layout.coordinate(flat, 0),
               column = layout.coordinate(flat, 1);
      sectors.insert(addresses.bytes[row * addresses.shape[1] + column] / 32);
    }
  return sectors.size();
}

TEST(Sectors, OfRandomAddresses) {
  std::mt19937 random(1);
  unsigned exact = 0, aligned = 0;
  for (unsigned round = 0; round < 2000; ++round) {
    Addresses addresses(random);
    // The layout need not suit the facts.
    llvm::SmallVector<int64_t> contiguity = {1, 1}, divisibility = {16, 16};
    unsigned axis = random() % 2;
    contiguity[axis] = addresses.shape[axis];
    LinearLayout layout =
        coalesced(addresses.shape, addresses.elementBytes * 8,
                  pickPower(random, 2), contiguity, divisibility)
            .dedupRegisters();
    llvm::SmallVector<unsigned> order = {addresses.fastest,
                                         1 - addresses.fastest};
    AddressFacts facts;
    facts.contiguity = addresses.info.contiguity[addresses.fastest];
    facts.divisibilityBytes = addresses.info.divisibility[addresses.fastest];
    GlobalAccess access =
        globalAccess(layout, order, addresses.elementBytes * 8, facts);
    unsigned bytes = addresses.elementBytes * access.elements;
    SectorCount count =
        countSectors(layout, addresses.info, addresses.elementBytes, bytes);
    uint32_t first = random() % layout.size(InDim::Register);
    size_t touched = countTouched(addresses, layout, access.registers, first);
    ASSERT_LE(touched, count.sectors) << "round " << round;
    ASSERT_LE(count.ideal, count.sectors) << "round " << round;
    // Runs that start at sectors leave nothing open.
    if (facts.divisibilityBytes >= 32) {
      ASSERT_EQ(touched, count.sectors) << "round " << round;
      ++aligned;
    }
    exact += touched == count.sectors;
  }
  EXPECT_GT(aligned, 200u);
  EXPECT_GT(exact, aligned);
}
