//===- Reduce.cpp - reductions and scans ----------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The layout says which index bits run along the axis: register bits are
// combined in the thread, lane bits by butterflies, warp bits through shared
// memory. The order is fixed by the layout, never by timing.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "tilec/Analysis/SharedMemory.h"
#include "tilec/Layout/Reduction.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// One scalar of each input: what the combining region works on.
using Tuple = Registers;

/// Index bits of an in-dim whose column runs along the axis.
static SmallVector<unsigned> getAxisBits(const LinearLayout &layout, InDim dim,
                                         unsigned axis) {
  SmallVector<unsigned> bits;
  for (auto [i, column] : llvm::enumerate(layout.columns(dim)))
    if (layout.coordinate(column, axis))
      bits.push_back(i);
  return bits;
}

/// Registers by their place along the axis.
static SmallVector<uint32_t> getOrderAlong(const LinearLayout &layout,
                                           unsigned axis) {
  SmallVector<std::pair<uint32_t, uint32_t>> places;
  for (uint32_t r = 0; r < layout.size(InDim::Register); ++r)
    places.emplace_back(
        layout.coordinate(layout.apply(InDim::Register, r), axis), r);
  llvm::sort(places);
  return llvm::to_vector(llvm::make_second_range(places));
}

/// Do the axis's low bits belong to registers, the next ones to lanes and the
/// high ones to warps, each in ascending order?
static bool keepsOrder(const LinearLayout &layout, unsigned axis) {
  uint32_t last = 0;
  for (uint32_t column : layout.columns(InDim::Register))
    last = std::max(last, layout.coordinate(column, axis));
  for (InDim dim : {InDim::Lane, InDim::Warp})
    for (uint32_t column : layout.columns(dim)) {
      uint32_t place = layout.coordinate(column, axis);
      if (place && place < last)
        return false;
      last = std::max(last, place);
    }
  return true;
}

Value tilec::shuffleLanes(Emitter &e, Value value, NVVM::ShflKind kind,
                          Value by, Value clamp) {
  // As 32-bit words, which shuffles can move, and back.
  Type type = value.getType();
  OpBuilder &b = e.b;
  Type i32 = b.getI32Type();
  auto move = [&](Value word) -> Value {
    return NVVM::ShflOp::create(b, e.loc, i32, e.i32(-1), word, by, clamp, kind,
                                /*return_value_and_is_valid=*/UnitAttr());
  };
  bool pointer = isa<LLVM::LLVMPointerType>(type);
  unsigned bits = pointer ? 64 : type.getIntOrFloatBitWidth();
  Type word = b.getIntegerType(bits);
  Value raw = pointer ? Value(LLVM::PtrToIntOp::create(b, e.loc, word, value))
              : type == word
                  ? value
                  : Value(LLVM::BitcastOp::create(b, e.loc, word, value));
  Value moved;
  if (bits == 64) {
    Value low = move(LLVM::TruncOp::create(b, e.loc, i32, raw));
    Value high = move(LLVM::TruncOp::create(
        b, e.loc, i32,
        LLVM::LShrOp::create(b, e.loc, raw, e.constant(word, 32))));
    moved = LLVM::OrOp::create(
        b, e.loc, LLVM::ZExtOp::create(b, e.loc, word, low),
        LLVM::ShlOp::create(b, e.loc,
                            LLVM::ZExtOp::create(b, e.loc, word, high),
                            e.constant(word, 32)));
  } else if (bits == 32) {
    moved = move(raw);
  } else {
    moved = LLVM::TruncOp::create(
        b, e.loc, word, move(LLVM::ZExtOp::create(b, e.loc, i32, raw)));
  }
  if (pointer)
    return LLVM::IntToPtrOp::create(b, e.loc, type, moved);
  return type == word ? moved
                      : Value(LLVM::BitcastOp::create(b, e.loc, type, moved));
}

/// Each scalar of the tuple from another lane.
static Tuple shuffle(Emitter &e, ArrayRef<Value> tuple, NVVM::ShflKind kind,
                     Value by, Value clamp) {
  Tuple moved;
  for (Value value : tuple)
    moved.push_back(shuffleLanes(e, value, kind, by, clamp));
  return moved;
}

/// Picks one of two tuples.
static Tuple select(Emitter &e, Value condition, ArrayRef<Value> a,
                    ArrayRef<Value> b) {
  Tuple result;
  for (auto [x, y] : llvm::zip(a, b))
    result.push_back(LLVM::SelectOp::create(e.b, e.loc, condition, x, y));
  return result;
}

