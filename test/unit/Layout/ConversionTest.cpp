//===- ConversionTest.cpp - Conversion plans, emulated --------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Every plan is carried out on tables: registers and lanes with one value sent
// per lane and shuffle, or byte-wise shared memory in which each byte is
// written once and matrix instructions deal out rows by the rules of the ISA.
// The result is compared with what the target layout says.
//
//===----------------------------------------------------------------------===//

#include "tilec/Layout/Conversion.h"
#include "RandomLayouts.h"
#include "tilec/Layout/Constructors.h"
#include <map>

using namespace tilec;

/// What every register of every thread holds, by flattened hardware index.
using RegisterFile = std::vector<uint32_t>;
/// The combinations of a list of vectors.
static Vectors combinations(llvm::ArrayRef<uint32_t> vectors) {
  Vectors result;
  for (uint32_t mask = 0; mask < 1u << vectors.size(); ++mask)
    result.push_back(gf2::mul(vectors, mask));
  return result;
}

/// The registers of a layout when element i of the tensor is data[i].
static RegisterFile fill(const LinearLayout &layout,
                         const std::vector<uint32_t> &data) {
  RegisterFile file(size_t(1) << layout.inBits());
  for (uint32_t flat = 0; flat < file.size(); ++flat)
    file[flat] = data[layout.apply(layout.unflattenIndex(flat))];
  return file;
}

//===-- Registers and shuffles --------------------------------------------===//

namespace {
/// Runs an exchange round by round.
class ExchangeRun {
public:
  ExchangeRun(const Exchange &plan, const LinearLayout &a,
              const LinearLayout &b, const RegisterFile &source)
      : plan(plan), a(a), b(b), source(source),
        result(size_t(1) << b.inBits(), ~0u) {}

  RegisterFile run() {
    for (uint32_t block = 0; block < b.size(B); ++block)
      for (uint32_t warp = 0; warp < b.size(W); ++warp)
        runWarp(warp, block);
    fillCopies();
    return std::move(result);
  }

  /// Shuffles of the first warp, in packed registers.
  uint64_t shuffles = 0;

private:
  void runWarp(uint32_t warp, uint32_t block) {
    uint32_t om = gf2::mul(plan.omWarp, warp) ^ gf2::mul(plan.omBlock, block);
    uint32_t g = gf2::mul(plan.gWarp, warp) ^ gf2::mul(plan.gBlock, block);
    for (uint32_t j : combinations(plan.rounds)) {
      uint32_t shift = gf2::mul(plan.Lam, j) ^ om;
      bool moved = false;
      for (uint32_t u = 0; u < 1u << plan.sub.size(); ++u)
        for (uint32_t l = 0; l < 1u << plan.laneBits; ++l) {
          uint32_t sender = gf2::mul(plan.N, l) ^ shift;
          moved |= sender != l;
          if (keeps(l, u))
            receive(j, l, sender, offer(sender ^ shift, u) ^ g, warp, block);
        }
      if (warp == 0 && block == 0) {
        EXPECT_TRUE(!moved || plan.crossesLanes(j));
        shuffles += moved ? 1u << plan.sub.size() : 0;
      }
    }
  }

  /// Does the lane keep what it gets in repetition u?
  bool keeps(uint32_t lane, uint32_t u) {
    for (auto [i, repetition] : llvm::enumerate(plan.sub))
      if (gf2::parity(lane & repetition.laneMask) != bool(u >> i & 1))
        return false;
    return true;
  }

  /// The source register that a sender picks, apart from round and warp.
  uint32_t offer(uint32_t sender, uint32_t u) {
    uint32_t pick = gf2::mul(plan.Send, sender);
    for (auto [i, repetition] : llvm::enumerate(plan.sub))
      if (u >> i & 1)
        pick ^= repetition.registers;
    return pick;
  }

