//===- BuiltinsMath.cpp - elementwise functions ---------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Arithmetic by name and the mathematical functions. `afn` marks those that
// Triton computes approximately; the ones named `_rn` are exact and carry no
// flag.
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
using tilec::Warning;
namespace arith = mlir::arith;
namespace m = mlir::math;
using Fast = arith::FastMathFlags;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

FailureOr<Val> builtins::arithmetic(Lowering &l, CallArgs &args) {
  StringRef name = args.row.name;
  BinaryOp op = name == "add"   ? BinaryOp::Add
                : name == "sub" ? BinaryOp::Sub
                : name == "mul" ? BinaryOp::Mul
                                : BinaryOp::FloorDiv;
  return l.binary(op, args[0], args[1], args.loc);
}

/// Is this argument `PropagateNan.ALL`? An error if it is something else than
/// that, `NONE` or nothing.
static FailureOr<bool> propagates(Lowering &l, CallArgs &args, size_t i) {
  const Val &v = args[i];
  if (v.kind == Val::None || (v.kind == Val::String && v.text == "NONE"))
    return false;
  if (v.kind == Val::String && v.text == "ALL")
    return true;
  l.error(args.locs[i], "'propagate_nan' is PropagateNan.ALL or "
                        "PropagateNan.NONE, got " +
                            v.describe());
  return failure();
}

FailureOr<Val> builtins::maximum(Lowering &l, CallArgs &args) {
  FailureOr<bool> nan = propagates(l, args, 2);
  if (failed(nan))
    return failure();
  bool isFloat =
      llvm::any_of(llvm::ArrayRef(args.values).take_front(2), [](const Val &v) {
        return v.isRuntime() && v.type.isFloat();
      });
  if (isFloat && !args.given[2])
    l.warn(Warning::NanMax, args.loc,
           "'" + args.row.name +
               "' drops NaN; write propagate_nan="
               "PropagateNan.ALL to keep it, or NONE where "
               "that is meant");
  return l.minMax(args.row.name == "maximum", args[0], args[1], *nan, args.loc);
}

FailureOr<Val> builtins::pythonMax(Lowering &l, CallArgs &args) {
  bool isMax = args.row.name == "max";
  std::vector<Val> values = {args[0]};
  if (args.rest.empty() && args[0].kind == Val::Tuple &&
      !args[0].elements->empty())
    values = *args[0].elements;
  values.insert(values.end(), args.rest.begin(), args.rest.end());
  // One value is reduced, as by the function of the language; so is the first
  // of two where a keyword says so.
  bool isReduction = std::find(args.given.begin() + 2, args.given.end(),
                               true) != args.given.end();
  if (values.size() == 1 || (args.rest.size() == 1 && isReduction)) {
    CallInput input = {{"", args[0], args.locs[0]}};
    if (args.rest.size() == 1)
      input.push_back({"axis", args.rest[0], args.restLocs[0]});
    static constexpr StringRef names[] = {
        "axis", "return_indices", "return_indices_tie_break_left", "keep_dims"};
    for (auto [i, name] : llvm::enumerate(names))
      if (args.given[i + 2])
        input.push_back({name, args[i + 2], args.locs[i + 2]});
    return l.callBuiltin(*findBuiltin(args.row.name, kLanguage), input,
                         args.loc);
  }
  FailureOr<Val> result = values[0];
  for (const Val &v : llvm::drop_begin(values)) {
    result = l.minMax(isMax, *result, v, false, args.loc);
    if (failed(result))
      return failure();
  }
  return result;
}

FailureOr<Val> builtins::clamp(Lowering &l, CallArgs &args) {
  FailureOr<bool> nan = propagates(l, args, 3);
  if (failed(nan))
    return failure();
  FailureOr<Val> low = l.minMax(true, args[0], args[1], *nan, args.loc);
  return failed(low) ? low : l.minMax(false, *low, args[2], *nan, args.loc);
}

