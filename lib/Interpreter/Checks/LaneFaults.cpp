//===- LaneFaults.cpp - faults of lanes whose value is used ---------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Ways from an operation to what uses its lanes are found while the code is
// built; the masks on a way are read when it has been gone.
//
//===----------------------------------------------------------------------===//

#include "Checks/LaneFaults.h"
#include "Checks/Checks.h"
#include "Checks/Elements.h"
#include "Operations/Kernels.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::interpreter;

/// Ways that are followed from one operation, and their length: programs that
/// share much have many.
static constexpr size_t kMostWays = 16, kLongestWay = 32;

Step tilec::interpreter::endLaneFault(State &state, Operation *op,
                                      ArrayRef<int64_t> shape, int64_t first,
                                      int64_t count) {
  state.fault.lane = first;
  state.fault.count = count;
  if (countOf(shape) > 1)
    state.note(op->getLoc(), "lane " + laneName(first, shape) +
                                 " is the first of " + Twine(count) +
                                 " such lanes");
  return state.goOn();
}

//===----------------------------------------------------------------------===//
// Ways
//===----------------------------------------------------------------------===//

/// Does each element of the result come of one element of each operand?
static bool isLanewise(Operation *op) {
  if (op->getParentOfType<tile::ReduceOp>() ||
      op->getParentOfType<tile::ScanOp>())
    return false;
  return isa<tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp>(op) ||
         findKernels(op->getName().getStringRef());
}

namespace {
/// Finds the ways from a result to what uses it.
class WayFinder {
public:
  /// False if there are too many.
  bool follow(Value value);
  SmallVector<LaneWay> take() { return std::move(ways); }

private:
  LaneWay way;
  SmallVector<LaneWay> ways;
  unsigned budget = 512; // uses
};
} // namespace

bool WayFinder::follow(Value value) {
  for (OpOperand &use : value.getUses()) {
    if (budget-- == 0 || way.size() == kLongestWay || ways.size() > kMostWays)
      return false;
    way.push_back(&use);
    Operation *user = use.getOwner();
    if (!isLanewise(user))
      ways.push_back(way);
    else
      for (Value result : user->getResults())
        if (!follow(result))
          return false;
    way.pop_back();
  }
  return ways.size() <= kMostWays;
}

/// The operation that a use in the region of a reduction belongs to.
static Operation *endOf(const LaneWay &way) {
  Operation *op = way.back()->getOwner();
  while (isa<tile::ReduceOp, tile::ScanOp>(op->getParentOp()))
    op = op->getParentOp();
  return op;
}

//===----------------------------------------------------------------------===//
// Views along a way
//===----------------------------------------------------------------------===//

namespace {
/// A Boolean that a lane's value passes only if it is `wanted`.
struct Condition {
  View view;
  bool wanted;
};

/// A test at the end of a way.
struct GuardedTest {
  LaneTest test;
  View view; // of the test's, by the lanes at the end
  SmallVector<Condition, 2> conditions;

  GuardedTest(Scope &scope, const LaneTest &test, const LaneWay &way);
  Step run(State &state) const;

private:
  void go(Scope &scope, OpOperand &use);
  void finish(Scope &scope, OpOperand &use);
  void require(Scope &scope, Value condition, bool wanted);
};
} // namespace

/// Repeats a view over a shape: a scalar, or axes of size 1.
static void repeat(View &view, ArrayRef<int64_t> shape) {
  if (view.shape.empty())
    view.strides.assign(shape.size(), 0);
  for (size_t axis = 0; axis < view.shape.size(); ++axis)
    if (view.shape[axis] == 1)
      view.strides[axis] = 0;
  view.shape.assign(shape.begin(), shape.end());
}

/// Notes a condition on the lanes as they are here.
void GuardedTest::require(Scope &scope, Value condition, bool wanted) {
  View mask = scope.lookup(condition);
  if (mask.shape.empty())
    repeat(mask, view.shape);
  if (mask.shape == view.shape)
    conditions.push_back({mask, wanted});
}

/// Follows the lanes through an operation.
void GuardedTest::go(Scope &scope, OpOperand &use) {
  Operation *op = use.getOwner();
  unsigned number = use.getOperandNumber();
  if (isa<arith::SelectOp>(op) && number > 0)
    require(scope, op->getOperand(0), number == 1);
  bool isBoolean = getElementTypeOrSelf(use.get().getType()).isInteger(1);
  if (isa<arith::AndIOp, arith::OrIOp>(op) && isBoolean)
    require(scope, op->getOperand(1 - number), isa<arith::AndIOp>(op));
  auto change = [&](View &view) {
    if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
      view.shape.insert(view.shape.begin() + expand.getAxis(), 1);
      view.strides.insert(view.strides.begin() + expand.getAxis(), 0);
    } else {
      repeat(view, tile::getShape(op->getResult(0).getType()));
    }
  };
  change(view);
  for (Condition &condition : conditions)
    change(condition.view);
}

