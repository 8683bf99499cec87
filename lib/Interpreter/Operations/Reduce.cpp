//===- Reduce.cpp - reductions and scans ----------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A reduction combines neighbours, then neighbours of the results, and so on: a
// tree that the shape alone decides. A scan goes from one end to the other. The
// region runs on many pairs at a time, as kernels on chunks; a region with
// control flow runs pair by pair.
//
//===----------------------------------------------------------------------===//

#include "Checks/Elements.h"
#include "Checks/Fillers.h"
#include "Checks/ValueChecks.h"
#include "Operations/AxisLoop.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include <cstring>

using namespace mlir;
using namespace tilec;
using namespace tilec::interpreter;

void tilec::interpreter::copyBlocks(const char *src, int64_t from, char *dst,
                                    int64_t to, int64_t bytes, int64_t count) {
  auto copyAs = [&](auto zero) {
    using T = decltype(zero);
    auto *s = reinterpret_cast<const T *>(src);
    auto *d = reinterpret_cast<T *>(dst);
    from /= sizeof(T);
    to /= sizeof(T);
    for (int64_t i = 0; i < count; ++i)
      d[i * to] = s[i * from];
  };
  switch (bytes) {
  case 1:
    return copyAs(uint8_t(0));
  case 2:
    return copyAs(uint16_t(0));
  case 4:
    return copyAs(uint32_t(0));
  case 8:
    return copyAs(uint64_t(0));
  default:
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(dst + i * to, src + i * from, bytes);
  }
}

LogicalResult AxisLoop::build(Scope &scope, Operation *op, unsigned axis,
                              Block &block) {
  const View first = scope.lookup(op->getOperand(0));
  length = first.shape[axis];
  if (first.count() == 0)
    return emitError(op->getLoc(), "a tile without elements cannot be reduced");
  for (unsigned i = 0; i < first.shape.size(); ++i)
    if (i != axis)
      (i < axis ? outer : inner) *= first.shape[i];
  for (auto [input, output] : llvm::zip(op->getOperands(), op->getResults())) {
    const View view = scope.lookup(input);
    inputs.emplace_back(view, view.shape, /*raw=*/true);
    sizes.push_back(sizeOf(view.kind));
    current.push_back(scope.allocate(view.denseBytes()));
    uint64_t operand =
        view.denseBytes() / length * std::max<int64_t>(length / 2, 1);
    left.push_back(scope.allocate(operand));
    right.push_back(scope.allocate(operand));
    FailureOr<View> result = scope.define(output);
    if (failed(result))
      return failure();
    outputs.push_back(result->offset);
  }
  if (failed(combiner.build(scope, op, block)))
    return failure();
  for (auto &[kind, count] : combiner.flops)
    count *= outer * inner * (length - 1);
  return success();
}

Arrays AxisLoop::arrays(State &state, ArrayRef<uint64_t> offsets) const {
  Arrays result;
  for (uint64_t offset : offsets)
    result.push_back(state.frame + offset);
  return result;
}

/// Combines neighbours of [outer, n, inner]; a last one without a neighbour
/// stays.
Step AxisLoop::halve(State &state, int64_t &n) const {
  int64_t half = n / 2, rest = n % 2;
  Arrays all = arrays(state, current), l = arrays(state, left),
         r = arrays(state, right);
  for (auto [i, size] : llvm::enumerate(sizes)) {
    int64_t row = inner * size;
    // Without a rest the pairs of all rows follow each other.
    int64_t rows = rest ? outer : 1, pairs = rest ? half : half * outer;
    for (int64_t o = 0; o < rows; ++o) {
      const char *src = all[i] + o * n * row;
      copyBlocks(src, 2 * row, l[i] + o * half * row, row, row, pairs);
      copyBlocks(src + row, 2 * row, r[i] + o * half * row, row, row, pairs);
    }
  }
  int64_t pairs = outer * half * inner;
  if (!rest) {
    n = half;
    return combiner.run(state, l, r, all, pairs);
  }
  if (combiner.run(state, l, r, l, pairs) == Step::Fault)
    return Step::Fault;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    int64_t row = inner * size;
    for (int64_t o = 0; o < outer; ++o) {
      char *dst = all[i] + o * (half + 1) * row;
      // The last row first: it may lie where the others go.
      std::memmove(dst + half * row, all[i] + (o * n + n - 1) * row, row);
      std::memcpy(dst, l[i] + o * half * row, half * row);
    }
  }
  n = half + 1;
  return Step::Next;
}

