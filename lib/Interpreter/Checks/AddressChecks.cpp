//===- AddressChecks.cpp - overflow in addresses --------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Additions and products of narrow integers note that they wrapped around,
// which is no fault by itself; accesses then compute the offsets of their
// active lanes again without wrapping. What loops and branches hand on is kept
// beside it as it would be without wrapping, from the first wrap on.
//
//===----------------------------------------------------------------------===//

#include "Checks/Checks.h"
#include "Checks/Elements.h"
#include "Checks/ValueChecks.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace mlir;
using namespace tilec;
using namespace tilec::interpreter;

/// What an operation of integers of up to 32 bits gives without wrapping.
static int64_t exactResult(Operation *op, int64_t a, int64_t b) {
  if (isa<arith::AddIOp>(op))
    return a + b;
  if (isa<arith::SubIOp>(op))
    return a - b;
  if (isa<arith::MulIOp>(op))
    return a * b;
  return b >= 0 && b < 31 ? a * (int64_t(1) << b) : INT32_MAX + int64_t(1);
}

/// Is a kind one of integers that wrap around before 64 bits do?
static bool isNarrow(Kind kind) {
  return kind == Kind::I8 || kind == Kind::I16 || kind == Kind::I32;
}

void tilec::interpreter::emitWrapCheck(Scope &scope, Operation *op) {
  View a = scope.lookup(op->getOperand(0)), b = scope.lookup(op->getOperand(1));
  if (!isNarrow(a.kind))
    return;
  int64_t n = std::max(distinct(a), distinct(b));
  scope.emit(op, [=](State &state) {
    if (state.wrapped)
      return Step::Next;
    for (int64_t i = 0; i < n; ++i) {
      int64_t exact =
          exactResult(op, integerAt(state, a, a.shape.empty() ? 0 : i),
                      integerAt(state, b, b.shape.empty() ? 0 : i));
      if (exact != llvm::SignExtend64(exact, sizeOf(a.kind) * 8)) {
        state.wrapped = op;
        break;
      }
    }
    return Step::Next;
  });
}

/// Is a reduction or scan a sum of one tile of narrow integers?
static bool isNarrowSum(Scope &scope, Operation *op) {
  if (!isa<tile::ReduceOp, tile::ScanOp>(op) || op->getNumOperands() != 1 ||
      !isNarrow(scope.lookup(op->getOperand(0)).kind))
    return false;
  Block &body = op->getRegion(0).front();
  Operation *last = body.getTerminator();
  return llvm::hasNItems(body, 2) && isa<arith::AddIOp>(body.front()) &&
         last->getOperand(0) == body.front().getResult(0);
}

void tilec::interpreter::emitSumWrapCheck(Scope &scope, Operation *op) {
  if (!scope.getChecks().values || !isNarrowSum(scope, op))
    return;
  View in = scope.lookup(op->getOperand(0));
  scope.emit(op, [=](State &state) {
    // A sum wraps only if the magnitudes do.
    uint64_t sum = 0;
    for (int64_t i = 0, n = in.count(); i < n && !state.wrapped; ++i) {
      sum += std::abs(integerAt(state, in, i));
      if (sum > uint64_t(llvm::maxIntN(sizeOf(in.kind) * 8)))
        state.wrapped = op;
    }
    return Step::Next;
  });
}

namespace {
/// An integer as the program has it and as it is without wrapping around, with
/// the operation that made the difference.
struct Exact {
  int64_t kept = 0;
  __int128 exact = 0;
  Operation *culprit = nullptr;
};

/// How an integer was computed, to compute it again without wrapping around.
struct Expression {
  Operation *op = nullptr; // null: take the value as it is
  View view;
  std::vector<Expression> operands;
  // Where a loop or a branch keeps the exact value, see emitExactCopies.
  std::optional<uint64_t> place;

  Exact evaluate(const State &state, int64_t number) const;

private:
  int64_t operandNumber(size_t i, int64_t number) const;
  Exact readPlace(const State &state, int64_t number) const;
  Exact sum(const State &state, int64_t number) const;
};
} // namespace

/// The element of an operand that an element of the result is made of.
int64_t Expression::operandNumber(size_t i, int64_t number) const {
  const View &from = operands[i].view;
  if (from.shape.empty() || isa<tile::SplatOp>(op))
    return 0;
  if (!isa<tile::BroadcastOp>(op))
    return number;
  int64_t result = 0, scale = 1;
  for (size_t axis = view.shape.size(); axis-- > 0;) {
    int64_t index = number % view.shape[axis];
    number /= view.shape[axis];
    result += (from.shape[axis] == 1 ? 0 : index) * scale;
    scale *= from.shape[axis];
  }
  return result;
}