/// Applies the mask of an access that ends the way.
void GuardedTest::finish(Scope &scope, OpOperand &use) {
  Value mask, other;
  llvm::TypeSwitch<Operation *>(use.getOwner())
      .Case<tile::StoreOp, tile::AtomicRMWOp, tile::AtomicCASOp>(
          [&](auto op) { mask = op.getMask(); })
      .Case<tile::LoadOp>([&](tile::LoadOp op) {
        mask = op.getMask();
        other = op.getOther();
      });
  if (mask && use.get() != mask)
    require(scope, mask, use.get() != other);
}

GuardedTest::GuardedTest(Scope &scope, const LaneTest &test, const LaneWay &way)
    : test(test), view(test.view) {
  if (way.empty())
    return;
  for (OpOperand *use : ArrayRef(way).drop_back())
    go(scope, *use);
  finish(scope, *way.back());
}

Step GuardedTest::run(State &state) const {
  if (!test.mayFail(state))
    return Step::Next;
  int64_t first = -1, count = 0;
  int64_t n = conditions.empty() ? distinct(view) : view.count();
  for (int64_t lane = 0; lane < n; ++lane) {
    bool passes = llvm::all_of(conditions, [&](const Condition &condition) {
      return (integerAt(state, condition.view, lane) != 0) == condition.wanted;
    });
    if (!passes || !test.isFaulty(state, view, lane))
      continue;
    first = first < 0 ? lane : first;
    ++count;
  }
  return count ? test.report(state, view, first, count) : Step::Next;
}

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

/// Emits a test here.
static void emitTest(Scope &scope, Operation *at, const LaneTest &test,
                     const LaneWay &way) {
  scope.emit(at, [guarded = GuardedTest(scope, test, way)](State &state) {
    return guarded.run(state);
  });
}

void tilec::interpreter::addLaneTest(Scope &scope, LaneTest test) {
  if (!test.mayFail)
    test.mayFail = [view = test.view,
                    isFaulty = test.isFaulty](const State &state) {
      for (int64_t i = 0, n = distinct(view); i < n; ++i)
        if (isFaulty(state, view, i))
          return true;
      return false;
    };
  WayFinder finder;
  // Reductions give what they find to all lanes at once.
  bool isFollowed = isLanewise(test.op);
  for (Value result : test.op->getResults())
    isFollowed = isFollowed && finder.follow(result);
  if (!isFollowed)
    return emitTest(scope, test.op, test, {});
  auto shared = std::make_shared<const LaneTest>(std::move(test));
  for (LaneWay &way : finder.take())
    scope.laneTests[endOf(way)].emplace_back(shared, std::move(way));
}

void tilec::interpreter::emitLaneTests(Scope &scope, Operation *op) {
  auto it = scope.laneTests.find(op);
  if (it == scope.laneTests.end())
    return;
  // Calls build an operation again, with tests of its own.
  auto tests = std::move(it->second);
  scope.laneTests.erase(it);
  bool leaves = op->hasTrait<OpTrait::IsTerminator>();
  for (const auto &[test, way] : tests)
    if (!leaves || test->countsBeyondBlocks || test->view.shape.empty())
      emitTest(scope, op, *test, way);
}

//===----------------------------------------------------------------------===//
// Divisions
//===----------------------------------------------------------------------===//

void tilec::interpreter::addDivisionTest(Scope &scope, Operation *op) {
  LaneTest test;
  test.op = op;
  test.view = scope.lookup(op->getOperand(1));
  test.countsBeyondBlocks = scope.getChecks().values;
  test.isFaulty = [](const State &state, const View &view, int64_t lane) {
    return integerAt(state, view, lane) == 0;
  };
  View divisor = test.view;
  int64_t n = distinct(divisor);
  if (n == 1 || divisor.isDense())
    test.mayFail = [divisor, n](const State &state) {
      return Kernel::hasZero(divisor.kind, state.frame + divisor.offset, n);
    };
  test.report = [op](State &state, const View &view, int64_t lane,
                     int64_t count) {
    state.fail(op, "integer division by zero", "division-by-zero");
    state.fault.lane = lane;
    state.fault.count = count;
    if (view.count() > 1)
      state.note(op->getLoc(), "lane " + laneName(lane, view.shape) +
                                   " is the first that divides by zero");
    return Step::Fault;
  };
  addLaneTest(scope, std::move(test));
}
