//===- LinearLayout.h - Which hardware index holds which element ----------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A layout maps hardware index bits to the bits of tensor coordinates, linearly
// over GF(2): coord(a ^ b) = coord(a) ^ coord(b). It is therefore stored as one
// coordinate per input bit (a column). Sizes are powers of two; a coordinate is
// kept flattened row-major in one word (last axis in the low bits), so adding
// is xor and reshaping changes no column. A zero column means a copy.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LAYOUT_LINEARLAYOUT_H
#define TILEC_LAYOUT_LINEARLAYOUT_H

#include "tilec/Layout/GF2.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace tilec {

/// What is counted by an input index, from the low bits of a flattened hardware
/// index up. A register is one element of a thread (a pair of f16 in one word
/// is two registers). Block is the CTA inside a cluster. Images of shared
/// memory have the one in-dim Offset, in elements.
enum class InDim : uint8_t { Register, Lane, Warp, Block, Offset };

constexpr unsigned numInDims = 5;

/// All in-dims in order.
constexpr InDim allInDims[numInDims] = {
    InDim::Register, InDim::Lane, InDim::Warp, InDim::Block, InDim::Offset};

/// The keyword of an in-dim: register, lane, warp, block, offset.
llvm::StringRef stringifyInDim(InDim dim);

/// The in-dim of a keyword, if it is one.
std::optional<InDim> symbolizeInDim(llvm::StringRef name);

/// A hardware index: one number per in-dim. Also used for masks of index bits.
struct HardwareIndex {
  std::array<uint32_t, numInDims> values;

  HardwareIndex(uint32_t reg = 0, uint32_t lane = 0, uint32_t warp = 0,
                uint32_t block = 0, uint32_t offset = 0)
      : values{reg, lane, warp, block, offset} {}
  uint32_t &operator[](InDim dim) { return values[unsigned(dim)]; }
  uint32_t operator[](InDim dim) const { return values[unsigned(dim)]; }
  bool operator==(const HardwareIndex &o) const { return values == o.values; }
};

/// The columns of every in-dim.
struct Bases {
  std::array<Vectors, numInDims> columns;

  Vectors &operator[](InDim dim) { return columns[unsigned(dim)]; }
  const Vectors &operator[](InDim dim) const { return columns[unsigned(dim)]; }
  bool operator==(const Bases &o) const { return columns == o.columns; }
};

/// A linear layout: an immutable value. Two constructions of one map are equal.
class LinearLayout {
public:
  /// Limits that keep every coordinate, index and mask in one word.
  static constexpr unsigned maxOutBits = 30, maxInBits = 31;

  using AxisBits = llvm::SmallVector<unsigned, 4>;
  using Coords = llvm::SmallVector<uint32_t, 4>;
  using Shape = llvm::SmallVector<int64_t, 4>;

  /// The layout of a scalar without any index.
  LinearLayout() = default;

  /// `axisBits`: log2 of the sizes, axis 0 first. Columns are flattened.
  explicit LinearLayout(llvm::ArrayRef<unsigned> axisBits, Bases bases = {});

  /// An image of shared memory: one column per bit of the element offset.
  static LinearLayout image(llvm::ArrayRef<unsigned> axisBits,
                            llvm::ArrayRef<uint32_t> columns);

  /// One in-dim as written: its name and its columns as coordinates.
  struct NamedColumns {
    std::string name;
    llvm::SmallVector<llvm::SmallVector<int64_t, 4>, 8> columns;
  };

  /// Checks and builds what a text or an attribute says. On failure returns
  /// none and says why in `error`.
  static std::optional<LinearLayout> get(llvm::ArrayRef<int64_t> shape,
                                         llvm::ArrayRef<NamedColumns> dims,
                                         std::string &error);

  //===-- Shape -----------------------------------------------------------===//

  unsigned rank() const { return axes.size(); }
  llvm::ArrayRef<unsigned> axisBits() const { return axes; }
  Shape shape() const;
  int64_t size(unsigned axis) const { return int64_t(1) << axes[axis]; }

  /// Bits of a flattened coordinate, and of a flattened hardware index.
  unsigned outBits() const;
  unsigned inBits() const;

  /// Columns of one in-dim, or of several in the given order.
  llvm::ArrayRef<uint32_t> columns(InDim dim) const { return bases[dim]; }
  Vectors columns(llvm::ArrayRef<InDim> dims) const;
  /// Columns of all in-dims, in order.
  Vectors columns() const { return columns(allInDims); }
  const Bases &allBases() const { return bases; }

  /// Number of indices of an in-dim, and its log2.
  uint32_t size(InDim dim) const { return 1u << bases[dim].size(); }
  unsigned bits(InDim dim) const { return bases[dim].size(); }

  /// Position of the axis's lowest bit in a flattened coordinate.
  unsigned shift(unsigned axis) const;
  uint32_t flatten(llvm::ArrayRef<uint32_t> coords) const;
  Coords unflatten(uint32_t flat) const;
  /// One axis of a flattened coordinate.
  uint32_t coordinate(uint32_t flat, unsigned axis) const;

  /// A hardware index in one word (register in the low bits), and back.
  uint32_t flattenIndex(const HardwareIndex &index) const;
  HardwareIndex unflattenIndex(uint32_t flat) const;

  //===-- Map -------------------------------------------------------------===//

  /// The flattened coordinate that an index holds.
  uint32_t apply(const HardwareIndex &index) const;
  uint32_t apply(InDim dim, uint32_t index) const;

