//===- Elementwise.cpp - arithmetic on one element ------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// One row for each operation of `arith`; a row builds the LLVM operation for
// one element. Nothing is contracted: fused multiply-adds are in the source IR.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace tilec;

using Operands = ArrayRef<Value>;
/// Builds the value of one element of an operation's result.
using Row = Value (*)(Emitter &, Operation *, Operands);

/// The element type of the result, as a register holds it.
static Type resultType(Emitter &e, Operation *op, unsigned i = 0) {
  return e.convertElement(getElementTypeOrSelf(op->getResult(i).getType()));
}

//===----------------------------------------------------------------------===//
// Rows for whole families
//===----------------------------------------------------------------------===//

/// An LLVM operation with the operands as they are.
template <typename LLVMOp>
static Value same(Emitter &e, Operation *op, Operands x) {
  return LLVMOp::create(e.b, e.loc, resultType(e, op), ValueRange(x));
}

/// A comparison-like intrinsic that returns one of its operands.
template <typename LLVMOp>
static Value pick(Emitter &e, Operation *, Operands x) {
  return LLVMOp::create(e.b, e.loc, x[0], x[1]);
}

Value tilec::emitShort(Emitter &e, StringRef name, Value value) {
  std::string text = "{ .reg .b32 t; cvt.s32.s16 t, $1; " + name.str() +
                     ".s32 t, t; cvt.u16.u32 $0, t; }";
  return e.ptx(text, "=h,h", {value.getType()}, {value}, false)[0];
}

static Value subtract(Emitter &e, Operation *op, Operands x) {
  auto zero = x[0].getDefiningOp<LLVM::ConstantOp>();
  auto number = zero ? dyn_cast<IntegerAttr>(zero.getValue()) : IntegerAttr();
  if (number && number.getValue().isZero() && x[1].getType().isInteger(16))
    return emitShort(e, "neg", x[1]);
  return LLVM::SubOp::create(e.b, e.loc, x[0], x[1]);
}

/// An integer division. The hardware's answer for a zero divisor is kept; LLVM
/// would be free to do anything, so the divisor is made 1 for it to see.
template <typename LLVMOp>
static Value divide(Emitter &e, Operation *op, Operands x) {
  Value divisor = x[1];
  if (!divisor.getDefiningOp<LLVM::ConstantOp>()) {
    Value zero = e.constant(divisor.getType(), 0);
    Value isZero = LLVM::ICmpOp::create(e.b, e.loc, LLVM::ICmpPredicate::eq,
                                        divisor, zero);
    divisor = LLVM::SelectOp::create(e.b, e.loc, isZero,
                                     e.constant(divisor.getType(), 1), divisor);
  }
  return LLVMOp::create(e.b, e.loc, resultType(e, op),
                        ValueRange({x[0], divisor}));
}

/// Shifts as PTX does them: a distance of the width or more gives all zeros, or
/// all sign bits (PTX ISA, shl and shr).
template <typename LLVMOp, bool isArithmetic>
static Value shift(Emitter &e, Operation *op, Operands x) {
  Type type = x[0].getType();
  Value most = e.constant(type, type.getIntOrFloatBitWidth() - 1);
  Value inRange =
      LLVM::ICmpOp::create(e.b, e.loc, LLVM::ICmpPredicate::ule, x[1], most);
  Value by = LLVM::SelectOp::create(e.b, e.loc, inRange, x[1], most);
  Value shifted = LLVMOp::create(e.b, e.loc, type, ValueRange({x[0], by}));
  if (isArithmetic)
    return shifted;
  return LLVM::SelectOp::create(e.b, e.loc, inRange, shifted,
                                e.constant(type, 0));
}

static Value compareInt(Emitter &e, Operation *op, Operands x) {
  // The two enumerations list the predicates in the same order.
  auto predicate = static_cast<LLVM::ICmpPredicate>(
      static_cast<int>(cast<arith::CmpIOp>(op).getPredicate()));
  return LLVM::ICmpOp::create(e.b, e.loc, predicate, x[0], x[1]);
}

