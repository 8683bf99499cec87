//===- Words.cpp - elements in words of 32 bits ---------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Elements are packed where memory, shuffles and tensor cores take whole words,
// and taken apart again for arithmetic.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

using namespace mlir;
using namespace tilec;

Value Emitter::findWhole(ArrayRef<Value> elements, Type type) {
  Value vector;
  for (auto [place, element] : llvm::enumerate(elements)) {
    auto part = element.getDefiningOp<LLVM::ExtractElementOp>();
    if (!part || (vector && part.getVector() != vector) ||
        part.getPosition() != i32(place))
      return {};
    vector = part.getVector();
  }
  auto cast = vector.getDefiningOp<LLVM::BitcastOp>();
  return cast && cast.getArg().getType() == type ? cast.getArg() : Value();
}

Registers Emitter::pack(ArrayRef<Value> elements) {
  Type type = elements.front().getType();
  Registers words;
  if (isa<LLVM::LLVMPointerType>(type)) {
    for (Value element : elements)
      words.push_back(
          LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), element));
    return words;
  }
  unsigned bits = type.getIntOrFloatBitWidth();
  unsigned perWord =
      bits >= 32 ? 1 : std::min<unsigned>(32 / bits, elements.size());
  Type word = b.getIntegerType(bits * perWord);
  for (size_t i = 0; i < elements.size(); i += perWord) {
    Value value = elements[i];
    if (perWord > 1) {
      ArrayRef<Value> parts = elements.slice(i, perWord);
      if (Value whole = findWhole(parts, word)) {
        words.push_back(whole);
        continue;
      }
      Type vector = VectorType::get(perWord, type);
      value = LLVM::PoisonOp::create(b, loc, vector);
      for (auto [k, part] : llvm::enumerate(parts))
        value = LLVM::InsertElementOp::create(b, loc, value, part, i32(k));
    }
    if (value.getType() != word)
      value = LLVM::BitcastOp::create(b, loc, word, value);
    words.push_back(value);
  }
  return words;
}

Registers Emitter::unpack(ArrayRef<Value> words, Type element, unsigned count) {
  Type type = convertElement(element);
  Registers elements;
  unsigned perWord = count / words.size();
  for (Value word : words) {
    if (isa<LLVM::LLVMPointerType>(type)) {
      elements.push_back(LLVM::IntToPtrOp::create(b, loc, type, word));
    } else if (perWord == 1) {
      elements.push_back(word.getType() == type ? word
                                                : Value(LLVM::BitcastOp::create(
                                                      b, loc, type, word)));
    } else {
      Value vector =
          LLVM::BitcastOp::create(b, loc, VectorType::get(perWord, type), word);
      for (unsigned k = 0; k < perWord; ++k)
        elements.push_back(
            LLVM::ExtractElementOp::create(b, loc, vector, i32(k)));
    }
  }
  return elements;
}