  /// One lane takes a word of packed registers from the sender.
  void receive(uint32_t j, uint32_t lane, uint32_t sender, uint32_t pick,
               uint32_t warp, uint32_t block) {
    if (lane >= b.size(L))
      return;
    for (uint32_t q : combinations(plan.pack)) {
      HardwareIndex from(gf2::mul(plan.P, j ^ q) ^ pick, sender % a.size(L),
                         warp % a.size(W), block % a.size(B));
      HardwareIndex to(layoutRegister(j ^ q ^ gf2::mul(plan.T, lane)), lane,
                       warp, block);
      result[b.flattenIndex(to)] = source[a.flattenIndex(from)];
    }
  }

  /// The register of the layout with a register number of the plan.
  uint32_t layoutRegister(uint32_t number) {
    uint32_t reg = 0;
    for (auto [i, bit] : llvm::enumerate(plan.dst))
      reg |= (number >> i & 1) << bit;
    return reg;
  }

  /// Registers that repeat data, from those that the plan fills.
  void fillCopies() {
    gf2::Span span(gf2::pick(b.columns(R), plan.dst));
    forEachIndex(b, [&](const HardwareIndex &index) {
      HardwareIndex from = index;
      from[R] = layoutRegister(*span.solve(b.apply(R, index[R])));
      result[b.flattenIndex(index)] = result[b.flattenIndex(from)];
    });
  }

  const Exchange &plan;
  const LinearLayout &a, &b;
  const RegisterFile &source;
  RegisterFile result;
};

//===-- Shared memory -----------------------------------------------------===//

/// Byte-wise shared memory of all blocks. Bytes remember which byte of which
/// value they are, so that torn elements show.
class MemoryRun {
public:
  MemoryRun(const SharedPlan &plan, unsigned bits)
      : plan(plan), bytes(bits / 8) {}

  void store(const LinearLayout &a, const RegisterFile &source) {
    HardwareIndex freeBits = a.freeMasks();
    auto write = [&](const HardwareIndex &index, unsigned byte, uint32_t at) {
      auto [place, isNew] = memory.try_emplace(
          {index[B], at}, source[a.flattenIndex(index)], byte);
      EXPECT_TRUE(isNew) << "written twice";
    };
    walk(plan.store, a, freeBits, write);
  }

  RegisterFile load(const LinearLayout &b) {
    RegisterFile result(size_t(1) << b.inBits(), ~0u);
    auto read = [&](const HardwareIndex &index, unsigned byte, uint32_t at) {
      auto found = memory.find({index[B], at});
      ASSERT_TRUE(found != memory.end()) << "read before written";
      EXPECT_EQ(found->second.second, byte);
      uint32_t &reg = result[b.flattenIndex(index)];
      EXPECT_TRUE(byte == 0 || reg == found->second.first) << "torn element";
      reg = found->second.first;
    };
    walk(plan.load, b, {}, read);
    return result;
  }

private:
  /// Calls fn(register, byte of it, address) for everything that an access
  /// moves, except threads with bits of `skip`.
  template <typename Fn>
  void walk(const Access &access, const LinearLayout &layout,
            const HardwareIndex &skip, Fn fn) {
    for (uint32_t block = 0; block < layout.size(B); ++block)
      for (uint32_t warp = 0; warp < layout.size(W); ++warp) {
        if (warp & skip[W])
          continue;
        uint32_t base =
            gf2::mul(access.addr[W], warp) ^ gf2::mul(access.addr[B], block);
        if (access.kind == AccessKind::Vec)
          walkVectors(access, layout, skip, {0, 0, warp, block}, base, fn);
        else
          walkMatrices(access, {0, 0, warp, block}, base, fn);
      }
  }

  template <typename Fn>
  void walkVectors(const Access &access, const LinearLayout &layout,
                   const HardwareIndex &skip, HardwareIndex index,
                   uint32_t base, Fn fn) {
    for (index[L] = 0; index[L] < layout.size(L); ++index[L]) {
      if (index[L] & skip[L])
        continue;
      for (index[R] = 0; index[R] < layout.size(R); ++index[R]) {
        uint32_t offset = base ^ gf2::mul(access.addr[R], index[R]) ^
                          gf2::mul(access.addr[L], index[L]);
        for (unsigned byte = 0; byte < bytes; ++byte)
          fn(index, byte, offset * bytes + byte);
      }
    }
  }

