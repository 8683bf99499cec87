//===- Handles.h - what the runtime's handles point to ----------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_CAPI_RUNTIME_HANDLES_H
#define TILEC_LIB_CAPI_RUNTIME_HANDLES_H

#include "../Types/Types.h"
#include "tilec-c/tilec-runtime.h"
#include "tilec/Runtime/KernelFamily.h"

namespace tilec::capi {

/// A device's information as the C struct.
struct DeviceView {
  explicit DeviceView(const DeviceInfo &info);
  DeviceView(const DeviceView &other) : DeviceView(other.name, other) {}

  std::string name, arch;
  tilecrt_device_info view;

private:
  DeviceView(std::string text, const DeviceView &other)
      : name(std::move(text)), arch(other.arch), view(other.view) {
    view.name = name.c_str();
    view.arch = arch.c_str();
  }
};

/// Makes a handle of what `body` returns, if no pointer is null.
template <typename Handle, typename Body>
tilec_status create(const tilec_sink *sink, Handle **handle, Body body,
                    std::initializer_list<Needed> pointers) {
  return guarded(sink, [&](const Reporter &reporter) {
    if (handle)
      *handle = nullptr;
    if (tilec_status misuse = reporter.need(pointers))
      return misuse;
    auto result = body();
    if (!result)
      return reporter.fail(result.takeError());
    *handle = new Handle{std::move(*result)};
    return TILEC_OK;
  });
}

} // namespace tilec::capi

struct tilecrt_driver {
  std::shared_ptr<tilec::Cuda> cuda;
  std::deque<tilec::capi::DeviceView> devices;
};

struct tilecrt_device {
  std::shared_ptr<tilec::Device> device;
  tilec::capi::DeviceView info;
};

struct tilecrt_buffer {
  tilec::Buffer value;
};

struct tilecrt_stream {
  tilec::Stream value;
};

struct tilecrt_event {
  tilec::Event value;
};

struct tilecrt_module {
  std::shared_ptr<tilec::Module> module;
  tilec::capi::KernelViews entries;
};

struct tilecrt_kernel {
  std::shared_ptr<tilec::KernelFamily> family;
  tilec::capi::KernelViews entries;
};

#endif // TILEC_LIB_CAPI_RUNTIME_HANDLES_H
