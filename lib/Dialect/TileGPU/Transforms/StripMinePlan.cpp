//===- StripMinePlan.cpp - which big tiles become loops -------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Union-find over the axes of all tiles of a block: an operation unites the
// axes that run together. A class of axes that no operation needs whole may be
// cut.
//
//===----------------------------------------------------------------------===//

#include "StripMine.h"
#include "mlir/Dialect/Traits.h"
#include "tilec/Analysis/Alias.h"
#include "tilec/Analysis/SharedMemory.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// Elements of a chunk that a thread computes at most.
static constexpr int64_t kMostShare = 64;

/// Registers of a thread that a loop takes in which nothing stays for another:
/// more blocks hide more of the memory's delay than longer chunks.
static constexpr int64_t kStreamRegisters = 64;

/// Registers of a thread that addresses, masks and the like take.
static constexpr int64_t kOtherRegisters = 40;

/// Shared memory that reductions exchange their partial results in.
static constexpr int64_t kScratchBytes = 8 << 10;

/// Shared memory of each block that the system takes (CUDA C++ Programming
/// Guide, compute capabilities).
static constexpr int64_t kReservedBytes = 1 << 10;

static bool isTile(Value value) {
  return isa<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Kinds of operations
//===----------------------------------------------------------------------===//

CheapValues::CheapValues(func::FuncOp function) {
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool simple = isa<tile::SplatOp, tile::ArangeOp, tile::BroadcastOp,
                      tile::ExpandDimsOp, tile::TransOp>(op) ||
                  (isElementwise(op) &&
                   !isa_and_nonnull<math::MathDialect>(op->getDialect()));
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      simple = isa<SplatElementsAttr>(constant.getValue());
    if (simple && isTile(op->getResult(0)) &&
        llvm::all_of(op->getOperands(), [&](Value operand) {
          return !isTile(operand) || values.contains(operand);
        }))
      values.insert(op->getResult(0));
  });
}

std::optional<unsigned> tilegpu::getOperandAxis(Operation *op, unsigned axis,
                                                Value operand) {
  if (!isTile(operand))
    return std::nullopt;
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
    if (axis == expand.getAxis())
      return std::nullopt;
    return axis < expand.getAxis() ? axis : axis - 1;
  }
  if (auto trans = dyn_cast<tile::TransOp>(op))
    return trans.getOrder()[axis];
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op))
    if (tile::getShape(operand.getType())[axis] !=
        broadcast.getType().getDimSize(axis))
      return std::nullopt;
  return axis;
}

bool StripMinePlan::endsAxis(Operation *op) const {
  auto reduce = dyn_cast<tile::ReduceOp>(op);
  auto it = axes.find(op);
  return reduce && it != axes.end() && reduce.getAxis() == it->second;
}

Operation *StripMinePlan::getMember(Value value) const {
  Operation *op = value.getDefiningOp();
  return op && axes.contains(op) && !endsAxis(op) ? op : nullptr;
}

const StripMinePlan::Kept *StripMinePlan::findKept(Operation *op) const {
  for (const Kept &entry : kept)
    if (entry.load == op || entry.value == op)
      return &entry;
  return nullptr;
}

bool StripMinePlan::hasReductions() const {
  return llvm::any_of(axes, [&](auto &entry) { return endsAxis(entry.first); });
}

//===----------------------------------------------------------------------===//
// Classes of axes
//===----------------------------------------------------------------------===//

namespace {
class AxisClasses {
public:
  AxisClasses(Block &block, const CheapValues &cheap) : cheap(cheap) {
    for (Operation &op : block)
      visit(&op);
  }

  /// Operations that work on tiles of their own, in program order.
  SmallVector<Operation *> members;
  /// The shape of the tiles that an operation works on.
  static ArrayRef<int64_t> getShape(Operation *op);
  unsigned find(Operation *op, unsigned axis) { return find(ids[op] + axis); }
  /// Does something need the axis as a whole?
  bool isWhole(unsigned id) { return whole[id]; }

private:
  void visit(Operation *op);
  void uniteOperands(Operation *op);
  void needWhole(Value value);
  unsigned find(unsigned id);
  std::optional<unsigned> getId(Value value, unsigned axis);
  void unite(unsigned a, unsigned b);

