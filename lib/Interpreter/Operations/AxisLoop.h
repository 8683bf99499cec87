//===- AxisLoop.h - reductions along an axis --------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A reduction combines neighbours along its axis until one is left: the same
// tree on every machine, and many pairs at a time.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_INTERPRETER_OPERATIONS_AXISLOOP_H
#define TILEC_LIB_INTERPRETER_OPERATIONS_AXISLOOP_H

#include "Operations/Kernels.h"
#include "Scope.h"

namespace tilec::interpreter {

/// One array for each input of a reduction.
using Arrays = llvm::SmallVector<char *, 4>;

/// A region, ready to combine arrays of left operands with arrays of right
/// ones.
class Combiner {
public:
  /// Builds the region's code.
  mlir::LogicalResult build(Scope &scope, mlir::Operation *op,
                            mlir::Block &block);

  /// out[i] = region(left[i], right[i]) for `n` pairs. `out` may be `left`.
  Step run(State &state, const Arrays &left, const Arrays &right,
           const Arrays &out, int64_t n) const;

  /// What the region counts for one pair.
  llvm::SmallVector<std::pair<std::string, uint64_t>, 1> flops;

private:
  /// A kernel with the numbers of the chunks that it reads and writes.
  struct Stage {
    mlir::Operation *op;
    Kernel kernel;
    llvm::SmallVector<unsigned, 3> in;
    unsigned out;
  };

  mlir::LogicalResult buildStages(Scope &scope, mlir::Block &block);
  mlir::LogicalResult buildScalar(Scope &scope, mlir::Operation *op,
                                  mlir::Block &block);
  unsigned newChunk(Scope &scope, Kind kind);
  Step runStages(State &state, const Arrays &left, const Arrays &right,
                 const Arrays &out, int64_t n) const;
  Step runScalar(State &state, const Arrays &left, const Arrays &right,
                 const Arrays &out, int64_t n) const;

  llvm::SmallVector<Kind, 4> kinds; // of the inputs
  // The region as stages on chunks: first the operands, then the others.
  llvm::SmallVector<Stage, 4> stages;
  llvm::SmallVector<Kind, 8> chunkKinds;
  llvm::SmallVector<uint64_t, 8> chunks;
  llvm::SmallVector<std::pair<unsigned, Reader>, 2> captured;
  llvm::SmallVector<unsigned, 4> yielded;
  // The region as code on scalars.
  const Code *code = nullptr;
  size_t begin = 0, end = 0;
  llvm::SmallVector<View, 4> arguments;
  llvm::SmallVector<Reader, 4> results;
};

/// Copies `count` blocks of `bytes`, `from` and `to` bytes apart.
void copyBlocks(const char *src, int64_t from, char *dst, int64_t to,
                int64_t bytes, int64_t count);

/// The inputs of a reduction or scan as arrays of [outer, length, inner].
struct AxisLoop {
  int64_t outer = 1, length = 1, inner = 1;
  llvm::SmallVector<Reader, 4> inputs;
  llvm::SmallVector<unsigned, 4> sizes;
  llvm::SmallVector<uint64_t, 4> outputs;
  // Places for the inputs, and for the operands of the region.
  llvm::SmallVector<uint64_t, 4> current, left, right;
  Combiner combiner;

  mlir::LogicalResult build(Scope &scope, mlir::Operation *op, unsigned axis,
                            mlir::Block &block);
  Arrays arrays(State &state, llvm::ArrayRef<uint64_t> offsets) const;
  Step halve(State &state, int64_t &n) const;
  Step reduce(State &state) const;
  Step scan(State &state, bool reverse) const;
  /// Copies the inputs to `current`.
  void readInputs(State &state) const;
};

} // namespace tilec::interpreter

#endif // TILEC_LIB_INTERPRETER_OPERATIONS_AXISLOOP_H
