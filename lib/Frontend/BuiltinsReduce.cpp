//===- BuiltinsReduce.cpp - reductions and scans --------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Each becomes `tile.reduce` or `tile.scan` with a region on scalars. The
// region of a user's function is the function, inlined.
//
//===----------------------------------------------------------------------===//

#include "BuiltinHandlers.h"
#include "Lowering.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace tilec::frontend;
using llvm::Twine;
using mlir::failed;
using mlir::failure;
using mlir::FailureOr;
using mlir::Location;
using mlir::LogicalResult;
using mlir::success;
using mlir::Value;
using tilec::Warning;
namespace tile = tilec::tile;
namespace arith = mlir::arith;

/// Builds the combined scalars from the left and the right ones.
using CombineFn = llvm::function_ref<FailureOr<std::vector<Val>>(
    ArrayRef<Val>, ArrayRef<Val>)>;

/// Fills the region of a reduction or scan.
static LogicalResult fillCombine(Lowering &l, mlir::Region &region,
                                 ArrayRef<ElemType> types, Location loc,
                                 CombineFn combine) {
  mlir::OpBuilder::InsertionGuard guard(l.builder);
  mlir::Block *block = l.enterRegion(region);
  std::vector<Val> sides[2];
  for (std::vector<Val> &side : sides)
    for (ElemType type : types)
      side.push_back(Val::runtime(
          block->addArgument(type.mlirType(l.context), loc), type));
  FailureOr<std::vector<Val>> results = combine(sides[0], sides[1]);
  if (failed(results))
    return failure();
  std::vector<Value> values;
  for (auto [result, type] : llvm::zip(*results, types)) {
    FailureOr<Val> value = l.castTo(result, type, loc);
    if (failed(value))
      return failure();
    values.push_back(value->value);
  }
  tile::YieldOp::create(l.builder, loc, values);
  return success();
}

/// Reduces tiles of one shape together. Without an axis they are flattened
/// first.
static FailureOr<std::vector<Val>>
reduceTiles(Lowering &l, std::vector<Val> inputs, std::optional<int64_t> axis,
            bool keepDims, Location loc, CombineFn combine) {
  std::vector<int64_t> shape = inputs[0].shape().vec();
  if (!axis) {
    int64_t count = 1;
    for (int64_t dim : shape)
      count *= dim;
    for (Val &input : inputs) {
      FailureOr<Val> flat = builtins::reshapeTo(l, input, {count}, loc);
      if (failed(flat))
        return failure();
      input = *flat;
    }
  }
  int64_t along = axis.value_or(0);
  std::vector<int64_t> reduced = inputs[0].shape().vec();
  reduced.erase(reduced.begin() + along);
  std::vector<Value> values;
  std::vector<mlir::Type> types;
  std::vector<ElemType> elements;
  for (const Val &input : inputs) {
    values.push_back(input.value);
    elements.push_back(input.type);
    types.push_back(builtins::withShape(input.value.getType(), reduced));
  }
  auto op = tile::ReduceOp::create(l.builder, loc, types, values,
                                   uint32_t(along), /*commutative=*/false);
  if (failed(fillCombine(l, op.getCombine(), elements, loc, combine)))
    return failure();
  std::vector<int64_t> kept = shape;
  if (axis)
    kept[along] = 1;
  else
    kept.assign(kept.size(), 1);
  std::vector<Val> results;
  for (auto [value, type] : llvm::zip(op.getOutputs(), elements)) {
    FailureOr<Val> result = Val::runtime(value, type);
    if (keepDims)
      result = builtins::reshapeTo(l, *result, kept, loc);
    if (failed(result))
      return failure();
    results.push_back(*result);
  }
  return results;
}

