//===- FillerReductions.cpp - reductions without fillers ------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A reduction over fillers runs a second time, by the same tree and without
// them: where one of a pair is missing the other is taken. So a filler that
// changes nothing gives the same bits, and any difference is a leak.
//
//===----------------------------------------------------------------------===//

#include "Checks/Checks.h"
#include "Checks/Collector.h"
#include "Checks/Elements.h"
#include "Checks/Fillers.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace tilec;
using namespace tilec::interpreter;

namespace {
/// A reduction or scan over [outer, length, inner], and room to run it again.
struct FillerLoop {
  Operation *op;
  uint8_t bit;
  AxisLoop loop;
  SmallVector<Kind, 4> kinds;
  // For each input: its elements, operands and results of the region.
  SmallVector<uint64_t, 4> elements, left, right, combined;

  void build(Scope &scope);
  Step reduce(State &state) const;
  Step scan(State &state, bool reverse) const;

private:
  /// The marks of all elements, those of the inputs together.
  std::vector<uint8_t> readMarks(State &state) const;
  Step combinePairs(State &state, int64_t n) const;
  void copy(State &state, ArrayRef<uint64_t> from, int64_t i,
            ArrayRef<uint64_t> to, int64_t j) const;
  Step halve(State &state, std::vector<uint8_t> &isThere, int64_t &n) const;
  std::optional<size_t> difference(const State &state,
                                   ArrayRef<uint64_t> without, int64_t i,
                                   int64_t at) const;
  bool findLeak(State &state, ArrayRef<uint64_t> without, int64_t i,
                int64_t at) const;
  void setMark(State &state, int64_t at, uint8_t mark) const;
};
} // namespace

void FillerLoop::build(Scope &scope) {
  for (Value value : op->getOperands()) {
    const View &view = scope.lookup(value);
    kinds.push_back(view.kind);
    for (SmallVector<uint64_t, 4> *places :
         {&elements, &left, &right, &combined})
      places->push_back(scope.allocate(view.denseBytes()));
  }
}

std::vector<uint8_t> FillerLoop::readMarks(State &state) const {
  std::vector<uint8_t> marks(loop.outer * loop.length * loop.inner);
  for (size_t input = 0; input < kinds.size(); ++input) {
    char *place = state.frame + elements[input];
    loop.inputs[input].readAll(state.marks(), place);
    for (size_t i = 0; i < marks.size(); ++i)
      marks[i] |= place[i * sizeOf(kinds[input])];
    loop.inputs[input].readAll(state.frame, place);
  }
  return marks;
}

/// combined[i] = region(left[i], right[i])
Step FillerLoop::combinePairs(State &state, int64_t n) const {
  return loop.combiner.run(state, loop.arrays(state, left),
                           loop.arrays(state, right),
                           loop.arrays(state, combined), n);
}

/// Copies element `i` of some places to element `j` of others.
void FillerLoop::copy(State &state, ArrayRef<uint64_t> from, int64_t i,
                      ArrayRef<uint64_t> to, int64_t j) const {
  for (size_t input = 0; input < kinds.size(); ++input) {
    unsigned size = sizeOf(kinds[input]);
    std::memcpy(state.frame + to[input] + j * size,
                state.frame + from[input] + i * size, size);
  }
}

/// Combines neighbours of [outer, n, inner], as AxisLoop::halve does, but only
/// those that are there.
Step FillerLoop::halve(State &state, std::vector<uint8_t> &isThere,
                       int64_t &n) const {
  int64_t half = n / 2, inner = loop.inner, rest = n % 2;
  // Where the first of a pair is.
  auto firstOf = [&](int64_t pair) {
    int64_t o = pair / (half * inner), p = pair / inner % half;
    return (o * n + 2 * p) * inner + pair % inner;
  };
  int64_t pairs = loop.outer * half * inner;
  for (int64_t pair = 0; pair < pairs; ++pair) {
    copy(state, elements, firstOf(pair), left, pair);
    copy(state, elements, firstOf(pair) + inner, right, pair);
  }
  if (combinePairs(state, pairs) == Step::Fault)
    return Step::Fault;
  // What is read lies at or behind what is written, all the way.
  std::vector<uint8_t> there(loop.outer * (half + rest) * inner);
  for (int64_t o = 0; o < loop.outer; ++o) {
    for (int64_t i = 0; i < half * inner; ++i) {
      int64_t pair = o * half * inner + i;
      int64_t first = firstOf(pair);
      int64_t to = o * (half + rest) * inner + i;
      bool hasLeft = isThere[first], hasRight = isThere[first + inner];
      there[to] = hasLeft || hasRight;
      copy(state,
           hasLeft && hasRight ? combined
           : hasRight          ? right
                               : left,
           pair, elements, to);
    }
    for (int64_t i = 0; i < rest * inner; ++i) {
      int64_t from = (o * n + n - 1) * inner + i;
      int64_t to = (o * (half + 1) + half) * inner + i;
      there[to] = isThere[from];
      copy(state, elements, from, elements, to);
    }
  }
  isThere = std::move(there);
  n = half + rest;
  return Step::Next;
}

/// The first output in which results differ as numbers, if any does.
std::optional<size_t> FillerLoop::difference(const State &state,
                                             ArrayRef<uint64_t> without,
                                             int64_t i, int64_t at) const {
  for (auto [output, kind] : llvm::enumerate(kinds)) {
    const char *a = state.frame + without[output] + i * sizeOf(kind),
               *b = state.frame + loop.outputs[output] + at * sizeOf(kind);
    if (std::memcmp(a, b, sizeOf(kind)) == 0)
      continue;
    double x = isFloat(kind) ? floatAt(a, kind) : 0,
           y = isFloat(kind) ? floatAt(b, kind) : 1;
    if (x != y && !(std::isnan(x) && std::isnan(y)))
      return output;
  }
  return std::nullopt;
}

