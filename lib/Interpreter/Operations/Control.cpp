//===- Control.cpp - the grid, branches, loops, calls ---------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Control flow becomes jumps between labels, so a program holds no C++ stack.
// Calls are built in place.
//
//===----------------------------------------------------------------------===//

#include "Checks/Checks.h"
#include "Checks/ValueChecks.h"
#include "Operations/LoopSlice.h"
#include "Scope.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include <cstring>

using namespace mlir;
using namespace tilec;
using namespace tilec::interpreter;

/// Reads a scalar integer, extended to 64 bits.
static int64_t readInt(const State &state, const View &view, bool isSigned) {
  const char *at = state.frame + view.offset;
  auto load = [&](auto zero) {
    std::memcpy(&zero, at, sizeof(zero));
    return static_cast<int64_t>(zero);
  };
  switch (view.kind) {
  case Kind::I1:
    return isSigned ? -load(uint8_t(0)) : load(uint8_t(0));
  case Kind::I8:
    return isSigned ? load(int8_t(0)) : load(uint8_t(0));
  case Kind::I16:
    return isSigned ? load(int16_t(0)) : load(uint16_t(0));
  case Kind::I32:
    return isSigned ? load(int32_t(0)) : load(uint32_t(0));
  default:
    return load(int64_t(0));
  }
}

/// Writes a scalar integer; the low bytes of `value`.
static void writeInt(State &state, uint64_t offset, unsigned size,
                     int64_t value) {
  std::memcpy(state.frame + offset, &value, size);
}

/// The views of values.
static SmallVector<View> lookupAll(Scope &scope, ValueRange values) {
  SmallVector<View> views;
  for (Value value : values)
    views.push_back(scope.lookup(value));
  return views;
}

/// Emits copies of values that a loop or a branch hands on.
static void emitHandOn(Scope &scope, Operation *op, ValueRange from,
                       ValueRange to) {
  emitExactCopies(scope, op, from, to);
  scope.emitCopies(op, lookupAll(scope, from), lookupAll(scope, to));
}

/// Gives each value a dense place.
static LogicalResult defineAll(Scope &scope, ValueRange values,
                               SmallVectorImpl<View> &views) {
  for (Value value : values) {
    FailureOr<View> view = scope.define(value);
    if (failed(view))
      return failure();
    views.push_back(*view);
  }
  return success();
}

/// Lets values be the given views.
static void bindAll(Scope &scope, ValueRange values, ArrayRef<View> views) {
  for (auto [value, view] : llvm::zip(values, views))
    scope.bind(value, view);
}

//===----------------------------------------------------------------------===//
// The grid
//===----------------------------------------------------------------------===//

static LogicalResult buildProgramId(Scope &scope, Operation *op) {
  FailureOr<View> view = scope.define(op->getResult(0));
  unsigned axis = cast<tile::ProgramIdOp>(op).getAxis();
  scope.emit(op, [offset = view->offset, axis](State &state) {
    writeInt(state, offset, 4, state.program[axis]);
    return Step::Next;
  });
  return success();
}

