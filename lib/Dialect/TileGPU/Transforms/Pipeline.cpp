//===- Pipeline.cpp - loads iterations ahead ------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A stage is what one iteration loads: the slice of the body that computes its
// addresses and masks, then the copies. Stages 0 to S - 2 are issued before the
// loop, stage i + S - 1 in iteration i. The slice's own loop-carried values run
// ahead with it; what nothing else needs of the old ones is dropped.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "tilec/Analysis/Alias.h"
#include "tilec/Analysis/Architecture.h"
#include "tilec/Analysis/AsyncCopy.h"
#include "tilec/Analysis/Remarks.h"
#include "tilec/Analysis/SharedMemory.h"
#include "tilec/Dialect/TileGPU/Transforms/Passes.h"

using namespace mlir;
using namespace tilec;

namespace tilec::tilegpu {
#define GEN_PASS_DEF_TILEGPUPIPELINEPASS
#include "tilec/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {

/// The pass's name in remarks.
constexpr StringLiteral kPass = "tilegpu-pipeline";

/// A load that becomes a copy, and the type of what it fills.
struct Copy {
  tile::LoadOp load;
  MemDescType buffer;
  /// The buffer that the load filled for products. Null if threads want the
  /// tile in registers: each reads back what it has copied itself.
  LocalAllocOp alloc;

  /// What a thread finds where the mask is false, if that is not zero.
  Value getOther() const;
  bool isPartOf(Operation *op) const { return op == load || op == alloc; }
};

/// What is computed ahead: operations of the body, and loop-carried values by
/// number.
struct Slice {
  llvm::SmallPtrSet<Operation *, 16> ops;
  llvm::SmallSetVector<unsigned, 8> arguments;
};

//===----------------------------------------------------------------------===//
// Analysis
//===----------------------------------------------------------------------===//

/// Adds to the slice all that `value` is computed from in the loop; false if
/// that reads memory or has other effects.
bool addToSlice(scf::ForOp loop, Value value, Slice &slice) {
  SmallVector<Value> work{value};
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (argument.getOwner() != loop.getBody() ||
          argument == loop.getInductionVar())
        continue;
      unsigned number = argument.getArgNumber() - 1;
      if (slice.arguments.insert(number))
        work.push_back(loop.getYieldedValues()[number]);
      continue;
    }
    Operation *op = next.getDefiningOp();
    if (op->getBlock() != loop.getBody() || slice.ops.contains(op))
      continue;
    if (!isPure(op) || op->getNumRegions())
      return false;
    slice.ops.insert(op);
    llvm::append_range(work, op->getOperands());
  }
  return true;
}

/// May the loop change what lies at this address, or order accesses to it?
bool mayBeWritten(scf::ForOp loop, Value pointer) {
  Value base = getMemoryBase(pointer);
  if (!base)
    return true;
  WalkResult result = loop.walk([&](Operation *op) {
    Value written;
    if (auto store = dyn_cast<tile::StoreOp>(op))
      written = store.getPtr();
    else if (!isa<tile::LoadOp, tile::PrintOp, tile::AssertOp>(op) &&
             !isa_and_nonnull<TileGPUDialect>(op->getDialect()) &&
             !op->getNumRegions() && !isMemoryEffectFree(op))
      return WalkResult::interrupt();
    if (!written)
      return WalkResult::advance();
    Value other = getMemoryBase(written);
    return !other || other == base ? WalkResult::interrupt()
                                   : WalkResult::advance();
  });
  return result.wasInterrupted();
}

Value Copy::getOther() const {
  Value other = tile::LoadOp(load).getOther();
  if (!other || matchPattern(other, m_PosZeroFloat()) ||
      matchPattern(other, m_Zero()))
    return {};
  return other;
}

/// A buffer in which threads find their own elements of a tile again. None if
/// several hold the same: only one of them copies.
MemDescType getOwnBuffer(RankedTensorType tile) {
  const LinearLayout &layout = getLayout(tile);
  Type element = tile.getElementType();
  if (!hasOneOwner(layout) || getBits(element) > 64 || element.isInteger(1))
    return {};
  return getOwnBufferType(tile.getShape(), element, layout);
}

/// The load as a copy; none, and `why`, if it cannot be one.
std::optional<Copy> getCopy(scf::ForOp loop, tile::LoadOp load,
                            const AxisInfoAnalysis &facts, StringRef &why) {
  auto tile = dyn_cast<RankedTensorType>(load.getType());
  if (!tile || load.use_empty())
    return std::nullopt;
  Copy copy{load, {}, {}};
  auto alloc = load->hasOneUse() ? dyn_cast<LocalAllocOp>(*load->user_begin())
                                 : LocalAllocOp();
  if (alloc && alloc->getBlock() == loop.getBody() && !copy.getOther() &&
      llvm::all_of(alloc->getUsers(),
                   [](Operation *op) { return isa<DotOp>(op); })) {
    copy.alloc = alloc;
    copy.buffer = alloc.getType();
  } else {
    copy.buffer = getOwnBuffer(tile);
  }
  if (!copy.buffer)
    why = "several threads hold the same elements";
  else if (load.getIsVolatile() || load.getCache() != tile::CacheModifier::None)
    why = "it is volatile or has a cache modifier";
  else if (!planAsyncCopy(facts, load.getPtr(), load.getMask(), copy.buffer))
    why = "an instruction would copy less than 4 bytes";
  else if (mayBeWritten(loop, load.getPtr()))
    why = "the loop may write what it loads, or has atomics or barriers";
  else
    return copy;
  return std::nullopt;
}