void AxisLoop::readInputs(State &state) const {
  for (auto [i, input] : llvm::enumerate(inputs))
    input.readAll(state.frame, state.frame + current[i]);
}

Step AxisLoop::reduce(State &state) const {
  readInputs(state);
  for (int64_t n = length; n > 1;)
    if (halve(state, n) == Step::Fault)
      return Step::Fault;
  for (auto [i, output] : llvm::enumerate(outputs))
    std::memcpy(state.frame + output, state.frame + current[i],
                outer * inner * sizes[i]);
  return Step::Next;
}

Step AxisLoop::scan(State &state, bool reverse) const {
  readInputs(state);
  Arrays all = arrays(state, current), out = arrays(state, outputs),
         sum = arrays(state, left), next = arrays(state, right);
  for (int64_t step = 0; step < length; ++step) {
    int64_t k = reverse ? length - 1 - step : step;
    const Arrays &into = step == 0 ? sum : next;
    for (auto [i, size] : llvm::enumerate(sizes)) {
      int64_t row = inner * size;
      copyBlocks(all[i] + k * row, length * row, into[i], row, row, outer);
    }
    if (step != 0 &&
        combiner.run(state, sum, next, sum, outer * inner) == Step::Fault)
      return Step::Fault;
    for (auto [i, size] : llvm::enumerate(sizes)) {
      int64_t row = inner * size;
      copyBlocks(sum[i], row, out[i] + k * row, length * row, row, outer);
    }
  }
  return Step::Next;
}

static LogicalResult buildReduce(Scope &scope, Operation *op) {
  auto reduce = cast<tile::ReduceOp>(op);
  AxisLoop loop;
  if (failed(
          loop.build(scope, op, reduce.getAxis(), reduce.getCombine().front())))
    return failure();
  auto flops = loop.combiner.flops;
  emitSumWrapCheck(scope, op);
  scope.emit(op, [loop](State &state) { return loop.reduce(state); }).flops =
      flops;
  emitFillerReduce(scope, op, loop);
  return success();
}

static LogicalResult buildScan(Scope &scope, Operation *op) {
  auto scan = cast<tile::ScanOp>(op);
  AxisLoop loop;
  if (failed(loop.build(scope, op, scan.getAxis(), scan.getCombine().front())))
    return failure();
  auto flops = loop.combiner.flops;
  emitSumWrapCheck(scope, op);
  bool reverse = scan.getReverse();
  scope
      .emit(op,
            [loop, reverse](State &state) { return loop.scan(state, reverse); })
      .flops = flops;
  emitFillerScan(scope, op, loop, reverse);
  return success();
}

/// Counts element by element; a count is marked if an element of it is.
static LogicalResult buildHistogram(Scope &scope, Operation *op) {
  auto histogram = cast<tile::HistogramOp>(op);
  FailureOr<View> result = scope.define(histogram.getResult());
  if (failed(result))
    return failure();
  View source = scope.lookup(histogram.getSrc());
  uint64_t from = scope.makeDense(op, source), out = result->offset;
  uint64_t mask = 0;
  bool hasMask = static_cast<bool>(histogram.getMask());
  if (hasMask)
    mask = scope.makeDense(op, scope.lookup(histogram.getMask()));
  unsigned size = sizeOf(source.kind);
  int64_t count = source.count(), bins = result->count();
  scope.emit(op, [=](State &state) {
    uint64_t bytes = bins * sizeof(int32_t);
    std::memset(state.frame + out, 0, bytes);
    if (state.isMarked)
      std::memset(state.marks() + out, 0, bytes);
    for (int64_t i = 0; i < count; ++i) {
      int64_t k = integerAt(state.frame + from + i * size, source.kind);
      if (k < 0 || k >= bins || (hasMask && !state.frame[mask + i]))
        continue;
      uint64_t place = out + k * sizeof(int32_t);
      int32_t sum;
      std::memcpy(&sum, state.frame + place, sizeof(sum));
      ++sum;
      std::memcpy(state.frame + place, &sum, sizeof(sum));
      const char *marks = state.isMarked ? state.marks() + from + i * size : "";
      if (state.isMarked &&
          std::any_of(marks, marks + size, [](char mark) { return mark != 0; }))
        std::memset(state.marks() + place, -1, sizeof(sum));
    }
    return Step::Next;
  });
  return success();
}

ArrayRef<BuilderEntry> tilec::interpreter::reduceBuilders() {
  static const BuilderEntry entries[] = {{"tile.reduce", buildReduce},
                                         {"tile.scan", buildScan},
                                         {"tile.histogram", buildHistogram}};
  return entries;
}
