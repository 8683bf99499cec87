//===- BuiltinsOrder.cpp - elements by index and by order -----------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Arguments are checked here, where messages can speak of the call; what
// sorting does is said in the prelude.
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
using mlir::Value;
namespace tile = tilec::tile;

/// A tile with at least one axis.
static FailureOr<Val> tileWithAxes(Lowering &l, CallArgs &args) {
  FailureOr<Val> x = builtins::tileArgument(l, args, 0);
  if (failed(x) || !x->isScalar())
    return x;
  l.error(args.locs[0], "'" + args.row.name +
                            "' needs a tile with at least one axis, got " +
                            x->describe());
  return failure();
}

/// The argument as an axis; the last one by default.
static FailureOr<int64_t> lastAxis(Lowering &l, CallArgs &args, size_t i,
                                   const Val &x) {
  int64_t rank = x.shape().size();
  if (args[i].kind == Val::None)
    return rank - 1;
  return builtins::axisArgument(l, args, i, rank);
}

/// The elements at `index` along an axis.
static Val gatherAt(Lowering &l, const Val &src, const Val &index, int64_t axis,
                    Location loc) {
  mlir::Type type =
      mlir::RankedTensorType::get(index.shape(), src.type.mlirType(l.context));
  return Val::runtime(tile::GatherOp::create(l.builder, loc, type, src.value,
                                             index.value, uint32_t(axis)),
                      src.type);
}

FailureOr<Val> builtins::gather(Lowering &l, CallArgs &args) {
  FailureOr<Val> src = tileWithAxes(l, args);
  FailureOr<Val> index = tileArgument(l, args, 1);
  if (failed(src) || failed(index))
    return failure();
  FailureOr<int64_t> axis = axisArgument(l, args, 2, src->shape().size());
  if (failed(axis))
    return failure();
  if (!index->type.isInt() || index->type.isBool()) {
    l.error(args.locs[1],
            "'gather' needs integers as indices, got " + index->describe());
    return failure();
  }
  std::vector<int64_t> wanted = src->shape().vec();
  if (index->shape().size() == wanted.size())
    wanted[*axis] = index->shape()[*axis];
  if (index->shape() != ArrayRef<int64_t>(wanted)) {
    l.error(args.locs[1],
            "the indices of 'gather' have the shape of the source "
            "but along axis " +
                Twine(*axis) + ", got " + index->describe() + " for " +
                src->describe());
    return failure();
  }
  bool isWide = index->type.bits() > 32 || index->type == ElemType(DType::U32);
  index = l.castTo(*index, isWide ? DType::I64 : DType::I32, args.loc);
  if (failed(index))
    return failure();
  return gatherAt(l, *src, *index, *axis, args.loc);
}

FailureOr<Val> builtins::flip(Lowering &l, CallArgs &args) {
  FailureOr<Val> x = tileWithAxes(l, args);
  if (failed(x))
    return failure();
  FailureOr<int64_t> axis = lastAxis(l, args, 1, *x);
  if (failed(axis))
    return failure();
  return l.callPrelude("flipped", {*x, Val::intValue(*axis)}, args.loc);
}

/// The argument as a tile of numbers that have an order.
static FailureOr<Val> sortable(Lowering &l, CallArgs &args) {
  FailureOr<Val> x = tileWithAxes(l, args);
  if (failed(x) || !x->type.isPointer())
    return x;
  l.error(args.locs[0],
          "'" + args.row.name + "' needs numbers, got " + x->describe());
  return failure();
}

FailureOr<Val> builtins::sort(Lowering &l, CallArgs &args) {
  FailureOr<Val> x = sortable(l, args);
  if (failed(x))
    return failure();
  FailureOr<int64_t> axis = lastAxis(l, args, 1, *x);
  if (failed(axis))
    return failure();
  bool descending = foldTruth(args[2]).value_or(false);
  return l.callPrelude(
      args.row.name == "sort" ? "sorted_along" : "sorted_places_along",
      {*x, Val::intValue(*axis), Val::boolean(descending)}, args.loc);
}

