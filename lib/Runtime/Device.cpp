//===- Device.cpp - the CUDA driver and its devices -----------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Loading of libcuda by the table CudaSymbols.def, and primary contexts. The
// library is never closed again: its threads do not survive that.
//
//===----------------------------------------------------------------------===//

#include "tilec/Runtime/Device.h"

#include "CudaTable.h"
#include "tilec/Runtime/TensorMap.h"

#include <charconv>
#include <dlfcn.h>

using namespace tilec;

/// The compute capability of the first architecture supported, times ten.
static constexpr int oldestCapability = 80;
/// The oldest driver that knows it.
static constexpr int oldestDriver = 11000;

//===-- DeviceInfo -----------------------------------------------------------//

std::string DeviceInfo::arch() const {
  return "sm_" + std::to_string(major * 10 + minor);
}

std::string DeviceInfo::archAdvice() const {
  if (major * 10 + minor < oldestCapability)
    return "tilec compiles for sm_" + std::to_string(oldestCapability) +
           " and newer GPUs";
  return "compile with --arch " + nativeArch();
}

std::string DeviceInfo::nativeArch() const {
  return arch() + (major >= 9 && !(major == 9 && minor) ? "a" : "");
}

bool DeviceInfo::runs(const std::string &arch) const {
  int wanted = 0, own = major * 10 + minor;
  if (arch.compare(0, 3, "sm_") != 0)
    return false;
  const char *end = arch.data() + arch.size();
  auto [suffix, status] = std::from_chars(arch.data() + 3, end, wanted);
  if (status != std::errc())
    return false;
  if (suffix == end)
    return own >= wanted;
  if (*suffix == 'f')
    return own >= wanted && major == wanted / 10;
  return own == wanted;
}

//===-- Cuda -----------------------------------------------------------------//

Cuda::Cuda() : table(std::make_unique<CudaTable>()) {}
Cuda::~Cuda() = default;

/// "12.4" for 12040.
static std::string versionText(int version) {
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

/// Opens the driver library.
static Result<void *> openLibrary(const std::string &library) {
  void *handle = nullptr;
  std::string reason;
  for (const char *name : {"libcuda.so.1", "libcuda.so"}) {
    const char *path = library.empty() ? name : library.c_str();
    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle)
      return handle;
    const char *text = dlerror();
    if (reason.empty() && text)
      reason = text;
  }
  return Error{"no CUDA driver is installed (" + reason +
                   "); install the NVIDIA driver or run on the CPU",
               ErrorKind::Unavailable};
}

Result<std::shared_ptr<Cuda>> Cuda::load(const std::string &library) {
  Result<void *> handle = openLibrary(library);
  if (!handle)
    return handle.takeError();
  std::shared_ptr<Cuda> cuda(new Cuda);
  CudaTable &table = *cuda->table;
  const char *missing = nullptr;
#define TILEC_CUDA_OPTIONAL_SYMBOL(name, symbol, parameters)                   \
  table.name = reinterpret_cast<CUresult(*) parameters>(dlsym(*handle, symbol));
#define TILEC_CUDA_SYMBOL(name, symbol, parameters)                            \
  table.name =                                                                 \
      reinterpret_cast<CUresult(*) parameters>(dlsym(*handle, symbol));        \
  if (!table.name && !missing)                                                 \
    missing = symbol;
#include "CudaSymbols.def"
  if (missing)
    return Error{"the CUDA driver is too old: it lacks " +
                     std::string(missing) + "; update it to CUDA " +
                     versionText(oldestDriver) + " or newer",
                 ErrorKind::Unsupported};
  // Old drivers tell their version before they start.
  if (table.driverGetVersion(&cuda->version) == CudaSuccess &&
      cuda->version < oldestDriver)
    return Error{"the CUDA driver is too old: it is for CUDA " +
                     versionText(cuda->version) + ", update it to CUDA " +
                     versionText(oldestDriver) + " or newer",
                 ErrorKind::Unsupported};
  int code = table.init(0);
  if (code == CudaNoDevice)
    return Error{"a CUDA driver is installed but no GPU was found; check "
                 "nvidia-smi or run on the CPU",
                 ErrorKind::Unavailable};
  if (code == CudaDriverMismatch)
    return Error{"the CUDA driver library and the kernel's driver have "
                 "different versions; restart the machine",
                 ErrorKind::Unavailable};
  if (code != CudaSuccess)
    return cuda->error("start the CUDA driver", code);
  return cuda;
}

std::string Cuda::describe(int code) const {
  const char *name = nullptr, *text = nullptr;
  if (table->getErrorName(code, &name) != CudaSuccess || !name)
    return "CUDA error " + std::to_string(code);
  if (table->getErrorString(code, &text) != CudaSuccess || !text)
    return name;
  return std::string(name) + " (" + text + ")";
}

