//===- ValueChecks.cpp - checks of values ---------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Each check reads the operands or the result of one operation after the fact;
// the operation itself stays as it is.
//
//===----------------------------------------------------------------------===//

#include "Checks/ValueChecks.h"
#include "Checks/Checks.h"
#include "Checks/Elements.h"
#include "Checks/LaneFaults.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace tilec;
using namespace tilec::interpreter;

//===----------------------------------------------------------------------===//
// Hints
//===----------------------------------------------------------------------===//

namespace {
/// What the user said of one axis of a value, with the walk along it.
struct AxisHint {
  Operation *op;
  View view;
  int64_t length = 1, stride = 1; // of the axis, in elements in order
  int64_t unit = 1; // what a next element adds: bytes for pointers

  int64_t at(const State &state, int64_t row, int64_t i) const {
    return integerAt(state, view, numberOf(row, i));
  }
  int64_t numberOf(int64_t row, int64_t i) const {
    return row / stride * stride * length + row % stride + i * stride;
  }
  int64_t rows() const { return view.count() / length; }
  Step fail(State &state, const Twine &message, int64_t row, int64_t i) const;
};
} // namespace

Step AxisHint::fail(State &state, const Twine &message, int64_t row,
                    int64_t i) const {
  state.fail(op, message, "hint");
  return endLaneFault(state, op, view.shape, numberOf(row, i), 1);
}

/// Every run of neighbours along the axis begins at a multiple of `divisor`.
static Step checkDivisible(State &state, const AxisHint &hint,
                           int64_t divisor) {
  for (int64_t row = 0, rows = hint.rows(); row < rows; ++row) {
    int64_t last = 0;
    for (int64_t i = 0; i < hint.length; ++i) {
      int64_t value = hint.at(state, row, i);
      bool continues = i > 0 && value == last + hint.unit;
      last = value;
      if (continues || value % divisor == 0)
        continue;
      return hint.fail(state,
                       "multiple_of says multiples of " + Twine(divisor) +
                           ", got " + Twine(value),
                       row, i);
    }
  }
  return Step::Next;
}

/// In every aligned group of `size` along the axis the values go up by one, or
/// with `unit` 0 are the same.
static Step checkGroups(State &state, const AxisHint &hint, int64_t size,
                        int64_t unit) {
  for (int64_t row = 0, rows = hint.rows(); row < rows; ++row)
    for (int64_t i = 1; i < hint.length; ++i) {
      if (i % size == 0)
        continue;
      int64_t before = hint.at(state, row, i - 1),
              value = hint.at(state, row, i);
      if (value != before + unit)
        return hint.fail(state,
                         Twine(unit ? "max_contiguous" : "max_constancy") +
                             " says groups of " + Twine(size) + ", but " +
                             Twine(value) + " follows " + Twine(before),
                         row, i);
    }
  return Step::Next;
}

void tilec::interpreter::emitHintChecks(Scope &scope, Operation *op) {
  if (op->getNumResults() != 1)
    return;
  Type type = op->getResult(0).getType();
  for (StringRef name :
       {tile::kDivisibilityAttr, tile::kContiguityAttr, tile::kConstancyAttr}) {
    auto said = op->getAttrOfType<DenseI32ArrayAttr>(name);
    if (!said)
      continue;
    View view = scope.lookup(op->getResult(0));
    if (isFloat(view.kind))
      continue;
    AxisHint hint{op, view};
    if (auto pointer = dyn_cast<tile::PtrType>(getElementTypeOrSelf(type)))
      if (std::optional<Kind> kind = kindOf(pointer.getPointee()))
        hint.unit = sizeOf(*kind);
    for (auto [axis, size] : llvm::enumerate(said.asArrayRef())) {
      AxisHint along = hint;
      if (axis < view.shape.size()) {
        along.length = view.shape[axis];
        along.stride = countOf(ArrayRef(view.shape).drop_front(axis + 1));
      }
      if (along.view.count() == 0)
        continue;
      int64_t n = size;
      bool divides = name == tile::kDivisibilityAttr,
           repeats = name == tile::kConstancyAttr;
      scope.emit(op, [along, n, divides, repeats](State &state) {
        return divides ? checkDivisible(state, along, n)
                       : checkGroups(state, along, n, repeats ? 0 : along.unit);
      });
    }
  }
}

//===----------------------------------------------------------------------===//
// NaN and infinity
//===----------------------------------------------------------------------===//

/// May `from` be why a result is not finite? An infinity may come from an
/// infinity, a NaN only from a NaN: that infinities cancel is news.
static bool explains(double from, double result) {
  return std::isnan(result) ? std::isnan(from) : !std::isfinite(from);
}

/// Does any float of a view explain a result?
static bool anyExplains(const State &state, const View &view, double result) {
  for (int64_t i = 0, n = distinct(view); i < n; ++i)
    if (explains(floatAt(state, view, i), result))
      return true;
  return false;
}

