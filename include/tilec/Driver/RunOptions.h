//===- RunOptions.h - the command line of tile-run --------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The options of one run as plain data, for tile-run and whoever runs kernels
// in its way. Options are rows of a table, from which the help is printed too.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DRIVER_RUNOPTIONS_H
#define TILEC_DRIVER_RUNOPTIONS_H

#include "tilec/Driver/ArgumentValues.h"
#include "tilec/Driver/Assumptions.h"
#include "tilec/Driver/Compare.h"
#include "tilec/Report/Gpu.h"
#include "tilec/Report/Occupancy.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace tilec {

/// What to run, on what, and what to tell about it.
struct RunOptions {
  enum class Device : uint8_t { CPU, CUDA };
  /// Whether and how a report is printed.
  enum class Report : uint8_t { None, Text, Json };

  std::string file;
  std::string kernel;    ///< empty when the file has only one
  std::string signature; ///< of the kernel, Triton's notation
  /// `-D NAME=VALUE`, as written.
  std::vector<std::pair<std::string, std::string>> defines;
  std::vector<std::string> includeDirs;
  WarningOptions warnings;

  std::array<int64_t, 3> grid = {1, 1, 1};
  bool hasGrid = false;
  Device device = Device::CPU;
  int64_t gpu = 0;                    ///< which one
  std::vector<std::string> arguments; ///< NAME=VALUE, as written
  std::vector<SaveRequest> saves;
  std::vector<std::string> expectations; ///< NAME=VALUE, as written
  Tolerance tolerance;                   ///< of the expectations

  Report meter = Report::None;
  /// `--gpu NAME`: the GPU that the meter and the occupancy speak of; of the
  /// table of GPUs.
  const Gpu *gpuModel = nullptr;
  /// `--occupancy`: a block that nobody runs.
  std::optional<BlockResources> occupancy;
  Report check = Report::None;
  /// Also look for where NaN and infinity first appear.
  bool checkNan = false;
  /// About sizes beyond those of the run, to warn of overflow.
  std::vector<Assumption> assumptions;
  /// Order of the programs on the interpreter.
  enum class Schedule : uint8_t {
    Default,
    Sequential,
    Reverse,
    Random,
    Parallel
  };
  Schedule schedule = Schedule::Default;
  int64_t seed = 0;
  /// `--watch ARG[I,...]`: an element whose accesses are printed.
  struct Watch {
    std::string argument;
    std::vector<int64_t> index;
  };
  std::vector<Watch> watched;
  /// `--trace X,Y,Z`: the program whose values are printed.
  std::array<int64_t, 3> traced = {0, 0, 0};
  bool traces = false;
  unsigned breakLine = 0; ///< `--break LINE`: only that line's; 0 for all
  Report bench = Report::None;
  /// Put the times beside the limits of the GPU.
  bool showsLimits = false;
  /// Say which version of the kernel runs on the GPU, and why.
  bool explain = false;

  std::string arch;                     ///< empty: the device's own
  unsigned numWarps = 0, numStages = 0; ///< 0: what the kernel says

  bool verifyEach = false;
  /// Compile for the values at hand as a JIT would: integers that are 1, and
  /// what is divisible by 16.
  bool specialize = false;

  bool help = false;
};

/// Reads the words after the program's name. The error is about the use of the
/// command, not about the input.
Result<RunOptions> parseRunOptions(const std::vector<std::string> &words);

/// The text of `--help`.
std::string runHelp();

} // namespace tilec

#endif // TILEC_DRIVER_RUNOPTIONS_H
