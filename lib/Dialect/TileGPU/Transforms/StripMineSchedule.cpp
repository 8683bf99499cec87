//===- StripMineSchedule.cpp - the order of loops over chunks -------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A reduction that ends the axis is known after its loop, so who uses it comes
// later. A load is done again in each loop that wants it, which nothing may
// notice: accesses that may meet in memory keep the order of the program.
//
//===----------------------------------------------------------------------===//

#include "StripMine.h"
#include "tilec/Analysis/Alias.h"
#include "tilec/Analysis/SharedMemory.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

namespace {

/// One access to memory.
struct MemoryAccess {
  Operation *op;
  /// The kernel's argument that the address comes from; null if unknown.
  Value base;
  /// The address itself; null if it is not one value.
  Value pointer;
  bool write;
};

class Scheduler {
public:
  Scheduler(StripMinePlan &plan, const CheapValues &cheap)
      : plan(plan), cheap(cheap) {}
  LogicalResult run();

private:
  using Step = StripMinePlan::Step;

  void addSlice(Operation *op, llvm::SetVector<Operation *> &slice);
  void follow(SmallVector<Value> values, bool inLoop, unsigned &time);
  LogicalResult followNested(Operation *op, unsigned &time);
  LogicalResult orderMemory(Step &step, ArrayRef<MemoryAccess> accesses);
  bool sameLoopAllows(const MemoryAccess &a, const MemoryAccess &b,
                      bool inLoop) const;
  void findKept();
  bool needs(Operation *op, Operation *target, Operation *through) const;
  void replace(StripMinePlan::Kept &kept);

  StripMinePlan &plan;
  const CheapValues &cheap;
  /// When the results of an operation at an even time, or of a reduction that
  /// ends the axis, are there.
  llvm::DenseMap<Operation *, unsigned> times;
  std::vector<std::pair<unsigned, SmallVector<MemoryAccess>>> done;
};

/// The accesses of one operation with everything inside it.
void collectAccesses(Operation *op, SmallVectorImpl<MemoryAccess> &accesses) {
  if (isa<tile::AssumeOp, tile::AssertOp>(op) || isMemoryEffectFree(op))
    return;
  if (auto load = dyn_cast<tile::LoadOp>(op); load && !isPerformedOnce(load)) {
    accesses.push_back(
        {op, getMemoryBase(load.getPtr()), load.getPtr(), false});
  } else if (auto store = dyn_cast<tile::StoreOp>(op)) {
    accesses.push_back(
        {op, getMemoryBase(store.getPtr()), store.getPtr(), true});
  } else if (auto rmw = dyn_cast<tile::AtomicRMWOp>(op);
             rmw && rmw.getOrder() == tile::MemOrder::Relaxed) {
    accesses.push_back({op, getMemoryBase(rmw.getPtr()), Value(), true});
  } else {
    // Loops, barriers, atomics that order: they may touch anything.
    accesses.push_back({op, Value(), Value(), true});
  }
}

bool mayConflict(const MemoryAccess &a, const MemoryAccess &b) {
  return a.op != b.op && (a.write || b.write) &&
         !(a.base && b.base && a.base != b.base);
}

} // namespace

/// The operations along the axis that `op` needs in its own loop.
void Scheduler::addSlice(Operation *op, llvm::SetVector<Operation *> &slice) {
  if (!slice.insert(op))
    return;
  for (Value operand : op->getOperands())
    if (Operation *source = plan.getMember(operand))
      addSlice(source, slice);
}

/// Raises `time` to when the values are there. Cheap values are computed at any
/// time, once what they are made of is there.
void Scheduler::follow(SmallVector<Value> values, bool inLoop, unsigned &time) {
  llvm::DenseSet<Value> seen;
  while (!values.empty()) {
    Value value = values.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != plan.block || !seen.insert(value).second)
      continue;
    if (inLoop && cheap.contains(value)) {
      llvm::append_range(values, op->getOperands());
      continue;
    }
    auto it = times.find(op);
    if (it != times.end())
      time = std::max(time, it->second + (inLoop || it->second % 2 ? 1 : 0));
  }
}

