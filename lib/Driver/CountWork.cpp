//===- CountWork.cpp - how much a kernel has to compute -------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The interpreter counts exactly and slowly, and most programs of a grid do the
// same. Those that ask how many there are run in full: one of them alone would
// do the work of all.
//
//===----------------------------------------------------------------------===//

#include "CountWork.h"

#include "tilec/Analysis/KernelWork.h"

#include <chrono>

using namespace mlir;
using namespace tilec;

/// Seconds that counting may take.
static constexpr double timeLimit = 1;

/// Whether the programs depend on their number.
static bool asksForNumber(ModuleOp module) {
  return module
      .walk([](tile::NumProgramsOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// As many programs from the start of the grid as there is time for.
static std::array<int64_t, 3> partOf(std::array<int64_t, 3> grid,
                                     double count) {
  for (int64_t &size : grid) {
    size = static_cast<int64_t>(std::clamp<double>(count, 1, size));
    count /= size;
  }
  return grid;
}

LogicalResult tilec::countWork(func::FuncOp kernel,
                               ArrayRef<interpreter::Argument> arguments,
                               std::array<int64_t, 3> grid, Work &work) {
  interpreter::RunOptions options;
  options.meter = true;
  interpreter::Traffic traffic;
  auto count = [&](std::array<int64_t, 3> part) {
    traffic = {};
    return interpreter::run(kernel, arguments, part, options, &traffic);
  };
  double programs = 1;
  for (int64_t size : grid)
    programs *= size;
  auto module = kernel->getParentOfType<ModuleOp>();
  WorkTypes types = findWorkTypes(module);
  work.type = types.flops;
  work.dotType = types.dots;
  if (!asksForNumber(module)) {
    auto start = std::chrono::steady_clock::now();
    if (failed(count({1, 1, 1})))
      return failure();
    std::chrono::duration<double> time =
        std::chrono::steady_clock::now() - start;
    double fitting = timeLimit / std::max(time.count(), 1e-6);
    grid = partOf(grid, fitting);
  }
  if (failed(count(grid)))
    return failure();
  work.isCounted = true;
  work.counted = traffic.programs;
  work.programs = static_cast<uint64_t>(programs);
  double scale = programs / traffic.programs;
  for (const auto &[kind, operations] : traffic.flops)
    (kind == "dot" ? work.dotFlops : work.flops) += scale * operations;
  return success();
}
