//===- FuseMultiplyAdd.cpp - multiply and add with one rounding -----------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Contraction changes results, so it is done here, once, in the open: the
// interpreter and the GPU both compute the `math.fma` that this leaves, and
// code generation runs with contraction off.
//
//===----------------------------------------------------------------------===//

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tilec/Analysis/Remarks.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "tilec/Dialect/Tile/Transforms/Passes.h"
#include "tilec/Dialect/Tile/Transforms/Transforms.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILEFUSEMULTIPLYADDPASS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

/// The pass's name in remarks.
static constexpr StringLiteral kPass = "tile-fuse-multiply-add";

/// The product that is computed for this sum alone, if `value` is one.
static arith::MulFOp getFreeProduct(Value value, Operation *sum) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!product || !product->hasOneUse() ||
      product->getBlock() != sum->getBlock())
    return {};
  Type element = getElementType(value.getType());
  if (!isa<Float16Type, Float32Type, Float64Type>(element))
    return {};
  return product;
}

namespace {
/// A product in a sum or difference, on either side; the left one if both are.
template <typename SumOp>
struct FuseProduct : OpRewritePattern<SumOp> {
  using OpRewritePattern<SumOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(SumOp op,
                                PatternRewriter &rewriter) const override {
    constexpr bool isDifference = std::is_same_v<SumOp, arith::SubFOp>;
    Location loc = op.getLoc();
    auto negated = [&](Value value) -> Value {
      return arith::NegFOp::create(rewriter, loc, value);
    };
    arith::MulFOp product = getFreeProduct(op.getLhs(), op);
    Value factor, summand;
    if (product) { // a * b + c, a * b - c
      factor = product.getLhs();
      summand = isDifference ? negated(op.getRhs()) : op.getRhs();
    } else if ((product =
                    getFreeProduct(op.getRhs(), op))) { // c + a * b, c - a * b
      factor = isDifference ? negated(product.getLhs()) : product.getLhs();
      summand = op.getLhs();
    } else {
      return rewriter.notifyMatchFailure(op, "no product to join with");
    }
    tilec::remarkPassed(op, kPass, "fused")
        << remark::add("the product and the sum are one operation");
    rewriter.replaceOpWithNewOp<math::FmaOp>(op, factor, product.getRhs(),
                                             summand);
    rewriter.eraseOp(product);
    return success();
  }
};

/// Says why a sum that is left adds a product by itself.
static void explain(Operation *sum) {
  for (Value operand : sum->getOperands()) {
    auto product = operand.getDefiningOp<arith::MulFOp>();
    if (!product)
      continue;
    std::string why = "the product is computed in another block";
    if (!product->hasOneUse())
      why = "the product has other uses";
    else if (product->getBlock() == sum->getBlock())
      llvm::raw_string_ostream(why = "there is no such instruction for ")
          << getElementType(product.getType());
    tilec::remarkMissed(sum, kPass, "fused")
        << remark::add("the product and the sum are rounded apart: {0}", why);
  }
}

/// The pass of Passes.td.
struct TileFuseMultiplyAddPass
    : tilec::tile::impl::TileFuseMultiplyAddPassBase<TileFuseMultiplyAddPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateFuseMultiplyAddPatterns(patterns);
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
    getOperation()->walk([](Operation *op) {
      if (isa<arith::AddFOp, arith::SubFOp>(op))
        explain(op);
    });
  }
};
} // namespace

void tilec::tile::populateFuseMultiplyAddPatterns(RewritePatternSet &patterns) {
  patterns.add<FuseProduct<arith::AddFOp>, FuseProduct<arith::SubFOp>>(
      patterns.getContext());
}
