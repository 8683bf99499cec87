//===- Constructors.cpp - Named layouts -----------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// One rule gives every fragment of mma, wgmma, ldmatrix and stmatrix: with e
// elements in a 32-bit word, registers take e of k, then row 8, then the other
// half of k; lanes take four words along k, then eight rows. So all layouts are
// lists of steps "the next n bits of this axis belong to that in-dim".
//
//===----------------------------------------------------------------------===//

#include "tilec/Layout/Constructors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>

using llvm::ArrayRef;

namespace tilec {

using Steps = llvm::SmallVector<LayoutStep, 16>;

/// Log2 of a power of two.
static unsigned log2(uint64_t n) {
  assert(llvm::has_single_bit(n) && "not a power of two");
  return gf2::bitLength(n) - 1;
}

/// Log2 of every size.
static LinearLayout::AxisBits bitsOfShape(ArrayRef<int64_t> shape) {
  LinearLayout::AxisBits result;
  for (int64_t size : shape)
    result.push_back(log2(size));
  return result;
}

namespace {
/// The bits of every axis that steps have not taken yet: [used, limit).
struct AxisPool {
  LinearLayout frame;
  LinearLayout::AxisBits used, limit;

  explicit AxisPool(ArrayRef<int64_t> shape)
      : frame(bitsOfShape(shape)), used(shape.size(), 0),
        limit(frame.axisBits()) {}

  /// The column of one bit of an axis.
  uint32_t column(unsigned axis, unsigned bit) const {
    return 1u << (frame.shift(axis) + bit);
  }

  /// The next unused bit of the axis, or zero past its end.
  uint32_t take(std::optional<unsigned> axis) {
    if (!axis || used[*axis] >= limit[*axis])
      return 0;
    return column(*axis, used[*axis]++);
  }

  /// Takes the top bits that blocks own off the axes.
  Vectors takeBlocks(ArrayRef<BlockStep> block) {
    for (const BlockStep &step : block)
      if (step.axis)
        limit[*step.axis] -= std::min(limit[*step.axis], step.bits);
    Vectors columns;
    LinearLayout::AxisBits at = limit;
    for (const BlockStep &step : block)
      for (unsigned i = 0; i < step.bits; ++i) {
        bool inside =
            step.axis && at[*step.axis] < frame.axisBits()[*step.axis];
        columns.push_back(inside ? column(*step.axis, at[*step.axis]++) : 0);
      }
    return columns;
  }
};
} // namespace

LinearLayout fromSteps(ArrayRef<int64_t> shape, ArrayRef<LayoutStep> steps,
                       ArrayRef<unsigned> rest, ArrayRef<BlockStep> block) {
  AxisPool pool(shape);
  Bases bases;
  bases[InDim::Block] = pool.takeBlocks(block);
  for (const LayoutStep &step : steps)
    for (unsigned i = 0; i < step.bits; ++i)
      bases[step.dim].push_back(pool.take(step.axis));
  for (unsigned axis : rest)
    while (uint32_t column = pool.take(axis))
      bases[InDim::Register].push_back(column);
  return LinearLayout(pool.frame.axisBits(), std::move(bases));
}

LinearLayout blocked(ArrayRef<int64_t> shape, ArrayRef<int64_t> sizePerThread,
                     ArrayRef<int64_t> threadsPerWarp, ArrayRef<int64_t> warps,
                     ArrayRef<unsigned> order, ArrayRef<BlockStep> block) {
  Steps steps;
  auto add = [&](InDim dim, ArrayRef<int64_t> per) {
    for (unsigned axis : order)
      steps.push_back({dim, axis, log2(per[axis])});
  };
  add(InDim::Register, sizePerThread);
  add(InDim::Lane, threadsPerWarp);
  add(InDim::Warp, warps);
  return fromSteps(shape, steps, order, block);
}

/// Axes from the fastest in memory: longest run first, last axis on ties.
static llvm::SmallVector<unsigned, 4>
orderByContiguity(ArrayRef<int64_t> contiguity) {
  llvm::SmallVector<unsigned, 4> order;
  for (unsigned axis = 0; axis < contiguity.size(); ++axis)
    order.push_back(axis);
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::pair(contiguity[a], a) > std::pair(contiguity[b], b);
  });
  return order;
}

/// Largest power of two that divides n, at most `cap`; 1 if nothing is known.
static int64_t powerOfTwoPart(int64_t n, int64_t cap) {
  return n <= 0 ? 1 : std::min(n & -n, cap);
}

