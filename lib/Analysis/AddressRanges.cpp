//===- AddressRanges.cpp - offsets that do not fit 32 bits ----------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// MLIR's analysis of integer ranges, with the assumed ranges at its entry and
// the operations of the tile dialect added. It knows that a result wraps around
// by giving it every value; so each operation that an offset depends on is
// computed once more, exactly, from the ranges of its operands.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/AddressRanges.h"
#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Dialect/Tile/IR/Source.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace tilec;
using dataflow::IntegerValueRangeLattice;

namespace {
/// Both ends are possible values; of at most 64 bits.
struct Interval {
  __int128 low, high;
};
} // namespace

//===----------------------------------------------------------------------===//
// What is assumed
//===----------------------------------------------------------------------===//

/// The axis of `pid0`, `pid1` or `pid2`.
static std::optional<unsigned> axisOf(StringRef name) {
  unsigned axis = 0;
  if (!name.consume_front("pid") || name.getAsInteger(10, axis) || axis > 2)
    return std::nullopt;
  return axis;
}

/// The integer argument of that name, or null.
static BlockArgument findArgument(func::FuncOp kernel, StringRef name) {
  for (BlockArgument argument : kernel.getArguments())
    if (tile::getArgumentName(argument) == name &&
        argument.getType().isSignlessInteger())
      return argument;
  return {};
}

bool tilec::isAbout(const Assumption &assumption, func::FuncOp kernel) {
  return axisOf(assumption.name) || findArgument(kernel, assumption.name);
}

namespace {
/// The ranges that values have at first.
class Assumed {
public:
  Assumed(func::FuncOp kernel, ArrayRef<Assumption> assumptions);

  /// Of an argument; the whole type if nothing is said.
  ConstantIntRanges ofValue(Value value) const;
  /// Of the number of a program.
  ConstantIntRanges ofProgram(unsigned axis) const {
    return programs[axis] ? toRanges(*programs[axis], 32)
                          : ConstantIntRanges::maxRange(32);
  }

private:
  static void narrow(std::optional<Interval> &range, __int128 low,
                     __int128 high);
  static ConstantIntRanges toRanges(const Interval &range, unsigned width);
  void readCondition(arith::CmpIOp compare);

  DenseMap<Value, std::optional<Interval>> arguments;
  std::array<std::optional<Interval>, 3> programs;
};
} // namespace

void Assumed::narrow(std::optional<Interval> &range, __int128 low,
                     __int128 high) {
  if (range)
    range = {std::max(low, range->low), std::min(high, range->high)};
  else
    range = {low, high};
}

/// Values that the type cannot hold do not occur.
ConstantIntRanges Assumed::toRanges(const Interval &range, unsigned width) {
  __int128 most = (__int128(1) << (width - 1)) - 1;
  __int128 low = std::max(range.low, -most - 1),
           high = std::min(range.high, most);
  if (low > high)
    return ConstantIntRanges::maxRange(width);
  return ConstantIntRanges::fromSigned(
      APInt(width, static_cast<int64_t>(low), /*isSigned=*/true),
      APInt(width, static_cast<int64_t>(high), /*isSigned=*/true));
}

/// A condition of the kernel itself: an argument against a constant.
void Assumed::readCondition(arith::CmpIOp compare) {
  auto argument = dyn_cast<BlockArgument>(compare.getLhs());
  APInt bound;
  if (!argument || !matchPattern(compare.getRhs(), m_ConstantInt(&bound)) ||
      !argument.getType().isSignlessInteger())
    return;
  constexpr __int128 kMost = INT64_MAX;
  __int128 value = bound.getSExtValue();
  std::optional<Interval> &range = arguments[argument];
  // Sizes are not negative, unless the condition says so.
  switch (compare.getPredicate()) {
  case arith::CmpIPredicate::slt:
    return narrow(range, value > 0 ? 0 : -kMost, value - 1);
  case arith::CmpIPredicate::sle:
    return narrow(range, value >= 0 ? 0 : -kMost, value);
  case arith::CmpIPredicate::eq:
    return narrow(range, value, value);
  default:
    return;
  }
}

