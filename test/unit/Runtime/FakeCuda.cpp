//===- FakeCuda.cpp - a CUDA driver without a GPU -------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A shared library with the driver's functions that the runtime uses. Device
// memory is host memory, launches are recorded, any call can be made to fail:
// so the runtime's paths are tested on machines without a GPU.
//
//===----------------------------------------------------------------------===//

#include "FakeCuda.h"

#include <cstdlib>
#include <cstring>
#include <mutex>

static FakeCuda state;
/// Guards the state: tests call from many threads, as programs do.
static std::recursive_mutex mutex;
using Lock = std::lock_guard<std::recursive_mutex>;

/// Notes the call and returns the code that the test wants from it.
static int enter(const char *name) {
  Lock lock(mutex);
  if (state.records)
    state.calls.push_back(name);
  auto found = state.failures.find(name);
  return found == state.failures.end() ? 0 : found->second;
}

/// Hands out a handle that is not null.
static int makeHandle(const char *name, void **handle) {
  Lock lock(mutex);
  if (int code = enter(name))
    return code;
  *handle = reinterpret_cast<void *>(uintptr_t(0x100 + ++state.openHandles));
  return 0;
}

/// Takes a handle back.
static int dropHandle(const char *name) {
  Lock lock(mutex);
  --state.openHandles;
  return enter(name);
}

extern "C" {

FakeCuda *fakeCuda() { return &state; }

// The same for tests in C.
void fakeCudaReset() { state = FakeCuda(); }
void fakeCudaFail(const char *name, int code) { state.failures[name] = code; }
void fakeCudaRecord(int records) { state.records = records; }
int fakeCudaOpen() {
  return state.openHandles + static_cast<int>(state.allocations.size());
}
unsigned long long fakeCudaLaunches() { return state.launchCount; }

int cuInit(unsigned) { return enter("cuInit"); }
int cuDriverGetVersion(int *version) {
  *version = state.driverVersion;
  return enter("cuDriverGetVersion");
}
int cuGetErrorName(int code, const char **name) {
  *name = code == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_FAKE";
  return code == 12345 ? 1 : 0;
}
int cuGetErrorString(int code, const char **text) {
  *text = "fake text";
  return 0;
}
int cuDeviceGetCount(int *count) {
  *count = state.deviceCount;
  return enter("cuDeviceGetCount");
}
int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return enter("cuDeviceGet");
}
int cuDeviceGetName(char *name, int size, int) {
  std::strncpy(name, "Fake GPU", size);
  return enter("cuDeviceGetName");
}
int cuDeviceGetAttribute(int *value, int attribute, int) {
  *value = attribute == 75   ? state.major
           : attribute == 76 ? state.minor
           : attribute == 38 ? state.l2Bytes
           : attribute == 97 ? state.sharedOptin
                             : 132;
  return enter("cuDeviceGetAttribute");
}
int cuDeviceTotalMem_v2(size_t *bytes, int) {
  *bytes = size_t(1) << 30;
  return enter("cuDeviceTotalMem_v2");
}
int cuDevicePrimaryCtxRetain(void **context, int) {
  return makeHandle("cuDevicePrimaryCtxRetain", context);
}
int cuDevicePrimaryCtxRelease_v2(int) {
  return dropHandle("cuDevicePrimaryCtxRelease_v2");
}
int cuCtxSetCurrent(void *) { return enter("cuCtxSetCurrent"); }
int cuCtxSynchronize() { return enter("cuCtxSynchronize"); }

