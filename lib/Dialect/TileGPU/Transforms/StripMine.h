//===- StripMine.h - which big tiles become loops ---------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The parts of tilegpu-strip-mine. Only the last, mineStrip, changes anything.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_DIALECT_TILEGPU_TRANSFORMS_STRIPMINE_H
#define TILEC_LIB_DIALECT_TILEGPU_TRANSFORMS_STRIPMINE_H

#include "tilec/Analysis/AxisInfo.h"
#include "tilec/Dialect/TileGPU/IR/TileGPU.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace tilec::tilegpu {

/// Values made of constants, ranges and scalars by arithmetic alone: whoever
/// wants a piece of one computes it.
class CheapValues {
public:
  explicit CheapValues(mlir::func::FuncOp function);
  bool contains(mlir::Value value) const { return values.contains(value); }

private:
  llvm::DenseSet<mlir::Value> values;
};

/// The axis of a tile operand that runs with axis `axis` of the operation; none
/// where the operand is the same for all its positions.
std::optional<unsigned> getOperandAxis(mlir::Operation *op, unsigned axis,
                                       mlir::Value operand);

/// What the threads of one block may use.
struct BlockResources {
  int64_t threads = 0;
  /// Registers of one thread when the block is alone on its multiprocessor.
  int64_t registers = 0;
  /// The same when it shares it with another block.
  int64_t halfRegisters() const {
    return std::min(registers, 65536 / (2 * threads));
  }
  /// Elements of a tile that a thread may hold at most.
  int64_t elements = 0;
  /// Bytes of shared memory that nobody else needs.
  int64_t sharedBytes = 0;
};

/// How the operations of one block that run along one axis become loops over
/// chunks of it.
///
/// Time runs from 0. At even times stand operations that do not run along the
/// axis, at odd times loops over its chunks.
struct StripMinePlan {
  mlir::Block *block = nullptr;
  /// Elements of the axis, and of a chunk.
  int64_t size = 0, chunk = 0;
  /// Operations that run along the axis, with the number that it has in the
  /// tiles they work on.
  llvm::DenseMap<mlir::Operation *, unsigned> axes;

  /// An operation that has to happen at its time: any that does not run along
  /// the axis, and of the others those that end or write something.
  struct Step {
    mlir::Operation *op;
    unsigned time = 0;
    /// What its loop computes for it, itself included; empty at even times.
    llvm::SetVector<mlir::Operation *> slice;
  };
  /// In program order.
  std::vector<Step> steps;

  /// A load of which several loops want the result.
  struct Kept {
    mlir::Operation *load;
    /// The times of those loops.
    llvm::SmallVector<unsigned, 4> times;
    /// From the loop at `from` on the result of `value` takes the place of what
    /// was loaded: the loops after it need nothing else of it, and it took
    /// some computing. Null if there is none.
    mlir::Operation *value = nullptr;
    unsigned from = ~0u;
  };
  llvm::SmallVector<Kept, 2> kept;
  /// Chunks after the first whose `kept` stay in shared memory.
  int64_t numKept = 0;
  /// Blocks that a multiprocessor should hold at once.
  int64_t blocks = 1;

  /// How the results of an operation are kept, as a load or in place of one.
  const Kept *findKept(mlir::Operation *op) const;
  int64_t countChunks() const { return size / chunk; }
  /// Tiles of pointers whose parts nothing can confuse: their addresses are
  /// distinct, or only read, or only written.
  llvm::DenseSet<mlir::Value> apart;

  /// Is this a reduction that ends the axis?
  bool endsAxis(mlir::Operation *op) const;
  /// The operation that computes the value in pieces along the axis; null if
  /// it is there as a whole or cheap.
  mlir::Operation *getMember(mlir::Value value) const;
  bool hasReductions() const;
};

/// A plan for the block's largest tiles; none if all fit the registers or
/// something needs a whole one.
std::optional<StripMinePlan> planStripMine(mlir::Block &block,
                                           const CheapValues &cheap,
                                           const AxisInfoAnalysis &facts,
                                           const BlockResources &resources);

/// Gives each step its time and finds what is kept; fails if no order of loops
/// keeps the order of memory accesses.
mlir::LogicalResult scheduleStripMine(StripMinePlan &plan,
                                      const CheapValues &cheap);

/// Makes the loops of a plan. `nextPart` is the first number that no tile of
/// pointers has yet.
void mineStrip(const StripMinePlan &plan, int64_t threads, int32_t &nextPart);

} // namespace tilec::tilegpu

#endif // TILEC_LIB_DIALECT_TILEGPU_TRANSFORMS_STRIPMINE_H
