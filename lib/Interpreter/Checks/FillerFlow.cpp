//===- FillerFlow.cpp - fillers element by element ------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// How marks follow the elements through operations that work one by one: what
// stays a filler, and where it becomes data.
//
//===----------------------------------------------------------------------===//

#include "Checks/Elements.h"
#include "Checks/Fillers.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include <cstring>

using namespace mlir;
using namespace tilec;
using namespace tilec::interpreter;

namespace {
/// The marks of an operation's operands, and how they make those of its result.
struct Flow {
  SmallVector<Reader, 3> operands;
  // Is an operand one value for many lanes, can its elements be compared with
  // the result, and is it what a loop carries?
  SmallVector<bool, 3> isUniform, isCompared, isLoopCarried;
  SmallVector<int64_t, 4> shape;
  bool isSelect = false, isSum = false, isDifference = false, isFma = false;
  uint64_t out = 0;
  unsigned size = 0; // of the result's elements
  int64_t count = 0;

  Step run(State &state) const;

private:
  bool isKept(const State &state, unsigned operand, int64_t element) const;
  bool isZero(const State &state, unsigned operand, int64_t element) const;
  bool picksOne(const State &state, bool first) const;
  uint8_t combine(const State &state, const uint8_t *marks,
                  int64_t element) const;
  uint8_t combine(const State &state, uint8_t left, uint8_t right,
                  unsigned second, int64_t element) const;
  uint8_t select(const uint8_t *marks, bool first) const;
};
} // namespace

/// The mark of what is made of two elements, if nothing more is known: a filler
/// if one of them is.
static uint8_t join(uint8_t a, uint8_t b) {
  auto isPlain = [](uint8_t mark) {
    return (mark & kFiller) && !(mark & kCarried);
  };
  uint8_t all = a | b;
  return isPlain(a) || isPlain(b) ? all & ~kCarried : all;
}

/// What is chosen counts. But one value for all lanes, in the place of a
/// filler, is a filler too: that of `where(mask, value, 0)`.
uint8_t Flow::select(const uint8_t *marks, bool first) const {
  unsigned chosen = first ? 1 : 2;
  uint8_t other = marks[3 - chosen] & kFiller;
  uint8_t mark = join(marks[0], marks[chosen]);
  return isUniform[chosen] ? join(mark, other) : mark;
}

/// Does the condition choose at most one element, of each line along an axis?
bool Flow::picksOne(const State &state, bool first) const {
  std::vector<char> condition(count);
  operands[0].readAll(state.frame, condition.data());
  int64_t inner = count;
  for (int64_t length : shape) {
    inner /= length;
    if (length == 1)
      continue;
    bool isPick = true;
    for (int64_t line = 0; line < count / length && isPick; ++line) {
      int64_t start = line / inner * length * inner + line % inner, chosen = 0;
      for (int64_t i = 0; i < length; ++i)
        chosen += (condition[start + i * inner] != 0) == first;
      isPick = chosen <= 1;
    }
    if (isPick)
      return true;
  }
  return false;
}

/// Is an element of the result the operand's, bit by bit?
bool Flow::isKept(const State &state, unsigned operand, int64_t element) const {
  if (!isCompared[operand])
    return false;
  char scratch[8];
  const void *kept = operands[operand].read(state.frame, element, 1, scratch);
  return std::memcmp(kept, state.frame + out + element * size, size) == 0;
}

/// Is an element of an operand that can be compared 0?
bool Flow::isZero(const State &state, unsigned operand, int64_t element) const {
  char scratch[8];
  const Reader &from = operands[operand];
  const void *at = from.read(state.frame, element, 1, scratch);
  return isCompared[operand] &&
         isZeroAt(static_cast<const char *>(at), from.getKind());
}

