//===- RandomProgram.cpp - random integer tile programs -------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Every value that is made goes to a pool from which later operations take
// their operands, so that what is likely in kernels (a range plus a splat,
// compared with a splat) is likely here.
//
//===----------------------------------------------------------------------===//

#include "RandomProgram.h"

using namespace mlir;
using namespace tilec;

static constexpr int64_t kSizes[] = {1, 4, 8, 8, 16};

RandomProgram::RandomProgram(MLIRContext *context, unsigned seed)
    : random(seed), b(context), loc(UnknownLoc::get(context)) {
  module = ModuleOp::create(b, loc);
  b.setInsertionPointToEnd(module->getBody());
  SmallVector<Type> types;
  for (unsigned i = 0; i < 3; ++i)
    types.push_back(b.getI32Type());
  types.push_back(tile::PtrType::get(context, b.getI32Type()));
  types.push_back(tile::PtrType::get(context, b.getIntegerType(8)));
  function = func::FuncOp::create(b, loc, "k", b.getFunctionType(types, {}));
  for (unsigned i = 0; i < types.size(); ++i)
    if (pick(3))
      function.setArgAttr(i, tile::kDivisibilityAttr,
                          b.getI32IntegerAttr(1 << pick(6)));
  b.setInsertionPointToStart(function.addEntryBlock());
  llvm::append_range(pool, function.getArguments());
  pool.push_back(tile::ProgramIdOp::create(b, loc, b.getI32Type(), 0));
  // Most kernels work on tiles of one size, so that values meet.
  for (int64_t start : {0, 16})
    pool.push_back(tile::ArangeOp::create(
        b, loc, RankedTensorType::get({8}, b.getI32Type()), start, start + 8));
  // The offsets of a block.
  for (Value size : function.getArguments().take_front(2)) {
    Value range = pool.back();
    Value base = tile::SplatOp::create(b, loc, range.getType(), size);
    pool.push_back(arith::AddIOp::create(b, loc, base, range));
  }
  makeOperations(12 + pick(20), 2);
  func::ReturnOp::create(b, loc);
}

SmallVector<int64_t> RandomProgram::getArguments(bool any) {
  SmallVector<int64_t> arguments;
  for (BlockArgument argument : function.getArguments()) {
    int64_t unit = 1;
    if (auto hint = function.getArgAttrOfType<IntegerAttr>(
            argument.getArgNumber(), tile::kDivisibilityAttr))
      unit = hint.getInt();
    // Pointers are aligned to their elements.
    if (auto pointer = dyn_cast<tile::PtrType>(argument.getType()))
      unit = std::max<int64_t>(
          unit, pointer.getPointee().getIntOrFloatBitWidth() / 8);
    int64_t number = pick(4) ? pick(9) : pick(100);
    // Below zero, and where the next sum overflows.
    if (any && argument.getType().isInteger(32))
      number = pick(2) ? -number : (int64_t(1) << 31) / unit - 1 - number;
    arguments.push_back(unit * number);
  }
  return arguments;
}

Value RandomProgram::pickValue(function_ref<bool(Type)> fits) {
  SmallVector<Value> all;
  for (Value value : pool)
    if (fits(value.getType()))
      all.push_back(value);
  return all.empty() ? Value() : pickOf(all);
}

/// A value of this type: one that is there, a splat of one, or a new constant.
Value RandomProgram::pickOfType(Type type) {
  Type element = tile::getElementType(type);
  if (pick(4))
    if (Value value = pickValue([&](Type t) { return t == type; }))
      return value;
  if (isa<RankedTensorType>(type) && pick(3))
    if (Value value = pickValue([&](Type t) { return t == element; }))
      return tile::SplatOp::create(b, loc, type, value);
  return isa<tile::PtrType>(element)
             ? pickValue([&](Type t) { return t == type; })
             : makeConstant(type);
}

Value RandomProgram::makeConstant(Type type) {
  static constexpr int64_t interesting[] = {0,  1,  2,  3,  4,   8, 16, 32,
                                            64, 12, -1, -4, -16, 5, 24, 7};
  Type element = tile::getElementType(type);
  int64_t number = element.isInteger(1) ? pick(2) : pickOf(interesting);
  TypedAttr value = IntegerAttr::get(
      element, APInt(element.getIntOrFloatBitWidth(), number, true, true));
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    value = DenseElementsAttr::get(tensor, Attribute(value));
  return arith::ConstantOp::create(b, loc, value);
}

/// A tile type that is common in the program, or any.
Type RandomProgram::tileOf(Type element) {
  if (pick(4))
    if (Value value =
            pickValue([](Type t) { return isa<RankedTensorType>(t); }))
      return tile::withElementType(value.getType(), element);
  if (pick(2))
    return RankedTensorType::get({pickOf(kSizes)}, element);
  return RankedTensorType::get({pickOf(kSizes), pickOf(kSizes)}, element);
}