FailureOr<Val>
builtins::reduceAxis(Lowering &l, const Val &value, int64_t axis, Location loc,
                     llvm::function_ref<Value(Value, Value)> combine) {
  auto fn = [&](ArrayRef<Val> a,
                ArrayRef<Val> b) -> FailureOr<std::vector<Val>> {
    return std::vector<Val>{
        Val::runtime(combine(a[0].value, b[0].value), a[0].type)};
  };
  FailureOr<std::vector<Val>> results =
      reduceTiles(l, {value}, axis, /*keepDims=*/false, loc, fn);
  return failed(results) ? FailureOr<Val>(failure())
                         : FailureOr<Val>(results->front());
}

/// A tile with at least one axis.
static FailureOr<Val> reducible(Lowering &l, CallArgs &args) {
  FailureOr<Val> x = builtins::tileArgument(l, args, 0);
  if (failed(x))
    return failure();
  if (!x->isScalar() && !x->type.isPointer())
    return x;
  l.error(args.locs[0], "'" + args.row.name +
                            "' needs a tile of numbers, got " + x->describe());
  return failure();
}

/// The argument `axis`, or none for all axes.
static FailureOr<std::optional<int64_t>>
optionalAxis(Lowering &l, CallArgs &args, size_t i, const Val &x) {
  if (args[i].kind == Val::None)
    return std::optional<int64_t>();
  FailureOr<int64_t> axis =
      builtins::axisArgument(l, args, i, x.shape().size());
  if (failed(axis))
    return failure();
  return std::optional<int64_t>(*axis);
}

/// Reduces one tile by an operation of the language.
static FailureOr<Val> reduceWith(
    Lowering &l, CallArgs &args, const Val &x, size_t axisIndex, bool keepDims,
    llvm::function_ref<FailureOr<Val>(const Val &, const Val &)> combine) {
  FailureOr<std::optional<int64_t>> axis = optionalAxis(l, args, axisIndex, x);
  if (failed(axis))
    return failure();
  auto fn = [&](ArrayRef<Val> a,
                ArrayRef<Val> b) -> FailureOr<std::vector<Val>> {
    FailureOr<Val> result = combine(a[0], b[0]);
    if (failed(result))
      return failure();
    return std::vector<Val>{*result};
  };
  FailureOr<std::vector<Val>> results =
      reduceTiles(l, {x}, *axis, keepDims, args.loc, fn);
  return failed(results) ? FailureOr<Val>(failure())
                         : FailureOr<Val>(results->front());
}

/// The type that sums are taken in.
static ElemType sumType(ElemType type) {
  if (type.isInt() && type.bits() < 32)
    return type.isSigned() ? DType::I32 : DType::U32;
  return type.dtype == DType::BF16 ? ElemType(DType::F32) : type;
}

FailureOr<Val> builtins::sum(Lowering &l, CallArgs &args) {
  if (args[0].kind == Val::Tuple && !args[0].elements->empty()) {
    FailureOr<Val> total = args[0].elements->front();
    for (const Val &v : llvm::drop_begin(*args[0].elements)) {
      total = l.binary(BinaryOp::Add, *total, v, args.loc);
      if (failed(total))
        return failure();
    }
    return total;
  }
  FailureOr<Val> x = reducible(l, args);
  if (failed(x))
    return failure();
  ElemType type = sumType(x->type);
  if (args[3].kind != Val::None) {
    FailureOr<ElemType> given = typeArgument(l, args, 3);
    if (failed(given))
      return failure();
    type = *given;
  }
  x = l.castTo(*x, type, args.loc);
  if (failed(x))
    return failure();
  return reduceWith(l, args, *x, 1, foldTruth(args[2]).value_or(false),
                    [&](const Val &a, const Val &b) {
                      return l.binary(BinaryOp::Add, a, b, args.loc);
                    });
}

/// Narrow types are compared in 32 bits; with indices, bf16 only.
static FailureOr<Val> widen(Lowering &l, const Val &x, bool withIndices,
                            Location loc) {
  if (withIndices ? x.type.dtype != DType::BF16 : x.type.bits() >= 32)
    return x;
  return l.castTo(x, x.type.isInt() ? DType::I32 : DType::F32, loc);
}

