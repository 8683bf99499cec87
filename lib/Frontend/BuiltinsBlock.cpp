//===- BuiltinsBlock.cpp - block pointers and tensor descriptors ----------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A block of a tensor by its place. Both forms are an aggregate of scalars
// while compiling; an access computes addresses and a mask from it, so the
// dialect needs nothing for them.
//
//===----------------------------------------------------------------------===//

#include "BuiltinHandlers.h"
#include "Lowering.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include <cmath>

using namespace tilec::frontend;
using llvm::Twine;
using mlir::failed;
using mlir::failure;
using mlir::FailureOr;
using mlir::Location;
using mlir::LogicalResult;
using mlir::success;

/// The argument as `rank` 64-bit scalars.
static FailureOr<std::vector<Val>> scalarList(Lowering &l, CallArgs &args,
                                              size_t i, size_t rank) {
  std::vector<Val> list = args[i].kind == Val::Tuple
                              ? *args[i].elements
                              : std::vector<Val>{args[i]};
  if (list.size() != rank) {
    l.error(args.locs[i], "expected one number for each of the " + Twine(rank) +
                              " axes, got " + Twine(list.size()));
    return failure();
  }
  for (Val &v : list) {
    if ((v.isRuntime() && (!v.isScalar() || !v.type.isInt())) ||
        (!v.isRuntime() && !v.isNumber())) {
      l.error(args.locs[i],
              "expected an integer for each axis, got " + v.describe());
      return failure();
    }
    FailureOr<Val> wide = l.castTo(v, DType::I64, args.locs[i]);
    if (failed(wide))
      return failure();
    v = *wide;
  }
  return list;
}

FailureOr<Val> builtins::makeBlock(Lowering &l, CallArgs &args) {
  bool isDescriptor = args.row.name == "make_tensor_descriptor";
  size_t blockIndex = isDescriptor ? 3 : 4;
  if (!args[0].isRuntime() || !args[0].type.isPointer() ||
      !args[0].isScalar()) {
    l.error(args.locs[0],
            "expected one pointer as base, got " + args[0].describe());
    return failure();
  }
  FailureOr<std::vector<int64_t>> block =
      l.shapeOf(args[blockIndex], args.locs[blockIndex]);
  if (failed(block))
    return failure();
  Val result;
  result.kind = Val::BlockPointer;
  result.isStatic = isDescriptor;
  result.type = args[0].type;
  result.blockShape = *block;
  if (isDescriptor) {
    FailureOr<bool> isNan = paddingArgument(l, args, 4, result.type.pointee());
    if (failed(isNan))
      return failure();
    if (*isNan)
      result.number = NAN;
  }
  std::vector<Val> elements = {args[0]};
  elements[0].known = Val::None;
  for (size_t i : {1, 2, 3}) {
    if (isDescriptor && i == 3) {
      for (size_t axis = 0; axis < block->size(); ++axis) {
        FailureOr<Val> zero =
            l.constant(Val::intValue(0), DType::I64, {}, args.loc);
        if (failed(zero))
          return failure();
        elements.push_back(*zero);
      }
      continue;
    }
    FailureOr<std::vector<Val>> list = scalarList(l, args, i, block->size());
    if (failed(list))
      return failure();
    elements.insert(elements.end(), list->begin(), list->end());
  }
  result.elements = std::make_shared<std::vector<Val>>(std::move(elements));
  return result;
}

FailureOr<Val> Lowering::descriptor(ArrayRef<Val> arguments,
                                    ArrayRef<int64_t> blockShape,
                                    Location loc) {
  Val result;
  result.kind = Val::BlockPointer;
  result.isStatic = true;
  result.type = arguments[0].type;
  result.blockShape = blockShape.vec();
  std::vector<Val> elements(arguments.begin(), arguments.end());
  // The last stride, then offsets that each access replaces.
  elements.resize(1 + 2 * blockShape.size(), Val::intValue(1));
  elements.resize(1 + 3 * blockShape.size(), Val::intValue(0));
  for (Val &v : llvm::drop_begin(elements)) {
    FailureOr<Val> wide = castTo(v, DType::I64, loc);
    if (failed(wide))
      return failure();
    v = *wide;
  }
  result.elements = std::make_shared<std::vector<Val>>(std::move(elements));
  return result;
}