Value RandomProgram::makeArithmetic() {
  bool tiles = pick(4);
  Value x = pickValue([&](Type t) {
    Type element = tile::getElementType(t);
    return isa<IntegerType>(element) && !element.isInteger(1) &&
           isa<RankedTensorType>(t) == tiles;
  });
  if (!x)
    return {};
  Type type = x.getType();
  Value y = pickOfType(type);
  if (pick(2))
    std::swap(x, y);
  Type boolean = tile::withElementType(type, b.getI1Type());
  unsigned kind = pick(18);
  // Most divisors are numbers in the source.
  if (kind >= 6 && kind <= 9 && pick(2))
    y = makeConstant(type);
  switch (kind) {
  case 0:
  case 1:
  case 2:
    return arith::AddIOp::create(b, loc, x, y);
  case 3:
    return arith::SubIOp::create(b, loc, x, y);
  case 4:
  case 5:
    return arith::MulIOp::create(b, loc, x, y);
  case 6:
    return arith::DivSIOp::create(b, loc, x, y);
  case 7:
    return arith::DivUIOp::create(b, loc, x, y);
  case 8:
    return arith::RemSIOp::create(b, loc, x, y);
  case 9:
    return arith::RemUIOp::create(b, loc, x, y);
  case 10:
    return arith::MinSIOp::create(b, loc, x, y);
  case 11:
    return arith::MaxSIOp::create(b, loc, x, y);
  case 12:
    return arith::MinUIOp::create(b, loc, x, y);
  case 13:
    return arith::MaxUIOp::create(b, loc, x, y);
  case 14:
    return pick(2) ? Value(arith::AndIOp::create(b, loc, x, y))
                   : Value(arith::XOrIOp::create(b, loc, x, y));
  case 15: {
    Value condition = pickOfType(pick(3) ? boolean : Type(b.getI1Type()));
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  default:
    return arith::CmpIOp::create(
        b, loc, static_cast<arith::CmpIPredicate>(pick(10)), x, y);
  }
}

Value RandomProgram::makeView() {
  switch (pick(6)) {
  case 0: {
    static constexpr int64_t starts[] = {0, 0, 0, 8, 4, -8, -16, 3, -5};
    int64_t start = pickOf(starts), size = pickOf(kSizes);
    return tile::ArangeOp::create(b, loc,
                                  RankedTensorType::get({size}, b.getI32Type()),
                                  start, start + size);
  }
  case 1: {
    Value x = pickValue([](Type t) { return !isa<RankedTensorType>(t); });
    return tile::SplatOp::create(b, loc, tileOf(x.getType()), x);
  }
  case 2: {
    Value x = pickValue([](Type t) { return tile::getShape(t).size() == 1; });
    if (!x)
      return {};
    unsigned axis = pick(2);
    SmallVector<int64_t> shape(tile::getShape(x.getType()));
    shape.insert(shape.begin() + axis, 1);
    return tile::ExpandDimsOp::create(
        b, loc, RankedTensorType::get(shape, tile::getElementType(x.getType())),
        x, axis);
  }
  case 3: {
    Value x = pickValue(
        [](Type t) { return llvm::is_contained(tile::getShape(t), 1); });
    if (!x)
      return {};
    SmallVector<int64_t> shape(tile::getShape(x.getType()));
    for (int64_t &size : shape)
      if (size == 1)
        size = pickOf(kSizes);
    return tile::BroadcastOp::create(
        b, loc, RankedTensorType::get(shape, tile::getElementType(x.getType())),
        x);
  }
  case 4: {
    Value x = pickValue([](Type t) { return tile::getShape(t).size() == 2; });
    if (!x)
      return {};
    ArrayRef<int64_t> shape = tile::getShape(x.getType());
    return tile::TransOp::create(
        b, loc,
        RankedTensorType::get({shape[1], shape[0]},
                              tile::getElementType(x.getType())),
        x, ArrayRef<int32_t>{1, 0});
  }
  default: {
    Value x = pickValue([](Type t) { return isa<RankedTensorType>(t); });
    if (!x)
      return {};
    int64_t n = cast<RankedTensorType>(x.getType()).getNumElements();
    SmallVector<int64_t> shape{n};
    if (pick(3)) {
      int64_t rows = int64_t(1) << pick(llvm::Log2_64(n) + 1);
      shape = {rows, n / rows};
    }
    return tile::ReshapeOp::create(
        b, loc, RankedTensorType::get(shape, tile::getElementType(x.getType())),
        x);
  }
  }
}

Value RandomProgram::makePointer() {
  Value base = pickValue(
      [](Type t) { return isa<tile::PtrType>(tile::getElementType(t)); });
  if (!isa<RankedTensorType>(base.getType())) {
    if (!pick(3))
      return tile::AddPtrOp::create(b, loc, base.getType(), base,
                                    pickOfType(b.getI32Type()));
    base = tile::SplatOp::create(b, loc, tileOf(base.getType()), base);
  }
  Type offsets = tile::withElementType(base.getType(), b.getI32Type());
  return tile::AddPtrOp::create(b, loc, base.getType(), base,
                                pickOfType(offsets));
}

/// Another width, a load, or an atomic.
Value RandomProgram::makeCast() {
  Value x = pickValue(
      [](Type t) { return isa<IntegerType>(tile::getElementType(t)); });
  if (!x)
    return {};
  unsigned width = tile::getElementType(x.getType()).getIntOrFloatBitWidth();
  unsigned to = pickOf(ArrayRef<unsigned>{8, 32, 64});
  Type type = tile::withElementType(x.getType(), b.getIntegerType(to));
  if (to < width)
    return arith::TruncIOp::create(b, loc, type, x);
  if (to == width)
    return {};
  return pick(2) ? Value(arith::ExtSIOp::create(b, loc, type, x))
                 : Value(arith::ExtUIOp::create(b, loc, type, x));
}

/// Fills the region of a reduction or scan: a sum.
void RandomProgram::fillRegion(Type type, Region &region) {
  OpBuilder::InsertionGuard guard(b);
  Type element = tile::getElementType(type);
  Block *block = b.createBlock(&region, {}, {element, element}, {loc, loc});
  Value sum = arith::AddIOp::create(b, loc, block->getArgument(0),
                                    block->getArgument(1));
  tile::YieldOp::create(b, loc, sum);
}

/// Operations that look at other elements: reductions, scans, loads, atomics.
Value RandomProgram::makeCombination() {
  if (pick(2)) {
    Value pointer = pickValue([&](Type t) {
      auto type = dyn_cast<tile::PtrType>(tile::getElementType(t));
      return type && type.getPointee().isInteger(8);
    });
    return tile::LoadOp::create(b, loc, pointer, Value(), Value());
  }
  if (!pick(4)) {
    Value pointer = pickValue([&](Type t) {
      auto type = dyn_cast<tile::PtrType>(tile::getElementType(t));
      return type && type.getPointee().isInteger(32);
    });
    Value operand =
        pickOfType(tile::withElementType(pointer.getType(), b.getI32Type()));
    return tile::AtomicRMWOp::create(
        b, loc, operand.getType(), tile::AtomicKind::Add,
        tile::MemOrder::Relaxed, tile::MemScope::GPU, pointer, operand,
        Value());
  }
  Value x = pickValue([](Type t) {
    return isa<RankedTensorType>(t) && tile::getElementType(t).isInteger(32);
  });
  if (!x)
    return {};
  auto type = cast<RankedTensorType>(x.getType());
  unsigned axis = pick(type.getRank());
  if (pick(2)) {
    SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + axis);
    Type result =
        shape.empty()
            ? type.getElementType()
            : Type(RankedTensorType::get(shape, type.getElementType()));
    auto op =
        tile::ReduceOp::create(b, loc, TypeRange(result), ValueRange(x), axis);
    fillRegion(type, op.getCombine());
    return op.getResult(0);
  }
  auto op = tile::ScanOp::create(b, loc, TypeRange(type), ValueRange(x), axis,
                                 /*reverse=*/false);
  fillRegion(type, op.getCombine());
  return op.getResult(0);
}

