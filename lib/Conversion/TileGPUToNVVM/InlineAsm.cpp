//===- InlineAsm.cpp - instructions that the user wrote -------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The constraints are checked against the values before LLVM sees them: it
// stops the whole program on those that it does not understand.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::tilegpu;

/// The type of a register that a constraint's letter asks for; null for another
/// letter.
static Type getRegister(Emitter &e, char letter) {
  switch (letter) {
  case 'b':
    return e.b.getI1Type();
  case 'h':
    return e.b.getI16Type();
  case 'r':
    return e.b.getI32Type();
  case 'l':
    return e.b.getI64Type();
  case 'f':
    return e.b.getF32Type();
  case 'd':
    return e.b.getF64Type();
  default:
    return {};
  }
}

namespace {
/// The constraints of one operation, taken apart.
struct Constraints {
  SmallVector<Type> results, operands;
  /// As LLVM reads them.
  std::string text;
};
} // namespace

static FailureOr<Constraints> parseConstraints(Emitter &e,
                                               tile::InlineAsmOp op) {
  Constraints all;
  SmallVector<StringRef> parts;
  op.getConstraints().split(parts, ',');
  for (StringRef part : parts) {
    part = part.trim();
    all.text += (all.text.empty() ? "" : ",") + part.str();
    if (part == "~{memory}")
      continue;
    bool isResult = part.consume_front("=");
    if (isResult)
      part.consume_front("&");
    // A number ties an operand to the register of a result.
    unsigned tied = 0;
    Type type;
    if (!part.getAsInteger(10, tied))
      type = tied < all.results.size() ? all.results[tied] : Type();
    else if (part.size() == 1)
      type = getRegister(e, part.front());
    if (!type || (isResult && !all.operands.empty()))
      return op.emitError("cannot read the constraints \"")
             << op.getConstraints()
             << "\": write a letter of h, r, l, f, d and b for each register, "
                "results first and with '=' before them";
    (isResult ? all.results : all.operands).push_back(type);
  }
  return all;
}

/// How many elements share a register.
static unsigned getPerRegister(tile::InlineAsmOp op, Type element) {
  if (element.isInteger(1))
    return 1;
  return std::min(op.getPack(), std::max(1u, 32 / getBits(element)));
}

/// The type of the elements of a register together.
static Type getWord(Emitter &e, Type element, unsigned count) {
  Type type = e.convertElement(element);
  if (isa<LLVM::LLVMPointerType>(type))
    return e.b.getI64Type();
  return e.b.getIntegerType(type.getIntOrFloatBitWidth() * count);
}

/// The same bits in another type of register; null if the widths differ, but
/// for bytes, which travel in 16 bits.
static Value moveBits(Emitter &e, Value value, Type to) {
  OpBuilder &b = e.b;
  Type from = value.getType();
  if (from == to)
    return value;
  unsigned bits = from.getIntOrFloatBitWidth(),
           wanted = to.getIntOrFloatBitWidth();
  if (bits == wanted)
    return LLVM::BitcastOp::create(b, e.loc, to, value);
  if (!isa<IntegerType>(from) || !isa<IntegerType>(to))
    return {};
  // Narrow elements that do not fill a register.
  if (bits < wanted && wanted <= 32 && bits != 1)
    return LLVM::ZExtOp::create(b, e.loc, to, value);
  if (wanted < bits && bits <= 32 && wanted != 1)
    return LLVM::TruncOp::create(b, e.loc, to, value);
  return {};
}

LogicalResult tilec::emitInlineAsm(Emitter &e, tile::InlineAsmOp op) {
  FailureOr<Constraints> constraints = parseConstraints(e, op);
  if (failed(constraints))
    return failure();
  unsigned pack = op.getPack();
  auto countRegisters = [&](ValueRange values) {
    unsigned count = 0;
    for (Value value : values)
      count += llvm::divideCeil(
          pack, getPerRegister(op, getElementTypeOrSelf(value.getType())));
    return count;
  };
  if (countRegisters(op.getOutputs()) != constraints->results.size() ||
      countRegisters(op.getArgs()) != constraints->operands.size())
    return op.emitError("expected constraints for ")
           << countRegisters(op.getOutputs()) << " registers of results and "
           << countRegisters(op.getArgs()) << " of operands, got "
           << constraints->results.size() << " and "
           << constraints->operands.size();
  auto mismatch = [&](Type type, Type wanted) {
    return op.emitError("expected registers that hold ")
           << type << ", and the constraints name one of " << wanted;
  };
  size_t count = 1;
  if (auto type = dyn_cast<RankedTensorType>(op.getResult(0).getType()))
    count = getLayout(type).size(InDim::Register);
  SmallVector<Registers> outputs(op.getNumResults(), Registers(count));
  for (size_t first = 0; first < count; first += pack) {
    // A group that the registers do not fill repeats its last one.
    auto at = [&](size_t k) { return std::min(first + k, count - 1); };
    Registers operands;
    for (Value argument : op.getArgs()) {
      Type element = getElementTypeOrSelf(argument.getType());
      unsigned per = getPerRegister(op, element);
      for (unsigned k = 0; k < pack; k += per) {
        Registers elements;
        for (unsigned i = 0; i < per; ++i)
          elements.push_back(e.get(argument)[at(k + i)]);
        Value word = e.pack(elements).front();
        Type wanted = constraints->operands[operands.size()];
        Value moved = moveBits(e, word, wanted);
        if (!moved)
          return mismatch(element, wanted);
        operands.push_back(moved);
      }
    }
    Registers words = e.ptx(op.getText(), constraints->text,
                            constraints->results, operands, !op.getPure());
    size_t next = 0;
    for (auto [output, value] : llvm::zip(outputs, op.getOutputs())) {
      Type element = getElementTypeOrSelf(value.getType());
      unsigned per = getPerRegister(op, element);
      for (unsigned k = 0; k < pack; k += per) {
        Type given = words[next].getType();
        Value word = moveBits(e, words[next++], getWord(e, element, per));
        if (!word)
          return mismatch(element, given);
        Registers elements = e.unpack({word}, element, per);
        for (unsigned i = 0; i < per && first + k + i < count; ++i)
          output[first + k + i] = elements[i];
      }
    }
  }
  for (auto [output, value] : llvm::zip(outputs, op.getOutputs()))
    e.set(value, std::move(output));
  return success();
}
