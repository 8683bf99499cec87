//===- Conversion.h - The cheapest way between two register layouts -------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A conversion moves a tensor from one register layout to another: by renaming
// registers, by picks that depend on the lane, by shuffles inside a warp, or
// through shared memory. The plan says where every element comes from; costs
// are per warp in units of one shared-memory wavefront.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LAYOUT_CONVERSION_H
#define TILEC_LAYOUT_CONVERSION_H

#include "tilec/Layout/Swizzle.h"

namespace tilec {

/// What a conversion needs, cheapest first.
enum class ConversionKind : uint8_t {
  Noop,      ///< The same registers.
  Registers, ///< Registers are renamed.
  Select,    ///< The source register depends on the lane or warp.
  Shuffle,   ///< Data crosses lanes of a warp.
  Shared,    ///< Through shared memory; see Conversion::shared.
  Cluster    ///< Data crosses blocks: not planned here.
};

/// noop, registers, select, shuffle, shared, cluster.
llvm::StringRef stringifyConversionKind(ConversionKind kind);

/// Data that moves inside a warp. Matrices are lists of columns, vectors masks.
///
/// Round j (a combination of `rounds`; registers j ^ q for all combinations q
/// of `pack` travel in one word): in warp w, lane l receives from lane
///   N l ^ Lam j ^ Om w
/// the source register P j ^ D l ^ G w and puts it into destination register
/// j ^ T l. A lane s offers the source register
///   P j ^ Send (s ^ Lam j ^ Om w) ^ G w ^ (E u).
/// Destination register bit i of the plan is register bit dst[i] of the layout;
/// the other bits of the layout hold copies.
///
/// When lanes need different registers of one lane the round is repeated for
/// every u in GF(2)^m, m = sub.size(): a lane keeps what it got in the
/// repetition with u_i = parity(l & sub[i].laneMask), and E u is the xor of
/// sub[i].registers over the set bits of u.
///
/// T and Send are applied as conditional swaps of registers, one stage per
/// rank.
struct Exchange {
  /// One bit of the repetition number.
  struct Repetition {
    uint32_t laneMask, registers;
  };

  unsigned laneBits = 0;
  /// Destination register bits of the layout that hold different data.
  llvm::SmallVector<unsigned, 16> dst;
  /// Lane bit -> source lane; -> destination register; -> source register.
  Vectors N, T, D;
  /// Destination register bit -> source lane shift; -> source register.
  Vectors Lam, P;
  /// Lane bit -> source register that this lane offers.
  Vectors Send;
  /// Warp or block bit -> source lane shift; -> source register.
  Vectors omWarp, omBlock, gWarp, gBlock;
  llvm::SmallVector<Repetition, 4> sub;
  /// Destination registers that travel in one 32-bit word, and the rounds.
  Vectors pack, rounds;
  /// 32-bit shuffles per warp, and conditional moves around them.
  uint64_t shuffles = 0, selects = 0;

  /// The butterfly: lane l receives from l ^ Lam j, so `shfl.bfly` does; else
  /// the source lane is computed once and a constant xored to it.
  bool isButterfly() const;
  /// Does the round with destination registers j move data across lanes?
  bool crossesLanes(uint32_t j) const;
};

/// A plan. `exchange` is set for the kinds Noop to Shuffle, `shared` for
/// Shared.
struct Conversion {
  ConversionKind kind = ConversionKind::Cluster;
  /// Per warp; infinite for Cluster.
  double cost = 0;
  std::optional<Exchange> exchange;

  /// The image with both accesses, for a and b without repeated registers and
  /// elements of at least 8 bits.
  std::optional<SharedPlan> shared;
  /// Bytes of shared memory: the block's tile.
  uint64_t bytes = 0;
  /// Data stays inside each warp: a warp barrier is enough.
  bool warpLocal = false;
};

/// Asks for one way where both are possible.
enum class ConversionPreference : uint8_t { Cheapest, Shuffle, Shared };

/// The cheapest way from layout `a` to layout `b` of one tensor (equal axes, a
/// onto) with elements of `bits`.
Conversion
conversion(const LinearLayout &a, const LinearLayout &b, unsigned bits,
           llvm::ArrayRef<AccessKind> storeKinds = allAccessKinds,
           llvm::ArrayRef<AccessKind> loadKinds = allAccessKinds,
           ConversionPreference prefer = ConversionPreference::Cheapest);

} // namespace tilec

#endif // TILEC_LAYOUT_CONVERSION_H
