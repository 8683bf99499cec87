//===- InsertBarriers.cpp - keeps the order of a program's accesses -------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Forward data flow of the accesses since the last barrier. Around a loop they
// are joined with those at the end of the body until nothing new comes;
// barriers are only ever added, so this ends.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/Alias.h"
#include "tilec/Analysis/AxisInfo.h"
#include "tilec/Analysis/Remarks.h"
#include "tilec/Analysis/SharedMemory.h"
#include "tilec/Dialect/TileGPU/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tilec;

namespace tilec::tilegpu {
#define GEN_PASS_DEF_TILEGPUINSERTBARRIERSPASS
#include "tilec/Dialect/TileGPU/Transforms/Passes.h.inc"

namespace {

/// One access to memory by some thread of the block.
struct Access {
  bool shared = false, write = false;
  /// Shared memory: the bytes [begin, end).
  int64_t begin = 0, end = 0;
  /// Global memory: the kernel's argument that the address comes from, null if
  /// unknown; and the address, null if it may be another by now.
  Value base, pointer;
  /// The loop of which an earlier iteration did this, with that iteration's
  /// value of `pointer`; null if the value is the one at hand.
  Operation *loop = nullptr;
  /// Part of a tile of pointers: this number, by pointers of this type.
  std::optional<int64_t> part;
  Type type;
  /// An atomic operation that orders others: conflicts with every global
  /// access.
  bool orders = false;
  /// Shared memory of a pipeline, whose own barriers order accesses to one
  /// ring, or of what each thread keeps for itself.
  Value ring;
  /// Who does it, for messages: of equal accesses, the first.
  Operation *op = nullptr;

  bool operator==(const Access &o) const {
    return shared == o.shared && write == o.write && begin == o.begin &&
           end == o.end && base == o.base && pointer == o.pointer &&
           loop == o.loop && part == o.part && type == o.type &&
           orders == o.orders && ring == o.ring;
  }
};

using State = SmallVector<Access, 8>;

/// An access to bytes of shared memory.
Access getScratch(int64_t begin, int64_t end, bool write) {
  Access access;
  access.shared = true;
  access.write = write;
  access.begin = begin;
  access.end = end;
  return access;
}

/// The access to a whole buffer, or to any buffer of a ring.
Access getBuffer(Value memory, bool write) {
  Operation *op = memory.getDefiningOp();
  Value ring;
  if (auto slot = dyn_cast<SlotOp>(op))
    op = slot.getRing().getDefiningOp();
  if (isa<RingAllocOp>(op))
    ring = op->getResult(0);
  int64_t begin = op->getAttrOfType<IntegerAttr>(kOffsetAttr).getInt();
  Access access = getScratch(begin, begin + getSharedBytes(op), write);
  access.ring = ring;
  return access;
}

/// The access to a ring for tiles that threads put away and read back: nobody
/// else's business unless several threads hold the same elements.
Access getKept(Value ring, Type tile, bool write) {
  Access access = getBuffer(ring, write);
  if (!hasOneOwner(getLayout(tile)))
    access.ring = {};
  return access;
}

/// The access to global memory through a pointer; `order` is that of an atomic
/// operation.
Access getGlobal(Operation *op, Value pointer, bool write,
                 std::optional<tile::MemOrder> order = {}) {
  Access a;
  a.write = write;
  a.base = getMemoryBase(pointer);
  // Elements of an atomic operation are often one address.
  a.pointer = order ? Value() : pointer;
  a.orders = order && *order != tile::MemOrder::Relaxed;
  a.type = pointer.getType();
  if (auto part = op->getAttrOfType<IntegerAttr>(kPartAttr);
      part && isa<RankedTensorType>(a.type))
    a.part = part.getInt();
  return a;
}

/// Does each thread reach through this address only what no other thread does?
bool isPrivate(Value pointer) {
  auto type = dyn_cast<RankedTensorType>(pointer.getType());
  return type && hasOneOwner(getLayout(type)) && hasDistinctElements(pointer);
}

/// How much numbers change when a loop's counter grows by one.
class Slopes {
public:
  Slopes(scf::ForOp loop, const AxisInfoAnalysis &facts)
      : loop(loop), facts(facts) {}

  /// The slope of all elements alike; none if that is not known.
  std::optional<int64_t> get(Value value) {
    if (auto it = known.find(value); it != known.end())
      return it->second;
    return known[value] = compute(value);
  }

private:
  std::optional<int64_t> compute(Value value);

