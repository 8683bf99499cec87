//===- Evaluate.cpp - runs integer tile programs in a test ----------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Written from the definitions of the operations, sharing nothing with the
// analyses that are checked against it.
//
//===----------------------------------------------------------------------===//

#include "Evaluate.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <gtest/gtest.h>
#include <numeric>

using namespace mlir;
using namespace tilec;

/// Number of elements of a value.
static size_t count(Value value) {
  size_t n = 1;
  for (int64_t size : tile::getShape(value.getType()))
    n *= size;
  return n;
}

static unsigned widthOf(Type type) {
  Type element = tile::getElementType(type);
  return isa<tile::PtrType, IndexType>(element)
             ? 64
             : element.getIntOrFloatBitWidth();
}

/// The coordinates of a flat index.
static SmallVector<int64_t> unflatten(int64_t flat, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> at(shape.size());
  for (size_t i = shape.size(); i-- > 0; flat /= shape[i])
    at[i] = flat % shape[i];
  return at;
}

static int64_t flatten(ArrayRef<int64_t> at, ArrayRef<int64_t> shape) {
  int64_t flat = 0;
  for (auto [i, size] : llvm::zip(at, shape))
    flat = flat * size + i;
  return flat;
}

void Evaluator::set(Value value, Elements elements) {
  if (defined)
    observer(value, elements);
  values[value] = std::move(elements);
}

std::vector<Elements> Evaluator::getAll(ValueRange list) {
  std::vector<Elements> all;
  for (Value value : list)
    all.push_back(get(value));
  return all;
}

void Evaluator::setAll(ValueRange list, const std::vector<Elements> &elements) {
  for (auto [value, own] : llvm::zip(list, elements))
    set(value, own);
}

bool Evaluator::run(func::FuncOp function, ArrayRef<int64_t> arguments) {
  for (auto [argument, value] : llvm::zip(function.getArguments(), arguments))
    set(argument, {value});
  visit(function.getBody().front());
  return defined;
}

void Evaluator::visit(Block &block) {
  for (Operation &op : block.without_terminator()) {
    visit(&op);
    if (!defined)
      return;
  }
}

void Evaluator::visitFor(scf::ForOp loop) {
  int64_t upper = get(loop.getUpperBound())[0], step = get(loop.getStep())[0];
  std::vector<Elements> carried = getAll(loop.getInitArgs());
  for (int64_t i = get(loop.getLowerBound())[0]; i < upper && defined;
       i += step) {
    set(loop.getInductionVar(), {i});
    setAll(loop.getRegionIterArgs(), carried);
    visit(*loop.getBody());
    if (defined)
      carried = getAll(loop.getYieldedValues());
  }
  setAll(loop.getResults(), carried);
}

void Evaluator::visitWhile(scf::WhileOp loop) {
  std::vector<Elements> carried = getAll(loop.getInits());
  while (defined) {
    setAll(loop.getBeforeArguments(), carried);
    visit(*loop.getBeforeBody());
    if (!defined)
      return;
    carried = getAll(loop.getConditionOp().getArgs());
    if (!get(loop.getConditionOp().getCondition())[0])
      break;
    setAll(loop.getAfterArguments(), carried);
    visit(*loop.getAfterBody());
    if (defined)
      carried = getAll(loop.getYieldOp().getOperands());
  }
  setAll(loop.getResults(), carried);
}

void Evaluator::visit(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return visitFor(loop);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return visitWhile(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    bool taken = get(branch.getCondition())[0];
    Block &block = taken ? *branch.thenBlock() : *branch.elseBlock();
    visit(block);
    if (defined)
      setAll(branch.getResults(), getAll(block.getTerminator()->getOperands()));
    return;
  }
  if (op->getNumResults() == 1)
    set(op->getResult(0), compute(op));
}

/// Running sums along the axis; the region is taken to add.
Elements Evaluator::scan(tile::ScanOp op) {
  Elements result = get(op.getInputs().front());
  ArrayRef<int64_t> shape = tile::getShape(op.getInputs().front().getType());
  for (size_t i = 0; i < result.size(); ++i) {
    SmallVector<int64_t> at = unflatten(i, shape);
    if (at[op.getAxis()]-- > 0)
      result[i] = fit(result[i] + result[flatten(at, shape)],
                      op.getInputs().front().getType(), /*wraps=*/false);
  }
  return result;
}