/// The same for all operands of an operation at an even time and of what is
/// inside it; fails if one is only there in pieces.
LogicalResult Scheduler::followNested(Operation *op, unsigned &time) {
  WalkResult result = op->walk([&](Operation *inner) {
    if (llvm::any_of(inner->getOperands(), [&](Value operand) {
          return plan.getMember(operand) != nullptr;
        }))
      return WalkResult::interrupt();
    follow(SmallVector<Value>(inner->getOperands()), /*inLoop=*/false, time);
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// May two accesses that meet in memory stand in one loop, or at one even time,
/// in program order? In a loop only if each element meets itself alone.
bool Scheduler::sameLoopAllows(const MemoryAccess &a, const MemoryAccess &b,
                               bool inLoop) const {
  return !inLoop ||
         (a.pointer && a.pointer == b.pointer && plan.axes.contains(a.op) &&
          plan.axes.contains(b.op) && hasDistinctElements(a.pointer));
}

LogicalResult Scheduler::orderMemory(Step &step,
                                     ArrayRef<MemoryAccess> accesses) {
  auto forEachConflict = [&](auto visit) {
    for (auto &[time, earlier] : done)
      for (const MemoryAccess &a : earlier)
        for (const MemoryAccess &b : accesses)
          if (mayConflict(a, b))
            visit(time, a, b);
  };
  bool inLoop = step.time % 2;
  forEachConflict(
      [&](unsigned time, const MemoryAccess &a, const MemoryAccess &b) {
        if (!a.op->isBeforeInBlock(b.op))
          return;
        unsigned least = sameLoopAllows(a, b, inLoop) ? time : time + 1;
        step.time = std::max(step.time, least + ((least % 2 != 0) != inLoop));
      });
  // What one loop reads and writes for one step.
  bool ordered = true;
  for (const MemoryAccess &a : accesses)
    for (const MemoryAccess &b : accesses)
      ordered &= !mayConflict(a, b) || sameLoopAllows(a, b, inLoop);
  // A load that is done again later than the program does it.
  forEachConflict(
      [&](unsigned time, const MemoryAccess &a, const MemoryAccess &b) {
        if (b.op->isBeforeInBlock(a.op))
          ordered &= step.time < time ||
                     (step.time == time && sameLoopAllows(a, b, inLoop));
      });
  return success(ordered);
}

LogicalResult Scheduler::run() {
  for (Operation &op : plan.block->without_terminator()) {
    bool along = plan.axes.contains(&op);
    // Who uses a value has it computed, and who uses a load has it done.
    if (along && !plan.endsAxis(&op) &&
        (isMemoryEffectFree(&op) || isa<tile::LoadOp>(op)))
      continue;
    Step step{&op, along ? 1u : 0u, {}};
    SmallVector<MemoryAccess> accesses;
    if (along) {
      addSlice(&op, step.slice);
      SmallVector<Value> operands;
      for (Operation *member : step.slice) {
        llvm::append_range(operands, member->getOperands());
        collectAccesses(member, accesses);
      }
      follow(std::move(operands), /*inLoop=*/true, step.time);
      step.time |= 1;
    } else {
      if (failed(followNested(&op, step.time)))
        return failure();
      collectAccesses(&op, accesses);
      step.time += step.time % 2;
    }
    if (failed(orderMemory(step, accesses)))
      return failure();
    if (!along || plan.endsAxis(&op))
      times[&op] = step.time;
    if (!accesses.empty())
      done.emplace_back(step.time, std::move(accesses));
    plan.steps.push_back(std::move(step));
  }
  findKept();
  return success();
}

void Scheduler::findKept() {
  for (const Step &step : plan.steps)
    for (Operation *op : step.slice) {
      if (!isa<tile::LoadOp>(op))
        continue;
      auto it = llvm::find_if(
          plan.kept, [&](const auto &kept) { return kept.load == op; });
      if (it == plan.kept.end())
        it = plan.kept.insert(it, {op, {}});
      if (!llvm::is_contained(it->times, step.time))
        it->times.push_back(step.time);
    }
  llvm::erase_if(plan.kept,
                 [](const auto &kept) { return kept.times.size() < 2; });
  for (StripMinePlan::Kept &kept : plan.kept) {
    llvm::sort(kept.times);
    replace(kept);
  }
}

/// Does `op` need `target` along the axis, other than through `through`?
bool Scheduler::needs(Operation *op, Operation *target,
                      Operation *through) const {
  SmallVector<Operation *> work{op};
  llvm::DenseSet<Operation *> seen{op};
  while (!work.empty()) {
    Operation *next = work.pop_back_val();
    if (next == target)
      return true;
    if (next == through)
      continue;
    for (Value operand : next->getOperands())
      if (Operation *source = plan.getMember(operand);
          source && seen.insert(source).second)
        work.push_back(source);
  }
  return false;
}

/// Looks for a value that can take the place of what was loaded, the last one
/// that stands between it and all that comes after some loop.
void Scheduler::replace(StripMinePlan::Kept &kept) {
  Type type = kept.load->getResult(0).getType();
  for (unsigned from : llvm::reverse(ArrayRef(kept.times).drop_back())) {
    llvm::SetVector<Operation *> candidates;
    for (const Step &step : plan.steps)
      if (step.time == from)
        candidates.insert(step.slice.begin(), step.slice.end());
    for (Operation *value : candidates) {
      // Anything that the hardware does not do at full rate.
      bool costs = isa_and_nonnull<math::MathDialect>(value->getDialect()) ||
                   isa<arith::DivFOp>(value);
      if (!costs || value->getResult(0).getType() != type ||
          !needs(value, kept.load, nullptr) ||
          (kept.value && value->isBeforeInBlock(kept.value)))
        continue;
      if (llvm::none_of(plan.steps, [&](const Step &step) {
            return step.time > from && !step.slice.empty() &&
                   needs(step.op, kept.load, value);
          }))
        kept.value = value;
    }
    if (kept.value) {
      kept.from = from;
      return;
    }
  }
}

LogicalResult tilegpu::scheduleStripMine(StripMinePlan &plan,
                                         const CheapValues &cheap) {
  return Scheduler(plan, cheap).run();
}
