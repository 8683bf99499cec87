//===- Swizzle.cpp - Images without bank conflicts ------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Address bits above one 128-byte line ("segments") span a subspace S of the
// tile. A side is free of conflicts exactly if S meets the span U of what it
// touches in one phase in zero alone. The two spans are grown to one dimension,
// and S is their common complement. What remains to choose are the columns of
// the lowest offset bits, which decide vectors and matrix instructions: a few
// dozen candidates, all counted exactly.
//
//===----------------------------------------------------------------------===//

#include "tilec/Layout/Swizzle.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <tuple>

using llvm::ArrayRef;

namespace tilec {

using gf2::log2;

static constexpr InDim ctaDims[] = {InDim::Register, InDim::Lane, InDim::Warp};

/// Log2 of the elements of one 32-bit word (of one element if it is larger).
static unsigned wordBits(unsigned bits) {
  return bits < 32 ? 5 - log2(bits) : 0;
}

/// Log2 of the elements in 16 bytes, and in one 128-byte line.
static unsigned vectorLimit(unsigned bits) { return 7 - log2(bits); }
static unsigned lineLimit(unsigned bits) { return 10 - log2(bits); }

/// The bits of the axis along which the first registers, or else lanes, go: a
/// copy from global memory then writes what follows each other there to one
/// line.
static uint32_t fastestAxis(const LinearLayout &store) {
  for (InDim dim : {InDim::Register, InDim::Lane})
    for (uint32_t column : store.columns(dim))
      for (unsigned axis = 0; axis < store.rank(); ++axis)
        if (store.coordinate(column, axis))
          return (store.size(axis) - 1) << store.shift(axis);
  return 0;
}

namespace {
/// The candidates for the columns of the lowest offset bits: up to 16 bytes, at
/// least one word.
class LowCandidates {
public:
  LowCandidates(const LinearLayout &store, const LinearLayout &load,
                unsigned bits, bool wideStores)
      : store(store), load(load), bits(bits), wideStores(wideStores) {}

  std::vector<Vectors> collect(ArrayRef<AccessKind> storeKinds,
                               ArrayRef<AccessKind> loadKinds) {
    ArrayRef<uint32_t> s = store.columns(InDim::Register),
                       l = load.columns(InDim::Register);
    Vectors both = gf2::intersect(s, l);
    llvm::sort(both);
    both.truncate(std::min<size_t>(both.size(), vectorLimit(bits)));
    add(both, s);
    add(both, l);
    add(both, {});
    if (wideStores)
      add({}, s);
    addMatrixOrders(load, loadKinds);
    addMatrixOrders(store, storeKinds);
    return std::move(found);
  }

private:
  /// Adds `low`, completed by `more` to a vector and by anything to a word.
  void add(Vectors low, ArrayRef<uint32_t> more) {
    low.append(gf2::extend(low, more, vectorLimit(bits)));
    low.append(gf2::extend(low, store.columns(ctaDims), wordBits(bits)));
    if (!llvm::is_contained(found, low))
      found.push_back(std::move(low));
  }

  /// Adds the rows of ldmatrix or stmatrix: packed registers and lanes 0, 1, or
  /// lanes 2 to 4 transposed.
  void addMatrixOrders(const LinearLayout &side, ArrayRef<AccessKind> kinds) {
    ArrayRef<uint32_t> lane = side.columns(InDim::Lane);
    if (lane.size() != 5)
      return;
    if (llvm::is_contained(kinds, AccessKind::Matrix) && bits <= 32) {
      Vectors reg;
      for (uint32_t column : side.columns(InDim::Register))
        if (column)
          reg.push_back(column);
      Vectors chosen;
      llvm::SmallVector<bool, 16> used(reg.size());
      addPacked(reg, used, chosen, lane.take_front(2));
    }
    if (llvm::is_contained(kinds, AccessKind::MatrixTrans) && bits == 16)
      add(Vectors(lane.slice(2, 3)), {});
  }

