//===- Atomics.cpp - atomic operations on global memory -------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// One instruction for each element. Inline PTX, since LLVM's own atomics drop
// order and scope.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "tilec/Analysis/SharedMemory.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

Registers tilec::shareResult(Emitter &e, Operation *op, ArrayRef<Value> results,
                             Value owner) {
  Value result = op->getResult(0);
  int64_t offset = op->getAttrOfType<IntegerAttr>(kOffsetAttr).getInt();
  Value base = e.sharedAddress(offset);
  Type element = getElementTypeOrSelf(result.getType());
  Registers coordinates(1, e.i32(0));
  if (auto type = dyn_cast<RankedTensorType>(result.getType()))
    coordinates = e.coordinates(getLayout(type));
  Registers addresses, shared;
  for (Value coordinate : coordinates)
    addresses.push_back(LLVM::GEPOp::create(
        e.b, e.loc, base.getType(), e.convertElement(element), base,
        ArrayRef<LLVM::GEPArg>{coordinate}));
  for (auto [address, value] : llvm::zip(addresses, results))
    e.storeShared(address, value, owner);
  e.barrier();
  for (Value address : addresses)
    shared.push_back(e.loadShared(address, element));
  return shared;
}

/// Order and scope as PTX writes them: ".acq_rel.gpu".
static std::string getOrder(tile::MemOrder order, tile::MemScope scope) {
  std::string text = "." + tile::stringifyMemOrder(order).str();
  switch (scope) {
  case tile::MemScope::Block:
    return text + ".cta";
  case tile::MemScope::GPU:
    return text + ".gpu";
  case tile::MemScope::System:
    return text + ".sys";
  }
  return text;
}

/// The operation and type of an atomic instruction (PTX ISA, atom).
static std::string getAtomicName(tile::AtomicKind kind, Type element) {
  unsigned bits = element.getIntOrFloatBitWidth();
  std::string size = std::to_string(bits);
  switch (kind) {
  case tile::AtomicKind::Add:
    return ".add.u" + size;
  case tile::AtomicKind::FAdd:
    if (bits == 16)
      return element.isF16() ? ".add.noftz.f16" : ".add.noftz.bf16";
    return ".add.f" + size;
  case tile::AtomicKind::Max:
    return ".max.s" + size;
  case tile::AtomicKind::Min:
    return ".min.s" + size;
  case tile::AtomicKind::UMax:
    return ".max.u" + size;
  case tile::AtomicKind::UMin:
    return ".min.u" + size;
  case tile::AtomicKind::And:
    return ".and.b" + size;
  case tile::AtomicKind::Or:
    return ".or.b" + size;
  case tile::AtomicKind::Xor:
    return ".xor.b" + size;
  case tile::AtomicKind::Xchg:
    return ".exch.b" + size;
  case tile::AtomicKind::FMax:
  case tile::AtomicKind::FMin:
    break; // by the bits, see emitFloatExtreme
  }
  return "";
}

/// One atomic instruction; its result is zero where the predicate is false.
static Value emitAtomicInstruction(Emitter &e, const std::string &name,
                                   Value address, ArrayRef<Value> operands,
                                   Value predicate, bool used) {
  // red acquires nothing and does not exchange.
  for (StringRef part : {".acq", ".exch", ".cas"})
    used |= StringRef(name).contains(part);
  Type type = operands[0].getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  Type word = e.b.getIntegerType(bits);
  SmallVector<Value> inputs{address};
  for (Value value : operands)
    inputs.push_back(
        type == word ? value
                     : Value(LLVM::BitcastOp::create(e.b, e.loc, word, value)));
  std::string letter = getRegisterLetter(bits).str();
  unsigned next = used ? 1 : 0;
  std::string text = " [$" + std::to_string(next++) + "]", constraints = "l";
  for (size_t i = 0; i < operands.size(); ++i) {
    text += ", $" + std::to_string(next++);
    constraints += "," + letter;
  }
  std::string guard;
  if (predicate) {
    inputs.push_back(predicate);
    constraints += ",b";
    guard = "@$" + std::to_string(next++) + " ";
  }
  if (!used) {
    e.ptx(guard + "red" + name + text + ";", constraints, {}, inputs, true);
    return {};
  }
  inputs.push_back(emitZero(e, word));
  Value result =
      e.ptx(guard + "atom" + name + " $0," + text + ";",
            "=" + letter + "," + constraints + ",0", {word}, inputs, true)[0];
  return type == word
             ? result
             : Value(LLVM::BitcastOp::create(e.b, e.loc, type, result));
}