void FillerLoop::setMark(State &state, int64_t at, uint8_t mark) const {
  for (auto [output, kind] : llvm::zip(loop.outputs, kinds))
    state.marks()[output + at * sizeOf(kind)] = static_cast<char>(mark);
}

/// Compares results with those without fillers, at `i`. A leak is kept, to be
/// reported if it reaches memory.
bool FillerLoop::findLeak(State &state, ArrayRef<uint64_t> without, int64_t i,
                          int64_t at) const {
  std::optional<size_t> output = difference(state, without, i, at);
  if (!output)
    return false;
  unsigned size = sizeOf(kinds[*output]);
  Type type = getElementTypeOrSelf(op->getResult(*output).getType());
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "it is ";
  printElement(os, type, state.frame + loop.outputs[*output] + at * size);
  os << ", without them ";
  printElement(os, type, state.frame + without[*output] + i * size);
  state.launch->collector->remember(op, text);
  return true;
}

Step FillerLoop::reduce(State &state) const {
  if (!state.isMarked)
    return Step::Next;
  std::vector<uint8_t> marks = readMarks(state);
  int64_t results = loop.outer * loop.inner;
  std::vector<uint8_t> all(results, kFiller | kCarried), any(results, 0),
      data(results, 0);
  for (size_t i = 0; i < marks.size(); ++i) {
    int64_t at = i / (loop.length * loop.inner) * loop.inner + i % loop.inner;
    all[at] &= marks[i];
    any[at] |= marks[i];
    data[at] |= marks[i] & kFiller ? 0 : marks[i];
  }
  bool anyMixed = false;
  for (int64_t at = 0; at < results; ++at) {
    bool isFiller = all[at] & kFiller;
    setMark(state, at, isFiller ? all[at] | (any[at] & kLeaks) : data[at]);
    anyMixed |= (all[at] ^ any[at]) & kFiller;
  }
  if (!anyMixed)
    return Step::Next;
  for (uint8_t &mark : marks)
    mark = !(mark & kFiller);
  for (int64_t n = loop.length; n > 1;)
    if (halve(state, marks, n) == Step::Fault)
      return Step::Fault;
  for (int64_t at = 0; at < results; ++at) {
    bool isMixed = (all[at] ^ any[at]) & kFiller;
    if (isMixed && findLeak(state, elements, at, at))
      setMark(state, at, data[at] | bit);
  }
  return Step::Next;
}

Step FillerLoop::scan(State &state, bool reverse) const {
  if (!state.isMarked)
    return Step::Next;
  std::vector<uint8_t> marks = readMarks(state);
  int64_t rows = loop.outer * loop.inner, inner = loop.inner;
  std::vector<uint8_t> hasSum(rows, 0), hasFiller(rows, 0), leaks(rows, 0);
  // `left` holds the sums so far.
  for (int64_t step = 0; step < loop.length; ++step) {
    int64_t k = reverse ? loop.length - 1 - step : step;
    auto placeOf = [&](int64_t row) {
      return (row / inner * loop.length + k) * inner + row % inner;
    };
    for (int64_t row = 0; row < rows; ++row)
      copy(state, elements, placeOf(row), right, row);
    if (step > 0 && combinePairs(state, rows) == Step::Fault)
      return Step::Fault;
    for (int64_t row = 0; row < rows; ++row) {
      int64_t at = placeOf(row);
      if (marks[at] & kFiller) {
        // What the scan carries on counts if it is picked out.
        hasFiller[row] = 1;
        bool isLeak = hasSum[row] && findLeak(state, left, row, at);
        setMark(state, at,
                kFiller | (hasSum[row] ? kCarried : 0) | leaks[row] |
                    (isLeak ? bit : 0));
        continue;
      }
      leaks[row] |= marks[at];
      copy(state, hasSum[row] ? combined : right, row, left, row);
      hasSum[row] = 1;
      bool isLeak = hasFiller[row] && findLeak(state, left, row, at);
      setMark(state, at, leaks[row] | (isLeak ? bit : 0));
    }
  }
  return Step::Next;
}

/// Prepares a second run of a reduction or scan; none if no filler gets there.
static std::optional<FillerLoop> makeLoop(Scope &scope, Operation *op,
                                          const AxisLoop &loop) {
  const Fillers *fillers = scope.getFillers();
  if (!fillers || !fillers->mayMarkOperand(op))
    return std::nullopt;
  FillerLoop result{op, fillers->bitOf(op), loop, {}, {}, {}, {}, {}};
  result.build(scope);
  return result;
}

void tilec::interpreter::emitFillerReduce(Scope &scope, Operation *op,
                                          const AxisLoop &loop) {
  std::optional<FillerLoop> again = makeLoop(scope, op, loop);
  if (!again)
    return;
  for (auto [result, place] : llvm::zip(op->getResults(), again->elements))
    scope.withoutFillers[result] = {place, again->bit};
  scope.emit(op, [again = std::move(*again)](State &state) {
    return again.reduce(state);
  });
}

void tilec::interpreter::emitFillerScan(Scope &scope, Operation *op,
                                        const AxisLoop &loop, bool reverse) {
  if (std::optional<FillerLoop> again = makeLoop(scope, op, loop))
    scope.emit(op, [again = std::move(*again), reverse](State &state) {
      return again.scan(state, reverse);
    });
}
