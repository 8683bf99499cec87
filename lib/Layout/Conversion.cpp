//===- Conversion.cpp - The cheapest way between two register layouts -----===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Every question is whether columns of one layout lie in the span of columns of
// the other. Inside a warp the map destination -> source is lifted through the
// source layout: "modulo the source registers" a coordinate names a lane, and
// what remains names a register. The freedom is T, which register of the
// destination a lane fills in a round: it is chosen so that each lane sends one
// value per round, and as the identity on lanes (a butterfly) if possible.
//
//===----------------------------------------------------------------------===//

#include "tilec/Layout/Conversion.h"
#include "llvm/ADT/STLExtras.h"
#include <limits>

using llvm::ArrayRef;

namespace tilec {

using gf2::log2;

/// In wavefronts: a conditional move, and the barrier plus the round trip
/// through shared memory inside a warp and across warps.
static constexpr double selectCost = 0.25, warpBarrierCost = 8,
                        blockBarrierCost = 16;

static constexpr InDim ctaDims[] = {InDim::Register, InDim::Lane, InDim::Warp};

llvm::StringRef stringifyConversionKind(ConversionKind kind) {
  static constexpr llvm::StringRef names[] = {
      "noop", "registers", "select", "shuffle", "shared", "cluster"};
  return names[unsigned(kind)];
}

bool Exchange::isButterfly() const {
  auto isZero = [](uint32_t v) { return v == 0; };
  return N == gf2::units(laneBits) && llvm::all_of(omWarp, isZero) &&
         llvm::all_of(omBlock, isZero);
}

bool Exchange::crossesLanes(uint32_t j) const {
  return !isButterfly() || gf2::mul(Lam, j) != 0;
}

/// Columns of one in-dim of both layouts, xored; missing ones count as zero.
static Vectors difference(const LinearLayout &a, const LinearLayout &b,
                          InDim dim) {
  ArrayRef<uint32_t> x = a.columns(dim), y = b.columns(dim);
  Vectors result;
  for (unsigned i = 0, e = std::max(x.size(), y.size()); i < e; ++i)
    result.push_back((i < x.size() ? x[i] : 0) ^ (i < y.size() ? y[i] : 0));
  return result;
}

/// Are all the vectors in the span?
static bool containsAll(const gf2::Span &span, ArrayRef<uint32_t> vectors) {
  return llvm::all_of(vectors, [&](uint32_t v) { return span.contains(v); });
}

namespace {
/// Finds the exchange between two layouts inside a warp.
class ExchangePlanner {
public:
  ExchangePlanner(const LinearLayout &a, const LinearLayout &b)
      : sourceRegs(a.columns(InDim::Register)),
        sourceLanes(a.columns(InDim::Lane)), destLanes(b.columns(InDim::Lane)),
        warps(difference(a, b, InDim::Warp)),
        blocks(difference(a, b, InDim::Block)), registerSpan(sourceRegs) {
    plan.laneBits = std::max(sourceLanes.size(), destLanes.size());
    sourceLanes.resize(plan.laneBits);
    destLanes.resize(plan.laneBits);
    ArrayRef<uint32_t> all = b.columns(InDim::Register);
    plan.dst = gf2::independent(all);
    destRegs = gf2::pick(all, plan.dst);
  }

  /// The plan, or none when data must cross warps or blocks.
  std::optional<Exchange> run() {
    gf2::Span inWarp(gf2::concat(sourceRegs, sourceLanes));
    if (!containsAll(inWarp, destRegs) || !containsAll(inWarp, destLanes) ||
        !containsAll(inWarp, warps) || !containsAll(inWarp, blocks))
      return std::nullopt;
    laneClasses = classes(sourceLanes);
    section = gf2::Span(laneClasses);
    if (!findButterfly())
      findLaneMap();
    findSources();
    findRepetitions();
    findOffers();
    return std::move(plan);
  }

private:
  /// A coordinate modulo the source registers: only the lane is left.
  uint32_t classOf(uint32_t v) const { return registerSpan.reduce(v).residual; }
  Vectors classes(ArrayRef<uint32_t> vectors) const {
    Vectors result;
    for (uint32_t v : vectors)
      result.push_back(classOf(v));
    return result;
  }

  /// The source lane that holds a coordinate; lanes with copies are not used.
  uint32_t laneOf(uint32_t v) const { return *section.solve(classOf(v)); }

  /// The source register of a coordinate that is in the lane at hand.
  uint32_t registerOf(uint32_t v) const { return *registerSpan.solve(v); }