  /// Lane l of an 8x8 matrix of 16-bit units holds units 2(l%4), 2(l%4)+1 of
  /// row l/4; transposed, unit l/4 of rows 2(l%4), 2(l%4)+1.
  template <typename Fn>
  void walkMatrices(const Access &access, HardwareIndex index, uint32_t base,
                    Fn fn) {
    for (uint32_t m = 0; m < 1u << access.rest.size(); ++m)
      for (uint32_t l = 0; l < 32; ++l)
        for (unsigned n = 0; n < 4; ++n) {
          bool trans = access.kind == AccessKind::MatrixTrans;
          uint32_t row = trans ? 2 * (l % 4) + n / 2 : l / 4;
          uint32_t byte = trans ? 2 * (l / 4) + n % 2 : 4 * (l % 4) + n;
          uint32_t start =
              base ^ gf2::mul(access.rest, m) ^ gf2::mul(access.rowCols, row);
          index[L] = l;
          index[R] =
              gf2::mul(access.restRegs, m) ^ gf2::mul(access.half, n / bytes);
          fn(index, n % bytes, start * bytes + byte);
        }
  }

  const SharedPlan &plan;
  unsigned bytes;
  std::map<std::pair<uint32_t, uint32_t>, std::pair<uint32_t, unsigned>> memory;
};
} // namespace

/// Converts numbered data and compares every register with what b says.
static Conversion
check(const LinearLayout &a, const LinearLayout &b, unsigned bits,
      ConversionPreference prefer = ConversionPreference::Cheapest,
      llvm::ArrayRef<AccessKind> storeKinds = allAccessKinds,
      llvm::ArrayRef<AccessKind> loadKinds = allAccessKinds) {
  Conversion c = conversion(a, b, bits, storeKinds, loadKinds, prefer);
  std::vector<uint32_t> data(size_t(1) << a.outBits());
  for (auto [i, value] : llvm::enumerate(data))
    value = i * 7 + 3;
  if (c.kind == ConversionKind::Shared) {
    LinearLayout from = a.dedupRegisters(), to = b.dedupRegisters();
    MemoryRun memory(*c.shared, std::max(8u, bits));
    memory.store(from, fill(from, data));
    EXPECT_EQ(memory.load(to), fill(to, data)) << a.str() << "\n" << b.str();
    return c;
  }
  EXPECT_NE(c.kind, ConversionKind::Cluster);
  if (!c.exchange)
    return c;
  RegisterFile source = fill(a, data);
  ExchangeRun run(*c.exchange, a, b, source);
  EXPECT_EQ(run.run(), fill(b, data)) << a.str() << "\n" << b.str();
  EXPECT_EQ(run.shuffles * std::max(1u, bits / 32), c.exchange->shuffles);
  EXPECT_EQ(c.exchange->shuffles != 0, c.kind == ConversionKind::Shuffle);
  return c;
}

//===-- Named conversions -------------------------------------------------===//

static constexpr auto preferShuffle = ConversionPreference::Shuffle;

/// A layout of one axis from the columns of registers, lanes and warps.
static LinearLayout oneAxis(unsigned bits, Vectors reg, Vectors lane,
                            Vectors warp = {}) {
  Bases bases;
  bases[R] = reg;
  bases[L] = lane;
  bases[W] = warp;
  return LinearLayout({bits}, bases);
}

