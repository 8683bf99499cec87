//===- AddressChecks.cpp - overflow in addresses
//----------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Additions and products of 32 bits note that they wrapped around, which is no
// fault by itself; accesses then compute the offsets of their active lanes
// again without wrapping.
//
//===----------------------------------------------------------------------===//

#include "Checks/Checks.h"
#include "Checks/Elements.h"
#include "Checks/ValueChecks.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::interpreter;

/// What an operation of 32-bit integers gives without wrapping around.
static int64_t exactResult(Operation *op, int64_t a, int64_t b) {
  if (isa<arith::AddIOp>(op))
    return a + b;
  if (isa<arith::SubIOp>(op))
    return a - b;
  if (isa<arith::MulIOp>(op))
    return a * b;
  return b >= 0 && b < 31 ? a * (int64_t(1) << b) : INT32_MAX + int64_t(1);
}

void tilec::interpreter::emitWrapCheck(Scope &scope, Operation *op) {
  View a = scope.lookup(op->getOperand(0)), b = scope.lookup(op->getOperand(1));
  if (a.kind != Kind::I32)
    return;
  int64_t n = std::max(distinct(a), distinct(b));
  scope.emit(op, [=](State &state) {
    if (state.wrapped)
      return Step::Next;
    for (int64_t i = 0; i < n; ++i) {
      int64_t exact =
          exactResult(op, integerAt(state, a, a.shape.empty() ? 0 : i),
                      integerAt(state, b, b.shape.empty() ? 0 : i));
      if (exact != int32_t(exact)) {
        state.wrapped = op;
        break;
      }
    }
    return Step::Next;
  });
}

namespace {
/// How an offset was computed, to compute it again without wrapping around.
struct Expression {
  Operation *op = nullptr; // null: take the value as it is
  View view;
  std::vector<Expression> operands;

  __int128 evaluate(const State &state, int64_t number,
                    Operation *&culprit) const;

private:
  int64_t operandNumber(size_t i, int64_t number) const;
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

__int128 Expression::evaluate(const State &state, int64_t number,
                              Operation *&culprit) const {
  int64_t kept = integerAt(state, view, number);
  if (!op)
    return kept;
  if (isa<arith::ExtUIOp>(op)) {
    // Without a sign 32 bits hold twice as much.
    Operation *wrapped = nullptr;
    __int128 exact = operands[0].evaluate(state, number, wrapped);
    if (exact != kept && !culprit)
      culprit = wrapped;
    return exact;
  }
  __int128 in[2] = {};
  for (size_t i = 0; i < operands.size(); ++i)
    in[i] = operands[i].evaluate(state, operandNumber(i, number), culprit);
  if (operands.size() == 1)
    return in[0];
  __int128 exact = isa<arith::AddIOp>(op)   ? in[0] + in[1]
                   : isa<arith::SubIOp>(op) ? in[0] - in[1]
                   : isa<arith::MulIOp>(op)
                       ? in[0] * in[1]
                       : in[0] * (__int128(1) << int(in[1] & 63));
  if (!culprit && exact != kept)
    culprit = op;
  // Far beyond any address it only has to stay beyond.
  constexpr __int128 kMost = INT64_MAX;
  return std::clamp(exact, -kMost - 1, kMost);
}

/// Follows the computation of an offset, through `budget` operations at most:
/// operands that are shared are visited again.
static Expression expressionOf(Scope &scope, Value value, unsigned &budget) {
  Expression expression;
  expression.view = scope.lookup(value);
  Operation *op = value.getDefiningOp();
  if (!op || budget == 0 ||
      !isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp,
           arith::ExtSIOp, arith::ExtUIOp, tile::SplatOp, tile::BroadcastOp,
           tile::ExpandDimsOp, tile::ReshapeOp>(op))
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
      if (offset.op)
        offsets.push_back(std::move(offset));
    } else {
      return;
    }
    pointer = op->getOperand(0);
  }
}

void tilec::interpreter::emitAddressCheck(Scope &scope, Operation *op,
                                          Value pointer, Value mask) {
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
        Operation *culprit = nullptr;
        __int128 exact = offset.evaluate(state, lane, culprit);
        if (!culprit)
          continue;
        state.fail(culprit,
                   llvm::formatv("int32 overflow in an address: the offset is "
                                 "{0} and wraps around, compute it in int64 "
                                 "(.to(tl.int64))",
                                 int64_t(exact)),
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