LinearLayout coalesced(ArrayRef<int64_t> realShape, unsigned bits,
                       int64_t numWarps, ArrayRef<int64_t> contiguity,
                       ArrayRef<int64_t> divisibility,
                       ArrayRef<BlockStep> block) {
  LinearLayout::Shape shape = padded(realShape);
  if (shape.empty()) // a scalar: every thread has it
    return fromSteps(shape, {{InDim::Lane, std::nullopt, 5},
                             {InDim::Warp, std::nullopt, log2(numWarps)}});
  auto order = orderByContiguity(contiguity);
  int64_t elements = 1;
  LinearLayout::Shape room = shape;
  for (int64_t size : shape)
    elements *= size;
  for (const BlockStep &step : block) {
    elements >>= step.bits;
    if (step.axis)
      room[*step.axis] = std::max<int64_t>(1, room[*step.axis] >> step.bits);
  }
  unsigned fast = order[0];
  int64_t widest = std::max(1u, 128 / bits);
  int64_t vec = std::min(
      {widest, powerOfTwoPart(contiguity[fast], widest),
       std::max<int64_t>(1, powerOfTwoPart(divisibility[fast], 16) * 8 / bits),
       shape[fast]});
  // First give every thread something, but never split a byte between threads.
  vec = std::min(vec, std::max<int64_t>(1, elements / (32 * numWarps)));
  if (bits < 8)
    vec = std::max<int64_t>(vec, 8 / bits);
  LinearLayout::Shape per(shape.size(), 1), lanes = per, warps = per;
  per[fast] = vec;
  room[fast] = std::max<int64_t>(1, room[fast] / vec);
  int64_t leftLanes = 32, leftWarps = numWarps;
  for (unsigned axis : order) {
    lanes[axis] = std::min(leftLanes, room[axis]);
    leftLanes /= lanes[axis];
    room[axis] /= lanes[axis];
  }
  // Warps go along the slowest axis first, so that each has whole rows.
  for (unsigned axis : llvm::reverse(order)) {
    warps[axis] = std::min(leftWarps, room[axis]);
    leftWarps /= warps[axis];
  }
  lanes[order.back()] *= leftLanes;
  warps[order.back()] *= leftWarps;
  return blocked(shape, per, lanes, warps, order, block);
}

//===-- Fragments of matrix instructions ----------------------------------===//

/// One instruction tile of C: two columns, four lanes of them, eight rows, row
/// 8.
static Steps accumulatorSteps() {
  return {{InDim::Register, 1, 1},
          {InDim::Lane, 1, 2},
          {InDim::Lane, 0, 3},
          {InDim::Register, 0, 1}};
}

/// Adds a warp grid. An operand that lacks an axis passes none: those warps
/// hold copies.
static void addWarps(Steps &steps, WarpGrid warps, std::optional<unsigned> m,
                     std::optional<unsigned> n) {
  steps.push_back({InDim::Warp, m, log2(warps.m)});
  steps.push_back({InDim::Warp, n, log2(warps.n)});
}

LinearLayout mmaC(ArrayRef<int64_t> shape, WarpGrid warps,
                  ArrayRef<BlockStep> block) {
  Steps steps = accumulatorSteps();
  addWarps(steps, warps, 0, 1);
  return fromSteps(shape, steps, {1, 0}, block);
}

LinearLayout mmaA(ArrayRef<int64_t> shape, unsigned bits, WarpGrid warps,
                  ArrayRef<BlockStep> block) {
  Steps steps = {{InDim::Register, 1, log2(32 / bits)},
                 {InDim::Lane, 1, 2},
                 {InDim::Lane, 0, 3},
                 {InDim::Register, 0, 1},
                 {InDim::Register, 1, 1}};
  addWarps(steps, warps, 0, std::nullopt);
  return fromSteps(shape, steps, {1, 0}, block);
}

LinearLayout mmaB(ArrayRef<int64_t> shape, unsigned bits, WarpGrid warps,
                  ArrayRef<BlockStep> block) {
  Steps steps = {{InDim::Register, 0, log2(32 / bits)},
                 {InDim::Lane, 0, 2},
                 {InDim::Lane, 1, 3},
                 {InDim::Register, 0, 1}};
  addWarps(steps, warps, std::nullopt, 1);
  return fromSteps(shape, steps, {0, 1}, block);
}

LinearLayout wgmmaAcc(ArrayRef<int64_t> shape, int64_t instrN, WarpGrid groups,
                      ArrayRef<BlockStep> block) {
  unsigned nBits = log2(padded({instrN})[0]);
  Steps steps = accumulatorSteps();
  steps.push_back({InDim::Warp, 0, 2});
  steps.push_back({InDim::Register, 1, nBits > 3 ? nBits - 3 : 0});
  addWarps(steps, groups, 0, 1);
  return fromSteps(shape, steps, {1, 0}, block);
}

