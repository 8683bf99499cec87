//===- Pipeline.cpp - loads iterations ahead ------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A stage is what one iteration loads: the slice of the body that computes its
// addresses and masks, then the copies. Stages 0 to S - 2 are issued before the
// loop, stage i + S - 1 in iteration i, behind its first product. The slice's
// own loop-carried values run ahead with it; what nothing else needs of the old
// ones is dropped.
//
//===----------------------------------------------------------------------===//

#include "Pipeline.h"
#include "mlir/IR/IRMapping.h"
#include "tilec/Analysis/Remarks.h"
#include "tilec/Dialect/TileGPU/Transforms/Passes.h"

using namespace mlir;
using namespace tilec;

namespace tilec::tilegpu {
#define GEN_PASS_DEF_TILEGPUPIPELINEPASS
#include "tilec/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {

/// Rewrites one loop.
class Pipeliner {
public:
  Pipeliner(scf::ForOp loop, MutableArrayRef<Copy> copies, const Slice &slice,
            int64_t stages)
      : loop(loop), copies(copies), slice(slice), stages(stages), b(loop),
        loc(loop.getLoc()) {}

  void run();

private:
  SmallVector<Value> issueStage(Value iv, int64_t ahead, ValueRange carried,
                                Value slot);
  std::pair<Value, Value> getIteration(Value iv, int64_t ahead);
  Value next(Value slot);
  Operation *findFirstProduct();
  void fillBody(scf::ForOp pipelined, const Slice &live);
  void recall(const Copy &copy, Value ring, Value slot, IRMapping &mapping);
  Value i32(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  }

  scf::ForOp loop;
  MutableArrayRef<Copy> copies;
  const Slice &slice;
  int64_t stages;
  OpBuilder b;
  Location loc;
  SmallVector<Value> rings;
};

/// The induction variable a number of iterations later, and whether there is
/// such an iteration. The variable may have wrapped where there is none, so it
/// is not compared itself: the distance to the bound is, as an unsigned number.
std::pair<Value, Value> Pipeliner::getIteration(Value iv, int64_t ahead) {
  using P = arith::CmpIPredicate;
  Value bound = loop.getUpperBound();
  Value exists = arith::CmpIOp::create(b, loc, P::slt, iv, bound);
  if (!ahead)
    return {iv, exists};
  Value count =
      arith::ConstantOp::create(b, loc, b.getIntegerAttr(iv.getType(), ahead));
  Value distance = arith::MulIOp::create(b, loc, loop.getStep(), count);
  Value rest = arith::SubIOp::create(b, loc, bound, iv);
  Value reaches = arith::CmpIOp::create(b, loc, P::ult, distance, rest);
  return {arith::AddIOp::create(b, loc, iv, distance),
          arith::AndIOp::create(b, loc, exists, reaches)};
}

/// The number of the next buffer of a ring.
Value Pipeliner::next(Value slot) {
  Value more = arith::AddIOp::create(b, loc, slot, i32(1));
  Value wraps = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, more,
                                      i32(stages));
  return arith::SelectOp::create(b, loc, wraps, i32(0), more);
}

/// Issues the copies of the iteration `ahead` of that of `iv`, if there is one;
/// returns the slice's loop-carried values for the iteration after it.
SmallVector<Value> Pipeliner::issueStage(Value iv, int64_t ahead,
                                         ValueRange carried, Value slot) {
  auto [iteration, exists] = getIteration(iv, ahead);
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), iteration);
  for (auto [number, value] : llvm::zip(slice.arguments, carried))
    mapping.map(loop.getRegionIterArgs()[number], value);
  for (Operation &op : loop.getBody()->without_terminator())
    if (slice.ops.contains(&op))
      b.clone(op, mapping);
  for (auto [copy, ring] : llvm::zip(copies, rings)) {
    Value pointer = mapping.lookupOrDefault(copy.load.getPtr());
    Value mask = tile::SplatOp::create(
        b, loc, tile::withElementType(pointer.getType(), b.getI1Type()),
        exists);
    if (copy.load.getMask())
      mask = arith::AndIOp::create(
          b, loc, mapping.lookupOrDefault(copy.load.getMask()), mask);
    AsyncCopyOp::create(b, copy.load.getLoc(), pointer, ring, slot, mask,
                        copy.load.getEviction());
  }
  AsyncCommitOp::create(b, loc);
  SmallVector<Value> after;
  for (unsigned number : slice.arguments)
    after.push_back(mapping.lookupOrDefault(loop.getYieldedValues()[number]));
  return after;
}

/// Reads back what a thread has copied, where the load stood.
void Pipeliner::recall(const Copy &copy, Value ring, Value slot,
                       IRMapping &mapping) {
  tile::LoadOp load = copy.load;
  Value value = RecallOp::create(b, load.getLoc(), load.getType(), ring, slot);
  if (Value other = copy.getOther())
    value = arith::SelectOp::create(b, load.getLoc(),
                                    mapping.lookupOrDefault(load.getMask()),
                                    value, mapping.lookupOrDefault(other));
  mapping.map(load.getResult(), value);
}

/// The first operation of the body that multiplies what was copied, if any.
Operation *Pipeliner::findFirstProduct() {
  Operation *first = nullptr;
  for (const Copy &copy : copies) {
    if (!copy.alloc)
      continue;
    for (Operation *dot : copy.alloc->getUsers()) {
      Operation *op = loop.getBody()->findAncestorOpInBlock(*dot);
      if (!first || op->isBeforeInBlock(first))
        first = op;
    }
  }
  return first;
}

