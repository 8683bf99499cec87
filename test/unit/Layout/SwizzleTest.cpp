//===- SwizzleTest.cpp - Images without bank conflicts --------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Both sides must reach the floor of bytes / 128 wherever vectors allow it, and
// no other image may be better.
//
//===----------------------------------------------------------------------===//

#include "tilec/Layout/Swizzle.h"
#include "Enumeration.h"
#include "RandomLayouts.h"
#include "tilec/Layout/Constructors.h"

using namespace tilec;

/// Wavefronts that the data of one warp needs at least.
static uint64_t floorOf(const LinearLayout &layout, unsigned bits) {
  return std::max<uint64_t>(
      1, (uint64_t(bits) << gf2::rank(layout.columns({R, L}))) / 1024);
}

/// A named case: both sides, kinds, and the expected factors over the floor.
struct SwizzleCase {
  const char *name;
  LinearLayout store, load;
  unsigned bits;
  llvm::ArrayRef<AccessKind> storeKinds, loadKinds;
  std::optional<AccessKind> kind;
  unsigned storeFactor = 1, loadFactor = 1;
};

TEST(Swizzle, Named) {
  static const AccessKind vec[] = {AccessKind::Vec};
  llvm::ArrayRef<AccessKind> all = allAccessKinds;
  LinearLayout rows = blocked({128, 64}, {1, 8}, {4, 8}, {4, 1}, {1, 0});
  LinearLayout rows4 = blocked({128, 64}, {1, 4}, {2, 16}, {4, 1}, {1, 0});
  LinearLayout rows16 = blocked({128, 64}, {1, 16}, {8, 4}, {4, 1}, {1, 0});
  LinearLayout acc = mmaC({128, 64}, {4, 1});
  auto Vec = AccessKind::Vec, Matrix = AccessKind::Matrix;
  SwizzleCase cases[] = {
      {"f16 rows to A", rows, mmaA({128, 64}, 16, {4, 1}), 16, vec, all,
       Matrix},
      {"f16 rows to A by vectors", rows, mmaA({128, 64}, 16, {4, 1}), 16, vec,
       vec, Vec},
      {"f16 rows to B", rows, mmaB({128, 64}, 16, {1, 4}), 16, vec, all,
       AccessKind::MatrixTrans},
      {"f16 rows to A of the transpose", rows,
       mmaA({64, 128}, 16, {4, 1}).transpose({1, 0}), 16, vec, all,
       std::nullopt},
      {"f16 accumulator to rows", acc, rows, 16, all, vec, Vec},
      {"f16 transpose", rows,
       blocked({128, 64}, {8, 1}, {8, 4}, {1, 4}, {0, 1}), 16, vec, vec, Vec},
      {"f32 transpose", rows4,
       blocked({128, 64}, {4, 1}, {16, 2}, {1, 4}, {0, 1}), 32, vec, vec, Vec},
      {"f32 accumulator to rows", acc, rows4, 32, vec, vec, Vec},
      {"f8 rows to A", rows16, mmaA({128, 64}, 8, {4, 1}), 8, vec, all, Matrix},
      {"f8 transpose, one byte a lane", rows16,
       blocked({128, 64}, {16, 1}, {8, 4}, {1, 4}, {0, 1}), 8, vec, vec, Vec, 1,
       4},
      {"f8 transpose, 4x4 patches",
       blocked({128, 64}, {4, 4}, {8, 4}, {4, 1}, {1, 0}),
       blocked({128, 64}, {4, 4}, {8, 4}, {1, 4}, {0, 1}), 8, vec, vec, Vec},
  };
  for (const SwizzleCase &c : cases) {
    SCOPED_TRACE(c.name);
    auto plan = swizzle(c.store, c.load, c.bits, c.storeKinds, c.loadKinds);
    ASSERT_TRUE(plan);
    EXPECT_TRUE(plan->image.isInjective() && plan->image.isSurjective());
    if (c.kind)
      EXPECT_EQ(plan->load.kind, *c.kind);
    EXPECT_EQ(plan->store.wavefronts(),
              floorOf(c.store, c.bits) * c.storeFactor);
    EXPECT_EQ(plan->load.wavefronts(), floorOf(c.load, c.bits) * c.loadFactor);
    for (unsigned warp : {0, 1}) {
      EXPECT_EQ(wavefrontsByEnumeration(plan->store, warp),
                plan->store.wavefronts());
      EXPECT_EQ(wavefrontsByEnumeration(plan->load, warp),
                plan->load.wavefronts());
    }
  }
  EXPECT_EQ(swizzle(rows, mmaA({128, 64}, 16, {4, 1}), 16, vec, all)->image,
            sharedTma({128, 64}, 16, 128, 1));
}

