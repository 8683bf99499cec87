//===- PipelinePlan.cpp - which loads run ahead, and how far --------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Pipeline.h"
#include "mlir/IR/Matchers.h"
#include "tilec/Analysis/Alias.h"
#include "tilec/Analysis/Architecture.h"
#include "tilec/Analysis/AsyncCopy.h"
#include "tilec/Analysis/Remarks.h"
#include "tilec/Analysis/SharedMemory.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// Adds to the slice all that `value` is computed from in the loop; false if
/// that reads memory or has other effects.
static bool addToSlice(scf::ForOp loop, Value value, Slice &slice) {
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
static bool mayBeWritten(scf::ForOp loop, Value pointer) {
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
static MemDescType getOwnBuffer(RankedTensorType tile) {
  const LinearLayout &layout = getLayout(tile);
  Type element = tile.getElementType();
  if (!hasOneOwner(layout) || getBits(element) > 64 || element.isInteger(1))
    return {};
  return getOwnBufferType(tile.getShape(), element, layout);
}

/// The load as a copy; none, and `why`, if it cannot be one.
static std::optional<Copy> getCopy(scf::ForOp loop, tile::LoadOp load,
                                   const AxisInfoAnalysis &facts,
                                   StringRef &why) {
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
static bool addPure(Block *block, Value value,
                    llvm::SetVector<Operation *> &ops) {
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

void tilec::tilegpu::hoistLoads(scf::ForOp loop) {
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

SmallVector<Copy> tilec::tilegpu::collectCopies(scf::ForOp loop,
                                                const AxisInfoAnalysis &facts,
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
      remarkMissed(load, kPipelinePass, "pipelined")
          << remark::add("the load waits in each iteration: {0}", why);
    }
  }
  return copies;
}

int64_t tilec::tilegpu::getStages(func::FuncOp func, ArrayRef<Copy> copies,
                                  int64_t stages) {
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

Slice tilec::tilegpu::findLive(scf::ForOp loop, ArrayRef<Copy> copies) {
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
