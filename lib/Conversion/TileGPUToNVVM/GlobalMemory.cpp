//===- GlobalMemory.cpp - loads, stores and atomics -----------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Each thread moves vectors of up to 16 bytes: as many registers as are
// consecutive in memory, aligned, and under one mask. A mask becomes the
// predicate of the instruction, never a branch.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "tilec/Analysis/AsyncCopy.h"
#include "tilec/Analysis/SharedMemory.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// Logical and of two conditions, either of which may be missing.
static Value both(Emitter &e, Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return LLVM::AndOp::create(e.b, e.loc, a, b);
}

/// The condition under which this thread performs a side effect for a tile or
/// scalar of this type.
static Value getOwner(Emitter &e, Type type) {
  if (isa<RankedTensorType>(type))
    return e.isOwner(getLayout(type));
  return LLVM::ICmpOp::create(e.b, e.loc, LLVM::ICmpPredicate::eq, e.threadId(),
                              e.i32(0));
}

/// The letter of an inline PTX constraint for a register of this many bits.
static StringRef getLetter(unsigned bits) {
  return bits == 64 ? "l" : bits == 32 ? "r" : "h";
}

/// Modifiers between the space and the size of an access (PTX ISA, ld and st).
/// They exclude each other: a cache operator goes before a priority.
static std::string getModifiers(tile::CacheModifier cache,
                                tile::Eviction eviction) {
  std::string text;
  if (cache != tile::CacheModifier::None)
    return "." + tile::stringifyCacheModifier(cache).str();
  if (eviction == tile::Eviction::First)
    text += ".L1::evict_first";
  if (eviction == tile::Eviction::Last)
    text += ".L1::evict_last";
  return text;
}

/// "$0" or "{$0, $1}" for `count` operands from number `first` on.
static std::string getList(unsigned first, unsigned count) {
  std::string text = "$" + std::to_string(first);
  if (count == 1)
    return text;
  for (unsigned i = 1; i < count; ++i)
    text += ", $" + std::to_string(first + i);
  return "{" + text + "}";
}