static Value compareFloat(Emitter &e, Operation *op, Operands x) {
  auto predicate = static_cast<LLVM::FCmpPredicate>(
      static_cast<int>(cast<arith::CmpFOp>(op).getPredicate()));
  return LLVM::FCmpOp::create(e.b, e.loc, predicate, x[0], x[1]);
}

//===----------------------------------------------------------------------===//
// Floating point
//===----------------------------------------------------------------------===//

/// An LLVM operation of floats that gives a float of the same type.
template <typename LLVMOp>
static Value sameFloat(Emitter &e, Operation *, Operands x) {
  return LLVMOp::create(e.b, e.loc, x[0].getType(), ValueRange(x));
}

/// A row of floats, which 8-bit ones go through in f32: they have no arithmetic
/// of their own, and f32 is wide enough for the second rounding to be harmless.
template <Row row>
static Value arithmetic(Emitter &e, Operation *op, Operands x) {
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  if (element.getIntOrFloatBitWidth() > 8)
    return row(e, op, x);
  Type f32 = e.b.getF32Type();
  SmallVector<Value, 3> wide;
  for (Value value : x)
    wide.push_back(emitExtF(e, value, element, f32));
  Value result = row(e, op, wide);
  return result.getType() == f32 ? emitTruncF(e, result, f32, element, false)
                                 : result;
}

/// bf16 and f16 are divided in f32 and rounded once.
static Value divideFloat(Emitter &e, Operation *op, Operands x) {
  Type type = x[0].getType(), f32 = e.b.getF32Type();
  bool approximate = bitEnumContainsAny(cast<arith::DivFOp>(op).getFastmath(),
                                        arith::FastMathFlags::arcp);
  if (type.isF64())
    return LLVM::FDivOp::create(e.b, e.loc, x[0], x[1]);
  Value a = emitExtF(e, x[0], type, f32), b = emitExtF(e, x[1], type, f32);
  Value quotient = approximate ? e.intrinsic("llvm.nvvm.div.full", f32, {a, b})
                               : Value(LLVM::FDivOp::create(e.b, e.loc, a, b));
  return emitTruncF(e, quotient, f32, type, /*towardZero=*/false);
}

/// C's fmod in f32 or f64, exactly: NaN for a zero divisor or an infinite
/// dividend. The divisor is doubled until it is more than half of the dividend,
/// then halved again and taken off wherever it fits; none of these steps
/// rounds. LLVM's expansion loses whole divisors for large quotients.
static Value emitRemainder(Emitter &e, Value x, Value y) {
  OpBuilder &b = e.b;
  Type type = x.getType();
  using P = LLVM::FCmpPredicate;
  auto number = [&](double value) {
    return e.constant(b.getFloatAttr(type, value));
  };
  auto compare = [&](P p, Value u, Value v) -> Value {
    return LLVM::FCmpOp::create(b, e.loc, p, u, v);
  };
  auto select = [&](Value c, Value u, Value v) -> Value {
    return LLVM::SelectOp::create(b, e.loc, c, u, v);
  };
  Value zero = number(0), half = number(0.5), two = number(2);
  Value dividend = LLVM::FAbsOp::create(b, e.loc, x);
  Value divisor = LLVM::FAbsOp::create(b, e.loc, y);
  Value isFinite = compare(P::olt, dividend,
                           number(std::numeric_limits<double>::infinity()));
  Value works =
      LLVM::AndOp::create(b, e.loc, isFinite, compare(P::ogt, divisor, zero));
  dividend = select(works, dividend, zero);
  divisor = select(works, divisor, number(1));
  Value limit = LLVM::FMulOp::create(b, e.loc, dividend, half);
  Value scaled = e.emitLoop(
      {divisor}, [&](ValueRange v) { return compare(P::ole, v[0], limit); },
      [&](ValueRange v) -> SmallVector<Value> {
        return {LLVM::FMulOp::create(b, e.loc, v[0], two)};
      })[0];
  auto reduce = [&](Value rest, Value part) {
    return select(compare(P::oge, rest, part),
                  LLVM::FSubOp::create(b, e.loc, rest, part), rest);
  };
  SmallVector<Value> last = e.emitLoop(
      {dividend, scaled},
      [&](ValueRange v) { return compare(P::one, v[1], divisor); },
      [&](ValueRange v) -> SmallVector<Value> {
        return {reduce(v[0], v[1]), LLVM::FMulOp::create(b, e.loc, v[1], half)};
      });
  Value rest = reduce(last[0], last[1]);
  rest = LLVM::CopySignOp::create(b, e.loc, rest, x);
  return select(works, rest, number(std::numeric_limits<double>::quiet_NaN()));
}

