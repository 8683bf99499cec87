//===- RandomLayouts.h - Layouts for property tests -----------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Random register layouts: permutations of tensor bits with some zero columns
// (distributed), and these under a random change of tensor coordinates (mixed).
// Seeds are fixed and no distribution of the library is used, so that every
// machine sees the same cases.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TEST_UNIT_LAYOUT_RANDOMLAYOUTS_H
#define TILEC_TEST_UNIT_LAYOUT_RANDOMLAYOUTS_H

#include "tilec/Layout/LinearLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <random>

namespace tilec {

constexpr InDim R = InDim::Register, L = InDim::Lane, W = InDim::Warp,
                B = InDim::Block, O = InDim::Offset;

/// A source of random numbers and layouts.
class Random {
public:
  explicit Random(unsigned seed) : engine(seed) {}

  /// A number below n.
  uint32_t below(uint32_t n) { return engine() % n; }
  /// A number in [low, high].
  int range(int low, int high) { return low + int(below(high - low + 1)); }
  bool chance(double p) { return engine() < p * 4294967296.0; }

  template <typename T>
  void shuffle(T &list) {
    for (size_t i = list.size(); i > 1; --i)
      std::swap(list[i - 1], list[below(i)]);
  }
  template <typename T>
  T oneOf(std::initializer_list<T> list) {
    return list.begin()[below(list.size())];
  }

  /// The columns of an invertible n x n matrix.
  Vectors invertible(unsigned n) {
    while (true) {
      Vectors columns;
      for (unsigned i = 0; i < n; ++i)
        columns.push_back(below((1u << n) - 1) + 1);
      if (gf2::rank(columns) == n)
        return columns;
    }
  }

  /// Takes the last member, or zero with probability p or if there is none.
  uint32_t popOrZero(Vectors &pool, double p) {
    return pool.empty() || chance(p) ? 0 : pool.pop_back_val();
  }

  /// A distributed layout of 2^bits elements in two axes.
  LinearLayout distributed(unsigned bits, unsigned lanes = 5,
                           unsigned warps = 2, unsigned blocks = 0) {
    Vectors pool = gf2::units(bits);
    shuffle(pool);
    Bases bases;
    for (unsigned i = 0; i < blocks; ++i)
      bases[B].push_back(pool.pop_back_val());
    for (unsigned i = 0; i < warps; ++i)
      bases[W].push_back(popOrZero(pool, 0.2));
    for (unsigned i = 0; i < lanes; ++i)
      bases[L].push_back(popOrZero(pool, 0.15));
    bases[R] = pool;
    bases[R].append(below(2), 0);
    shuffle(bases[R]);
    return LinearLayout({bits / 2, bits - bits / 2}, bases);
  }

  /// A random index of a layout.
  HardwareIndex index(const LinearLayout &layout) {
    HardwareIndex result;
    for (InDim dim : allInDims)
      result[dim] = below(layout.size(dim));
    return result;
  }

private:
  std::mt19937 engine;
};

/// A layout under an invertible change of tensor coordinates.
inline LinearLayout mixed(const LinearLayout &layout, const Vectors &matrix) {
  return layout.compose(matrix, layout.axisBits());
}

/// Calls `fn` with every hardware index.
template <typename Fn>
void forEachIndex(const LinearLayout &layout, Fn fn) {
  for (uint32_t flat = 0, e = 1u << layout.inBits(); flat < e; ++flat)
    fn(layout.unflattenIndex(flat));
}

/// Checks a layout against a formula from an index to coordinates.
template <typename Fn>
void expectFormula(const LinearLayout &layout, Fn formula) {
  forEachIndex(layout, [&](const HardwareIndex &index) {
    LinearLayout::Coords want =
        formula(int(index[R]), int(index[L]), int(index[W]));
    EXPECT_EQ(layout.unflatten(layout.apply(index)), want)
        << layout.str() << " at register " << index[R] << ", lane " << index[L]
        << ", warp " << index[W];
  });
}

/// GoogleTest prints layouts as text.
inline void PrintTo(const LinearLayout &layout, std::ostream *os) {
  *os << layout.str();
}
} // namespace tilec

#endif // TILEC_TEST_UNIT_LAYOUT_RANDOMLAYOUTS_H
