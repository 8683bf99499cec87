//===- LinearLayoutTest.cpp - Algebra and text of layouts -----------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Properties over random layouts, checked by enumeration of indices.
//
//===----------------------------------------------------------------------===//

#include "RandomLayouts.h"
#include "tilec/Layout/Constructors.h"

using namespace tilec;

/// A layout of the flattened index, as its columns.
static Vectors composeColumns(const Vectors &outer, const Vectors &inner) {
  Vectors result;
  for (uint32_t column : inner)
    result.push_back(gf2::mul(outer, column));
  return result;
}

TEST(LinearLayout, InverseAndCopies) {
  Random random(11);
  for (int round = 0; round < 150; ++round) {
    unsigned n = random.range(5, 10);
    LinearLayout l = random.distributed(n);
    if (random.chance(0.7))
      l = mixed(l, random.invertible(n));
    Vectors columns = l.columns(), inverse = l.inverse();
    EXPECT_EQ(composeColumns(columns, inverse), gf2::units(n)); // onto
    EXPECT_EQ(composeColumns(columns, composeColumns(inverse, columns)),
              columns);
    Vectors some = gf2::independentColumns(columns);
    some.resize(n - 2);
    LinearLayout injective = LinearLayout::image(l.axisBits(), some);
    EXPECT_TRUE(injective.isInjective());
    EXPECT_EQ(composeColumns(injective.inverse(), some), gf2::units(n - 2));

    // Exactly one index of every element has all free bits zero.
    HardwareIndex freeBits = l.freeMasks();
    std::vector<unsigned> writers(size_t(1) << n);
    forEachIndex(l, [&](const HardwareIndex &index) {
      bool writes = true;
      for (InDim dim : allInDims)
        writes &= (index[dim] & freeBits[dim]) == 0;
      if (!writes)
        return;
      ++writers[l.apply(index)];
      EXPECT_EQ(l.indexOf(l.apply(index)), index);
    });
    EXPECT_EQ(llvm::count(writers, 1u), 1 << n);
  }
}

TEST(LinearLayout, ComposeAppliesTwice) {
  Random random(12);
  for (int round = 0; round < 100; ++round) {
    unsigned n = random.range(5, 10);
    LinearLayout l = random.distributed(n);
    Bases bases;
    for (uint32_t column : random.invertible(n))
      bases[random.chance(0.5) ? R : L].push_back(column);
    LinearLayout outer(l.axisBits(), bases), both = l.compose(outer);
    for (int i = 0; i < 8; ++i) {
      HardwareIndex index = random.index(l);
      EXPECT_EQ(both.apply(index),
                outer.apply(outer.unflattenIndex(l.apply(index))));
    }
  }
}

TEST(LinearLayout, ProductAndDivide) {
  Random random(13);
  unsigned refused = 0;
  for (int round = 0; round < 200; ++round) {
    LinearLayout a = random.distributed(random.range(4, 6), 2, 1);
    LinearLayout b = random.distributed(random.range(4, 6), 2, 1);
    LinearLayout p = a.product(b);
    EXPECT_EQ(p.divideLeft(a), b);
    EXPECT_EQ(p.divideRight(b), a);
    HardwareIndex index = random.index(p), low, high;
    for (InDim dim : allInDims) {
      low[dim] = index[dim] & (a.size(dim) - 1);
      high[dim] = index[dim] >> a.bits(dim);
    }
    auto want = a.unflatten(a.apply(low)), up = b.unflatten(b.apply(high));
    for (unsigned axis = 0; axis < 2; ++axis)
      want[axis] |= up[axis] << a.axisBits()[axis];
    EXPECT_EQ(p.unflatten(p.apply(index)), want);
    // No false quotient after a shear of the tensor.
    Vectors shear = gf2::units(p.outBits());
    unsigned i = random.range(1, p.outBits() - 1);
    shear[i] ^= 1u << random.below(i);
    LinearLayout q = mixed(p, shear);
    if (auto quotient = q.divideLeft(a))
      EXPECT_EQ(a.product(*quotient), q);
    else
      ++refused;
    if (auto quotient = q.divideRight(b))
      EXPECT_EQ(quotient->product(b), q);
  }
  EXPECT_GT(refused, 20u);
}

