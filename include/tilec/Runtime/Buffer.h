//===- Buffer.h - device memory, streams and events -------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Owners of what the driver hands out; each frees its own.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_RUNTIME_BUFFER_H
#define TILEC_RUNTIME_BUFFER_H

#include "tilec/Runtime/Device.h"

namespace tilec {

class Event;
class Stream;

/// Device memory.
class Buffer {
public:
  /// Unwritten memory; an empty buffer has an address too.
  static Result<Buffer> allocate(std::shared_ptr<Device> device,
                                 uint64_t bytes);
  Buffer(Buffer &&other) noexcept { *this = std::move(other); }
  Buffer &operator=(Buffer &&other) noexcept;
  ~Buffer();

  uint64_t address() const { return base; }
  uint64_t size() const { return length; }

  /// Copies between host and device; `bytes` at most `size() - offset`.
  Status copyFromHost(const void *from, uint64_t bytes, uint64_t offset = 0);
  Status copyToHost(void *to, uint64_t bytes, uint64_t offset = 0) const;
  /// Copies from another buffer of the device.
  Status copyFrom(const Buffer &from, uint64_t bytes, uint64_t offset = 0);
  /// The same in a stream: `from` and `to` stay untouched until it has passed.
  Status copyFromHostAsync(const void *from, uint64_t bytes, uint64_t offset,
                           const Stream &stream);
  Status copyToHostAsync(void *to, uint64_t bytes, uint64_t offset,
                         const Stream &stream) const;
  /// Sets every byte.
  Status fill(uint8_t value);
  Status fillAsync(uint8_t value, const Stream &stream);

private:
  Buffer() = default;
  Status checkRange(uint64_t bytes, uint64_t offset) const;
  std::shared_ptr<Device> device;
  uint64_t base = 0, length = 0;
};

/// A queue of device work.
class Stream {
public:
  static Result<Stream> create(std::shared_ptr<Device> device);
  /// A stream that another library made, and frees; null is the default one.
  static Stream wrap(std::shared_ptr<Device> device, void *handle);
  Stream(Stream &&other) noexcept { *this = std::move(other); }
  Stream &operator=(Stream &&other) noexcept;
  ~Stream();

  /// Waits for the work in it; reports what went wrong there.
  Status synchronize() const;
  /// Later work in the stream waits for the event.
  Status waitFor(const Event &event);
  void *handle() const { return stream; }

private:
  Stream() = default;
  std::shared_ptr<Device> device;
  void *stream = nullptr;
  bool isForeign = false;
};

/// A moment in a stream.
class Event {
public:
  static Result<Event> create(std::shared_ptr<Device> device);
  Event(Event &&other) noexcept { *this = std::move(other); }
  Event &operator=(Event &&other) noexcept;
  ~Event();

  Status record(const Stream &stream);
  Status synchronize() const;
  /// Microseconds from `start` to this event; both must have passed.
  Result<double> microsecondsSince(const Event &start) const;

private:
  friend class Stream;
  Event() = default;
  std::shared_ptr<Device> device;
  void *event = nullptr;
};

} // namespace tilec

#endif // TILEC_RUNTIME_BUFFER_H
