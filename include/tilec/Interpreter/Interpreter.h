//===- Interpreter.h - runs tile IR on the CPU ------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The reference for what a kernel computes: an independent reading of the tile
// dialect that shares no code with the code generator.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_INTERPRETER_INTERPRETER_H
#define TILEC_INTERPRETER_INTERPRETER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tilec::interpreter {

/// One argument of a kernel: a buffer, or the bits of a scalar.
struct Argument {
  /// The argument's name, for messages and counters.
  std::string name;
  /// Is it a buffer?
  bool isBuffer = false;
  /// A buffer's memory, owned by the caller; accesses outside [0, bytes) are faults.
  void *data = nullptr;
  /// The buffer's size in bytes.
  size_t bytes = 0;
  /// Has the caller written the memory? False for `empty(...)`.
  bool isInitialized = true;
  /// A scalar's bits in the low end, in the argument's own type.
  uint64_t bits = 0;
};

/// What a run should do besides computing.
struct RunOptions {
  /// Count accesses by argument.
  bool meter = false;
  /// Look for faults beyond those that always stop a run.
  bool check = false;
  /// Where `tile.print` writes.
  llvm::raw_ostream *output = nullptr;
};

/// Accesses of one argument, counted over all programs and lanes that were not
/// masked off.
struct ArgumentTraffic {
  std::string name;
  uint64_t elementsRead = 0, elementsWritten = 0;
  uint64_t bytesRead = 0, bytesWritten = 0;
  uint64_t distinctBytesRead = 0, distinctBytesWritten = 0;
};

/// What a metered run counted.
struct Traffic {
  std::vector<ArgumentTraffic> arguments;
  /// Floating-point operations by kind ("add", "mul", "fma", "dot", "exp", ...).
  std::vector<std::pair<std::string, uint64_t>> flops;
  uint64_t programs = 0;
};

/// Runs `kernel` once for every program of `grid`. A fault (an access outside its
/// buffer, a failed assertion) is an MLIR error at the source location, with the
/// program, the lanes and the index in its text and notes; then the run fails and
/// no later access of the program takes place. The kernel may be at any point of
/// the target-independent pipeline.
mlir::LogicalResult run(mlir::func::FuncOp kernel,
                        llvm::ArrayRef<Argument> arguments,
                        std::array<int64_t, 3> grid, const RunOptions &options,
                        Traffic *traffic = nullptr);

} // namespace tilec::interpreter

#endif // TILEC_INTERPRETER_INTERPRETER_H
