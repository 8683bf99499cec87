//===- AxisInfo.cpp - contiguity, divisibility, constancy -----------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// One transfer function per operation, applied in program order. A loop-carried
// value starts from its initial facts and loses those that an iteration breaks;
// facts are powers of two that only fall, so a few rounds reach the fixed
// point.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/AxisInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Dialect/TileGPU/IR/TileGPU.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace tilec;
using Sizes = AxisInfo::Sizes;

/// The divisibility of zero, large but safe to multiply.
static constexpr int64_t kMostDivisible = int64_t(1) << 30;

/// The largest power of two that divides `value`.
static int64_t powerOfTwoIn(int64_t value) {
  return int64_t(1) << std::min(llvm::countr_zero(uint64_t(value)), 30);
}

/// The largest power of two that divides both.
static int64_t common(int64_t a, int64_t b) { return std::gcd(a, b); }

/// Product of two divisibilities.
static int64_t times(int64_t a, int64_t b) {
  return std::min(kMostDivisible, a * b);
}

/// The sizes of a type's axes; a scalar has one of size 1.
static Sizes sizesOf(Type type) {
  Sizes sizes(tile::getShape(type));
  if (sizes.empty())
    sizes.push_back(1);
  return sizes;
}

/// Bytes of what a pointer points at.
static int64_t pointeeBytes(Type pointer) {
  Type pointee =
      cast<tile::PtrType>(tile::getElementType(pointer)).getPointee();
  if (isa<tile::PtrType>(pointee))
    return 8;
  return std::max(1u, pointee.getIntOrFloatBitWidth() / 8);
}

/// A value that is the same in every element.
static AxisInfo uniform(Type type, int64_t divisibility,
                        std::optional<int64_t> constant = {}) {
  AxisInfo info = AxisInfo::unknown(type);
  info.constancy = sizesOf(type);
  for (int64_t &size : info.constancy)
    size = powerOfTwoIn(size);
  info.divisibility.assign(info.constancy.size(), divisibility);
  info.constant = constant;
  info.nonNegative = constant && *constant >= 0;
  return info;
}

AxisInfo AxisInfo::unknown(Type type) {
  Sizes ones(sizesOf(type).size(), 1);
  // A scalar is equal to itself.
  return {ones, ones, ones, std::nullopt, false};
}

AxisInfo AxisInfo::join(const AxisInfo &a, const AxisInfo &b) {
  AxisInfo result = a;
  for (size_t i = 0; i < a.contiguity.size(); ++i) {
    result.contiguity[i] = common(a.contiguity[i], b.contiguity[i]);
    result.divisibility[i] = common(a.divisibility[i], b.divisibility[i]);
    result.constancy[i] = common(a.constancy[i], b.constancy[i]);
    // A run that was cut starts in the middle of a longer one as well.
    if (a.contiguity[i] != b.contiguity[i])
      result.divisibility[i] =
          common(result.divisibility[i], result.contiguity[i]);
  }
  if (a.constant != b.constant)
    result.constant.reset();
  result.nonNegative = a.nonNegative && b.nonNegative;
  return result;
}

/// Divisibility of every element, not of the first of each run alone.
static int64_t everyElement(const AxisInfo &info, unsigned axis, int64_t unit) {
  return info.contiguity[axis] > 1 ? common(info.divisibility[axis], unit)
                                   : info.divisibility[axis];
}

//===----------------------------------------------------------------------===//
// Transfer functions
//===----------------------------------------------------------------------===//

/// Notes that every element is this number, at the width of the type.
static void setConstant(AxisInfo &info, Type type, uint64_t value) {
  auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  info.constant = llvm::SignExtend64(value, integer ? integer.getWidth() : 64);
  info.nonNegative = *info.constant >= 0;
}

