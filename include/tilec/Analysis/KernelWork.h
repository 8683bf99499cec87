//===- KernelWork.h - what one program computes and moves -------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Operations and bytes of a kernel of the tile phase, counted without running
// it. Where a loop's length is known only at launch, the counts are sums of
// products of such lengths.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_ANALYSIS_KERNELWORK_H
#define TILEC_ANALYSIS_KERNELWORK_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include <map>
#include <string>
#include <vector>

namespace tilec {

/// A number that may depend on the lengths of loops: the sum of `factor` times
/// the lengths of these loops (their numbers in KernelWork::loops).
class WorkCount {
public:
  using Loops = std::vector<unsigned>;

  void add(const Loops &loops, double factor) { terms[loops] += factor; }
  void add(const WorkCount &other) {
    for (const auto &[loops, factor] : other.terms)
      add(loops, factor);
  }
  const std::map<Loops, double> &getTerms() const { return terms; }
  bool isZero() const { return terms.empty(); }
  /// The value when each loop has this length.
  double evaluate(double length) const;

private:
  std::map<Loops, double> terms;
};

/// A loop whose length is known at launch alone.
struct WorkLoop {
  mlir::Location loc;
  /// How often its body runs, in the names of the source as far as they lead:
  /// "ceil(K / 32)"; "?" if it cannot be said shortly.
  std::string length;
};

/// What one program does. Masks count as true and both ways of a branch as
/// taken, so these are upper bounds.
struct KernelWork {
  std::vector<WorkLoop> loops;
  /// Floating-point operations outside matrix products by the kinds that the
  /// interpreter counts ("add", "fma", ...; a fused one is two).
  std::map<std::string, WorkCount> flops;
  std::string flopType = "fp32"; ///< fp64 where one of them has that type
  /// Those in matrix products by the type of the factors: fp64, tf32, fp32
  /// (without tensor cores), fp16, bf16, fp8.
  std::map<std::string, WorkCount> dots;
  WorkCount bytesRead, bytesWritten; ///< of global memory; atomics do both
};

/// The type of a product's factors as the limits of GPUs name it, see
/// KernelWork::dots; empty for integers.
std::string getDotType(tile::DotOp dot);

/// The types that decide how fast a GPU computes.
struct WorkTypes {
  std::string flops = "fp32"; ///< fp64 where an element has that type
  std::string dots; ///< of a product's factors; empty without such products
};

/// The types of a module with one kernel and its helpers.
WorkTypes findWorkTypes(mlir::ModuleOp module);

/// Counts a kernel's work.
KernelWork countKernelWork(mlir::func::FuncOp kernel);

} // namespace tilec

#endif // TILEC_ANALYSIS_KERNELWORK_H
