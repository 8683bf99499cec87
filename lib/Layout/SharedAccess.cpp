//===- SharedAccess.cpp - Shared-memory access patterns -------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Shared memory has 32 banks of 4 bytes and serves 128 bytes a wavefront. In a
// phase (the lanes served together) the addresses are a coset of the span of
// lane columns and vector bits, so every bank that is reached serves equally
// many words, and counting is a matter of two ranks.
//
//===----------------------------------------------------------------------===//

#include "tilec/Layout/Access.h"
#include "tilec/Layout/Swizzle.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <numeric>

using llvm::ArrayRef;

namespace tilec {

using gf2::log2;

/// Log2 of the bits in one wavefront.
static constexpr unsigned lineBits = 10;
/// Log2 of the bits in the widest access.
static constexpr unsigned widestBits = 7;

llvm::StringRef stringifyAccessKind(AccessKind kind) {
  switch (kind) {
  case AccessKind::Vec:
    return "vec";
  case AccessKind::Matrix:
    return "matrix";
  case AccessKind::MatrixTrans:
    return "matrix.trans";
  }
  return "";
}

/// Element offsets as addresses of 32-bit words.
static uint32_t wordAddress(uint64_t offset, unsigned elementBits) {
  return offset << elementBits >> 5;
}

std::optional<Access> Access::get(const Bases &addr, unsigned bits,
                                  AccessKind kind, ArrayRef<uint32_t> half) {
  Access access;
  access.addr = addr;
  access.bits = bits;
  access.kind = kind;
  access.regs = gf2::independent(addr[InDim::Register]);
  bool possible =
      kind == AccessKind::Vec ? access.setVector() : access.setMatrix(half);
  if (!possible)
    return std::nullopt;
  return access;
}

/// Completes a vector access; false for vectors of less than a byte.
bool Access::setVector() {
  unsigned e = log2(bits);
  const Vectors &lane = addr[InDim::Lane];
  Vectors others = lane;
  others.append(addr[InDim::Warp]);
  others.append(addr[InDim::Block]);
  if (e > widestBits)
    return false;
  v = vectorBits(addr[InDim::Register], others, widestBits - e);
  if (bits << v < 8)
    return false;
  // Lane bits that are served together.
  unsigned phase = std::min(5u, lineBits - e - v);
  unsigned lanes = lane.size();
  instructions = uint64_t(1) << (regs.size() - v);
  parts = uint64_t(1) << (lanes > phase ? lanes - phase : 0);
  for (uint32_t column : ArrayRef(lane).take_front(phase))
    phaseWords.push_back(wordAddress(column, e));
  for (unsigned i = 5; i < e + v; ++i)
    phaseWords.push_back(1u << (i - 5));
  return true;
}

/// Completes a matrix access; false if the low offset bits are not one row of a
/// matrix, in the order that the instruction deals it out to lanes.
bool Access::setMatrix(ArrayRef<uint32_t> halfMasks) {
  unsigned e = log2(bits);
  const Vectors &reg = addr[InDim::Register], &laneCols = addr[InDim::Lane];
  ArrayRef<uint32_t> lane = laneCols;
  bool trans = kind == AccessKind::MatrixTrans;
  if (lane.size() != 5 || e > 5 || (trans && bits != 16) ||
      gf2::rank(halfMasks) != halfMasks.size() ||
      halfMasks.size() > regs.size())
    return false;
  v = widestBits - e;
  half.assign(halfMasks.begin(), halfMasks.end());
  Vectors packed;
  for (uint32_t mask : half)
    packed.push_back(gf2::mul(reg, mask));
  // Plain: registers and lanes 0, 1 run along the row. Transposed: lanes 2..4.
  Vectors inside = trans ? Vectors(lane.slice(2, 3))
                         : gf2::concat(packed, lane.take_front(2));
  rowCols = trans ? gf2::concat(packed, lane.take_front(2))
                  : Vectors(lane.slice(2, 3));
  if (inside != gf2::units(v) || gf2::rank(rowCols) != 3 || rowCols.size() != 3)
    return false;
  Vectors regUnits;
  for (unsigned i : regs)
    regUnits.push_back(1u << i);
  restRegs = gf2::extend(half, regUnits);
  for (uint32_t mask : restRegs)
    rest.push_back(gf2::mul(reg, mask));
  // Everything else must keep clear of the row.
  uint32_t low = (1u << v) - 1, touched = 0;
  for (ArrayRef<uint32_t> list :
       {ArrayRef(rowCols), ArrayRef(rest), ArrayRef(addr[InDim::Warp]),
        ArrayRef(addr[InDim::Block])})
    touched = std::accumulate(list.begin(), list.end(), touched,
                              std::bit_or<uint32_t>());
  if (touched & low)
    return false;
  uint64_t matrices = uint64_t(1) << (regs.size() - half.size());
  num = std::min<uint64_t>(4, matrices);
  instructions = matrices / num;
  parts = num;
  for (uint32_t column : rowCols)
    phaseWords.push_back(wordAddress(column, e));
  phaseWords.append({1, 2}); // the four words of a row
  return true;
}

uint64_t Access::wavefronts() const {
  Vectors banks = phaseWords;
  for (uint32_t &word : banks)
    word &= 31;
  return ideal() << (gf2::rank(phaseWords) - gf2::rank(banks));
}

std::optional<Bases> offsets(ArrayRef<uint32_t> image,
                             const LinearLayout &layout,
                             const LinearLayout *blockRef) {
  gf2::Span span(image);
  ArrayRef<uint32_t> reference =
      (blockRef ? *blockRef : layout).columns(InDim::Block);
  Bases result;
  for (InDim dim : {InDim::Register, InDim::Lane, InDim::Warp, InDim::Block}) {
    for (auto [i, column] : llvm::enumerate(layout.columns(dim))) {
      bool relative = dim == InDim::Block && i < reference.size();
      std::optional<uint64_t> offset =
          span.solve(relative ? column ^ reference[i] : column);
      if (!offset)
        return std::nullopt;
      result[dim].push_back(*offset);
    }
  }
  return result;
}

/// Calls `fn` with every ordered choice of `n` members of `regs`, as unit masks
/// over registers; choices of earlier members come first.
template <typename Fn>
static void forEachChoice(ArrayRef<unsigned> regs, unsigned n, Vectors &chosen,
                          Fn fn) {
  if (chosen.size() == n)
    return fn(chosen);
  for (unsigned r : regs) {
    if (llvm::is_contained(chosen, 1u << r))
      continue;
    chosen.push_back(1u << r);
    forEachChoice(regs, n, chosen, fn);
    chosen.pop_back();
  }
}

std::optional<Access> bestAccess(const LinearLayout &image,
                                 const LinearLayout &layout, unsigned bits,
                                 ArrayRef<AccessKind> kinds) {
  std::optional<Bases> addr = offsets(image.columns(InDim::Offset), layout);
  std::optional<Access> best;
  if (!addr)
    return best;
  for (AccessKind kind : kinds) {
    auto consider = [&](ArrayRef<uint32_t> half) {
      std::optional<Access> access = Access::get(*addr, bits, kind, half);
      if (access &&
          (!best || std::pair(access->wavefronts(), access->instructions) <
                        std::pair(best->wavefronts(), best->instructions)))
        best = std::move(access);
    };
    if (kind == AccessKind::Vec) {
      consider({});
    } else if (bits >= 8 && bits <= 32) {
      Vectors chosen;
      forEachChoice(gf2::independent((*addr)[InDim::Register]), 5 - log2(bits),
                    chosen, consider);
    }
  }
  return best;
}

} // namespace tilec