/// Sum of a value and `scale` times another; `scale` is the size of an element
/// where the left side is a pointer.
static AxisInfo addInfo(Type type, const AxisInfo &a, const AxisInfo &b,
                        int64_t scale, bool subtract) {
  AxisInfo r = AxisInfo::unknown(type);
  for (size_t i = 0; i < r.contiguity.size(); ++i) {
    r.constancy[i] = common(a.constancy[i], b.constancy[i]);
    r.contiguity[i] = common(a.contiguity[i], b.constancy[i]);
    if (!subtract)
      r.contiguity[i] =
          std::max(r.contiguity[i], common(a.constancy[i], b.contiguity[i]));
    // The first element of a run of r is the first of a run of the contiguous
    // side, or lies a multiple of the shorter run further on.
    int64_t da = a.divisibility[i], db = b.divisibility[i];
    if (a.contiguity[i] > r.contiguity[i])
      da = common(da, times(r.contiguity[i], scale));
    if (b.contiguity[i] > r.contiguity[i])
      db = common(db, r.contiguity[i]);
    r.divisibility[i] = common(da, times(db, scale));
  }
  r.nonNegative = !subtract && a.nonNegative && b.nonNegative;
  if (a.constant && b.constant && scale == 1)
    setConstant(r, type,
                subtract ? *a.constant - uint64_t(*b.constant)
                         : *a.constant + uint64_t(*b.constant));
  return r;
}

static AxisInfo mulInfo(Type type, const AxisInfo &a, const AxisInfo &b) {
  AxisInfo r = AxisInfo::unknown(type);
  for (size_t i = 0; i < r.contiguity.size(); ++i) {
    r.constancy[i] = common(a.constancy[i], b.constancy[i]);
    if (b.constant == 1)
      r.contiguity[i] = a.contiguity[i];
    if (a.constant == 1)
      r.contiguity[i] = b.contiguity[i];
    int64_t da =
        r.contiguity[i] > 1 ? a.divisibility[i] : everyElement(a, i, 1);
    int64_t db =
        r.contiguity[i] > 1 ? b.divisibility[i] : everyElement(b, i, 1);
    r.divisibility[i] = times(da, db);
  }
  r.nonNegative = a.nonNegative && b.nonNegative;
  if (a.constant && b.constant)
    setConstant(r, type, *a.constant * uint64_t(*b.constant));
  return r;
}

/// Are quotients and remainders of these numbers those of the integers that are
/// not negative? Signed ones of negative numbers are mirrored: -4 / 4 is -1,
/// but -3 / 4 is 0.
static bool dividesUp(const AxisInfo &dividend, bool isSigned) {
  return !isSigned || dividend.nonNegative;
}

/// Quotient by a constant: groups of the divisor become equal.
static AxisInfo divInfo(Type type, const AxisInfo &a, const AxisInfo &b,
                        bool isSigned) {
  AxisInfo r = AxisInfo::unknown(type);
  r.nonNegative = a.nonNegative;
  for (size_t i = 0; i < r.contiguity.size(); ++i) {
    r.constancy[i] = common(a.constancy[i], b.constancy[i]);
    if (!b.constant || *b.constant <= 0)
      continue;
    if (*b.constant == 1) {
      r.contiguity[i] = a.contiguity[i];
      r.divisibility[i] = a.divisibility[i];
    } else if (a.contiguity[i] > 1) {
      if (!dividesUp(a, isSigned))
        continue;
      // A run [d*q, d*q + n) with n and d aligned: n / q-groups are equal.
      int64_t group = common(common(a.contiguity[i], a.divisibility[i]),
                             powerOfTwoIn(*b.constant));
      r.constancy[i] = std::max(r.constancy[i], group);
    } else if (llvm::isPowerOf2_64(*b.constant)) {
      r.divisibility[i] = std::max<int64_t>(1, a.divisibility[i] / *b.constant);
    }
  }
  if (a.constant && b.constant && *b.constant > 0 && *a.constant >= 0)
    setConstant(r, type, *a.constant / *b.constant);
  return r;
}