  scf::ForOp loop;
  const AxisInfoAnalysis &facts;
  llvm::DenseMap<Value, std::optional<int64_t>> known;
};

std::optional<int64_t> Slopes::compute(Value value) {
  if (value == loop.getInductionVar())
    return 1;
  if (loop.isDefinedOutsideOfLoop(value))
    return 0;
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  auto slope = [&](unsigned i) { return get(op->getOperand(i)); };
  if (isa<tile::ArangeOp, arith::ConstantOp>(op))
    return 0;
  if (isa<tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp, arith::ExtSIOp>(
          op))
    return slope(0);
  if (isa<arith::AddIOp, tile::AddPtrOp>(op)) {
    auto a = slope(0), b = slope(1);
    return a && b ? std::optional(*a + *b) : std::nullopt;
  }
  if (isa<arith::MulIOp>(op))
    for (unsigned i : {0u, 1u})
      if (auto factor = facts.get(op->getOperand(1 - i)).constant)
        if (auto a = slope(i); a && std::abs(*factor) <= INT32_MAX)
          return *a * *factor;
  return std::nullopt;
}

/// Do two iterations of the loop reach different memory through this pointer?
/// Yes if its elements follow each other and each iteration starts past them.
bool advances(Value pointer, Operation *op, const AxisInfoAnalysis &facts) {
  auto loop = dyn_cast<scf::ForOp>(op);
  auto type = dyn_cast<RankedTensorType>(pointer.getType());
  if (!loop || !type || type.getRank() != 1 ||
      facts.get(pointer).contiguity[0] < type.getDimSize(0))
    return false;
  auto slope = Slopes(loop, facts).get(pointer);
  auto step = facts.get(loop.getStep()).constant;
  return slope && step && *step <= INT32_MAX &&
         std::abs(*slope * *step) >= type.getDimSize(0);
}

/// Must a barrier stand between the two? `b` is done now.
bool conflict(const Access &a, const Access &b, const AxisInfoAnalysis &facts) {
  if (a.shared != b.shared)
    return false;
  if (a.orders || b.orders)
    return true;
  if (!a.write && !b.write)
    return false;
  if (a.shared)
    return a.begin < b.end && b.begin < a.end && !(a.ring && a.ring == b.ring);
  if (a.base && b.base && a.base != b.base)
    return false;
  // Each element of the tile is in one thread, whichever part it is in.
  if (a.part && a.part == b.part && a.type == b.type &&
      hasOneOwner(getLayout(a.type)))
    return false;
  if (!a.pointer || a.pointer != b.pointer)
    return true;
  return a.loop ? !advances(a.pointer, a.loop, facts) : !isPrivate(a.pointer);
}

/// Adds those accesses that are not there yet; true if there were any.
bool merge(State &into, const State &from) {
  size_t before = into.size();
  for (const Access &access : from)
    if (!llvm::is_contained(into, access))
      into.push_back(access);
  return into.size() != before;
}

/// Accesses as the next iteration of a loop sees them: addresses that the loop
/// computes have changed.
State overBackEdge(Operation *loop, State state) {
  if (loop->hasAttr(kIndependentAttr))
    llvm::erase_if(state, [](const Access &a) { return !a.shared; });
  for (Access &access : state) {
    access.part.reset(); // the tile of pointers is another one
    // The barriers of a pipeline order its own iterations: the next time that
    // it starts, it fills what others may still read.
    if (access.ring && loop->isAncestor(access.ring.getDefiningOp()) &&
        llvm::any_of(access.ring.getUsers(), llvm::IsaPred<SlotOp>))
      access.ring = {};
    bool changes =
        access.pointer && llvm::any_of(loop->getRegions(), [&](Region &region) {
          return region.isAncestor(access.pointer.getParentRegion());
        });
    if (!changes)
      continue;
    // Between iterations of two loops the address may be any.
    if (access.loop && access.loop != loop)
      access.pointer = {};
    access.loop = access.pointer ? loop : nullptr;
  }
  return state;
}

/// Why a barrier stands before an operation: an access of its own and an
/// earlier one.
struct Reason {
  Access own, earlier;
};

/// Finds the operations that need a barrier before them.
class BarrierPlan {
public:
  explicit BarrierPlan(func::FuncOp func) : facts(func) {
    State state;
    visit(func.getBody(), state);
  }
  llvm::MapVector<Operation *, Reason> before;

private:
  void visit(Region &region, State &state);
  void visit(Operation *op, State &state);
  void access(Operation *op, State accesses, State &state);

