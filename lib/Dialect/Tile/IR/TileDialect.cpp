//===- TileDialect.cpp - the tile dialect ---------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Registration, types, and the checks of the attributes that the dialect
// defines on functions and their arguments.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilec::tile;

#include "tilec/Dialect/Tile/IR/TileDialect.cpp.inc"
#include "tilec/Dialect/Tile/IR/TileEnums.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "tilec/Dialect/Tile/IR/TileTypes.cpp.inc"
#define GET_OP_CLASSES
#include "tilec/Dialect/Tile/IR/TileOps.cpp.inc"

void TileDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "tilec/Dialect/Tile/IR/TileTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tilec/Dialect/Tile/IR/TileOps.cpp.inc"
      >();
}

Operation *TileDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

LogicalResult PtrType::verify(function_ref<InFlightDiagnostic()> emitError,
                              Type pointee) {
  bool fits = isa<PtrType, Float8E4M3FNType, Float8E5M2Type, Float16Type,
                  BFloat16Type, Float32Type, Float64Type>(pointee) ||
              pointee.isSignlessInteger(8) || pointee.isSignlessInteger(16) ||
              pointee.isSignlessInteger(32) || pointee.isSignlessInteger(64);
  if (!fits) // (C1)
    return emitError() << "expected a number of 8 to 64 bits or a pointer as "
                          "pointee, got "
                       << pointee;
  return success();
}

Type tilec::tile::getElementType(Type type) {
  return getElementTypeOrSelf(type);
}

ArrayRef<int64_t> tilec::tile::getShape(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getShape() : ArrayRef<int64_t>();
}

Type tilec::tile::withElementType(Type type, Type element) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? Type(tensor.clone(element)) : element;
}

//===----------------------------------------------------------------------===//
// Attributes on other operations
//===----------------------------------------------------------------------===//

/// Checks that an i32 attribute is positive, and a power of two if asked.
static LogicalResult verifyCount(Operation *op, NamedAttribute attr,
                                 bool powerOfTwo) {
  auto value = dyn_cast<IntegerAttr>(attr.getValue());
  if (!value || value.getInt() <= 0 ||
      (powerOfTwo && !llvm::isPowerOf2_64(value.getInt())))
    return op->emitOpError()
           << "expected a positive integer"
           << (powerOfTwo ? " that is a power of two" : "") << " as '"
           << attr.getName().getValue() << "', got " << attr.getValue();
  return success();
}

LogicalResult TileDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attr) {
  StringRef name = attr.getName().getValue();
  if (name == kKernelAttr) {
    // Lowered kernels keep the attribute; what they are is their dialect's
    // affair.
    auto function = dyn_cast<FunctionOpInterface>(op);
    if (!function)
      return op->emitOpError()
             << "expected a function to carry '" << kKernelAttr << "'";
    if (isa<func::FuncOp>(op) && function.getNumResults() != 0)
      return op->emitOpError("expected a kernel to have no results");
    return success();
  }
  if (name == kNumWarpsAttr)
    return verifyCount(op, attr, /*powerOfTwo=*/true);
  if (name == kNumStagesAttr)
    return verifyCount(op, attr, /*powerOfTwo=*/false);
  if (name == kPaddedAttr) {
    if (!isa<LoadOp>(op) || !isa<UnitAttr>(attr.getValue()))
      return op->emitOpError()
             << "expected a load to carry '" << name << "', without a value";
    return success();
  }
  if (name == kDivisibilityAttr || name == kContiguityAttr ||
      name == kConstancyAttr) {
    auto values = dyn_cast<DenseI32ArrayAttr>(attr.getValue());
    size_t rank =
        op->getNumResults() == 1
            ? std::max<size_t>(1, getShape(op->getResult(0).getType()).size())
            : 0;
    if (!values || static_cast<size_t>(values.size()) != rank)
      return op->emitOpError() << "expected '" << name << "' to be an array of "
                               << rank << " i32, one for each axis";
    for (int32_t v : values.asArrayRef())
      if (v <= 0)
        return op->emitOpError() << "expected '" << name
                                 << "' to hold positive numbers, got " << v;
  }
  return success();
}

LogicalResult TileDialect::verifyRegionArgAttribute(Operation *op,
                                                    unsigned regionIndex,
                                                    unsigned argIndex,
                                                    NamedAttribute attr) {
  StringRef name = attr.getName().getValue();
  if (name == kNameAttr || name == kTypeAttr) {
    if (!isa<StringAttr>(attr.getValue()))
      return op->emitOpError() << "expected '" << name << "' to be a string";
    return success();
  }
  if (name == kDivisibilityAttr)
    return verifyCount(op, attr, /*powerOfTwo=*/true);
  return op->emitOpError() << "unknown argument attribute '" << name << "'";
}
