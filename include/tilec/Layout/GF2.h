//===- GF2.h - Linear algebra over the two-element field ------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Vectors are the bits of one word and addition is xor, so a matrix is a list
// of columns. Layouts have at most 31 columns of 30 bits: elimination is a few
// hundred word operations, and one echelon basis (Span) serves every question.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LAYOUT_GF2_H
#define TILEC_LAYOUT_GF2_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <cstdint>
#include <optional>

namespace tilec {

/// A list of vectors over GF(2): the columns of a matrix, or a basis. A *mask*
/// over such a list selects some of its members, lowest bit first.
using Vectors = llvm::SmallVector<uint32_t, 16>;

namespace gf2 {

/// Number of significant bits of `v`: the position above its highest set bit.
unsigned bitLength(uint64_t v);

/// Position of the highest set bit: log2 of a power of two. `v` is not zero.
unsigned log2(uint64_t v);

/// Parity of the number of set bits.
bool parity(uint64_t v);

/// Matrix times vector: the xor of the columns that `mask` selects. Bits of
/// the mask past the last column select nothing.
uint32_t mul(llvm::ArrayRef<uint32_t> columns, uint64_t mask);

/// `first` followed by `second`.
Vectors concat(llvm::ArrayRef<uint32_t> first, llvm::ArrayRef<uint32_t> second);

/// The members of `list` at `indices`.
Vectors pick(llvm::ArrayRef<uint32_t> list, llvm::ArrayRef<unsigned> indices);

/// The unit vectors 1, 2, 4, ... of an n-dimensional space.
Vectors units(unsigned n);

/// An echelon basis of the vectors added so far. It remembers how each row was
/// made, as a mask over the vectors in the order of adding (at most 64).
class Span {
public:
  Span() = default;
  explicit Span(llvm::ArrayRef<uint32_t> vectors);

  /// What is left of a vector, and which added vectors were taken from it.
  struct Reduced {
    uint32_t residual;
    uint64_t mask;
  };

  /// v = residual ^ (xor of the added vectors in mask); the residual is zero
  /// exactly if v lies in the span.
  Reduced reduce(uint32_t v) const;

  /// Adds v; true if it was independent of what is there.
  bool add(uint32_t v);

  /// A mask over the added vectors whose xor is v; vectors that depended on
  /// earlier ones are never used. None if v lies outside the span.
  std::optional<uint64_t> solve(uint32_t v) const;

  bool contains(uint32_t v) const { return reduce(v).residual == 0; }
  unsigned dim() const { return dimension; }

private:
  struct Row {
    uint32_t vector;
    uint64_t mask;
  };
  /// Rows by leading bit; `leads` tells which are there.
  std::array<Row, 32> rows;
  uint32_t leads = 0;
  unsigned count = 0, dimension = 0;
};

/// Dimension of the span of the columns.
unsigned rank(llvm::ArrayRef<uint32_t> columns);

/// Indices of the columns that are independent of the earlier ones.
llvm::SmallVector<unsigned, 16> independent(llvm::ArrayRef<uint32_t> columns);

/// The columns at `independent(columns)`.
Vectors independentColumns(llvm::ArrayRef<uint32_t> columns);

/// Basis, as masks over the columns (at most 32), of the sets whose xor is
/// zero. Each member owns its highest bit: no other member has it.
Vectors kernel(llvm::ArrayRef<uint32_t> columns);

/// Basis of span(u) & span(v).
Vectors intersect(llvm::ArrayRef<uint32_t> u, llvm::ArrayRef<uint32_t> v);

/// The candidates that enlarge span(base), taken in order until the span has
/// dimension `dim` (by default all).
Vectors extend(llvm::ArrayRef<uint32_t> base,
               llvm::ArrayRef<uint32_t> candidates, unsigned dim = ~0u);

/// Basis of a subspace C of span(whole) with C + U = C + V = the whole and
/// C & U = C & V = 0. U and V need one dimension; C then always exists. Pairs
/// of vectors that complete U & V to U and to V are xored: in a swizzle these
/// sums are what spreads rows over banks.
Vectors commonComplement(llvm::ArrayRef<uint32_t> u, llvm::ArrayRef<uint32_t> v,
                         llvm::ArrayRef<uint32_t> whole);

} // namespace gf2
} // namespace tilec

#endif // TILEC_LAYOUT_GF2_H
