//===- StripMineRewrite.cpp - the loops over chunks -----------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The rewriting half: brings the operations of a block into the order of the
// plan's times and builds the loops. Where reductions end the axis the first
// chunk is peeled: it starts their sums, and its values stay in registers for
// the loops that follow.
//
//===----------------------------------------------------------------------===//

#include "StripMine.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

namespace {

/// `type` with another size of one axis.
Type withSize(Type type, unsigned axis, int64_t size) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  shape[axis] = size;
  return tensor.clone(shape);
}

/// One chunk of the axis: where it starts, and the pieces of values that are
/// there.
struct Chunk {
  Value number, start;
  llvm::DenseMap<std::pair<Value, unsigned>, Value> pieces;
  llvm::DenseSet<Operation *> done;
};

/// A walk over some of the chunks at one time.
struct Round {
  unsigned time;
  /// Where what several loops want is: in registers, in shared memory, or to be
  /// had again.
  enum { First, Kept, Again } kind;
};

/// What a reduction carries from chunk to chunk.
using Sums = SmallVector<Value>;

class StripMiner {
public:
  /// `nextPart` is the first number that no tile of pointers has yet.
  StripMiner(const StripMinePlan &plan, int64_t threads, int32_t &nextPart)
      : plan(plan), threads(threads), nextPart(nextPart),
        b(plan.block->getTerminator()), loc(b.getUnknownLoc()) {}
  void run();

private:
  using Step = StripMinePlan::Step;

  Value i32(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  }
  Value getPiece(Value value, std::optional<unsigned> axis, Chunk &chunk);
  Value makeCheapPiece(Value value, unsigned axis, Chunk &chunk);
  Operation *cloneOnPieces(Operation *op, unsigned axis, Chunk &chunk);
  tile::Eviction getEviction(Operation *op, const Round &round) const;
  void emitMember(Operation *op, Chunk &chunk, const Round &round);
  void collectMembers(Operation *op, const Round &round, Chunk &chunk,
                      SmallVectorImpl<Operation *> &members);
  Sums getPartialSums(tile::ReduceOp op, Chunk &chunk);
  Sums combine(tile::ReduceOp op, ValueRange left, ValueRange right);
  void finish(tile::ReduceOp op, ValueRange sums);
  void emitChunk(ArrayRef<const Step *> steps, Chunk &chunk, const Round &round,
                 SmallVectorImpl<Value> &sums);
  void emitLoop(ArrayRef<const Step *> steps, int64_t from, int64_t to,
                const Round &round, SmallVectorImpl<Value> &sums);
  void emitLoops(ArrayRef<const Step *> steps);
  void allocateKept();

  const StripMinePlan &plan;
  int64_t threads;
  int32_t &nextPart;
  OpBuilder b;
  Location loc;
  /// The first chunk, where it is peeled.
  Chunk first;
  /// The number of each tile of pointers, for accesses by its parts.
  llvm::DenseMap<Value, int32_t> parts;
  /// Shared memory of each load that is kept.
  llvm::DenseMap<Operation *, Value> rings;
};

} // namespace

//===----------------------------------------------------------------------===//
// Pieces of values
//===----------------------------------------------------------------------===//

/// The piece of a value that belongs to the chunk; the value itself if it does
/// not run along the axis.
Value StripMiner::getPiece(Value value, std::optional<unsigned> axis,
                           Chunk &chunk) {
  if (!axis)
    return value;
  Value &piece = chunk.pieces[{value, *axis}];
  if (piece)
    return piece;
  Value made = makeCheapPiece(value, *axis, chunk);
  return chunk.pieces[{value, *axis}] = made;
}

Value StripMiner::makeCheapPiece(Value value, unsigned axis, Chunk &chunk) {
  Operation *op = value.getDefiningOp();
  loc = op->getLoc();
  auto type =
      cast<RankedTensorType>(withSize(value.getType(), axis, plan.chunk));
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return arith::ConstantOp::create(
        b, loc, type,
        cast<SplatElementsAttr>(constant.getValue()).resizeSplat(type));
  if (auto range = dyn_cast<tile::ArangeOp>(op)) {
    Value part = tile::ArangeOp::create(b, loc, type, range.getStart(),
                                        range.getStart() + plan.chunk);
    Value start = tile::SplatOp::create(b, loc, type, chunk.start);
    return arith::AddIOp::create(b, loc, part, start);
  }
  return cloneOnPieces(op, axis, chunk)->getResult(0);
}