TEST(Conversion, WithoutDataMovement) {
  LinearLayout acc = mmaC({64, 64}, {4, 1});
  EXPECT_EQ(check(acc, mmaA({64, 64}, 16, {4, 1}), 16).kind,
            ConversionKind::Noop);
  EXPECT_EQ(check(acc, acc.permuteRegisters({1, 0, 3, 2, 4}), 32).kind,
            ConversionKind::Registers);
  EXPECT_EQ(check(acc.slice(1), acc.slice(1).dedupRegisters(), 32).kind,
            ConversionKind::Noop);
  // Copies in lanes: the wanted register is there, its number depends on them.
  LinearLayout copies = oneAxis(5, {1, 2}, {4, 8, 16, 0, 0});
  LinearLayout spread = oneAxis(5, {}, {4, 8, 16, 1, 2});
  Conversion c = check(copies, spread, 32);
  EXPECT_EQ(c.kind, ConversionKind::Select);
  EXPECT_EQ(c.exchange->shuffles, 0u);
  EXPECT_EQ(check(spread, copies, 32, preferShuffle).exchange->shuffles, 3u);
}

TEST(Conversion, Shuffles) {
  // An 8-bit accumulator to A: fours packed in words, 8 words.
  LinearLayout acc = mmaC({64, 64}, {4, 1});
  Conversion c = check(acc, mmaA({64, 64}, 8, {4, 1}), 8, preferShuffle);
  EXPECT_EQ(c.kind, ConversionKind::Shuffle);
  EXPECT_EQ(c.exchange->shuffles, 8u);
  for (unsigned bits : {1, 2, 4, 8, 16, 32, 64, 128})
    check(blocked({32, 32}, {1, 4}, {8, 4}, {1, 1}, {1, 0}),
          blocked({32, 32}, {1, 8}, {16, 2}, {1, 1}, {1, 0}), bits,
          preferShuffle);
  // k lane bits exchanged with k register bits: 2^k - 1 butterflies a group.
  for (unsigned k : {1, 2, 3}) {
    Vectors low = gf2::units(5), high;
    for (uint32_t v : low)
      high.push_back(v << 5);
    LinearLayout from = oneAxis(10, low, high);
    std::swap_ranges(low.begin(), low.begin() + k, high.begin());
    c = check(from, oneAxis(10, low, high), 32, preferShuffle);
    EXPECT_EQ(c.exchange->shuffles, ((1u << k) - 1) << (5 - k));
    EXPECT_TRUE(c.exchange->isButterfly());
  }
}

TEST(Conversion, Repetitions) {
  // A warp of b holds half of what a warp of a holds, in one register less. The
  // copies in lane bit 4 serve the second register.
  Conversion c =
      check(oneAxis(5, {16}, {1, 2, 4, 8, 0}, {0}),
            oneAxis(5, {}, {1, 2, 4, 16, 0}, {8}), 32, preferShuffle);
  EXPECT_EQ(c.exchange->shuffles, 1u);
  // No copies: one lane must serve two readers, so two shuffles.
  c = check(oneAxis(6, {32}, {1, 2, 4, 8, 16}, {0}),
            oneAxis(6, {}, {1, 2, 4, 8, 32}, {16}), 32, preferShuffle);
  EXPECT_EQ(c.exchange->shuffles, 2u);
  EXPECT_EQ(c.exchange->sub.size(), 1u);
  // Two lane bits ask for one register: the repetition is their xor.
  c = check(oneAxis(6, {32}, {1, 2, 4, 8, 16}, {0, 0}),
            oneAxis(6, {}, {1, 2, 4, 32, 32}, {8, 16}), 32, preferShuffle);
  EXPECT_EQ(c.exchange->shuffles, 2u);
  ASSERT_EQ(c.exchange->sub.size(), 1u);
  EXPECT_EQ(c.exchange->sub[0].laneMask, 0b11000u);
  EXPECT_EQ(c.exchange->sub[0].registers, 1u);
}