FailureOr<Val> builtins::where(Lowering &l, CallArgs &args) {
  return l.select(args[0], args[1], args[2], args.loc);
}

FailureOr<Val> builtins::logical(Lowering &l, CallArgs &args) {
  FailureOr<Val> a = l.condition(args[0], args.locs[0]);
  FailureOr<Val> b = failed(a) ? a : l.condition(args[1], args.locs[1]);
  if (failed(b))
    return failure();
  return l.binary(args.row.name == "logical_and" ? BinaryOp::And : BinaryOp::Or,
                  *a, *b, args.loc);
}

FailureOr<Val> builtins::abs(Lowering &l, CallArgs &args) {
  if (args[0].isNumber()) {
    std::string unused;
    bool negative = args[0].kind == Val::Float ? std::signbit(args[0].number)
                                               : args[0].integer < 0;
    return negative ? l.unary(UnaryOp::Neg, args[0], args.loc) : args[0];
  }
  FailureOr<Val> x = tileArgument(l, args, 0);
  if (failed(x))
    return failure();
  x->known = Val::None;
  if (x->type.isFloat())
    x->value = m::AbsFOp::create(l.builder, args.loc, x->value);
  else if (x->type.isInt() && x->type.isSigned())
    x->value = m::AbsIOp::create(l.builder, args.loc, x->value);
  else if (x->type.isPointer() || x->type.isStorageOnly()) {
    l.error(args.locs[0], "'abs' needs numbers, got " + x->describe());
    return failure();
  }
  return x;
}

FailureOr<Val> builtins::fma(Lowering &l, CallArgs &args) {
  Val x = args[0], y = args[1], z = args[2];
  if (failed(l.promotePair(x, y, false, "fma", args.loc)) ||
      failed(l.promotePair(x, z, false, "fma", args.loc)))
    return failure();
  FailureOr<Val> again = l.castTo(y, x.type, args.loc);
  if (failed(again))
    return failure();
  y = *again;
  Val *all[] = {&x, &y, &z};
  if (failed(l.broadcastAll(all, args.loc)))
    return failure();
  if (!x.type.isFloat()) {
    l.error(args.loc, "'fma' needs floats, got " + x.describe());
    return failure();
  }
  return Val::runtime(
      m::FmaOp::create(l.builder, args.loc, x.value, y.value, z.value), x.type);
}

FailureOr<Val> builtins::umulhi(Lowering &l, CallArgs &args) {
  Val x = args[0], y = args[1];
  if (failed(l.unify(x, y, false, args.row.name, args.loc)))
    return failure();
  if (!x.type.isInt() || x.type.bits() < 32) {
    l.error(args.loc, "'" + args.row.name +
                          "' needs 32 or 64 bit integers, got " + x.describe());
    return failure();
  }
  // `umulhi` multiplies the bits, whatever their sign; `mulhi` minds it.
  ElemType type = x.type;
  bool isSigned = args.row.name == "mulhi" && type.isSigned();
  if (type.bits() == 64)
    return l.callPrelude("high_word", {x, y, Val::boolean(isSigned)}, args.loc);
  x.type = y.type = isSigned ? DType::I32 : DType::U32;
  ElemType wide = isSigned ? DType::I64 : DType::U64;
  FailureOr<Val> a = l.castTo(x, wide, args.loc);
  FailureOr<Val> b = l.castTo(y, wide, args.loc);
  if (failed(a) || failed(b))
    return failure();
  FailureOr<Val> product = l.binary(BinaryOp::Mul, *a, *b, args.loc);
  FailureOr<Val> high = failed(product) ? product
                                        : l.binary(BinaryOp::RShift, *product,
                                                   Val::intValue(32), args.loc);
  return failed(high) ? high : l.castTo(*high, type, args.loc);
}