static Value remainderFloat(Emitter &e, Operation *op, Operands x) {
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  if (type.isF64())
    return emitRemainder(e, x[0], x[1]);
  Type f32 = e.b.getF32Type();
  Value rest = emitRemainder(e, emitExtF(e, x[0], type, f32),
                             emitExtF(e, x[1], type, f32));
  return emitTruncF(e, rest, f32, type, /*towardZero=*/false);
}

static Value extend(Emitter &e, Operation *op, Operands x) {
  return emitExtF(e, x[0], getElementTypeOrSelf(op->getOperand(0).getType()),
                  getElementTypeOrSelf(op->getResult(0).getType()));
}

static Value truncate(Emitter &e, Operation *op, Operands x) {
  auto mode = cast<arith::TruncFOp>(op).getRoundingmode();
  return emitTruncF(e, x[0], getElementTypeOrSelf(op->getOperand(0).getType()),
                    getElementTypeOrSelf(op->getResult(0).getType()),
                    mode && *mode == arith::RoundingMode::toward_zero);
}

/// Float to integer: toward zero, saturated, NaN gives 0, as `cvt.rzi` does.
template <typename LLVMOp>
static Value floatToInt(Emitter &e, Operation *op, Operands x) {
  Type from = getElementTypeOrSelf(op->getOperand(0).getType());
  Value value = from.isF64() ? x[0] : emitExtF(e, x[0], from, e.b.getF32Type());
  bool isSigned = std::is_same_v<LLVMOp, LLVM::FPToSIOp>;
  Type to = resultType(e, op);
  std::string name =
      std::string(isSigned ? "llvm.fptosi.sat" : "llvm.fptoui.sat");
  return e.intrinsic(name, to, {value});
}

/// Integer to float, rounded once: 16-bit floats take it through f64 where f32
/// would round before.
template <typename LLVMOp>
static Value intToFloat(Emitter &e, Operation *op, Operands x) {
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  if (to.isF32() || to.isF64())
    return LLVMOp::create(e.b, e.loc, to, x[0]);
  bool exactInF32 = x[0].getType().getIntOrFloatBitWidth() <= 16;
  Type via = exactInF32 ? Type(e.b.getF32Type()) : Type(e.b.getF64Type());
  return emitTruncF(e, LLVMOp::create(e.b, e.loc, via, x[0]), via, to, false);
}