TEST(Conversion, SharedMemory) {
  LinearLayout rows = blocked({128, 64}, {1, 8}, {4, 8}, {4, 1}, {1, 0});
  LinearLayout acc = mmaC({128, 64}, {4, 1});
  AccessKind vec = AccessKind::Vec, trans = AccessKind::MatrixTrans;
  auto cheapest = ConversionPreference::Cheapest;
  Conversion c = check(rows, mmaA({128, 64}, 16, {4, 1}), 16);
  EXPECT_EQ(c.kind, ConversionKind::Shared);
  EXPECT_EQ(c.shared->load.kind, AccessKind::Matrix);
  EXPECT_FALSE(c.warpLocal);
  EXPECT_EQ(c.bytes, 128u * 64 * 2);
  c = check(rows, mmaB({128, 64}, 16, {1, 4}), 16);
  EXPECT_EQ(c.shared->load.kind, trans);
  EXPECT_EQ(c.shared->image, sharedTma({128, 64}, 16, 128, 1));
  // Without matrix instructions k is interleaved; both sides move 16 bytes.
  c = check(rows, mmaB({128, 64}, 16, {1, 4}), 16, cheapest, vec, vec);
  EXPECT_EQ(c.shared->load.v, 3u);
  EXPECT_EQ(c.shared->wavefronts(), 64u);
  EXPECT_EQ(c.shared->instructions(), 16u);
  c = check(mmaC({64, 128}, {1, 4}).transpose({1, 0}), rows, 16, cheapest,
            trans, vec);
  EXPECT_EQ(c.shared->store.kind, trans);
  EXPECT_EQ(check(acc, rows, 16).shared->store.kind, AccessKind::Matrix);
  check(acc, blocked({128, 64}, {1, 4}, {2, 16}, {4, 1}, {1, 0}), 32);
  check(blocked({128, 64}, {1, 16}, {8, 4}, {4, 1}, {1, 0}),
        mmaA({128, 64}, 8, {4, 1}), 8);
  check(blocked({128, 32}, {1, 4}, {4, 8}, {4, 1}, {1, 0}),
        mmaA({128, 32}, 32, {4, 1}), 32);
  for (unsigned bits : {1, 4, 64, 128})
    check(acc, rows, bits);
}

TEST(Conversion, Blocks) {
  llvm::SmallVector<BlockStep, 1> alongM = {{0, 1}}, alongN = {{1, 1}};
  LinearLayout acc = mmaC({128, 64}, {4, 1}, alongM);
  Conversion c = check(
      blocked({128, 64}, {1, 8}, {4, 8}, {4, 1}, {1, 0}, alongM), acc, 16);
  EXPECT_EQ(c.kind, ConversionKind::Shared);
  EXPECT_EQ(c.bytes, 64u * 64 * 2);
  EXPECT_EQ(conversion(acc, mmaC({128, 64}, {4, 1}, alongN), 16).kind,
            ConversionKind::Cluster);
}

//===-- Random conversions ------------------------------------------------===//

/// A random distribution of the data of each warp of `a`.
static LinearLayout sameWarps(Random &random, const LinearLayout &a) {
  Vectors pool;
  for (uint32_t column : a.columns({R, L}))
    if (column)
      pool.push_back(column);
  random.shuffle(pool);
  Bases bases = a.allBases();
  for (uint32_t &column : bases[L])
    column = random.popOrZero(pool, 0.15);
  bases[R] = pool;
  bases[R].append(random.below(2), 0);
  return LinearLayout(a.axisBits(), bases);
}

TEST(Conversion, RandomDistributed) {
  Random random(41);
  std::map<ConversionKind, int> kinds;
  for (int round = 0; round < 400; ++round) {
    unsigned n = random.range(6, 9), blocks = random.below(4) == 0;
    LinearLayout a = random.distributed(n, 5, 2, blocks), b = a;
    if (round % 2)
      b = sameWarps(random, a);
    else if (!blocks)
      b = random.distributed(n);
    if (round % 3 == 0) {
      Vectors matrix = random.invertible(n);
      a = mixed(a, matrix);
      b = mixed(b, matrix);
    }
    auto prefer = random.oneOf({ConversionPreference::Cheapest, preferShuffle,
                                ConversionPreference::Shared});
    ++kinds[check(a, b, random.oneOf({8u, 16u, 32u, 64u}), prefer).kind];
  }
  for (auto kind :
       {ConversionKind::Noop, ConversionKind::Shuffle, ConversionKind::Shared})
    EXPECT_GE(kinds[kind], 20);
}

