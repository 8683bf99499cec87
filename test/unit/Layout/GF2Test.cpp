//===- GF2Test.cpp - Linear algebra over the two-element field ------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "RandomLayouts.h"

using namespace tilec;

/// Up to ten random vectors of n bits.
static Vectors randomVectors(Random &random, unsigned n) {
  Vectors result;
  for (int i = random.range(1, 10); i > 0; --i)
    result.push_back(random.below(1u << n));
  return result;
}

TEST(GF2, KernelAndRank) {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    Vectors columns = randomVectors(random, random.range(1, 10));
    Vectors kernel = gf2::kernel(columns);
    EXPECT_EQ(kernel.size() + gf2::rank(columns), columns.size());
    EXPECT_EQ(gf2::rank(kernel), kernel.size());
    for (uint32_t mask : kernel) {
      EXPECT_EQ(gf2::mul(columns, mask), 0u);
      // Each owns its highest bit.
      unsigned top = gf2::bitLength(mask) - 1;
      EXPECT_EQ(llvm::count_if(
                    kernel, [&](uint32_t other) { return other >> top & 1; }),
                1);
    }
  }
}

TEST(GF2, SolveUsesIndependentVectorsOnly) {
  Random random(2);
  for (int round = 0; round < 300; ++round) {
    unsigned n = random.range(1, 10);
    Vectors columns = randomVectors(random, n);
    gf2::Span span(columns);
    uint64_t allowed = 0;
    for (unsigned i : gf2::independent(columns))
      allowed |= uint64_t(1) << i;
    EXPECT_EQ(span.dim(), gf2::rank(columns));
    for (uint32_t v = 0; v < 1u << n; ++v) {
      auto mask = span.solve(v);
      bool inside = gf2::rank(gf2::concat(columns, v)) == span.dim();
      ASSERT_EQ(mask.has_value(), inside);
      if (mask) {
        EXPECT_EQ(gf2::mul(columns, *mask), v);
        EXPECT_EQ(*mask & ~allowed, 0u);
      }
    }
  }
}

TEST(GF2, IntersectionAndComplement) {
  Random random(3);
  for (int round = 0; round < 300; ++round) {
    unsigned n = random.range(1, 10);
    Vectors u = randomVectors(random, n), v = randomVectors(random, n);
    Vectors both = gf2::intersect(u, v);
    gf2::Span inU(u), inV(v);
    for (uint32_t vector : both)
      EXPECT_TRUE(inU.contains(vector) && inV.contains(vector));
    EXPECT_EQ(gf2::rank(both), both.size());
    EXPECT_EQ(both.size(),
              gf2::rank(u) + gf2::rank(v) - gf2::rank(gf2::concat(u, v)));

    unsigned d = random.below(n + 1);
    Vectors x = random.invertible(n), y = random.invertible(n);
    x.truncate(d);
    y.truncate(d);
    Vectors c = gf2::commonComplement(x, y, gf2::units(n));
    EXPECT_EQ(c.size(), n - d);
    EXPECT_EQ(gf2::rank(gf2::concat(c, x)), n);
    EXPECT_EQ(gf2::rank(gf2::concat(c, y)), n);
  }
}

TEST(GF2, ExtendStopsAtTheDimension) {
  Vectors base = {1}, candidates = {1, 3, 2, 4, 8};
  EXPECT_EQ(gf2::extend(base, candidates), (Vectors{3, 4, 8}));
  EXPECT_EQ(gf2::extend(base, candidates, 2), Vectors{3});
  EXPECT_EQ(gf2::extend(base, candidates, 0), Vectors{});
}
