//===- Casts.cpp - constants and conversions ------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Numbers to IR values, and one element type to another. Casts to 8-bit floats
// are `arith.truncf` too: what the compiler defines about them (they saturate)
// belongs to the engines.
//
//===----------------------------------------------------------------------===//

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
namespace arith = mlir::arith;

Value Lowering::zero(mlir::Type type, Location loc) {
  return arith::ConstantOp::create(
      builder, loc, mlir::cast<mlir::TypedAttr>(builder.getZeroAttr(type)));
}

FailureOr<Val> Lowering::constant(const Val &number, ElemType type,
                                  ArrayRef<int64_t> shape, Location loc) {
  if (type.isPointer()) {
    FailureOr<Val> integer = constant(number, DType::I64, shape, loc);
    return failed(integer) ? integer : castTo(*integer, type, loc);
  }
  if (type.isStorageOnly()) {
    FailureOr<Val> half = constant(number, DType::F16, shape, loc);
    return failed(half) ? half : castTo(*half, type, loc);
  }
  mlir::Type element = type.mlirType(context);
  mlir::TypedAttr attr;
  if (type.isFloat()) {
    double value =
        number.kind == Val::Float ? number.number : double(number.integer);
    llvm::APFloat f(value);
    bool lost;
    const auto &semantics =
        mlir::cast<mlir::FloatType>(element).getFloatSemantics();
    // Conversions to 8-bit floats saturate.
    if (type.isFP8() && std::isfinite(value)) {
      llvm::APFloat largest = llvm::APFloat::getLargest(semantics);
      largest.convert(llvm::APFloat::IEEEdouble(),
                      llvm::APFloat::rmNearestTiesToEven, &lost);
      double limit = largest.convertToDouble();
      f = llvm::APFloat(std::max(-limit, std::min(limit, value)));
    }
    f.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &lost);
    attr = mlir::FloatAttr::get(element, f);
  } else {
    BigInt value = number.integer;
    if (number.kind == Val::Float) {
      if (!std::isfinite(number.number) || std::fabs(number.number) > 0x1p64) {
        error(loc, number.describe() + " does not fit in " + type.name() +
                       "; use a wider type");
        return failure();
      }
      value = BigInt(number.number);
    }
    if (type.isBool())
      value = number.kind == Val::Float ? number.number != 0 : value != 0;
    attr = mlir::IntegerAttr::get(
        element, llvm::APInt(type.bits(), uint64_t(value), false, true));
  }
  mlir::Type result = element;
  if (!shape.empty()) {
    auto tensor = mlir::RankedTensorType::get(shape, element);
    attr = mlir::DenseElementsAttr::get(tensor, mlir::Attribute(attr));
    result = tensor;
  }
  return Val::runtime(arith::ConstantOp::create(builder, loc, result, attr),
                      type);
}

FailureOr<Val> Lowering::toRuntime(const Val &value, Location loc) {
  if (value.isRuntime())
    return value;
  if (!value.isNumber()) {
    error(loc, "expected a number or a tile, got " + value.describe());
    return failure();
  }
  std::optional<ElemType> type = literalType(value);
  if (!type) {
    error(loc, value.describe() + " does not fit in 64 bits; write a float");
    return failure();
  }
  FailureOr<Val> result = constant(value, *type, {}, loc);
  if (failed(result))
    return failure();
  result->known = value.kind;
  result->integer = value.integer;
  result->number = value.number;
  return result;
}

/// One conversion operation.
template <typename Op>
static Val convert(Lowering &lowering, const Val &value, ElemType to,
                   Location loc) {
  mlir::Type type = tilec::tile::withElementType(value.value.getType(),
                                                 to.mlirType(lowering.context));
  return Val::runtime(Op::create(lowering.builder, loc, type, value.value), to);
}

/// `value != 0`.
static Val isNonZero(Lowering &lowering, const Val &value, Location loc) {
  Value zero = lowering.zero(value.value.getType(), loc);
  Value result = value.type.isFloat()
                     ? Value(arith::CmpFOp::create(lowering.builder, loc,
                                                   arith::CmpFPredicate::UNE,
                                                   value.value, zero))
                     : Value(arith::CmpIOp::create(lowering.builder, loc,
                                                   arith::CmpIPredicate::ne,
                                                   value.value, zero));
  return Val::runtime(result, DType::I1);
}

/// Float to float. The 16-bit formats reach each other through fp32.
static Val castFloat(Lowering &lowering, Val value, ElemType to, Location loc) {
  auto narrow = [](ElemType t) { return t.bits() <= 16; };
  if (narrow(value.type) && narrow(to))
    value = convert<arith::ExtFOp>(lowering, value, DType::F32, loc);
  if (value.type == to)
    return value;
  return value.type.bits() < to.bits()
             ? convert<arith::ExtFOp>(lowering, value, to, loc)
             : convert<arith::TruncFOp>(lowering, value, to, loc);
}

