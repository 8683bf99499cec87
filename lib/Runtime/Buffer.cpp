//===- Buffer.cpp - device memory, streams and events ---------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Thin owners. Each call makes its device current first, since a process may
// use several devices from several threads.
//
//===----------------------------------------------------------------------===//

#include "tilec/Runtime/Buffer.h"

#include "CudaTable.h"

using namespace tilec;

/// Makes the device current and runs a driver call that `what` names.
template <typename Call>
static Status onDevice(const Device &device, const char *what, Call call) {
  if (Status status = device.makeCurrent(); !status)
    return status;
  if (int code = call(device.cuda()()))
    return device.cuda().error(what, code);
  return {};
}

//===-- Buffer ---------------------------------------------------------------//

Result<Buffer> Buffer::allocate(std::shared_ptr<Device> device,
                                uint64_t bytes) {
  Buffer buffer;
  CUdeviceptr address = 0;
  if (Status status = device->makeCurrent(); !status)
    return status.takeError();
  int code = device->cuda()().memAlloc(&address, bytes ? bytes : 1);
  if (code == CudaOutOfMemory)
    return Error{"the GPU has no " + std::to_string(bytes) +
                     " bytes of memory left",
                 ErrorKind::OutOfMemory};
  if (code)
    return device->cuda().error(
        "allocate " + std::to_string(bytes) + " bytes of GPU memory", code);
  buffer.device = std::move(device);
  buffer.base = address;
  buffer.length = bytes;
  return buffer;
}

Buffer &Buffer::operator=(Buffer &&other) noexcept {
  std::swap(device, other.device);
  std::swap(base, other.base);
  std::swap(length, other.length);
  return *this;
}

Buffer::~Buffer() {
  if (device && device->makeCurrent())
    device->cuda()().memFree(base);
}

Status Buffer::checkRange(uint64_t bytes, uint64_t offset) const {
  if (offset <= length && bytes <= length - offset)
    return {};
  return Error{"cannot copy " + std::to_string(bytes) + " bytes at offset " +
                   std::to_string(offset) + " of a buffer of " +
                   std::to_string(length) + " bytes",
               ErrorKind::Mismatch};
}

Status Buffer::copyFromHost(const void *from, uint64_t bytes, uint64_t offset) {
  Status range = checkRange(bytes, offset);
  if (!range || !bytes)
    return range;
  return onDevice(*device, "copy to the GPU", [&](const CudaTable &cuda) {
    return cuda.memcpyHtoD(base + offset, from, bytes);
  });
}

Status Buffer::copyToHost(void *to, uint64_t bytes, uint64_t offset) const {
  Status range = checkRange(bytes, offset);
  if (!range || !bytes)
    return range;
  return onDevice(*device, "copy from the GPU", [&](const CudaTable &cuda) {
    return cuda.memcpyDtoH(to, base + offset, bytes);
  });
}

Status Buffer::copyFrom(const Buffer &from, uint64_t bytes, uint64_t offset) {
  Status range = checkRange(bytes, offset);
  if (range)
    range = from.checkRange(bytes, 0);
  if (!range || !bytes)
    return range;
  return onDevice(*device, "copy on the GPU", [&](const CudaTable &cuda) {
    return cuda.memcpyDtoD(base + offset, from.base, bytes);
  });
}

Status Buffer::copyFromHostAsync(const void *from, uint64_t bytes,
                                 uint64_t offset, const Stream &stream) {
  Status range = checkRange(bytes, offset);
  if (!range || !bytes)
    return range;
  return onDevice(*device, "copy to the GPU", [&](const CudaTable &cuda) {
    return cuda.memcpyHtoDAsync(base + offset, from, bytes, stream.handle());
  });
}

Status Buffer::copyToHostAsync(void *to, uint64_t bytes, uint64_t offset,
                               const Stream &stream) const {
  Status range = checkRange(bytes, offset);
  if (!range || !bytes)
    return range;
  return onDevice(*device, "copy from the GPU", [&](const CudaTable &cuda) {
    return cuda.memcpyDtoHAsync(to, base + offset, bytes, stream.handle());
  });
}

Status Buffer::fill(uint8_t value) {
  if (!length)
    return {};
  return onDevice(*device, "fill GPU memory", [&](const CudaTable &cuda) {
    return cuda.memsetD8(base, value, length);
  });
}

Status Buffer::fillAsync(uint8_t value, const Stream &stream) {
  if (!length)
    return {};
  return onDevice(*device, "fill GPU memory", [&](const CudaTable &cuda) {
    return cuda.memsetD8Async(base, value, length, stream.handle());
  });
}

//===-- Stream ---------------------------------------------------------------//

Result<Stream> Stream::create(std::shared_ptr<Device> device) {
  Stream result;
  Status status =
      onDevice(*device, "create a stream", [&](const CudaTable &cuda) {
        return cuda.streamCreate(&result.stream, 0);
      });
  if (!status)
    return status.takeError();
  result.device = std::move(device);
  return result;
}

Stream Stream::wrap(std::shared_ptr<Device> device, void *handle) {
  Stream result;
  result.device = std::move(device);
  result.stream = handle;
  result.isForeign = true;
  return result;
}

Stream &Stream::operator=(Stream &&other) noexcept {
  std::swap(device, other.device);
  std::swap(stream, other.stream);
  std::swap(isForeign, other.isForeign);
  return *this;
}

Stream::~Stream() {
  if (device && !isForeign && device->makeCurrent())
    device->cuda()().streamDestroy(stream);
}

Status Stream::synchronize() const {
  if (Status status = device->makeCurrent(); !status)
    return status;
  if (int code = device->cuda()().streamSynchronize(stream))
    return Error{"the work on the GPU failed: " +
                 device->cuda().describe(code)};
  return {};
}

Status Stream::waitFor(const Event &event) {
  return onDevice(*device, "wait for an event", [&](const CudaTable &cuda) {
    return cuda.streamWaitEvent(stream, event.event, 0);
  });
}

//===-- Event ----------------------------------------------------------------//

Result<Event> Event::create(std::shared_ptr<Device> device) {
  Event result;
  Status status =
      onDevice(*device, "create an event", [&](const CudaTable &cuda) {
        return cuda.eventCreate(&result.event, 0);
      });
  if (!status)
    return status.takeError();
  result.device = std::move(device);
  return result;
}

Event &Event::operator=(Event &&other) noexcept {
  std::swap(device, other.device);
  std::swap(event, other.event);
  return *this;
}

Event::~Event() {
  if (device && device->makeCurrent())
    device->cuda()().eventDestroy(event);
}

Status Event::record(const Stream &stream) {
  return onDevice(*device, "record an event", [&](const CudaTable &cuda) {
    return cuda.eventRecord(event, stream.handle());
  });
}

Status Event::synchronize() const {
  return onDevice(*device, "wait for an event", [&](const CudaTable &cuda) {
    return cuda.eventSynchronize(event);
  });
}

Result<double> Event::microsecondsSince(const Event &start) const {
  float milliseconds = 0;
  Status status =
      onDevice(*device, "read an event", [&](const CudaTable &cuda) {
        return cuda.eventElapsedTime(&milliseconds, start.event, event);
      });
  if (!status)
    return status.takeError();
  return milliseconds * 1e3;
}
