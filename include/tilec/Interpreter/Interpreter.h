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

#include "tilec/Interpreter/Findings.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilec::interpreter {

/// One argument of a kernel: a buffer, or the bits of a scalar.
struct Argument {
  /// The argument's name, for messages and counters.
  std::string name;
  /// Is it a buffer?
  bool isBuffer = false;
  /// A buffer's memory, owned by the caller; accesses outside [0, bytes) are
  /// faults.
  void *data = nullptr;
  /// The buffer's size in bytes.
  size_t bytes = 0;
  /// The address that the signature's hint speaks of, where that of `data` is
  /// the caller's choice.
  std::optional<uint64_t> address;
  /// The buffer's sizes by axis, to name its elements; empty if it has none.
  std::vector<int64_t> shape;
  /// Has the caller written the memory? False for `empty(...)`.
  bool isInitialized = true;
  /// Does the signature say that the kernel only reads it?
  bool isConst = false;
  /// A scalar's bits in the low end, in the argument's own type.
  uint64_t bits = 0;
};

/// The order in which the programs of a grid run.
enum class Schedule : uint8_t {
  Default,    ///< Parallel, or Random when checking
  Sequential, ///< one after another; one that waits lets others go on
  Reverse,    ///< the same from the last to the first
  Random,     ///< any program may go on after any access, by the seed
  Parallel    ///< on all cores; when checking, by turns of one access each
};

/// An element whose accesses are told.
struct WatchedElement {
  std::string argument;
  int64_t number = 0; ///< in row-major order
};

/// Whose values are printed.
struct Trace {
  std::array<int64_t, 3> program = {0, 0, 0};
  unsigned line = 0; ///< of the source; 0 for all lines
};

/// How compiled code accesses a tile at a place of the source.
struct AccessLayout {
  mlir::FileLineColLoc place;
  /// "load", "store" or "atomic".
  std::string access;
  /// Elements of the tile, or of each part of a tile of one axis.
  int64_t lanes = 0;
  /// The elements that the instructions of warps move, by their numbers in
  /// row-major order: `perInstruction` of one after those of the other.
  unsigned perInstruction = 0;
  std::vector<uint32_t> elements;
};

/// What a run should do besides computing.
struct RunOptions {
  /// Count accesses by argument.
  bool meter = false;
  /// How the meter takes warps to access tiles; where nothing is said, 32
  /// neighbours at a time.
  std::vector<AccessLayout> layouts;
  /// Look for faults beyond those that always stop a run.
  bool check = false;
  /// Also look for where NaN and infinity first appear.
  bool checkNan = false;
  /// How the programs run; the same seed gives the same run.
  Schedule schedule = Schedule::Default;
  uint64_t seed = 0;
  /// Elements whose every access is written to the output.
  std::vector<WatchedElement> watched;
  /// A program whose values are written to the output as it computes them.
  std::optional<Trace> trace;
  /// Where `tile.print` writes.
  llvm::raw_ostream *output = nullptr;
};

/// Accesses, counted over all programs and lanes that were not masked off.
struct AccessTraffic {
  uint64_t elementsRead = 0, elementsWritten = 0;
  uint64_t bytesRead = 0, bytesWritten = 0;
  /// Lanes that were masked off.
  uint64_t lanesOff = 0;
  /// 32-byte sectors and 128-byte lines that the instructions of warps touch.
  uint64_t sectors = 0, cacheLines = 0;

  void add(const AccessTraffic &other);
};

/// Accesses of one argument.
struct ArgumentTraffic : AccessTraffic {
  std::string name;
  uint64_t distinctBytesRead = 0, distinctBytesWritten = 0;
};

/// Accesses of one argument by one operation of the source.
struct LineTraffic {
  unsigned line = 0; ///< 0 where the source is not known
  std::string op;    ///< "load", "store", "atomic_rmw", ...
  std::string argument;
  AccessTraffic traffic;
  /// Were the layouts of compiled code known?
  bool hasLayout = false;
};

/// Iterations of a `for` loop of the source.
struct LoopCount {
  unsigned line = 0; ///< 0 where the source is not known
  /// How often the loop was entered, and the iterations of all times.
  uint64_t runs = 0, iterations = 0;
};

/// What a metered run counted.
struct Traffic {
  std::vector<ArgumentTraffic> arguments;
  std::vector<LineTraffic> lines;
  std::vector<LoopCount> loops;
  /// Floating-point operations by kind ("add", "mul", "fma", "dot", "exp",
  /// ...).
  std::vector<std::pair<std::string, uint64_t>> flops;
  uint64_t programs = 0;
};

/// Runs `kernel` once for every program of `grid`. A fault (an access outside
/// its buffer, a failed assertion) is an MLIR error at the source location,
/// with the program, the lanes and the index in its text and notes; then the
/// run fails and no later access of the program takes place. The kernel may be
/// at any point of the target-independent pipeline.
///
/// A checking run goes on after most faults and gathers them in `findings`;
/// with none to gather them in it emits them as errors and fails.
mlir::LogicalResult run(mlir::func::FuncOp kernel,
                        llvm::ArrayRef<Argument> arguments,
                        std::array<int64_t, 3> grid, const RunOptions &options,
                        Traffic *traffic = nullptr,
                        std::vector<Finding> *findings = nullptr);

} // namespace tilec::interpreter

#endif // TILEC_INTERPRETER_INTERPRETER_H