/// Is (value, index) `a` the one that remains of two? Numbers come before NaN,
/// and of equals, or of two NaN, the index decides: whatever the order in which
/// pairs meet, one remains.
static FailureOr<Val> comesFirst(Lowering &l, ArrayRef<Val> a, ArrayRef<Val> b,
                                 bool isMax, bool tieLeft, Location loc) {
  auto both = [&](BinaryOp op, FailureOr<Val> x, FailureOr<Val> y) {
    return failed(x) || failed(y) ? FailureOr<Val>(failure())
                                  : l.binary(op, *x, *y, loc);
  };
  auto compare = [&](CompareOp op, const Val &x, const Val &y) {
    return l.compare(op, x, y, loc);
  };
  FailureOr<Val> better =
      compare(isMax ? CompareOp::Gt : CompareOp::Lt, a[0], b[0]);
  FailureOr<Val> first =
      compare(tieLeft ? CompareOp::Lt : CompareOp::Gt, a[1], b[1]);
  FailureOr<Val> tie =
      both(BinaryOp::And, compare(CompareOp::Eq, a[0], b[0]), first);
  FailureOr<Val> left = both(BinaryOp::Or, better, tie);
  if (!a[0].type.isFloat())
    return left;
  FailureOr<Val> overNaN =
      both(BinaryOp::And, compare(CompareOp::Ne, b[0], b[0]),
           both(BinaryOp::Or, compare(CompareOp::Eq, a[0], a[0]), first));
  return both(BinaryOp::Or, left, overNaN);
}

/// The greatest or least element with its index.
static FailureOr<std::vector<Val>>
reduceWithIndex(Lowering &l, CallArgs &args, const Val &x, size_t axisIndex,
                bool isMax, bool tieLeft, bool keepDims) {
  FailureOr<std::optional<int64_t>> axis = optionalAxis(l, args, axisIndex, x);
  if (failed(axis))
    return failure();
  Val input = x;
  std::vector<int64_t> shape = x.shape().vec();
  int64_t count = 1;
  for (int64_t dim : shape)
    count *= dim;
  if (!*axis) {
    FailureOr<Val> flat = builtins::reshapeTo(l, x, {count}, args.loc);
    if (failed(flat))
      return failure();
    input = *flat;
  }
  int64_t along = axis->value_or(0);
  FailureOr<Val> index = builtins::placesAlong(l, input.shape()[along], along,
                                               input.shape().size(), args.loc);
  FailureOr<Val> indices =
      failed(index) ? index : l.broadcastTo(*index, input.shape(), args.loc);
  if (failed(indices))
    return failure();
  auto combine = [&](ArrayRef<Val> a,
                     ArrayRef<Val> b) -> FailureOr<std::vector<Val>> {
    FailureOr<Val> left = comesFirst(l, a, b, isMax, tieLeft, args.loc);
    if (failed(left))
      return failure();
    FailureOr<Val> value = l.select(*left, a[0], b[0], args.loc);
    FailureOr<Val> position = l.select(*left, a[1], b[1], args.loc);
    if (failed(value) || failed(position))
      return failure();
    return std::vector<Val>{*value, *position};
  };
  FailureOr<std::vector<Val>> results = reduceTiles(
      l, {input, *indices}, along, keepDims && *axis, args.loc, combine);
  if (failed(results) || !keepDims || *axis)
    return results;
  std::vector<int64_t> ones(shape.size(), 1);
  for (Val &result : *results) {
    FailureOr<Val> kept = builtins::reshapeTo(l, result, ones, args.loc);
    if (failed(kept))
      return failure();
    result = *kept;
  }
  return results;
}