  /// The coordinate that lane bit i wants in round 0, after its shift T_i.
  uint32_t wanted(unsigned lane) const {
    return destLanes[lane] ^ gf2::mul(destRegs, plan.T[lane]);
  }

  bool findButterfly();
  void findLaneMap();
  void findSources();
  void findRepetitions();
  void findOffers();

  Vectors sourceRegs, sourceLanes, destLanes, destRegs, warps, blocks;
  gf2::Span registerSpan;
  Vectors laneClasses;
  gf2::Span section;
  Exchange plan;
};
} // namespace

/// N = identity, if some T allows it: every lane bit keeps its coordinate up to
/// source and destination registers.
bool ExchangePlanner::findButterfly() {
  gf2::Span mixed(gf2::concat(sourceRegs, destRegs));
  Vectors shifts;
  for (auto [x, y] : llvm::zip_equal(sourceLanes, destLanes)) {
    std::optional<uint64_t> mask = mixed.solve(x ^ y);
    if (!mask)
      return false;
    shifts.push_back(*mask >> sourceRegs.size());
  }
  plan.T = shifts;
  plan.N = gf2::units(plan.laneBits);
  return true;
}

/// Makes the lane map onto by pairing lanes that would read one class with
/// register bits that reach the missing classes.
void ExchangePlanner::findLaneMap() {
  plan.T.assign(plan.laneBits, 0);
  Vectors destClasses = classes(destLanes), missing;
  gf2::Span reach(destClasses);
  for (auto [i, column] : llvm::enumerate(destRegs))
    if (reach.add(classOf(column)))
      missing.push_back(1u << i);
  for (auto [lanes, reg] : llvm::zip(gf2::kernel(destClasses), missing))
    plan.T[log2(lanes)] ^= reg;
  Vectors image;
  for (unsigned i = 0; i < plan.laneBits; ++i) {
    image.push_back(wanted(i));
    plan.N.push_back(laneOf(image.back()));
  }
  // Lanes that still read one class go to copies of it in other source lanes,
  // those that want different registers first.
  Vectors same = gf2::kernel(classes(image)), registers;
  for (uint32_t lanes : same)
    registers.push_back(registerOf(gf2::mul(image, lanes)));
  auto order = gf2::independent(registers);
  for (unsigned i = 0; i < same.size(); ++i)
    if (!llvm::is_contained(order, i))
      order.push_back(i);
  Vectors spare = gf2::kernel(laneClasses);
  for (unsigned i : order) {
    uint32_t copy = spare.empty() ? 0 : spare.pop_back_val();
    uint32_t shift = gf2::mul(plan.N, same[i]) ^ copy;
    plan.N[log2(same[i])] ^= shift;
  }
}

/// Source lanes and registers of every bit of the destination.
void ExchangePlanner::findSources() {
  for (uint32_t column : destRegs) {
    plan.Lam.push_back(laneOf(column));
    plan.P.push_back(
        registerOf(column ^ gf2::mul(sourceLanes, plan.Lam.back())));
  }
  for (unsigned i = 0; i < plan.laneBits; ++i)
    plan.D.push_back(registerOf(wanted(i) ^ gf2::mul(sourceLanes, plan.N[i])));
  auto findOuter = [&](ArrayRef<uint32_t> outer, Vectors &om, Vectors &g) {
    for (uint32_t column : outer) {
      om.push_back(laneOf(column));
      g.push_back(registerOf(column ^ gf2::mul(sourceLanes, om.back())));
    }
  };
  findOuter(warps, plan.omWarp, plan.gWarp);
  findOuter(blocks, plan.omBlock, plan.gBlock);
}

/// Lanes in the kernel of N read one lane; where they want different registers
/// of it, the round is repeated.
void ExchangePlanner::findRepetitions() {
  Vectors readers = gf2::kernel(plan.N), registers;
  for (uint32_t lanes : readers)
    registers.push_back(gf2::mul(plan.D, lanes));
  auto first = gf2::independent(registers);
  gf2::Span span(registers);
  for (unsigned i : first) {
    Exchange::Repetition repetition{1u << log2(readers[i]), registers[i]};
    // Later readers that want a combination take part by parity.
    for (unsigned k = 0; k < readers.size(); ++k)
      if (!llvm::is_contained(first, k) && (*span.solve(registers[k]) >> i & 1))
        repetition.laneMask ^= 1u << log2(readers[k]);
    plan.sub.push_back(repetition);
  }
}

/// Send = D N^-1: what a lane offers, from a lane that reads it. The lanes of
/// repetitions depend on earlier ones, so they are never that reader.
void ExchangePlanner::findOffers() {
  Vectors basis = plan.N;
  basis.append(gf2::extend(basis, gf2::units(plan.laneBits)));
  gf2::Span back(basis);
  for (unsigned i = 0; i < plan.laneBits; ++i)
    plan.Send.push_back(gf2::mul(plan.D, *back.solve(1u << i)));
}

/// Groups registers into words and counts instructions; returns the stages of
/// conditional swaps.
static unsigned countExchange(Exchange &plan, unsigned bits) {
  Vectors local = gf2::kernel(plan.Lam); // registers that come from one lane
  if (bits <= 32)
    plan.pack.assign(local.begin(),
                     local.begin() +
                         std::min<size_t>(local.size(), 5 - log2(bits)));
  plan.rounds = gf2::extend(plan.pack, gf2::units(plan.dst.size()));
  uint64_t words = std::max(1u, bits / 32);
  uint64_t rounds = uint64_t(1) << plan.rounds.size();
  uint64_t quiet =
      plan.isButterfly() ? uint64_t(1) << (local.size() - plan.pack.size()) : 0;
  plan.shuffles = ((rounds - quiet) << plan.sub.size()) * words;
  auto isSet = [](uint32_t v) { return v != 0; };
  unsigned stages = gf2::rank(plan.Send) + gf2::rank(plan.T) +
                    llvm::count_if(plan.gWarp, isSet) +
                    llvm::count_if(plan.gBlock, isSet) +
                    ((1u << plan.sub.size()) - 1);
  plan.selects = rounds * stages * words;
  return stages;
}

/// Does every destination register take the source register of its number, not
/// counting registers that repeat data?
static bool keepsRegisters(const Exchange &plan, const LinearLayout &a) {
  auto kept = gf2::independent(a.columns(InDim::Register));
  for (auto [i, source] : llvm::enumerate(plan.P))
    if (i >= kept.size() || source != 1u << kept[i])
      return false;
  return true;
}

/// A conversion inside a warp, or none.
static std::optional<Conversion>
exchangeInWarp(const LinearLayout &a, const LinearLayout &b, unsigned bits) {
  std::optional<Exchange> plan = ExchangePlanner(a, b).run();
  if (!plan)
    return std::nullopt;
  unsigned stages = countExchange(*plan, bits);
  Conversion result;
  result.cost = plan->shuffles + selectCost * plan->selects;
  if (plan->shuffles)
    result.kind = ConversionKind::Shuffle;
  else if (stages)
    result.kind = ConversionKind::Select;
  else
    result.kind = keepsRegisters(*plan, a) ? ConversionKind::Noop
                                           : ConversionKind::Registers;
  result.exchange = std::move(plan);
  return result;
}

/// Does every block have the data that its registers need?
static bool staysInBlock(const LinearLayout &a, const LinearLayout &b) {
  gf2::Span cta(a.columns(ctaDims));
  return containsAll(cta, difference(a, b, InDim::Block)) &&
         containsAll(cta, b.columns(ctaDims));
}

Conversion conversion(const LinearLayout &a, const LinearLayout &b,
                      unsigned bits, ArrayRef<AccessKind> storeKinds,
                      ArrayRef<AccessKind> loadKinds,
                      ConversionPreference prefer) {
  assert(a.axisBits() == b.axisBits() && "layouts of different tensors");
  Conversion cluster;
  cluster.cost = std::numeric_limits<double>::infinity();
  if (!staysInBlock(a, b))
    return cluster;
  std::optional<Conversion> inWarp = exchangeInWarp(a, b, bits);
  if (inWarp && (inWarp->kind != ConversionKind::Shuffle ||
                 prefer == ConversionPreference::Shuffle))
    return *inWarp;
  // Values of less than a byte go through memory unpacked.
  unsigned memoryBits = std::max(bits, 8u);
  Conversion viaShared;
  viaShared.kind = ConversionKind::Shared;
  viaShared.shared = swizzle(a.dedupRegisters(), b.dedupRegisters(), memoryBits,
                             storeKinds, loadKinds);
  if (!viaShared.shared)
    return inWarp ? *inWarp : cluster;
  viaShared.warpLocal = inWarp.has_value();
  viaShared.bytes = (uint64_t(memoryBits) << gf2::rank(a.columns(ctaDims))) / 8;
  viaShared.cost = viaShared.shared->wavefronts() +
                   (viaShared.warpLocal ? warpBarrierCost : blockBarrierCost);
  if (inWarp && prefer != ConversionPreference::Shared &&
      inWarp->cost <= viaShared.cost)
    return *inWarp;
  return viaShared;
}

} // namespace tilec