static LogicalResult buildNumPrograms(Scope &scope, Operation *op) {
  FailureOr<View> view = scope.define(op->getResult(0));
  unsigned axis = cast<tile::NumProgramsOp>(op).getAxis();
  scope.emit(op, [offset = view->offset, axis](State &state) {
    writeInt(state, offset, 4, state.launch->grid[axis]);
    return Step::Next;
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Loops and branches
//===----------------------------------------------------------------------===//

/// Builds a region's block but for its terminator.
static LogicalResult buildBody(Scope &scope, Block &block) {
  return scope.build(block, /*withTerminator=*/false);
}

/// Emits a jump that is taken if a Boolean is false.
static void emitJumpUnless(Scope &scope, Operation *op, const View &condition,
                           size_t label) {
  scope.emit(op, [&code = scope.getCode(), condition, label](State &state) {
    if (!readInt(state, condition, false))
      state.position = code.labels[label];
    return Step::Next;
  });
}

/// Emits the count of iterations: `trips`, from the bounds when they are known.
static void emitTripCount(Scope &scope, scf::ForOp loop, const View &iv,
                          uint64_t trips) {
  bool isSigned = !loop.getUnsignedCmp();
  View low = scope.lookup(loop.getLowerBound()),
       high = scope.lookup(loop.getUpperBound()),
       step = scope.lookup(loop.getStep());
  Operation *op = loop;
  scope
      .emit(op,
            [=](State &state) {
              int64_t from = readInt(state, low, isSigned),
                      to = readInt(state, high, isSigned),
                      by = readInt(state, step, isSigned);
              if (isSigned ? by <= 0 : by == 0)
                return state.fail(op, "a loop needs a positive step, got " +
                                          Twine(by));
              bool runs = isSigned ? from < to : uint64_t(from) < uint64_t(to);
              uint64_t distance = uint64_t(to) - uint64_t(from);
              uint64_t count = runs ? (distance - 1) / uint64_t(by) + 1 : 0;
              writeInt(state, trips, 8, count);
              writeInt(state, iv.offset, sizeOf(iv.kind), from);
              return Step::Next;
            })
      .loop = Instruction::Loop::Run;
}

static LogicalResult buildFor(Scope &scope, Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  SmallVector<View> iv, carried;
  if (failed(defineAll(scope, loop.getInductionVar(), iv)) ||
      failed(defineAll(scope, loop.getRegionIterArgs(), carried)))
    return failure();
  uint64_t trips = scope.allocate(8);
  emitTripCount(scope, loop, iv[0], trips);
  emitHandOn(scope, op, loop.getInitArgs(), loop.getRegionIterArgs());

  Code &code = scope.getCode();
  size_t head = scope.newLabel(), exit = scope.newLabel();
  scope.placeLabel(head);
  scope.emit(op, [&code, trips, exit](State &state) {
    uint64_t left;
    std::memcpy(&left, state.frame + trips, 8);
    if (left == 0)
      state.position = code.labels[exit];
    writeInt(state, trips, 8, left - 1);
    return Step::Next;
  });
  if (failed(buildBody(scope, *loop.getBody())))
    return failure();
  Operation *yield = loop.getBody()->getTerminator();
  emitHandOn(scope, yield, yield->getOperands(), loop.getRegionIterArgs());
  View step = scope.lookup(loop.getStep());
  scope
      .emit(op,
            [&code, step, iv = iv[0], head](State &state) {
              uint64_t next = uint64_t(readInt(state, iv, true)) +
                              uint64_t(readInt(state, step, true));
              writeInt(state, iv.offset, sizeOf(iv.kind), next);
              state.position = code.labels[head];
              return Step::Next;
            })
      .loop = Instruction::Loop::Iteration;
  scope.placeLabel(exit);
  bindAll(scope, op->getResults(), carried);
  bindExact(scope, loop.getRegionIterArgs(), op->getResults());
  return success();
}

static LogicalResult buildIf(Scope &scope, Operation *op) {
  auto branch = cast<scf::IfOp>(op);
  SmallVector<View> results;
  if (failed(defineAll(scope, op->getResults(), results)))
    return failure();
  size_t otherwise = scope.newLabel(), exit = scope.newLabel();
  emitJumpUnless(scope, op, scope.lookup(branch.getCondition()), otherwise);
  auto buildArm = [&](Block &block) -> LogicalResult {
    if (failed(buildBody(scope, block)))
      return failure();
    Operation *yield = block.getTerminator();
    emitHandOn(scope, yield, yield->getOperands(), op->getResults());
    return success();
  };
  if (failed(buildArm(*branch.thenBlock())))
    return failure();
  if (branch.elseBlock()) {
    scope.emitJump(op, exit);
    scope.placeLabel(otherwise);
    if (failed(buildArm(*branch.elseBlock())))
      return failure();
  } else {
    scope.placeLabel(otherwise);
  }
  scope.placeLabel(exit);
  return success();
}

namespace {
/// Compares what a loop's iteration began with to what the next begins with.
class CarriedValues {
public:
  /// Of the values that are `chosen`.
  CarriedValues(ArrayRef<View> from, ArrayRef<View> carried,
                const llvm::BitVector &chosen) {
    // Large values are taken for changed rather than compared each time.
    constexpr uint64_t kMostBytes = 256;
    for (unsigned i : chosen.set_bits()) {
      isComparable &= from[i].isDense() && from[i].denseBytes() <= kMostBytes;
      places.emplace_back(from[i].offset, carried[i].offset,
                          from[i].denseBytes());
    }
  }

  bool areSame(const State &state) const {
    return isComparable && llvm::all_of(places, [&](const auto &place) {
             auto [source, target, bytes] = place;
             return std::memcmp(state.frame + source, state.frame + target,
                                bytes) == 0;
           });
  }

private:
  SmallVector<std::tuple<uint64_t, uint64_t, uint64_t>> places;
  bool isComparable = true;
};
} // namespace

/// Emits the jump to the next iteration of a loop that may wait: it yields now
/// and then. An iteration is idle if what matters is as it was before.
static void emitWaitingJump(Scope &scope, Operation *op, ArrayRef<View> from,
                            ArrayRef<View> carried, const LoopSlice &slice,
                            size_t head) {
  CarriedValues matters(from, carried, slice.matters),
      decides(from, carried, slice.decides);
  scope.emit(op, [=](State &state) {
    state.idleTurns = matters.areSame(state) ? state.idleTurns + 1 : 0;
    uint64_t departures = state.launch->departures;
    if (state.roundsAt != departures || !decides.areSame(state))
      state.rounds = 0;
    state.roundsAt = departures;
    ++state.rounds;
    return Step::Next;
  });
  scope.emitCopies(op, from, carried);
  scope.emit(op, [&code = scope.getCode(), head](State &state) {
    state.position = code.labels[head];
    if (++state.turns < state.patience)
      return Step::Next;
    state.turns = 0;
    return Step::Yield;
  });
}

/// Emits the jump to the next iteration of a loop that reads no memory: if
/// nothing has changed that decides about its end, it has none.
static void emitLoopingJump(Scope &scope, Operation *op, ArrayRef<View> from,
                            ArrayRef<View> carried, const LoopSlice &slice,
                            size_t head) {
  scope.emit(op, [op, decides = CarriedValues(from, carried, slice.decides)](
                     State &state) {
    if (!decides.areSame(state))
      return Step::Next;
    return state.fail(op,
                      "deadlock: this loop never ends, for its iterations "
                      "change nothing that its condition reads",
                      "deadlock");
  });
  scope.emitCopies(op, from, carried);
  scope.emitJump(op, head);
}

static LogicalResult buildWhile(Scope &scope, Operation *op) {
  auto loop = cast<scf::WhileOp>(op);
  LoopSlice slice = sliceLoop(loop);
  scope.waitingLoops += slice.reads;
  SmallVector<View> before, after;
  if (failed(defineAll(scope, loop.getBeforeArguments(), before)) ||
      failed(defineAll(scope, loop.getAfterArguments(), after)))
    return failure();
  emitHandOn(scope, op, loop.getInits(), loop.getBeforeArguments());
  size_t head = scope.newLabel(), exit = scope.newLabel();
  scope.placeLabel(head);
  if (failed(buildBody(scope, *loop.getBeforeBody())))
    return failure();
  scf::ConditionOp condition = loop.getConditionOp();
  emitHandOn(scope, condition, condition.getArgs(), loop.getAfterArguments());
  emitJumpUnless(scope, condition, scope.lookup(condition.getCondition()),
                 exit);
  if (failed(buildBody(scope, *loop.getAfterBody())))
    return failure();
  Operation *yield = loop.getAfterBody()->getTerminator();
  SmallVector<View> next = lookupAll(scope, yield->getOperands());
  emitExactCopies(scope, yield, yield->getOperands(),
                  loop.getBeforeArguments());
  if (slice.reads) {
    scope.getCode().mayWait = true;
    emitWaitingJump(scope, op, next, before, slice, head);
  } else {
    emitLoopingJump(scope, op, next, before, slice, head);
  }
  scope.placeLabel(exit);
  // A loop that only a loop goes round is no way out of that.
  scope.waitingLoops -= slice.reads;
  if (slice.reads && scope.waitingLoops == 0)
    scope.emit(op, [](State &state) {
      state.rounds = 0;
      ++state.launch->departures;
      return Step::Next;
    });
  bindAll(scope, op->getResults(), after);
  bindExact(scope, loop.getAfterArguments(), op->getResults());
  return success();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static LogicalResult buildCall(Scope &scope, Operation *op) {
  auto call = cast<func::CallOp>(op);
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, call.getCalleeAttr());
  if (!callee || callee.isExternal() || !callee.getBody().hasOneBlock())
    return emitError(op->getLoc(), "the interpreter needs the body of '")
           << call.getCallee() << "', in one block";
  if (!scope.callees.insert(callee).second)
    return emitError(op->getLoc(), "'")
           << call.getCallee() << "' calls itself, kernels cannot recurse";
  SmallVector<View> results;
  if (failed(defineAll(scope, op->getResults(), results)))
    return failure();
  bindAll(scope, callee.getArguments(), lookupAll(scope, op->getOperands()));
  scope.returns.emplace_back(results);
  if (failed(scope.build(callee.getBody().front())))
    return failure();
  scope.returns.pop_back();
  scope.callees.erase(callee);
  return success();
}

static LogicalResult buildReturn(Scope &scope, Operation *op) {
  scope.emitCopies(op, lookupAll(scope, op->getOperands()),
                   scope.returns.back());
  return success();
}

//===----------------------------------------------------------------------===//
// Assertions, prints, barriers
//===----------------------------------------------------------------------===//

/// The lanes of a Boolean tile that are false: their number, and the first.
static int64_t countFalse(const State &state, uint64_t offset, int64_t n,
                          int64_t &first) {
  const char *values = state.frame + offset;
  int64_t count = 0;
  first = -1;
  for (int64_t i = 0; i < n; ++i)
    if (!values[i]) {
      first = first < 0 ? i : first;
      ++count;
    }
  return count;
}

/// Emits the check that a condition holds. Assumptions are checked on request.
static void emitCondition(Scope &scope, Operation *op, const View &condition,
                          std::string message, StringRef kind,
                          bool isAssumption) {
  uint64_t offset = scope.makeDense(op, condition);
  scope.emit(op, [=](State &state) {
    if (isAssumption && !state.launch->check)
      return Step::Next;
    int64_t first, n = condition.count();
    int64_t count = countFalse(state, offset, n, first);
    if (count == 0)
      return Step::Next;
    state.fail(op, message, kind);
    state.fault.lane = first;
    state.fault.count = count;
    if (n > 1)
      state.note(op->getLoc(), "lane " + laneName(first, condition.shape) +
                                   " is the first of " + Twine(count) +
                                   " where it does not hold, of " + Twine(n));
    return isAssumption ? state.goOn() : Step::Fault;
  });
}

static LogicalResult buildAssert(Scope &scope, Operation *op) {
  auto assertion = cast<tile::AssertOp>(op);
  emitCondition(scope, op, View(scope.lookup(assertion.getCondition())),
                ("assertion failed: " + assertion.getMessage()).str(), "assert",
                false);
  return success();
}

static LogicalResult buildAssume(Scope &scope, Operation *op) {
  emitCondition(scope, op, View(scope.lookup(op->getOperand(0))),
                "an assumption does not hold", "assumption", true);
  return success();
}

/// Programs order their own accesses, and grids run one after another.
static LogicalResult buildBarrier(Scope &scope, Operation *op) {
  scope.emit(op, [](State &) { return Step::Next; }).touchesMemory = true;
  return success();
}

static LogicalResult buildPrint(Scope &scope, Operation *op) {
  auto print = cast<tile::PrintOp>(op);
  SmallVector<std::pair<uint64_t, Kind>> values;
  SmallVector<Type> types;
  SmallVector<int64_t> shape;
  int64_t count = 1;
  for (Value value : print.getValues()) {
    View view = scope.lookup(value);
    values.emplace_back(scope.makeDense(op, view), view.kind);
    types.push_back(getElementTypeOrSelf(value.getType()));
    shape.assign(view.shape.begin(), view.shape.end());
    count = view.count();
  }
  std::optional<uint64_t> mask;
  if (print.getMask())
    mask = scope.makeDense(op, View(scope.lookup(print.getMask())));
  scope.getCode().isOrdered = true;
  std::string prefix = print.getPrefix().str();
  bool hex = print.getHex();
  scope.emit(op, [=](State &state) {
    llvm::raw_ostream *os = state.launch->output;
    if (!os)
      return Step::Next;
    for (int64_t i = 0; i < count; ++i) {
      if (mask && !state.frame[*mask + i])
        continue;
      *os << "pid (" << state.program[0] << ", " << state.program[1] << ", "
          << state.program[2] << ") idx ";
      if (shape.size() == 1)
        *os << "(" << i << ")";
      else
        *os << (shape.empty() ? "()" : laneName(i, shape));
      *os << " " << prefix;
      for (auto [n, value] : llvm::enumerate(values)) {
        auto [offset, kind] = value;
        *os << (n ? " " : "");
        printElement(*os, types[n], state.frame + offset + i * sizeOf(kind),
                     hex);
      }
      *os << "\n";
    }
    return Step::Next;
  });
  return success();
}

static LogicalResult buildInlineAsm(Scope &, Operation *op) {
  return emitError(op->getLoc(),
                   "inline assembly runs on a GPU only: write this in the "
                   "language, or use --device cuda");
}

ArrayRef<BuilderEntry> tilec::interpreter::controlBuilders() {
  static const BuilderEntry entries[] = {
      {"tile.program_id", buildProgramId},
      {"tile.num_programs", buildNumPrograms},
      {"scf.for", buildFor},
      {"scf.if", buildIf},
      {"scf.while", buildWhile},
      {"func.call", buildCall},
      {"func.return", buildReturn},
      {"tile.assert", buildAssert},
      {"tile.assume", buildAssume},
      {"tile.barrier", buildBarrier},
      {"tile.gdc_wait", buildBarrier},
      {"tile.gdc_launch_dependents", buildBarrier},
      {"tile.print", buildPrint},
      {"tile.inline_asm", buildInlineAsm},
  };
  return entries;
}