Exact Expression::readPlace(const State &state, int64_t number) const {
  int64_t kept = integerAt(state, view, number);
  Exact result{kept, kept};
  if (!place)
    return result;
  std::memcpy(&result.culprit, state.frame + *place, 8);
  if (result.culprit) {
    int64_t exact;
    std::memcpy(&exact, state.frame + *place + 8 + number * 8, 8);
    result.exact = exact;
  }
  return result;
}

/// The sum that a reduction or scan gives.
Exact Expression::sum(const State &state, int64_t number) const {
  ArrayRef<int64_t> shape = operands[0].view.shape;
  auto scan = dyn_cast<tile::ScanOp>(op);
  int64_t axis = scan ? scan.getAxis() : cast<tile::ReduceOp>(op).getAxis();
  int64_t length = shape[axis], inner = countOf(shape.drop_front(axis + 1));
  int64_t first = 0, last = length, at = number % inner;
  int64_t outer = number / inner;
  if (scan) {
    int64_t index = outer % length;
    outer /= length;
    (scan.getReverse() ? first : last) = index + !scan.getReverse();
  }
  Exact result{integerAt(state, view, number)};
  for (int64_t i = first; i < last; ++i) {
    Exact in = operands[0].evaluate(state, (outer * length + i) * inner + at);
    result.exact += in.exact;
    result.culprit = result.culprit ? result.culprit : in.culprit;
  }
  if (!result.culprit && result.exact != result.kept)
    result.culprit = op;
  return result;
}

Exact Expression::evaluate(const State &state, int64_t number) const {
  if (!op)
    return readPlace(state, number);
  if (isa<tile::ReduceOp, tile::ScanOp>(op))
    return sum(state, number);
  if (isa<arith::SelectOp>(op)) {
    size_t chosen =
        integerAt(state, operands[0].view, operandNumber(0, number)) ? 1 : 2;
    return operands[chosen].evaluate(state, operandNumber(chosen, number));
  }
  Exact in = operands[0].evaluate(state, operandNumber(0, number));
  if (isa<arith::ExtUIOp>(op)) {
    // Without a sign as many bits hold twice as much.
    int64_t kept = integerAt(state, view, number);
    return in.culprit ? Exact{kept, in.exact, in.culprit} : Exact{kept, kept};
  }
  if (operands.size() == 1)
    return in;
  Exact other = operands[1].evaluate(state, operandNumber(1, number));
  Exact result{integerAt(state, view, number)};
  __int128 a = in.exact, b = other.exact;
  __int128 exact = isa<arith::AddIOp>(op)   ? a + b
                   : isa<arith::SubIOp>(op) ? a - b
                   : isa<arith::MulIOp>(op) ? a * b
                                            : a * (__int128(1) << int(b & 63));
  result.culprit = in.culprit ? in.culprit : other.culprit;
  if (!result.culprit && exact != result.kept)
    result.culprit = op;
  // Far beyond any address it only has to stay beyond.
  constexpr __int128 kMost = INT64_MAX;
  result.exact = std::clamp(exact, -kMost - 1, kMost);
  return result;
}

/// Follows the computation of an integer, through `budget` operations at most:
/// operands that are shared are visited again.
static Expression expressionOf(Scope &scope, Value value, unsigned &budget) {
  Expression expression;
  expression.view = scope.lookup(value);
  auto place = scope.exactPlaces.find(value);
  if (place != scope.exactPlaces.end()) {
    expression.place = place->second;
    return expression;
  }
  Operation *op = value.getDefiningOp();
  if (!op || budget == 0 ||
      !(isNarrowSum(scope, op) ||
        isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp,
            arith::ExtSIOp, arith::ExtUIOp, arith::SelectOp, tile::SplatOp,
            tile::BroadcastOp, tile::ExpandDimsOp, tile::ReshapeOp>(op)))
    return expression;
  --budget;
  expression.op = op;
  for (Value operand : op->getOperands())
    expression.operands.push_back(expressionOf(scope, operand, budget));
  return expression;
}

/// Operations that an offset is followed through.
static constexpr unsigned kMostOperations = 128;

/// Gathers the offsets that were added to a pointer, each with the operations
/// that spread it over the lanes.
static void gatherOffsets(Scope &scope, Value pointer,
                          SmallVectorImpl<Expression> &offsets) {
  SmallVector<Operation *> spreads;
  while (Operation *op = pointer.getDefiningOp()) {
    if (isa<tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp,
            tile::ReshapeOp>(op)) {
      spreads.push_back(op);
    } else if (isa<tile::AddPtrOp>(op)) {
      unsigned budget = kMostOperations;
      Expression offset = expressionOf(scope, op->getOperand(1), budget);
      for (Operation *spread : llvm::reverse(spreads)) {
        Expression outer;
        outer.op = spread;
        outer.view = offset.view; // only its shape counts
        outer.view.shape = scope.lookup(spread->getResult(0)).shape;
        outer.view.strides.assign(outer.view.shape.size(), 0);
        outer.operands.push_back(std::move(offset));
        offset = std::move(outer);
      }
      if (offset.op || offset.place)
        offsets.push_back(std::move(offset));
    } else {
      return;
    }
    pointer = op->getOperand(0);
  }
}