Elements Evaluator::compute(Operation *op) {
  Value value = op->getResult(0);
  size_t n = count(value);
  ArrayRef<int64_t> shape = tile::getShape(value.getType());
  Elements result(n);
  /// Each element from the operand's element at the coordinates that `origin`
  /// gives.
  auto gather = [&](auto origin) {
    ArrayRef<int64_t> from = tile::getShape(op->getOperand(0).getType());
    for (size_t i = 0; i < n; ++i)
      result[i] =
          get(op->getOperand(0))[flatten(origin(unflatten(i, shape)), from)];
    return result;
  };
  using Coords = SmallVector<int64_t>;
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto number = dyn_cast<IntegerAttr>(constant.getValue()))
      return {number.getValue().getSExtValue()};
    auto elements = cast<DenseElementsAttr>(constant.getValue());
    for (auto [i, number] : llvm::enumerate(elements.getValues<APInt>()))
      result[i] = number.getSExtValue();
    return result;
  }
  if (auto arange = dyn_cast<tile::ArangeOp>(op)) {
    for (size_t i = 0; i < n; ++i)
      result[i] = static_cast<int32_t>(arange.getStart()) + int64_t(i);
    return result;
  }
  if (isa<tile::SplatOp>(op))
    return Elements(n, get(op->getOperand(0))[0]);
  if (isa<tile::ReshapeOp>(op))
    return get(op->getOperand(0));
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op))
    return gather([&](Coords at) {
      at.erase(at.begin() + expand.getAxis());
      return at;
    });
  if (auto trans = dyn_cast<tile::TransOp>(op))
    return gather([&](Coords at) {
      Coords from(at);
      for (auto [axis, origin] : llvm::enumerate(trans.getOrder()))
        from[origin] = at[axis];
      return from;
    });
  if (isa<tile::BroadcastOp>(op))
    return gather([&](Coords at) {
      for (auto [axis, size] :
           llvm::enumerate(tile::getShape(op->getOperand(0).getType())))
        at[axis] = std::min(at[axis], size - 1);
      return at;
    });
  if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    // The region is taken to add.
    Value input = reduce.getInputs().front();
    ArrayRef<int64_t> from = tile::getShape(input.getType());
    for (auto [i, x] : llvm::enumerate(get(input))) {
      Coords at = unflatten(i, from);
      at.erase(at.begin() + reduce.getAxis());
      int64_t &sum = result[flatten(at, shape)];
      sum = fit(sum + x, value.getType(), /*wraps=*/false);
    }
    return result;
  }
  if (auto sum = dyn_cast<tile::ScanOp>(op))
    return scan(sum);
  if (isa<tile::ProgramIdOp>(op))
    return {3};
  if (isa<tile::AtomicRMWOp>(op)) {
    // Each lane draws a number of its own.
    std::iota(result.begin(), result.end(), 5);
    return result;
  }
  return elementwise(op);
}

Elements Evaluator::elementwise(Operation *op) {
  Elements result(count(op->getResult(0)));
  for (size_t i = 0; i < result.size(); ++i) {
    SmallVector<int64_t> operands;
    for (Value operand : op->getOperands()) {
      const Elements &own = get(operand);
      operands.push_back(own[own.size() == 1 ? 0 : i]);
    }
    result[i] = element(op, operands);
  }
  return result;
}

/// A result at the width of its type; out of range it wraps or is undefined.
int64_t Evaluator::fit(int64_t value, Type type, bool wraps) {
  unsigned width = widthOf(type);
  int64_t wrapped = width == 64 ? value : llvm::SignExtend64(value, width);
  // Programs are small enough for 64-bit values to stay far from their limits.
  bool isFar = std::abs(value) >= int64_t(1) << 40;
  bool fits = any ? width < 64 || !isFar : wrapped == value && !isFar;
  if (!fits && !wraps)
    defined = false;
  return wrapped;
}