  const CheapValues &cheap;
  llvm::DenseMap<Operation *, unsigned> ids;
  std::vector<unsigned> parents;
  std::vector<bool> whole;
};
} // namespace

ArrayRef<int64_t> AxisClasses::getShape(Operation *op) {
  if (isa<tile::ReduceOp, tile::ScanOp, tile::StoreOp, tile::AssertOp>(op))
    return tile::getShape(op->getOperand(0).getType());
  return op->getNumResults() ? tile::getShape(op->getResult(0).getType())
                             : ArrayRef<int64_t>();
}

unsigned AxisClasses::find(unsigned id) {
  while (parents[id] != id)
    id = parents[id] = parents[parents[id]];
  return id;
}

void AxisClasses::unite(unsigned a, unsigned b) {
  a = find(a), b = find(b);
  parents[b] = a;
  whole[a] = whole[a] || whole[b];
}

std::optional<unsigned> AxisClasses::getId(Value value, unsigned axis) {
  auto it = ids.find(value.getDefiningOp());
  if (it == ids.end())
    return std::nullopt;
  if (auto reduce = dyn_cast<tile::ReduceOp>(it->first))
    axis += axis >= reduce.getAxis();
  return it->second + axis;
}

/// The value must be there as a whole tile.
void AxisClasses::needWhole(Value value) {
  if (isTile(value) && !cheap.contains(value))
    for (unsigned axis = 0; axis < tile::getShape(value.getType()).size();
         ++axis)
      if (auto id = getId(value, axis))
        whole[find(*id)] = true;
}

/// Can the region be applied to tiles element by element?
static bool combinesElementwise(Region &combine) {
  return llvm::all_of(combine.front().without_terminator(), [](Operation &op) {
    return isa<arith::ConstantOp>(op) ||
           (op.getNumResults() == 1 && op.getNumRegions() == 0 &&
            OpTrait::hasElementwiseMappableTraits(&op));
  });
}

/// Can the code generator cut the operation along an axis of its tiles?
static bool isKnown(Operation *op) {
  if (isa<tile::LoadOp>(op))
    return !isPerformedOnce(op);
  // The old value would have to be the same in several loops, and cannot be had
  // twice.
  if (isa<tile::AtomicRMWOp, tile::AtomicCASOp>(op))
    return op->use_empty();
  return isElementwise(op) ||
         isa<tile::StoreOp, tile::AssertOp, tile::ReduceOp, tile::ScanOp,
             tile::BroadcastOp, tile::ExpandDimsOp, tile::TransOp>(op);
}

/// Unites the operation's axes with those of its operands.
void AxisClasses::uniteOperands(Operation *op) {
  for (Value operand : op->getOperands()) {
    if (!isTile(operand) || cheap.contains(operand))
      continue;
    for (unsigned axis = 0; axis < getShape(op).size(); ++axis) {
      auto from = getOperandAxis(op, axis, operand);
      if (!from)
        continue;
      // What comes from elsewhere is there as a whole tile.
      if (auto id = getId(operand, *from))
        unite(ids[op] + axis, *id);
      else
        whole[find(ids[op] + axis)] = true;
    }
  }
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    if (!reduce.getCommutative() || !combinesElementwise(reduce.getCombine()))
      whole[find(ids[op] + reduce.getAxis())] = true;
  if (auto scan = dyn_cast<tile::ScanOp>(op))
    whole[find(ids[op] + scan.getAxis())] = true;
}

