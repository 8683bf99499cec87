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

#include "Kernels.h"
#include "Scope.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include <cstring>

using namespace mlir;
using namespace tilec;
using namespace tilec::interpreter;

/// One array for each input of a reduction.
using Arrays = SmallVector<char *, 4>;

//===----------------------------------------------------------------------===//
// Combining pairs
//===----------------------------------------------------------------------===//

namespace {
/// A region, ready to combine arrays of left operands with arrays of right
/// ones.
class Combiner {
public:
  /// Builds the region's code.
  LogicalResult build(Scope &scope, Operation *op, Block &block);

  /// out[i] = region(left[i], right[i]) for `n` pairs. `out` may be `left`.
  Step run(State &state, const Arrays &left, const Arrays &right,
           const Arrays &out, int64_t n) const;

  /// What the region counts for one pair.
  SmallVector<std::pair<std::string, uint64_t>, 1> flops;

private:
  /// A kernel with the numbers of the chunks that it reads and writes.
  struct Stage {
    Operation *op;
    Kernel kernel;
    SmallVector<unsigned, 3> in;
    unsigned out;
  };

  LogicalResult buildStages(Scope &scope, Block &block);
  LogicalResult buildScalar(Scope &scope, Operation *op, Block &block);
  unsigned newChunk(Scope &scope, Kind kind);
  Step runStages(State &state, const Arrays &left, const Arrays &right,
                 const Arrays &out, int64_t n) const;
  Step runScalar(State &state, const Arrays &left, const Arrays &right,
                 const Arrays &out, int64_t n) const;

  SmallVector<Kind, 4> kinds; // of the inputs
  // The region as stages on chunks: first the operands, then the others.
  SmallVector<Stage, 4> stages;
  SmallVector<Kind, 8> chunkKinds;
  SmallVector<uint64_t, 8> chunks;
  SmallVector<std::pair<unsigned, Reader>, 2> captured;
  SmallVector<unsigned, 4> yielded;
  // The region as code on scalars.
  const Code *code = nullptr;
  size_t begin = 0, end = 0;
  SmallVector<View, 4> arguments;
  SmallVector<Reader, 4> results;
};
} // namespace

unsigned Combiner::newChunk(Scope &scope, Kind kind) {
  chunks.push_back(scope.allocate(kChunk * 8));
  chunkKinds.push_back(kind);
  return chunks.size() - 1;
}

LogicalResult Combiner::build(Scope &scope, Operation *op, Block &block) {
  for (Value operand : op->getOperands())
    kinds.push_back(scope.lookup(operand).kind);
  bool isPlain = llvm::all_of(block.without_terminator(), [](Operation &inner) {
    return isa<arith::ConstantOp>(inner) ||
           (findKernels(inner.getName().getStringRef()) &&
            llvm::none_of(inner.getOperandTypes(), llvm::IsaPred<ShapedType>));
  });
  return isPlain ? buildStages(scope, block) : buildScalar(scope, op, block);
}

LogicalResult Combiner::buildStages(Scope &scope, Block &block) {
  llvm::DenseMap<Value, unsigned> numbers;
  for (auto [i, argument] : llvm::enumerate(block.getArguments()))
    numbers[argument] = newChunk(scope, kinds[i % kinds.size()]);
  auto numberOf = [&](Value value) {
    auto it = numbers.find(value);
    if (it != numbers.end())
      return it->second;
    const View &view = scope.lookup(value);
    unsigned number = newChunk(scope, view.kind);
    captured.emplace_back(number, Reader(view, {kChunk}, /*raw=*/true));
    return numbers[value] = number;
  };
  for (Operation &op : block.without_terminator()) {
    if (isa<arith::ConstantOp>(op)) {
      if (failed(findBuilder("arith.constant")(scope, &op)))
        return failure();
      continue;
    }
    SmallVector<Kernel, 2> kernels;
    if (failed(findKernels(op.getName().getStringRef())(&op, kernels)))
      return failure();
    for (Kernel &kernel : kernels) {
      Stage stage;
      stage.op = &op;
      for (unsigned i : kernel.operands)
        stage.in.push_back(numberOf(op.getOperand(i)));
      stage.out = newChunk(scope, kernel.stores);
      numbers[op.getResult(kernel.result)] = stage.out;
      if (!kernel.flopKind.empty())
        flops.emplace_back(kernel.flopKind.str(), kernel.flops);
      stage.kernel = std::move(kernel);
      stages.push_back(std::move(stage));
    }
  }
  for (Value value : block.getTerminator()->getOperands())
    yielded.push_back(numberOf(value));
  return success();
}

LogicalResult Combiner::buildScalar(Scope &scope, Operation *op, Block &block) {
  for (BlockArgument argument : block.getArguments()) {
    FailureOr<View> view = scope.define(argument);
    if (failed(view))
      return failure();
    arguments.push_back(*view);
  }
  code = &scope.getCode();
  size_t over = scope.newLabel();
  scope.emitJump(op, over);
  begin = code->instructions.size();
  if (failed(scope.build(block, /*withTerminator=*/false)))
    return failure();
  end = code->instructions.size();
  for (size_t i = begin; i < end; ++i)
    if (code->instructions[i].touchesMemory)
      return emitError(code->instructions[i].op->getLoc(),
                       "the region of a reduction cannot touch memory");
  scope.placeLabel(over);
  for (Value value : block.getTerminator()->getOperands())
    results.emplace_back(scope.lookup(value), ArrayRef<int64_t>(),
                         /*raw=*/true);
  return success();
}