TEST(LinearLayout, ContainsRenamesRegisters) {
  LinearLayout tile = mmaC({16, 8}), c = mmaC({64, 32}, {2, 2});
  auto found = c.contains(tile);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->quotient.shape(), (LinearLayout::Shape{4, 4}));
  EXPECT_EQ(tile.product(found->quotient),
            c.permuteRegisters(found->registerOrder));
  EXPECT_EQ(c.permuteRegisters({3, 1, 0, 2}).contains(tile)->registerOrder,
            (llvm::SmallVector<unsigned, 8>{2, 1, 0, 3}));
  EXPECT_FALSE(
      blocked({64, 32}, {1, 4}, {8, 4}, {4, 1}, {1, 0}).contains(tile));
  EXPECT_FALSE(tile.contains(c));
  EXPECT_FALSE(tile.slice(0).contains(tile));
}

TEST(LinearLayout, Views) {
  LinearLayout l =
      blocked({16, 8, 64}, {1, 1, 4}, {1, 2, 16}, {2, 2, 1}, {2, 1, 0});
  using Coords = LinearLayout::Coords;
  auto at = [](const LinearLayout &view, const HardwareIndex &index) {
    return view.unflatten(view.apply(index));
  };
  forEachIndex(l, [&](const HardwareIndex &index) {
    Coords c = at(l, index);
    uint32_t x = c[0], y = c[1], z = c[2];
    EXPECT_EQ(at(l.transpose({2, 0, 1}), index), (Coords{z, x, y}));
    EXPECT_EQ(at(l.slice(1), index), (Coords{x, z}));
    EXPECT_EQ(at(l.slice(0), index), (Coords{y, z}));
    EXPECT_EQ(at(l.reshape({128, 64}), index), (Coords{x * 8 + y, z}));
    EXPECT_EQ(at(l.expandDims(1), index), (Coords{x, 0, y, z}));
    EXPECT_EQ(at(l.flattenOuts(), index), (Coords{(x * 8 + y) * 64 + z}));
    for (uint32_t k : {0, 1})
      EXPECT_EQ(at(l.join(), {index[R] * 2 + k, index[L], index[W]}),
                (Coords{x, y, z, k}));
  });
}

TEST(LinearLayout, Copies) {
  LinearLayout s = mmaC({64, 64}, {2, 2}).slice(1);
  EXPECT_EQ(s.freeMasks()[L], 0b00011u);
  EXPECT_EQ(s.freeMasks()[W], 0b10u);
  // Lanes first: the copies are found in registers and warps.
  EXPECT_EQ(s.freeMasks({L, R, W})[L], 0b00011u);
  EXPECT_EQ(s.dedupRegisters().size(R), 4u);
  EXPECT_TRUE(s.sameUpToBroadcast(s.dedupRegisters()));
  EXPECT_NE(s, s.dedupRegisters());
  LinearLayout wide = mmaC({64, 64}, {4, 1}), narrow = mmaC({64, 32}, {4, 1});
  EXPECT_TRUE(wide.sameOnAxis(narrow, 0));
  EXPECT_FALSE(wide.sameOnAxis(narrow, 1));
  EXPECT_TRUE(wide.isDistributed() && wide.isSurjective() &&
              wide.isInjective());
  EXPECT_TRUE(s.isDistributed() && s.isSurjective() && !s.isInjective());
  EXPECT_EQ(hash_value(wide), hash_value(mmaC({64, 64}, {4, 1})));
  EXPECT_NE(hash_value(wide), hash_value(narrow));
  EXPECT_EQ(wide.restrict({L}).size(R), 1u);
}

//===-- Text --------------------------------------------------------------===//

