//===- LinearLayout.cpp - Algebra of linear layouts -----------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Everything here moves columns around or asks an echelon basis (GF2.h). Axes
// are matched by position; an axis that one side lacks has size 1.
//
//===----------------------------------------------------------------------===//

#include "tilec/Layout/LinearLayout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <cassert>
#include <numeric>

using llvm::ArrayRef;

namespace tilec {

/// A mask of the n low bits (n < 32).
static uint32_t lowMask(unsigned n) { return (1u << n) - 1; }

LinearLayout::LinearLayout(ArrayRef<unsigned> axisBits, Bases columns)
    : axes(axisBits), bases(std::move(columns)) {
  assert(outBits() <= maxOutBits && "the tensor is too large");
  assert(inBits() <= maxInBits && "too many index bits");
#ifndef NDEBUG
  for (const Vectors &list : bases.columns)
    for (uint32_t column : list)
      assert(column <= lowMask(outBits()) && "column outside the tensor");
#endif
}

LinearLayout LinearLayout::image(ArrayRef<unsigned> axisBits,
                                 ArrayRef<uint32_t> columns) {
  Bases bases;
  bases[InDim::Offset].assign(columns.begin(), columns.end());
  return LinearLayout(axisBits, std::move(bases));
}

template <typename Fn>
LinearLayout LinearLayout::mapColumns(ArrayRef<unsigned> axisBits,
                                      Fn fn) const {
  Bases result = bases;
  for (Vectors &list : result.columns)
    for (uint32_t &column : list)
      column = fn(column);
  return LinearLayout(axisBits, std::move(result));
}

//===-- Shape -------------------------------------------------------------===//

LinearLayout::Shape LinearLayout::shape() const {
  Shape result;
  for (unsigned bits : axes)
    result.push_back(int64_t(1) << bits);
  return result;
}

unsigned LinearLayout::outBits() const {
  return std::accumulate(axes.begin(), axes.end(), 0u);
}

unsigned LinearLayout::inBits() const {
  unsigned total = 0;
  for (const Vectors &list : bases.columns)
    total += list.size();
  return total;
}

Vectors LinearLayout::columns(ArrayRef<InDim> dims) const {
  Vectors result;
  for (InDim dim : dims)
    result.append(bases[dim]);
  return result;
}

unsigned LinearLayout::shift(unsigned axis) const {
  return std::accumulate(axes.begin() + axis + 1, axes.end(), 0u);
}

uint32_t LinearLayout::flatten(ArrayRef<uint32_t> coords) const {
  assert(coords.size() == axes.size() && "one coordinate per axis");
  uint32_t result = 0;
  for (auto [bits, coord] : llvm::zip_equal(axes, coords))
    result = result << bits | coord;
  return result;
}

LinearLayout::Coords LinearLayout::unflatten(uint32_t flat) const {
  Coords result(axes.size());
  for (unsigned axis = axes.size(); axis-- > 0;) {
    result[axis] = flat & lowMask(axes[axis]);
    flat >>= axes[axis];
  }
  return result;
}

uint32_t LinearLayout::coordinate(uint32_t flat, unsigned axis) const {
  return flat >> shift(axis) & lowMask(axes[axis]);
}

uint32_t LinearLayout::flattenIndex(const HardwareIndex &index) const {
  uint32_t flat = 0;
  unsigned at = 0;
  for (InDim dim : allInDims) {
    flat |= index[dim] << at;
    at += bits(dim);
  }
  return flat;
}

HardwareIndex LinearLayout::unflattenIndex(uint32_t flat) const {
  HardwareIndex index;
  for (InDim dim : allInDims) {
    index[dim] = flat & lowMask(bits(dim));
    flat >>= bits(dim);
  }
  return index;
}

//===-- Map ---------------------------------------------------------------===//

uint32_t LinearLayout::apply(const HardwareIndex &index) const {
  uint32_t result = 0;
  for (InDim dim : allInDims)
    result ^= apply(dim, index[dim]);
  return result;
}

uint32_t LinearLayout::apply(InDim dim, uint32_t index) const {
  assert(index < size(dim) && "index out of range");
  return gf2::mul(bases[dim], index);
}

LinearLayout LinearLayout::compose(ArrayRef<uint32_t> outer,
                                   ArrayRef<unsigned> axisBits) const {
  assert(outer.size() == outBits() && "one outer column per coordinate bit");
  return mapColumns(axisBits,
                    [&](uint32_t column) { return gf2::mul(outer, column); });
}

LinearLayout LinearLayout::compose(const LinearLayout &outer) const {
  return compose(outer.columns(), outer.axes);
}

/// Axis bits with missing axes as size 1.
static unsigned bitsOrZero(ArrayRef<unsigned> axes, unsigned axis) {
  return axis < axes.size() ? axes[axis] : 0;
}

LinearLayout LinearLayout::product(const LinearLayout &high) const {
  AxisBits axisBits;
  for (unsigned a = 0, e = std::max(rank(), high.rank()); a < e; ++a)
    axisBits.push_back(bitsOrZero(axes, a) + bitsOrZero(high.axes, a));
  LinearLayout result(axisBits);
  auto place = [&](const LinearLayout &source, uint32_t column, bool up) {
    Coords coords = source.unflatten(column);
    coords.resize(axisBits.size());
    if (up)
      for (auto [a, coord] : llvm::enumerate(coords))
        coord <<= bitsOrZero(axes, a);
    return result.flatten(coords);
  };
  for (InDim dim : allInDims) {
    for (uint32_t column : bases[dim])
      result.bases[dim].push_back(place(*this, column, false));
    for (uint32_t column : high.bases[dim])
      result.bases[dim].push_back(place(high, column, true));
  }
  assert(result.inBits() <= maxInBits && "too many index bits");
  return result;
}

/// The axes of a layout without those of a tile; none if the tile is larger.
static std::optional<LinearLayout::AxisBits>
quotientAxes(ArrayRef<unsigned> axes, ArrayRef<unsigned> tile) {
  LinearLayout::AxisBits result(axes.begin(), axes.end());
  for (auto [a, bits] : llvm::enumerate(tile)) {
    if (bits > bitsOrZero(axes, a))
      return std::nullopt;
    if (a < result.size())
      result[a] -= bits;
  }
  return result;
}

std::optional<LinearLayout>
LinearLayout::divideLeft(const LinearLayout &tile) const {
  std::optional<AxisBits> axisBits = quotientAxes(axes, tile.axes);
  if (!axisBits)
    return std::nullopt;
  LinearLayout quotient(*axisBits);
  for (InDim dim : allInDims) {
    unsigned inTile = tile.bits(dim);
    if (inTile > bits(dim))
      return std::nullopt;
    for (auto [i, column] : llvm::enumerate(bases[dim])) {
      Coords low = unflatten(column), high = low;
      for (unsigned a = 0; a < rank(); ++a) {
        low[a] &= lowMask(bitsOrZero(tile.axes, a));
        high[a] >>= bitsOrZero(tile.axes, a);
      }
      Coords want(rank());
      if (i < inTile) {
        want = tile.unflatten(tile.bases[dim][i]);
        want.resize(rank());
      }
      // Tile bits stay in the tile, the others keep clear of it.
      if (low != want || (i < inTile && quotient.flatten(high) != 0))
        return std::nullopt;
      if (i >= inTile)
        quotient.bases[dim].push_back(quotient.flatten(high));
    }
  }
  return quotient;
}

std::optional<LinearLayout>
LinearLayout::divideRight(const LinearLayout &tile) const {
  std::optional<AxisBits> axisBits = quotientAxes(axes, tile.axes);
  if (!axisBits)
    return std::nullopt;
  LinearLayout quotient(*axisBits);
  for (InDim dim : allInDims) {
    if (tile.bits(dim) > bits(dim))
      return std::nullopt;
    for (uint32_t column : ArrayRef(bases[dim]).drop_back(tile.bits(dim))) {
      Coords coords = unflatten(column);
      for (auto [coord, bits] : llvm::zip_equal(coords, *axisBits))
        if (coord > lowMask(bits))
          return std::nullopt;
      quotient.bases[dim].push_back(quotient.flatten(coords));
    }
  }
  if (quotient.product(tile) != *this)
    return std::nullopt;
  return quotient;
}

LinearLayout LinearLayout::permuteRegisters(ArrayRef<unsigned> order) const {
  Bases result = bases;
  result[InDim::Register] = gf2::pick(bases[InDim::Register], order);
  return LinearLayout(axes, std::move(result));
}

std::optional<LinearLayout::Containment>
LinearLayout::contains(const LinearLayout &tile) const {
  if (!quotientAxes(axes, tile.axes))
    return std::nullopt;
  Containment result;
  const Vectors &mine = bases[InDim::Register];
  auto &order = result.registerOrder;
  for (uint32_t column : tile.bases[InDim::Register]) {
    Coords coords = tile.unflatten(column);
    coords.resize(rank());
    uint32_t want = flatten(coords);
    const uint32_t *found = llvm::find(mine, want);
    if (want == 0 || found == mine.end() ||
        llvm::is_contained(order, unsigned(found - mine.begin())))
      return std::nullopt;
    order.push_back(found - mine.begin());
  }
  for (unsigned i = 0; i < mine.size(); ++i)
    if (!llvm::is_contained(order, i))
      order.push_back(i);
  std::optional<LinearLayout> quotient =
      permuteRegisters(order).divideLeft(tile);
  if (!quotient)
    return std::nullopt;
  result.quotient = *quotient;
  return result;
}

//===-- Views of the tensor -----------------------------------------------===//

LinearLayout LinearLayout::reshape(ArrayRef<int64_t> shape) const {
  AxisBits axisBits;
  for (int64_t size : shape) {
    assert(llvm::has_single_bit(uint64_t(size)) && "not a power of two");
    axisBits.push_back(gf2::bitLength(size) - 1);
  }
  return reshapeBits(axisBits);
}

LinearLayout LinearLayout::reshapeBits(ArrayRef<unsigned> axisBits) const {
  LinearLayout result(axisBits, bases);
  assert(result.outBits() == outBits() && "the number of elements differs");
  return result;
}

LinearLayout LinearLayout::transpose(ArrayRef<unsigned> perm) const {
  assert(perm.size() == rank() && "one entry per axis");
  AxisBits axisBits;
  for (unsigned p : perm)
    axisBits.push_back(axes[p]);
  LinearLayout frame(axisBits);
  return mapColumns(axisBits, [&](uint32_t column) {
    Coords old = unflatten(column), coords;
    for (unsigned p : perm)
      coords.push_back(old[p]);
    return frame.flatten(coords);
  });
}

LinearLayout LinearLayout::slice(unsigned axis) const {
  assert(axis < rank() && "no such axis");
  AxisBits axisBits = axes;
  axisBits.erase(axisBits.begin() + axis);
  unsigned at = shift(axis), size = axes[axis];
  return mapColumns(axisBits, [&](uint32_t column) {
    return (column >> at >> size << at) | (column & lowMask(at));
  });
}

LinearLayout LinearLayout::expandDims(unsigned axis) const {
  AxisBits axisBits = axes;
  axisBits.insert(axisBits.begin() + axis, 0);
  return LinearLayout(axisBits, bases);
}

LinearLayout LinearLayout::join() const {
  AxisBits axisBits = axes;
  axisBits.push_back(1);
  LinearLayout result =
      mapColumns(axisBits, [](uint32_t column) { return column << 1; });
  Vectors &registers = result.bases[InDim::Register];
  registers.insert(registers.begin(), 1);
  return result;
}

LinearLayout LinearLayout::restrict(ArrayRef<InDim> dims) const {
  Bases result;
  for (InDim dim : dims)
    result[dim] = bases[dim];
  return LinearLayout(axes, std::move(result));
}

//===-- Rank, copies, inverse ---------------------------------------------===//

bool LinearLayout::isDistributed() const {
  uint32_t seen = 0;
  for (const Vectors &list : bases.columns)
    for (uint32_t column : list) {
      if (column & (column - 1) || column & seen)
        return false;
      seen |= column;
    }
  return true;
}

HardwareIndex LinearLayout::freeMasks(ArrayRef<InDim> order) const {
  HardwareIndex result;
  gf2::Span span;
  for (InDim dim : order)
    for (auto [i, column] : llvm::enumerate(bases[dim]))
      if (!span.add(column))
        result[dim] |= 1u << i;
  return result;
}

Vectors LinearLayout::inverse() const {
  Vectors all = columns();
  auto pivots = gf2::independent(all);
  Vectors basis = gf2::pick(all, pivots);
  // Coordinates outside the image map to what is left after completing it.
  basis.append(gf2::extend(basis, gf2::units(outBits())));
  gf2::Span span(basis);
  Vectors result;
  for (unsigned bit = 0; bit < outBits(); ++bit) {
    uint64_t mask = *span.solve(1u << bit);
    uint32_t index = 0;
    for (auto [i, pivot] : llvm::enumerate(pivots))
      if (mask >> i & 1)
        index |= 1u << pivot;
    result.push_back(index);
  }
  return result;
}

HardwareIndex LinearLayout::indexOf(uint32_t flat) const {
  return unflattenIndex(gf2::mul(inverse(), flat));
}

LinearLayout LinearLayout::dedupRegisters() const {
  return permuteRegisters(gf2::independent(bases[InDim::Register]));
}

bool LinearLayout::sameUpToBroadcast(const LinearLayout &other) const {
  return dedupRegisters() == other.dedupRegisters();
}

bool LinearLayout::sameOnAxis(const LinearLayout &other, unsigned axis) const {
  for (InDim dim : allInDims)
    for (unsigned i = 0, e = std::max(bits(dim), other.bits(dim)); i < e; ++i) {
      uint32_t mine = i < bits(dim) ? coordinate(bases[dim][i], axis) : 0;
      uint32_t theirs =
          i < other.bits(dim) ? other.coordinate(other.bases[dim][i], axis) : 0;
      if (mine != theirs)
        return false;
    }
  return true;
}

llvm::hash_code hash_value(const LinearLayout &layout) {
  llvm::ArrayRef<unsigned> axes = layout.axisBits();
  llvm::hash_code hash = llvm::hash_combine_range(axes.begin(), axes.end());
  for (InDim dim : allInDims) {
    ArrayRef<uint32_t> list = layout.columns(dim);
    hash = llvm::hash_combine(
        hash, list.size(), llvm::hash_combine_range(list.begin(), list.end()));
  }
  return hash;
}

} // namespace tilec
