//===- SplitBatches.cpp - products of batches as a loop of products -------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A batch of matrices is one tall matrix, of which `tile.gather` takes the rows
// of one; the accumulator gets its rows back by a selection.
//
//===----------------------------------------------------------------------===//

#include "Utils.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "tilec/Dialect/Tile/Transforms/Passes.h"

namespace tilec::tile {
#define GEN_PASS_DEF_TILESPLITBATCHESPASS
#include "tilec/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tilec::tile

using namespace mlir;
using namespace tilec::tile;

namespace {
/// Rewrites one product.
class Splitter {
public:
  explicit Splitter(DotOp op) : op(op), b(op), loc(op.getLoc()) {}

  void run() {
    auto type = cast<RankedTensorType>(op.getType());
    int64_t batches = type.getDimSize(0);
    if (batches == 1) {
      Value product =
          multiply(flatten(op.getA()), flatten(op.getB()), flatten(op.getC()));
      op.replaceAllUsesWith(Value(ReshapeOp::create(b, loc, type, product)));
      return op.erase();
    }
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
    };
    Value a = flatten(op.getA()), other = flatten(op.getB());
    auto loop = scf::ForOp::create(b, loc, number(0), number(batches),
                                   number(1), ValueRange(op.getC()));
    b.setInsertionPointToStart(loop.getBody());
    Value batch = loop.getInductionVar(), all = loop.getRegionIterArg(0);
    auto row = RankedTensorType::get(type.getShape().drop_front(),
                                     type.getElementType());
    Value sum =
        isZero(op.getC())
            ? Value(arith::ConstantOp::create(b, loc, b.getZeroAttr(row)))
            : take(flatten(all), batch, row.getDimSize(0));
    Value product =
        multiply(take(a, batch, getShape(op.getA().getType())[1]),
                 take(other, batch, getShape(op.getB().getType())[1]), sum);
    scf::YieldOp::create(b, loc, put(product, batch, all));
    op.replaceAllUsesWith(loop.getResult(0));
    op.erase();
  }

private:
  Value multiply(Value x, Value y, Value sum) {
    return DotOp::create(b, loc, sum.getType(), x, y, sum, op.getPrecision());
  }

  /// The matrices of a batch one below the other.
  Value flatten(Value batch) {
    auto type = cast<RankedTensorType>(batch.getType());
    SmallVector<int64_t> shape{type.getDimSize(0) * type.getDimSize(1),
                               type.getDimSize(2)};
    return ReshapeOp::create(
        b, loc, RankedTensorType::get(shape, type.getElementType()), batch);
  }

  /// The places along `axis` as a tile of `shape`.
  Value count(ArrayRef<int64_t> shape, unsigned axis) {
    auto line = RankedTensorType::get({shape[axis]}, b.getI32Type());
    Value places =
        ArangeOp::create(b, loc, line, 0, static_cast<uint32_t>(shape[axis]));
    return spread(b, loc, places, shape, axis);
  }
  Value repeat(Value scalar, ArrayRef<int64_t> shape) {
    return SplatOp::create(
        b, loc, RankedTensorType::get(shape, scalar.getType()), scalar);
  }

  /// Matrix number `batch`, of `rows` rows.
  Value take(Value all, Value batch, int64_t rows) {
    auto type = cast<RankedTensorType>(all.getType());
    SmallVector<int64_t> shape{rows, type.getDimSize(1)};
    Value height = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(rows));
    Value first = arith::MulIOp::create(b, loc, batch, height);
    Value index =
        arith::AddIOp::create(b, loc, repeat(first, shape), count(shape, 0));
    return GatherOp::create(b, loc,
                            RankedTensorType::get(shape, type.getElementType()),
                            all, index, uint32_t(0));
  }

  /// `all` with another matrix number `batch`.
  Value put(Value matrix, Value batch, Value all) {
    auto type = cast<RankedTensorType>(all.getType());
    SmallVector<int64_t> one(type.getShape());
    one[0] = 1;
    Value wide = ExpandDimsOp::create(
        b, loc, RankedTensorType::get(one, type.getElementType()), matrix,
        uint32_t(0));
    wide = BroadcastOp::create(b, loc, type, wide);
    Value hit = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                      count(type.getShape(), 0),
                                      repeat(batch, type.getShape()));
    return arith::SelectOp::create(b, loc, hit, wide, all);
  }

  DotOp op;
  OpBuilder b;
  Location loc;
};

/// The pass of Passes.td.
struct TileSplitBatchesPass
    : tilec::tile::impl::TileSplitBatchesPassBase<TileSplitBatchesPass> {
  void runOnOperation() override {
    SmallVector<DotOp> products;
    getOperation()->walk([&](DotOp op) {
      if (getShape(op.getType()).size() == 3)
        products.push_back(op);
    });
    for (DotOp op : products)
      Splitter(op).run();
  }
};
} // namespace
