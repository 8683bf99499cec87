//===- GF2.cpp - Linear algebra over the two-element field ----------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Elimination on words. The order in which vectors are tried decides which
// basis is found, and with it which registers and lanes a plan names, so every
// function keeps the order of its arguments.
//
//===----------------------------------------------------------------------===//

#include "tilec/Layout/GF2.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <cassert>

using llvm::ArrayRef;

namespace tilec::gf2 {

unsigned bitLength(uint64_t v) { return llvm::bit_width(v); }

unsigned log2(uint64_t v) {
  assert(v && "zero has no highest bit");
  return bitLength(v) - 1;
}

bool parity(uint64_t v) { return llvm::popcount(v) & 1; }

uint32_t mul(ArrayRef<uint32_t> columns, uint64_t mask) {
  uint32_t result = 0;
  for (uint32_t column : columns) {
    if (mask & 1)
      result ^= column;
    mask >>= 1;
  }
  return result;
}

Vectors concat(ArrayRef<uint32_t> first, ArrayRef<uint32_t> second) {
  Vectors result(first.begin(), first.end());
  result.append(second.begin(), second.end());
  return result;
}

Vectors pick(ArrayRef<uint32_t> list, ArrayRef<unsigned> indices) {
  Vectors result;
  for (unsigned i : indices)
    result.push_back(list[i]);
  return result;
}

Vectors units(unsigned n) {
  Vectors result;
  for (unsigned i = 0; i < n; ++i)
    result.push_back(1u << i);
  return result;
}

Span::Span(ArrayRef<uint32_t> vectors) {
  for (uint32_t v : vectors)
    add(v);
}

Span::Reduced Span::reduce(uint32_t v) const {
  uint64_t mask = 0;
  // Rows have their leading bit highest, so going down never sets a bit above.
  while (uint32_t hit = v & leads) {
    const Row &row = rows[bitLength(hit) - 1];
    v ^= row.vector;
    mask ^= row.mask;
  }
  return {v, mask};
}

bool Span::add(uint32_t v) {
  assert(count < 64 && "a mask has 64 bits");
  Reduced reduced = reduce(v);
  if (reduced.residual) {
    unsigned lead = bitLength(reduced.residual) - 1;
    rows[lead] = {reduced.residual, reduced.mask ^ (uint64_t(1) << count)};
    leads |= 1u << lead;
    ++dimension;
  }
  ++count;
  return reduced.residual != 0;
}

std::optional<uint64_t> Span::solve(uint32_t v) const {
  Reduced reduced = reduce(v);
  if (reduced.residual)
    return std::nullopt;
  return reduced.mask;
}

unsigned rank(ArrayRef<uint32_t> columns) {
  return independent(columns).size();
}

llvm::SmallVector<unsigned, 16> independent(ArrayRef<uint32_t> columns) {
  // Not Span::add, whose masks allow 64 columns only: here any number will do.
  llvm::SmallVector<unsigned, 16> result;
  std::array<uint32_t, 32> rows;
  uint32_t leads = 0;
  for (auto [i, column] : llvm::enumerate(columns)) {
    uint32_t v = column;
    while (uint32_t hit = v & leads)
      v ^= rows[bitLength(hit) - 1];
    if (!v)
      continue;
    unsigned lead = bitLength(v) - 1;
    rows[lead] = v;
    leads |= 1u << lead;
    result.push_back(i);
  }
  return result;
}

Vectors independentColumns(ArrayRef<uint32_t> columns) {
  return pick(columns, independent(columns));
}

/// The kernel with masks wide enough for two joined bases.
static llvm::SmallVector<uint64_t, 16> wideKernel(ArrayRef<uint32_t> columns) {
  llvm::SmallVector<uint64_t, 16> result;
  Span span;
  for (auto [i, column] : llvm::enumerate(columns)) {
    Span::Reduced reduced = span.reduce(column);
    if (reduced.residual == 0)
      result.push_back(reduced.mask | uint64_t(1) << i);
    span.add(column);
  }
  return result;
}

Vectors kernel(ArrayRef<uint32_t> columns) {
  assert(columns.size() <= 32 && "a mask of the kernel has 32 bits");
  Vectors result;
  for (uint64_t mask : wideKernel(columns))
    result.push_back(mask);
  return result;
}

Vectors intersect(ArrayRef<uint32_t> u, ArrayRef<uint32_t> v) {
  Vectors left = independentColumns(u), right = independentColumns(v), result;
  // Every dependency between the two bases gives one vector of both.
  uint64_t leftMask = (uint64_t(1) << left.size()) - 1;
  for (uint64_t mask : wideKernel(concat(left, right)))
    result.push_back(mul(left, mask & leftMask));
  return result;
}

Vectors extend(ArrayRef<uint32_t> base, ArrayRef<uint32_t> candidates,
               unsigned dim) {
  Vectors all = concat(base, candidates), result;
  unsigned reached = rank(base);
  for (unsigned i : independent(all)) {
    if (i < base.size())
      continue;
    if (reached >= dim)
      break;
    ++reached;
    result.push_back(all[i]);
  }
  return result;
}

Vectors commonComplement(ArrayRef<uint32_t> u, ArrayRef<uint32_t> v,
                         ArrayRef<uint32_t> whole) {
  Vectors both = intersect(u, v);
  Vectors toU = extend(both, u), toV = extend(both, v);
  assert(toU.size() == toV.size() && "the subspaces differ in dimension");
  Vectors rest = extend(concat(concat(both, toU), toV), whole), result;
  for (auto [a, b] : llvm::zip_equal(toU, toV))
    result.push_back(a ^ b);
  result.append(rest);
  return result;
}

} // namespace tilec::gf2