FailureOr<bool> builtins::paddingArgument(Lowering &l, CallArgs &args, size_t i,
                                          ElemType element) {
  const Val &option = args[i];
  bool isText = option.kind == Val::String;
  bool isNan = isText && option.text == "nan";
  if (isNan && !element.isFloat()) {
    l.error(args.locs[i], "only floats are padded with NaN, got " +
                              element.name() + "; use \"zero\"");
    return failure();
  }
  if (option.kind == Val::None || isNan ||
      (isText && (option.text.empty() || option.text == "zero")))
    return isNan;
  l.error(args.locs[i], "unknown padding " + option.describe() +
                            "; known are \"zero\", \"nan\"");
  return failure();
}

/// A copy of a block pointer with other offsets.
static Val withOffsets(const Val &block, ArrayRef<Val> offsets) {
  Val result = block;
  result.elements = std::make_shared<std::vector<Val>>(*block.elements);
  std::copy(offsets.begin(), offsets.end(),
            result.elements->begin() + 1 + 2 * block.blockShape.size());
  return result;
}

FailureOr<Val> builtins::advance(Lowering &l, CallArgs &args) {
  const Val &block = args[0];
  if (block.kind != Val::BlockPointer || block.isStatic) {
    l.error(args.locs[0],
            "'advance' needs a block pointer, got " + block.describe());
    return failure();
  }
  size_t rank = block.blockShape.size();
  FailureOr<std::vector<Val>> list = scalarList(l, args, 1, rank);
  if (failed(list))
    return failure();
  for (size_t axis = 0; axis < rank; ++axis) {
    FailureOr<Val> sum =
        l.binary(BinaryOp::Add, (*block.elements)[1 + 2 * rank + axis],
                 (*list)[axis], args.loc);
    if (failed(sum))
      return failure();
    (*list)[axis] = *sum;
  }
  return withOffsets(block, *list);
}

/// Moves addresses to places along one axis of a tensor. If it is checked, the
/// mask keeps those that lie in it.
static LogicalResult addAxis(Lowering &l, const Val &block, size_t axis,
                             const Val &places, bool isChecked, Val &pointers,
                             std::optional<Val> &mask, Location loc) {
  size_t rank = block.blockShape.size();
  const std::vector<Val> &e = *block.elements;
  FailureOr<Val> step =
      l.binary(BinaryOp::Mul, places, e[1 + rank + axis], loc);
  FailureOr<Val> moved =
      failed(step) ? step : l.binary(BinaryOp::Add, pointers, *step, loc);
  if (failed(moved))
    return failure();
  pointers = *moved;
  if (!isChecked)
    return success();
  FailureOr<Val> low = l.compare(CompareOp::Ge, places, Val::intValue(0), loc);
  FailureOr<Val> high = l.compare(CompareOp::Lt, places, e[1 + axis], loc);
  if (failed(low) || failed(high))
    return failure();
  FailureOr<Val> inside = l.binary(BinaryOp::And, *low, *high, loc);
  if (!failed(inside) && mask)
    inside = l.binary(BinaryOp::And, *mask, *inside, loc);
  if (failed(inside))
    return failure();
  mask = *inside;
  return success();
}

LogicalResult Lowering::blockAddresses(const Val &block, ArrayRef<bool> checked,
                                       Val &pointers, std::optional<Val> &mask,
                                       Location loc) {
  size_t rank = block.blockShape.size();
  const std::vector<Val> &e = *block.elements;
  pointers = e[0];
  for (size_t axis = 0; axis < rank; ++axis) {
    FailureOr<Val> line =
        builtins::placesAlong(*this, block.blockShape[axis], axis, rank, loc);
    FailureOr<Val> places =
        failed(line)
            ? line
            : binary(BinaryOp::Add, e[1 + 2 * rank + axis], *line, loc);
    if (failed(places) || failed(addAxis(*this, block, axis, *places,
                                         checked[axis], pointers, mask, loc)))
      return failure();
  }
  FailureOr<Val> result = broadcastTo(pointers, block.blockShape, loc);
  if (failed(result))
    return failure();
  pointers = *result;
  if (mask) {
    FailureOr<Val> wide = broadcastTo(*mask, block.blockShape, loc);
    if (failed(wide))
      return failure();
    mask = *wide;
  }
  return success();
}

/// The descriptor of an access at its offsets.
static FailureOr<Val> placed(Lowering &l, CallArgs &args) {
  const Val &block = args[0];
  if (block.kind != Val::BlockPointer || !block.isStatic) {
    l.error(args.locs[0],
            "expected a tensor descriptor, got " + block.describe());
    return failure();
  }
  FailureOr<std::vector<Val>> list =
      scalarList(l, args, 1, block.blockShape.size());
  if (failed(list))
    return failure();
  return withOffsets(block, *list);
}