/// ".v4.b32" and the like.
static std::string getSize(unsigned count, unsigned bits) {
  return (count > 1 ? ".v" + std::to_string(count) : std::string()) + ".b" +
         std::to_string(bits);
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// Zero in a register.
static Value getZero(Emitter &e, Type type) {
  return LLVM::ZeroOp::create(e.b, e.loc, type);
}

/// Loads `count` consecutive elements by one instruction.
static Registers loadVector(Emitter &e, tile::LoadOp op, Value address,
                            Value predicate, ArrayRef<Value> other) {
  Type element = getElementTypeOrSelf(op.getType());
  unsigned count = other.size(), bytes = getBits(element) / 8 * count;
  std::string modifiers;
  if (!op.getIsVolatile()) // volatile accesses take none
    modifiers = getModifiers(op.getCache(), op.getEviction());
  unsigned wordBits = std::min(getBits(element) == 64 ? 64u : 32u, bytes * 8);
  unsigned words = bytes * 8 / wordBits;
  Type word = e.b.getIntegerType(wordBits);
  if (!predicate && modifiers.empty()) {
    Type whole = words > 1 ? Type(VectorType::get(words, word)) : word;
    Value loaded = LLVM::LoadOp::create(e.b, e.loc, whole, address, bytes,
                                        op.getIsVolatile());
    Registers parts;
    if (words == 1)
      parts.push_back(loaded);
    for (unsigned i = 0; words > 1 && i < words; ++i)
      parts.push_back(
          LLVM::ExtractElementOp::create(e.b, e.loc, loaded, e.i32(i)));
    return e.unpack(parts, element, count);
  }
  // Masked-off lanes keep what the result registers held: `other`, tied to
  // them.
  Registers initial = e.pack(other);
  Type reg = wordBits == 8 ? Type(e.b.getIntegerType(16)) : word;
  SmallVector<Value> operands{address};
  std::string constraints, ties;
  for (unsigned i = 0; i < words; ++i) {
    constraints += "=" + getLetter(wordBits).str() + ",";
    ties += "," + std::to_string(i);
  }
  constraints += "l";
  std::string text;
  if (predicate) {
    operands.push_back(predicate);
    constraints += ",b";
    text = "@$" + std::to_string(words + 1) + " ";
  }
  for (Value value : initial)
    operands.push_back(wordBits == 8
                           ? Value(LLVM::ZExtOp::create(e.b, e.loc, reg, value))
                           : value);
  text += std::string("ld") + (op.getIsVolatile() ? ".volatile" : "") +
          ".global" + modifiers + getSize(words, wordBits) + " " +
          getList(0, words) + ", [$" + std::to_string(words) + "];";
  Registers parts =
      e.ptx(text, constraints + ties, SmallVector<Type>(words, reg), operands,
            /*sideEffects=*/true);
  if (wordBits == 8)
    parts[0] = LLVM::TruncOp::create(e.b, e.loc, word, parts[0]);
  return e.unpack(parts, element, count);
}

/// Gives every thread the results that the owners have got, through shared
/// memory.
static Registers shareResult(Emitter &e, Operation *op, ArrayRef<Value> results,
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

LogicalResult tilec::emitLoad(Emitter &e, tile::LoadOp op) {
  ArrayRef<Value> pointers = e.get(op.getPtr());
  Type type = e.convertElement(getElementTypeOrSelf(op.getType()));
  Registers result(pointers.size());
  bool isShared = isPerformedOnce(op) && sharesResult(op);
  Value owner = isShared ? getOwner(e, op.getPtr().getType()) : Value();
  Value zero;
  forEachVector(
      pointers.size(), getGlobalVector(e.facts(), op.getPtr(), op.getMask()),
      [&](ArrayRef<unsigned> vector) {
        SmallVector<Value> other;
        for (unsigned r : vector) {
          if (!op.getOther() && !zero)
            zero = getZero(e, type);
          other.push_back(op.getOther() ? e.get(op.getOther())[r] : zero);
        }
        Value mask = op.getMask() ? e.get(op.getMask())[vector[0]] : Value();
        Registers loaded =
            loadVector(e, op, pointers[vector[0]], both(e, mask, owner), other);
        for (auto [r, value] : llvm::zip(vector, loaded))
          result[r] = value;
      });
  if (isShared)
    result = shareResult(e, op, result, owner);
  e.set(op.getResult(), std::move(result));
  return success();
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

void tilec::storeWords(Emitter &e, Value address, ArrayRef<Value> words,
                       Value predicate, StringRef space, StringRef modifiers) {
  unsigned count = words.size();
  unsigned wordBits = words[0].getType().getIntOrFloatBitWidth();
  if (!predicate && modifiers.empty()) {
    Value whole = words[0];
    if (count > 1) {
      whole = LLVM::PoisonOp::create(
          e.b, e.loc, VectorType::get(count, words[0].getType()));
      for (auto [i, word] : llvm::enumerate(words))
        whole =
            LLVM::InsertElementOp::create(e.b, e.loc, whole, word, e.i32(i));
    }
    LLVM::StoreOp::create(e.b, e.loc, whole, address, wordBits / 8 * count);
    return;
  }
  SmallVector<Value> operands;
  std::string constraints;
  for (Value word : words) {
    if (wordBits == 8)
      word = LLVM::ZExtOp::create(e.b, e.loc, e.b.getIntegerType(16), word);
    operands.push_back(word);
    constraints += getLetter(wordBits).str() + ",";
  }
  operands.push_back(address);
  constraints += space == "shared" ? "r" : "l"; // 32-bit addresses there
  std::string text;
  if (predicate) {
    operands.push_back(predicate);
    constraints += ",b";
    text = "@$" + std::to_string(count + 1) + " ";
  }
  text += "st." + space.str() + modifiers.str() + getSize(count, wordBits) +
          " [$" + std::to_string(count) + "], " + getList(0, count) + ";";
  e.ptx(text, constraints, {}, operands, /*sideEffects=*/true);
}

LogicalResult tilec::emitStore(Emitter &e, tile::StoreOp op) {
  ArrayRef<Value> pointers = e.get(op.getPtr()), values = e.get(op.getValue());
  Value owner = getOwner(e, op.getPtr().getType());
  std::string modifiers = getModifiers(op.getCache(), op.getEviction());
  forEachVector(
      pointers.size(), getGlobalVector(e.facts(), op.getPtr(), op.getMask()),
      [&](ArrayRef<unsigned> vector) {
        Registers elements;
        for (unsigned r : vector)
          elements.push_back(values[r]);
        Value mask = op.getMask() ? e.get(op.getMask())[vector[0]] : Value();
        storeWords(e, pointers[vector[0]], e.pack(elements),
                   both(e, mask, owner), "global", modifiers);
      });
  return success();
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

/// ".acq_rel.gpu": LLVM's own atomics drop both, so the instruction is inline.
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
  std::string letter = getLetter(bits).str();
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
  inputs.push_back(getZero(e, word));
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
  Value positive =
      LLVM::XOrOp::create(e.b, e.loc, negative, e.constant(e.b.getI1Type(), 1));
  std::string size = std::to_string(bits);
  std::string upper = order + (isMax ? ".max.s" : ".min.s") + size;
  std::string lower = order + (isMax ? ".min.u" : ".max.u") + size;
  Value a = emitAtomicInstruction(e, upper, address, {asInt},
                                  both(e, predicate, positive), used);
  Value b = emitAtomicInstruction(e, lower, address, {asInt},
                                  both(e, predicate, negative), used);
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
  Value old = e.emitLoop({getZero(e, word), start}, more, next)[0];
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
  // `red`, the form without a result, has no acquire.
  tile::MemOrder memOrder = rmw ? rmw.getOrder() : cas.getOrder();
  bool needsResult =
      memOrder == tile::MemOrder::Acquire || memOrder == tile::MemOrder::AcqRel;
  order += ".global";
  bool used = !op->use_empty();
  Value owner = getOwner(e, pointer.getType());
  Registers results;
  for (auto [r, address] : llvm::enumerate(e.get(pointer))) {
    Value masks = rmw ? rmw.getMask() : cas.getMask();
    Value predicate = both(e, masks ? e.get(masks)[r] : Value(), owner);
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
      results.push_back(emitFloatExtreme(e, isMax, order, address, value,
                                         predicate, used || needsResult));
    else if (isEmulated)
      results.push_back(
          emitAddByExchange(e, order, address, value, element, predicate));
    else // an exchange has no form without a result
      results.push_back(emitAtomicInstruction(
          e, order + getAtomicName(rmw.getKind(), element), address, {value},
          predicate,
          used || needsResult || rmw.getKind() == tile::AtomicKind::Xchg));
  }
  if (used && sharesResult(op))
    results = shareResult(e, op, results, owner);
  if (used)
    e.set(op->getResult(0), std::move(results));
  return success();
}
