//===- BuiltinsControl.cpp - ranges, hints, debugging ---------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Functions that steer the compiler or talk to the user.
//
//===----------------------------------------------------------------------===//

#include "BuiltinHandlers.h"
#include "FormatText.h"
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

FailureOr<Val> builtins::range(Lowering &l, CallArgs &args) {
  Val v;
  v.kind = Val::Range;
  v.isStatic = args.row.name == "static_range";
  bool one = args[1].kind == Val::None;
  v.elements = std::make_shared<std::vector<Val>>(std::vector<Val>{
      one ? Val::intValue(0) : args[0], one ? args[0] : args[1], args[2]});
  for (const Val &part : *v.elements)
    if (!part.isRuntime() && part.kind != Val::Int && part.kind != Val::Bool) {
      l.error(args.loc,
              "the bounds of a range are integers, got " + part.describe());
      return failure();
    }
  return v;
}

FailureOr<Val> builtins::hint(Lowering &l, CallArgs &args) {
  FailureOr<Val> value = tileArgument(l, args, 0);
  if (failed(value))
    return failure();
  std::vector<Val> list = args[1].kind == Val::Tuple
                              ? *args[1].elements
                              : std::vector<Val>{args[1]};
  size_t rank = std::max<size_t>(1, value->shape().size());
  if (list.size() != rank) {
    l.error(args.locs[1], "'" + args.row.name +
                              "' needs one number for each of the " +
                              Twine(rank) + " axes");
    return failure();
  }
  std::vector<int32_t> numbers;
  for (const Val &v : list) {
    FailureOr<int64_t> n = l.constantInt(v, "the hint", args.locs[1]);
    if (failed(n))
      return failure();
    if (*n < 1 || *n > INT32_MAX) {
      l.error(args.locs[1], "the hint must be positive, got " + Twine(*n));
      return failure();
    }
    numbers.push_back(*n);
  }
  StringRef name = args.row.name == "multiple_of"      ? tile::kDivisibilityAttr
                   : args.row.name == "max_contiguous" ? tile::kContiguityAttr
                                                       : tile::kConstancyAttr;
  // A hint belongs to the operation that makes the value. The values of loops
  // and arguments have none; arguments are hinted in the signature.
  mlir::Operation *op = value->value.getDefiningOp();
  if (op && op->getNumResults() == 1)
    op->setAttr(name, l.builder.getDenseI32ArrayAttr(numbers));
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(value->value);
  auto func = argument ? mlir::dyn_cast_or_null<mlir::func::FuncOp>(
                             argument.getOwner()->getParentOp())
                       : nullptr;
  if (func && value->type.isInt() && name == tile::kDivisibilityAttr &&
      llvm::isPowerOf2_32(numbers[0]) && numbers[0] > 1) {
    auto old =
        func.getArgAttrOfType<mlir::IntegerAttr>(argument.getArgNumber(), name);
    if (!old || old.getInt() < numbers[0])
      func.setArgAttr(argument.getArgNumber(), name,
                      l.builder.getI32IntegerAttr(numbers[0]));
  }
  return value;
}

FailureOr<Val> builtins::assume(Lowering &l, CallArgs &args) {
  if (std::optional<bool> known =
          args[0].isRuntime() ? std::nullopt : foldTruth(args[0])) {
    if (*known)
      return Val::none();
    l.error(args.locs[0], "this assumption is false");
    return failure();
  }
  FailureOr<Val> cond = l.condition(args[0], args.locs[0]);
  if (failed(cond))
    return failure();
  if (!cond->isScalar()) {
    l.error(args.locs[0],
            "'assume' needs one Boolean, got " + cond->describe());
    return failure();
  }
  tile::AssumeOp::create(l.builder, args.loc, cond->value);
  return Val::none();
}

FailureOr<Val> builtins::barrier(Lowering &l, CallArgs &args) {
  tile::BarrierOp::create(l.builder, args.loc);
  return Val::none();
}

FailureOr<Val> builtins::gdcWait(Lowering &l, CallArgs &args) {
  tile::GdcWaitOp::create(l.builder, args.loc);
  return Val::none();
}

FailureOr<Val> builtins::gdcLaunchDependents(Lowering &l, CallArgs &args) {
  tile::GdcLaunchDependentsOp::create(l.builder, args.loc);
  return Val::none();
}

FailureOr<Val> builtins::staticAssert(Lowering &l, CallArgs &args) {
  std::optional<bool> known = foldTruth(args[0]);
  if (!known) {
    l.error(args.locs[0],
            "'static_assert' needs a condition that is known while "
            "compiling, got " +
                args[0].describe() + "; use " + l.spell("device_assert"));
    return failure();
  }
  if (*known)
    return Val::none();
  std::string message = plainText(args[1]);
  l.error(args.loc, message.empty()
                        ? Twine("this static assertion is false")
                        : "this static assertion is false: " + Twine(message));
  return failure();
}

FailureOr<Val> builtins::staticPrint(Lowering &l, CallArgs &args) {
  std::string text;
  for (const Val &v : args.rest)
    text += (text.empty() ? "" : " ") + plainText(v);
  Location loc = args.loc;
  while (auto call = mlir::dyn_cast<mlir::CallSiteLoc>(loc))
    loc = call.getCallee();
  mlir::emitRemark(loc, text);
  return Val::none();
}

FailureOr<Val> builtins::deviceAssert(Lowering &l, CallArgs &args) {
  FailureOr<Val> cond = l.condition(args[0], args.locs[0]);
  if (failed(cond))
    return failure();
  if (args[2].kind != Val::None) {
    FailureOr<Val> mask = l.condition(args[2], args.locs[2]);
    FailureOr<Val> off =
        failed(mask) ? mask : l.unary(UnaryOp::Not, *mask, args.loc);
    cond = failed(off) ? off : l.binary(BinaryOp::Or, *cond, *off, args.loc);
    if (failed(cond))
      return failure();
  }
  tile::AssertOp::create(l.builder, args.loc, cond->value, plainText(args[1]));
  return Val::none();
}

FailureOr<Val> builtins::devicePrint(Lowering &l, CallArgs &args) {
  std::vector<Val> values;
  std::string prefix;
  if (args[0].kind == Val::String)
    prefix = args[0].text.str();
  else
    args.rest.insert(args.rest.begin(), args[0]);
  for (auto [i, v] : llvm::enumerate(args.rest)) {
    if (v.kind == Val::String) {
      prefix += (prefix.empty() ? "" : " ") + v.text.str();
      continue;
    }
    FailureOr<Val> value = l.toRuntime(v, args.loc);
    if (failed(value))
      return failure();
    values.push_back(*value);
  }
  if (failed(l.broadcastAll(values, args.loc)))
    return failure();
  std::vector<Value> operands;
  for (const Val &v : values)
    operands.push_back(v.value);
  bool hex = args.values.size() > 2 && args[2].isNumber() &&
             foldTruth(args[2]).value_or(false);
  tile::PrintOp::create(l.builder, args.loc, prefix, operands,
                        /*mask=*/Value(), hex);
  return Val::none();
}
