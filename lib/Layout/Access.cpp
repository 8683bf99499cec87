//===- Access.cpp - Global accesses of a register layout ------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Addresses are the coordinates of the flattened tensor, so the width of a
// vector is a question about which columns drive the lowest coordinate bits.
//
//===----------------------------------------------------------------------===//

#include "tilec/Layout/Access.h"
#include "llvm/ADT/SmallBitVector.h"
#include <algorithm>

using llvm::ArrayRef;

namespace tilec {

using gf2::log2;

/// Log2 of the elements in 16 bytes.
static unsigned widestVector(unsigned bits) {
  return bits < 128 ? 7 - log2(bits) : 0;
}

unsigned vectorBits(ArrayRef<uint32_t> registerColumns,
                    ArrayRef<uint32_t> otherColumns, unsigned limit) {
  gf2::Span span(registerColumns);
  uint32_t touched = 0;
  for (uint32_t column : otherColumns)
    touched |= column;
  unsigned v = 0;
  while (v < limit && span.contains(1u << v) && !(touched >> v & 1))
    ++v;
  return v;
}

unsigned commonVector(const LinearLayout &a, const LinearLayout &b,
                      unsigned bits, unsigned limitBits) {
  unsigned common =
      gf2::intersect(a.columns(InDim::Register), b.columns(InDim::Register))
          .size();
  unsigned limit = limitBits > bits ? log2(limitBits) - log2(bits) : 0;
  return 1u << std::min(common, limit);
}

LinearLayout memoryMap(const LinearLayout &layout, ArrayRef<unsigned> order) {
  llvm::SmallVector<unsigned, 4> perm(order.rbegin(), order.rend());
  return layout.transpose(perm).flattenOuts();
}

/// The columns of everything but registers.
static Vectors otherColumns(const LinearLayout &layout) {
  return layout.columns({InDim::Lane, InDim::Warp, InDim::Block});
}

/// Log2 of the largest power of two that divides n (n = 0: nothing is known).
static unsigned trailingBits(int64_t n) {
  return n == 0 ? 0 : log2(uint64_t(n) & -uint64_t(n));
}

GlobalAccess globalAccess(const LinearLayout &layout, ArrayRef<unsigned> order,
                          unsigned bits, const AddressFacts &facts) {
  LinearLayout memory = memoryMap(layout, order);
  unsigned run = layout.outBits();
  if (!facts.packed && !order.empty())
    run = layout.axisBits()[order[0]];
  if (facts.contiguity)
    run = std::min(run, trailingBits(*facts.contiguity));
  unsigned limit = std::min(widestVector(bits), run);
  unsigned alignedBits = trailingBits(facts.divisibilityBytes) + 3;
  if (alignedBits < 7)
    limit = std::min(limit, alignedBits - std::min(alignedBits, log2(bits)));
  unsigned v =
      vectorBits(memory.columns(InDim::Register), otherColumns(memory), limit);
  GlobalAccess access{1u << v, {}};
  gf2::Span span(memory.columns(InDim::Register));
  for (unsigned i = 0; i < v; ++i)
    access.registers.push_back(*span.solve(1u << i));
  return access;
}

void forEachVector(unsigned numRegisters, ArrayRef<uint32_t> masks,
                   llvm::function_ref<void(ArrayRef<unsigned>)> visit) {
  llvm::SmallBitVector done(numRegisters);
  for (unsigned first = 0; first < numRegisters; ++first) {
    if (done.test(first))
      continue;
    llvm::SmallVector<unsigned> vector;
    for (uint32_t k = 0; k < 1u << masks.size(); ++k) {
      vector.push_back(first ^ gf2::mul(masks, k));
      done.set(vector.back());
    }
    visit(vector);
  }
}

unsigned sectors(const LinearLayout &layout, ArrayRef<unsigned> order,
                 unsigned bits, unsigned sectorBytes) {
  LinearLayout memory = memoryMap(layout, order);
  unsigned v = vectorBits(memory.columns(InDim::Register), otherColumns(memory),
                          widestVector(bits));
  Vectors columns = gf2::concat(memory.columns(InDim::Lane), gf2::units(v));
  for (uint32_t &column : columns)
    column = (uint64_t(column) << log2(bits)) >> (log2(sectorBytes) + 3);
  return 1u << gf2::rank(columns);
}

} // namespace tilec