void AxisClasses::visit(Operation *op) {
  if (op->getNumResults() == 1 && cheap.contains(op->getResult(0)))
    return;
  size_t rank = getShape(op).size();
  if (rank && isKnown(op)) {
    ids[op] = parents.size();
    members.push_back(op);
    for (size_t axis = 0; axis < rank; ++axis) {
      parents.push_back(parents.size());
      whole.push_back(false);
    }
    return uniteOperands(op);
  }
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      needWhole(operand);
  });
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

static int64_t product(ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes)
    result *= size;
  return result;
}

/// Bytes of what a load or store moves, or of what another operation computes.
static int64_t getElementBytes(Operation *op) {
  Type type = isa<tile::StoreOp>(op)     ? op->getOperand(1).getType()
              : op->getNumResults() == 0 ? op->getOperand(0).getType()
                                         : op->getResult(0).getType();
  return getBits(getElementTypeOrSelf(type)) / 8;
}

/// The operations that run along one class of axes; none if one of them has two
/// such axes.
static std::optional<StripMinePlan> collectMembers(AxisClasses &classes,
                                                   unsigned id) {
  StripMinePlan plan;
  for (Operation *op : classes.members) {
    ArrayRef<int64_t> shape = AxisClasses::getShape(op);
    for (unsigned axis = 0; axis < shape.size(); ++axis) {
      if (classes.find(op, axis) != id)
        continue;
      if (!plan.axes.try_emplace(op, axis).second ||
          (plan.size && plan.size != shape[axis]))
        return std::nullopt;
      plan.size = shape[axis];
    }
  }
  return plan;
}

/// Chooses the length of a chunk: what a thread loads of it takes a quarter of
/// its registers, and what it computes no more than that where they are few. 0
/// if the axis is too short to be cut.
static int64_t chooseChunk(const StripMinePlan &plan, int64_t threads,
                           int64_t registers) {
  int64_t words = 1, others = 1, loaded = 0;
  for (auto [op, axis] : plan.axes) {
    others = std::max(others, product(AxisClasses::getShape(op)) / plan.size);
    words = std::max(words, getElementBytes(op) / 4);
    loaded += isa<tile::LoadOp>(op) ? getElementBytes(op) : 0;
  }
  registers = llvm::bit_floor(uint64_t(registers + 1));
  int64_t most = registers / (registers < 256 ? 4 : 2) / words;
  int64_t share =
      std::min({most, kMostShare, registers / std::max<int64_t>(1, loaded)});
  int64_t chunk =
      llvm::bit_floor(uint64_t(std::max<int64_t>(1, share * threads / others)));
  return chunk < plan.size && plan.size % chunk == 0 ? chunk : 0;
}

/// Elements of the longest run that an access along the axis finds in memory.
static int64_t getContiguity(const StripMinePlan &plan,
                             const AxisInfoAnalysis &facts) {
  int64_t most = 1;
  for (auto [op, axis] : plan.axes)
    if (isa<tile::LoadOp, tile::StoreOp>(op))
      most = std::max(most, facts.get(op->getOperand(0)).contiguity[axis]);
  return most;
}

/// The most elements of a tile along the axis that a thread would hold.
static int64_t getShare(const StripMinePlan &plan, int64_t threads) {
  int64_t most = 0;
  for (auto [op, axis] : plan.axes)
    most = std::max(most, product(AxisClasses::getShape(op)) / threads);
  return most;
}

/// How many chunks of what is kept fit in shared memory besides the first,
/// which registers hold.
static int64_t countKept(const StripMinePlan &plan, int64_t sharedBytes) {
  int64_t bytes = 0, scratch = kScratchBytes;
  for (const StripMinePlan::Kept &kept : plan.kept) {
    ArrayRef<int64_t> shape = AxisClasses::getShape(kept.load);
    int64_t elements = product(shape) / plan.size * plan.chunk;
    bytes += elements * getElementBytes(kept.load);
    // Tiles of several axes may have to be turned around on the way.
    if (shape.size() > 1)
      scratch = std::max(scratch, elements * 8);
  }
  if (!bytes || !plan.hasReductions())
    return 0;
  return std::clamp<int64_t>((sharedBytes - scratch) / bytes, 0,
                             plan.countChunks() - 1);
}