Step Combiner::runStages(State &state, const Arrays &left, const Arrays &right,
                         const Arrays &out, int64_t n) const {
  SmallVector<char *, 16> at;
  for (uint64_t offset : chunks)
    at.push_back(state.frame + offset);
  for (const auto &[number, reader] : captured)
    reader.readAll(state.frame, at[number]);
  size_t inputs = kinds.size();
  for (int64_t start = 0; start < n; start += kChunk) {
    int64_t lanes = std::min(n - start, kChunk);
    for (size_t i = 0; i < inputs; ++i) {
      at[i] = left[i] + start * sizeOf(kinds[i]);
      at[inputs + i] = right[i] + start * sizeOf(kinds[i]);
    }
    for (const Stage &stage : stages) {
      const void *in[3] = {};
      for (auto [i, number] : llvm::enumerate(stage.in)) {
        Kind kind = chunkKinds[number];
        in[i] = at[number];
        if (stage.kernel.raw || computeKind(kind) == kind)
          continue;
        widen(kind, at[number], reinterpret_cast<float *>(state.scratch[i]),
              lanes);
        in[i] = state.scratch[i];
      }
      int64_t zero;
      int divisor = stage.kernel.divisor;
      if (divisor >= 0 && Kernel::hasZero(chunkKinds[stage.in[divisor]],
                                          in[divisor], lanes, zero))
        return state.fail(stage.op, "integer division by zero");
      stage.kernel.run(lanes, in, at[stage.out], state.scratch[3]);
    }
    for (auto [i, number] : llvm::enumerate(yielded)) {
      unsigned size = sizeOf(kinds[i]);
      std::memmove(out[i] + start * size, at[number], lanes * size);
    }
  }
  return Step::Next;
}

Step Combiner::runScalar(State &state, const Arrays &left, const Arrays &right,
                         const Arrays &out, int64_t n) const {
  size_t back = state.position, inputs = kinds.size();
  for (int64_t lane = 0; lane < n; ++lane) {
    for (size_t i = 0; i < inputs; ++i) {
      unsigned size = sizeOf(kinds[i]);
      std::memcpy(state.frame + arguments[i].offset, left[i] + lane * size,
                  size);
      std::memcpy(state.frame + arguments[inputs + i].offset,
                  right[i] + lane * size, size);
    }
    state.position = begin;
    if (code->run(state, end) == Step::Fault)
      return Step::Fault;
    for (auto [i, result] : llvm::enumerate(results))
      result.readAll(state.frame, out[i] + lane * sizeOf(kinds[i]));
  }
  state.position = back;
  return Step::Next;
}

Step Combiner::run(State &state, const Arrays &left, const Arrays &right,
                   const Arrays &out, int64_t n) const {
  return code ? runScalar(state, left, right, out, n)
              : runStages(state, left, right, out, n);
}

//===----------------------------------------------------------------------===//
// Along an axis
//===----------------------------------------------------------------------===//

/// Copies `count` blocks of `bytes`, `from` and `to` bytes apart.
static void copyBlocks(const char *src, int64_t from, char *dst, int64_t to,
                       int64_t bytes, int64_t count) {
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

namespace {
/// The inputs of a reduction or scan as arrays of [outer, length, inner].
struct AxisLoop {
  int64_t outer = 1, length = 1, inner = 1;
  SmallVector<Reader, 4> inputs;
  SmallVector<unsigned, 4> sizes;
  SmallVector<uint64_t, 4> outputs;
  // Places for the inputs, and for the operands of the region.
  SmallVector<uint64_t, 4> current, left, right;
  Combiner combiner;

  LogicalResult build(Scope &scope, Operation *op, unsigned axis, Block &block);
  Arrays arrays(State &state, ArrayRef<uint64_t> offsets) const;
  Step halve(State &state, int64_t &n) const;
  Step reduce(State &state) const;
  Step scan(State &state, bool reverse) const;
};
} // namespace

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

Step AxisLoop::reduce(State &state) const {
  for (auto [i, input] : llvm::enumerate(inputs))
    input.readAll(state.frame, state.frame + current[i]);
  for (int64_t n = length; n > 1;)
    if (halve(state, n) == Step::Fault)
      return Step::Fault;
  for (auto [i, output] : llvm::enumerate(outputs))
    std::memcpy(state.frame + output, state.frame + current[i],
                outer * inner * sizes[i]);
  return Step::Next;
}

Step AxisLoop::scan(State &state, bool reverse) const {
  for (auto [i, input] : llvm::enumerate(inputs))
    input.readAll(state.frame, state.frame + current[i]);
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
  scope
      .emit(op, [loop = std::move(loop)](
                    State &state) { return loop.reduce(state); })
      .flops = flops;
  return success();
}

static LogicalResult buildScan(Scope &scope, Operation *op) {
  auto scan = cast<tile::ScanOp>(op);
  AxisLoop loop;
  if (failed(loop.build(scope, op, scan.getAxis(), scan.getCombine().front())))
    return failure();
  auto flops = loop.combiner.flops;
  bool reverse = scan.getReverse();
  scope
      .emit(op, [loop = std::move(loop),
                 reverse](State &state) { return loop.scan(state, reverse); })
      .flops = flops;
  return success();
}

ArrayRef<BuilderEntry> tilec::interpreter::reduceBuilders() {
  static const BuilderEntry entries[] = {{"tile.reduce", buildReduce},
                                         {"tile.scan", buildScan}};
  return entries;
}