int cuMemAlloc_v2(unsigned long long *address, size_t bytes) {
  Lock lock(mutex);
  if (int code = enter("cuMemAlloc_v2"))
    return code;
  if (bytes > size_t(1) << 30)
    return 2; // CUDA_ERROR_OUT_OF_MEMORY
  void *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  *address = reinterpret_cast<uintptr_t>(memory);
  state.allocations[*address] = bytes;
  return 0;
}
int cuMemFree_v2(unsigned long long address) {
  Lock lock(mutex);
  state.allocations.erase(address);
  std::free(reinterpret_cast<void *>(address));
  return enter("cuMemFree_v2");
}
int cuMemGetInfo_v2(size_t *freeBytes, size_t *totalBytes) {
  *freeBytes = *totalBytes = size_t(1) << 30;
  return enter("cuMemGetInfo_v2");
}
int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t bytes) {
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return enter("cuMemcpyHtoD_v2");
}
int cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t bytes) {
  std::memcpy(to, reinterpret_cast<void *>(from), bytes);
  return enter("cuMemcpyDtoH_v2");
}
int cuMemcpyDtoD_v2(unsigned long long to, unsigned long long from,
                    size_t bytes) {
  std::memcpy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from),
              bytes);
  return enter("cuMemcpyDtoD_v2");
}
int cuMemsetD8_v2(unsigned long long to, unsigned char value, size_t bytes) {
  std::memset(reinterpret_cast<void *>(to), value, bytes);
  return enter("cuMemsetD8_v2");
}
int cuMemcpyHtoDAsync_v2(unsigned long long to, const void *from, size_t bytes,
                         void *) {
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return enter("cuMemcpyHtoDAsync_v2");
}
int cuMemcpyDtoHAsync_v2(void *to, unsigned long long from, size_t bytes,
                         void *) {
  std::memcpy(to, reinterpret_cast<void *>(from), bytes);
  return enter("cuMemcpyDtoHAsync_v2");
}
int cuMemsetD8Async(unsigned long long to, unsigned char value, size_t bytes,
                    void *) {
  std::memset(reinterpret_cast<void *>(to), value, bytes);
  return enter("cuMemsetD8Async");
}
int cuTensorMapEncodeTiled(void *map, int type, unsigned rank, void *address,
                           const unsigned long long *shape,
                           const unsigned long long *strides,
                           const unsigned *box, const unsigned *, int,
                           int swizzle, int, int) {
  unsigned long long words[16] = {reinterpret_cast<uintptr_t>(address),
                                  shape[0],
                                  shape[1],
                                  strides[0],
                                  box[0],
                                  box[1],
                                  rank,
                                  unsigned(type),
                                  unsigned(swizzle)};
  std::memcpy(map, words, sizeof words);
  return enter("cuTensorMapEncodeTiled");
}
int cuPointerGetAttribute(void *data, int, unsigned long long address) {
  if (int code = enter("cuPointerGetAttribute"))
    return code;
  Lock lock(mutex);
  *static_cast<unsigned *>(data) = 2;
  auto next = state.allocations.upper_bound(address);
  if (next == state.allocations.begin())
    return 1;
  --next;
  return address < next->first + next->second ? 0 : 1;
}

int cuModuleLoadDataEx(void **module, const void *image, unsigned count,
                       int *options, void **values) {
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == 5)
      std::strcpy(static_cast<char *>(values[i]), state.jitLog.c_str());
  Lock lock(mutex);
  state.loadedText = static_cast<const char *>(image);
  return makeHandle("cuModuleLoadDataEx", module);
}
int cuModuleUnload(void *) { return dropHandle("cuModuleUnload"); }
int cuModuleGetFunction(void **function, void *, const char *name) {
  *function = const_cast<char *>(name);
  return enter("cuModuleGetFunction");
}
int cuFuncGetAttribute(int *value, int attribute, void *) {
  *value = attribute == 0   ? state.maxThreads
           : attribute == 1 ? state.staticShared
                            : 40;
  return enter("cuFuncGetAttribute");
}
int cuFuncSetAttribute(void *, int attribute, int value) {
  state.functionAttributes[attribute] = value;
  return enter("cuFuncSetAttribute");
}
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz,
                   unsigned bx, unsigned by, unsigned bz, unsigned shared,
                   void *, void **parameters, void **) {
  Lock lock(mutex);
  ++state.launchCount;
  state.clock += 0.01;
  if (!state.records)
    return enter("cuLaunchKernel");
  FakeCuda::Launch launch{{gx, gy, gz}, {bx, by, bz}, shared, {}, {}, {}};
  launch.entry = static_cast<const char *>(function);
  for (unsigned i = 0; i < state.paramCount; ++i)
    launch.params.push_back(*static_cast<uint64_t *>(parameters[i]));
  for (unsigned i = 0; i < state.mapCount; ++i) {
    auto *words = static_cast<uint64_t *>(parameters[state.paramCount + i]);
    launch.maps.emplace_back(words, words + 16);
  }
  state.launches.push_back(launch);
  return enter("cuLaunchKernel");
}

int cuStreamCreate(void **stream, unsigned) {
  return makeHandle("cuStreamCreate", stream);
}
int cuStreamDestroy_v2(void *) { return dropHandle("cuStreamDestroy_v2"); }
int cuStreamWaitEvent(void *, void *, unsigned) {
  return enter("cuStreamWaitEvent");
}
int cuStreamSynchronize(void *) { return enter("cuStreamSynchronize"); }
int cuEventCreate(void **event, unsigned) {
  Lock lock(mutex);
  if (int code = enter("cuEventCreate"))
    return code;
  ++state.openHandles;
  *event = new double(0);
  return 0;
}
int cuEventDestroy_v2(void *event) {
  delete static_cast<double *>(event);
  return dropHandle("cuEventDestroy_v2");
}
int cuEventRecord(void *event, void *) {
  *static_cast<double *>(event) = state.clock;
  return enter("cuEventRecord");
}
int cuEventSynchronize(void *) { return enter("cuEventSynchronize"); }
#ifndef FAKE_CUDA_WITHOUT_ELAPSED_TIME
int cuEventElapsedTime(float *milliseconds, void *start, void *end) {
  *milliseconds = static_cast<float>(*static_cast<double *>(end) -
                                     *static_cast<double *>(start));
  return enter("cuEventElapsedTime");
}
#endif
}
