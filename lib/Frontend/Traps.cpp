//===- Traps.cpp - what operators and statements warn of ------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Traps that types and constants alone give away. Those that need to know what
// becomes of a value are found in the IR, by Analysis/Traps.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include <cmath>

using namespace tilec::frontend;
using llvm::dyn_cast;
using llvm::Twine;
using mlir::Location;
using tilec::Warning;

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// An integer of run time.
static bool isRuntimeInt(const Val &v) {
  return v.isRuntime() && v.type.isInt() && !v.type.isBool();
}

void Lowering::warnOfDivision(const Val &a, const Val &b, Location loc) {
  auto isWide = [](const Val &v) {
    std::optional<BigInt> known = v.asInt();
    return known ? *known > (1 << 24) || *known < -(1 << 24)
                 : isRuntimeInt(v) && v.type.bits() > 24;
  };
  auto isInt = [](const Val &v) {
    return v.isRuntime() ? v.type.isInt() : v.kind != Val::Float;
  };
  if (isInt(a) && isInt(b) && (isWide(a) || isWide(b)))
    warn(Warning::IntDivision, loc,
         "'/' of integers is computed in fp32, which is exact up to 2^24; "
         "use '//' for a whole quotient, or cast one side to fp64");
}

void Lowering::warnOfShift(const Val &count, ElemType type, Location loc) {
  std::optional<BigInt> bits = count.asInt();
  if (bits && (*bits < 0 || *bits >= type.bits()) && type.isInt())
    warn(Warning::ShiftCount, loc,
         "a shift of " + type.name() + " by " + toText(*bits) +
             " has no defined result; shift by 0 to " + Twine(type.bits() - 1) +
             ", or cast to a wider type before");
}

void Lowering::warnOfZeroDivisor(StringRef what, const Val &divisor,
                                 Location loc) {
  if (divisor.asInt() == BigInt(0))
    warn(Warning::DivisionByZero, loc,
         "'" + what + "' by 0 has no defined result; check the divisor before");
}

void Lowering::warnOfOverflow(BigInt exact, ElemType type, Location loc) {
  // Unsigned numbers wrap on purpose, as in hashes.
  if (type.isSigned())
    warn(Warning::IntOverflow, loc,
         "this is " + toText(exact) + ", which does not fit in " + type.name() +
             " and wraps; make one side int64 with .to()");
}

/// Does an integer of these types get compared as another number? Says so of
/// the signed side.
static bool changesSign(const Val &isSigned, const Val &isUnsigned) {
  std::optional<BigInt> known = isSigned.asInt();
  return isRuntimeInt(isSigned) && isRuntimeInt(isUnsigned) &&
         isSigned.type.isSigned() && !isUnsigned.type.isSigned() &&
         isUnsigned.type.bits() >= isSigned.type.bits() &&
         !(known && *known >= 0);
}

void Lowering::warnOfSigns(StringRef what, const Val &a, const Val &b,
                           Location loc) {
  for (auto [x, y] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    if (!changesSign(*x, *y))
      continue;
    if (std::optional<BigInt> literal = y->asInt())
      warn(Warning::UnsignedLiteral, loc,
           "the number " + toText(*literal) + " is " + y->type.name() +
               ", so that '" + what + "' takes a negative " + x->type.name() +
               " for a large number; cast the other side to int64 with .to()");
    else
      warn(Warning::SignCompare, loc,
           "'" + what + "' of " + x->type.name() + " and " + y->type.name() +
               " takes a negative number for a large one; cast both to a "
               "wider signed type with .to()");
  }
}

void Lowering::warnOfComparison(CompareOp op, const Val &a, const Val &b,
                                Location loc) {
  if (op != CompareOp::Eq && op != CompareOp::Ne)
    warnOfSigns(spelling(op), a, b, loc);
  if (!warns(Warning::TautologicalCompare))
    return;
  for (const Val *v : {&a, &b})
    if (Val known = v->constant();
        known.kind == Val::Float && std::isnan(known.number))
      return warn(Warning::TautologicalCompare, loc,
                  "'" + spelling(op) + "' with NaN is always " +
                      (op == CompareOp::Ne ? "true" : "false") +
                      "; x != x is true where x is NaN");
  // A helper may be meant for signed types too.
  bool isBelow = op == CompareOp::Lt || op == CompareOp::Ge;
  const Val &number = isBelow ? a : b, &zero = isBelow ? b : a;
  if (!frame->caller && op != CompareOp::Eq && op != CompareOp::Ne &&
      isRuntimeInt(number) && !number.type.isSigned() &&
      zero.asInt() == BigInt(0))
    warn(Warning::TautologicalCompare, loc,
         number.type.name() + " is never negative, so that this is always " +
             (op == CompareOp::Lt || op == CompareOp::Gt ? "false" : "true") +
             "; cast it to a signed type, or leave the comparison out");
}

