//===- AccessTest.cpp - Memory accesses counted two ways ------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Vector widths by enumeration of addresses, and wavefronts by walking every
// lane of every instruction.
//
//===----------------------------------------------------------------------===//

#include "tilec/Layout/Access.h"
#include "Enumeration.h"
#include "RandomLayouts.h"
#include "tilec/Layout/Constructors.h"
#include "tilec/Layout/Swizzle.h"
#include <set>

using namespace tilec;

/// The access of a layout on an image by vectors.
static Access vectorAccess(const Vectors &image, const LinearLayout &layout,
                           unsigned bits) {
  return *Access::get(*offsets(image, layout), bits);
}

/// The wavefronts of an access, after checking them for `warps` warps.
static uint64_t countTwice(const Access &access, unsigned warps = 1) {
  for (unsigned warp = 0; warp < warps; ++warp)
    EXPECT_EQ(access.wavefronts(), wavefrontsByEnumeration(access, warp));
  return access.wavefronts();
}

TEST(GlobalAccess, Named) {
  LinearLayout rows = blocked({128, 64}, {1, 8}, {4, 8}, {4, 1}, {1, 0});
  LinearLayout acc = mmaC({64, 64}, {4, 1});
  EXPECT_EQ(globalAccess(rows, {1, 0}, 16).elements, 8u);
  EXPECT_EQ(globalAccess(rows, {1, 0}, 16).registers, (Vectors{1, 2, 4}));
  EXPECT_EQ(globalAccess(rows, {0, 1}, 16).elements, 1u);
  EXPECT_EQ(globalAccess(rows, {1, 0}, 16, {4}).elements, 4u);
  EXPECT_EQ(globalAccess(rows, {1, 0}, 16, {12}).elements, 4u);
  EXPECT_EQ(globalAccess(rows, {1, 0}, 16, {0}).elements, 1u);
  EXPECT_EQ(globalAccess(rows, {1, 0}, 16, {std::nullopt, 4}).elements, 2u);
  EXPECT_EQ(globalAccess(rows, {1, 0}, 16, {std::nullopt, 1}).elements, 1u);
  EXPECT_EQ(globalAccess(rows, {1, 0}, 32).elements, 4u);
  EXPECT_EQ(globalAccess(acc, {1, 0}, 32).elements, 2u);
  EXPECT_EQ(
      globalAccess(acc.permuteRegisters({1, 0, 2, 3, 4}), {1, 0}, 32).registers,
      Vectors{2});
  EXPECT_EQ(sectors(acc, {1, 0}, 16), 8u);
  EXPECT_EQ(sectors(rows, {1, 0}, 16), 16u);
  EXPECT_EQ(commonVector(rows, mmaA({128, 64}, 16, {4, 1}), 16), 4u);
  EXPECT_EQ(commonVector(acc, mmaA({64, 64}, 16, {4, 1}), 16), 8u);
  // Past the fastest axis only in a packed tensor.
  LinearLayout narrow = blocked({64, 2}, {4, 2}, {32, 1}, {1, 1}, {1, 0});
  EXPECT_EQ(globalAccess(narrow, {1, 0}, 16).elements, 2u);
  EXPECT_EQ(globalAccess(narrow, {1, 0}, 16, {std::nullopt, 16, true}).elements,
            8u);
  EXPECT_EQ(globalAccess(mmaC({64, 64}).slice(0).slice(0), {}, 32).elements,
            1u);
}

TEST(GlobalAccess, ByEnumeration) {
  Random random(21);
  for (int round = 0; round < 100; ++round) {
    LinearLayout l = random.distributed(random.range(8, 10));
    llvm::SmallVector<unsigned> order = {0, 1};
    if (random.chance(0.5))
      order = {1, 0};
    GlobalAccess got = globalAccess(l, order, random.oneOf({8u, 16u, 32u}));
    LinearLayout memory = memoryMap(l, order);
    for (int i = 0; i < 20; ++i) {
      HardwareIndex index = random.index(l);
      uint32_t base = memory.apply(index);
      std::set<uint32_t> run;
      for (uint32_t e = 0; e < got.elements; ++e) {
        HardwareIndex other = index;
        other[R] ^= gf2::mul(got.registers, e);
        run.insert(memory.apply(other));
      }
      EXPECT_EQ(run.size(), got.elements);
      EXPECT_EQ(*run.begin(), base / got.elements * got.elements);
      EXPECT_EQ(*run.rbegin(), *run.begin() + got.elements - 1);
    }
  }
}