/// Where the warps of a reduction or scan leave their partial results: for each
/// input an array [line of the tile][warp along the axis].
namespace {
struct Partials {
  Emitter &e;
  SmallVector<Value> bases;
  SmallVector<Type> elements;
  unsigned warpBits;

  Partials(Emitter &e, Operation *op, ValueRange inputs, unsigned lineBits,
           unsigned warpBits)
      : e(e), warpBits(warpBits) {
    int64_t offset = op->getAttrOfType<IntegerAttr>(kOffsetAttr).getInt();
    for (Value input : inputs) {
      Type element = getElementTypeOrSelf(input.getType());
      bases.push_back(e.sharedAddress(offset));
      elements.push_back(element);
      offset += llvm::alignTo(
          (int64_t(getBits(element)) / 8) << (lineBits + warpBits), 16);
    }
  }

  Value address(unsigned input, Value line, Value warp) {
    Value index = LLVM::ShlOp::create(e.b, e.loc, line, e.i32(warpBits));
    index = LLVM::AddOp::create(e.b, e.loc, index, warp);
    Type element = elements[input].isInteger(1)
                       ? e.b.getI8Type()
                       : e.convertElement(elements[input]);
    return LLVM::GEPOp::create(e.b, e.loc, bases[input].getType(), element,
                               bases[input], ArrayRef<LLVM::GEPArg>{index});
  }
  void store(ArrayRef<Value> tuple, Value line, Value warp,
             Value predicate = {}) {
    for (auto [i, value] : llvm::enumerate(tuple))
      e.storeShared(address(i, line, warp), value, predicate);
  }
  /// The partial results of all warps for a line, by wide accesses.
  SmallVector<Tuple> loadAll(Value line) {
    unsigned count = 1u << warpBits;
    SmallVector<Tuple> tuples(count);
    for (unsigned i = 0; i < bases.size(); ++i)
      for (unsigned warp = 0; warp < count;) {
        Registers vector = loadVector(i, line, warp, count);
        for (Value value : vector)
          tuples[warp++].push_back(value);
      }
    return tuples;
  }
  Tuple load(Value line, Value warp) {
    Tuple tuple;
    for (unsigned i = 0; i < bases.size(); ++i)
      tuple.push_back(e.loadShared(address(i, line, warp), elements[i]));
    return tuple;
  }

private:
  /// As many of the `count` results as one access reads, from `warp` on.
  Registers loadVector(unsigned input, Value line, unsigned warp,
                       unsigned count) {
    return loadSharedVector(e, address(input, line, e.i32(warp)),
                            elements[input],
                            std::min(count, 128 / getBits(elements[input])));
  }
};
} // namespace

/// The number that the bits of `index` at `bits` make, lowest first.
static Value gatherBits(Emitter &e, Value index, ArrayRef<unsigned> bits) {
  Vectors columns(bits.empty() ? 0 : bits.back() + 1, 0);
  for (auto [to, from] : llvm::enumerate(bits))
    columns[from] = 1u << to;
  return e.applyLinear(index, columns);
}

/// Combines pairs until one is left: the depth of a tree, not of a chain.
static Tuple combineTree(Emitter &e, Region &region,
                         SmallVector<Tuple> tuples) {
  while (tuples.size() > 1) {
    SmallVector<Tuple> half;
    for (size_t i = 0; i + 1 < tuples.size(); i += 2)
      half.push_back(e.combine(region, tuples[i], tuples[i + 1]));
    if (tuples.size() % 2)
      half.push_back(tuples.back());
    tuples = std::move(half);
  }
  return tuples.front();
}

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

/// Do both lanes of a pair get the same from operands that change places? Even
/// where the order of elements does not matter to the reduction, comparisons
/// with NaN tell left from right.
static bool isSymmetric(tile::ReduceOp op) {
  Block &block = op.getCombine().front();
  if (!op.getCommutative())
    return false;
  if (llvm::none_of(block.getArgumentTypes(), llvm::IsaPred<FloatType>))
    return true;
  return llvm::hasSingleElement(block.without_terminator()) &&
         block.front().hasTrait<OpTrait::IsCommutative>();
}