/// Remainder: a run stays a run inside one multiple of the divisor.
static AxisInfo remInfo(Type type, const AxisInfo &a, const AxisInfo &b,
                        bool isSigned) {
  AxisInfo r = AxisInfo::unknown(type);
  r.nonNegative = a.nonNegative;
  for (size_t i = 0; i < r.contiguity.size(); ++i) {
    r.constancy[i] = common(a.constancy[i], b.constancy[i]);
    // The divisor must be the same for the whole run.
    int64_t d = everyElement(b, i, 1);
    if (dividesUp(a, isSigned))
      r.contiguity[i] = common(common(a.contiguity[i], d),
                               common(a.divisibility[i], b.constancy[i]));
    r.divisibility[i] = common(everyElement(a, i, r.contiguity[i]), d);
  }
  return r;
}

/// Comparison of a run with a constant group: `offs < n` is equal within groups
/// that divide both.
static AxisInfo cmpInfo(arith::CmpIOp op, const AxisInfo &a,
                        const AxisInfo &b) {
  AxisInfo r = AxisInfo::unknown(op.getType());
  using P = arith::CmpIPredicate;
  auto runAgainst = [](const AxisInfo &run, const AxisInfo &bound, size_t i) {
    return common(common(run.contiguity[i], run.divisibility[i]),
                  common(bound.constancy[i], bound.divisibility[i]));
  };
  P p = op.getPredicate();
  // x < n and x >= n do not change inside an aligned group when n is a multiple
  // of the group; x <= n and x > n do.
  bool left = p == P::slt || p == P::sge || p == P::ult || p == P::uge;
  bool right = p == P::sgt || p == P::sle || p == P::ugt || p == P::ule;
  for (size_t i = 0; i < r.contiguity.size(); ++i) {
    r.constancy[i] = common(a.constancy[i], b.constancy[i]);
    if (left)
      r.constancy[i] = std::max(r.constancy[i], runAgainst(a, b, i));
    if (right)
      r.constancy[i] = std::max(r.constancy[i], runAgainst(b, a, i));
  }
  return r;
}

/// An elementwise operation without a rule of its own keeps equality.
static AxisInfo equalOperands(Type type, ArrayRef<AxisInfo> operands) {
  AxisInfo r = AxisInfo::unknown(type);
  for (size_t i = 0; i < r.contiguity.size(); ++i) {
    r.constancy[i] = 0;
    for (const AxisInfo &info : operands)
      if (info.constancy.size() == r.constancy.size())
        r.constancy[i] = common(r.constancy[i], info.constancy[i]);
    r.constancy[i] = std::max<int64_t>(1, r.constancy[i]);
  }
  return r;
}

/// Does each element of the result depend on the operands' elements at the same
/// place alone, and on nothing else that changes?
static bool isElementwise(Operation *op) {
  return isa<tile::LoadOp, tile::PtrCastOp>(op) ||
         OpTrait::hasElementwiseMappableTraits(op);
}

/// A wider integer. Unsigned, a run that crosses zero is torn there.
static AxisInfo extendInfo(AxisInfo info, bool isSigned) {
  if (isSigned || info.nonNegative)
    return info;
  for (auto [run, divisor] : llvm::zip(info.contiguity, info.divisibility)) {
    int64_t whole = std::exchange(run, common(run, divisor));
    if (run != whole)
      divisor = common(divisor, run);
  }
  info.constant.reset();
  info.nonNegative = true;
  return info;
}

static AxisInfo broadcastInfo(tile::BroadcastOp op, AxisInfo info) {
  for (auto [i, from, to] : llvm::enumerate(
           tile::getShape(op.getSrc().getType()), tile::getShape(op.getType())))
    if (from == 1 && to != 1) {
      info.constancy[i] = powerOfTwoIn(to);
      info.divisibility[i] = everyElement(info, i, 1);
      info.contiguity[i] = 1;
    }
  return info;
}

static AxisInfo expandInfo(tile::ExpandDimsOp op, AxisInfo info) {
  // Every element of the new axis (there is one) is as divisible as the first
  // element of the run along the other axes is.
  int64_t least = kMostDivisible;
  for (size_t i = 0; i < info.divisibility.size(); ++i)
    least = common(least, everyElement(info, i, 1));
  unsigned axis = op.getAxis();
  info.contiguity.insert(info.contiguity.begin() + axis, 1);
  info.divisibility.insert(info.divisibility.begin() + axis, least);
  info.constancy.insert(info.constancy.begin() + axis, 1);
  return info;
}

