//===- Swizzle.h - Shared-memory accesses and optimal images --------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A register layout pushed through an image of shared memory gives addresses
// that are linear in register, lane and warp bits. The number of wavefronts of
// an access follows exactly from ranks of these columns, and an image without
// conflicts for a storing and a loading layout is a common complement of two
// subspaces. Images are private to a block.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LAYOUT_SWIZZLE_H
#define TILEC_LAYOUT_SWIZZLE_H

#include "tilec/Layout/LinearLayout.h"

namespace tilec {

/// The instructions that move registers to or from shared memory: ld/st of a
/// vector, ldmatrix or stmatrix, and these with .trans (16-bit elements only).
enum class AccessKind : uint8_t { Vec, Matrix, MatrixTrans };

constexpr AccessKind allAccessKinds[] = {AccessKind::Vec, AccessKind::Matrix,
                                         AccessKind::MatrixTrans};

/// vec, matrix, matrix.trans.
llvm::StringRef stringifyAccessKind(AccessKind kind);

/// One shared-memory access pattern: a layout as offsets, and the instruction
/// that walks it.
struct Access {
  /// Columns of offset bits per in-dim: the element offset that a register of a
  /// thread has is the xor of its columns.
  Bases addr;
  unsigned bits = 0;
  AccessKind kind = AccessKind::Vec;
  /// Log2 of the elements that one instruction moves from consecutive offsets:
  /// the vector, or the row of a matrix (16 bytes).
  unsigned v = 0;
  /// Register bits that hold different data; the others are copies.
  llvm::SmallVector<unsigned, 16> regs;
  /// Matrix kinds: register masks of the bits packed below 32 bits.
  Vectors half;
  /// Matrix kinds: register masks that pick the matrix, and their offsets.
  Vectors restRegs, rest;
  /// Matrix kinds: offsets of the row bits 0, 1, 2 inside a matrix.
  Vectors rowCols;
  /// Matrix kinds: matrices per instruction (1, 2 or 4).
  unsigned num = 1;
  /// Instructions per warp, and wavefronts of each without conflicts.
  uint64_t instructions = 1, parts = 1;
  /// Word addresses that are served together: lanes and the vector's words.
  Vectors phaseWords;

  /// The access of one kind, if the addresses suit it. `half` is needed for the
  /// matrix kinds only.
  static std::optional<Access> get(const Bases &addr, unsigned bits,
                                   AccessKind kind = AccessKind::Vec,
                                   llvm::ArrayRef<uint32_t> half = {});

  /// Wavefronts per warp. A phase reaches 2^rank(words) words in 2^rank(banks)
  /// banks, evenly.
  uint64_t wavefronts() const;
  /// Wavefronts without bank conflicts.
  uint64_t ideal() const { return instructions * parts; }

private:
  bool setMatrix(llvm::ArrayRef<uint32_t> halfMasks);
  bool setVector();
};

/// A layout through an image given by its columns (offset bit -> tensor), as
/// columns of offset bits. Blocks count relative to those of `blockRef` (by
/// default the layout itself). None if the layout leaves the image.
std::optional<Bases> offsets(llvm::ArrayRef<uint32_t> image,
                             const LinearLayout &layout,
                             const LinearLayout *blockRef = nullptr);

/// Cheapest instruction for a layout on a fixed image, e.g. one that a bulk
/// copy or wgmma dictates. None if no kind suits it.
std::optional<Access>
bestAccess(const LinearLayout &image, const LinearLayout &layout, unsigned bits,
           llvm::ArrayRef<AccessKind> kinds = allAccessKinds);

/// A buffer that is filled from global memory: its lines should hold what
/// follows each other there, or each piece of a line is a transaction.
struct GlobalFill {
  /// How often each of the layout's instructions runs.
  unsigned repeats = 1;
  /// Reading instructions that a filling one is worth: it has an address and a
  /// mask of its own.
  static constexpr unsigned price = 4;
};

/// An image with the pattern that fills it and the pattern that reads it.
struct SharedPlan {
  /// Offset -> coordinates of the tensor (only the block's part of it).
  LinearLayout image;
  Access store, load;
  /// What the store counts beside the load.
  unsigned storeRepeats = 1, storePrice = 1;

  uint64_t wavefronts() const {
    return storeRepeats * store.wavefronts() + load.wavefronts();
  }
  uint64_t instructions() const {
    return uint64_t(storeRepeats) * storePrice * store.instructions +
           load.instructions;
  }
};

/// The image with the fewest wavefronts, then instructions, then distance from
/// plain rows (of a filled buffer: along the axis of the store's first
/// registers). `storeKinds` and `loadKinds` are what the target has (stmatrix
/// needs sm_90, ldmatrix sm_75). bits >= 8. None only if `load` has elements
/// that `store` does not have in the same block.
std::optional<SharedPlan>
swizzle(const LinearLayout &store, const LinearLayout &load, unsigned bits,
        llvm::ArrayRef<AccessKind> storeKinds = {AccessKind::Vec},
        llvm::ArrayRef<AccessKind> loadKinds = {AccessKind::Vec},
        std::optional<GlobalFill> fill = std::nullopt);

} // namespace tilec

#endif // TILEC_LAYOUT_SWIZZLE_H