/// The mark of an element made of `left`, the first operand's or that of a
/// product, and of `right`, that of operand `second`.
uint8_t Flow::combine(const State &state, uint8_t left, uint8_t right,
                      unsigned second, int64_t element) const {
  uint8_t all = join(left, right);
  // A product is no element of the frame, only what is added to it is.
  bool hasFirst = !isFma;
  if ((left & right) & kFiller) {
    // A filler that repeats data goes on to do so if the other changes nothing.
    if (hasFirst && (left & kCarried) && isKept(state, 0, element))
      return left;
    return (right & kCarried) && isKept(state, second, element) ? right : all;
  }
  bool isFirstReal = right & kFiller;
  if (isFirstReal && !hasFirst)
    return right & kCarried ? (left | right) & kLeaks : all;
  unsigned real = isFirstReal ? 0 : second;
  uint8_t realMark = isFirstReal ? left : right,
          filler = isFirstReal ? right : left;
  bool repeats = isUniform[real];
  if (isKept(state, real, element))
    return repeats ? all | kCarried : realMark;
  if (repeats)
    return all;
  if (isSum && (filler & kCarried) && !isLoopCarried[real])
    return (realMark | filler) & kLeaks;
  bool isNegated = isDifference && !isFirstReal && isZero(state, 0, element);
  return isNegated ? realMark : all;
}

/// An element of the result is a filler if one of the operands is. But where an
/// accumulator meets a filler that leaves it as it is, it is none, nor is what
/// real data is added to.
uint8_t Flow::combine(const State &state, const uint8_t *marks,
                      int64_t element) const {
  if (isFma)
    return combine(state, join(marks[0], marks[1]), marks[2], 2, element);
  if (operands.size() == 2)
    return combine(state, marks[0], marks[1], 1, element);
  return join(join(marks[0], marks[1]), marks[2]);
}

Step Flow::run(State &state) const {
  if (!state.isMarked)
    return Step::Next;
  const char *marks[3] = {};
  unsigned sizes[3] = {};
  char *to = state.marks() + out;
  for (int64_t start = 0; start < count; start += kChunk) {
    int64_t n = std::min(count - start, kChunk);
    for (size_t i = 0; i < operands.size(); ++i) {
      marks[i] = static_cast<const char *>(
          operands[i].read(state.marks(), start, n, state.scratch[i]));
      sizes[i] = sizeOf(operands[i].getKind());
    }
    std::optional<bool> picks[2]; // by what is chosen
    const void *chosen =
        isSelect ? operands[0].read(state.frame, start, n, state.scratch[3])
                 : nullptr;
    for (int64_t i = 0; i < n; ++i) {
      uint8_t at[3] = {};
      for (size_t k = 0; k < operands.size(); ++k)
        at[k] = marks[k][i * sizes[k]];
      uint8_t result = at[0] | at[1] | at[2];
      if (result && isSelect) {
        bool first = static_cast<const char *>(chosen)[i];
        result = select(at, first);
        if (at[first ? 1 : 2] & kCarried) {
          if (!picks[first])
            picks[first] = picksOne(state, first);
          result = *picks[first] ? result & kLeaks : result;
        }
      } else if (result & kFiller)
        result = combine(state, at, start + i);
      to[(start + i) * size] = static_cast<char>(result);
    }
  }
  return Step::Next;
}

void tilec::interpreter::emitFillerFlow(Scope &scope, Operation *op,
                                        const View &result,
                                        ArrayRef<int64_t> stored) {
  const Fillers *fillers = scope.getFillers();
  if (!fillers || !fillers->mayMarkOperand(op) || op->getNumOperands() > 3)
    return;
  Flow flow;
  for (Value value : op->getOperands()) {
    const View &view = scope.lookup(value);
    flow.operands.emplace_back(view, stored, /*raw=*/true);
    flow.isUniform.push_back(view.isUniform() && !result.shape.empty());
    flow.isCompared.push_back(view.kind == result.kind);
    flow.isLoopCarried.push_back(isa<BlockArgument>(value));
  }
  flow.shape.assign(stored.begin(), stored.end());
  flow.isDifference = isa<arith::SubFOp, arith::SubIOp>(op);
  flow.isSum = flow.isDifference || isa<arith::AddFOp, arith::AddIOp>(op);
  flow.isFma = isa<math::FmaOp>(op);
  flow.isSelect = isa<arith::SelectOp>(op);
  flow.out = result.offset;
  flow.size = sizeOf(result.kind);
  flow.count = countOf(stored);
  scope.emit(op, [flow](State &state) { return flow.run(state); });
}
