//===- GlobalMemory.cpp - loads and stores --------------------------------===//
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

Value tilec::bothHold(Emitter &e, Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return LLVM::AndOp::create(e.b, e.loc, a, b);
}

Value tilec::getSideEffectOwner(Emitter &e, Type type) {
  if (isa<RankedTensorType>(type))
    return e.isOwner(getLayout(type));
  return LLVM::ICmpOp::create(e.b, e.loc, LLVM::ICmpPredicate::eq, e.threadId(),
                              e.i32(0));
}

StringRef tilec::getRegisterLetter(unsigned bits) {
  return bits == 64 ? "l" : bits == 32 ? "r" : "h";
}

/// Modifiers between the space and the size of an access (PTX ISA, ld and st).
/// They exclude each other: a cache operator goes before a priority, which is
/// one for both levels of the cache.
static std::string getModifiers(tile::CacheModifier cache,
                                tile::Eviction eviction) {
  std::string text;
  if (cache != tile::CacheModifier::None)
    return "." + tile::stringifyCacheModifier(cache).str();
  if (eviction == tile::Eviction::First)
    text += ".L1::evict_first.L2::cache_hint";
  if (eviction == tile::Eviction::Last)
    text += ".L1::evict_last.L2::cache_hint";
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

/// ", $7" for the policy of an access whose text has `results` registers before
/// its operands, to which the policy is added; nothing without one.
static std::string getPolicyOperand(Value policy, unsigned results,
                                    SmallVectorImpl<Value> &operands,
                                    std::string &constraints) {
  if (!policy)
    return "";
  operands.push_back(policy);
  constraints += ",l";
  return ", $" + std::to_string(results + operands.size() - 1);
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

Value tilec::emitZero(Emitter &e, Type type) {
  return LLVM::ZeroOp::create(e.b, e.loc, type);
}

Registers tilec::loadWords(Emitter &e, Value address, Type word, unsigned count,
                           bool isVolatile) {
  Type whole = count > 1 ? Type(VectorType::get(count, word)) : word;
  unsigned bytes = word.getIntOrFloatBitWidth() / 8 * count;
  Value loaded =
      LLVM::LoadOp::create(e.b, e.loc, whole, address, bytes, isVolatile);
  if (count == 1)
    return {loaded};
  Registers words;
  for (unsigned i = 0; i < count; ++i)
    words.push_back(
        LLVM::ExtractElementOp::create(e.b, e.loc, loaded, e.i32(i)));
  return words;
}

/// The same as the operation asks for. Where the predicate, if any, is false
/// the words are those of `initial`.
static Registers loadWordsFor(Emitter &e, tile::LoadOp op, Value address,
                              Type word, unsigned count, Value predicate = {},
                              ArrayRef<Value> initial = {}) {
  std::string modifiers;
  Value policy;
  if (!op.getIsVolatile()) { // volatile accesses take none
    modifiers = getModifiers(op.getCache(), op.getEviction());
    if (op.getCache() == tile::CacheModifier::None)
      policy = e.cachePolicy(op.getEviction());
  }
  unsigned wordBits = word.getIntOrFloatBitWidth();
  if (!predicate && modifiers.empty())
    return loadWords(e, address, word, count, op.getIsVolatile());
  Type reg = wordBits == 8 ? Type(e.b.getIntegerType(16)) : word;
  SmallVector<Value> operands{address};
  std::string constraints, ties;
  for (unsigned i = 0; i < count; ++i)
    constraints += "=" + getRegisterLetter(wordBits).str() + ",";
  constraints += "l";
  std::string text;
  if (predicate) {
    operands.push_back(predicate);
    constraints += ",b";
    text = "@$" + std::to_string(count + 1) + " ";
  }
  text += std::string("ld") + (op.getIsVolatile() ? ".volatile" : "") +
          ".global" + modifiers + getSize(count, wordBits) + " " +
          getList(0, count) + ", [$" + std::to_string(count) + "]" +
          getPolicyOperand(policy, count, operands, constraints) + ";";
  // Masked-off lanes keep what the result registers held: they are tied.
  for (auto [i, value] : llvm::enumerate(initial)) {
    ties += "," + std::to_string(i);
    operands.push_back(wordBits == 8
                           ? Value(LLVM::ZExtOp::create(e.b, e.loc, reg, value))
                           : value);
  }
  Registers parts =
      e.ptx(text, constraints + ties, SmallVector<Type>(count, reg), operands,
            /*sideEffects=*/true);
  if (wordBits == 8)
    parts[0] = LLVM::TruncOp::create(e.b, e.loc, word, parts[0]);
  return parts;
}

namespace {
/// Registers that one access moves, in the order of their addresses.
struct GlobalVector {
  SmallVector<unsigned> registers;
  /// The mask of all of them; null without a mask.
  Value all;
  /// What a load has read.
  Registers words;
};

/// The vectors of an access. Where a mask may change inside of one, `edge` says
/// whether this thread has one in which it does; null where none can.
struct GlobalVectors {
  SmallVector<GlobalVector> vectors;
  Value edge;
};
} // namespace

/// May the mask hold for one of the registers? True too often rather than too
/// seldom: comparisons change once, so one end of the vector or the other
/// knows. `known` has the answers for parts of the mask.
static Value mayHold(Emitter &e, Value mask, ArrayRef<unsigned> registers,
                     llvm::DenseMap<Value, Value> &known) {
  if (auto both = mask.getDefiningOp<arith::AndIOp>()) {
    if (Value answer = known.lookup(mask))
      return answer;
    Value left = mayHold(e, both.getLhs(), registers, known);
    Value right = mayHold(e, both.getRhs(), registers, known);
    return known[mask] = LLVM::AndOp::create(e.b, e.loc, left, right);
  }
  ArrayRef<Value> values = e.get(mask);
  Value any = values[registers.front()];
  // A view may hide a conjunction, of which neither end need know.
  bool ends = mask.getDefiningOp<arith::CmpIOp>();
  for (unsigned r : ends ? registers.take_back(1) : registers.drop_front())
    any = LLVM::OrOp::create(e.b, e.loc, any, values[r]);
  return any;
}

/// Plans an access of a tile or a scalar.
static GlobalVectors getVectors(Emitter &e, Value pointer, Value mask,
                                bool edges) {
  GlobalVectors plan;
  size_t narrow = getGlobalVector(e.facts(), pointer, mask).size();
  auto masks = getGlobalVector(e.facts(), pointer, mask, edges);
  bool changes = mask && masks.size() > narrow;
  forEachVector(e.get(pointer).size(), masks, [&](ArrayRef<unsigned> vector) {
    GlobalVector &v = plan.vectors.emplace_back();
    v.registers.assign(vector.begin(), vector.end());
    if (!mask)
      return;
    v.all = e.get(mask)[vector.front()];
    if (!changes)
      return;
    v.all = LLVM::AndOp::create(e.b, e.loc, v.all, e.get(mask)[vector.back()]);
    llvm::DenseMap<Value, Value> known;
    Value some = mayHold(e, mask, vector, known);
    Value part = LLVM::AndOp::create(e.b, e.loc, some, e.negate(v.all));
    plan.edge = plan.edge
                    ? Value(LLVM::OrOp::create(e.b, e.loc, plan.edge, part))
                    : part;
  });
  return plan;
}

/// The condition under which element `k` of a vector is accessed by itself.
static Value getEdgeMask(Emitter &e, Value mask, const GlobalVector &vector,
                         unsigned k) {
  Value own = e.get(mask)[vector.registers[k]];
  return LLVM::AndOp::create(e.b, e.loc, own, e.negate(vector.all));
}

/// The address of element `k` of the vector that starts at `address`.
static Value getElementAddress(Emitter &e, Value address, Type element,
                               unsigned k) {
  if (k == 0)
    return address;
  return LLVM::GEPOp::create(
      e.b, e.loc, address.getType(), e.b.getI8Type(), address,
      ArrayRef<LLVM::GEPArg>{int32_t(k * getBits(element) / 8)});
}

/// Reads the elements of vectors in which the mask changes, one by one, in a
/// block of their own that few threads enter.
static void loadEdges(Emitter &e, tile::LoadOp op, GlobalVectors &plan) {
  Type element = getElementTypeOrSelf(op.getType());
  Registers before;
  for (const GlobalVector &vector : plan.vectors)
    llvm::append_range(before, vector.words);
  Block *exit = e.branchAside(plan.edge, before, [&] {
    Registers after;
    for (const GlobalVector &vector : plan.vectors) {
      Registers elements =
          e.unpack(vector.words, element, vector.registers.size());
      Value address = e.get(op.getPtr())[vector.registers[0]];
      for (auto [k, value] : llvm::enumerate(elements)) {
        Registers own = e.pack({value});
        Registers word = loadWordsFor(
            e, op, getElementAddress(e, address, element, k), own[0].getType(),
            1, getEdgeMask(e, op.getMask(), vector, k), own);
        value = e.unpack(word, element, 1)[0];
      }
      llvm::append_range(after, e.pack(elements));
    }
    return after;
  });
  ValueRange words = exit->getArguments();
  for (GlobalVector &vector : plan.vectors) {
    size_t count = vector.words.size();
    vector.words.assign(words.take_front(count).begin(),
                        words.take_front(count).end());
    words = words.drop_front(count);
  }
}

LogicalResult tilec::emitLoad(Emitter &e, tile::LoadOp op) {
  ArrayRef<Value> pointers = e.get(op.getPtr());
  Type element = getElementTypeOrSelf(op.getType());
  // What may differ from thread to thread is read by one of them.
  bool once = isPerformedOnce(op), isShared = once && sharesResult(op);
  GlobalVectors plan = getVectors(e, op.getPtr(), op.getMask(), !once);
  Value owner =
      isShared ? getSideEffectOwner(e, op.getPtr().getType()) : Value();
  bool masked = op.getMask() || owner;
  Value zero;
  if (masked && !op.getOther())
    zero = emitZero(e, e.convertElement(element));
  unsigned bits = getBits(element);
  for (GlobalVector &vector : plan.vectors) {
    unsigned count = vector.registers.size();
    unsigned wordBits = std::min(bits == 64 ? 64u : 32u, bits * count);
    Registers other;
    if (masked)
      for (unsigned r : vector.registers)
        other.push_back(zero ? zero : e.get(op.getOther())[r]);
    vector.words = loadWordsFor(
        e, op, pointers[vector.registers[0]], e.b.getIntegerType(wordBits),
        bits * count / wordBits, bothHold(e, vector.all, owner),
        masked ? e.pack(other) : Registers());
  }
  if (plan.edge)
    loadEdges(e, op, plan);
  Registers result(pointers.size());
  for (const GlobalVector &vector : plan.vectors)
    for (auto [r, value] :
         llvm::zip(vector.registers,
                   e.unpack(vector.words, element, vector.registers.size())))
      result[r] = value;
  if (isShared)
    result = shareResult(e, op, result, owner);
  e.set(op.getResult(), std::move(result));
  return success();
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

void tilec::storeWords(Emitter &e, Value address, ArrayRef<Value> words,
                       Value predicate, StringRef space, StringRef modifiers,
                       Value policy) {
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
    constraints += getRegisterLetter(wordBits).str() + ",";
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
          " [$" + std::to_string(count) + "], " + getList(0, count) +
          getPolicyOperand(policy, 0, operands, constraints) + ";";
  e.ptx(text, constraints, {}, operands, /*sideEffects=*/true);
}

/// The elements of a vector that is stored, each as a word. Halves of words are
/// taken from there, so that what made them may go on in pairs.
static Registers takeApart(Emitter &e, const GlobalVector &vector,
                           ArrayRef<Value> values) {
  Registers elements;
  Type half = e.b.getI16Type();
  bool halves = vector.registers.size() == 2 * vector.words.size() &&
                vector.words[0].getType().isInteger(32);
  if (halves)
    for (Value word : vector.words)
      llvm::append_range(elements, e.ptx("mov.b32 {$0, $1}, $2;", "=h,=h,r",
                                         {half, half}, {word},
                                         /*sideEffects=*/false));
  else
    for (unsigned r : vector.registers)
      llvm::append_range(elements, e.pack({values[r]}));
  return elements;
}

LogicalResult tilec::emitStore(Emitter &e, tile::StoreOp op) {
  ArrayRef<Value> pointers = e.get(op.getPtr()), values = e.get(op.getValue());
  Type element = getElementTypeOrSelf(op.getValue().getType());
  Value owner = getSideEffectOwner(e, op.getPtr().getType());
  std::string modifiers = getModifiers(op.getCache(), op.getEviction());
  Value policy;
  if (op.getCache() == tile::CacheModifier::None)
    policy = e.cachePolicy(op.getEviction());
  GlobalVectors plan = getVectors(e, op.getPtr(), op.getMask(), /*edges=*/true);
  for (GlobalVector &vector : plan.vectors) {
    Registers elements;
    for (unsigned r : vector.registers)
      elements.push_back(values[r]);
    vector.words = e.pack(elements);
    storeWords(e, pointers[vector.registers[0]], vector.words,
               bothHold(e, vector.all, owner), "global", modifiers, policy);
  }
  if (!plan.edge)
    return success();
  e.branchAside(plan.edge, {}, [&] {
    for (const GlobalVector &vector : plan.vectors) {
      Registers elements = takeApart(e, vector, values);
      for (auto [k, word] : llvm::enumerate(elements))
        storeWords(
            e, getElementAddress(e, pointers[vector.registers[0]], element, k),
            {word}, bothHold(e, getEdgeMask(e, op.getMask(), vector, k), owner),
            "global", modifiers, policy);
    }
    return Registers();
  });
  return success();
}