/// Integer to integer.
static Val castInt(Lowering &lowering, const Val &value, ElemType to,
                   Location loc) {
  unsigned from = value.type.bits();
  if (to.isBool())
    return isNonZero(lowering, value, loc);
  if (from == to.bits()) {
    Val result = value;
    result.type = to;
    return result;
  }
  if (from > to.bits())
    return convert<arith::TruncIOp>(lowering, value, to, loc);
  return value.type.isSigned()
             ? convert<arith::ExtSIOp>(lowering, value, to, loc)
             : convert<arith::ExtUIOp>(lowering, value, to, loc);
}

/// Pointers to and from integers and pointers.
static FailureOr<Val> castPointer(Lowering &lowering, const Val &value,
                                  ElemType to, Location loc) {
  if (value.type.isPointer() && to.isBool()) {
    Val integer =
        convert<tilec::tile::PtrCastOp>(lowering, value, DType::I64, loc);
    return isNonZero(lowering, integer, loc);
  }
  auto wide = [](ElemType t) {
    return t.isPointer() || (t.isInt() && t.bits() == 64);
  };
  if (wide(value.type) && wide(to))
    return convert<tilec::tile::PtrCastOp>(lowering, value, to, loc);
  lowering.error(loc, "cannot cast " + value.type.name() + " to " + to.name() +
                          "; pointers become int64 or other pointers");
  return failure();
}

/// To and from fp8e4b15, by way of fp16, whose bits it shortens.
static FailureOr<Val> castStored(Lowering &lowering, Val value, ElemType to,
                                 Location loc) {
  if (value.type.isStorageOnly()) {
    value.type = DType::U8;
    FailureOr<Val> half = lowering.callPrelude("from_e4b15", {value}, loc);
    return failed(half) ? half : lowering.castTo(*half, to, loc);
  }
  FailureOr<Val> half = lowering.castTo(value, DType::F16, loc);
  FailureOr<Val> bits =
      failed(half) ? half : lowering.callPrelude("to_e4b15", {*half}, loc);
  if (!failed(bits))
    bits->type = to;
  return bits;
}

FailureOr<Val> Lowering::castTo(const Val &input, ElemType to, Location loc) {
  if (input.isNumber()) {
    // A number that is cast is made in its new type at once where that is
    // exact.
    std::optional<ElemType> literal = literalType(input);
    bool direct = to.isFloat() || input.kind != Val::Float;
    Val number = input;
    // 0.1 is 0.1 in fp32, also on its way to fp64.
    if (literal == ElemType(DType::F32))
      number.number = static_cast<float>(number.number);
    if (direct && !to.isPointer() && literal)
      return constant(number, to, {}, loc);
  }
  FailureOr<Val> value = toRuntime(input, loc);
  if (failed(value) || value->type == to)
    return value;
  Val v = *value;
  v.known = Val::None;
  if (v.type.isStorageOnly() || to.isStorageOnly())
    return castStored(*this, v, to, loc);
  if (v.type.isPointer() || to.isPointer())
    return castPointer(*this, v, to, loc);
  if (v.type.isFloat() && to.isFloat())
    return castFloat(*this, v, to, loc);
  if (v.type.isInt() && to.isInt())
    return castInt(*this, v, to, loc);
  if (v.type.isFloat()) {
    if (to.isBool())
      return isNonZero(*this, v, loc);
    // Narrow formats go through fp32.
    if (v.type.bits() < 32)
      v = convert<arith::ExtFOp>(*this, v, DType::F32, loc);
    return to.isSigned() ? convert<arith::FPToSIOp>(*this, v, to, loc)
                         : convert<arith::FPToUIOp>(*this, v, to, loc);
  }
  ElemType step =
      to.isFP8() || to.dtype == DType::BF16 ? ElemType(DType::F32) : to;
  Val converted = v.type.isSigned()
                      ? convert<arith::SIToFPOp>(*this, v, step, loc)
                      : convert<arith::UIToFPOp>(*this, v, step, loc);
  return castFloat(*this, converted, to, loc);
}

FailureOr<Val> Lowering::bitcast(const Val &input, ElemType to, Location loc) {
  FailureOr<Val> value = toRuntime(input, loc);
  if (failed(value) || value->type == to)
    return value;
  value->known = Val::None;
  if (value->type.isPointer() || to.isPointer())
    return castTo(*value, to, loc);
  if (value->type.bits() != to.bits()) {
    error(loc, "cannot bitcast " + value->type.name() + " to " + to.name() +
                   ", which has another size; a cast without bitcast=True "
                   "converts the value");
    return failure();
  }
  // Their bits are integers already.
  auto isBits = [](ElemType t) { return t.isInt() || t.isStorageOnly(); };
  if (isBits(value->type) && isBits(to)) {
    value->type = to;
    return value;
  }
  return convert<arith::BitcastOp>(*this, *value, to, loc);
}