  AxisInfoAnalysis facts;
};

void BarrierPlan::access(Operation *op, State accesses, State &state) {
  for (Access &own : accesses) {
    own.op = op;
    for (const Access &earlier : state)
      if (conflict(earlier, own, facts))
        before.try_emplace(op, Reason{own, earlier});
  }
  if (before.contains(op))
    state.clear();
  merge(state, accesses);
}

void BarrierPlan::visit(Operation *op, State &state) {
  if (isa<BarrierOp, tile::BarrierOp>(op)) {
    state.clear();
    return;
  }
  if (auto load = dyn_cast<tile::LoadOp>(op))
    access(op, {getGlobal(op, load.getPtr(), false)}, state);
  else if (auto store = dyn_cast<tile::StoreOp>(op))
    access(op, {getGlobal(op, store.getPtr(), true)}, state);
  else if (auto rmw = dyn_cast<tile::AtomicRMWOp>(op))
    access(op, {getGlobal(op, rmw.getPtr(), true, rmw.getOrder())}, state);
  else if (auto cas = dyn_cast<tile::AtomicCASOp>(op))
    access(op, {getGlobal(op, cas.getPtr(), true, cas.getOrder())}, state);
  else if (auto assembly = dyn_cast<tile::InlineAsmOp>(op);
           assembly && !assembly.getPure()) {
    // It may do anything to global memory.
    Access any;
    any.write = any.orders = true;
    access(op, {any}, state);
  }
  if (auto dot = dyn_cast<DotOp>(op)) {
    State reads;
    for (Value operand : {dot.getA(), dot.getB()})
      if (isa<MemDescType>(operand.getType()))
        reads.push_back(getBuffer(operand, /*write=*/false));
    access(op, reads, state);
  } else if (auto copy = dyn_cast<AsyncCopyOp>(op)) {
    access(op,
           {getGlobal(op, copy.getPtr(), false),
            getBuffer(copy.getRing(), /*write=*/true)},
           state);
  } else if (auto keep = dyn_cast<KeepOp>(op)) {
    access(op, {getKept(keep.getRing(), keep.getSrc().getType(), true)}, state);
  } else if (auto recall = dyn_cast<RecallOp>(op)) {
    access(op, {getKept(recall.getRing(), recall.getType(), false)}, state);
  } else if (isa<RingAllocOp>(op)) {
    // Nothing is touched yet.
  } else if (auto offset = op->getAttrOfType<IntegerAttr>(kOffsetAttr)) {
    int64_t begin = offset.getInt(), end = begin + getSharedBytes(op);
    access(op, {getScratch(begin, end, /*write=*/true)}, state);
    if (!isa<LocalAllocOp>(op)) {
      // Scratch: the operation itself waits between writing and reading. An
      // atomic's own access comes before that wait.
      state.clear();
      state.push_back(getScratch(begin, end, /*write=*/false));
      state.back().op = op;
    }
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    State other = state;
    visit(branch.getThenRegion(), state);
    visit(branch.getElseRegion(), other);
    merge(state, other);
  } else if (isa<scf::ForOp, scf::WhileOp>(op)) {
    State entry = state;
    while (true) {
      size_t known = before.size();
      State body = entry;
      for (Region &region : op->getRegions()) {
        visit(region, body);
        merge(state, body); // the loop may end here
      }
      bool grew = merge(entry, overBackEdge(op, body));
      if (!grew && before.size() == known)
        break;
    }
  }
}

void BarrierPlan::visit(Region &region, State &state) {
  for (Block &block : region)
    for (Operation &op : block)
      visit(&op, state);
}

/// Says why the block waits before an operation.
void explain(Operation *op, const Reason &reason) {
  auto place = reason.earlier.op->getLoc()->findInstanceOf<FileLineColLoc>();
  auto does = [](const Access &access) {
    return access.orders ? "orders" : access.write ? "writes" : "reads";
  };
  remarkPassed(op, "tilegpu-insert-barriers", "barrier") << remark::add(
      "the block waits: this {0} {1} memory that {2} in line {3} {4}",
      does(reason.own), reason.own.shared ? "shared" : "global",
      reason.earlier.op->getName().stripDialect(), place ? place.getLine() : 0,
      does(reason.earlier));
}

struct InsertBarriersPass
    : impl::TileGPUInsertBarriersPassBase<InsertBarriersPass> {
  using TileGPUInsertBarriersPassBase::TileGPUInsertBarriersPassBase;

  void runOnOperation() override {
    if (failed(checkLayouts(getOperation())) ||
        failed(checkOffsets(getOperation())))
      return signalPassFailure();
    BarrierPlan plan(getOperation());
    for (auto &[op, reason] : plan.before) {
      explain(op, reason);
      OpBuilder builder(op);
      BarrierOp::create(builder, op->getLoc());
    }
  }
};
} // namespace
} // namespace tilec::tilegpu