TEST(Conversion, RandomCopiesInTheSource) {
  Random random(42);
  std::map<ConversionKind, int> kinds;
  int repeated = 0;
  for (int round = 0; round < 200; ++round) {
    LinearLayout a = random.distributed(random.range(6, 9));
    Bases bases = a.allBases();
    // Lanes (or warps) that hold copies take over bits of registers (or lanes).
    llvm::SmallVector<Vectors *> takers = {&bases[L]}, givers = {&bases[R]};
    if (round % 2 == 0) {
      takers.insert(takers.begin(), &bases[W]);
      givers.push_back(&bases[L]);
    }
    for (Vectors *taker : takers)
      for (uint32_t &column : *taker) {
        llvm::SmallVector<uint32_t *> donors;
        for (Vectors *giver : givers)
          for (uint32_t &other : *giver)
            if (other)
              donors.push_back(&other);
        if (column == 0 && !donors.empty())
          std::swap(column, *donors[random.below(donors.size())]);
      }
    Conversion c = check(a, LinearLayout(a.axisBits(), bases),
                         random.oneOf({8u, 16u, 32u}), preferShuffle);
    ++kinds[c.kind];
    repeated += c.kind == ConversionKind::Shuffle && !c.exchange->sub.empty();
  }
  EXPECT_GE(kinds[ConversionKind::Select], 10);
  EXPECT_GE(repeated, 1);
}

TEST(Conversion, RandomMixedInWarp) {
  // Both sides xor-mixed on their own: the hardest case for the exchange.
  Random random(43);
  for (int round = 0; round < 200; ++round) {
    unsigned n = random.range(5, 8);
    auto make = [&](uint32_t warp, bool repeat) {
      Vectors columns = random.invertible(n);
      Bases bases;
      bases[L].assign(columns.begin(), columns.begin() + 5);
      bases[R].assign(columns.begin() + 5, columns.end());
      if (repeat)
        bases[R].push_back(columns[random.below(n)]);
      bases[W].push_back(warp);
      return LinearLayout({n - 1, 2}, bases);
    };
    LinearLayout a = make(1u << n, false),
                 b = make(1u << n ^ random.below(1u << n), true);
    check(a, b, random.oneOf({8u, 16u, 32u}), preferShuffle);
  }
}

TEST(Conversion, RandomSizes) {
  // Any number of lanes and warps on either side, tiles of a few elements, and
  // elements from a bit to 16 bytes.
  Random random(44);
  std::map<ConversionKind, int> kinds;
  for (int round = 0; round < 400; ++round) {
    unsigned n = random.below(9);
    LinearLayout a = random.distributed(n, random.below(6), random.below(4));
    LinearLayout b = random.distributed(n, random.below(6), random.below(4));
    unsigned bits = 1u << random.below(8);
    ++kinds[check(a, b, bits,
                  random.oneOf({preferShuffle, ConversionPreference::Shared}))
                .kind];
  }
  EXPECT_GE(kinds[ConversionKind::Shuffle], 20);
  EXPECT_GE(kinds[ConversionKind::Shared], 20);
}

TEST(Conversion, FreedomOfK) {
  // A permutation of k on both operands leaves a dot alone, so an 8-bit
  // accumulator feeds A without data movement: only k is permuted.
  LinearLayout acc = mmaC({64, 64}, {4, 1}).permuteRegisters({0, 2, 1, 3, 4});
  LinearLayout a8 = mmaA({64, 64}, 8, {4, 1});
  EXPECT_TRUE(acc.sameOnAxis(a8, 0));
  std::map<uint32_t, uint32_t> permutation;
  forEachIndex(acc, [&](const HardwareIndex &index) {
    uint32_t k = acc.coordinate(acc.apply(index), 1),
             read = a8.coordinate(a8.apply(index), 1);
    EXPECT_EQ(permutation.try_emplace(read, k).first->second, k);
  });
  EXPECT_EQ(permutation.size(), 64u);
}