/// Float max and min order as integers do among positive numbers and the other
/// way round among negative ones: signed max for the former, unsigned min for
/// the latter.
static Value emitFloatExtreme(Emitter &e, bool isMax, const std::string &order,
                              Value address, Value value, Value predicate,
                              bool used) {
  Type type = value.getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  Type word = e.b.getIntegerType(bits);
  Value asInt = LLVM::BitcastOp::create(e.b, e.loc, word, value);
  Value negative = LLVM::ICmpOp::create(e.b, e.loc, LLVM::ICmpPredicate::slt,
                                        asInt, e.constant(word, 0));
  Value positive = e.negate(negative);
  std::string size = std::to_string(bits);
  std::string upper = order + (isMax ? ".max.s" : ".min.s") + size;
  std::string lower = order + (isMax ? ".min.u" : ".max.u") + size;
  Value a = emitAtomicInstruction(e, upper, address, {asInt},
                                  bothHold(e, predicate, positive), used);
  Value b = emitAtomicInstruction(e, lower, address, {asInt},
                                  bothHold(e, predicate, negative), used);
  if (!used)
    return {};
  Value old = LLVM::SelectOp::create(e.b, e.loc, negative, b, a);
  return LLVM::BitcastOp::create(e.b, e.loc, type, old);
}

/// Adds where the machine has no instruction for it: offers the sum of what is
/// expected there until that is what is found. A thread that takes no part
/// finds the zero that it expects.
static Value emitAddByExchange(Emitter &e, const std::string &order,
                               Value address, Value value, Type element,
                               Value predicate) {
  Type f32 = e.b.getF32Type(), type = value.getType();
  Type word = e.b.getIntegerType(type.getIntOrFloatBitWidth());
  std::string name = order + ".cas.b" + std::to_string(getBits(element));
  Value wide = emitExtF(e, value, element, f32);
  auto more = [](ValueRange state) -> Value { return state[1]; };
  auto next = [&](ValueRange state) -> SmallVector<Value> {
    Value old = LLVM::BitcastOp::create(e.b, e.loc, type, state[0]);
    Value sum =
        LLVM::FAddOp::create(e.b, e.loc, emitExtF(e, old, element, f32), wide);
    sum = emitTruncF(e, sum, f32, element, /*towardZero=*/false);
    sum = LLVM::BitcastOp::create(e.b, e.loc, word, sum);
    Value found = emitAtomicInstruction(e, name, address, {state[0], sum},
                                        predicate, /*used=*/true);
    Value again = LLVM::ICmpOp::create(e.b, e.loc, LLVM::ICmpPredicate::ne,
                                       found, state[0]);
    return {found, again};
  };
  Value start = e.constant(e.b.getI1Type(), 1);
  Value old = e.emitLoop({emitZero(e, word), start}, more, next)[0];
  return LLVM::BitcastOp::create(e.b, e.loc, type, old);
}

LogicalResult tilec::emitAtomic(Emitter &e, Operation *op) {
  auto rmw = dyn_cast<tile::AtomicRMWOp>(op);
  auto cas = dyn_cast<tile::AtomicCASOp>(op);
  Value pointer = rmw ? rmw.getPtr() : cas.getPtr();
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  bool isEmulated = rmw && rmw.getKind() == tile::AtomicKind::FAdd &&
                    element.isBF16() && e.arch.capability < 90;
  std::string order = rmw ? getOrder(rmw.getOrder(), rmw.getScope())
                          : getOrder(cas.getOrder(), cas.getScope());
  order += ".global";
  bool used = !op->use_empty();
  Value owner = getSideEffectOwner(e, pointer.getType());
  Registers results;
  for (auto [r, address] : llvm::enumerate(e.get(pointer))) {
    Value masks = rmw ? rmw.getMask() : cas.getMask();
    Value predicate = bothHold(e, masks ? e.get(masks)[r] : Value(), owner);
    if (cas) {
      results.push_back(emitAtomicInstruction(
          e, order + ".cas.b" + std::to_string(getBits(element)), address,
          {e.get(cas.getCompare())[r], e.get(cas.getValue())[r]}, predicate,
          true));
      continue;
    }
    Value value = e.get(rmw.getValue())[r];
    bool isMax = rmw.getKind() == tile::AtomicKind::FMax;
    if (isMax || rmw.getKind() == tile::AtomicKind::FMin)
      results.push_back(
          emitFloatExtreme(e, isMax, order, address, value, predicate, used));
    else if (isEmulated)
      results.push_back(
          emitAddByExchange(e, order, address, value, element, predicate));
    else
      results.push_back(emitAtomicInstruction(
          e, order + getAtomicName(rmw.getKind(), element), address, {value},
          predicate, used));
  }
  if (used && sharesResult(op))
    results = shareResult(e, op, results, owner);
  if (used)
    e.set(op->getResult(0), std::move(results));
  return success();
}
