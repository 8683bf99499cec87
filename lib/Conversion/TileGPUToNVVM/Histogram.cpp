//===- Histogram.cpp - counting in shared memory --------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The counts lie in shared memory; every thread adds its elements there, one
// atomic instruction each, whatever the number of counts.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "tilec/Analysis/SharedMemory.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

LogicalResult tilec::emitHistogram(Emitter &e, tile::HistogramOp op) {
  OpBuilder &b = e.b;
  Type i32 = b.getI32Type();
  const LinearLayout &from = getLayout(op.getSrc().getType());
  const LinearLayout &to = getLayout(op.getType());
  Value base =
      e.sharedAddress(op->getAttrOfType<IntegerAttr>(kOffsetAttr).getInt());
  auto address = [&](Value place) -> Value {
    return LLVM::GEPOp::create(b, e.loc, base.getType(), i32, base,
                               ArrayRef<LLVM::GEPArg>{place});
  };
  Registers counts;
  for (Value place : e.coordinates(to))
    counts.push_back(address(place));
  Value writer = e.isOwner(to);
  for (Value count : counts)
    e.storeShared(count, e.i32(0), writer);
  e.barrier();

  Value owner = e.isOwner(from);
  ArrayRef<Value> values = e.get(op.getSrc());
  for (auto [i, value] : llvm::enumerate(values)) {
    // Negative numbers are large without their sign.
    Value limit = e.constant(value.getType(), op.getType().getDimSize(0));
    Value counted =
        LLVM::ICmpOp::create(b, e.loc, LLVM::ICmpPredicate::ult, value, limit);
    if (op.getMask())
      counted = bothHold(e, counted, e.get(op.getMask())[i]);
    counted = bothHold(e, counted, owner);
    Value place = value.getType() == i32
                      ? value
                      : Value(LLVM::TruncOp::create(b, e.loc, i32, value));
    Value word = LLVM::PtrToIntOp::create(b, e.loc, i32, address(place));
    e.ptx("@$1 red.shared.add.u32 [$0], 1;", "r,b", {}, {word, counted},
          /*sideEffects=*/true);
  }
  e.barrier();
  Registers result;
  for (Value count : counts)
    result.push_back(e.loadShared(count, i32));
  e.set(op.getResult(), std::move(result));
  return success();
}