FailureOr<Val> builtins::max(Lowering &l, CallArgs &args) {
  bool isMax = args.row.name == "max";
  FailureOr<Val> x = reducible(l, args);
  if (failed(x))
    return failure();
  bool withIndices = foldTruth(args[2]).value_or(false);
  x = widen(l, *x, withIndices, args.loc);
  if (failed(x))
    return failure();
  bool keepDims = foldTruth(args[4]).value_or(false);
  if (withIndices) {
    FailureOr<std::vector<Val>> both = reduceWithIndex(
        l, args, *x, 1, isMax, foldTruth(args[3]).value_or(true), keepDims);
    return failed(both) ? FailureOr<Val>(failure())
                        : FailureOr<Val>(Val::tuple(*both));
  }
  if (x->type.isFloat())
    l.warn(Warning::NanMax, args.loc,
           "'" + args.row.name +
               "' drops NaN; reduce() with maximum(a, b, "
               "propagate_nan=PropagateNan.ALL) keeps it");
  return reduceWith(l, args, *x, 1, keepDims, [&](const Val &a, const Val &b) {
    return l.minMax(isMax, a, b, /*propagateNaN=*/false, args.loc);
  });
}

FailureOr<Val> builtins::argmax(Lowering &l, CallArgs &args) {
  FailureOr<Val> x = reducible(l, args);
  if (failed(x))
    return failure();
  x = widen(l, *x, /*withIndices=*/true, args.loc);
  if (failed(x))
    return failure();
  FailureOr<std::vector<Val>> both = reduceWithIndex(
      l, args, *x, 1, args.row.name == "argmax",
      foldTruth(args[2]).value_or(true), foldTruth(args[3]).value_or(false));
  return failed(both) ? FailureOr<Val>(failure()) : FailureOr<Val>((*both)[1]);
}

FailureOr<Val> builtins::bitReduce(Lowering &l, CallArgs &args) {
  FailureOr<Val> x = reducible(l, args);
  if (failed(x))
    return failure();
  if (!x->type.isInt()) {
    l.error(args.locs[0],
            "'" + args.row.name + "' needs integers, got " + x->describe());
    return failure();
  }
  BinaryOp op = args.row.name == "xor_sum" ? BinaryOp::Xor : BinaryOp::Or;
  return reduceWith(
      l, args, *x, 1, foldTruth(args[2]).value_or(false),
      [&](const Val &a, const Val &b) { return l.binary(op, a, b, args.loc); });
}

//===----------------------------------------------------------------------===//
// By a function of the user
//===----------------------------------------------------------------------===//

/// The argument as tiles of one shape.
static FailureOr<std::vector<Val>> tilesArgument(Lowering &l, CallArgs &args) {
  std::vector<Val> inputs;
  bool isTuple = args[0].kind == Val::Tuple;
  for (const Val &v : isTuple ? *args[0].elements : std::vector<Val>{args[0]}) {
    if (!v.isRuntime() || v.isScalar() || v.type.isPointer()) {
      l.error(args.locs[0], "'" + args.row.name +
                                "' needs tiles of numbers, got " +
                                v.describe());
      return failure();
    }
    inputs.push_back(v);
  }
  if (inputs.empty()) {
    l.error(args.locs[0], "'" + args.row.name + "' needs a tile");
    return failure();
  }
  if (failed(l.broadcastAll(inputs, args.locs[0])))
    return failure();
  return inputs;
}

/// Combines by calling `function` with the left and the right scalars.
static FailureOr<std::vector<Val>> callCombine(Lowering &l, CallArgs &args,
                                               const Val &function,
                                               ArrayRef<Val> a,
                                               ArrayRef<Val> b) {
  CallInput input;
  for (ArrayRef<Val> side : {a, b})
    for (const Val &v : side)
      input.push_back({"", v, args.locs[2]});
  FailureOr<Val> result = l.callValue(function, std::move(input), args.locs[2]);
  if (failed(result))
    return failure();
  std::vector<Val> values = result->kind == Val::Tuple
                                ? *result->elements
                                : std::vector<Val>{*result};
  if (values.size() != a.size()) {
    l.error(args.locs[2],
            "the function of '" + args.row.name + "' must return " +
                Twine(a.size()) +
                (a.size() == 1 ? " value, got " : " values, got ") +
                result->describe());
    return failure();
  }
  for (auto [value, like] : llvm::zip(values, a))
    if ((!value.isRuntime() && !value.isNumber()) || !value.isScalar()) {
      l.error(args.locs[2], "the function of '" + args.row.name +
                                "' must return numbers, got " +
                                value.describe());
      return failure();
    }
  return values;
}

