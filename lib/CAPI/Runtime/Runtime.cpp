//===- Runtime.cpp - the C interface of the runtime: devices, memory ------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Each function checks its pointers, and hands the call on to the C++ class.
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

using namespace tilec;
using namespace tilec::capi;

//===-- Driver and devices ---------------------------------------------------//

DeviceView::DeviceView(const DeviceInfo &info)
    : name(info.name), arch(info.nativeArch()),
      view{name.c_str(),         arch.c_str(),       info.major,
           info.minor,           info.memoryBytes,   info.l2Bytes,
           info.multiprocessors, info.sharedPerBlock} {}

tilec_status tilecrt_driver_load(const char *library, tilecrt_driver **driver,
                                 const tilec_sink *sink) {
  return guarded(sink, [&](const Reporter &reporter) {
    if (tilec_status status = reporter.need({{"driver", driver}}))
      return status;
    *driver = nullptr;
    Result<std::shared_ptr<Cuda>> cuda = Cuda::load(library ? library : "");
    if (!cuda)
      return reporter.fail(cuda.takeError());
    Result<std::vector<DeviceInfo>> devices = (*cuda)->listDevices();
    if (!devices)
      return reporter.fail(devices.takeError());
    auto result = std::make_unique<tilecrt_driver>();
    result->cuda = *cuda;
    for (const DeviceInfo &info : *devices)
      result->devices.emplace_back(info);
    *driver = result.release();
    return TILEC_OK;
  });
}

void tilecrt_driver_free(tilecrt_driver *driver) { delete driver; }

int tilecrt_driver_version(const tilecrt_driver *driver) {
  return driver ? driver->cuda->driverVersion() : 0;
}

size_t tilecrt_driver_num_devices(const tilecrt_driver *driver) {
  return driver ? driver->devices.size() : 0;
}

const tilecrt_device_info *
tilecrt_driver_device_info(const tilecrt_driver *driver, size_t ordinal) {
  if (!driver || ordinal >= driver->devices.size())
    return nullptr;
  return &driver->devices[ordinal].view;
}

tilec_status tilecrt_device_open(tilecrt_driver *driver, int ordinal,
                                 tilecrt_device **device,
                                 const tilec_sink *sink) {
  return guarded(sink, [&](const Reporter &reporter) {
    if (device)
      *device = nullptr;
    if (tilec_status status =
            reporter.need({{"driver", driver}, {"device", device}}))
      return status;
    Result<std::shared_ptr<Device>> opened =
        Device::open(driver->cuda, ordinal);
    if (!opened)
      return reporter.fail(opened.takeError());
    *device = new tilecrt_device{*opened, DeviceView((*opened)->info())};
    return TILEC_OK;
  });
}

void tilecrt_device_free(tilecrt_device *device) { delete device; }

const tilecrt_device_info *
tilecrt_device_get_info(const tilecrt_device *device) {
  return device ? &device->info.view : nullptr;
}

tilec_status tilecrt_device_synchronize(tilecrt_device *device,
                                        const tilec_sink *sink) {
  return call(sink, [&] { return device->device->synchronize(); },
              {{"device", device}});
}

tilec_status tilecrt_device_free_memory(tilecrt_device *device, uint64_t *bytes,
                                        const tilec_sink *sink) {
  return call(sink,
              [&]() -> Status {
                Result<uint64_t> result = device->device->freeMemory();
                if (!result)
                  return result.takeError();
                *bytes = *result;
                return {};
              },
              {{"device", device}, {"bytes", bytes}});
}

//===-- Memory ---------------------------------------------------------------//

tilec_status tilecrt_buffer_allocate(tilecrt_device *device, uint64_t bytes,
                                     tilecrt_buffer **buffer,
                                     const tilec_sink *sink) {
  return create(sink, buffer,
                [&] { return Buffer::allocate(device->device, bytes); },
                {{"device", device}, {"buffer", buffer}});
}

void tilecrt_buffer_free(tilecrt_buffer *buffer) { delete buffer; }

uint64_t tilecrt_buffer_address(const tilecrt_buffer *buffer) {
  return buffer ? buffer->value.address() : 0;
}