static AxisInfo transInfo(tile::TransOp op, const AxisInfo &info) {
  AxisInfo r = info;
  for (auto [i, from] : llvm::enumerate(op.getOrder())) {
    r.contiguity[i] = info.contiguity[from];
    r.divisibility[i] = info.divisibility[from];
    r.constancy[i] = info.constancy[from];
  }
  return r;
}

static AxisInfo constantInfo(arith::ConstantOp op) {
  if (auto value = dyn_cast<IntegerAttr>(op.getValue()))
    return uniform(op.getType(), powerOfTwoIn(value.getInt()), value.getInt());
  if (auto splat = dyn_cast<SplatElementsAttr>(op.getValue()))
    if (splat.getElementType().isInteger()) {
      int64_t value = splat.getSplatValue<APInt>().getSExtValue();
      return uniform(op.getType(), powerOfTwoIn(value), value);
    }
  if (isa<FloatAttr, SplatElementsAttr>(op.getValue()))
    return uniform(op.getType(), 1);
  return AxisInfo::unknown(op.getType());
}

/// Adds what the user said of a value by multiple_of and its kin.
static void applyHints(Operation *op, AxisInfo &info) {
  auto raise = [&](StringRef name, Sizes &sizes) {
    if (auto hint = op->getAttrOfType<DenseI32ArrayAttr>(name))
      for (auto [size, said] : llvm::zip(sizes, hint.asArrayRef()))
        size = std::max<int64_t>(size, powerOfTwoIn(said));
  };
  raise(tile::kContiguityAttr, info.contiguity);
  raise(tile::kDivisibilityAttr, info.divisibility);
  raise(tile::kConstancyAttr, info.constancy);
}

AxisInfo AxisInfoAnalysis::compute(Operation *op) const {
  Type type = op->getResult(0).getType();
  auto in = [&](unsigned i) { return get(op->getOperand(i)); };
  return TypeSwitch<Operation *, AxisInfo>(op)
      .Case([&](arith::ConstantOp c) { return constantInfo(c); })
      .Case([&](tile::ArangeOp r) {
        AxisInfo info = AxisInfo::unknown(type);
        info.contiguity = {powerOfTwoIn(r.getType().getDimSize(0))};
        info.divisibility = {powerOfTwoIn(static_cast<int32_t>(r.getStart()))};
        info.nonNegative = static_cast<int32_t>(r.getStart()) >= 0;
        return info;
      })
      .Case([&](tile::SplatOp) {
        AxisInfo scalar = in(0);
        AxisInfo info = uniform(type, scalar.divisibility[0], scalar.constant);
        info.nonNegative = scalar.nonNegative;
        return info;
      })
      .Case<tile::ProgramIdOp, tile::NumProgramsOp>([&](auto) {
        AxisInfo info = AxisInfo::unknown(type);
        info.nonNegative = true;
        return info;
      })
      .Case([&](tile::BroadcastOp b) { return broadcastInfo(b, in(0)); })
      .Case([&](tile::ExpandDimsOp e) { return expandInfo(e, in(0)); })
      .Case([&](tile::TransOp t) { return transInfo(t, in(0)); })
      .Case([&](tile::AddPtrOp a) {
        return addInfo(type, in(0), in(1), pointeeBytes(type), false);
      })
      .Case<arith::AddIOp>(
          [&](auto) { return addInfo(type, in(0), in(1), 1, false); })
      .Case<arith::SubIOp>(
          [&](auto) { return addInfo(type, in(0), in(1), 1, true); })
      .Case<arith::MulIOp>([&](auto) { return mulInfo(type, in(0), in(1)); })
      .Case<arith::DivSIOp, arith::DivUIOp>([&](Operation *o) {
        return divInfo(type, in(0), in(1), isa<arith::DivSIOp>(o));
      })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](Operation *o) {
        return remInfo(type, in(0), in(1), isa<arith::RemSIOp>(o));
      })
      .Case<arith::ExtSIOp, arith::ExtUIOp>([&](Operation *o) {
        return extendInfo(in(0), isa<arith::ExtSIOp>(o));
      })
      .Case([&](arith::CmpIOp c) { return cmpInfo(c, in(0), in(1)); })
      .Case<arith::SelectOp>([&](auto) {
        AxisInfo a = in(1), b = in(2), r = AxisInfo::join(a, b);
        AxisInfo condition = in(0);
        if (!isa<RankedTensorType>(op->getOperand(0).getType()))
          return r; // a scalar condition picks one side for all elements
        for (size_t i = 0; i < r.constancy.size(); ++i) {
          int64_t group = condition.constancy[i];
          if (r.contiguity[i] > group)
            r.divisibility[i] = common(r.divisibility[i], group);
          r.contiguity[i] = common(r.contiguity[i], group);
          r.constancy[i] = common(r.constancy[i], group);
        }
        return r;
      })
      .Case<arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp>(
          [&](auto) {
            AxisInfo a = in(0), b = in(1), r = AxisInfo::unknown(type);
            for (size_t i = 0; i < r.constancy.size(); ++i) {
              r.constancy[i] = common(a.constancy[i], b.constancy[i]);
              r.divisibility[i] =
                  common(everyElement(a, i, 1), everyElement(b, i, 1));
            }
            r.nonNegative = a.nonNegative && b.nonNegative;
            return r;
          })
      .Default([&](Operation *other) {
        if (!isElementwise(other))
          return AxisInfo::unknown(type);
        SmallVector<AxisInfo> operands;
        for (Value operand : other->getOperands())
          operands.push_back(get(operand));
        return equalOperands(type, operands);
      });
}