TEST(SharedAccess, WavefrontsByEnumeration) {
  Random random(22);
  std::set<uint64_t> degrees;
  for (int round = 0; round < 400; ++round) {
    unsigned n = random.range(7, 10);
    LinearLayout l = random.distributed(n);
    Vectors image = gf2::units(n);
    if (round % 3 == 1)
      for (unsigned i = 5; i < n; ++i)
        image[i] ^= 1u << random.below(5);
    else if (round % 3 == 2)
      image = random.invertible(n);
    Access access = vectorAccess(image, l, random.oneOf({8u, 16u, 32u, 64u}));
    degrees.insert(countTwice(access, l.size(W)) / access.ideal());
  }
  EXPECT_GE(degrees.size(), 4u); // degrees of conflict really vary
}

TEST(SharedAccess, KnownVectorConflicts) {
  Vectors plain = gf2::units(10);
  Bases bases;
  bases[R] = {1, 2, 4, 8, 16};
  bases[L] = {32, 64, 128, 256, 512};
  LinearLayout rows({5, 5}, bases);
  std::swap(bases[R], bases[L]);
  LinearLayout columns({5, 5}, bases);
  // A row of 32 f32 by one lane: 16-byte reads, 8 lanes a phase, 8-way.
  Access wide = vectorAccess(plain, rows, 32);
  EXPECT_EQ(wide.v, 2u);
  EXPECT_EQ(wide.instructions, 8u);
  EXPECT_EQ(countTwice(wide), 8u * 4 * 8);
  EXPECT_EQ(countTwice(vectorAccess(plain, columns, 32)), 32u);
  LinearLayout image = sharedTma({32, 32}, 32, 128, 1);
  Vectors swizzled(image.columns(O));
  EXPECT_EQ(countTwice(vectorAccess(swizzled, rows, 32)), 32u);
}

TEST(SharedAccess, KnownMatrixConflicts) {
  LinearLayout frag = mmaA({64, 64}, 16, {4, 1});
  auto count = [](const LinearLayout &image, const LinearLayout &l,
                  unsigned bits, llvm::ArrayRef<AccessKind> kinds) {
    auto access = bestAccess(image, l, bits, kinds);
    EXPECT_TRUE(access);
    return access ? std::pair(access->kind, countTwice(*access, l.size(W)))
                  : std::pair(AccessKind::Vec, uint64_t(0));
  };
  AccessKind matrix = AccessKind::Matrix;
  EXPECT_EQ(count(sharedLinear({64, 64}, {1, 0}), frag, 16, matrix).second,
            8u * 16);
  for (unsigned sw : {32, 64, 128})
    EXPECT_EQ(count(sharedTma({64, 64}, 16, sw, 1), frag, 16, matrix).second,
              16u);
  EXPECT_EQ(count(sharedTma({64, 64}, 16, 128, 1), mmaB({64, 64}, 16, {4, 1}),
                  16, allAccessKinds),
            std::pair(AccessKind::MatrixTrans, uint64_t(64)));
  // stmatrix of an accumulator into a swizzled image: free.
  auto store = bestAccess(sharedTma({64, 64}, 16, 128, 1),
                          wgmmaAcc({64, 64}, 64), 16, matrix);
  EXPECT_EQ(countTwice(*store, 4), 16u);
  EXPECT_EQ(store->instructions, 4u);
  EXPECT_EQ(store->num, 4u);
  // f32 accumulators by 8-byte stores into it: 2-way.
  auto wide = bestAccess(sharedTma({64, 32}, 32, 128, 1),
                         wgmmaAcc({64, 32}, 32), 32, AccessKind::Vec);
  EXPECT_EQ(wide->v, 1u);
  EXPECT_EQ(countTwice(*wide), 2 * wide->ideal());
  // No matrix instruction reads a layout that is not its fragment.
  EXPECT_FALSE(bestAccess(sharedTma({64, 64}, 16, 128, 1),
                          blocked({64, 64}, {1, 8}, {4, 8}, {4, 1}, {1, 0}), 16,
                          matrix));
  EXPECT_FALSE(bestAccess(sharedLinear({64, 32}, {1, 0}), frag, 16));
}
