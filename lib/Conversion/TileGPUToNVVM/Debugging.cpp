//===- Debugging.cpp - what a kernel says while it runs -------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// By the two functions that every CUDA driver links into a kernel (CUDA C++
// Programming Guide, "Formatted Output" and "Assertion"): vprintf takes a
// format and the address of its arguments, laid out as a C struct; __assertfail
// stops the grid with a message.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// The address of a text that ends with a zero byte.
static Value getText(Emitter &e, StringRef text) {
  OpBuilder &b = e.b;
  auto module = e.getTarget()->getParentOfType<ModuleOp>();
  std::string bytes = text.str() + '\0';
  StringAttr value = b.getStringAttr(bytes);
  LLVM::GlobalOp global;
  unsigned count = 0;
  for (auto other : module.getOps<LLVM::GlobalOp>()) {
    count += other.getSymName().starts_with("tilec_text_");
    if (other.getValueOrNull() == value)
      global = other;
  }
  if (!global) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    global = LLVM::GlobalOp::create(
        b, e.loc, LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size()),
        /*isConstant=*/true, LLVM::Linkage::Internal,
        "tilec_text_" + std::to_string(count), value, /*alignment=*/1,
        /*addrSpace=*/1);
  }
  Value address = LLVM::AddressOfOp::create(b, e.loc, global);
  return LLVM::AddrSpaceCastOp::create(
      b, e.loc, LLVM::LLVMPointerType::get(b.getContext()), address);
}

/// Calls a function of the driver.
static void callDriver(Emitter &e, StringRef name, Type result,
                       ValueRange operands) {
  OpBuilder &b = e.b;
  auto module = e.getTarget()->getParentOfType<ModuleOp>();
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!function) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    function = LLVM::LLVMFuncOp::create(
        b, e.loc, name,
        LLVM::LLVMFunctionType::get(result,
                                    SmallVector<Type>(operands.getTypes())));
  }
  LLVM::CallOp::create(b, e.loc, function, operands);
}

/// Emits something that happens only where the condition (if any) holds.
static void emitWhere(Emitter &e, Value condition,
                      llvm::function_ref<void()> body) {
  if (!condition)
    return body();
  e.branchAside(condition, {}, [&] {
    body();
    return Registers();
  });
}

/// A value as C passes it after `...`, and the conversion that prints it as the
/// interpreter does.
static std::pair<Value, std::string> promote(Emitter &e, Value value, Type type,
                                             bool hex) {
  OpBuilder &b = e.b;
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  if (isa<tile::PtrType>(type))
    return {LLVM::PtrToIntOp::create(b, e.loc, i64, value), "0x%016llx"};
  if (isa<FloatType>(type)) {
    if (!type.isF64())
      value = LLVM::FPExtOp::create(b, e.loc, b.getF64Type(),
                                    emitExtF(e, value, type, b.getF32Type()));
    return {value, "%.9g"};
  }
  unsigned bits = type.getIntOrFloatBitWidth();
  bool isUnsigned = hex || bits == 1;
  if (bits < 32)
    value = isUnsigned ? Value(LLVM::ZExtOp::create(b, e.loc, i32, value))
                       : Value(LLVM::SExtOp::create(b, e.loc, i32, value));
  std::string length = bits == 64 ? "ll" : "";
  if (!hex)
    return {value, "%" + length + "d"};
  return {value, "0x%0" + std::to_string((bits + 3) / 4) + length + "x"};
}

/// One line: the program, the element, and the values.
static void emitLine(Emitter &e, tile::PrintOp op, ArrayRef<Value> index,
                     ArrayRef<Value> elements) {
  OpBuilder &b = e.b;
  Type i32 = b.getI32Type();
  SmallVector<Value> arguments{NVVM::BlockIdXOp::create(b, e.loc, i32),
                               NVVM::BlockIdYOp::create(b, e.loc, i32),
                               NVVM::BlockIdZOp::create(b, e.loc, i32)};
  std::string format = "pid (%d, %d, %d) idx (";
  for (auto [axis, place] : llvm::enumerate(index)) {
    format += axis ? ", %d" : "%d";
    arguments.push_back(place);
  }
  format += ") ";
  for (char c : op.getPrefix())
    format += c == '%' ? "%%" : std::string(1, c);
  for (auto [i, value] : llvm::enumerate(elements)) {
    auto [argument, conversion] =
        promote(e, value, getElementTypeOrSelf(op.getValues()[i].getType()),
                op.getHex());
    format += (i ? " " : "") + conversion;
    arguments.push_back(argument);
  }
  SmallVector<Type> fields;
  for (Value argument : arguments)
    fields.push_back(argument.getType());
  Type record = LLVM::LLVMStructType::getLiteral(b.getContext(), fields);
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value buffer;
  {
    // At the start of the kernel, where it takes room once.
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&e.getTarget().getBody().front());
    buffer = LLVM::AllocaOp::create(b, e.loc, pointer, record, e.i32(1));
  }
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    Value field = LLVM::GEPOp::create(b, e.loc, pointer, record, buffer,
                                      ArrayRef<LLVM::GEPArg>{0, int32_t(i)});
    LLVM::StoreOp::create(b, e.loc, argument, field);
  }
  callDriver(e, "vprintf", i32, {getText(e, format + "\n"), buffer});
}

LogicalResult tilec::emitPrint(Emitter &e, tile::PrintOp op) {
  OperandRange values = op.getValues();
  Type type = values.empty() ? Type(e.b.getI1Type()) : values.front().getType();
  Registers coordinates(1, Value());
  SmallVector<unsigned> shifts;
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    const LinearLayout &layout = getLayout(tensor);
    for (Value operand : op.getOperands())
      if (getLayout(operand.getType()) != layout)
        return op.emitError("expected values and mask in one layout");
    coordinates = e.coordinates(layout);
    for (unsigned axis = 0; axis < layout.rank(); ++axis)
      shifts.push_back(layout.shift(axis));
  }
  for (auto [r, flat] : llvm::enumerate(coordinates)) {
    SmallVector<Value> elements, index;
    for (Value value : values)
      elements.push_back(e.get(value)[r]);
    for (auto [axis, shift] : llvm::enumerate(shifts)) {
      Value place = LLVM::LShrOp::create(e.b, e.loc, flat, e.i32(shift));
      uint32_t size = cast<RankedTensorType>(type).getDimSize(axis);
      index.push_back(LLVM::AndOp::create(e.b, e.loc, place, e.i32(size - 1)));
    }
    Value mask = op.getMask() ? e.get(op.getMask())[r] : Value();
    emitWhere(e, bothHold(e, mask, getSideEffectOwner(e, type)),
              [&] { emitLine(e, op, index, elements); });
  }
  return success();
}

LogicalResult tilec::emitAssert(Emitter &e, tile::AssertOp op) {
  Value all;
  for (Value element : e.get(op.getCondition()))
    all = all ? Value(LLVM::AndOp::create(e.b, e.loc, all, element)) : element;
  std::string file;
  unsigned line = 0;
  if (auto place = op.getLoc()->findInstanceOf<FileLineColLoc>()) {
    file = place.getFilename().str();
    line = place.getLine();
  }
  emitWhere(e, e.negate(all), [&] {
    callDriver(e, "__assertfail", LLVM::LLVMVoidType::get(e.b.getContext()),
               {getText(e, op.getMessage()), getText(e, file), e.i32(line),
                getText(e, e.getTarget().getName()),
                e.constant(e.b.getI64Type(), 1)});
    // The driver's function does not return where it can stop the grid.
    e.ptx("trap;", "", {}, {}, /*sideEffects=*/true);
  });
  return success();
}
