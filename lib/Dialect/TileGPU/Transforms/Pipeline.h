//===- Pipeline.h - loads iterations ahead ----------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The parts of tilegpu-pipeline: what is decided of a loop before it is
// rewritten. Only hoistLoads changes anything.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_DIALECT_TILEGPU_TRANSFORMS_PIPELINE_H
#define TILEC_LIB_DIALECT_TILEGPU_TRANSFORMS_PIPELINE_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilec/Analysis/AxisInfo.h"
#include "tilec/Dialect/TileGPU/IR/TileGPU.h"
#include "llvm/ADT/SetVector.h"

namespace tilec::tilegpu {

/// The pass's name in remarks.
constexpr llvm::StringLiteral kPipelinePass = "tilegpu-pipeline";

/// A load that becomes a copy, and the type of what it fills.
struct Copy {
  tile::LoadOp load;
  MemDescType buffer;
  /// The buffer that the load filled for products. Null if threads want the
  /// tile in registers: each reads back what it has copied itself.
  LocalAllocOp alloc;

  /// What a thread finds where the mask is false, if that is not zero.
  mlir::Value getOther() const;
  bool isPartOf(mlir::Operation *op) const { return op == load || op == alloc; }
};

/// What is computed ahead: operations of the body, and loop-carried values by
/// number.
struct Slice {
  llvm::SmallPtrSet<mlir::Operation *, 16> ops;
  llvm::SmallSetVector<unsigned, 8> arguments;
};

/// Loads in branches of the loop that can be copies come to its body, masked by
/// the branch's condition.
void hoistLoads(mlir::scf::ForOp loop);

/// The copies of a loop, and what their addresses and masks need.
llvm::SmallVector<Copy> collectCopies(mlir::scf::ForOp loop,
                                      const AxisInfoAnalysis &facts,
                                      Slice &slice);

/// As many stages as asked for, or as fit beside what else is in shared memory.
int64_t getStages(mlir::func::FuncOp func, llvm::ArrayRef<Copy> copies,
                  int64_t stages);

/// What the loop still computes for itself once the copies are gone:
/// operations, and loop-carried values.
Slice findLive(mlir::scf::ForOp loop, llvm::ArrayRef<Copy> copies);

} // namespace tilec::tilegpu

#endif // TILEC_LIB_DIALECT_TILEGPU_TRANSFORMS_PIPELINE_H