Assumed::Assumed(func::FuncOp kernel, ArrayRef<Assumption> assumptions) {
  for (const Assumption &assumption : assumptions) {
    std::optional<unsigned> axis = axisOf(assumption.name);
    BlockArgument argument = findArgument(kernel, assumption.name);
    if (argument)
      narrow(arguments[argument], assumption.low, assumption.high);
    else if (axis)
      narrow(programs[*axis], assumption.low, assumption.high);
  }
  for (auto assume : kernel.getOps<tile::AssumeOp>())
    if (auto compare = assume->getOperand(0).getDefiningOp<arith::CmpIOp>())
      readCondition(compare);
}

ConstantIntRanges Assumed::ofValue(Value value) const {
  unsigned width = ConstantIntRanges::getStorageBitwidth(value.getType());
  auto it = arguments.find(value);
  return it != arguments.end() && it->second
             ? toRanges(*it->second, width)
             : ConstantIntRanges::maxRange(width);
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

/// Does an operation only hand elements on?
static bool movesElements(Operation *op) {
  return isa<tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp,
             tile::ReshapeOp, tile::TransOp>(op);
}

/// Computations are followed so far for a narrower range.
static constexpr unsigned kMostDepth = 64;

namespace {
/// MLIR's analysis, from what is assumed.
class AssumedRangeAnalysis : public dataflow::IntegerRangeAnalysis {
public:
  AssumedRangeAnalysis(DataFlowSolver &solver, const Assumed &assumed)
      : IntegerRangeAnalysis(solver), assumed(assumed) {}

  void setToEntryState(IntegerValueRangeLattice *lattice) override {
    Value value = lattice->getAnchor();
    if (ConstantIntRanges::getStorageBitwidth(value.getType()) == 0)
      return IntegerRangeAnalysis::setToEntryState(lattice);
    set(lattice, assumed.ofValue(value));
  }

  LogicalResult
  visitOperation(Operation *op,
                 ArrayRef<const IntegerValueRangeLattice *> operands,
                 ArrayRef<IntegerValueRangeLattice *> results) override {
    if (auto program = dyn_cast<tile::ProgramIdOp>(op)) {
      set(results[0], assumed.ofProgram(program.getAxis()));
    } else if (auto arange = dyn_cast<tile::ArangeOp>(op)) {
      int64_t start = arange.getStart();
      int64_t size = tile::getShape(arange.getType())[0];
      set(results[0],
          ConstantIntRanges::fromSigned(
              APInt(32, start, /*isSigned=*/true, /*implicitTrunc=*/true),
              APInt(32, start + size - 1, /*isSigned=*/true,
                    /*implicitTrunc=*/true)));
    } else if (movesElements(op)) {
      join(results[0], *operands[0]);
    } else {
      return IntegerRangeAnalysis::visitOperation(op, operands, results);
    }
    return success();
  }

private:
  void set(IntegerValueRangeLattice *lattice, const ConstantIntRanges &range) {
    propagateIfChanged(lattice, lattice->join(IntegerValueRange(range)));
  }

  const Assumed &assumed;
};

/// The computations that addresses of a kernel depend on.
class OverflowFinder {
public:
  OverflowFinder(func::FuncOp kernel, DataFlowSolver &solver,
                 Warnings &warnings)
      : kernel(kernel), solver(solver), warnings(warnings) {}

  void run();

private:
  std::optional<Interval> rangeOf(Value value);
  std::optional<Interval> exactRange(Operation *op);
  void warn(Operation *op, Operation *address);

  func::FuncOp kernel;
  DataFlowSolver &solver;
  Warnings &warnings;
  DenseMap<Operation *, std::optional<Interval>> exactRanges;
  unsigned depth = 0; // of rangeOf in itself
};
} // namespace

/// The last value of a loop's counter is known better than by its bound.
static std::optional<Interval> counterRange(Value value,
                                            const Interval &range) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument
                  ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                  : scf::ForOp();
  APInt low, step;
  if (!loop || argument != loop.getInductionVar() ||
      !matchPattern(loop.getLowerBound(), m_ConstantInt(&low)) ||
      !matchPattern(loop.getStep(), m_ConstantInt(&step)) ||
      !step.isStrictlyPositive())
    return std::nullopt;
  __int128 from = low.getSExtValue(), by = step.getSExtValue();
  return Interval{from, from + (range.high - from) / by * by};
}