void tilec::interpreter::emitAddressCheck(Scope &scope, Operation *op,
                                          Value pointer, Value mask) {
  if (!scope.getChecks().values)
    return;
  SmallVector<Expression> offsets;
  gatherOffsets(scope, pointer, offsets);
  if (offsets.empty())
    return;
  std::optional<View> active;
  if (mask)
    active = scope.lookup(mask);
  View lanes = scope.lookup(pointer);
  scope.emit(op, [=](State &state) {
    if (!state.wrapped)
      return Step::Next;
    for (int64_t lane = 0, n = lanes.count(); lane < n; ++lane) {
      if (active && !integerAt(state, *active, lane))
        continue;
      for (const Expression &offset : offsets) {
        Exact result = offset.evaluate(state, lane);
        if (!result.culprit || result.exact == result.kept)
          continue;
        Type type = getElementTypeOrSelf(result.culprit->getOperand(0));
        state.fail(result.culprit,
                   llvm::formatv("int{0} overflow in an address: the offset is "
                                 "{1} and wraps around, compute it in int64 "
                                 "(.to(tl.int64))",
                                 type.getIntOrFloatBitWidth(),
                                 int64_t(result.exact)),
                   "overflow");
        state.fault.access = op->getName().stripDialect();
        state.note(op->getLoc(),
                   "this access uses it, lane " + laneName(lane, lanes.shape));
        state.fault.lane = lane;
        return state.goOn();
      }
    }
    return Step::Next;
  });
}

//===----------------------------------------------------------------------===//
// Loops and branches
//===----------------------------------------------------------------------===//

namespace {
/// Keeps the exact elements of a value: the operation that wrapped around, or
/// null if all elements are as the program has them, and then 64 bits of each.
struct ExactCopy {
  Expression from;
  uint64_t saved = 0, place = 0;
  int64_t count = 0;

  void evaluate(State &state) const {
    Operation *culprit = nullptr;
    for (int64_t i = 0; i < count && (from.op || from.place); ++i) {
      Exact result = from.evaluate(state, i);
      if (result.exact != result.kept && !culprit)
        culprit = result.culprit;
      int64_t exact = static_cast<int64_t>(result.exact);
      std::memcpy(state.frame + saved + 8 + i * 8, &exact, 8);
    }
    std::memcpy(state.frame + saved, &culprit, 8);
  }
};
} // namespace

void tilec::interpreter::emitExactCopies(Scope &scope, Operation *op,
                                         ValueRange from, ValueRange to) {
  if (!scope.getChecks().values)
    return;
  std::vector<ExactCopy> copies;
  for (auto [source, target] : llvm::zip(from, to)) {
    auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(target.getType()));
    if (!type || type.getWidth() == 1)
      continue;
    ExactCopy copy;
    unsigned budget = kMostOperations;
    copy.from = expressionOf(scope, source, budget);
    copy.count = scope.lookup(target).count();
    uint64_t bytes = 8 + 8 * copy.count;
    copy.saved = scope.allocate(bytes);
    auto [place, isNew] = scope.exactPlaces.try_emplace(target, 0);
    if (isNew)
      place->second = scope.allocate(bytes);
    copy.place = place->second;
    copies.push_back(std::move(copy));
  }
  if (copies.empty())
    return;
  scope.emit(op, [copies = std::move(copies)](State &state) {
    if (!state.wrapped) {
      for (const ExactCopy &copy : copies)
        std::memset(state.frame + copy.place, 0, 8);
      return Step::Next;
    }
    // As if all at once.
    for (const ExactCopy &copy : copies)
      copy.evaluate(state);
    for (const ExactCopy &copy : copies)
      std::memcpy(state.frame + copy.place, state.frame + copy.saved,
                  8 + 8 * copy.count);
    return Step::Next;
  });
}

void tilec::interpreter::bindExact(Scope &scope, ValueRange from,
                                   ValueRange to) {
  for (auto [source, target] : llvm::zip(from, to)) {
    auto place = scope.exactPlaces.find(source);
    if (place != scope.exactPlaces.end()) {
      uint64_t offset = place->second;
      scope.exactPlaces[target] = offset;
    }
  }
}