//===----------------------------------------------------------------------===//
// Walk
//===----------------------------------------------------------------------===//

AxisInfo AxisInfoAnalysis::get(Value value) const {
  auto it = infos.find(value);
  return it == infos.end() ? AxisInfo::unknown(value.getType()) : it->second;
}

void AxisInfoAnalysis::visitLoop(Operation *op, ValueRange inits,
                                 ValueRange arguments, Region &body,
                                 function_ref<ValueRange()> yielded) {
  for (auto [init, argument] : llvm::zip(inits, arguments))
    infos[argument] = get(init);
  bool changed = true;
  while (changed) {
    visit(body);
    changed = false;
    for (auto [argument, next] : llvm::zip(arguments, yielded())) {
      AxisInfo joined = AxisInfo::join(infos[argument], get(next));
      changed |= !(joined == infos[argument]);
      infos[argument] = joined;
    }
  }
}

void AxisInfoAnalysis::visit(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    // The induction variable is the lower bound plus a multiple of the step.
    AxisInfo step = get(loop.getStep()), lower = get(loop.getLowerBound());
    AxisInfo variable =
        uniform(loop.getInductionVar().getType(),
                common(lower.divisibility[0], step.divisibility[0]));
    variable.nonNegative = lower.nonNegative;
    infos[loop.getInductionVar()] = std::move(variable);
    visitLoop(op, loop.getInitArgs(), loop.getRegionIterArgs(),
              loop.getRegion(),
              [&] { return ValueRange(loop.getYieldedValues()); });
    for (auto [result, argument] :
         llvm::zip(loop.getResults(), loop.getRegionIterArgs()))
      infos[result] = get(argument);
    return;
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    visitLoop(
        op, loop.getInits(), loop.getBeforeArguments(), loop.getBefore(), [&] {
          for (auto [argument, value] : llvm::zip(
                   loop.getAfterArguments(), loop.getConditionOp().getArgs()))
            infos[argument] = get(value);
          visit(loop.getAfter());
          return ValueRange(loop.getYieldOp().getOperands());
        });
    for (auto [result, value] :
         llvm::zip(loop.getResults(), loop.getConditionOp().getArgs()))
      infos[result] = get(value);
    return;
  }
  for (Region &region : op->getRegions())
    if (!isa<tile::ReduceOp, tile::ScanOp>(op))
      visit(region);
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (auto [i, result] : llvm::enumerate(branch.getResults()))
      infos[result] = AxisInfo::join(get(branch.thenYield().getOperand(i)),
                                     get(branch.elseYield().getOperand(i)));
    return;
  }
  if (op->getNumResults() != 1)
    return;
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  if (!isa<IntegerType, tile::PtrType>(element))
    return;
  AxisInfo info = compute(op);
  if (certain && isa<arith::AddIOp, arith::MulIOp, arith::DivSIOp>(op))
    info.nonNegative = info.constant && *info.constant >= 0;
  applyHints(op, info);
  infos[op->getResult(0)] = std::move(info);
}

