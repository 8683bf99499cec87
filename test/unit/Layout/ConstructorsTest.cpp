//===- ConstructorsTest.cpp - Layouts against the ISA's formulas ----------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The formulas are those of the PTX ISA: g = lane / 4, t = lane % 4.
//
//===----------------------------------------------------------------------===//

#include "tilec/Layout/Constructors.h"
#include "RandomLayouts.h"
#include "tilec/Layout/Access.h"
#include "tilec/Layout/WgmmaOperand.h"

using namespace tilec;
using Coords = LinearLayout::Coords;

/// Coordinates from signed numbers.
static Coords at(std::initializer_list<int> list) {
  return Coords(list.begin(), list.end());
}

TEST(Constructors, Mma16) {
  expectFormula(mmaA({16, 16}, 16), [](int i, int l, int) {
    bool upper = i < 2 || (4 <= i && i < 6);
    return at(
        {l / 4 + (upper ? 0 : 8), 2 * (l % 4) + (i & 1) + (i >= 4 ? 8 : 0)});
  });
  expectFormula(mmaB({16, 8}, 16), [](int i, int l, int) {
    return at({2 * (l % 4) + (i & 1) + (i >= 2 ? 8 : 0), l / 4});
  });
  expectFormula(mmaC({16, 8}), [](int i, int l, int) {
    return at({l / 4 + (i < 2 ? 0 : 8), 2 * (l % 4) + (i & 1)});
  });
}

TEST(Constructors, MmaTf32) {
  expectFormula(mmaA({16, 8}, 32), [](int i, int l, int) {
    return at({l / 4 + 8 * (i & 1), l % 4 + 4 * (i >> 1)});
  });
  expectFormula(mmaB({8, 8}, 32),
                [](int i, int l, int) { return at({l % 4 + 4 * i, l / 4}); });
}

TEST(Constructors, Mma8) {
  expectFormula(mmaA({16, 32}, 8), [](int i, int l, int) {
    bool upper = i < 4 || (8 <= i && i < 12);
    return at(
        {l / 4 + (upper ? 0 : 8), 4 * (l % 4) + (i & 3) + (i >= 8 ? 16 : 0)});
  });
  expectFormula(mmaB({32, 8}, 8), [](int i, int l, int) {
    return at({4 * (l % 4) + (i & 3) + (i >= 4 ? 16 : 0), l / 4});
  });
}

TEST(Constructors, MmaTiled) {
  expectFormula(mmaC({64, 32}, {2, 2}), [](int i, int l, int w) {
    return at({l / 4 + 8 * (i >> 1 & 1) + 16 * (w & 1) + 32 * (i >> 3),
               2 * (l % 4) + (i & 1) + 8 * (w >> 1) + 16 * (i >> 2 & 1)});
  });
  expectFormula(mmaA({32, 32}, 16, {2, 2}), [](int i, int l, int w) {
    return at({l / 4 + 8 * (i >> 1 & 1) + 16 * (w & 1),
               2 * (l % 4) + (i & 1) + 8 * (i >> 2)});
  });
  expectFormula(mmaB({32, 16}, 16, {2, 2}), [](int i, int l, int w) {
    return at({2 * (l % 4) + (i & 1) + 8 * (i >> 1), l / 4 + 8 * (w >> 1)});
  });
  EXPECT_EQ(mmaA({32, 32}, 16, {2, 2}).freeMasks()[W], 0b10u);
  EXPECT_EQ(mmaB({32, 16}, 16, {2, 2}).freeMasks()[W], 0b01u);
}