/// A copy of an operation that works on tiles whose axis `axis` is a chunk.
Operation *StripMiner::cloneOnPieces(Operation *op, unsigned axis,
                                     Chunk &chunk) {
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand,
                getPiece(operand, getOperandAxis(op, axis, operand), chunk));
  Operation *copy = b.clone(*op, mapping);
  auto reduce = dyn_cast<tile::ReduceOp>(op);
  if (reduce && axis > reduce.getAxis())
    --axis;
  for (Value result : copy->getResults())
    if (isa<RankedTensorType>(result.getType()))
      result.setType(withSize(result.getType(), axis, plan.chunk));
  for (auto [old, value] : llvm::zip(op->getResults(), copy->getResults()))
    chunk.pieces[{old, axis}] = value;
  return copy;
}

/// How long a line that a chunk's access touches should stay in the cache:
/// where chunks are loaded again, those, and no others.
tile::Eviction StripMiner::getEviction(Operation *op,
                                       const Round &round) const {
  bool someAgain = plan.hasReductions() && !plan.kept.empty() &&
                   plan.numKept + 1 < plan.countChunks();
  if (someAgain && isa<tile::StoreOp>(op))
    return tile::Eviction::First;
  const StripMinePlan::Kept *kept = plan.findKept(op);
  if (!someAgain || !kept)
    return tile::Eviction::Normal;
  return round.kind == Round::Again && round.time != kept->times.back()
             ? tile::Eviction::Last
             : tile::Eviction::First;
}

/// Computes an operation along the axis for one chunk. What is kept is read
/// back once the first loop has put it there.
void StripMiner::emitMember(Operation *op, Chunk &chunk, const Round &round) {
  unsigned axis = plan.axes.lookup(op);
  const StripMinePlan::Kept *kept =
      round.kind == Round::Kept ? plan.findKept(op) : nullptr;
  Value slot;
  if (kept) {
    loc = op->getLoc();
    slot = arith::SubIOp::create(b, loc, chunk.number, i32(1));
    if (round.time != (kept->load == op ? kept->times.front() : kept->from)) {
      Type type = withSize(op->getResult(0).getType(), axis, plan.chunk);
      chunk.pieces[{op->getResult(0), axis}] =
          RecallOp::create(b, loc, type, rings.lookup(kept->load), slot);
      return;
    }
  }
  Operation *copy = cloneOnPieces(op, axis, chunk);
  if (isa<tile::LoadOp, tile::StoreOp>(op) && !op->hasAttr(kPartAttr) &&
      plan.apart.contains(op->getOperand(0))) {
    auto [it, isNew] = parts.try_emplace(op->getOperand(0), nextPart);
    nextPart += isNew;
    copy->setAttr(kPartAttr, b.getI32IntegerAttr(it->second));
  }
  auto setEviction = [&](auto access) {
    if (access && access.getEviction() == tile::Eviction::Normal)
      access.setEviction(getEviction(op, round));
  };
  setEviction(dyn_cast<tile::LoadOp>(copy));
  setEviction(dyn_cast<tile::StoreOp>(copy));
  // A load whose place is taken in its first loop is not kept itself.
  if (kept && (op == kept->value || kept->from != round.time))
    KeepOp::create(b, loc, copy->getResult(0), rings.lookup(kept->load), slot);
}

