//===- Operators.cpp - arithmetic, comparison, broadcasting ---------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The operators on values: first the common type, then the common shape, then
// one operation. Two numbers that are known are folded as Python does.
//
//===----------------------------------------------------------------------===//

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
namespace arith = mlir::arith;
namespace tile = tilec::tile;

//===----------------------------------------------------------------------===//
// Common types and shapes
//===----------------------------------------------------------------------===//

/// Can this number be written in the type? An error if not.
static LogicalResult checkFits(Lowering &lowering, const Val &number,
                               ElemType type, Location loc) {
  if (!type.isInt() || number.kind == Val::Float)
    return success();
  BigInt low = type.isSigned() ? -(BigInt(1) << (type.bits() - 1)) : BigInt(0);
  BigInt high = type.isSigned() ? -low - 1 : (BigInt(1) << type.bits()) - 1;
  if (number.integer >= low && number.integer <= high)
    return success();
  lowering.error(loc, "the number " + number.describe() + " does not fit in " +
                          type.name() + "; cast the other operand with .to()");
  return failure();
}

LogicalResult Lowering::promotePair(Val &a, Val &b, bool isDivision,
                                    StringRef what, Location loc) {
  for (Val *v : {&a, &b})
    if (!v->isRuntime() && !v->isNumber()) {
      error(loc, "'" + what + "' needs numbers, got " + v->describe());
      return failure();
    }
  auto typeOfOperand = [&](const Val &v) -> std::optional<ElemType> {
    return v.isRuntime() ? std::optional(v.type) : literalType(v);
  };
  std::optional<ElemType> aType = typeOfOperand(a), bType = typeOfOperand(b);
  for (auto [v, type] : {std::pair{&a, aType}, std::pair{&b, bType}}) {
    if (!type) {
      error(loc, v->describe() + " does not fit in 64 bits; write a float");
      return failure();
    }
    if (type->isPointer()) {
      error(loc,
            "'" + what + "' does not work on pointers, got " + v->describe());
      return failure();
    }
  }
  std::string reason;
  std::optional<ElemType> type = promote(*aType, !a.isRuntime(), *bType,
                                         !b.isRuntime(), isDivision, reason);
  if (!type) {
    error(loc, reason);
    return failure();
  }
  for (Val *v : {&a, &b}) {
    warnOfPromotion(*v, *type, loc);
    if (v->isNumber() && failed(checkFits(*this, *v, *type, loc)))
      return failure();
    FailureOr<Val> result =
        v->isNumber() ? constant(*v, *type, {}, loc) : castTo(*v, *type, loc);
    if (failed(result))
      return failure();
    *v = *result;
  }
  return success();
}

FailureOr<Val> Lowering::broadcastTo(const Val &value, ArrayRef<int64_t> shape,
                                     Location loc) {
  ArrayRef<int64_t> from = value.shape();
  if (from == shape)
    return value;
  Val result = value;
  result.known = Val::None;
  mlir::Type element = tile::getElementType(value.value.getType());
  auto typeOf = [&](ArrayRef<int64_t> dims) {
    return mlir::RankedTensorType::get(dims, element);
  };
  if (from.empty()) {
    if (auto op = value.value.getDefiningOp<arith::ConstantOp>()) {
      result.value = arith::ConstantOp::create(
          builder, loc, typeOf(shape),
          mlir::DenseElementsAttr::get(typeOf(shape),
                                       mlir::Attribute(op.getValue())));
      return result;
    }
    result.value =
        tile::SplatOp::create(builder, loc, typeOf(shape), value.value);
    return result;
  }
  auto fail = [&] {
    error(loc, "cannot broadcast shape " + describeShape(from) + " to " +
                   describeShape(shape) + "; sizes must be equal or 1");
    return failure();
  };
  if (from.size() > shape.size())
    return fail();
  std::vector<int64_t> dims(from.begin(), from.end());
  while (dims.size() < shape.size()) {
    dims.insert(dims.begin(), 1);
    result.value =
        tile::ExpandDimsOp::create(builder, loc, typeOf(dims), result.value, 0);
  }
  for (auto [d, s] : llvm::zip(dims, shape))
    if (d != s && d != 1)
      return fail();
  if (ArrayRef<int64_t>(dims) != shape)
    result.value =
        tile::BroadcastOp::create(builder, loc, typeOf(shape), result.value);
  return result;
}