TEST(Constructors, Wgmma) {
  for (int64_t n : {8, 16, 64, 128, 256}) {
    LinearLayout acc = wgmmaAcc({64, n}, n);
    expectFormula(acc, [](int i, int l, int w) {
      return at({16 * w + l / 4 + 8 * (i >> 1 & 1),
                 8 * (i >> 2) + 2 * (l % 4) + (i & 1)});
    });
    EXPECT_EQ(acc, mmaC({64, n}, {4, 1}));
  }
  // Two warpgroups along m, two instructions of n = 64 each, then m repeats.
  expectFormula(wgmmaAcc({256, 128}, 64, {2, 1}), [](int i, int l, int w) {
    return at({16 * (w & 3) + 64 * (w >> 2) + l / 4 + 8 * (i >> 1 & 1) +
                   128 * (i >> 6),
               8 * (i >> 2 & 15) + 2 * (l % 4) + (i & 1)});
  });
  for (unsigned bits : {8, 16, 32}) {
    int64_t k = 256 / bits;
    LinearLayout tile = mmaA({16, k}, bits);
    expectFormula(mmaA({64, k}, bits, {4, 1}), [&](int i, int l, int w) {
      Coords c = tile.unflatten(tile.apply({uint32_t(i), uint32_t(l)}));
      return at({int(c[0]) + 16 * w, int(c[1])});
    });
  }
  // n = 192 lives in the layout of 256, whose last registers are dead.
  auto dead = deadRegisters(wgmmaAcc({64, 256}, 192), {64, 192});
  ASSERT_EQ(dead.size(), 32u);
  EXPECT_EQ(dead.front(), 96u);
  EXPECT_EQ(dead.back(), 127u);
}

TEST(Constructors, Ldmatrix) {
  for (unsigned num : {1, 2, 4}) {
    expectFormula(ldmatrixFragment(num), [](int i, int l, int) {
      return at({i >> 1, l / 4, 2 * (l % 4) + (i & 1)});
    });
    expectFormula(ldmatrixFragment(num, true), [](int i, int l, int) {
      return at({i >> 1, 2 * (l % 4) + (i & 1), l / 4});
    });
    expectFormula(ldmatrixRows(num), [&](int i, int l, int) {
      return at({l / 8 % int(num), l % 8, i});
    });
  }
}

/// The blocked layout by division: index = element + per * (lane + lanes *
/// (warp + warps * repeat)) along each axis.
static void checkBlocked(llvm::ArrayRef<int64_t> shape,
                         llvm::ArrayRef<int64_t> per,
                         llvm::ArrayRef<int64_t> lanes,
                         llvm::ArrayRef<int64_t> warps,
                         llvm::ArrayRef<unsigned> order) {
  auto split = [&](int index, llvm::ArrayRef<int64_t> sizes) {
    Coords c(shape.size());
    for (unsigned axis : order) {
      c[axis] = index % sizes[axis];
      index /= sizes[axis];
    }
    return c;
  };
  int perThread = 1;
  LinearLayout::Shape repeats;
  for (unsigned a = 0; a < shape.size(); ++a) {
    perThread *= per[a];
    repeats.push_back(
        std::max<int64_t>(1, shape[a] / (per[a] * lanes[a] * warps[a])));
  }
  expectFormula(
      blocked(shape, per, lanes, warps, order), [&](int i, int l, int w) {
        Coords e = split(i % perThread, per), x = split(l, lanes),
               y = split(w, warps), z = split(i / perThread, repeats);
        for (unsigned a = 0; a < shape.size(); ++a)
          e[a] += per[a] * (x[a] + lanes[a] * (y[a] + warps[a] * z[a]));
        return e;
      });
}

TEST(Constructors, Blocked) {
  checkBlocked({128, 64}, {1, 8}, {4, 8}, {4, 1}, {1, 0});
  checkBlocked({32, 32}, {2, 2}, {8, 4}, {1, 2}, {0, 1});
  checkBlocked({16, 8, 64}, {1, 1, 4}, {1, 2, 16}, {2, 2, 1}, {2, 1, 0});
  // A shape smaller than the tile: lanes and warps hold copies.
  LinearLayout small = blocked({16}, {4}, {32}, {4}, {0});
  EXPECT_EQ(small.freeMasks(), HardwareIndex(0, 0b11100, 0b11));
  EXPECT_TRUE(small.isSurjective());
  LinearLayout two =
      blocked({128, 64}, {1, 8}, {4, 8}, {4, 1}, {1, 0}, {{0, 1}});
  EXPECT_EQ(two.unflatten(two.apply({0, 0, 0, 1})), at({64, 0}));
  EXPECT_EQ(two.size(R), 32u);
  LinearLayout shared =
      blocked({128, 64}, {1, 8}, {4, 8}, {4, 1}, {1, 0}, {{std::nullopt, 1}});
  EXPECT_EQ(shared.freeMasks()[B], 1u);
}