/// Quotient or remainder; undefined for divisors that are not positive, or
/// zero.
int64_t Evaluator::divide(Operation *op, int64_t x, int64_t y) {
  if (any ? y == 0 : y <= 0) {
    defined = false;
    return 0;
  }
  if (isa<arith::DivSIOp>(op))
    return x / y;
  if (isa<arith::RemSIOp>(op))
    return x % y;
  unsigned width = widthOf(op->getResult(0).getType());
  uint64_t dividend =
      width == 64 ? x : uint64_t(x) & llvm::maskTrailingOnes<uint64_t>(width);
  return llvm::SignExtend64(isa<arith::DivUIOp>(op) ? dividend / uint64_t(y)
                                                    : dividend % uint64_t(y),
                            width);
}

/// Compares two integers of one width.
static bool compare(arith::CmpIPredicate predicate, int64_t x, int64_t y) {
  // Sign extension keeps the unsigned order.
  uint64_t ux = x, uy = y;
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return x == y;
  case arith::CmpIPredicate::ne:
    return x != y;
  case arith::CmpIPredicate::slt:
    return x < y;
  case arith::CmpIPredicate::sle:
    return x <= y;
  case arith::CmpIPredicate::sgt:
    return x > y;
  case arith::CmpIPredicate::sge:
    return x >= y;
  case arith::CmpIPredicate::ult:
    return ux < uy;
  case arith::CmpIPredicate::ule:
    return ux <= uy;
  case arith::CmpIPredicate::ugt:
    return ux > uy;
  case arith::CmpIPredicate::uge:
    return ux >= uy;
  }
  return false;
}

int64_t Evaluator::element(Operation *op, ArrayRef<int64_t> x) {
  Type type = op->getResult(0).getType();
  if (isa<arith::DivSIOp, arith::RemSIOp, arith::DivUIOp, arith::RemUIOp>(op))
    return divide(op, x[0], x[1]);
  return TypeSwitch<Operation *, int64_t>(op)
      .Case<arith::AddIOp>([&](auto) { return fit(x[0] + x[1], type, false); })
      .Case<arith::SubIOp>([&](auto) { return fit(x[0] - x[1], type, false); })
      .Case<arith::MulIOp>([&](auto) {
        int64_t product;
        bool isFar = llvm::MulOverflow(x[0], x[1], product);
        return fit(isFar ? INT64_MAX : product, type, false);
      })
      .Case<arith::AndIOp>([&](auto) { return x[0] & x[1]; })
      .Case<arith::XOrIOp>([&](auto) { return x[0] ^ x[1]; })
      .Case<arith::MinSIOp>([&](auto) { return std::min(x[0], x[1]); })
      .Case<arith::MaxSIOp>([&](auto) { return std::max(x[0], x[1]); })
      .Case<arith::MinUIOp>(
          [&](auto) { return uint64_t(x[0]) < uint64_t(x[1]) ? x[0] : x[1]; })
      .Case<arith::MaxUIOp>(
          [&](auto) { return uint64_t(x[0]) > uint64_t(x[1]) ? x[0] : x[1]; })
      .Case<arith::SelectOp>([&](auto) { return x[0] ? x[1] : x[2]; })
      .Case<arith::ExtSIOp>([&](auto) { return x[0]; })
      .Case<arith::TruncIOp>([&](auto) { return fit(x[0], type, true); })
      .Case<arith::ExtUIOp>([&](arith::ExtUIOp o) {
        return x[0] &
               llvm::maskTrailingOnes<uint64_t>(widthOf(o.getIn().getType()));
      })
      .Case<arith::CmpIOp>([&](arith::CmpIOp o) {
        return compare(o.getPredicate(), x[0], x[1]) ? -1 : 0;
      })
      .Case<tile::AddPtrOp>([&](tile::AddPtrOp o) {
        auto pointer = cast<tile::PtrType>(tile::getElementType(type));
        return x[0] + x[1] * int64_t(widthOf(pointer.getPointee()) / 8);
      })
      .Case<tile::LoadOp>([&](auto) {
        // Memory holds a number that its address gives.
        return int64_t(uint64_t(x[0]) * 2654435761u >> 7 & 31) - 8;
      })
      .Default([&](Operation *other) {
        ADD_FAILURE() << "the evaluator does not know "
                      << other->getName().getStringRef().str();
        return 0;
      });
}