/// A loop or a branch that carries some values of the pool.
Value RandomProgram::makeControl(unsigned depth) {
  SmallVector<Value> carried;
  for (unsigned i = 0; i < 1 + pick(3); ++i)
    carried.push_back(pickOf(pool));
  SmallVector<Type> types;
  for (Value value : carried)
    types.push_back(value.getType());
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Value> outside(pool);
  auto fill = [&](Block *block, ArrayRef<Value> arguments) {
    b.setInsertionPointToEnd(block);
    pool = outside;
    llvm::append_range(pool, arguments);
    makeOperations(2 + pick(8), depth - 1);
    SmallVector<Value> yields;
    for (Type type : types)
      yields.push_back(pickOfType(type));
    scf::YieldOp::create(b, loc, yields);
  };
  Operation *op;
  if (pick(2)) {
    Value lower = pickOfType(b.getI32Type());
    auto step =
        arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(1 << pick(5)));
    auto trips =
        arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(pick(48)));
    auto upper = arith::AddIOp::create(b, loc, lower, trips);
    auto loop = scf::ForOp::create(b, loc, lower, upper, step, carried);
    loop.getBody()->clear();
    SmallVector<Value> arguments(loop.getRegionIterArgs());
    arguments.push_back(loop.getInductionVar());
    fill(loop.getBody(), arguments);
    op = loop;
  } else {
    Value condition = pickOfType(b.getI1Type());
    auto branch =
        scf::IfOp::create(b, loc, types, condition, /*withElseRegion=*/true);
    for (Region &region : branch->getRegions()) {
      region.front().clear();
      fill(&region.front(), {});
    }
    op = branch;
  }
  pool = outside;
  llvm::append_range(pool, op->getResults());
  return {};
}

void RandomProgram::makeOperations(unsigned count, unsigned depth) {
  for (unsigned i = 0; i < count; ++i) {
    unsigned kind = pick(20);
    Value made = kind < 9    ? makeArithmetic()
                 : kind < 13 ? makeView()
                 : kind < 16 ? makePointer()
                 : kind < 17 ? makeCast()
                 : kind < 19 ? makeCombination()
                 : depth     ? makeControl(depth)
                             : Value();
    if (made)
      pool.push_back(made);
  }
}
