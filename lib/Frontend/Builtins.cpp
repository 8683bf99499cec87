//===- Builtins.cpp - tables, tiles and types -----------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The table of the language's functions, and those that make tiles, change
// their shape or their type.
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
using mlir::Value;
namespace tile = tilec::tile;

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

llvm::ArrayRef<BuiltinRow> tilec::frontend::allBuiltins() {
  constexpr unsigned L = kLanguage, M = kMember, D = kLibdevice, P = kPython,
                     T = kTriton, G = kTarget;
  static const BuiltinRow rows[] = {
#define TILEC_BUILTIN(NAME, SCOPE, PARAMETERS, HANDLER)                        \
  {NAME, SCOPE, PARAMETERS, builtins::HANDLER},
#include "Builtins.def"
  };
  return rows;
}

const BuiltinRow *tilec::frontend::findBuiltin(StringRef name, unsigned scope) {
  using Rows = llvm::SmallVector<const BuiltinRow *, 2>;
  static const llvm::StringMap<Rows> *byName = [] {
    auto *map = new llvm::StringMap<Rows>();
    for (const BuiltinRow &row : allBuiltins())
      (*map)[row.name].push_back(&row);
    return map;
  }();
  auto it = byName->find(name);
  if (it != byName->end())
    for (const BuiltinRow *row : it->second)
      if (row->scope & scope)
        return row;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

FailureOr<int64_t> Lowering::constantInt(const Val &value, const Twine &what,
                                         Location loc) {
  std::optional<BigInt> i = value.asInt();
  if (!i) {
    error(loc, what +
                   " must be an integer that is known while compiling, got " +
                   value.describe() +
                   (value.isRuntime() ? "; make it a constexpr" : ""));
    return failure();
  }
  if (*i < INT64_MIN || *i > INT64_MAX) {
    error(loc, what + " is too large, got " + toText(*i));
    return failure();
  }
  return int64_t(*i);
}

/// And this many axes.
static constexpr size_t kMaxRank = 8;

FailureOr<std::vector<int64_t>> Lowering::shapeOf(const Val &value,
                                                  Location loc) {
  std::vector<Val> dims =
      value.kind == Val::Tuple ? *value.elements : std::vector<Val>{value};
  std::vector<int64_t> shape;
  int64_t total = 1;
  if (dims.size() > kMaxRank) {
    error(loc, "a tile has at most " + Twine(kMaxRank) + " axes");
    return failure();
  }
  for (const Val &dim : dims) {
    FailureOr<int64_t> size = constantInt(dim, "the size of a tile", loc);
    if (failed(size))
      return failure();
    if (*size < 1) {
      error(loc, "the size of a tile must be positive, got " + Twine(*size));
      return failure();
    }
    if (*size > kMaxElements || total * *size > kMaxElements) {
      error(loc, "this tile has more than " + Twine(kMaxElements) +
                     " elements; use a smaller block");
      return failure();
    }
    total *= *size;
    shape.push_back(*size);
  }
  return shape;
}

FailureOr<Val> builtins::tileArgument(Lowering &l, CallArgs &args, size_t i) {
  const Val &v = args[i];
  if (v.isRuntime() || v.isNumber())
    return l.toRuntime(v, args.locs[i]);
  l.error(args.locs[i], "'" + args.row.name +
                            "' needs a number or a tile, got " + v.describe());
  return failure();
}

FailureOr<int64_t> builtins::axisArgument(Lowering &l, CallArgs &args, size_t i,
                                          int64_t rank) {
  FailureOr<int64_t> axis = l.constantInt(args[i], "the axis", args.locs[i]);
  if (failed(axis))
    return failure();
  int64_t result = *axis < 0 ? *axis + rank : *axis;
  if (result < 0 || result >= rank) {
    l.error(args.locs[i], "axis " + Twine(*axis) + " is out of range for " +
                              Twine(rank) + (rank == 1 ? " axis" : " axes"));
    return failure();
  }
  return result;
}

FailureOr<ElemType> builtins::typeArgument(Lowering &l, const Val &value,
                                           Location loc) {
  if (std::optional<ElemType> type = l.typeOf(value))
    return *type;
  l.error(loc, "expected a type such as float32, got " + value.describe());
  return failure();
}

FailureOr<ElemType> builtins::typeArgument(Lowering &l, CallArgs &args,
                                           size_t i) {
  return typeArgument(l, args[i], args.locs[i]);
}

//===----------------------------------------------------------------------===//
// The grid, making tiles
//===----------------------------------------------------------------------===//

FailureOr<Val> builtins::programId(Lowering &l, CallArgs &args) {
  FailureOr<int64_t> axis =
      l.constantInt(args[0], "the axis of the grid", args.locs[0]);
  if (failed(axis))
    return failure();
  if (*axis < 0 || *axis > 2) {
    l.error(args.locs[0],
            "the axis of the grid is 0, 1 or 2, got " + Twine(*axis));
    return failure();
  }
  mlir::Type i32 = l.builder.getI32Type();
  Value value;
  if (args.row.name == "program_id")
    value = tile::ProgramIdOp::create(l.builder, args.loc, i32, int32_t(*axis));
  else
    value =
        tile::NumProgramsOp::create(l.builder, args.loc, i32, int32_t(*axis));
  return Val::runtime(value, DType::I32);
}

FailureOr<Val> builtins::arange(Lowering &l, CallArgs &args) {
  Val first = args[0], second = args[1];
  if (second.kind == Val::None) {
    second = first;
    first = Val::intValue(0);
  }
  FailureOr<int64_t> start =
      l.constantInt(first, "the start of arange()", args.locs[0]);
  if (failed(start))
    return failure();
  FailureOr<int64_t> end = l.constantInt(second, "the end of arange()",
                                         args.locs[args.given[1] ? 1 : 0]);
  if (failed(end))
    return failure();
  if (*end <= *start || *start < INT32_MIN || *end > INT32_MAX) {
    l.error(args.loc, "arange() needs an end greater than its start, got " +
                          Twine(*start) + " and " + Twine(*end));
    return failure();
  }
  FailureOr<std::vector<int64_t>> shape =
      l.shapeOf(Val::intValue(*end - *start), args.loc);
  if (failed(shape))
    return failure();
  auto type = mlir::RankedTensorType::get(*shape, l.builder.getI32Type());
  return Val::runtime(tile::ArangeOp::create(l.builder, args.loc, type,
                                             int32_t(*start), int32_t(*end)),
                      DType::I32);
}

FailureOr<Val> builtins::full(Lowering &l, CallArgs &args) {
  FailureOr<std::vector<int64_t>> shape = l.shapeOf(args[0], args.locs[0]);
  if (failed(shape))
    return failure();
  Val value = args[1];
  std::optional<ElemType> type;
  if (args[2].kind != Val::None) {
    FailureOr<ElemType> given = typeArgument(l, args, 2);
    if (failed(given))
      return failure();
    type = *given;
  }
  if (value.isNumber()) {
    if (!type)
      type = literalType(value);
    if (type)
      return l.constant(value, *type, *shape, args.loc);
  }
  FailureOr<Val> scalar = tileArgument(l, args, 1);
  if (failed(scalar))
    return failure();
  FailureOr<Val> converted =
      type ? l.castTo(*scalar, *type, args.loc) : FailureOr<Val>(*scalar);
  return failed(converted) ? converted
                           : l.broadcastTo(*converted, *shape, args.loc);
}

FailureOr<Val> builtins::zeros(Lowering &l, CallArgs &args) {
  FailureOr<std::vector<int64_t>> shape = l.shapeOf(args[0], args.locs[0]);
  if (failed(shape))
    return failure();
  if (args[1].kind == Val::None) {
    l.error(args.loc, "'" + args.row.name +
                          "' needs the type of the elements; write "
                          "dtype=float32");
    return failure();
  }
  FailureOr<ElemType> type = typeArgument(l, args, 1);
  if (failed(type))
    return failure();
  return l.constant(Val::intValue(args.row.name == "ones"), *type, *shape,
                    args.loc);
}

FailureOr<Val> builtins::zerosLike(Lowering &l, CallArgs &args) {
  FailureOr<Val> like = tileArgument(l, args, 0);
  if (failed(like))
    return failure();
  if (args.row.name == "zeros_like")
    return l.constant(Val::intValue(0), like->type, like->shape(), args.loc);
  FailureOr<Val> value = l.castTo(args[1], like->type, args.locs[1]);
  return failed(value) ? value : l.broadcastTo(*value, like->shape(), args.loc);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

mlir::Type builtins::withShape(mlir::Type type, ArrayRef<int64_t> shape) {
  mlir::Type element = tile::getElementType(type);
  return shape.empty() ? element : mlir::RankedTensorType::get(shape, element);
}

/// `*shape` arguments: either the sizes, or one tuple of them.
static Val starTuple(const CallArgs &args) {
  if (args.rest.size() == 1 && args.rest[0].kind == Val::Tuple)
    return args.rest[0];
  return Val::tuple(args.rest);
}

FailureOr<Val> builtins::broadcast(Lowering &l, CallArgs &args) {
  FailureOr<Val> a = tileArgument(l, args, 0), b = tileArgument(l, args, 1);
  if (failed(a) || failed(b))
    return failure();
  Val *both[] = {&*a, &*b};
  if (failed(l.broadcastAll(both, args.loc)))
    return failure();
  return Val::tuple({*a, *b});
}

FailureOr<Val> builtins::broadcastTo(Lowering &l, CallArgs &args) {
  FailureOr<Val> value = tileArgument(l, args, 0);
  if (failed(value))
    return failure();
  FailureOr<std::vector<int64_t>> shape = l.shapeOf(starTuple(args), args.loc);
  if (failed(shape))
    return failure();
  return l.broadcastTo(*value, *shape, args.loc);
}

FailureOr<Val> builtins::expandDims(Lowering &l, CallArgs &args) {
  FailureOr<Val> value = tileArgument(l, args, 0);
  if (failed(value))
    return failure();
  std::vector<Val> axes = args[1].kind == Val::Tuple
                              ? *args[1].elements
                              : std::vector<Val>{args[1]};
  Val result = *value;
  result.known = Val::None;
  for (const Val &axis : axes) {
    CallArgs one = args;
    one[1] = axis;
    std::vector<int64_t> shape = result.shape().vec();
    FailureOr<int64_t> at = axisArgument(l, one, 1, shape.size() + 1);
    if (failed(at))
      return failure();
    bool isScalar = shape.empty();
    if (shape.size() >= kMaxRank) {
      l.error(args.loc, "a tile has at most " + Twine(kMaxRank) + " axes");
      return failure();
    }
    shape.insert(shape.begin() + *at, 1);
    mlir::Type type = withShape(result.value.getType(), shape);
    if (isScalar)
      result.value =
          tile::SplatOp::create(l.builder, args.loc, type, result.value);
    else
      result.value = tile::ExpandDimsOp::create(l.builder, args.loc, type,
                                                result.value, int32_t(*at));
  }
  return result;
}

FailureOr<Val> builtins::squeeze(Lowering &l, CallArgs &args) {
  FailureOr<Val> value = tileArgument(l, args, 0);
  if (failed(value))
    return failure();
  std::vector<int64_t> shape = value->shape().vec();
  FailureOr<int64_t> axis = axisArgument(l, args, 1, shape.size());
  if (failed(axis))
    return failure();
  if (shape[*axis] != 1) {
    l.error(args.locs[1], "axis " + Twine(*axis) + " has size " +
                              Twine(shape[*axis]) +
                              ", not 1; squeeze() drops axes of size 1");
    return failure();
  }
  if (shape.size() == 1)
    return scalarOf(l, *value, args.loc);
  shape.erase(shape.begin() + *axis);
  value->value = tile::ReshapeOp::create(
      l.builder, args.loc, withShape(value->value.getType(), shape),
      value->value);
  return value;
}

FailureOr<Val> builtins::reshape(Lowering &l, CallArgs &args) {
  FailureOr<Val> value = tileArgument(l, args, 0);
  if (failed(value))
    return failure();
  // One size may be -1: what is left.
  Val sizes = starTuple(args);
  int64_t count = 1, known = 1;
  for (int64_t dim : value->shape())
    count *= dim;
  std::vector<Val> dims = *sizes.elements;
  for (const Val &dim : dims)
    if (std::optional<BigInt> size = dim.asInt(); size && *size > 0)
      known =
          std::min<int64_t>(known * int64_t(std::min<BigInt>(*size, count + 1)),
                            int64_t(1) << 40);
  for (Val &dim : dims)
    if (std::optional<BigInt> size = dim.asInt(); size && *size == -1)
      dim = Val::intValue(std::max<int64_t>(1, count / known));
  FailureOr<std::vector<int64_t>> shape = l.shapeOf(Val::tuple(dims), args.loc);
  if (failed(shape))
    return failure();
  int64_t total = 1;
  for (int64_t dim : *shape)
    total *= dim;
  if (total != count) {
    l.error(args.loc, "cannot reshape " + describeShape(value->shape()) +
                          " to " + describeShape(*shape) + ", which has " +
                          Twine(total) + " elements instead of " +
                          Twine(count));
    return failure();
  }
  return reshapeTo(l, *value, *shape, args.loc);
}

FailureOr<Val> builtins::reshapeTo(Lowering &l, const Val &value,
                                   ArrayRef<int64_t> shape, Location loc) {
  if (value.shape() == shape)
    return value;
  if (value.isScalar())
    return l.broadcastTo(value, shape, loc);
  if (shape.empty())
    return scalarOf(l, value, loc);
  return Val::runtime(
      tile::ReshapeOp::create(
          l.builder, loc, withShape(value.value.getType(), shape), value.value),
      value.type);
}

FailureOr<Val> builtins::placesAlong(Lowering &l, int64_t size, size_t axis,
                                     size_t rank, Location loc) {
  auto type = mlir::RankedTensorType::get({size}, l.builder.getI32Type());
  Val line = Val::runtime(
      tile::ArangeOp::create(l.builder, loc, type, 0, int32_t(size)),
      DType::I32);
  std::vector<int64_t> dims(rank, 1);
  dims[axis] = size;
  return reshapeTo(l, line, dims, loc);
}

FailureOr<Val> builtins::ravel(Lowering &l, CallArgs &args) {
  FailureOr<Val> value = tileArgument(l, args, 0);
  if (failed(value))
    return failure();
  int64_t count = 1;
  for (int64_t dim : value->shape())
    count *= dim;
  return reshapeTo(l, *value, {count}, args.loc);
}

FailureOr<Val> builtins::trans(Lowering &l, CallArgs &args) {
  FailureOr<Val> value = tileArgument(l, args, 0);
  if (failed(value))
    return failure();
  ArrayRef<int64_t> shape = value->shape();
  int64_t rank = shape.size();
  std::vector<int32_t> order;
  Val dims = starTuple(args);
  if (dims.elements->empty()) {
    if (rank < 2) {
      l.error(args.loc,
              "a transposition needs two axes, got " + value->describe());
      return failure();
    }
    for (int64_t i = 0; i < rank; ++i)
      order.push_back(i);
    std::swap(order[rank - 1], order[rank - 2]);
  } else {
    std::vector<bool> seen(rank);
    for (const Val &dim : *dims.elements) {
      FailureOr<int64_t> axis = l.constantInt(dim, "the axis", args.loc);
      if (failed(axis))
        return failure();
      int64_t a = *axis < 0 ? *axis + rank : *axis;
      if (a < 0 || a >= rank || seen[a] ||
          int64_t(dims.elements->size()) != rank) {
        l.error(args.loc, "expected each of the " + Twine(rank) +
                              " axes once, got " + dims.describe());
        return failure();
      }
      seen[a] = true;
      order.push_back(a);
    }
  }
  std::vector<int64_t> result;
  for (int32_t axis : order)
    result.push_back(shape[axis]);
  return Val::runtime(
      tile::TransOp::create(l.builder, args.loc,
                            withShape(value->value.getType(), result),
                            value->value, order),
      value->type);
}

FailureOr<Val> builtins::scalarOf(Lowering &l, const Val &value, Location loc) {
  if (value.isScalar())
    return value;
  int64_t count = 1;
  for (int64_t dim : value.shape())
    count *= dim;
  if (count != 1) {
    l.error(loc, "expected one element, got " + value.describe() +
                     "; reduce it with " + l.spell("sum()") + " or " +
                     l.spell("max()"));
    return failure();
  }
  FailureOr<Val> flat = reshapeTo(l, value, {1}, loc);
  if (failed(flat))
    return failure();
  // The only element of an axis is its reduction by anything.
  return reduceAxis(l, *flat, 0, loc, [&](Value a, Value) { return a; });
}

FailureOr<Val> builtins::item(Lowering &l, CallArgs &args) {
  FailureOr<Val> value = tileArgument(l, args, 0);
  return failed(value) ? value : scalarOf(l, *value, args.loc);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

FailureOr<Val> builtins::cast(Lowering &l, CallArgs &args) {
  FailureOr<ElemType> type = typeArgument(l, args, 1);
  if (failed(type))
    return failure();
  FailureOr<Val> value =
      args[0].isNumber() ? args[0] : tileArgument(l, args, 0);
  if (failed(value))
    return failure();
  bool keepsBits = foldTruth(args[3]).value_or(false);
  StringRef rounding = args[2].kind == Val::None     ? "rtne"
                       : args[2].kind == Val::String ? args[2].text
                                                     : "";
  bool isNarrowing = value->isRuntime() && value->type.isFloat() &&
                     type->isFloat() && value->type.bits() > type->bits();
  if ((rounding != "rtne" && rounding != "rtz") ||
      (rounding == "rtz" && (!isNarrowing || keepsBits))) {
    l.error(args.locs[2],
            "a rounding is \"rtne\", or \"rtz\" of a float to one "
            "with fewer bits");
    return failure();
  }
  if (keepsBits)
    return l.bitcast(*value, *type, args.loc);
  FailureOr<Val> result = l.castTo(*value, *type, args.loc);
  if (!failed(result) && rounding == "rtz")
    if (auto narrowed = result->value.getDefiningOp<mlir::arith::TruncFOp>())
      narrowed.setRoundingmode(mlir::arith::RoundingMode::toward_zero);
  return result;
}

FailureOr<Val> builtins::pythonNumber(Lowering &l, CallArgs &args) {
  StringRef name = args.row.name;
  Val v = args[0].constant();
  if (v.kind == Val::String && name == "float") {
    std::string text = v.text.trim().lower();
    bool negative = StringRef(text).starts_with("-");
    StringRef magnitude =
        StringRef(text).drop_while([](char c) { return c == '-' || c == '+'; });
    double number = 0;
    if (magnitude == "inf" || magnitude == "infinity")
      number = INFINITY;
    else if (magnitude == "nan")
      number = NAN;
    else if (magnitude.getAsDouble(number)) {
      l.error(args.locs[0], "\"" + v.text + "\" is not a number");
      return failure();
    }
    return Val::floatValue(negative ? -number : number);
  }
  if (v.isNumber()) {
    double number = v.kind == Val::Float ? v.number : double(v.integer);
    if (name == "float")
      return Val::floatValue(number);
    if (name == "bool")
      return Val::boolean(number != 0);
    if (v.kind != Val::Float)
      return Val::intValue(v.integer);
    if (std::fabs(number) < 0x1p100)
      return Val::intValue(BigInt(number));
  }
  FailureOr<Val> value = tileArgument(l, args, 0);
  if (failed(value))
    return failure();
  ElemType type = name == "float" ? DType::F32
                  : name == "int" ? DType::I32
                                  : DType::I1;
  return l.castTo(*value, type, args.loc);
}

FailureOr<Val> builtins::constexprOf(Lowering &l, CallArgs &args) {
  Val v = args[0].constant();
  if (v.kind != Val::Poisoned)
    return v;
  l.error(args.locs[0],
          "expected a compile-time value, got " + args[0].describe());
  return failure();
}

FailureOr<Val> builtins::toTensor(Lowering &l, CallArgs &args) {
  return tileArgument(l, args, 0);
}

FailureOr<Val> builtins::pointerType(Lowering &l, CallArgs &args) {
  FailureOr<ElemType> type = typeArgument(l, args, 0);
  if (failed(type))
    return failure();
  if (type->pointers > 3) {
    l.error(args.loc, "pointers are nested too deeply");
    return failure();
  }
  bool isConst = args[0].isStatic || (args.row.name == "pointer_type" &&
                                      foldTruth(args[2]).value_or(false));
  Val v = Val::elemType(type->pointerTo(isConst));
  if (args.row.name == "ptr" && args.given[1])
    v.integer = args[1].asInt().value_or(0);
  return v;
}

FailureOr<Val> builtins::constType(Lowering &l, CallArgs &args) {
  FailureOr<ElemType> type = typeArgument(l, args, 0);
  if (failed(type))
    return failure();
  // The pointer around it becomes a pointer that is only read.
  Val v = Val::elemType(*type);
  v.isStatic = true;
  return v;
}

FailureOr<Val> builtins::tupleOf(Lowering &l, CallArgs &args) {
  if (args[0].kind == Val::Tuple)
    return args[0];
  l.error(args.loc, "expected a tuple, got " + args[0].describe());
  return failure();
}

FailureOr<Val> builtins::len(Lowering &l, CallArgs &args) {
  if (args[0].kind == Val::Tuple)
    return Val::intValue(args[0].elements->size());
  if (args[0].kind == Val::String)
    return Val::intValue(args[0].text.size());
  if (args[0].isRuntime() && !args[0].isScalar())
    return Val::intValue(args[0].shape()[0]);
  l.error(args.locs[0], "len() needs a tuple, got " + args[0].describe());
  return failure();
}

FailureOr<Val> builtins::isInstance(Lowering &l, CallArgs &args) {
  std::vector<Val> classes = args[1].kind == Val::Tuple
                                 ? *args[1].elements
                                 : std::vector<Val>{args[1]};
  for (const Val &c : classes) {
    StringRef name = c.kind == Val::Builtin ? c.builtin->name : "";
    Val::Kind kind = args[0].kind;
    if ((name == "constexpr" && !args[0].isRuntime()) ||
        (name == "tuple" && kind == Val::Tuple) ||
        (name == "int" && kind == Val::Int) ||
        (name == "bool" && kind == Val::Bool) ||
        (name == "float" && kind == Val::Float) ||
        (name == "tensor" && kind == Val::Runtime) ||
        (name == "dtype" && kind == Val::Type))
      return Val::boolean(true);
  }
  return Val::boolean(false);
}

FailureOr<Val> builtins::sameFunction(Lowering &, CallArgs &args) {
  return args[0];
}

FailureOr<Val> builtins::fromPrelude(Lowering &l, CallArgs &args) {
  return l.callPrelude(args.row.name, args.values, args.loc);
}

FailureOr<Val> builtins::targetIs(Lowering &, CallArgs &args) {
  return Val::boolean(args.row.name == "is_cuda");
}

FailureOr<Val> builtins::capabilityGeq(Lowering &l, CallArgs &args) {
  int64_t version[2];
  for (size_t i : {0, 1}) {
    FailureOr<int64_t> number = l.constantInt(
        args[i], "a version of 'cuda_capability_geq'", args.locs[i]);
    if (failed(number))
      return failure();
    version[i] = *number;
  }
  unsigned arch = 0; // 90 of sm_90a
  StringRef digits = l.session.options.arch;
  digits.consume_front("sm_");
  digits.consumeInteger(10, arch);
  return Val::boolean(arch >= version[0] * 10 + version[1]);
}