FailureOr<Val> builtins::fdiv(Lowering &l, CallArgs &args) {
  Val x = args[0], y = args[1];
  if (failed(l.unify(x, y, false, args.row.name, args.loc)))
    return failure();
  if (!x.type.isFloat()) {
    l.error(args.loc, "'" + args.row.name + "' needs floats, got " +
                          x.describe() + "; use '/'");
    return failure();
  }
  bool exact = args.row.name == "div_rn" || foldTruth(args[2]).value_or(false);
  return Val::runtime(arith::DivFOp::create(l.builder, args.loc, x.value,
                                            y.value,
                                            exact ? Fast::none : Fast::arcp),
                      x.type);
}

FailureOr<Val> builtins::cdiv(Lowering &l, CallArgs &args) {
  // (x + (div - 1)) // div, with the operators' own rules.
  FailureOr<Val> less =
      l.binary(BinaryOp::Sub, args[1], Val::intValue(1), args.loc);
  FailureOr<Val> sum =
      failed(less) ? less : l.binary(BinaryOp::Add, args[0], *less, args.loc);
  return failed(sum) ? sum
                     : l.binary(BinaryOp::FloorDiv, *sum, args[1], args.loc);
}

FailureOr<Val> builtins::nextPowerOf2(Lowering &l, CallArgs &args) {
  FailureOr<int64_t> n = l.constantInt(
      args[0], "the argument of " + args.row.name + "()", args.locs[0]);
  if (failed(n))
    return failure();
  BigInt power = 1;
  int64_t exponent = 0;
  while (power < *n) {
    power *= 2;
    ++exponent;
  }
  if (args.row.name == "_log2")
    return Val::intValue(exponent);
  return Val::intValue(power);
}

//===----------------------------------------------------------------------===//
// Functions of one number
//===----------------------------------------------------------------------===//

using UnaryBuilder = Value (*)(mlir::OpBuilder &, Location, Value);

/// Builds an operation of the math dialect.
template <typename Op, Fast Flags = Fast::none>
static Value build(mlir::OpBuilder &b, Location loc, Value x) {
  return Op::create(b, loc, x, Flags);
}

/// The rows of `math`: name and how it is built.
static UnaryBuilder findUnary(StringRef name) {
  static const llvm::StringMap<UnaryBuilder> table = {
      {"exp", build<m::ExpOp, Fast::afn>},
      {"exp2", build<m::Exp2Op, Fast::afn>},
      {"log", build<m::LogOp, Fast::afn>},
      {"log2", build<m::Log2Op, Fast::afn>},
      {"sin", build<m::SinOp, Fast::afn>},
      {"cos", build<m::CosOp, Fast::afn>},
      {"sqrt", build<m::SqrtOp, Fast::afn>},
      {"sqrt_rn", build<m::SqrtOp>},
      {"rsqrt", build<m::RsqrtOp, Fast::afn>},
      {"erf", build<m::ErfOp>},
      {"floor", build<m::FloorOp>},
      {"ceil", build<m::CeilOp>},
      {"tanh", build<m::TanhOp>},
      {"fast_tanhf", build<m::TanhOp, Fast::afn>},
      {"fast_expf", build<m::ExpOp, Fast::afn>},
      {"fast_logf", build<m::LogOp, Fast::afn>},
      {"fast_log2f", build<m::Log2Op, Fast::afn>},
      {"fast_sinf", build<m::SinOp, Fast::afn>},
      {"fast_cosf", build<m::CosOp, Fast::afn>},
      {"expm1", build<m::ExpM1Op>},
      {"log1p", build<m::Log1pOp>},
      {"log10", build<m::Log10Op>},
      {"tan", build<m::TanOp>},
      {"asin", build<m::AsinOp>},
      {"acos", build<m::AcosOp>},
      {"atan", build<m::AtanOp>},
      {"sinh", build<m::SinhOp>},
      {"cosh", build<m::CoshOp>},
      {"asinh", build<m::AsinhOp>},
      {"acosh", build<m::AcoshOp>},
      {"atanh", build<m::AtanhOp>},
      {"cbrt", build<m::CbrtOp>},
      {"erfc", build<m::ErfcOp>},
      {"trunc", build<m::TruncOp>},
      {"round", build<m::RoundOp>},
      {"rint", build<m::RoundEvenOp>},
      {"nearbyint", build<m::RoundEvenOp>}};
  auto it = table.find(name);
  return it == table.end() ? nullptr : it->second;
}

