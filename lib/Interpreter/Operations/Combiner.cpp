//===- Combiner.cpp - the region of a reduction ---------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A region without control flow runs as kernels on chunks of pairs; any other
// pair by pair.
//
//===----------------------------------------------------------------------===//

#include "Operations/AxisLoop.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include <cstring>

using namespace mlir;
using namespace tilec;
using namespace tilec::interpreter;

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
      int divisor = stage.kernel.divisor;
      if (divisor >= 0 &&
          Kernel::hasZero(chunkKinds[stage.in[divisor]], in[divisor], lanes))
        return state.fail(stage.op, "integer division by zero",
                          "division-by-zero");
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
