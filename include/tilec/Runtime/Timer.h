//===- Timer.h - how long a kernel takes ------------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Repeated runs between device events: warmed up, and so that no run finds its
// data in the L2 cache: over copies of the buffers, of which twice the cache
// passes between two uses of one, or after writing so much other memory.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_RUNTIME_TIMER_H
#define TILEC_RUNTIME_TIMER_H

#include "tilec/Runtime/Module.h"

#include <functional>

namespace tilec {

/// How to measure.
struct TimerOptions {
  double warmUpMicroseconds = 50e3;
  double measureMicroseconds = 200e3;
  unsigned minRuns = 10, maxRuns = 2000;
  /// Bytes of other memory written before each run, outside its time.
  uint64_t flushBytes = 0;
};

/// The times of the single runs.
class Timing {
public:
  explicit Timing(std::vector<double> microseconds);

  size_t runs() const { return sorted.size(); }
  double min() const { return sorted.front(); }
  double max() const { return sorted.back(); }
  double median() const { return quantile(0.5); }
  /// The width of the middle half, in units of the median.
  double spread() const;
  /// The value below which the share `q` of the runs lies.
  double quantile(double q) const;

private:
  std::vector<double> sorted;
};

/// Times `run(i)`, which queues one run into `stream`; `i` counts the runs.
Result<Timing> timeRuns(std::shared_ptr<Device> device, Stream &stream,
                        const std::function<Status(uint64_t)> &run,
                        const TimerOptions &options = {});

/// What has to pass through the L2 cache so that nothing of before is left.
uint64_t bytesToFlush(const Device &device);

/// Times a kernel on copies of `buffers`: argument i of pointer type reads
/// buffer i, scalars have null there. Where memory or number limit the copies,
/// other memory is written before each run.
Result<Timing> timeKernel(const Kernel &kernel,
                          const std::vector<Argument> &arguments,
                          const std::vector<const Buffer *> &buffers,
                          const Grid &grid, const TimerOptions &options = {});

} // namespace tilec

#endif // TILEC_RUNTIME_TIMER_H