/// Does an operation compute floats that may become NaN or infinite?
static bool computesFloats(Operation *op) {
  if (op->getNumResults() != 1 || isa<arith::ConstantOp, arith::SelectOp>(op) ||
      !isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType())))
    return false;
  StringRef dialect = op->getName().getDialectNamespace();
  return dialect == "arith" || dialect == "math" ||
         isa<tile::DotOp, tile::ReduceOp, tile::ScanOp>(op);
}

void tilec::interpreter::emitNanCheck(Scope &scope, Operation *op) {
  if (!computesFloats(op) ||
      isa<tile::ReduceOp, tile::ScanOp>(op->getParentOp()))
    return;
  View result = scope.lookup(op->getResult(0));
  SmallVector<View> operands;
  bool isElementwise = op->getName().getDialectNamespace() != "tile";
  for (Value value : op->getOperands()) {
    const View &view = scope.lookup(value);
    if (isFloat(view.kind))
      operands.push_back(view);
    isElementwise &= view.shape.empty() || view.shape == result.shape;
  }
  // A byte for each element: 1 where an infinity appears, 2 where a NaN does.
  View news = result;
  news.kind = Kind::I8;
  news.strides = result.isUniform()
                     ? SmallVector<int64_t, 4>(result.shape.size(), 0)
                     : denseStrides(result.shape);
  news.offset = scope.allocate(distinct(result));
  scope.emit(op, [=](State &state) {
    for (int64_t i = 0, n = distinct(result); i < n; ++i) {
      double value = floatAt(state, result, i);
      bool isNews =
          !std::isfinite(value) &&
          llvm::none_of(operands, [&](const View &view) {
            if (!isElementwise)
              return anyExplains(state, view, value);
            return explains(floatAt(state, view, view.shape.empty() ? 0 : i),
                            value);
          });
      state.frame[news.offset + i] = isNews ? 1 + std::isnan(value) : 0;
    }
    return Step::Next;
  });
  LaneTest test;
  test.op = op;
  test.view = news;
  test.isFaulty = [](const State &state, const View &view, int64_t lane) {
    return integerAt(state, view, lane) != 0;
  };
  test.report = [op](State &state, const View &view, int64_t lane,
                     int64_t count) {
    state.fail(op,
               integerAt(state, view, lane) == 2
                   ? "NaN appears here, from numbers that are none"
                   : "infinity appears here, from finite numbers",
               "nan");
    return endLaneFault(state, op, view.shape, lane, count);
  };
  addLaneTest(scope, std::move(test));
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Emits the check that shift amounts are below the width.
static void emitShiftCheck(Scope &scope, Operation *op) {
  View amounts = scope.lookup(op->getOperand(1));
  int64_t width =
      amounts.kind == Kind::I1 ? 1 : int64_t(sizeOf(amounts.kind)) * 8;
  LaneTest test;
  test.op = op;
  test.view = amounts;
  test.isFaulty = [width](const State &state, const View &view, int64_t lane) {
    return uint64_t(integerAt(state, view, lane)) >= uint64_t(width);
  };
  test.report = [op, width](State &state, const View &view, int64_t lane,
                            int64_t count) {
    state.fail(op,
               "shift of a number of " + Twine(width) + " bits by " +
                   Twine(integerAt(state, view, lane)),
               "shift");
    return endLaneFault(state, op, view.shape, lane, count);
  };
  addLaneTest(scope, std::move(test));
}

/// Emits the check that floats fit the integers that they become.
static void emitConversionCheck(Scope &scope, Operation *op) {
  View values = scope.lookup(op->getOperand(0));
  bool isSigned = isa<arith::FPToSIOp>(op);
  unsigned width =
      getElementTypeOrSelf(op->getResult(0).getType()).getIntOrFloatBitWidth();
  double high = std::ldexp(1.0, width - isSigned);
  double low = isSigned ? -high : 0;
  LaneTest test;
  test.op = op;
  test.view = values;
  test.isFaulty = [low, high](const State &state, const View &view,
                              int64_t lane) {
    double whole = std::trunc(floatAt(state, view, lane));
    return !(whole >= low && whole < high);
  };
  test.report = [=](State &state, const View &view, int64_t lane,
                    int64_t count) {
    state.fail(op,
               llvm::formatv("{0} does not fit an integer of {1} bits{2}",
                             floatAt(state, view, lane), width,
                             isSigned ? "" : " without sign"),
               "conversion");
    return endLaneFault(state, op, view.shape, lane, count);
  };
  addLaneTest(scope, std::move(test));
}

void tilec::interpreter::emitOperandChecks(Scope &scope, Operation *op) {
  if (isa<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(op))
    emitShiftCheck(scope, op);
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op))
    emitConversionCheck(scope, op);
  if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp>(op))
    emitWrapCheck(scope, op);
}