/// The argument as fp32 or fp64.
static FailureOr<Val> wideFloat(Lowering &l, CallArgs &args, size_t i) {
  FailureOr<Val> x = builtins::tileArgument(l, args, i);
  if (failed(x))
    return failure();
  if (!args[i].isRuntime() && x->type.isInt())
    x = l.castTo(args[i], DType::F32, args.locs[i]);
  if (failed(x))
    return failure();
  x->known = Val::None;
  if (x->type.isFloat() && x->type.bits() >= 32)
    return x;
  l.error(args.locs[i], "'" + args.row.name + "' needs fp32 or fp64, got " +
                            x->describe() + "; cast it with .to(float32)");
  return failure();
}

FailureOr<Val> builtins::math(Lowering &l, CallArgs &args) {
  FailureOr<Val> x = wideFloat(l, args, 0);
  if (failed(x))
    return failure();
  UnaryBuilder builder = findUnary(args.row.name);
  if (!builder) {
    l.error(args.loc, "'" + args.row.name + "' is not supported");
    return failure();
  }
  return Val::runtime(builder(l.builder, args.loc, x->value), x->type);
}

FailureOr<Val> builtins::preciseMath(Lowering &l, CallArgs &args) {
  FailureOr<Val> x = wideFloat(l, args, 0);
  if (failed(x))
    return failure();
  static const llvm::StringMap<UnaryBuilder> table = {
      {"exp", build<m::ExpOp>},   {"exp2", build<m::Exp2Op>},
      {"log", build<m::LogOp>},   {"log2", build<m::Log2Op>},
      {"sin", build<m::SinOp>},   {"cos", build<m::CosOp>},
      {"sqrt", build<m::SqrtOp>}, {"rsqrt", build<m::RsqrtOp>}};
  return Val::runtime(
      table.lookup(args.row.name)(l.builder, args.loc, x->value), x->type);
}

/// Rounds a float to a whole number in a direction: (n)earest, toward (z)ero,
/// (d)own, (u)p.
static Value roundTo(Lowering &l, char direction, Value x, Location loc) {
  switch (direction) {
  case 'n':
    return m::RoundEvenOp::create(l.builder, loc, x);
  case 'd':
    return m::FloorOp::create(l.builder, loc, x);
  case 'u':
    return m::CeilOp::create(l.builder, loc, x);
  default:
    return x; // as casts do
  }
}

FailureOr<Val> builtins::inDirection(Lowering &l, CallArgs &args) {
  StringRef name = args.row.name.drop_back(3);
  char direction = args.row.name.back();
  auto [from, to] = name.split('2');
  if (from == "float" || (from == "double" && to != "float")) {
    FailureOr<Val> x = wideFloat(l, args, 0);
    if (failed(x))
      return failure();
    x->value = roundTo(l, direction, x->value, args.loc);
    DType type = llvm::StringSwitch<DType>(to)
                     .Case("int", DType::I32)
                     .Case("uint", DType::U32)
                     .Case("ll", DType::I64)
                     .Default(DType::U64);
    return l.castTo(*x, type, args.loc);
  }
  std::vector<Val> values;
  for (size_t i = 0; i < args.values.size(); ++i) {
    FailureOr<Val> x = tileArgument(l, args, i);
    if (failed(x))
      return failure();
    values.push_back(*x);
  }
  values.push_back(Val::string(args.row.name.take_back(1)));
  return l.callPrelude((name + "_toward").str(), std::move(values), args.loc);
}