/// The range of an integer's elements; none if nothing is known of it.
std::optional<Interval> OverflowFinder::rangeOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!movesElements(op))
      break;
    value = op->getOperand(0);
  }
  auto *lattice = solver.lookupState<IntegerValueRangeLattice>(value);
  if (!lattice || lattice->getValue().isUninitialized())
    return std::nullopt;
  const ConstantIntRanges &ranges = lattice->getValue().getValue();
  if (ranges == ConstantIntRanges::maxRange(ranges.smin().getBitWidth()) ||
      ranges.smin().getBitWidth() > 64)
    return std::nullopt;
  Interval range{ranges.smin().getSExtValue(), ranges.smax().getSExtValue()};
  if (std::optional<Interval> counter = counterRange(value, range))
    return counter;
  // Computed from a counter, an exact range may be narrower.
  if (Operation *op = value.getDefiningOp()) {
    if (!exactRanges.contains(op) && depth < kMostDepth) {
      ++depth;
      std::optional<Interval> computed = exactRange(op);
      --depth;
      exactRanges[op] = computed;
    }
    std::optional<Interval> exact = exactRanges.lookup(op);
    if (exact && exact->low >= range.low && exact->high <= range.high)
      return exact;
  }
  return range;
}

/// What an operation of 32 bits gives when nothing wraps around.
std::optional<Interval> OverflowFinder::exactRange(Operation *op) {
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp>(op) ||
      !getElementTypeOrSelf(op->getResult(0).getType()).isInteger(32))
    return std::nullopt;
  std::optional<Interval> a = rangeOf(op->getOperand(0)),
                          b = rangeOf(op->getOperand(1));
  if (!a || !b)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return Interval{a->low + b->low, a->high + b->high};
  if (isa<arith::SubIOp>(op))
    return Interval{a->low - b->high, a->high - b->low};
  if (isa<arith::ShLIOp>(op)) {
    if (b->low < 0 || b->high > 31)
      return std::nullopt;
    b = Interval{__int128(1) << int(b->low), __int128(1) << int(b->high)};
  }
  auto [low, high] = std::minmax(
      {a->low * b->low, a->low * b->high, a->high * b->low, a->high * b->high});
  return Interval{low, high};
}

/// Decimal digits.
static std::string toString(__int128 value) {
  return llvm::toString(APInt(128, {uint64_t(value), uint64_t(value >> 64)}),
                        10,
                        /*Signed=*/true);
}

void OverflowFinder::warn(Operation *op, Operation *address) {
  std::optional<Interval> range = exactRange(op);
  if (!range || (range->low >= INT32_MIN && range->high <= INT32_MAX))
    return;
  __int128 reached = range->high > INT32_MAX ? range->high : range->low;
  SmallVector<Warnings::Note> notes;
  if (address->getLoc() != op->getLoc())
    notes.push_back({address->getLoc(), "this address uses it"});
  warnings.report(Warning::IntOverflow, op->getLoc(),
                  "int32 overflow in an address: for what is assumed this " +
                      Twine(isa<arith::AddIOp>(op)   ? "sum"
                            : isa<arith::SubIOp>(op) ? "difference"
                                                     : "product") +
                      " reaches " + toString(reached) +
                      ", compute it in int64 (.to(tl.int64))",
                  notes);
}

void OverflowFinder::run() {
  // Each computation once, with the first address that depends on it.
  llvm::MapVector<Operation *, Operation *> addresses;
  kernel.walk([&](tile::AddPtrOp address) {
    SmallVector<Value> reached = {address->getOperand(1)};
    while (!reached.empty()) {
      Operation *op = reached.pop_back_val().getDefiningOp();
      if (!op || op->getNumRegions() || isa<tile::LoadOp>(op) ||
          !addresses.try_emplace(op, address).second)
        continue;
      llvm::append_range(reached, op->getOperands());
    }
  });
  for (auto [op, address] : addresses)
    warn(op, address);
}

void tilec::warnOfOverflow(func::FuncOp kernel,
                           ArrayRef<Assumption> assumptions,
                           Warnings &warnings) {
  Assumed assumed(kernel, assumptions);
  DataFlowSolver solver;
  solver.load<dataflow::DeadCodeAnalysis>();
  solver.load<dataflow::SparseConstantPropagation>();
  solver.load<AssumedRangeAnalysis>(assumed);
  if (succeeded(solver.initializeAndRun(kernel->getParentOp())))
    OverflowFinder(kernel, solver, warnings).run();
}