/// Combines with the lane at the other side of a bit. Where sides matter, the
/// lane with the bit clear is the left operand in both, so that both get one
/// result.
static Tuple combineLanes(Emitter &e, tile::ReduceOp op, const Tuple &mine,
                          unsigned bit) {
  Tuple other =
      shuffle(e, mine, NVVM::ShflKind::bfly, e.i32(1 << bit), e.i32(31));
  if (isSymmetric(op))
    return e.combine(op.getCombine(), mine, other);
  Value part = LLVM::AndOp::create(e.b, e.loc, e.laneId(), e.i32(1 << bit));
  Value isRight =
      LLVM::ICmpOp::create(e.b, e.loc, LLVM::ICmpPredicate::ne, part, e.i32(0));
  Tuple left = select(e, isRight, other, mine);
  Tuple right = select(e, isRight, mine, other);
  return e.combine(op.getCombine(), left, right);
}

LogicalResult tilec::emitReduce(Emitter &e, tile::ReduceOp op) {
  const LinearLayout &layout = getLayout(op.getInputs().front().getType());
  unsigned axis = op.getAxis();
  if (!layout.isDistributed())
    return op.emitError("expected a layout whose columns are single bits");
  LinearLayout slice = layout.slice(axis);
  LinearLayout resultLayout = slice.dedupRegisters();
  SmallVector<unsigned> laneBits = getAxisBits(layout, InDim::Lane, axis);
  SmallVector<unsigned> warpBits = getAxisBits(layout, InDim::Warp, axis);
  if (!op.getCommutative() && !keepsOrder(layout, axis))
    return op.emitError("expected a layout whose registers, lanes and warps "
                        "follow each other along the axis, since the order of "
                        "elements matters");
  for (Value result : op.getResults())
    if (auto type = dyn_cast<RankedTensorType>(result.getType()))
      if (getLayout(type) != resultLayout)
        return op.emitError(
                   "expected results in the layout of the inputs without "
                   "the axis, ")
               << resultLayout.str();

  // In the thread: registers by the result that they count for.
  unsigned numResults = resultLayout.size(InDim::Register);
  gf2::Span span(resultLayout.columns(InDim::Register));
  SmallVector<SmallVector<Tuple>> groups(numResults);
  for (uint32_t r : getOrderAlong(layout, axis)) {
    Tuple tuple;
    for (Value input : op.getInputs())
      tuple.push_back(e.get(input)[r]);
    groups[*span.solve(slice.apply(InDim::Register, r))].push_back(tuple);
  }
  SmallVector<Tuple> results;
  for (SmallVector<Tuple> &group : groups)
    results.push_back(combineTree(e, op.getCombine(), std::move(group)));

  // In the warp.
  for (unsigned bit : laneBits)
    for (Tuple &tuple : results)
      tuple = combineLanes(e, op, tuple, bit);

  // Between warps.
  if (!warpBits.empty()) {
    Partials partials(e, op, op.getInputs(), resultLayout.outBits(),
                      warpBits.size());
    Registers lines = e.coordinates(resultLayout);
    Value warp = gatherBits(e, e.warpId(), warpBits);
    for (auto [tuple, line] : llvm::zip(results, lines))
      partials.store(tuple, line, warp);
    e.barrier();
    for (auto [tuple, line] : llvm::zip(results, lines)) {
      tuple = combineTree(e, op.getCombine(), partials.loadAll(line));
    }
  }
  for (auto [i, output] : llvm::enumerate(op.getOutputs())) {
    Registers registers;
    for (const Tuple &tuple : results)
      registers.push_back(tuple[i]);
    e.set(output, std::move(registers));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// scan
//===----------------------------------------------------------------------===//

/// The scan's layout gives each thread a run of the axis in its low registers,
/// each warp consecutive runs, and the block consecutive warps. Three prefixes
/// follow from each other: of the thread's run, of the lanes' totals, of the
/// warps'. Reversed scans walk all three from the other end.
LogicalResult tilec::emitScan(Emitter &e, tile::ScanOp op) {
  const LinearLayout &layout = getLayout(op.getInputs().front().getType());
  unsigned axis = op.getAxis();
  bool reverse = op.getReverse();
  Region &region = op.getCombine();
  SmallVector<unsigned> laneBits = getAxisBits(layout, InDim::Lane, axis);
  SmallVector<unsigned> warpBits = getAxisBits(layout, InDim::Warp, axis);
  LinearLayout lineLayout = layout.slice(axis);

  // Lines of this thread: registers of one line in the order of the axis.
  std::map<uint32_t, std::map<uint32_t, uint32_t>> lines;
  for (uint32_t r = 0; r < layout.size(InDim::Register); ++r) {
    uint32_t flat = layout.apply(InDim::Register, r);
    lines[lineLayout.apply(InDim::Register, r)][layout.coordinate(flat, axis)] =
        r;
  }
  Value lane = gatherBits(e, e.laneId(), laneBits);
  Value warp = gatherBits(e, e.warpId(), warpBits);
  unsigned firstLane = laneBits.empty() ? 0 : laneBits.front();
  uint32_t lastLane = (1u << laneBits.size()) - 1;
  uint32_t lastWarp = (1u << warpBits.size()) - 1;
  std::optional<Partials> partials;
  if (!warpBits.empty())
    partials.emplace(e, op, op.getInputs(), lineLayout.outBits(),
                     warpBits.size());
  Value lineBase = e.applyThread(lineLayout.allBases());
  auto compare = [&](LLVM::ICmpPredicate p, Value x, int64_t y) -> Value {
    return LLVM::ICmpOp::create(e.b, e.loc, p, x, e.i32(y));
  };

  struct Line {
    SmallVector<uint32_t> registers;
    SmallVector<Tuple> prefix;
    Tuple before; // total of the lanes that come first, if there are any
    Value number;
  };
  SmallVector<Line> work;
  for (auto &[key, byAxis] : lines) {
    Line line;
    for (auto &[position, r] : byAxis)
      line.registers.push_back(r);
    if (reverse)
      std::reverse(line.registers.begin(), line.registers.end());
    for (uint32_t r : line.registers) {
      Tuple tuple;
      for (Value input : op.getInputs())
        tuple.push_back(e.get(input)[r]);
      line.prefix.push_back(line.prefix.empty()
                                ? tuple
                                : e.combine(region, line.prefix.back(), tuple));
    }
    Tuple total = line.prefix.back();
    // Lanes: after step d a lane holds the total of the 2d lanes up to itself.
    auto kind = reverse ? NVVM::ShflKind::down : NVVM::ShflKind::up;
    Value clamp = e.i32(reverse ? 31 : 0);
    for (uint32_t d = 1; d <= lastLane; d *= 2) {
      Tuple other = shuffle(e, total, kind, e.i32(d << firstLane), clamp);
      Value has = reverse ? compare(LLVM::ICmpPredicate::ule, lane,
                                    int64_t(lastLane) - d)
                          : compare(LLVM::ICmpPredicate::uge, lane, d);
      total = select(e, has, e.combine(region, other, total), total);
    }
    if (lastLane)
      line.before = shuffle(e, total, kind, e.i32(1 << firstLane), clamp);
    line.number = LLVM::XOrOp::create(e.b, e.loc, lineBase, e.i32(key));
    if (partials) {
      // The last lane's total is the warp's; the others store nothing.
      uint32_t last = reverse ? 0 : lastLane;
      Value isLast = compare(LLVM::ICmpPredicate::eq, lane, last);
      partials->store(total, line.number, warp, isLast);
    }
    work.push_back(std::move(line));
  }
  if (partials)
    e.barrier();

  SmallVector<Registers> outputs(op.getNumResults(),
                                 Registers(layout.size(InDim::Register)));
  for (Line &line : work) {
    // Everything before this thread's run: warps first, then lanes.
    Tuple carry;
    Value hasCarry;
    if (partials) {
      for (uint32_t i = 0; i < lastWarp; ++i) {
        uint32_t w = reverse ? lastWarp - i : i;
        Tuple total = partials->load(line.number, e.i32(w));
        Value counts = compare(reverse ? LLVM::ICmpPredicate::ult
                                       : LLVM::ICmpPredicate::ugt,
                               warp, w);
        carry = carry.empty()
                    ? total
                    : select(e, counts, e.combine(region, carry, total), carry);
      }
      hasCarry = compare(LLVM::ICmpPredicate::ne, warp, reverse ? lastWarp : 0);
    }
    if (lastLane) {
      Value hasLanes =
          compare(LLVM::ICmpPredicate::ne, lane, reverse ? lastLane : 0);
      if (carry.empty()) {
        carry = line.before;
        hasCarry = hasLanes;
      } else {
        Tuple joined = e.combine(region, carry, line.before);
        Tuple withLanes = select(e, hasCarry, joined, line.before);
        carry = select(e, hasLanes, withLanes, carry);
        hasCarry = LLVM::OrOp::create(e.b, e.loc, hasCarry, hasLanes);
      }
    }
    for (auto [r, prefix] : llvm::zip(line.registers, line.prefix)) {
      Tuple result = prefix;
      if (!carry.empty())
        result = select(e, hasCarry, e.combine(region, carry, prefix), prefix);
      for (auto [i, value] : llvm::enumerate(result))
        outputs[i][r] = value;
    }
  }
  for (auto [output, registers] : llvm::zip(op.getOutputs(), outputs))
    e.set(output, std::move(registers));
  return success();
}