/// Adds to `ops` what computes `value` in `block`; false if that is not pure.
bool addPure(Block *block, Value value, llvm::SetVector<Operation *> &ops) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != block || ops.contains(op))
    return true;
  if (!isPure(op) || op->getNumRegions() ||
      !llvm::all_of(op->getOperands(),
                    [&](Value v) { return addPure(block, v, ops); }))
    return false;
  ops.insert(op);
  return true;
}

/// Loads in branches of the loop that can be copies come to its body, masked by
/// the branch's condition.
void hoistLoads(scf::ForOp loop) {
  auto branches = llvm::to_vector(loop.getBody()->getOps<scf::IfOp>());
  if (branches.empty())
    return;
  AxisInfoAnalysis facts(loop->getParentOfType<func::FuncOp>());
  for (scf::IfOp branch : branches)
    for (auto load :
         llvm::to_vector(branch.thenBlock()->getOps<tile::LoadOp>())) {
      StringRef why;
      llvm::SetVector<Operation *> ops;
      Block *block = branch.thenBlock();
      if (!getCopy(loop, load, facts, why) ||
          !addPure(block, load.getPtr(), ops) ||
          (load.getMask() && !addPure(block, load.getMask(), ops)) ||
          (load.getOther() && !addPure(block, load.getOther(), ops)))
        continue;
      for (Operation *op : ops)
        op->moveBefore(branch);
      OpBuilder b(branch);
      Value mask = tile::SplatOp::create(
          b, load.getLoc(),
          tile::withElementType(load.getPtr().getType(), b.getI1Type()),
          branch.getCondition());
      if (load.getMask())
        mask = arith::AndIOp::create(b, load.getLoc(), load.getMask(), mask);
      load->moveBefore(branch);
      load.getMaskMutable().assign(mask);
    }
}

/// The copies of a loop, and what their addresses and masks need.
SmallVector<Copy> collect(scf::ForOp loop, const AxisInfoAnalysis &facts,
                          Slice &slice) {
  SmallVector<Copy> copies;
  for (auto load : loop.getBody()->getOps<tile::LoadOp>()) {
    StringRef why = "its address or mask depends on what the loop loads";
    std::optional<Copy> copy = getCopy(loop, load, facts, why);
    Slice grown = slice;
    if (copy && addToSlice(loop, load.getPtr(), grown) &&
        (!load.getMask() || addToSlice(loop, load.getMask(), grown))) {
      slice = grown;
      copies.push_back(*copy);
    } else if (isa<RankedTensorType>(load.getType())) {
      remarkMissed(load, kPass, "pipelined")
          << remark::add("the load waits in each iteration: {0}", why);
    }
  }
  return copies;
}

/// As many stages as asked for, or as fit beside what else is in shared memory.
int64_t getStages(func::FuncOp func, ArrayRef<Copy> copies, int64_t stages) {
  const Architecture *arch = getArchitecture(func);
  if (!arch)
    return stages;
  int64_t stage = 0, others = 0, scratch = 0;
  for (const Copy &copy : copies)
    stage += getBufferBytes(copy.buffer);
  func.walk([&](Operation *op) {
    bool own =
        llvm::any_of(copies, [&](const Copy &c) { return c.isPartOf(op); });
    if (isa<LocalAllocOp, RingAllocOp>(op) && !own)
      others += getSharedBytes(op);
    else if (!own && op->getParentOp() != func)
      scratch = std::max(scratch, getSharedBytes(op));
  });
  int64_t room = int64_t(arch->sharedBytes) - others - scratch;
  // Copies that feed no product are there to keep the memory busy, which a
  // second block does too.
  if (llvm::none_of(copies, [](const Copy &c) { return c.alloc; }))
    room /= 2;
  return std::min(stages, room / stage);
}

/// What the loop still computes for itself once the copies are gone:
/// operations, and loop-carried values.
Slice findLive(scf::ForOp loop, ArrayRef<Copy> copies) {
  Slice live;
  SmallVector<Value> work;
  auto isCopy = [&](Operation *op) {
    return llvm::any_of(copies, [&](const Copy &c) { return c.isPartOf(op); });
  };
  for (Operation &op : loop.getBody()->without_terminator())
    if (!isCopy(&op) && (!isPure(&op) || op.getNumRegions())) {
      live.ops.insert(&op);
      op.walk([&](Operation *nested) {
        llvm::append_range(work, nested->getOperands());
      });
    }
  for (auto [i, result] : llvm::enumerate(loop.getResults()))
    if (!result.use_empty() && live.arguments.insert(i))
      work.push_back(loop.getYieldedValues()[i]);
  for (const Copy &copy : copies)
    if (Value other = copy.getOther())
      work.append({other, tile::LoadOp(copy.load).getMask()});
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      unsigned number = argument.getArgNumber();
      if (argument.getOwner() == loop.getBody() && number > 0 &&
          live.arguments.insert(number - 1))
        work.push_back(loop.getYieldedValues()[number - 1]);
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (op->getBlock() == loop.getBody() && !isCopy(op) &&
        live.ops.insert(op).second)
      llvm::append_range(work, op->getOperands());
  }
  return live;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

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

/// The body: wait for this iteration's copies, issue those of a later one, then
/// what the old body did.
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
  SmallVector<Value> after = issueStage(iv, stages - 1, ahead, fill);

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
    remarkMissed(loop, kPass, "stages") << remark::add(
        "{0} stages instead of {1}: shared memory has no room for more; lower "
        "the block sizes",
        std::max<int64_t>(stages, 1), wanted);
  if (stages >= 2)
    remarkPassed(loop, kPass, "pipelined")
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
      SmallVector<Copy> copies = collect(loop, facts, slice);
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