void AxisInfoAnalysis::visit(Region &region) {
  for (Block &block : region)
    for (Operation &op : block)
      visit(&op);
}

AxisInfoAnalysis::AxisInfoAnalysis(func::FuncOp function, bool certain)
    : certain(certain) {
  for (BlockArgument argument : function.getArguments()) {
    AxisInfo info = AxisInfo::unknown(argument.getType());
    if (auto hint = function.getArgAttrOfType<IntegerAttr>(
            argument.getArgNumber(), tile::kDivisibilityAttr))
      info.divisibility.assign(info.divisibility.size(),
                               powerOfTwoIn(hint.getInt()));
    info.nonNegative = !certain;
    infos[argument] = info;
  }
  visit(function.getBody());
}

/// Does a comparison of a growing number with a bound change at most once?
static bool isMonotone(arith::CmpIPredicate predicate, bool nonNegative) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq:
  case P::ne:
    return false;
  case P::ult:
  case P::ule:
  case P::ugt:
  case P::uge:
    return nonNegative; // else a run may cross zero, where it is torn
  default:
    return true;
  }
}

/// The longest aligned run along the axis in which the elements where a mask
/// holds follow each other: comparisons of a run with a bound, and conjunctions
/// of them.
int64_t AxisInfoAnalysis::getIntervalRun(Value mask, unsigned axis,
                                         IntervalRuns &known) const {
  int64_t equal = get(mask).constancy[axis];
  Operation *op = mask.getDefiningOp();
  if (!op)
    return equal;
  if (auto it = known.find({mask, axis}); it != known.end())
    return it->second;
  auto in = [&](unsigned operand, unsigned from) {
    return getIntervalRun(op->getOperand(operand), from, known);
  };
  int64_t run = 1;
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    AxisInfo a = get(compare.getLhs()), b = get(compare.getRhs());
    if (isMonotone(compare.getPredicate(), a.nonNegative && b.nonNegative))
      run = std::max(common(a.contiguity[axis], b.constancy[axis]),
                     common(a.constancy[axis], b.contiguity[axis]));
  } else if (isa<arith::AndIOp>(op)) {
    run = common(in(0, axis), in(1, axis));
  } else if (isa<tilegpu::ConvertLayoutOp>(op)) {
    run = in(0, axis);
  } else if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
    if (tile::getShape(broadcast.getSrc().getType())[axis] != 1)
      run = in(0, axis);
  } else if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
    if (axis != expand.getAxis())
      run = in(0, axis > expand.getAxis() ? axis - 1 : axis);
  } else if (auto trans = dyn_cast<tile::TransOp>(op)) {
    run = in(0, trans.getOrder()[axis]);
  }
  return known[{mask, axis}] = std::max(run, equal);
}

AxisInfoAnalysis::Run AxisInfoAnalysis::getRun(Value pointer, Value mask,
                                               bool edges) const {
  AxisInfo info = get(pointer);
  int64_t bytes = pointeeBytes(pointer.getType());
  Run run{info.contiguity, info.divisibility};
  IntervalRuns known;
  for (size_t i = 0; i < run.contiguity.size(); ++i) {
    // A piece of a run starts a multiple of its own length further on.
    int64_t whole = run.contiguity[i];
    if (mask)
      run.contiguity[i] = common(whole, edges ? getIntervalRun(mask, i, known)
                                              : get(mask).constancy[i]);
    if (run.contiguity[i] != whole)
      run.divisibilityBytes[i] =
          common(run.divisibilityBytes[i], run.contiguity[i] * bytes);
    run.divisibilityBytes[i] = std::max(run.divisibilityBytes[i], bytes);
  }
  return run;
}