  /// `outer` after this: the coordinates go through the given columns, one per
  /// bit of our flattened coordinate, into a space with axes `axisBits`.
  LinearLayout compose(llvm::ArrayRef<uint32_t> outer,
                       llvm::ArrayRef<unsigned> axisBits) const;

  /// `outer` after this: our coordinate is outer's flattened hardware index.
  LinearLayout compose(const LinearLayout &outer) const;

  /// Tile of tiles: this has the low bits of every in-dim and axis, `high` the
  /// bits above.
  LinearLayout product(const LinearLayout &high) const;

  /// Q with this = tile.product(Q): the layout starts with the tile.
  std::optional<LinearLayout> divideLeft(const LinearLayout &tile) const;

  /// Q with this = Q.product(tile): the layout ends with the tile.
  std::optional<LinearLayout> divideRight(const LinearLayout &tile) const;

  /// New register bit i is old register bit order[i].
  LinearLayout permuteRegisters(llvm::ArrayRef<unsigned> order) const;

  struct Containment;
  /// Does the layout start with the tile after a renaming of registers (which
  /// is free)? Then values feed instructions that have this fragment.
  std::optional<Containment> contains(const LinearLayout &tile) const;

  //===-- Views of the tensor ---------------------------------------------===//

  /// Row-major reshape: the columns stay. The element count must be the same.
  LinearLayout reshape(llvm::ArrayRef<int64_t> shape) const;
  LinearLayout reshapeBits(llvm::ArrayRef<unsigned> axisBits) const;
  /// New axis i is old axis perm[i].
  LinearLayout transpose(llvm::ArrayRef<unsigned> perm) const;
  /// Drops an axis: its coordinates vanish and leave copies behind.
  LinearLayout slice(unsigned axis) const;
  /// Inserts an axis of size 1.
  LinearLayout expandDims(unsigned axis) const;
  /// A new last axis of size 2, held by a new lowest register bit.
  LinearLayout join() const;
  /// Keeps the columns of the named in-dims only.
  LinearLayout restrict(llvm::ArrayRef<InDim> dims) const;
  /// All axes as one.
  LinearLayout flattenOuts() const { return reshapeBits({outBits()}); }

  //===-- Rank, copies, inverse -------------------------------------------===//

  /// Rank of the map.
  unsigned matrixRank() const { return gf2::rank(columns()); }
  /// Every element is held somewhere; no element is held twice.
  bool isSurjective() const { return matrixRank() == outBits(); }
  bool isInjective() const { return matrixRank() == inBits(); }
  /// Masks over the flattened index of indices that hold what index 0 holds.
  Vectors kernel() const { return gf2::kernel(columns()); }
  /// Every column is zero or one bit and no bit comes twice.
  bool isDistributed() const;

  /// Bits that depend on earlier ones, going through the in-dims in `order`
  /// (register first by default). Of all indices that hold one element exactly
  /// one has all free bits zero: that copy writes.
  HardwareIndex freeMasks(llvm::ArrayRef<InDim> order = allInDims) const;

  /// One flattened hardware index per bit of the flattened coordinate: the
  /// pseudo-inverse P with L P L = L, whose answers have all free bits zero. P
  /// is the inverse if the map is bijective, a right inverse if onto, a left
  /// inverse if one-to-one.
  Vectors inverse() const;

  /// Where an element lives (the copy with all free bits zero), for a layout
  /// that is onto.
  HardwareIndex indexOf(uint32_t flat) const;

  /// Drops register bits that only repeat data.
  LinearLayout dedupRegisters() const;
  /// Equal after dropping register bits that repeat data?
  bool sameUpToBroadcast(const LinearLayout &other) const;
  /// Does every index have the same coordinate on the axis in both? Missing
  /// high bits count as zero columns.
  bool sameOnAxis(const LinearLayout &other, unsigned axis) const;

  bool operator==(const LinearLayout &o) const {
    return axes == o.axes && bases == o.bases;
  }
  bool operator!=(const LinearLayout &o) const { return !(*this == o); }

  /// The rules of the attribute: in-dims of registers and of images do not mix,
  /// register layouts are onto, images are bijective. False with a reason.
  bool verify(std::string &error) const;

  //===-- Text ------------------------------------------------------------===//

  /// `#tilegpu.layout<[8, 8], register = [[0, 1]], lane = [...]>`; in-dims
  /// without columns are left out.
  void print(llvm::raw_ostream &os) const;
  /// What stands between `<` and `>`.
  void printBody(llvm::raw_ostream &os) const;
  std::string str() const;

  /// Reads the printed form; on failure returns none and says why in `error`.
  static std::optional<LinearLayout> parse(llvm::StringRef text,
                                           std::string &error);
  static std::optional<LinearLayout> parseBody(llvm::StringRef body,
                                               std::string &error);

private:
  /// A layout of the same in-dims with every column replaced.
  template <typename Fn>
  LinearLayout mapColumns(llvm::ArrayRef<unsigned> axisBits, Fn fn) const;

  AxisBits axes;
  Bases bases;
};

/// How a layout contains a tile: new register bit i is old bit
/// `registerOrder[i]`, and then layout = tile.product(quotient).
struct LinearLayout::Containment {
  llvm::SmallVector<unsigned, 8> registerOrder;
  LinearLayout quotient;
};

llvm::hash_code hash_value(const LinearLayout &layout);
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const LinearLayout &l);

} // namespace tilec

#endif // TILEC_LAYOUT_LINEARLAYOUT_H
