//===- FuseDotAccumulate.cpp - a dot adds to a sum by itself --------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The textbook writes `acc += dot(a, b)`; matrix units add to an accumulator
// for nothing. The dot moves down to the addition, since the other summand may
// be computed between the two, but never into another block: a loop around the
// addition alone would then repeat the dot.
//
//===----------------------------------------------------------------------===//

#include "Utils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tilec/Analysis/Remarks.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "tilec/Dialect/Tile/Transforms/Passes.h"
#include "tilec/Dialect/Tile/Transforms/Transforms.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEFUSEDOTACCUMULATEPASS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

/// The pass's name in remarks.
static constexpr StringLiteral kPass = "tile-fuse-dot-accumulate";

/// The dot that computes `value` for this addition alone, from a zero
/// accumulator.
static DotOp getFreeDot(Value value, Operation *addition) {
  auto dot = value.getDefiningOp<DotOp>();
  if (!dot || !dot->hasOneUse() || dot->getBlock() != addition->getBlock())
    return {};
  return isZero(dot.getC()) ? dot : DotOp();
}

namespace {
/// `x + dot(a, b, 0)`, in either order, is `dot(a, b, x)`.
template <typename AddOp>
struct FuseIntoAccumulator : OpRewritePattern<AddOp> {
  using OpRewritePattern<AddOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp op,
                                PatternRewriter &rewriter) const override {
    DotOp dot = getFreeDot(op.getLhs(), op);
    Value summand = op.getRhs();
    if (!dot) {
      dot = getFreeDot(op.getRhs(), op);
      summand = op.getLhs();
    }
    if (!dot)
      return rewriter.notifyMatchFailure(op,
                                         "adds no dot that starts from zero");
    tilec::remarkPassed(op, kPass, "fused")
        << remark::add("the matrix product adds to the sum by itself");
    auto fused = cast<DotOp>(rewriter.clone(*dot));
    rewriter.modifyOpInPlace(fused,
                             [&] { fused.getCMutable().assign(summand); });
    rewriter.replaceOp(op, fused);
    rewriter.eraseOp(dot);
    return success();
  }
};

/// Says why a sum that is left adds a product by itself.
static void explain(Operation *sum) {
  for (Value operand : sum->getOperands()) {
    auto dot = operand.getDefiningOp<DotOp>();
    if (!dot)
      continue;
    StringRef why = !dot->hasOneUse() ? "the product has other uses"
                    : dot->getBlock() != sum->getBlock()
                        ? "the product is computed in another block"
                        : "the product starts from another sum than zero";
    tilec::remarkMissed(sum, kPass, "fused")
        << remark::add("the sum stays apart from the matrix product: {0}", why);
  }
}

/// The pass of Passes.td.
struct TileFuseDotAccumulatePass
    : tilec::tile::impl::TileFuseDotAccumulatePassBase<
          TileFuseDotAccumulatePass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateFuseDotAccumulatePatterns(patterns);
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
    getOperation()->walk([](Operation *op) {
      if (isa<arith::AddFOp, arith::AddIOp>(op))
        explain(op);
    });
  }
};
} // namespace

void tilec::tile::populateFuseDotAccumulatePatterns(
    RewritePatternSet &patterns) {
  patterns.add<FuseIntoAccumulator<arith::AddFOp>,
               FuseIntoAccumulator<arith::AddIOp>>(patterns.getContext());
}