  /// Adds every ordered choice of packed register columns before the lanes.
  void addPacked(ArrayRef<uint32_t> reg, llvm::SmallVectorImpl<bool> &used,
                 Vectors &chosen, ArrayRef<uint32_t> lanes) {
    if (chosen.size() == wordBits(bits))
      return add(gf2::concat(chosen, lanes), {});
    for (unsigned i = 0; i < reg.size(); ++i) {
      if (used[i])
        continue;
      used[i] = true;
      chosen.push_back(reg[i]);
      addPacked(reg, used, chosen, lanes);
      chosen.pop_back();
      used[i] = false;
    }
  }

  const LinearLayout &store, &load;
  unsigned bits;
  bool wideStores;
  std::vector<Vectors> found;
};

/// A way to use given low columns on one side: the packed registers of a matrix
/// instruction, and the vectors that segments must keep clear of.
struct SideOption {
  Vectors half, touched;
};

/// The search for the best image of two layouts.
class SwizzleSearch {
public:
  SwizzleSearch(const LinearLayout &store, const LinearLayout &load,
                unsigned bits, std::optional<GlobalFill> fill)
      : store(store), load(load), bits(bits), fill(fill),
        whole(gf2::independentColumns(store.columns(ctaDims))) {
    uint32_t fastest = fill ? fastestAxis(store) : 0;
    llvm::sort(whole, [&](uint32_t a, uint32_t b) {
      auto key = [&](uint32_t column) {
        return std::tuple(llvm::popcount(column), (column & fastest) == 0,
                          column);
      };
      return key(a) < key(b);
    });
    // Of xor-mixed layouts, lanes and warps complete the line first: this keeps
    // the vector bits clear of them.
    if (!store.isDistributed() || !load.isDistributed()) {
      completion = store.columns({InDim::Lane, InDim::Warp});
      completion.append(load.columns({InDim::Lane, InDim::Warp}));
    }
    completion.append(whole);
  }

  std::optional<SharedPlan> run(ArrayRef<AccessKind> storeKinds,
                                ArrayRef<AccessKind> loadKinds) {
    for (const Vectors &low : LowCandidates(store, load, bits, fill.has_value())
                                  .collect(storeKinds, loadKinds))
      for (AccessKind s : storeKinds)
        for (AccessKind l : loadKinds)
          for (const SideOption &so : sideOptions(store, low, s))
            for (const SideOption &lo : sideOptions(load, low, l))
              if (std::optional<Vectors> image = makeImage(low, so, lo))
                consider(*image, {s, so.half}, {l, lo.half});
    // Rows in order always work, if nothing else does.
    if (!best)
      consider(whole, {AccessKind::Vec, {}}, {AccessKind::Vec, {}});
    return std::move(best);
  }

private:
  using Instruction = std::pair<AccessKind, Vectors>;

  std::vector<SideOption> sideOptions(const LinearLayout &side,
                                      ArrayRef<uint32_t> low, AccessKind kind);
  std::optional<Vectors> makeImage(ArrayRef<uint32_t> low,
                                   const SideOption &storeSide,
                                   const SideOption &loadSide);
  void consider(ArrayRef<uint32_t> image, const Instruction &storeWith,
                const Instruction &loadWith);