FailureOr<Val> builtins::topk(Lowering &l, CallArgs &args) {
  FailureOr<Val> x = sortable(l, args);
  FailureOr<int64_t> k =
      failed(x)
          ? FailureOr<int64_t>(failure())
          : l.constantInt(args[1], "the number of elements", args.locs[1]);
  if (failed(k))
    return failure();
  FailureOr<int64_t> axis = lastAxis(l, args, 2, *x);
  if (failed(axis))
    return failure();
  int64_t size = x->shape()[*axis];
  if (*k < 1 || *k > size) {
    l.error(args.locs[1], "'topk' takes from 1 to " + Twine(size) +
                              " elements of this axis, got " + Twine(*k));
    return failure();
  }
  bool descending = foldTruth(args[3]).value_or(true);
  return l.callPrelude(
      "first_along",
      {*x, Val::intValue(*k), Val::intValue(*axis), Val::boolean(descending)},
      args.loc);
}

FailureOr<Val> builtins::histogram(Lowering &l, CallArgs &args) {
  FailureOr<Val> x = tileWithAxes(l, args);
  FailureOr<std::vector<int64_t>> bins = l.shapeOf(args[1], args.locs[1]);
  if (failed(x) || failed(bins))
    return failure();
  if (!x->type.isInt()) {
    l.error(args.locs[0], "'histogram' needs integers, got " + x->describe());
    return failure();
  }
  Value mask;
  if (args[2].kind != Val::None) {
    FailureOr<Val> given = l.condition(args[2], args.locs[2]);
    if (!failed(given))
      given = l.broadcastTo(*given, x->shape(), args.locs[2]);
    if (failed(given))
      return failure();
    mask = given->value;
  }
  bool isWide = x->type.bits() > 32 || x->type == ElemType(DType::U32);
  x = l.castTo(*x, isWide ? DType::I64 : DType::I32, args.loc);
  if (failed(x))
    return failure();
  auto type = mlir::RankedTensorType::get(*bins, l.builder.getI32Type());
  return Val::runtime(
      tile::HistogramOp::create(l.builder, args.loc, type, x->value, mask),
      DType::I32);
}

//===----------------------------------------------------------------------===//
// Inline assembly
//===----------------------------------------------------------------------===//

FailureOr<Val> builtins::inlineAsm(Lowering &l, CallArgs &args) {
  for (size_t i : {0, 1})
    if (args[i].kind != Val::String) {
      l.error(args.locs[i], "expected a text, got " + args[i].describe());
      return failure();
    }
  std::vector<Val> inputs;
  if (args[2].kind == Val::Tuple)
    inputs = *args[2].elements;
  else
    inputs.push_back(args[2]);
  for (Val &v : inputs) {
    FailureOr<Val> value = l.toRuntime(v, args.locs[2]);
    if (failed(value))
      return failure();
    v = *value;
  }
  if (failed(l.broadcastAll(inputs, args.locs[2])))
    return failure();
  FailureOr<int64_t> pack = l.constantInt(args[5], "'pack'", args.locs[5]);
  if (failed(pack))
    return failure();
  if (*pack < 1 || *pack > 32) {
    l.error(args.locs[5],
            "'pack' is a number from 1 to 32, got " + Twine(*pack));
    return failure();
  }
  bool isTuple = args[3].kind == Val::Tuple;
  std::vector<Val> wanted =
      isTuple ? *args[3].elements : std::vector<Val>{args[3]};
  std::vector<ElemType> elements;
  std::vector<mlir::Type> types;
  for (const Val &v : wanted) {
    FailureOr<ElemType> type = typeArgument(l, v, args.locs[3]);
    if (failed(type))
      return failure();
    elements.push_back(*type);
    types.push_back(
        withShape(type->mlirType(l.context),
                  inputs.empty() ? ArrayRef<int64_t>() : inputs[0].shape()));
  }
  if (types.empty()) {
    l.error(args.locs[3], "inline assembly has at least one result");
    return failure();
  }
  std::vector<mlir::Value> operands;
  for (const Val &v : inputs)
    operands.push_back(v.value);
  auto op = tile::InlineAsmOp::create(l.builder, args.loc, types, args[0].text,
                                      args[1].text, operands, uint32_t(*pack),
                                      foldTruth(args[4]).value_or(false));
  std::vector<Val> results;
  for (auto [value, type] : llvm::zip(op.getResults(), elements))
    results.push_back(Val::runtime(value, type));
  return isTuple ? Val::tuple(std::move(results)) : results.front();
}