FailureOr<Val> builtins::descriptorLoad(Lowering &l, CallArgs &args) {
  FailureOr<Val> block = placed(l, args);
  if (failed(block))
    return failure();
  return l.callBuiltin(*findBuiltin("load", kLanguage),
                       {{"", *block, args.locs[0]}}, args.loc);
}

FailureOr<Val> builtins::descriptorStore(Lowering &l, CallArgs &args) {
  FailureOr<Val> block = placed(l, args);
  if (failed(block))
    return failure();
  return l.callBuiltin(
      *findBuiltin("store", kLanguage),
      {{"", *block, args.locs[0]}, {"", args[2], args.locs[2]}}, args.loc);
}

FailureOr<Val> builtins::descriptorAtomic(Lowering &l, CallArgs &args) {
  FailureOr<Val> block = placed(l, args);
  if (failed(block))
    return failure();
  Val pointers;
  std::optional<Val> mask;
  llvm::SmallVector<bool> checked(block->blockShape.size(), true);
  if (failed(l.blockAddresses(*block, checked, pointers, mask, args.loc)))
    return failure();
  // `descriptor_atomic_add` is `atomic_add` at these addresses.
  StringRef name = StringRef(args.row.name).drop_front(strlen("descriptor_"));
  FailureOr<Val> old =
      l.callBuiltin(*findBuiltin(name, kLanguage),
                    {{"", pointers, args.locs[0]},
                     {"", args[2], args.locs[2]},
                     {"", mask.value_or(Val::none()), args.locs[0]}},
                    args.loc);
  return failed(old) ? old : FailureOr<Val>(Val::none());
}

/// The addresses of some rows of a descriptor of two axes, from a column on,
/// and which of them lie in the tensor.
static LogicalResult rowAddresses(Lowering &l, CallArgs &args, const Val &rows,
                                  const Val &column, Val &pointers,
                                  std::optional<Val> &mask) {
  const Val &block = args[0];
  if (block.kind != Val::BlockPointer || !block.isStatic ||
      block.blockShape.size() != 2 || block.blockShape[0] != 1) {
    l.error(args.locs[0], "expected a tensor descriptor whose block has one "
                          "row, got " +
                              block.describe());
    return failure();
  }
  if (!rows.isRuntime() || !rows.type.isInt() || rows.shape().size() != 1) {
    l.error(args.loc, "expected a tile of row numbers with one axis, got " +
                          rows.describe());
    return failure();
  }
  // Row i of the rows, column j: both as tiles that broadcast.
  FailureOr<Val> places[2] = {
      builtins::reshapeTo(l, rows, {rows.shape()[0], 1}, args.loc),
      builtins::placesAlong(l, block.blockShape[1], 1, 2, args.loc)};
  if (!failed(places[1]))
    places[1] = l.binary(BinaryOp::Add, column, *places[1], args.loc);
  pointers = (*block.elements)[0];
  for (unsigned axis : {0u, 1u}) {
    if (failed(places[axis]))
      return failure();
    FailureOr<Val> wide = l.castTo(*places[axis], DType::I64, args.loc);
    if (failed(wide) ||
        failed(addAxis(l, block, axis, *wide,
                       /*isChecked=*/true, pointers, mask, args.loc)))
      return failure();
  }
  return success();
}

FailureOr<Val> builtins::descriptorGather(Lowering &l, CallArgs &args) {
  Val pointers;
  std::optional<Val> mask;
  if (failed(rowAddresses(l, args, args[1], args[2], pointers, mask)))
    return failure();
  return l.callBuiltin(*findBuiltin("load", kLanguage),
                       {{"", pointers, args.locs[0]},
                        {"mask", *mask, args.locs[0]},
                        {"other", Val::intValue(0), args.locs[0]}},
                       args.loc);
}

FailureOr<Val> builtins::descriptorScatter(Lowering &l, CallArgs &args) {
  Val pointers;
  std::optional<Val> mask;
  if (failed(rowAddresses(l, args, args[2], args[3], pointers, mask)))
    return failure();
  return l.callBuiltin(*findBuiltin("store", kLanguage),
                       {{"", pointers, args.locs[0]},
                        {"", args[1], args.locs[1]},
                        {"mask", *mask, args.locs[0]}},
                       args.loc);
}
