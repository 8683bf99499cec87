//===- AxisInfo.h - contiguity, divisibility, constancy ---------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// What is known about the integers and pointers of a tile along each axis. From
// it follows how wide a memory access may be.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_AXISINFO_H
#define TILEC_ANALYSIS_AXISINFO_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace tilec {

/// Facts about one value, each a power of two per axis; a scalar has one axis
/// of size 1. Runs and groups start at multiples of their own length. Signed
/// integers are taken not to overflow.
///
///   contiguity c:   elements i and i + 1 of an aligned run of c differ by 1
///                   (by the size of an element, for pointers);
///   divisibility d: the first element of each run of `contiguity` is a
///                   multiple of d (in bytes, for pointers);
///   constancy s:    the elements of an aligned group of s are equal.
struct AxisInfo {
  using Sizes = llvm::SmallVector<int64_t, 4>;
  Sizes contiguity, divisibility, constancy;
  /// The value of every element, if one integer is known.
  std::optional<int64_t> constant;
  /// Is no element negative? Integer arguments of a kernel (sizes, strides) are
  /// taken not to be, and divisors to be positive: quotients and remainders of
  /// signed numbers are regular only there.
  bool nonNegative = false;

  /// What holds for any value of this type.
  static AxisInfo unknown(mlir::Type type);
  /// What holds for `a` and for `b` alike.
  static AxisInfo join(const AxisInfo &a, const AxisInfo &b);

  bool operator==(const AxisInfo &o) const {
    return contiguity == o.contiguity && divisibility == o.divisibility &&
           constancy == o.constancy && constant == o.constant &&
           nonNegative == o.nonNegative;
  }
};

/// The facts of every integer and pointer of a function. Computed once; loops
/// are iterated until nothing changes.
class AxisInfoAnalysis {
public:
  /// With `certain`, arguments and divisors may be negative and sums may
  /// overflow: what then still holds may decide values, not only how memory is
  /// accessed.
  explicit AxisInfoAnalysis(mlir::func::FuncOp function, bool certain = false);

  /// Facts about a value; those of an unknown value if none were computed.
  AxisInfo get(mlir::Value value) const;

  /// Elements that one access may move together along each axis: they are
  /// consecutive in memory, start aligned, and share one mask (`mask` may be
  /// null). Returns, per axis, the run in elements and the bytes that divide
  /// its address. `edges` is for accesses that do with less than a whole vector
  /// at the ends of a row: the mask may change inside, but in each run the
  /// elements where it holds follow each other.
  struct Run {
    AxisInfo::Sizes contiguity, divisibilityBytes;
  };
  Run getRun(mlir::Value pointer, mlir::Value mask, bool edges = false) const;

private:
  /// What getIntervalRun has found of masks along their axes.
  using IntervalRuns =
      llvm::DenseMap<std::pair<mlir::Value, unsigned>, int64_t>;
  int64_t getIntervalRun(mlir::Value mask, unsigned axis,
                         IntervalRuns &known) const;
  void visit(mlir::Region &region);
  void visit(mlir::Operation *op);
  AxisInfo compute(mlir::Operation *op) const;
  void visitLoop(mlir::Operation *op, mlir::ValueRange inits,
                 mlir::ValueRange arguments, mlir::Region &body,
                 llvm::function_ref<mlir::ValueRange()> yielded);

  llvm::DenseMap<mlir::Value, AxisInfo> infos;
  bool certain;
};

} // namespace tilec

#endif // TILEC_ANALYSIS_AXISINFO_H