TEST(Constructors, SharedTmaByAddress) {
  for (unsigned bits : {8, 16, 32})
    for (unsigned swizzle : {32, 64, 128})
      for (int variant = 0; variant < 3; ++variant) {
        int es = bits / 8, sw = swizzle;
        unsigned inner = variant == 1 ? 0 : 1;
        LinearLayout::Shape shape =
            variant == 0   ? LinearLayout::Shape{64, 256 / es}
            : variant == 1 ? LinearLayout::Shape{128 / es, 32}
                           : LinearLayout::Shape{16, sw / es};
        LinearLayout image = sharedTma(shape, bits, swizzle, inner);
        for (int x = 0; x < shape[0]; ++x)
          for (int y = 0; y < shape[1]; ++y) {
            int i = inner == 1 ? y : x, o = inner == 1 ? x : y;
            int linear = (i * es / sw) * int(shape[1 - inner]) * sw + o * sw +
                         i * es % sw;
            uint32_t address = linear ^ ((linear >> 7) & (sw / 16 - 1)) << 4;
            EXPECT_EQ(image.unflatten(image.apply(O, address / es)),
                      at({x, y}));
            EXPECT_EQ(image.indexOf(image.flatten(at({x, y})))[O],
                      address / es);
          }
      }
  // (vec, perPhase, maxPhase) of the same three.
  EXPECT_EQ(sharedPhase({64, 64}, {1, 0}, 8, 1, 8),
            sharedTma({64, 64}, 16, 128, 1));
  EXPECT_EQ(sharedPhase({64, 32}, {1, 0}, 8, 2, 4),
            sharedTma({64, 32}, 16, 64, 1));
  EXPECT_EQ(sharedPhase({64, 16}, {1, 0}, 8, 4, 2),
            sharedTma({64, 16}, 16, 32, 1));
}

/// The byte address that the hardware forms from the fields of a descriptor.
static int operandAddress(const WgmmaOperand &d, int mn, int k, int es) {
  int lbo = d.lbo, sbo = d.sbo, sw = d.swizzle, address;
  if (d.major == OperandMajor::K) {
    int byte = k * es;
    address = mn / 8 * sbo + (sw ? mn % 8 * sw + byte
                                 : mn % 8 * 16 + byte / 16 * lbo + byte % 16);
  } else {
    int byte = mn * es;
    address = sw ? k / 8 * sbo + k % 8 * sw + byte / sw * lbo + byte % sw
                 : k / 8 * lbo + k % 8 * 16 + byte / 16 * sbo + byte % 16;
  }
  return sw ? address ^ ((address >> 7) & (sw / 16 - 1)) << 4 : address;
}