FailureOr<Val> builtins::reduce(Lowering &l, CallArgs &args) {
  FailureOr<std::vector<Val>> inputs = tilesArgument(l, args);
  if (failed(inputs))
    return failure();
  FailureOr<std::optional<int64_t>> axis =
      optionalAxis(l, args, 1, inputs->front());
  if (failed(axis))
    return failure();
  FailureOr<std::vector<Val>> results =
      reduceTiles(l, *inputs, *axis, foldTruth(args[3]).value_or(false),
                  args.loc, [&](ArrayRef<Val> a, ArrayRef<Val> b) {
                    return callCombine(l, args, args[2], a, b);
                  });
  if (failed(results))
    return failure();
  return args[0].kind == Val::Tuple ? Val::tuple(*results) : results->front();
}

/// Scans tiles of one shape together.
static FailureOr<std::vector<Val>> scanTiles(Lowering &l, ArrayRef<Val> inputs,
                                             int64_t axis, bool reverse,
                                             Location loc, CombineFn combine) {
  std::vector<Value> values;
  std::vector<mlir::Type> types;
  std::vector<ElemType> elements;
  for (const Val &input : inputs) {
    values.push_back(input.value);
    types.push_back(input.value.getType());
    elements.push_back(input.type);
  }
  auto op = tile::ScanOp::create(l.builder, loc, types, values, uint32_t(axis),
                                 reverse);
  if (failed(fillCombine(l, op.getCombine(), elements, loc, combine)))
    return failure();
  std::vector<Val> results;
  for (auto [value, type] : llvm::zip(op.getOutputs(), elements))
    results.push_back(Val::runtime(value, type));
  return results;
}

FailureOr<Val> builtins::scan(Lowering &l, CallArgs &args) {
  FailureOr<std::vector<Val>> inputs = tilesArgument(l, args);
  if (failed(inputs))
    return failure();
  FailureOr<int64_t> axis =
      axisArgument(l, args, 1, inputs->front().shape().size());
  if (failed(axis))
    return failure();
  FailureOr<std::vector<Val>> results =
      scanTiles(l, *inputs, *axis, foldTruth(args[3]).value_or(false), args.loc,
                [&](ArrayRef<Val> a, ArrayRef<Val> b) {
                  return callCombine(l, args, args[2], a, b);
                });
  if (failed(results))
    return failure();
  return args[0].kind == Val::Tuple ? Val::tuple(*results) : results->front();
}

FailureOr<Val> builtins::cumulative(Lowering &l, CallArgs &args) {
  bool isSum = args.row.name == "cumsum";
  FailureOr<Val> x = reducible(l, args);
  if (failed(x))
    return failure();
  ElemType type = x->type.dtype == DType::BF16 ? ElemType(DType::F32) : x->type;
  if (isSum)
    type = sumType(x->type);
  if (isSum && args[3].kind != Val::None) {
    FailureOr<ElemType> given = typeArgument(l, args, 3);
    if (failed(given))
      return failure();
    type = *given;
  }
  x = l.castTo(*x, type, args.loc);
  if (failed(x))
    return failure();
  FailureOr<int64_t> axis = axisArgument(l, args, 1, x->shape().size());
  if (failed(axis))
    return failure();
  auto combine = [&](ArrayRef<Val> a,
                     ArrayRef<Val> b) -> FailureOr<std::vector<Val>> {
    FailureOr<Val> result =
        l.binary(isSum ? BinaryOp::Add : BinaryOp::Mul, a[0], b[0], args.loc);
    if (failed(result))
      return failure();
    return std::vector<Val>{*result};
  };
  FailureOr<std::vector<Val>> results = scanTiles(
      l, {*x}, *axis, foldTruth(args[2]).value_or(false), args.loc, combine);
  return failed(results) ? FailureOr<Val>(failure())
                         : FailureOr<Val>(results->front());
}