/// Adds to `members` what `op` needs in a round, itself included: what is kept
/// by then needs nothing.
void StripMiner::collectMembers(Operation *op, const Round &round, Chunk &chunk,
                                SmallVectorImpl<Operation *> &members) {
  if (!chunk.done.insert(op).second)
    return;
  if (!plan.endsAxis(op))
    members.push_back(op);
  const StripMinePlan::Kept *kept =
      round.kind == Round::Kept ? plan.findKept(op) : nullptr;
  if (kept && kept->value == op && round.time > kept->from)
    return;
  for (Value operand : op->getOperands())
    if (Operation *source = plan.getMember(operand))
      collectMembers(source, round, chunk, members);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Reduces a chunk as far as each thread can alone: to tiles in which every
/// thread has as many elements as it loads at once.
Sums StripMiner::getPartialSums(tile::ReduceOp op, Chunk &chunk) {
  unsigned axis = op.getAxis();
  loc = op.getLoc();
  Sums pieces;
  unsigned bits = 32;
  int64_t others = 1;
  for (Value input : op.getInputs())
    pieces.push_back(getPiece(input, axis, chunk));
  for (auto [member, memberAxis] : plan.axes)
    if (isa<tile::LoadOp>(member))
      bits = std::min(
          bits, getBits(getElementTypeOrSelf(member->getResult(0).getType())));
  SmallVector<int64_t> shape(tile::getShape(pieces[0].getType()));
  for (int64_t size : shape)
    others *= size;
  others /= plan.chunk;
  int64_t width = llvm::bit_ceil(
      uint64_t(std::max<int64_t>(1, threads * (128 / bits) / others)));
  if (width >= plan.chunk)
    return pieces;
  shape[axis] = width;
  SmallVector<Type> types;
  for (Value piece : pieces)
    types.push_back(cast<RankedTensorType>(piece.getType()).clone(shape));
  shape.insert(shape.begin() + axis, plan.chunk / width);
  IRMapping mapping;
  for (auto [input, piece] : llvm::zip(op.getInputs(), pieces))
    mapping.map(input, tile::ReshapeOp::create(
                           b, loc,
                           cast<RankedTensorType>(piece.getType()).clone(shape),
                           piece));
  Operation *partial = b.clone(*op, mapping);
  for (auto [result, type] : llvm::zip(partial->getResults(), types))
    result.setType(type);
  return Sums(partial->getResults());
}

/// Applies the combining region to tiles, element by element.
Sums StripMiner::combine(tile::ReduceOp op, ValueRange left, ValueRange right) {
  Block &block = op.getCombine().front();
  ArrayRef<int64_t> shape = tile::getShape(left[0].getType());
  IRMapping mapping;
  for (auto [argument, value] : llvm::zip(
           block.getArguments(), llvm::concat<Value>(Sums(left), Sums(right))))
    mapping.map(argument, value);
  // A scalar of the region as a tile.
  auto get = [&](Value scalar) {
    if (Value tile = mapping.lookupOrNull(scalar))
      return tile;
    Value tile = tile::SplatOp::create(
        b, loc, RankedTensorType::get(shape, scalar.getType()), scalar);
    mapping.map(scalar, tile);
    return tile;
  };
  for (Operation &inner : block.without_terminator()) {
    if (isa<arith::ConstantOp>(inner)) {
      Value scalar = b.clone(inner)->getResult(0);
      mapping.map(inner.getResult(0), get(scalar));
      continue;
    }
    for (Value operand : inner.getOperands())
      get(operand);
    Operation *copy = b.clone(inner, mapping);
    Value result = copy->getResult(0);
    result.setType(RankedTensorType::get(shape, result.getType()));
  }
  Sums results;
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(get(value));
  return results;
}

/// The reduction of what is left when the chunks are through.
void StripMiner::finish(tile::ReduceOp op, ValueRange sums) {
  IRMapping mapping;
  for (auto [input, sum] : llvm::zip(op.getInputs(), sums))
    mapping.map(input, sum);
  op->replaceAllUsesWith(b.clone(*op, mapping));
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// One chunk of all steps of a loop. `sums` are those of the steps so far, or
/// empty before the first chunk.
void StripMiner::emitChunk(ArrayRef<const Step *> steps, Chunk &chunk,
                           const Round &round, SmallVectorImpl<Value> &sums) {
  SmallVector<Operation *> members;
  for (const Step *step : steps)
    collectMembers(step->op, round, chunk, members);
  // Accesses to memory keep the order of the program.
  llvm::sort(members,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : members)
    emitMember(op, chunk, round);
  SmallVector<Value> next;
  for (const Step *step : steps) {
    auto reduce = dyn_cast<tile::ReduceOp>(step->op);
    if (!reduce || !plan.endsAxis(reduce))
      continue;
    Sums partial = getPartialSums(reduce, chunk);
    if (!sums.empty())
      partial = combine(
          reduce, ValueRange(sums).slice(next.size(), partial.size()), partial);
    llvm::append_range(next, partial);
  }
  sums.assign(next.begin(), next.end());
}

void StripMiner::emitLoop(ArrayRef<const Step *> steps, int64_t from,
                          int64_t to, const Round &round,
                          SmallVectorImpl<Value> &sums) {
  if (from == to)
    return;
  loc = steps.front()->op->getLoc();
  auto loop = scf::ForOp::create(b, loc, i32(from), i32(to), i32(1), sums);
  // Chunks of one access are different elements.
  loop->setAttr(kIndependentAttr, b.getUnitAttr());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Chunk chunk;
  chunk.number = loop.getInductionVar();
  chunk.start = arith::MulIOp::create(b, loc, chunk.number, i32(plan.chunk));
  SmallVector<Value> carried(loop.getRegionIterArgs());
  emitChunk(steps, chunk, round, carried);
  if (carried.empty())
    return; // the builder has ended the body
  scf::YieldOp::create(b, loop.getLoc(), carried);
  sums.assign(loop.getResults().begin(), loop.getResults().end());
}

/// The loops of one time: the first chunk, those that are kept, the others.
void StripMiner::emitLoops(ArrayRef<const Step *> steps) {
  unsigned time = steps.front()->time;
  int64_t next = 0;
  SmallVector<Value> sums;
  if (plan.hasReductions()) {
    emitChunk(steps, first, {time, Round::First}, sums);
    next = 1 + plan.numKept;
    emitLoop(steps, 1, next, {time, Round::Kept}, sums);
  }
  emitLoop(steps, next, plan.countChunks(), {time, Round::Again}, sums);
  ArrayRef<Value> rest(sums);
  for (const Step *step : steps)
    if (auto reduce = dyn_cast<tile::ReduceOp>(step->op);
        reduce && plan.endsAxis(reduce)) {
      loc = reduce.getLoc();
      finish(reduce, rest.take_front(reduce.getNumResults()));
      rest = rest.drop_front(reduce.getNumResults());
    }
}

/// Shared memory for what is kept, in a layout that is chosen with the tiles'.
void StripMiner::allocateKept() {
  if (!plan.numKept)
    return;
  for (const StripMinePlan::Kept &kept : plan.kept) {
    auto type = cast<RankedTensorType>(
        withSize(kept.load->getResult(0).getType(), plan.axes.lookup(kept.load),
                 plan.chunk));
    auto memory = MemDescType::get(b.getContext(), type.getShape(),
                                   type.getElementType(), LayoutAttr());
    rings[kept.load] =
        RingAllocOp::create(b, kept.load->getLoc(), memory, plan.numKept);
  }
}

void StripMiner::run() {
  unsigned end = 0;
  for (const Step &step : plan.steps)
    end = std::max(end, step.time + 1);
  SmallVector<SmallVector<const Step *>> byTime(end);
  for (const Step &step : plan.steps)
    byTime[step.time].push_back(&step);
  SmallVector<Operation *> old;
  for (Operation &op : plan.block->without_terminator())
    if (plan.axes.contains(&op))
      old.push_back(&op);
  if (plan.hasReductions()) {
    first.number = i32(0);
    first.start = first.number;
  }
  allocateKept();
  for (auto [time, steps] : llvm::enumerate(byTime)) {
    if (time % 2 == 0)
      for (const Step *step : steps)
        step->op->moveBefore(b.getInsertionBlock()->getTerminator());
    else if (!steps.empty())
      emitLoops(steps);
  }
  for (Operation *op : llvm::reverse(old))
    op->erase();
}

void tilegpu::mineStrip(const StripMinePlan &plan, int64_t threads,
                        int32_t &nextPart) {
  StripMiner(plan, threads, nextPart).run();
}