LogicalResult Lowering::broadcastAll(llvm::MutableArrayRef<Val *> values,
                                     Location loc) {
  std::vector<int64_t> shape;
  for (Val *v : values) {
    ArrayRef<int64_t> other = v->shape();
    if (other.size() > shape.size())
      shape.insert(shape.begin(), other.size() - shape.size(), 1);
    for (size_t i = 0; i < other.size(); ++i) {
      int64_t &dim = shape[shape.size() - other.size() + i];
      if (dim == 1)
        dim = other[i];
      else if (other[i] != 1 && other[i] != dim) {
        std::string list;
        for (Val *w : values)
          list += (list.empty()         ? ""
                   : w == values.back() ? " and "
                                        : ", ") +
                  describeShape(w->shape());
        error(loc,
              "shapes " + list + " do not broadcast; sizes must be equal or 1");
        return failure();
      }
    }
  }
  for (Val *v : values) {
    FailureOr<Val> result = broadcastTo(*v, shape, loc);
    if (failed(result))
      return failure();
    *v = *result;
  }
  return success();
}

LogicalResult Lowering::broadcastAll(std::vector<Val> &values, Location loc) {
  auto pointers = llvm::to_vector(llvm::make_pointer_range(values));
  return broadcastAll(llvm::MutableArrayRef<Val *>(pointers), loc);
}