void Lowering::warnOfPromotion(const Val &v, ElemType to, Location loc) {
  if (to.dtype == DType::F64 && v.isRuntime() && v.type.isFloat() &&
      v.type.bits() < 64)
    warn(Warning::DoublePromotion, loc,
         v.type.name() + " is computed in fp64 here, since the other side "
                         "is fp64; cast that to fp32 with .to()");
}

//===----------------------------------------------------------------------===//
// Numbers that change
//===----------------------------------------------------------------------===//

void Lowering::warnOfLiteral(const Val &value, ElemType to, Location loc) {
  if (!to.isInt() || to.isBool() || !warns(Warning::LiteralConversion))
    return;
  Val number = value.constant();
  bool isFloat = number.kind == Val::Float;
  if (!isFloat && number.kind != Val::Int)
    return;
  // A negative number may stand for all bits set, and one with the top bit set
  // for a negative one.
  BigInt low = -(BigInt(1) << (to.bits() - 1));
  BigInt high = (BigInt(1) << to.bits()) - 1;
  double f = number.number;
  bool isKept = isFloat ? std::isfinite(f) && std::fabs(f) < 0x1p64 &&
                              f == std::trunc(f) && BigInt(f) >= low &&
                              BigInt(f) <= high
                        : number.integer >= low && number.integer <= high;
  if (!isKept)
    warn(Warning::LiteralConversion, loc,
         "the number " + number.describe() + " is no " + to.name() +
             " and changes here; write a number of that type");
}

//===----------------------------------------------------------------------===//
// Statements and expressions
//===----------------------------------------------------------------------===//

/// Does an expression do nothing but give a value?
static bool onlyComputes(const Expr *e) {
  switch (e->kind) {
  case Expr::Name:
  case Expr::Attribute:
  case Expr::Subscript:
  case Expr::Binary:
  case Expr::Unary:
  case Expr::Compare:
    return true;
  default:
    return false;
  }
}

/// Is a call one of a function of the language that does nothing else? Hints
/// stand as statements.
static bool isPureCall(Lowering &lowering, const Expr *e, const Val &result) {
  auto *call = dyn_cast<CallExpr>(e);
  if (!call || !result.isRuntime() || result.known != Val::None)
    return false;
  // The callee is looked up once more, so it must be a name.
  const Expr *callee = call->callee;
  auto *attribute = dyn_cast<AttributeExpr>(callee);
  if (!llvm::isa<NameExpr>(attribute ? attribute->object : callee))
    return false;
  mlir::FailureOr<Val> function = lowering.eval(callee);
  if (mlir::failed(function) ||
      (function->kind != Val::Builtin && function->kind != Val::Method))
    return false;
  static constexpr StringRef hints[] = {"multiple_of", "max_contiguous",
                                        "max_constancy", "expect_zero",
                                        "condition"};
  mlir::Operation *op = result.value.getDefiningOp();
  return !llvm::is_contained(hints, function->builtin->name) && op &&
         mlir::isPure(op);
}

void Lowering::warnOfUnused(const Expr *expr, const Val &result) {
  if (!warns(Warning::UnusedValue))
    return;
  bool isFunction = result.kind == Val::Builtin || result.kind == Val::Method ||
                    result.kind == Val::Function;
  if (isFunction && onlyComputes(expr))
    warn(Warning::UnusedValue, loc(expr),
         "this names a function and does not call it; add '()'");
  else if (expr->kind == Expr::Compare)
    warn(Warning::UnusedValue, loc(expr),
         "the result of this comparison is not used; assign with '='");
  else if (onlyComputes(expr) || isPureCall(*this, expr, result))
    warn(Warning::UnusedValue, loc(expr),
         "the value of this statement is not used; assign it to a name, or "
         "take the statement out");
}

void Lowering::warnOfMixedMask(const BinaryExpr *expr, const Val &a,
                               const Val &b) {
  if (expr->isInParentheses ||
      (expr->op != BinaryOp::And && expr->op != BinaryOp::Or))
    return;
  auto isMask = [](const Val &v) { return v.isRuntime() && v.type.isBool(); };
  if ((isMask(a) && isRuntimeInt(b)) || (isMask(b) && isRuntimeInt(a)))
    warn(Warning::Parentheses, loc(expr),
         "'" + spelling(expr->op) +
             "' binds tighter than a comparison, so that "
             "a mask and a number are combined before "
             "it; put parentheses around the comparison");
}