TEST(Swizzle, IdealAndNeverBeaten) {
  Random random(31);
  for (int round = 0; round < 90; ++round) {
    unsigned n = random.range(8, 11), bits = random.oneOf({8u, 16u, 32u, 64u});
    LinearLayout s = random.distributed(n).dedupRegisters(),
                 l = random.distributed(n).dedupRegisters();
    if (round % 3 == 2) { // the same under a change of tensor coordinates
      Vectors matrix = random.invertible(n);
      s = mixed(s, matrix);
      l = mixed(l, matrix);
    }
    auto plan = swizzle(s, l, bits);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->store.wavefronts(), plan->store.ideal());
    EXPECT_EQ(plan->load.wavefronts(), plan->load.ideal());
    for (int i = 0; i < 30; ++i) {
      Vectors image = random.invertible(n);
      if (i % 3 == 1) {
        image = gf2::units(n);
        for (unsigned k = 5; k < n; ++k)
          image[k] ^= random.below(1u << k);
      } else if (i % 3 == 2) {
        image = gf2::units(n);
        random.shuffle(image);
      }
      uint64_t other = Access::get(*offsets(image, s), bits)->wavefronts() +
                       Access::get(*offsets(image, l), bits)->wavefronts();
      EXPECT_GE(other, plan->wavefronts());
    }
  }
}

// Tiles that are copied from global memory keep its vectors whole and what
// follows each other there in one line.
TEST(Swizzle, FilledFromGlobalMemory) {
  // B of a tf32 product, rows of 4 x f32 a thread; its fragments lie across.
  LinearLayout copy = blocked({32, 128}, {1, 4}, {1, 32}, {4, 1}, {1, 0});
  auto plan = swizzle(copy, mmaB({32, 128}, 32, {2, 2}).dedupRegisters(), 32,
                      {AccessKind::Vec}, {AccessKind::Vec}, GlobalFill());
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->store.v, 2u);
  EXPECT_EQ(plan->store.wavefronts(), plan->store.ideal());
  EXPECT_EQ(plan->load.wavefronts(), plan->load.ideal());
  // K of attention, transposed: 128 x 64 of bf16, contiguous along axis 0.
  copy = blocked({128, 64}, {8, 1}, {16, 2}, {1, 4}, {0, 1});
  plan = swizzle(copy, mmaB({128, 64}, 16, {4, 1}).dedupRegisters(), 16,
                 {AccessKind::Vec}, {AccessKind::Matrix}, GlobalFill());
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->store.v, 3u);
  EXPECT_EQ(plan->store.wavefronts(), plan->store.ideal());
  EXPECT_EQ(plan->load.wavefronts(), plan->load.ideal());
  for (unsigned bit = 0; bit < 6; ++bit)
    EXPECT_EQ(plan->image.columns(InDim::Offset)[bit], 64u << bit);
}

TEST(Swizzle, SmallAndOddTiles) {
  // Tiles smaller than a vector, a word or a warp, and 128-bit elements.
  for (int64_t size : {1, 2, 8, 64})
    for (unsigned bits : {8, 16, 32, 64, 128}) {
      LinearLayout l = blocked({size}, {4}, {32}, {2}, {0});
      auto plan = swizzle(l.dedupRegisters(), l.dedupRegisters(), bits,
                          allAccessKinds, allAccessKinds);
      ASSERT_TRUE(plan);
      EXPECT_TRUE(plan->image.isInjective() && plan->image.isSurjective());
    }
  // Elements that the storing side does not have.
  Bases bases;
  bases[R] = {1};
  EXPECT_FALSE(
      swizzle(LinearLayout({2}, bases), blocked({4}, {4}, {1}, {1}, {0}), 32));
  // Kinds that suit neither side: rows in order by vectors.
  LinearLayout rows = blocked({128, 64}, {1, 8}, {4, 8}, {4, 1}, {1, 0});
  auto plan = swizzle(rows, rows, 64, AccessKind::Matrix, AccessKind::Matrix);
  EXPECT_EQ(plan->image, sharedLinear({128, 64}, {1, 0}));
  EXPECT_EQ(plan->store.kind, AccessKind::Vec);
}