TEST(LayoutText, RoundTrip) {
  Random random(14);
  std::string error;
  for (int round = 0; round < 100; ++round) {
    unsigned n = random.range(4, 10);
    LinearLayout l = random.distributed(n, 5, 2, random.below(2));
    if (round % 2)
      l = mixed(l, random.invertible(n));
    EXPECT_EQ(LinearLayout::parse(l.str(), error), l) << error;
    EXPECT_TRUE(l.verify(error)) << error;
  }
  for (const char *text :
       {"#tilegpu.layout<[64], lane = [[1], [2], [4], [8], [16]], warp = "
        "[[32], "
        "[0]]>",
        "#tilegpu.layout<[8, 8], offset = [[0, 1], [0, 2], [0, 4], [1, 1], [2, "
        "2], [4, 4]]>",
        "#tilegpu.layout<[2, 1, 4], register = [[0, 0, 1], [0, 0, 2]], lane = "
        "[[1, 0, 0], [0, 0, 0]]>",
        "#tilegpu.layout<[], lane = [[], []]>", "#tilegpu.layout<[1]>",
        "#tilegpu.layout<[]>"}) {
    auto parsed = LinearLayout::parse(text, error);
    ASSERT_TRUE(parsed) << text << ": " << error;
    EXPECT_EQ(parsed->str(), text);
  }
  EXPECT_EQ(LinearLayout::parseBody(" [ 4 ] ,lane=[ [1],[2 ] ]", error)->str(),
            "#tilegpu.layout<[4], lane = [[1], [2]]>");
  EXPECT_EQ(LinearLayout::parseBody(
                "[2, 2], lane = [[0, 1]], register = [[1, 0]]", error)
                ->str(),
            "#tilegpu.layout<[2, 2], register = [[1, 0]], lane = [[0, 1]]>");
}

TEST(LayoutText, Errors) {
  std::string many = "[4], register = [[1]";
  for (int i = 0; i < 40; ++i)
    many += ", [0]";
  std::pair<std::string, const char *> cases[] = {
      {"", "expected '[' in layout, got the end"},
      {"8", "expected '[' in layout, got '8'"},
      {"[8", "expected ']' in layout, got the end"},
      {"[8,]", "expected an integer in layout, got ']'"},
      {"[99999999999999999999]",
       "expected an integer in layout, got '99999999'"},
      {"[24], lane = [[1]]",
       "expected layout sizes that are powers of two, got 24"},
      {"[0]", "expected layout sizes that are powers of two, got 0"},
      {"[-8]", "expected layout sizes that are powers of two, got -8"},
      {"[65536, 65536]",
       "expected a layout of at most 2^30 elements, got shape "
       "[65536, 65536]"},
      {"[8], lane = [[8]]",
       "basis vector [8] of 'lane' does not fit the shape [8]"},
      {"[8], lane = [[-1]]",
       "basis vector [-1] of 'lane' does not fit the shape [8]"},
      {"[8, 8], lane = [[1]]",
       "basis vector [1] of 'lane' does not fit the shape [8, 8]"},
      {"[8], thread = [[1]]", "unknown in-dim 'thread', expected register, "
                              "lane, warp, block or offset"},
      {"[8], lane = [[1]], lane = [[2]]", "in-dim 'lane' given twice"},
      {"[8], = [[1]]",
       "expected an in-dim of the layout: register, lane, warp, "
       "block or offset"},
      {"[8],", "expected an in-dim of the layout: register, lane, warp, block "
               "or offset"},
      {"[8], lane [[1]]", "expected '=' in layout, got '[[1]]'"},
      {"[8], lane = [1]", "expected '[' in layout, got '1]'"},
      {"[8] lane", "expected ',' or the end of the layout, got 'lane'"},
      {many + "]", "expected at most 31 basis vectors in all"},
  };
  for (const auto &[text, want] : cases) {
    std::string error;
    EXPECT_FALSE(LinearLayout::parseBody(text, error)) << text;
    EXPECT_EQ(error, want) << text;
  }
  std::string error;
  EXPECT_FALSE(LinearLayout::parse("#tile.layout<[8]>", error));
  EXPECT_EQ(error, "expected #tilegpu.layout<...>");
  EXPECT_FALSE(LinearLayout::parse("#tilegpu.layout<[8]", error));
}

TEST(LayoutText, Verify) {
  std::pair<const char *, const char *> cases[] = {
      {"[8], lane = [[1], [2]]",
       "expected a layout that holds every element of [8], got one that holds "
       "2^2 of 2^3"},
      {"[2], lane = [[1]], offset = [[1]]",
       "expected 'offset' alone: an image of shared memory has no other "
       "in-dim"},
      {"[2], offset = [[1], [0]]",
       "expected an image of shared memory to hold every element once"},
  };
  for (const auto &[text, want] : cases) {
    std::string error;
    auto layout = LinearLayout::parseBody(text, error);
    ASSERT_TRUE(layout) << error;
    EXPECT_FALSE(layout->verify(error));
    EXPECT_EQ(error, want);
  }
}