FailureOr<Val> builtins::binaryMath(Lowering &l, CallArgs &args) {
  StringRef name = args.row.name;
  Val x = args[0], y = args[1];
  // `pow` takes a whole exponent too.
  if (y.isRuntime() && y.type.isInt()) {
    FailureOr<Val> converted = l.castTo(y, DType::F32, args.locs[1]);
    if (failed(converted))
      return failure();
    y = *converted;
  } else if (y.kind == Val::Int) {
    y = Val::floatValue(double(y.integer));
  }
  if (failed(l.unify(x, y, false, name, args.loc)))
    return failure();
  if (!x.type.isFloat() || x.type.bits() < 32) {
    l.error(args.loc, "'" + name + "' needs fp32 or fp64, got " + x.describe() +
                          "; cast it with .to(float32)");
    return failure();
  }
  Value a = x.value, b = y.value;
  mlir::OpBuilder &builder = l.builder;
  Value result;
  if (name == "pow")
    result = m::PowFOp::create(builder, args.loc, a, b);
  else if (name == "fast_powf")
    result = m::PowFOp::create(builder, args.loc, a, b, Fast::afn);
  else if (name == "atan2")
    result = m::Atan2Op::create(builder, args.loc, a, b);
  else if (name == "copysign")
    result = m::CopySignOp::create(builder, args.loc, a, b);
  else if (name == "fmod")
    result = arith::RemFOp::create(builder, args.loc, a, b);
  else
    result = arith::DivFOp::create(builder, args.loc, a, b, Fast::arcp);
  return Val::runtime(result, x.type);
}

FailureOr<Val> builtins::classify(Lowering &l, CallArgs &args) {
  FailureOr<Val> x = wideFloat(l, args, 0);
  if (failed(x))
    return failure();
  if (args.row.name == "isnan")
    return Val::runtime(arith::CmpFOp::create(l.builder, args.loc,
                                              arith::CmpFPredicate::UNO,
                                              x->value, x->value),
                        DType::I1);
  Value magnitude = m::AbsFOp::create(l.builder, args.loc, x->value);
  FailureOr<Val> infinity =
      l.constant(Val::floatValue(INFINITY), x->type, x->shape(), args.loc);
  if (failed(infinity))
    return failure();
  auto predicate = args.row.name == "isinf" ? arith::CmpFPredicate::OEQ
                                            : arith::CmpFPredicate::OLT;
  return Val::runtime(arith::CmpFOp::create(l.builder, args.loc, predicate,
                                            magnitude, infinity->value),
                      DType::I1);
}

FailureOr<Val> builtins::countBits(Lowering &l, CallArgs &args) {
  FailureOr<Val> x = tileArgument(l, args, 0);
  if (failed(x))
    return failure();
  if (!x->type.isInt() || x->type.bits() < 32) {
    l.error(args.locs[0], "'" + args.row.name +
                              "' needs 32 or 64 bit integers, got " +
                              x->describe());
    return failure();
  }
  StringRef name = args.row.name;
  Val count = *x;
  count.known = Val::None;
  if (name == "popc")
    count.value = m::CtPopOp::create(l.builder, args.loc, x->value);
  else if (name == "clz")
    count.value = m::CountLeadingZerosOp::create(l.builder, args.loc, x->value);
  else
    count.value =
        m::CountTrailingZerosOp::create(l.builder, args.loc, x->value);
  FailureOr<Val> result = l.castTo(count, DType::I32, args.loc);
  if (failed(result) || name != "ffs")
    return result;
  // The first set bit counts from 1; 0 stands for none.
  FailureOr<Val> next =
      l.binary(BinaryOp::Add, *result, Val::intValue(1), args.loc);
  FailureOr<Val> isZero =
      l.compare(CompareOp::Eq, *x, Val::intValue(0), args.loc);
  if (failed(next) || failed(isZero))
    return failure();
  return l.select(*isZero, Val::intValue(0), *next, args.loc);
}