Error Cuda::error(const std::string &what, int code) const {
  ErrorKind kind = ErrorKind::Failure;
  if (code == CudaOutOfMemory)
    kind = ErrorKind::OutOfMemory;
  else if (code == CudaNoDevice)
    kind = ErrorKind::Unavailable;
  else if (code == CudaNoBinaryForGpu || code == CudaUnsupportedPtxVersion)
    kind = ErrorKind::Unsupported;
  return {"cannot " + what + ": " + describe(code), kind};
}

/// Asks the driver for all of a device's figures; the first failure stops.
static int readInfo(const CudaTable &table, DeviceInfo &info) {
  CUdevice device = 0;
  if (int code = table.deviceGet(&device, info.ordinal))
    return code;
  char name[256] = {};
  if (int code = table.deviceGetName(name, sizeof name - 1, device))
    return code;
  info.name = name;
  size_t bytes = 0;
  if (int code = table.deviceTotalMem(&bytes, device))
    return code;
  info.memoryBytes = bytes;
  int l2 = 0, multiprocessors = 0, shared = 0;
  const std::pair<int, int *> attributes[] = {
      {DeviceMajor, &info.major},
      {DeviceMinor, &info.minor},
      {DeviceL2Bytes, &l2},
      {DeviceMultiprocessors, &multiprocessors},
      {DeviceSharedOptin, &shared}};
  for (auto [attribute, value] : attributes)
    if (int code = table.deviceGetAttribute(value, attribute, device))
      return code;
  info.l2Bytes = l2;
  info.multiprocessors = multiprocessors;
  info.sharedPerBlock = shared;
  return CudaSuccess;
}

Result<std::vector<DeviceInfo>> Cuda::listDevices() const {
  int count = 0;
  if (int code = table->deviceGetCount(&count))
    return error("count the GPUs", code);
  std::vector<DeviceInfo> devices(count < 0 ? 0 : count);
  for (size_t i = 0; i < devices.size(); ++i) {
    devices[i].ordinal = static_cast<int>(i);
    if (int code = readInfo(*table, devices[i]))
      return error("query GPU " + std::to_string(i), code);
  }
  return devices;
}

//===-- Device ---------------------------------------------------------------//

Device::Device() : maps(std::make_unique<TensorMapCache>(*this)) {}

Result<std::shared_ptr<Device>> Device::open(std::shared_ptr<Cuda> cuda,
                                             int ordinal) {
  Result<std::vector<DeviceInfo>> devices = cuda->listDevices();
  if (!devices)
    return devices.takeError();
  if (devices->empty())
    return Error{"no GPU was found; check nvidia-smi or run on the CPU",
                 ErrorKind::Unavailable};
  if (ordinal < 0 || ordinal >= static_cast<int>(devices->size()))
    return Error{"there is no GPU " + std::to_string(ordinal) +
                     ", expected 0 to " + std::to_string(devices->size() - 1),
                 ErrorKind::Unavailable};
  std::shared_ptr<Device> device(new Device);
  device->description = (*devices)[ordinal];
  CUdevice handle = 0;
  if (int code = (*cuda)().deviceGet(&handle, ordinal))
    return cuda->error("open GPU " + std::to_string(ordinal), code);
  if (int code = (*cuda)().primaryCtxRetain(&device->context, handle))
    return cuda->error("open GPU " + std::to_string(ordinal), code);
  device->driver = std::move(cuda);
  if (Status status = device->makeCurrent(); !status)
    return status.takeError();
  return device;
}

Device::~Device() {
  CUdevice handle = 0;
  if (driver && (*driver)().deviceGet(&handle, description.ordinal) == 0)
    (*driver)().primaryCtxRelease(handle);
}

Status Device::makeCurrent() const {
  if (int code = (*driver)().ctxSetCurrent(context))
    return driver->error("use GPU " + std::to_string(description.ordinal),
                         code);
  return {};
}

Status Device::synchronize() const {
  if (Status status = makeCurrent(); !status)
    return status;
  if (int code = (*driver)().ctxSynchronize())
    return Error{"the work on the GPU failed: " + driver->describe(code)};
  return {};
}

Result<uint64_t> Device::freeMemory() const {
  if (Status status = makeCurrent(); !status)
    return status.takeError();
  size_t freeBytes = 0, totalBytes = 0;
  if (int code = (*driver)().memGetInfo(&freeBytes, &totalBytes))
    return driver->error("query the GPU's memory", code);
  return static_cast<uint64_t>(freeBytes);
}