/// Chooses the length of a chunk and how many are kept. While a block waits for
/// its reduction the memory idles unless there is another block: if two fit a
/// multiprocessor with all that they keep, each gets half of it.
static void chooseSizes(StripMinePlan &plan, const BlockResources &resources) {
  int64_t threads = resources.threads, registers = resources.registers;
  if (plan.kept.empty()) {
    plan.chunk =
        chooseChunk(plan, threads, std::min(registers, kStreamRegisters));
    return;
  }
  int64_t half = resources.halfRegisters();
  plan.chunk = chooseChunk(plan, threads, half);
  if (plan.chunk && half >= kStreamRegisters) {
    plan.numKept = countKept(plan, resources.sharedBytes / 2 - kReservedBytes);
    if (plan.numKept == plan.countChunks() - 1) {
      plan.blocks = 2;
      return;
    }
  }
  plan.chunk = chooseChunk(plan, threads, registers);
  plan.numKept = plan.chunk ? countKept(plan, resources.sharedBytes) : 0;
}

/// Would the registers of a thread hold the tiles along the axis as they are,
/// and leave room for another block? What a reduction ends and what follows it
/// is there at once, narrow types widened; otherwise whatever is loaded.
static bool fitsRegisters(const StripMinePlan &plan, int64_t share,
                          const BlockResources &resources) {
  if (share > resources.elements)
    return false;
  int64_t bytes = 0;
  for (const StripMinePlan::Kept &kept : plan.kept)
    bytes += std::max<int64_t>(4, getElementBytes(kept.load));
  if (plan.kept.empty())
    for (auto [op, axis] : plan.axes)
      bytes += isa<tile::LoadOp>(op) ? getElementBytes(op) : 0;
  return share * bytes / 4 <= resources.halfRegisters() - kOtherRegisters;
}

/// Fills in the tiles of pointers whose parts nothing can confuse: those that
/// are only read, or reached once, or whose elements lie apart.
static void findApart(StripMinePlan &plan) {
  llvm::MapVector<Value, unsigned> accesses;
  llvm::DenseSet<Value> written;
  for (auto [op, axis] : plan.axes)
    if (isa<tile::LoadOp, tile::StoreOp>(op)) {
      ++accesses[op->getOperand(0)];
      if (isa<tile::StoreOp>(op))
        written.insert(op->getOperand(0));
    }
  for (auto [pointer, count] : accesses)
    if (count == 1 || !written.contains(pointer) ||
        hasDistinctElements(pointer))
      plan.apart.insert(pointer);
}

std::optional<StripMinePlan>
tilegpu::planStripMine(Block &block, const CheapValues &cheap,
                       const AxisInfoAnalysis &facts,
                       const BlockResources &resources) {
  AxisClasses classes(block, cheap);
  std::optional<StripMinePlan> best;
  std::pair<bool, int64_t> least;
  llvm::DenseSet<unsigned> seen;
  for (Operation *op : classes.members)
    for (unsigned axis = 0; axis < AxisClasses::getShape(op).size(); ++axis) {
      unsigned id = classes.find(op, axis);
      if (!seen.insert(id).second || classes.isWhole(id))
        continue;
      auto plan = collectMembers(classes, id);
      if (!plan)
        continue;
      plan->block = &block;
      int64_t share = getShare(*plan, resources.threads);
      if (share < resources.elements / 4 ||
          failed(scheduleStripMine(*plan, cheap)) ||
          fitsRegisters(*plan, share, resources))
        continue;
      chooseSizes(*plan, resources);
      if (!plan->chunk)
        continue;
      findApart(*plan);
      // An axis that nothing reduces needs one loop; among those, the one along
      // which memory is not consecutive.
      std::pair<bool, int64_t> cost(plan->hasReductions(),
                                    getContiguity(*plan, facts));
      if (!best || cost < least) {
        best = std::move(plan);
        least = cost;
      }
    }
  return best;
}