uint64_t tilecrt_buffer_size(const tilecrt_buffer *buffer) {
  return buffer ? buffer->value.size() : 0;
}

tilec_status tilecrt_buffer_write(tilecrt_buffer *buffer, uint64_t offset,
                                  const void *from, uint64_t bytes,
                                  tilecrt_stream *stream,
                                  const tilec_sink *sink) {
  static const char nothing = 0;
  const void *source = from || bytes ? from : &nothing;
  return call(sink,
              [&] {
                return stream
                           ? buffer->value.copyFromHostAsync(
                                 source, bytes, offset, stream->value)
                           : buffer->value.copyFromHost(source, bytes, offset);
              },
              {{"buffer", buffer}, {"from", source}});
}

tilec_status tilecrt_buffer_read(const tilecrt_buffer *buffer, uint64_t offset,
                                 void *to, uint64_t bytes,
                                 tilecrt_stream *stream,
                                 const tilec_sink *sink) {
  char nothing = 0;
  void *target = to || bytes ? to : &nothing;
  return call(sink,
              [&] {
                return stream ? buffer->value.copyToHostAsync(
                                    target, bytes, offset, stream->value)
                              : buffer->value.copyToHost(target, bytes, offset);
              },
              {{"buffer", buffer}, {"to", target}});
}

tilec_status tilecrt_buffer_fill(tilecrt_buffer *buffer, uint8_t value,
                                 tilecrt_stream *stream,
                                 const tilec_sink *sink) {
  return call(sink,
              [&] {
                return stream ? buffer->value.fillAsync(value, stream->value)
                              : buffer->value.fill(value);
              },
              {{"buffer", buffer}});
}

//===-- Streams and events ---------------------------------------------------//

tilec_status tilecrt_stream_create(tilecrt_device *device,
                                   tilecrt_stream **stream,
                                   const tilec_sink *sink) {
  return create(sink, stream, [&] { return Stream::create(device->device); },
                {{"device", device}, {"stream", stream}});
}

tilec_status tilecrt_stream_wrap(tilecrt_device *device, void *cuda,
                                 tilecrt_stream **stream,
                                 const tilec_sink *sink) {
  return create(
      sink, stream,
      [&]() -> Result<Stream> { return Stream::wrap(device->device, cuda); },
      {{"device", device}, {"stream", stream}});
}

void tilecrt_stream_free(tilecrt_stream *stream) { delete stream; }

void *tilecrt_stream_handle(const tilecrt_stream *stream) {
  return stream ? stream->value.handle() : nullptr;
}

tilec_status tilecrt_stream_synchronize(tilecrt_stream *stream,
                                        const tilec_sink *sink) {
  return call(sink, [&] { return stream->value.synchronize(); },
              {{"stream", stream}});
}

tilec_status tilecrt_stream_wait(tilecrt_stream *stream,
                                 const tilecrt_event *event,
                                 const tilec_sink *sink) {
  return call(sink, [&] { return stream->value.waitFor(event->value); },
              {{"stream", stream}, {"event", event}});
}

tilec_status tilecrt_event_create(tilecrt_device *device, tilecrt_event **event,
                                  const tilec_sink *sink) {
  return create(sink, event, [&] { return Event::create(device->device); },
                {{"device", device}, {"event", event}});
}

void tilecrt_event_free(tilecrt_event *event) { delete event; }

tilec_status tilecrt_event_record(tilecrt_event *event, tilecrt_stream *stream,
                                  const tilec_sink *sink) {
  return call(sink, [&] { return event->value.record(stream->value); },
              {{"event", event}, {"stream", stream}});
}

tilec_status tilecrt_event_synchronize(tilecrt_event *event,
                                       const tilec_sink *sink) {
  return call(sink, [&] { return event->value.synchronize(); },
              {{"event", event}});
}

tilec_status tilecrt_event_elapsed(const tilecrt_event *start,
                                   const tilecrt_event *end,
                                   double *microseconds,
                                   const tilec_sink *sink) {
  return call(sink,
              [&]() -> Status {
                Result<double> time =
                    end->value.microsecondsSince(start->value);
                if (!time)
                  return time.takeError();
                *microseconds = *time;
                return {};
              },
              {{"start", start}, {"end", end}, {"microseconds", microseconds}});
}
