//===- Timer.cpp - how long a kernel takes --------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Every run has its own pair of events and all runs of a batch are queued
// before any is waited for, so that the host's time does not show.
//
//===----------------------------------------------------------------------===//

#include "tilec/Runtime/Timer.h"

#include <algorithm>
#include <optional>

using namespace tilec;

/// Runs that are queued at once: more would block in the driver.
static constexpr uint64_t batchRuns = 256;
/// The most copies of the buffers: kernels too small for that wait for the
/// launch and not for memory.
static constexpr uint64_t maxCopies = 1024;

Timing::Timing(std::vector<double> microseconds)
    : sorted(std::move(microseconds)) {
  assert(!sorted.empty() && "a timing has runs");
  std::sort(sorted.begin(), sorted.end());
}

double Timing::quantile(double q) const {
  double at = q * static_cast<double>(sorted.size() - 1);
  size_t low = static_cast<size_t>(at);
  size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (sorted[high] - sorted[low]) * (at - low);
}

double Timing::spread() const {
  double middle = median();
  return middle > 0 ? (quantile(0.75) - quantile(0.25)) / middle : 0;
}

namespace {

/// Runs batches between events.
class Sampler {
public:
  Sampler(std::shared_ptr<Device> device, Stream &stream,
          const std::function<Status(uint64_t)> &run)
      : device(std::move(device)), stream(stream), run(run) {}

  /// From now on `bytes` of other memory are written before each run.
  Status flushBefore(uint64_t bytes) {
    Result<Buffer> memory = Buffer::allocate(device, bytes);
    if (!memory)
      return memory.takeError();
    flushed = std::move(*memory);
    return {};
  }

  /// Appends the times of `count` more runs to `times`.
  Status sample(uint64_t count, std::vector<double> &times) {
    while (count) {
      uint64_t batch = std::min(count, batchRuns);
      if (Status status = sampleBatch(batch, times); !status)
        return status;
      count -= batch;
    }
    return {};
  }

private:
  Status sampleBatch(uint64_t count, std::vector<double> &times);
  Status makeEvents(uint64_t count);

  std::shared_ptr<Device> device;
  Stream &stream;
  const std::function<Status(uint64_t)> &run;
  uint64_t done = 0;
  std::vector<Event> events;
  std::optional<Buffer> flushed;
};

} // namespace

Status Sampler::makeEvents(uint64_t count) {
  while (events.size() < 2 * count) {
    Result<Event> event = Event::create(device);
    if (!event)
      return event.takeError();
    events.push_back(std::move(*event));
  }
  return {};
}

Status Sampler::sampleBatch(uint64_t count, std::vector<double> &times) {
  if (Status status = makeEvents(count); !status)
    return status;
  for (uint64_t i = 0; i < count; ++i) {
    if (flushed)
      if (Status status = flushed->fillAsync(0, stream); !status)
        return status;
    if (Status status = events[2 * i].record(stream); !status)
      return status;
    if (Status status = run(done++); !status)
      return status;
    if (Status status = events[2 * i + 1].record(stream); !status)
      return status;
  }
  if (Status status = stream.synchronize(); !status)
    return status;
  for (uint64_t i = 0; i < count; ++i) {
    Result<double> time = events[2 * i + 1].microsecondsSince(events[2 * i]);
    if (!time)
      return time.takeError();
    times.push_back(*time);
  }
  return {};
}

/// How many runs of the given length fill a time.
static uint64_t runsIn(double microseconds, double one,
                       const TimerOptions &options) {
  double runs = microseconds / std::max(one, 0.1);
  return static_cast<uint64_t>(
      std::clamp<double>(runs, options.minRuns, options.maxRuns));
}

Result<Timing> tilec::timeRuns(std::shared_ptr<Device> device, Stream &stream,
                               const std::function<Status(uint64_t)> &run,
                               const TimerOptions &options) {
  Sampler sampler(std::move(device), stream, run);
  if (options.flushBytes)
    if (Status status = sampler.flushBefore(options.flushBytes); !status)
      return status.takeError();
  std::vector<double> times;
  // The first run alone (it loads code), a few to know the length, the rest.
  for (uint64_t count : {1, 4})
    if (Status status = sampler.sample(count, times); !status)
      return status.takeError();
  double one = *std::min_element(times.begin() + 1, times.end());
  if (Status status = sampler.sample(
          runsIn(options.warmUpMicroseconds, one, options), times);
      !status)
    return status.takeError();
  times.clear();
  if (Status status = sampler.sample(
          runsIn(options.measureMicroseconds, one, options), times);
      !status)
    return status.takeError();
  return Timing(std::move(times));
}

uint64_t tilec::bytesToFlush(const Device &device) {
  return 2 * device.info().l2Bytes;
}

/// How many sets of buffers of `bytes` there are, and whether that is too few
/// for the cache.
static Result<std::pair<uint64_t, bool>> countCopies(const Device &device,
                                                     uint64_t bytes) {
  if (!bytes)
    return std::pair(uint64_t(1), false);
  uint64_t wanted = 1 + (bytesToFlush(device) + bytes - 1) / bytes;
  Result<uint64_t> freeBytes = device.freeMemory();
  if (!freeBytes)
    return freeBytes.takeError();
  uint64_t fitting = *freeBytes / 2 / bytes + 1; // the first set exists
  uint64_t copies = std::min({wanted, fitting, maxCopies});
  return std::pair(copies, copies < wanted);
}

/// Copies of the buffers, and `arguments` with their addresses.
static Status copyBuffers(const std::shared_ptr<Device> &device,
                          const std::vector<const Buffer *> &buffers,
                          std::vector<Argument> &arguments,
                          std::vector<Buffer> &copies) {
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (!buffers[i])
      continue;
    Result<Buffer> copy = Buffer::allocate(device, buffers[i]->size());
    if (!copy)
      return copy.takeError();
    if (Status status = copy->copyFrom(*buffers[i], buffers[i]->size());
        !status)
      return status;
    arguments[i].bits = copy->address();
    copies.push_back(std::move(*copy));
  }
  return {};
}

Result<Timing> tilec::timeKernel(const Kernel &kernel,
                                 const std::vector<Argument> &arguments,
                                 const std::vector<const Buffer *> &buffers,
                                 const Grid &grid,
                                 const TimerOptions &options) {
  assert(buffers.size() == arguments.size() && "one entry per argument");
  const std::shared_ptr<Device> &device = kernel.device();
  uint64_t bytes = 0;
  for (const Buffer *buffer : buffers)
    bytes += buffer ? buffer->size() : 0;
  Result<std::pair<uint64_t, bool>> counted = countCopies(*device, bytes);
  if (!counted)
    return counted.takeError();
  auto [sets, tooFew] = *counted;
  TimerOptions all = options;
  if (tooFew)
    all.flushBytes = bytesToFlush(*device);
  std::vector<Buffer> copies;
  std::vector<BoundArguments> bound;
  for (uint64_t i = 0; i < sets; ++i) {
    std::vector<Argument> own = arguments;
    if (i)
      if (Status status = copyBuffers(device, buffers, own, copies); !status)
        return status.takeError();
    Result<BoundArguments> result = kernel.bind(own);
    if (!result)
      return result.takeError();
    bound.push_back(std::move(*result));
  }
  Result<Stream> stream = Stream::create(device);
  if (!stream)
    return stream.takeError();
  return timeRuns(
      device, *stream,
      [&](uint64_t i) {
        return kernel.launch(bound[i % bound.size()], grid, *stream);
      },
      all);
}