/// The body: wait for this iteration's copies, then what the old body did, and
/// in between issue the copies of a later iteration.
void Pipeliner::fillBody(scf::ForOp pipelined, const Slice &live) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(pipelined.getBody());
  ValueRange arguments = pipelined.getRegionIterArgs();
  ValueRange own = arguments.take_front(live.arguments.size());
  ValueRange ahead = arguments.slice(own.size(), slice.arguments.size());
  Value read = arguments[arguments.size() - 2], fill = arguments.back();
  Value iv = pipelined.getInductionVar();

  AsyncWaitOp::create(b, loc, stages - 2);
  if (llvm::any_of(copies, [](const Copy &c) { return c.alloc; }))
    BarrierOp::create(b, loc);
  // The tensor cores wait for whatever stands between the barrier and the first
  // fragments, and hide what follows: the copies come after them.
  Operation *first = findFirstProduct();
  SmallVector<Value> after;
  if (!first)
    after = issueStage(iv, stages - 1, ahead, fill);

  IRMapping mapping;
  mapping.map(loop.getInductionVar(), iv);
  for (auto [number, value] : llvm::zip(live.arguments, own))
    mapping.map(loop.getRegionIterArgs()[number], value);
  for (auto [copy, ring] : llvm::zip(copies, rings))
    if (copy.alloc)
      mapping.map(
          copy.alloc.getResult(),
          SlotOp::create(b, copy.alloc.getLoc(), ring.getType(), ring, read)
              .getResult());
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (live.ops.contains(&op))
      b.clone(op, mapping);
    if (&op == first)
      after = issueStage(iv, stages - 1, ahead, fill);
    for (auto [copy, ring] : llvm::zip(copies, rings))
      if (copy.load == &op && !copy.alloc)
        recall(copy, ring, read, mapping);
  }
  SmallVector<Value> yields;
  for (unsigned number : live.arguments)
    yields.push_back(mapping.lookupOrDefault(loop.getYieldedValues()[number]));
  llvm::append_range(yields, after);
  yields.push_back(next(read));
  yields.push_back(next(fill));
  scf::YieldOp::create(b, loc, yields);
}

void Pipeliner::run() {
  for (Copy &copy : copies)
    rings.push_back(
        RingAllocOp::create(b, copy.load.getLoc(), copy.buffer, stages));
  Slice live = findLive(loop, copies);
  SmallVector<Value> carried, inits;
  for (unsigned number : slice.arguments)
    carried.push_back(loop.getInitArgs()[number]);
  for (int64_t stage = 0; stage < stages - 1; ++stage)
    carried = issueStage(loop.getLowerBound(), stage, carried, i32(stage));
  for (unsigned number : live.arguments)
    inits.push_back(loop.getInitArgs()[number]);
  llvm::append_range(inits, carried);
  inits.push_back(i32(0));
  inits.push_back(i32(stages - 1));
  auto pipelined =
      scf::ForOp::create(b, loc, loop.getLowerBound(), loop.getUpperBound(),
                         loop.getStep(), inits);
  pipelined->setAttrs(loop->getAttrs());
  fillBody(pipelined, live);
  // Buffers may be used for something else from here on.
  AsyncWaitOp::create(b, loc, 0);
  for (auto [i, number] : llvm::enumerate(live.arguments))
    loop.getResult(number).replaceAllUsesWith(pipelined.getResult(i));
  loop.erase();
}

/// Says how far a loop's loads run ahead, and if that is less than asked for.
void explainStages(scf::ForOp loop, size_t copies, int64_t stages,
                   int64_t wanted) {
  if (stages < wanted)
    remarkMissed(loop, kPipelinePass, "stages") << remark::add(
        "{0} stages instead of {1}: shared memory has no room for more; lower "
        "the block sizes",
        std::max<int64_t>(stages, 1), wanted);
  if (stages >= 2)
    remarkPassed(loop, kPipelinePass, "pipelined")
        << remark::add("{0} load{1} run{2} {3} iteration{4} ahead", copies,
                       copies == 1 ? "" : "s", copies == 1 ? "s" : "",
                       stages - 1, stages == 2 ? "" : "s");
}

struct PipelinePass : impl::TileGPUPipelinePassBase<PipelinePass> {
  using TileGPUPipelinePassBase::TileGPUPipelinePassBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    auto attr = func->getAttrOfType<IntegerAttr>(kNumStagesAttr);
    int64_t wanted = attr ? attr.getInt() : 3;
    if (wanted < 2)
      return;
    SmallVector<scf::ForOp> loops;
    // Not loops over the chunks of one tile: what shared memory holds is
    // decided there, and rings beside it would cost a second block.
    func.walk([&](scf::ForOp loop) {
      if (!loop->hasAttr(kIndependentAttr))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops) {
      hoistLoads(loop);
      AxisInfoAnalysis facts(func);
      Slice slice;
      SmallVector<Copy> copies = collectCopies(loop, facts, slice);
      if (copies.empty())
        continue;
      int64_t stages = getStages(func, copies, wanted);
      explainStages(loop, copies.size(), stages, wanted);
      if (stages >= 2)
        Pipeliner(loop, copies, slice, stages).run();
    }
  }
};
} // namespace
} // namespace tilec::tilegpu