TEST(Constructors, WgmmaDescriptor) {
  for (unsigned bits : {8, 16, 32})
    for (OperandMajor major : {OperandMajor::K, OperandMajor::MN})
      for (unsigned sw : {0, 32, 64, 128}) {
        if (major == OperandMajor::MN && bits != 16)
          continue;
        int es = bits / 8;
        LinearLayout::Shape shape{32, 256};
        if (major == OperandMajor::K)
          shape = {64, sw ? int64_t(sw) / es : 128 / es};
        unsigned kAxis = major == OperandMajor::K ? 1 : 0;
        LinearLayout image =
            sw ? sharedTma(shape, bits, sw, 1) : sharedCore(shape, bits, 1);
        auto operand = wgmmaOperand(image, bits, kAxis);
        ASSERT_TRUE(operand);
        EXPECT_EQ(operand->swizzle, sw);
        EXPECT_EQ(operand->major, major);
        for (int mn = 0; mn < shape[1 - kAxis]; ++mn)
          for (int k = 0; k < shape[kAxis]; ++k) {
            int address = operandAddress(*operand, mn, k, es);
            EXPECT_EQ(image.unflatten(image.apply(O, address / es)),
                      kAxis == 1 ? at({mn, k}) : at({k, mn}));
          }
      }
  EXPECT_FALSE(wgmmaOperand(sharedLinear({64, 64}, {1, 0}), 16, 1));
  EXPECT_FALSE(wgmmaOperand(sharedLinear({64}, {0}), 16, 0));
  auto wide = wgmmaOperand(sharedTma({64, 256}, 16, 128, 1), 16, 0);
  EXPECT_EQ(wide->lbo, 64u * 128);
  EXPECT_EQ(wide->sbo, 1024u);
}

TEST(Constructors, Padding) {
  EXPECT_EQ(padded({96, 1, 130}), (LinearLayout::Shape{128, 1, 256}));
  LinearLayout l = blocked(padded({96, 50}), {1, 4}, {2, 16}, {4, 1}, {1, 0});
  auto dead = deadRegisters(l, {96, 50});
  std::vector<bool> isDead(l.size(R)), alive(l.size(R));
  for (uint32_t r : dead)
    isDead[r] = true;
  forEachIndex(l, [&](const HardwareIndex &index) {
    Coords c = l.unflatten(l.apply(index));
    if (c[0] < 96 && c[1] < 50)
      alive[index[R]] = true;
  });
  EXPECT_FALSE(dead.empty());
  for (uint32_t r = 0; r < l.size(R); ++r)
    EXPECT_NE(isDead[r], alive[r]);
}

TEST(Constructors, Coalesced) {
  struct Case {
    LinearLayout::Shape shape;
    unsigned bits;
    int64_t warps;
    LinearLayout::Shape contiguity, divisibility;
    unsigned vector, fastest;
  };
  Case cases[] = {
      {{128, 64}, 16, 4, {1, 64}, {2, 16}, 8, 1},
      {{64, 128}, 32, 4, {64, 1}, {16, 4}, 4, 0},
      {{1024}, 16, 4, {1024}, {16}, 8, 0},
      {{256}, 32, 4, {256}, {16}, 2, 0},
      {{128, 64}, 8, 8, {1, 8}, {1, 4}, 4, 1},
      {{100, 60}, 16, 4, {1, 60}, {2, 8}, 4, 1},
      {{64}, 32, 4, {64}, {16}, 1, 0},
  };
  for (const Case &c : cases) {
    LinearLayout l =
        coalesced(c.shape, c.bits, c.warps, c.contiguity, c.divisibility);
    llvm::SmallVector<unsigned> order = {c.fastest};
    for (unsigned a = 0; a < c.shape.size(); ++a)
      if (a != c.fastest)
        order.push_back(a);
    EXPECT_TRUE(l.isSurjective() && l.isDistributed());
    EXPECT_EQ(l.size(L), 32u);
    EXPECT_EQ(l.size(W), c.warps);
    AddressFacts facts;
    facts.contiguity = c.contiguity[c.fastest];
    facts.divisibilityBytes = c.divisibility[c.fastest];
    EXPECT_EQ(globalAccess(l, order, c.bits, facts).elements, c.vector);
    if (l.freeMasks()[L] == 0) // every sector is used whole
      EXPECT_EQ(sectors(l, order, c.bits),
                std::max(1u, 32 * c.vector * c.bits / 256));
  }
  EXPECT_EQ(
      coalesced({}, 32, 4, {}, {}).str(),
      "#tilegpu.layout<[], lane = [[], [], [], [], []], warp = [[], []]>");
}