LogicalResult Lowering::unify(Val &a, Val &b, bool isDivision, StringRef what,
                              Location loc) {
  if (failed(promotePair(a, b, isDivision, what, loc)))
    return failure();
  Val *both[] = {&a, &b};
  return broadcastAll(both, loc);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

FailureOr<Val> Lowering::offsetPointer(Val pointer, Val offset, bool negate,
                                       Location loc) {
  FailureOr<Val> value = toRuntime(offset, loc);
  if (failed(value))
    return failure();
  offset = *value;
  if (!offset.type.isInt()) {
    error(loc, "a pointer moves by integers, got " + offset.describe());
    return failure();
  }
  // Offsets are signed; unsigned ones keep their value by growing.
  if (!offset.type.isSigned() && offset.type.bits() < 64) {
    FailureOr<Val> wide = castTo(offset, DType::I64, loc);
    if (failed(wide))
      return failure();
    offset = *wide;
  }
  offset.known = Val::None;
  if (negate) {
    FailureOr<Val> negative = unary(UnaryOp::Neg, offset, loc);
    if (failed(negative))
      return failure();
    offset = *negative;
  }
  Val *both[] = {&pointer, &offset};
  if (failed(broadcastAll(both, loc)))
    return failure();
  return Val::runtime(
      tile::AddPtrOp::create(builder, loc, pointer.value, offset.value),
      pointer.type);
}

/// The operation of two values of one float type.
static Value floatOp(mlir::OpBuilder &b, Location loc, BinaryOp op, Value x,
                     Value y) {
  switch (op) {
  case BinaryOp::Add:
    return arith::AddFOp::create(b, loc, x, y);
  case BinaryOp::Sub:
    return arith::SubFOp::create(b, loc, x, y);
  case BinaryOp::Mul:
    return arith::MulFOp::create(b, loc, x, y);
  case BinaryOp::Mod:
    return arith::RemFOp::create(b, loc, x, y);
  default:
    return {};
  }
}

/// The operation of two values of one integer type.
static Value intOp(mlir::OpBuilder &b, Location loc, BinaryOp op, Value x,
                   Value y, bool isSigned, bool arithmeticShift) {
  switch (op) {
  case BinaryOp::Add:
    return arith::AddIOp::create(b, loc, x, y);
  case BinaryOp::Sub:
    return arith::SubIOp::create(b, loc, x, y);
  case BinaryOp::Mul:
    return arith::MulIOp::create(b, loc, x, y);
  case BinaryOp::FloorDiv:
    return isSigned ? Value(arith::DivSIOp::create(b, loc, x, y))
                    : Value(arith::DivUIOp::create(b, loc, x, y));
  case BinaryOp::Mod:
    return isSigned ? Value(arith::RemSIOp::create(b, loc, x, y))
                    : Value(arith::RemUIOp::create(b, loc, x, y));
  case BinaryOp::LShift:
    return arith::ShLIOp::create(b, loc, x, y);
  case BinaryOp::RShift:
    return arithmeticShift ? Value(arith::ShRSIOp::create(b, loc, x, y))
                           : Value(arith::ShRUIOp::create(b, loc, x, y));
  case BinaryOp::And:
    return arith::AndIOp::create(b, loc, x, y);
  case BinaryOp::Or:
    return arith::OrIOp::create(b, loc, x, y);
  case BinaryOp::Xor:
    return arith::XOrIOp::create(b, loc, x, y);
  default:
    return {};
  }
}

FailureOr<Val> Lowering::divide(Val a, Val b, Location loc) {
  // Rounding may be approximate: `arcp` lets the back end use a reciprocal.
  warnOfDivision(a, b, loc);
  if (failed(unify(a, b, /*isDivision=*/true, "/", loc)))
    return failure();
  if (a.type == ElemType(DType::F32) && warns(Warning::ApproxDivision))
    warn(Warning::ApproxDivision, loc,
         "'/' of fp32 is approximate; use " + spell("div_rn(x, y)") +
             " for the quotient "
             "that is rounded to nearest");
  if (a.type.isInt()) {
    FailureOr<Val> x = castTo(a, DType::F32, loc),
                   y = castTo(b, DType::F32, loc);
    if (failed(x) || failed(y))
      return failure();
    a = *x;
    b = *y;
  }
  return Val::runtime(arith::DivFOp::create(builder, loc, a.value, b.value,
                                            arith::FastMathFlags::arcp),
                      a.type);
}

/// `x ** n` for a small whole `n`, by multiplication.
static FailureOr<Val> raise(Lowering &lowering, const Val &base,
                            const Val &exponent, Location loc) {
  std::optional<BigInt> n = exponent.asInt();
  if (!n && exponent.constant().kind == Val::Float &&
      exponent.number == double(int(exponent.number)))
    n = int(exponent.number);
  if (!n || *n < 1 || *n > 64) {
    lowering.error(
        loc, "'**' needs a whole exponent from 1 to 64 that is known while "
             "compiling; use " +
                 lowering.spell("exp2(y * ") + lowering.spell("log2(x))") +
                 " or " + lowering.spell("pow(x, y)", "libdevice"));
    return failure();
  }
  // Squares and products, so that x ** 3 is x * x * x.
  FailureOr<Val> result = failure(), square = base;
  for (int64_t rest = int64_t(*n); rest; rest >>= 1) {
    if (rest & 1)
      result = failed(result)
                   ? square
                   : lowering.binary(BinaryOp::Mul, *result, *square, loc);
    if (rest > 1)
      square = lowering.binary(BinaryOp::Mul, *square, *square, loc);
    if (failed(result) && (rest & 1))
      return failure();
    if (failed(square))
      return failure();
  }
  return result;
}

/// Remembers what an operation on two known integers gives, where the value in
/// the IR is the same: it does not wrap, and division has nothing to truncate.
static void rememberInteger(Lowering &lowering, BinaryOp op, const Val &x,
                            const Val &y, Val &value, Location loc) {
  if (x.kind != Val::Int || y.kind != Val::Int || !value.isScalar() ||
      !value.type.isInt() || value.type.isBool())
    return;
  bool divides = op == BinaryOp::FloorDiv || op == BinaryOp::Mod;
  bool simple =
      op == BinaryOp::Add || op == BinaryOp::Sub || op == BinaryOp::Mul;
  if (!simple && !(divides && x.integer >= 0 && y.integer > 0))
    return;
  std::string unused;
  std::optional<Val> folded = foldBinary(op, x, y, unused);
  if (!folded)
    return;
  BigInt limit = BigInt(1) << (value.type.bits() - 1);
  BigInt low = value.type.isSigned() ? -limit : BigInt(0);
  BigInt high = value.type.isSigned() ? limit : 2 * limit;
  if (folded->integer < low || folded->integer >= high)
    return lowering.warnOfOverflow(folded->integer, value.type, loc);
  value.known = Val::Int;
  value.integer = folded->integer;
}

FailureOr<Val> Lowering::binary(BinaryOp op, Val a, Val b, Location loc) {
  StringRef what = spelling(op);
  if (a.isNumber() && b.isNumber() && op != BinaryOp::MatMul) {
    std::string reason;
    std::optional<Val> folded = foldBinary(op, a, b, reason);
    if (!folded) {
      error(loc, reason);
      return failure();
    }
    return *folded;
  }
  if (op == BinaryOp::MatMul)
    return callBuiltin(*findBuiltin("dot", kLanguage),
                       {{"", a, loc}, {"", b, loc}}, loc);
  if (!a.isRuntime() && !b.isRuntime()) {
    if (op == BinaryOp::Add && a.kind == Val::Tuple && b.kind == Val::Tuple) {
      std::vector<Val> all = *a.elements;
      if (all.size() + b.elements->size() > 4096) {
        error(loc, "this tuple has more than 4096 elements");
        return failure();
      }
      all.insert(all.end(), b.elements->begin(), b.elements->end());
      return Val::tuple(std::move(all));
    }
    if (op == BinaryOp::Add && a.kind == Val::String && b.kind == Val::String)
      return Val::string(session.ast.strings.save(a.text + Twine(b.text)));
    if (op == BinaryOp::Mul && a.kind == Val::Tuple && b.kind == Val::Int) {
      std::vector<Val> all;
      for (BigInt i = 0; i < b.integer && all.size() < 4096; ++i)
        all.insert(all.end(), a.elements->begin(), a.elements->end());
      return Val::tuple(std::move(all));
    }
  }
  if (op == BinaryOp::Mod && a.kind == Val::Type) {
    // `i32 % 16` in an annotation.
    Val v = a;
    v.integer = b.asInt().value_or(0);
    return v;
  }
  bool aPointer = a.isRuntime() && a.type.isPointer();
  bool bPointer = b.isRuntime() && b.type.isPointer();
  if (aPointer != bPointer &&
      (op == BinaryOp::Add || (op == BinaryOp::Sub && aPointer)))
    return aPointer ? offsetPointer(a, b, op == BinaryOp::Sub, loc)
                    : offsetPointer(b, a, false, loc);
  if (aPointer && bPointer) {
    error(loc,
          "'" + what + "' does not work on two pointers; cast them to int64");
    return failure();
  }
  if (op == BinaryOp::Pow)
    return raise(*this, a, b, loc);
  if (op == BinaryOp::Div)
    return divide(a, b, loc);
  // A shift keeps the sign that its left operand had before promotion; a number
  // on the left takes the other side's.
  bool arithmeticShift = (a.isRuntime() ? a : b).type.isSigned();
  Val x = a.constant(), y = b.constant();
  bool isDivision = op == BinaryOp::FloorDiv || op == BinaryOp::Mod;
  if (failed(unify(a, b, isDivision, what, loc)))
    return failure();
  Value result = a.type.isFloat() ? floatOp(builder, loc, op, a.value, b.value)
                                  : intOp(builder, loc, op, a.value, b.value,
                                          a.type.isSigned(), arithmeticShift);
  if (!result) {
    error(loc,
          op == BinaryOp::FloorDiv
              ? "'//' needs integers, got " + a.type.name() + "; use " +
                    spell("floor(a / b)") + " for floats"
              : ("'" + what + "' needs integers, got ").str() + a.type.name());
    return failure();
  }
  Val value = Val::runtime(result, a.type);
  rememberInteger(*this, op, x, y, value, loc);
  if (op == BinaryOp::LShift || op == BinaryOp::RShift)
    warnOfShift(y, a.type, loc);
  else if (isDivision && a.type.isInt())
    warnOfZeroDivisor(what, y, loc);
  return value;
}

FailureOr<Val> Lowering::unary(UnaryOp op, Val a, Location loc) {
  if (op == UnaryOp::Not) {
    if (std::optional<bool> truth = a.isRuntime() ? std::nullopt : foldTruth(a))
      return Val::boolean(!*truth);
    FailureOr<Val> flag = condition(a, loc);
    if (failed(flag))
      return failure();
    a = *flag;
    op = UnaryOp::Invert;
  }
  if (a.isNumber()) {
    switch (op) {
    case UnaryOp::Neg:
      return a.kind == Val::Float ? Val::floatValue(-a.number)
                                  : Val::intValue(-a.integer);
    case UnaryOp::Plus:
      return a.kind == Val::Bool ? Val::intValue(a.integer) : a;
    default:
      if (a.kind != Val::Float)
        return Val::intValue(~a.integer);
      error(loc, "'~' needs an integer, got " + a.describe());
      return failure();
    }
  }
  if (!a.isRuntime() || a.type.isPointer() || a.type.isStorageOnly()) {
    error(loc, "this operator needs a number, got " + a.describe());
    return failure();
  }
  if (op == UnaryOp::Plus)
    return a;
  a.known = Val::None;
  if (op == UnaryOp::Neg) {
    a.value = a.type.isFloat()
                  ? Value(arith::NegFOp::create(builder, loc, a.value))
                  : Value(arith::SubIOp::create(
                        builder, loc, zero(a.value.getType(), loc), a.value));
    return a;
  }
  if (!a.type.isInt()) {
    error(loc, "'~' needs integers, got " + a.describe());
    return failure();
  }
  FailureOr<Val> ones =
      constant(Val::intValue(a.type.isBool() ? 1 : -1), a.type, a.shape(), loc);
  if (failed(ones))
    return failure();
  a.value = arith::XOrIOp::create(builder, loc, a.value, ones->value);
  return a;
}

//===----------------------------------------------------------------------===//
// Comparison and selection
//===----------------------------------------------------------------------===//

/// The predicate of a comparison of floats: false on NaN, but `!=` is true.
static arith::CmpFPredicate floatPredicate(CompareOp op) {
  switch (op) {
  case CompareOp::Eq:
    return arith::CmpFPredicate::OEQ;
  case CompareOp::Ne:
    return arith::CmpFPredicate::UNE;
  case CompareOp::Lt:
    return arith::CmpFPredicate::OLT;
  case CompareOp::Le:
    return arith::CmpFPredicate::OLE;
  case CompareOp::Gt:
    return arith::CmpFPredicate::OGT;
  default:
    return arith::CmpFPredicate::OGE;
  }
}

/// The predicate of a comparison of integers.
static arith::CmpIPredicate intPredicate(CompareOp op, bool isSigned) {
  using P = arith::CmpIPredicate;
  switch (op) {
  case CompareOp::Eq:
    return P::eq;
  case CompareOp::Ne:
    return P::ne;
  case CompareOp::Lt:
    return isSigned ? P::slt : P::ult;
  case CompareOp::Le:
    return isSigned ? P::sle : P::ule;
  case CompareOp::Gt:
    return isSigned ? P::sgt : P::ugt;
  default:
    return isSigned ? P::sge : P::uge;
  }
}

FailureOr<Val> Lowering::compare(CompareOp op, Val a, Val b, Location loc) {
  if (std::optional<bool> known = foldCompare(op, a, b))
    return Val::boolean(*known);
  StringRef what = spelling(op);
  if (op == CompareOp::In || op == CompareOp::NotIn) {
    error(loc, "'" + what +
                   "' works on compile-time tuples only; compare with '==' "
                   "and combine with '|'");
    return failure();
  }
  if (op == CompareOp::Is || op == CompareOp::IsNot) {
    error(loc, "'" + what + "' compares with None only; use '==' for values");
    return failure();
  }
  auto isPointer = [](const Val &v) {
    return v.isRuntime() && v.type.isPointer();
  };
  if (isPointer(a) || isPointer(b)) {
    for (Val *v : {&a, &b}) {
      FailureOr<Val> integer = castTo(*v, DType::I64, loc);
      if (failed(integer))
        return failure();
      *v = *integer;
      v->type = DType::U64;
    }
  }
  warnOfComparison(op, a, b, loc);
  if (failed(unify(a, b, /*isDivision=*/false, what, loc)))
    return failure();
  Value result =
      a.type.isFloat()
          ? Value(arith::CmpFOp::create(builder, loc, floatPredicate(op),
                                        a.value, b.value))
          : Value(arith::CmpIOp::create(builder, loc,
                                        intPredicate(op, a.type.isSigned()),
                                        a.value, b.value));
  return Val::runtime(result, DType::I1);
}

FailureOr<Val> Lowering::condition(const Val &value, Location loc) {
  if (value.isRuntime() && value.type.isBool())
    return value;
  return castTo(value, DType::I1, loc);
}

FailureOr<Val> Lowering::minMax(bool isMax, Val a, Val b, bool propagateNaN,
                                Location loc) {
  if (a.isNumber() && b.isNumber()) {
    std::optional<bool> less = foldCompare(CompareOp::Lt, a, b);
    return *less == isMax ? b : a;
  }
  StringRef what = isMax ? "maximum" : "minimum";
  warnOfSigns(what, a, b, loc);
  if (failed(unify(a, b, /*isDivision=*/false, what, loc)))
    return failure();
  // 16-bit brain floats are compared as fp32.
  if (a.type.dtype == DType::BF16) {
    FailureOr<Val> x = castTo(a, DType::F32, loc),
                   y = castTo(b, DType::F32, loc);
    if (failed(x) || failed(y))
      return failure();
    a = *x;
    b = *y;
  }
  Value x = a.value, y = b.value, result;
  if (a.type.isFloat() && propagateNaN)
    result = isMax ? Value(arith::MaximumFOp::create(builder, loc, x, y))
                   : Value(arith::MinimumFOp::create(builder, loc, x, y));
  else if (a.type.isFloat())
    result = isMax ? Value(arith::MaxNumFOp::create(builder, loc, x, y))
                   : Value(arith::MinNumFOp::create(builder, loc, x, y));
  else if (a.type.isSigned())
    result = isMax ? Value(arith::MaxSIOp::create(builder, loc, x, y))
                   : Value(arith::MinSIOp::create(builder, loc, x, y));
  else
    result = isMax ? Value(arith::MaxUIOp::create(builder, loc, x, y))
                   : Value(arith::MinUIOp::create(builder, loc, x, y));
  return Val::runtime(result, a.type);
}

FailureOr<Val> Lowering::select(const Val &cond, const Val &x, const Val &y,
                                Location loc) {
  FailureOr<Val> flag = condition(cond, loc);
  if (failed(flag))
    return failure();
  Val c = *flag, a = x, b = y;
  bool pointers =
      a.isRuntime() && b.isRuntime() && a.type.isPointer() && a.type == b.type;
  if (!pointers && failed(promotePair(a, b, false, "where", loc)))
    return failure();
  Val *all[] = {&c, &a, &b};
  if (failed(broadcastAll(all, loc)))
    return failure();
  return Val::runtime(
      arith::SelectOp::create(builder, loc, c.value, a.value, b.value), a.type);
}
