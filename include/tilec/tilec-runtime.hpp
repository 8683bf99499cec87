//===- tilec-runtime.hpp - launching kernels from C++ -----------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Owners and values over the C interface of tilec-c/tilec-runtime.h; nothing is
// behind this header but that. C++17.
//
//   namespace rt = tilec::rt;
//   rt::Device device = rt::Device::open().value();
//   rt::Kernel add = rt::Module::load(device,
//   ptx).value().kernel("add").value(); rt::Buffer<float> x =
//   rt::Buffer<float>::from(device, host).value(); add.launch({blocks}, stream,
//   x, n).value();
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TILEC_RUNTIME_HPP
#define TILEC_TILEC_RUNTIME_HPP

#include "tilec-c/tilec-runtime.h"
#include "tilec/types.hpp"

#include <array>
#include <string_view>
#include <type_traits>

namespace tilec {
inline namespace api {
namespace rt {

namespace detail {

using namespace tilec::detail;

/// Runs a call that fills a handle.
template <typename Owner, typename Raw, typename Call>
Expected<Owner> make(Call call) {
  Collector collector;
  Raw *raw = nullptr;
  if (tilec_status status = call(&raw, collector.sink()))
    return collector.take(status);
  return Owner(raw);
}

/// Runs a call that only succeeds or fails.
template <typename Call>
Expected<void> run(Call call) {
  Collector collector;
  if (tilec_status status = call(collector.sink()))
    return collector.take(status);
  return {};
}

} // namespace detail

/// The loaded driver.
class Driver {
public:
  static Expected<Driver> load(const std::string &library = "") {
    return detail::make<Driver, tilecrt_driver>([&](auto **out, auto *sink) {
      return tilecrt_driver_load(library.empty() ? nullptr : library.c_str(),
                                 out, sink);
    });
  }
  explicit Driver(tilecrt_driver *driver) : raw(driver) {}

  int version() const { return tilecrt_driver_version(raw.get()); }
  size_t numDevices() const { return tilecrt_driver_num_devices(raw.get()); }
  /// Of a device below numDevices(), else as value() of an error.
  const tilecrt_device_info &deviceInfo(size_t ordinal) const {
    return detail::checked(tilecrt_driver_device_info(raw.get(), ordinal),
                           "the driver has no device of that number");
  }
  tilecrt_driver *get() const { return raw.get(); }

private:
  detail::Handle<tilecrt_driver, tilecrt_driver_free> raw;
};

/// An opened device.
class Device {
public:
  static Expected<Device> open(const Driver &driver, int ordinal = 0) {
    return detail::make<Device, tilecrt_device>([&](auto **out, auto *sink) {
      return tilecrt_device_open(driver.get(), ordinal, out, sink);
    });
  }
  /// A device of the system's driver.
  static Expected<Device> open(int ordinal = 0) {
    Expected<Driver> driver = Driver::load();
    if (!driver)
      return driver.error();
    return open(*driver, ordinal);
  }
  explicit Device(tilecrt_device *device) : raw(device) {}

  const tilecrt_device_info &info() const {
    return detail::checked(tilecrt_device_get_info(raw.get()),
                           "the device was moved from");
  }
  Expected<void> synchronize() const {
    return detail::run([&](auto *sink) {
      return tilecrt_device_synchronize(raw.get(), sink);
    });
  }
  tilecrt_device *get() const { return raw.get(); }

private:
  detail::Handle<tilecrt_device, tilecrt_device_free> raw;
};

/// A queue of work.
class Stream {
public:
  static Expected<Stream> create(const Device &device) {
    return detail::make<Stream, tilecrt_stream>([&](auto **out, auto *sink) {
      return tilecrt_stream_create(device.get(), out, sink);
    });
  }
  /// A CUstream or cudaStream_t that somebody else owns.
  static Expected<Stream> wrap(const Device &device, void *cuda) {
    return detail::make<Stream, tilecrt_stream>([&](auto **out, auto *sink) {
      return tilecrt_stream_wrap(device.get(), cuda, out, sink);
    });
  }
  explicit Stream(tilecrt_stream *stream) : raw(stream) {}

  Expected<void> synchronize() const {
    return detail::run([&](auto *sink) {
      return tilecrt_stream_synchronize(raw.get(), sink);
    });
  }
  void *handle() const { return tilecrt_stream_handle(raw.get()); }
  tilecrt_stream *get() const { return raw.get(); }

private:
  detail::Handle<tilecrt_stream, tilecrt_stream_free> raw;
};

/// A moment in a stream.
class Event {
public:
  static Expected<Event> create(const Device &device) {
    return detail::make<Event, tilecrt_event>([&](auto **out, auto *sink) {
      return tilecrt_event_create(device.get(), out, sink);
    });
  }
  explicit Event(tilecrt_event *event) : raw(event) {}

  Expected<void> record(const Stream &stream) {
    return detail::run([&](auto *sink) {
      return tilecrt_event_record(raw.get(), stream.get(), sink);
    });
  }
  Expected<void> synchronize() const {
    return detail::run(
        [&](auto *sink) { return tilecrt_event_synchronize(raw.get(), sink); });
  }
  /// Microseconds since an earlier event; both must have passed.
  Expected<double> since(const Event &start) const {
    detail::Collector collector;
    double time = 0;
    if (tilec_status status = tilecrt_event_elapsed(start.get(), raw.get(),
                                                    &time, collector.sink()))
      return collector.take(status);
    return time;
  }
  tilecrt_event *get() const { return raw.get(); }

private:
  detail::Handle<tilecrt_event, tilecrt_event_free> raw;
};

/// Device memory of elements of type T.
template <typename T>
class Buffer {
public:
  static Expected<Buffer> allocate(const Device &device, size_t count) {
    if (count > most)
      return tooLarge();
    return detail::make<Buffer, tilecrt_buffer>([&](auto **out, auto *sink) {
      return tilecrt_buffer_allocate(device.get(), count * sizeof(T), out,
                                     sink);
    });
  }
  /// A copy of whatever has data() and size().
  template <typename Container>
  static Expected<Buffer> from(const Device &device, const Container &host) {
    Expected<Buffer> buffer = allocate(device, host.size());
    if (buffer)
      if (Expected<void> copied = buffer->write(host.data(), host.size());
          !copied)
        return copied.error();
    return buffer;
  }
  explicit Buffer(tilecrt_buffer *buffer) : raw(buffer) {}

  size_t size() const { return tilecrt_buffer_size(raw.get()) / sizeof(T); }
  uint64_t address() const { return tilecrt_buffer_address(raw.get()); }

  Expected<void> write(const T *from, size_t count, size_t offset = 0) {
    if (count > most || offset > most)
      return tooLarge();
    return detail::run([&](auto *sink) {
      return tilecrt_buffer_write(raw.get(), offset * sizeof(T), from,
                                  count * sizeof(T), nullptr, sink);
    });
  }
  Expected<void> read(T *to, size_t count, size_t offset = 0) const {
    if (count > most || offset > most)
      return tooLarge();
    return detail::run([&](auto *sink) {
      return tilecrt_buffer_read(raw.get(), offset * sizeof(T), to,
                                 count * sizeof(T), nullptr, sink);
    });
  }
  /// All elements.
  Expected<std::vector<T>> read() const {
    std::vector<T> result(size());
    if (Expected<void> copied = read(result.data(), result.size()); !copied)
      return copied.error();
    return result;
  }
  /// Sets every byte.
  Expected<void> fill(uint8_t value) {
    return detail::run([&](auto *sink) {
      return tilecrt_buffer_fill(raw.get(), value, nullptr, sink);
    });
  }
  tilecrt_buffer *get() const { return raw.get(); }

private:
  /// The most elements whose bytes can be counted.
  static constexpr size_t most = SIZE_MAX / sizeof(T);
  static Error tooLarge() {
    return {
        TILEC_MISMATCH,
        {Diagnostic("no buffer has more than " + std::to_string(most) +
                    " elements of " + std::to_string(sizeof(T)) + " bytes")}};
  }

  detail::Handle<tilecrt_buffer, tilecrt_buffer_free> raw;
};

/// How an argument of a C++ type is passed: buffers, device pointers (which the
/// driver is asked about) and numbers.
template <typename T>
tilecrt_argument toArgument(const Buffer<T> &buffer) {
  return tilecrt_buffer_arg(typeOf<T>, buffer.get());
}
template <typename T>
tilecrt_argument toArgument(T *address) {
  return tilecrt_address_arg(typeOf<std::remove_cv_t<T>>, address);
}
template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
tilecrt_argument toArgument(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return tilecrt_arg(typeOf<T>, bits);
}
/// Whatever the others do not cover.
inline tilecrt_argument toArgument(const tilecrt_argument &argument) {
  return argument;
}

/// Blocks in each dimension.
struct Grid {
  uint64_t x = 1, y = 1, z = 1;
};

/// A kernel in all the versions that its module has of it.
class Kernel {
public:
  explicit Kernel(tilecrt_kernel *kernel) : raw(kernel) {}

  size_t numEntries() const { return tilecrt_kernel_num_entries(raw.get()); }
  /// Of an entry below numEntries(), else as value() of an error.
  const tilec_kernel_info &info(size_t entry) const {
    return detail::checked(tilecrt_kernel_entry(raw.get(), entry),
                           "the kernel has no entry of that number");
  }
  /// Queues a run. Arguments come in the order of the parameters.
  template <typename... Arguments>
  Expected<void> launch(Grid grid, const Stream &stream,
                        const Arguments &...arguments) const {
    const std::array<tilecrt_argument, sizeof...(Arguments)> list = {
        toArgument(arguments)...};
    const uint64_t size[3] = {grid.x, grid.y, grid.z};
    return detail::run([&](auto *sink) {
      return tilecrt_launch(raw.get(), size, list.data(), list.size(),
                            stream.get(), nullptr, sink);
    });
  }
  /// Times runs for about `microseconds`, none of which finds its data in the
  /// L2 cache; the buffers' contents change as the kernel changes them.
  template <typename... Arguments>
  Expected<tilecrt_timing> time(Grid grid, double microseconds,
                                const Arguments &...arguments) const {
    const std::array<tilecrt_argument, sizeof...(Arguments)> list = {
        toArgument(arguments)...};
    const uint64_t size[3] = {grid.x, grid.y, grid.z};
    tilecrt_timing timing = {};
    detail::Collector collector;
    if (tilec_status status =
            tilecrt_time(raw.get(), size, list.data(), list.size(),
                         microseconds, &timing, collector.sink()))
      return collector.take(status);
    return timing;
  }
  /// Which version a launch with these arguments takes, and why, in a sentence.
  template <typename... Arguments>
  Expected<std::string> explain(const Arguments &...arguments) const {
    const std::array<tilecrt_argument, sizeof...(Arguments)> list = {
        toArgument(arguments)...};
    detail::Collector collector, why;
    if (tilec_status status =
            tilecrt_select(raw.get(), list.data(), list.size(), nullptr,
                           why.sink(), collector.sink()))
      return collector.take(status);
    return why.diagnostics().front().message;
  }
  tilecrt_kernel *get() const { return raw.get(); }

private:
  detail::Handle<tilecrt_kernel, tilecrt_kernel_free> raw;
};

/// Loaded code.
class Module {
public:
  /// PTX of tilec.
  static Expected<Module> load(const Device &device, std::string_view ptx) {
    return detail::make<Module, tilecrt_module>([&](auto **out, auto *sink) {
      return tilecrt_module_load(device.get(), ptx.data(), ptx.size(), nullptr,
                                 0, out, sink);
    });
  }
  /// A cubin with the PTX, or the comment lines, that it was made of.
  static Expected<Module> load(const Device &device, std::string_view cubin,
                               std::string_view metadata) {
    return detail::make<Module, tilecrt_module>([&](auto **out, auto *sink) {
      return tilecrt_module_load(device.get(), cubin.data(), cubin.size(),
                                 metadata.data(), metadata.size(), out, sink);
    });
  }
  explicit Module(tilecrt_module *module) : raw(module) {}

  /// The name may be empty where there is one kernel. The kernel keeps the
  /// code.
  Expected<Kernel> kernel(const std::string &name = "") const {
    return detail::make<Kernel, tilecrt_kernel>([&](auto **out, auto *sink) {
      return tilecrt_kernel_get(
          raw.get(), name.empty() ? nullptr : name.c_str(), out, sink);
    });
  }
  tilecrt_module *get() const { return raw.get(); }

private:
  detail::Handle<tilecrt_module, tilecrt_module_free> raw;
};

} // namespace rt
} // namespace api
} // namespace tilec

#endif // TILEC_TILEC_RUNTIME_HPP