  const LinearLayout &store, &load;
  unsigned bits;
  std::optional<GlobalFill> fill;
  /// Basis of the block's tile, fastest axis first, and what completes a line.
  Vectors whole, completion;
  std::optional<SharedPlan> best;
  /// Wavefronts, instructions, columns that differ from plain rows.
  std::tuple<uint64_t, uint64_t, unsigned> bestKey;
};
} // namespace

std::vector<SideOption> SwizzleSearch::sideOptions(const LinearLayout &side,
                                                   ArrayRef<uint32_t> low,
                                                   AccessKind kind) {
  ArrayRef<uint32_t> reg = side.columns(InDim::Register),
                     lane = side.columns(InDim::Lane);
  unsigned word = wordBits(bits);
  if (kind == AccessKind::Vec) {
    gf2::Span span(reg);
    unsigned v = 0;
    while (v < low.size() && span.contains(low[v]))
      ++v;
    unsigned phase = std::min(5u, lineLimit(bits) - v);
    return {{{},
             gf2::concat(low.take_front(std::max(v, word)),
                         lane.take_front(phase))}};
  }
  if (lane.size() != 5 || bits > 32)
    return {};
  if (kind == AccessKind::Matrix) {
    gf2::Span span(reg);
    Vectors half;
    if (low.size() < word || low.drop_front(word) != lane.take_front(2))
      return {};
    for (uint32_t column : low.take_front(word)) {
      std::optional<uint64_t> mask = span.solve(column);
      if (!mask)
        return {};
      half.push_back(*mask);
    }
    return {{half, gf2::concat(low, lane.slice(2, 3))}};
  }
  std::vector<SideOption> options;
  if (bits != 16 || low != lane.slice(2, 3))
    return options;
  for (unsigned i : gf2::independent(reg)) {
    Vectors touched = gf2::concat(low, reg[i]);
    options.push_back({{1u << i}, gf2::concat(touched, lane.take_front(2))});
  }
  return options;
}

std::optional<Vectors> SwizzleSearch::makeImage(ArrayRef<uint32_t> low,
                                                const SideOption &storeSide,
                                                const SideOption &loadSide) {
  unsigned d = whole.size(), target = std::min(lineLimit(bits), d);
  Vectors u = gf2::independentColumns(storeSide.touched);
  Vectors w = gf2::independentColumns(loadSide.touched);
  // Grow both to a line, sharing what can be shared: the low bits first, then
  // the other side's, then anything.
  u.append(gf2::extend(u, low, target));
  w.append(gf2::extend(w, low, target));
  u.append(gf2::extend(u, w, target));
  w.append(gf2::extend(w, u, target));
  Vectors more = gf2::extend(gf2::concat(u, w), whole);
  u.append(gf2::extend(u, gf2::concat(more, whole), target));
  w.append(gf2::extend(w, gf2::concat(u, whole), target));
  if (u.size() != target || w.size() != target)
    return std::nullopt;
  Vectors segments = gf2::commonComplement(u, w, whole);
  Vectors columns(low.begin(), low.end());
  Vectors both = gf2::concat(low, segments);
  if (gf2::rank(both) != both.size())
    return std::nullopt;
  columns.append(gf2::extend(both, completion));
  columns.append(segments);
  if (columns.size() != d || gf2::rank(columns) != d)
    return std::nullopt;
  return columns;
}

void SwizzleSearch::consider(ArrayRef<uint32_t> image,
                             const Instruction &storeWith,
                             const Instruction &loadWith) {
  std::optional<Bases> storeAddr = offsets(image, store);
  std::optional<Bases> loadAddr = offsets(image, load, &store);
  if (!storeAddr || !loadAddr)
    return;
  std::optional<Access> s =
      Access::get(*storeAddr, bits, storeWith.first, storeWith.second);
  std::optional<Access> l =
      Access::get(*loadAddr, bits, loadWith.first, loadWith.second);
  if (!s || !l)
    return;
  unsigned distance = 0;
  for (auto [column, plain] : llvm::zip_equal(image, whole))
    distance += column != plain;
  SharedPlan plan{LinearLayout::image(store.axisBits(), image), *s, *l};
  if (fill) {
    plan.storeRepeats = fill->repeats;
    plan.storePrice = GlobalFill::price;
  }
  std::tuple<uint64_t, uint64_t, unsigned> key(plan.wavefronts(),
                                               plan.instructions(), distance);
  if (best && key >= bestKey)
    return;
  best = std::move(plan);
  bestKey = key;
}

std::optional<SharedPlan> swizzle(const LinearLayout &store,
                                  const LinearLayout &load, unsigned bits,
                                  ArrayRef<AccessKind> storeKinds,
                                  ArrayRef<AccessKind> loadKinds,
                                  std::optional<GlobalFill> fill) {
  assert(bits >= 8 && bits <= 128 && "sub-byte values go unpacked");
  return SwizzleSearch(store, load, bits, fill).run(storeKinds, loadKinds);
}

} // namespace tilec
