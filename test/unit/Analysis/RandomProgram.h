//===- RandomProgram.h - random integer tile programs -----------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Kernels of the kind that address memory: ranges, splats, arithmetic,
// comparisons, views, loops, pointers; any operation on any value that fits it.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TEST_UNIT_ANALYSIS_RANDOMPROGRAM_H
#define TILEC_TEST_UNIT_ANALYSIS_RANDOMPROGRAM_H

#include "mlir/IR/Builders.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include <random>

namespace tilec {

/// One kernel, made from a seed.
class RandomProgram {
public:
  RandomProgram(mlir::MLIRContext *context, unsigned seed);

  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;

  /// Arguments that respect what the kernel's attributes say of them: small
  /// numbers that are not negative, or any numbers.
  llvm::SmallVector<int64_t> getArguments(bool any = false);

private:
  unsigned pick(unsigned n) { return random() % n; }
  template <typename Range>
  auto pickOf(const Range &range) {
    return *(std::begin(range) + pick(std::size(range)));
  }
  mlir::Value pickValue(llvm::function_ref<bool(mlir::Type)> fits);
  mlir::Value pickOfType(mlir::Type type);
  mlir::Value makeConstant(mlir::Type type);
  mlir::Value makeArithmetic();
  mlir::Value makeView();
  mlir::Value makePointer();
  mlir::Value makeCast();
  mlir::Value makeCombination();
  mlir::Value makeControl(unsigned depth);
  void fillRegion(mlir::Type type, mlir::Region &region);
  void makeOperations(unsigned count, unsigned depth);
  mlir::Type tileOf(mlir::Type element);

  std::mt19937 random;
  mlir::OpBuilder b;
  mlir::Location loc;
  llvm::SmallVector<mlir::Value> pool;
};

} // namespace tilec

#endif // TILEC_TEST_UNIT_ANALYSIS_RANDOMPROGRAM_H