static Value bitcast(Emitter &e, Operation *op, Operands x) {
  Type to = resultType(e, op);
  return to == x[0].getType()
             ? x[0]
             : Value(LLVM::BitcastOp::create(e.b, e.loc, to, x[0]));
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

static Value addPointer(Emitter &e, Operation *op, Operands x) {
  auto pointer =
      cast<tile::PtrType>(getElementTypeOrSelf(op->getResult(0).getType()));
  Value offset = x[1];
  if (offset.getType().isInteger(1))
    offset = LLVM::SExtOp::create(e.b, e.loc, e.b.getI32Type(), offset);
  return LLVM::GEPOp::create(e.b, e.loc, x[0].getType(),
                             e.convertElement(pointer.getPointee()), x[0],
                             ArrayRef<LLVM::GEPArg>{offset});
}

static Value castPointer(Emitter &e, Operation *op, Operands x) {
  Type to = resultType(e, op);
  if (to == x[0].getType())
    return x[0];
  if (isa<LLVM::LLVMPointerType>(to))
    return LLVM::IntToPtrOp::create(e.b, e.loc, to, x[0]);
  return LLVM::PtrToIntOp::create(e.b, e.loc, to, x[0]);
}

static Value select(Emitter &e, Operation *, Operands x) {
  return LLVM::SelectOp::create(e.b, e.loc, x[0], x[1], x[2]);
}

static Value negate(Emitter &e, Operation *, Operands x) {
  return LLVM::FNegOp::create(e.b, e.loc, x[0]);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static const llvm::StringMap<Row> &getTable() {
  static const llvm::StringMap<Row> table = {
      {"arith.addi", same<LLVM::AddOp>},
      {"arith.subi", subtract},
      {"arith.muli", same<LLVM::MulOp>},
      {"arith.divsi", divide<LLVM::SDivOp>},
      {"arith.divui", divide<LLVM::UDivOp>},
      {"arith.remsi", divide<LLVM::SRemOp>},
      {"arith.remui", divide<LLVM::URemOp>},
      {"arith.andi", same<LLVM::AndOp>},
      {"arith.ori", same<LLVM::OrOp>},
      {"arith.xori", same<LLVM::XOrOp>},
      {"arith.shli", shift<LLVM::ShlOp, false>},
      {"arith.shrui", shift<LLVM::LShrOp, false>},
      {"arith.shrsi", shift<LLVM::AShrOp, true>},
      {"arith.minsi", pick<LLVM::SMinOp>},
      {"arith.maxsi", pick<LLVM::SMaxOp>},
      {"arith.minui", pick<LLVM::UMinOp>},
      {"arith.maxui", pick<LLVM::UMaxOp>},
      {"arith.extsi", same<LLVM::SExtOp>},
      {"arith.extui", same<LLVM::ZExtOp>},
      {"arith.trunci", same<LLVM::TruncOp>},
      {"arith.cmpi", compareInt},
      {"arith.cmpf", arithmetic<compareFloat>},
      {"arith.select", select},
      {"arith.addf", arithmetic<sameFloat<LLVM::FAddOp>>},
      {"arith.subf", arithmetic<sameFloat<LLVM::FSubOp>>},
      {"arith.mulf", arithmetic<sameFloat<LLVM::FMulOp>>},
      {"arith.divf", arithmetic<divideFloat>},
      {"arith.remf", remainderFloat},
      {"arith.negf", arithmetic<negate>},
      {"arith.maxnumf", arithmetic<pick<LLVM::MaxNumOp>>},
      {"arith.minnumf", arithmetic<pick<LLVM::MinNumOp>>},
      {"arith.maximumf", arithmetic<pick<LLVM::MaximumOp>>},
      {"arith.minimumf", arithmetic<pick<LLVM::MinimumOp>>},
      {"arith.extf", extend},
      {"arith.truncf", truncate},
      {"arith.fptosi", floatToInt<LLVM::FPToSIOp>},
      {"arith.fptoui", floatToInt<LLVM::FPToUIOp>},
      {"arith.sitofp", intToFloat<LLVM::SIToFPOp>},
      {"arith.uitofp", intToFloat<LLVM::UIToFPOp>},
      {"arith.bitcast", bitcast},
      {"tile.addptr", addPointer},
      {"tile.ptr_cast", castPointer},
  };
  return table;
}

Value tilec::emitElement(Emitter &e, Operation *op, Operands operands) {
  auto it = getTable().find(op->getName().getStringRef());
  if (it != getTable().end())
    return it->second(e, op, operands);
  if (isa_and_nonnull<math::MathDialect>(op->getDialect()))
    return emitMath(e, op, operands);
  op->emitError() << "code generation does not know '" << op->getName()
                  << "': run this kernel on the interpreter";
  return {};
}
