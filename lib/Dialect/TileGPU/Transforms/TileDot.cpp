//===- TileDot.cpp - cuts products into warp tiles and instructions -------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Instruction: tensor cores (PTX ISA, mma.sync) where they compute what the
// operation asks for, multiply-add in each thread otherwise. Warps: see the
// pass's description.
//
//===----------------------------------------------------------------------===//

#include "mlir/Analysis/SliceAnalysis.h"
#include "tilec/Analysis/Architecture.h"
#include "tilec/Analysis/Remarks.h"
#include "tilec/Dialect/TileGPU/Transforms/Passes.h"

using namespace mlir;
using namespace tilec;

namespace tilec::tilegpu {
#define GEN_PASS_DEF_TILEGPUTILEDOTPASS
#include "tilec/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {

/// Do rows of the product have to stay in one warp? Yes when the loop around it
/// reduces them or multiplies with them again.
bool keepsRows(tile::DotOp op) {
  SmallVector<Value> work{op.getResult()};
  llvm::SmallPtrSet<Operation *, 16> seen;
  Block *block = op->getBlock();
  while (!work.empty()) {
    Value value = work.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (user->getBlock() != block || !seen.insert(user).second)
        continue;
      if (auto dot = dyn_cast<tile::DotOp>(user))
        if (use.getOperandNumber() == 0)
          return true;
      if (auto reduce = dyn_cast<tile::ReduceOp>(user))
        if (reduce.getAxis() == 1)
          return true;
      for (Value result : user->getResults())
        if (tile::getShape(result.getType()) == tile::getShape(op.getType()))
          work.push_back(result);
    }
  }
  return false;
}

/// Does the accumulator hold rows that a product before it in the loop reduced
/// (the second product of attention)? Then its rows stay where those are.
bool takesRows(tile::DotOp op) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *o) {
    return o->getBlock() == op->getBlock();
  };
  (void)getBackwardSlice(op.getA(), &slice, options);
  return llvm::any_of(slice, [](Operation *o) { return isa<tile::DotOp>(o); });
}

/// The grid of warps, m x n, for a product of `m` x `n` by instructions of
/// `im` x `in`.
std::pair<int64_t, int64_t> getWarpGrid(int64_t m, int64_t n, int64_t im,
                                        int64_t in, int64_t warps, bool rows) {
  if (rows && m >= im * warps)
    return {warps, 1};
  std::pair<int64_t, int64_t> best{warps, 1};
  int64_t least = std::numeric_limits<int64_t>::max();
  for (int64_t wm = 1; wm <= warps; wm *= 2) {
    int64_t wn = warps / wm;
    // Operand elements that the warps read for each k; warps that find no
    // instruction of their own repeat another's.
    int64_t perM = std::max(im, m / wm), perN = std::max(in, n / wn);
    int64_t cost = warps * (perM + perN);
    if (cost < least)
      std::tie(least, best) = std::make_tuple(cost, std::make_pair(wm, wn));
  }
  return best;
}

/// Says which instruction computes a product, or why none of the tensor cores
/// does.
void explainKind(tile::DotOp op, DotTilingAttr tiling, int64_t depth) {
  constexpr StringLiteral pass = "tilegpu-tile-dot", name = "tensor-cores";
  ArrayRef<int64_t> instruction = tiling.getInstruction();
  if (tiling.getKind() != DotKind::FMA) {
    remarkPassed(op, pass, name)
        << remark::add("tensor cores compute the product by instructions of "
                       "{0}x{1}x{2}, {3} x "
                       "{4} warps",
                       instruction[0], instruction[1], instruction[2],
                       tiling.getWarps()[0], tiling.getWarps()[1]);
    return;
  }
  std::string why;
  llvm::raw_string_ostream stream(why);
  if (depth)
    stream << "K is no multiple of " << depth;
  else
    stream << "no instruction multiplies "
           << getElementTypeOrSelf(op.getA().getType()) << " by "
           << getElementTypeOrSelf(op.getB().getType()) << " into "
           << getElementTypeOrSelf(op.getC().getType()) << " with precision "
           << tile::stringifyDotPrecision(op.getPrecision());
  remarkMissed(op, pass, name)
      << remark::add("threads multiply and add without tensor cores: {0}", why);
}

struct TileDotPass : impl::TileGPUTileDotPassBase<TileDotPass> {
  using TileGPUTileDotPassBase::TileGPUTileDotPassBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    FailureOr<int64_t> numWarps = getNumWarps(func);
    if (failed(numWarps))
      return signalPassFailure();
    func.walk([&](tile::DotOp op) {
      auto c = cast<RankedTensorType>(op.getType());
      if (c.getRank() != 2)
        return;
      int64_t m = c.getDimSize(0), n = c.getDimSize(1);
      int64_t k = cast<RankedTensorType>(op.getA().getType()).getDimSize(1);
      int64_t depth = getTensorCoreDepth(
          getElementTypeOrSelf(op.getA().getType()), op.getPrecision());
      DotKind kind = depth && k % depth == 0 ? DotKind::MMA : DotKind::FMA;
      SmallVector<int64_t> instruction{16, 8, depth};
      if (kind == DotKind::FMA)
        instruction = {4, 4, 1};
      auto [wm, wn] =
          getWarpGrid(m, n, instruction[0], instruction[1], *numWarps,
                      kind == DotKind::MMA && (keepsRows(op) || takesRows(op)));
      auto tiling =
          DotTilingAttr::get(&getContext(), kind, {wm, wn}, instruction);
      op->setAttr(kTilingAttr, tiling);
      explainKind(op, tiling, depth);
    });
  }
};
} // namespace
} // namespace tilec::tilegpu
