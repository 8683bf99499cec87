//===- FillerResults.cpp - results with and without fillers ---------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// What a reduction makes of fillers may be absorbed before it gets to memory:
// `minimum(min(v), 0)` is 0 for data that is positive, with fillers and
// without. So the operations between are computed twice, in double precision.
//
//===----------------------------------------------------------------------===//

#include "Checks/Elements.h"
#include "Checks/Fillers.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include <cmath>

using namespace mlir;
using namespace tilec;
using namespace tilec::interpreter;

namespace {
/// How a value was computed from reductions.
struct Result {
  Operation *op = nullptr; // null: take the value as it is
  View view;
  std::vector<Result> operands;
  // Of a reduction: where it lies without fillers, and its bit.
  std::optional<std::pair<uint64_t, uint8_t>> without;

  /// An element, or none if it was leaked into on the way.
  std::optional<double> evaluate(const State &state, int64_t number,
                                 bool withFillers) const;

private:
  std::optional<double> leaf(const State &state, int64_t number,
                             bool withFillers) const;
};
} // namespace

std::optional<double> Result::leaf(const State &state, int64_t number,
                                   bool withFillers) const {
  uint64_t place = placeOf(view, number);
  if (uint8_t leaks = state.marks()[place] & kLeaks) {
    // What leaked into the operands is in both.
    if (!without || leaks != without->second)
      return std::nullopt;
    place = withFillers ? place : without->first + number * sizeOf(view.kind);
  }
  const char *at = state.frame + place;
  return isFloat(view.kind) ? floatAt(at, view.kind)
                            : static_cast<double>(integerAt(at, view.kind));
}

std::optional<double> Result::evaluate(const State &state, int64_t number,
                                       bool withFillers) const {
  if (!op)
    return leaf(state, number, withFillers);
  std::optional<double> in[2];
  for (auto [i, operand] : llvm::enumerate(operands)) {
    bool isOne = operand.view.shape.empty();
    in[i] = operand.evaluate(state, isOne ? 0 : number, withFillers);
    if (!in[i])
      return std::nullopt;
  }
  double a = *in[0], b = in[1].value_or(0);
  if (isa<arith::AddFOp>(op))
    return a + b;
  if (isa<arith::SubFOp>(op))
    return a - b;
  if (isa<arith::MulFOp>(op))
    return a * b;
  if (isa<arith::DivFOp>(op))
    return a / b;
  if (isa<arith::MinimumFOp, arith::MinNumFOp, arith::MinSIOp>(op))
    return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b);
  if (isa<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp>(op))
    return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b);
  return isa<math::AbsFOp>(op) ? std::abs(a) : a;
}

static Result resultOf(Scope &scope, Value value, unsigned &budget) {
  Result result;
  result.view = scope.lookup(value);
  auto place = scope.withoutFillers.find(value);
  if (place != scope.withoutFillers.end()) {
    result.without = place->second;
    return result;
  }
  Operation *op = value.getDefiningOp();
  if (!op || budget == 0 ||
      !isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
           arith::MinimumFOp, arith::MaximumFOp, arith::MinNumFOp,
           arith::MaxNumFOp, arith::MinSIOp, arith::MaxSIOp, math::AbsFOp,
           arith::ExtFOp, arith::TruncFOp, tile::SplatOp>(op))
    return result;
  --budget;
  result.op = op;
  for (Value operand : op->getOperands())
    result.operands.push_back(resultOf(scope, operand, budget));
  return result;
}

std::function<bool(const State &, int64_t)>
tilec::interpreter::makeAbsorbed(Scope &scope, Value value) {
  const Fillers *fillers = scope.getFillers();
  if (!fillers || !fillers->mayMark(value))
    return nullptr;
  unsigned budget = 64;
  Result result = resultOf(scope, value, budget);
  if (!result.op)
    return nullptr;
  return [result](const State &state, int64_t lane) {
    std::optional<double> with = result.evaluate(state, lane, true),
                          without = result.evaluate(state, lane, false);
    return with && without &&
           (*with == *without || (std::isnan(*with) && std::isnan(*without)));
  };
}