LinearLayout ldmatrixFragment(unsigned num, bool trans) {
  LinearLayout plain =
      fromSteps({int64_t(num), 8, 8}, {{InDim::Register, 2, 1},
                                       {InDim::Lane, 2, 2},
                                       {InDim::Lane, 1, 3},
                                       {InDim::Register, 0, log2(num)}});
  return trans ? plain.transpose({0, 2, 1}) : plain;
}

LinearLayout ldmatrixRows(unsigned num) {
  return fromSteps(
      {int64_t(num), 8, 8},
      {{InDim::Register, 2, 3}, {InDim::Lane, 1, 3}, {InDim::Lane, 0, 2}});
}

//===-- Images of shared memory -------------------------------------------===//

/// An image from steps along the offset.
static LinearLayout
imageFromSteps(ArrayRef<int64_t> shape,
               ArrayRef<std::pair<unsigned, unsigned>> axisBits) {
  Steps steps;
  for (auto [axis, bits] : axisBits)
    steps.push_back({InDim::Offset, axis, bits});
  return fromSteps(shape, steps);
}

LinearLayout sharedLinear(ArrayRef<int64_t> shape, ArrayRef<unsigned> order) {
  Steps steps;
  for (unsigned axis : order)
    steps.push_back({InDim::Offset, axis, log2(shape[axis])});
  return fromSteps(shape, steps);
}

LinearLayout xorSwizzle(const LinearLayout &image, unsigned bits,
                        unsigned count, unsigned src, unsigned dst) {
  assert(bits >= 8 && "addresses are in bytes");
  unsigned elementBits = log2(bits) - 3;
  ArrayRef<uint32_t> columns = image.columns(InDim::Offset);
  Vectors result(columns.begin(), columns.end());
  for (unsigned i = 0; i < count; ++i)
    if (src + i - elementBits < columns.size())
      result[src + i - elementBits] ^= columns[dst + i - elementBits];
  return LinearLayout::image(image.axisBits(), result);
}

bool fitsSharedTma(ArrayRef<int64_t> shape, unsigned bits, unsigned swizzle,
                   unsigned inner) {
  return shape.size() == 2 && bits >= 8 &&
         (shape[inner] * bits >= swizzle * 8 || shape[1 - inner] == 1);
}

LinearLayout sharedTma(ArrayRef<int64_t> shape, unsigned bits, unsigned swizzle,
                       unsigned inner) {
  assert(fitsSharedTma(shape, bits, swizzle, inner) &&
         "rows narrower than the swizzle");
  unsigned outer = 1 - inner;
  int64_t width = std::min<int64_t>(shape[inner], swizzle * 8 / bits);
  LinearLayout panels =
      imageFromSteps(shape, {{inner, log2(width)},
                             {outer, log2(shape[outer])},
                             {inner, log2(shape[inner] / width)}});
  return xorSwizzle(panels, bits, log2(swizzle) - 4);
}

LinearLayout sharedCore(ArrayRef<int64_t> shape, unsigned bits,
                        unsigned inner) {
  unsigned outer = 1 - inner, chunk = log2(128 / bits);
  return imageFromSteps(shape, {{inner, chunk},
                                {outer, log2(shape[outer])},
                                {inner, log2(shape[inner]) - chunk}});
}

LinearLayout sharedPhase(ArrayRef<int64_t> shape, ArrayRef<unsigned> order,
                         unsigned vec, unsigned perPhase, unsigned maxPhase) {
  LinearLayout linear = sharedLinear(shape, order);
  ArrayRef<uint32_t> columns = linear.columns(InDim::Offset);
  Vectors result(columns.begin(), columns.end());
  unsigned firstRow = log2(shape[order[0]]) + log2(perPhase);
  for (unsigned i = 0; i < log2(maxPhase); ++i)
    if (firstRow + i < columns.size())
      result[firstRow + i] ^= columns[log2(vec) + i];
  return LinearLayout::image(linear.axisBits(), result);
}

//===-- Shapes that are not powers of two ---------------------------------===//

LinearLayout::Shape padded(ArrayRef<int64_t> shape) {
  LinearLayout::Shape result;
  for (int64_t size : shape)
    result.push_back(llvm::PowerOf2Ceil(std::max<int64_t>(1, size)));
  return result;
}

llvm::SmallVector<uint32_t> deadRegisters(const LinearLayout &layout,
                                          ArrayRef<int64_t> real) {
  assert(layout.isDistributed() && "a register has no coordinate of its own");
  llvm::SmallVector<uint32_t> result;
  for (uint32_t r = 0, e = layout.size(InDim::Register); r < e; ++r) {
    auto coords = layout.unflatten(layout.apply(InDim::Register, r));
    bool dead = false;
    for (auto [coord, size] : llvm::zip_equal(coords, real))
      dead |= int64_t(coord) >= size;
    if (dead)
      result.push_back(r);
  }
  return result;
}

} // namespace tilec
