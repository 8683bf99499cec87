//===- Constructors.h - Named layouts -------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Register layouts of the machine's instructions and of memory accesses, and
// images of shared memory. All sizes are powers of two (`padded` rounds up);
// element sizes `bits` are powers of two.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LAYOUT_CONSTRUCTORS_H
#define TILEC_LAYOUT_CONSTRUCTORS_H

#include "tilec/Layout/LinearLayout.h"

namespace tilec {

/// Takes the next `bits` unused bits of an axis for an in-dim. Past the end of
/// the axis, or without an axis, the columns are zero (copies).
struct LayoutStep {
  InDim dim;
  std::optional<unsigned> axis;
  unsigned bits;
};

/// Takes the TOP `bits` of an axis for the block in-dim; without an axis every
/// block of the cluster holds the same.
struct BlockStep {
  std::optional<unsigned> axis;
  unsigned bits;
};

/// A grid of warps along m and n; the warp index is m + warps.m * n.
struct WarpGrid {
  unsigned m = 1, n = 1;
};

/// The constructor behind all register layouts: the steps in order, then the
/// axes of `rest`, fastest first, whose unused bits go to registers.
LinearLayout fromSteps(llvm::ArrayRef<int64_t> shape,
                       llvm::ArrayRef<LayoutStep> steps,
                       llvm::ArrayRef<unsigned> rest = {},
                       llvm::ArrayRef<BlockStep> block = {});

/// Thread tile, then lanes, then warps, each laid out in `order` (fastest axis
/// first); what is left of the shape repeats in registers. Where the shape is
/// smaller than the tile the high bits are copies.
LinearLayout
blocked(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> sizePerThread,
        llvm::ArrayRef<int64_t> threadsPerWarp, llvm::ArrayRef<int64_t> warps,
        llvm::ArrayRef<unsigned> order, llvm::ArrayRef<BlockStep> block = {});

/// Blocked layout for a global access. contiguity[a]: proven run of consecutive
/// addresses along axis a, in elements; divisibility[a]: bytes that divide the
/// address where the run starts. Ragged shapes are padded.
LinearLayout coalesced(llvm::ArrayRef<int64_t> shape, unsigned bits,
                       int64_t warps, llvm::ArrayRef<int64_t> contiguity,
                       llvm::ArrayRef<int64_t> divisibility,
                       llvm::ArrayRef<BlockStep> block = {});

//===-- Fragments of matrix instructions ----------------------------------===//

/// Accumulator (axes m, n) of mma.sync m16n8 of any type, and of wgmma m64nN
/// with warps = (4 * groups along m, groups along n).
LinearLayout mmaC(llvm::ArrayRef<int64_t> shape, WarpGrid warps = {},
                  llvm::ArrayRef<BlockStep> block = {});

/// A fragment (axes m, k) of mma.sync m16n8k(256/bits), and of wgmma with A in
/// registers (warps.m a multiple of 4). bits: 32 (tf32), 16 or 8.
LinearLayout mmaA(llvm::ArrayRef<int64_t> shape, unsigned bits,
                  WarpGrid warps = {}, llvm::ArrayRef<BlockStep> block = {});

/// B fragment (axes k, n) of mma.sync.
LinearLayout mmaB(llvm::ArrayRef<int64_t> shape, unsigned bits,
                  WarpGrid warps = {}, llvm::ArrayRef<BlockStep> block = {});

/// Accumulator of wgmma m64n<instrN>: the four warps of a group take m, the
/// instruction's n is in registers, then groups (m fastest), then repeats (n,
/// m). instrN need not be a power of two: the layout is padded.
LinearLayout wgmmaAcc(llvm::ArrayRef<int64_t> shape, int64_t instrN,
                      WarpGrid groups = {},
                      llvm::ArrayRef<BlockStep> block = {});

/// What a lane gets from ldmatrix.x<num> of 16-bit elements (or gives to
/// stmatrix): (register = half | matrix << 1, lane) -> (matrix, row, column).
LinearLayout ldmatrixFragment(unsigned num, bool trans = false);

/// The 16-byte row that a lane must point at: (register = element inside the
/// row, lane) -> (matrix, row, column). Lanes past 8 * num are ignored.
LinearLayout ldmatrixRows(unsigned num);

//===-- Images of shared memory -------------------------------------------===//

/// Unswizzled: offset in elements -> coordinates, fastest axis first.
LinearLayout sharedLinear(llvm::ArrayRef<int64_t> shape,
                          llvm::ArrayRef<unsigned> order);

/// Byte address bits dst .. dst+count-1 are xored with bits src ..
/// src+count-1 (self-inverse).
LinearLayout xorSwizzle(const LinearLayout &image, unsigned bits,
                        unsigned count, unsigned src = 7, unsigned dst = 4);

/// Can `sharedTma` make this image: are the rows at least one swizzle wide?
bool fitsSharedTma(llvm::ArrayRef<int64_t> shape, unsigned bits,
                   unsigned swizzle, unsigned inner);

/// The image that a bulk tensor copy writes and wgmma reads: panels of
/// `swizzle` (128, 64 or 32) bytes of the inner axis, the other axis as rows at
/// that pitch, panel after panel; then byte address ^= ((address >> 7) &
/// (swizzle / 16 - 1)) << 4. The base must be 1024-byte aligned.
LinearLayout sharedTma(llvm::ArrayRef<int64_t> shape, unsigned bits,
                       unsigned swizzle, unsigned inner);

/// wgmma without swizzle: 8 x 16-byte core matrices with the inner axis inside;
/// the next core along the other axis, then along the inner axis.
LinearLayout sharedCore(llvm::ArrayRef<int64_t> shape, unsigned bits,
                        unsigned inner);

/// The image of (vec, perPhase, maxPhase): chunk index (of vec elements) ^=
/// (row / perPhase) % maxPhase, rows of the fastest axis.
LinearLayout sharedPhase(llvm::ArrayRef<int64_t> shape,
                         llvm::ArrayRef<unsigned> order, unsigned vec,
                         unsigned perPhase, unsigned maxPhase);

//===-- Shapes that are not powers of two ---------------------------------===//

/// Every axis rounded up to a power of two; coordinates past the real size are
/// masked.
LinearLayout::Shape padded(llvm::ArrayRef<int64_t> shape);

/// Registers whose element lies outside the real shape in every thread: they
/// are never materialised. For distributed layouts, where a register's own
/// coordinate is the least over lanes and warps.
llvm::SmallVector<uint32_t> deadRegisters(const LinearLayout &layout,
                                          llvm::ArrayRef<int64_t> real);

} // namespace tilec

#endif // TILEC_LAYOUT_CONSTRUCTORS_H
