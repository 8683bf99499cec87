//===- Evaluate.h - runs integer tile programs in a test --------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A reference for the analyses: computes every integer and pointer of a
// function, element by element, and shows each value to an observer each time
// it is computed.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TEST_UNIT_ANALYSIS_EVALUATE_H
#define TILEC_TEST_UNIT_ANALYSIS_EVALUATE_H

#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/DenseMap.h"
#include <functional>
#include <vector>

namespace tilec {

/// The elements of a tile in row-major order, signed at their own width; a
/// scalar has one.
using Elements = std::vector<int64_t>;

/// Runs one function.
class Evaluator {
public:
  using Observer = std::function<void(mlir::Value, const Elements &)>;
  /// With `any`, 32-bit sums that overflow wrap and divisors may be negative.
  explicit Evaluator(Observer observer, bool any = false)
      : observer(std::move(observer)), any(any) {}

  /// False if the run did something that the analyses may take not to happen:
  /// overflow of signed integers, division by anything but a positive number.
  bool run(mlir::func::FuncOp function, llvm::ArrayRef<int64_t> arguments);

private:
  void visit(mlir::Block &block);
  void visit(mlir::Operation *op);
  void visitFor(mlir::scf::ForOp loop);
  void visitWhile(mlir::scf::WhileOp loop);
  Elements compute(mlir::Operation *op);
  Elements elementwise(mlir::Operation *op);
  Elements scan(tile::ScanOp op);
  int64_t element(mlir::Operation *op, llvm::ArrayRef<int64_t> x);
  int64_t fit(int64_t value, mlir::Type type, bool wraps);
  int64_t divide(mlir::Operation *op, int64_t x, int64_t y);
  const Elements &get(mlir::Value value) { return values.find(value)->second; }
  void set(mlir::Value value, Elements elements);
  std::vector<Elements> getAll(mlir::ValueRange list);
  void setAll(mlir::ValueRange list, const std::vector<Elements> &elements);

  Observer observer;
  bool any;
  llvm::DenseMap<mlir::Value, Elements> values;
  bool defined = true;
};

} // namespace tilec

#endif // TILEC_TEST_UNIT_ANALYSIS_EVALUATE_H
