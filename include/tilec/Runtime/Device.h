//===- Device.h - the CUDA driver and its devices ---------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Finds libcuda at run time. A machine without a driver, without a GPU or with
// a driver that is too old gives one clear sentence.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_RUNTIME_DEVICE_H
#define TILEC_RUNTIME_DEVICE_H

#include "tilec/KernelInfo/Result.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace tilec {

struct CudaTable;
class TensorMapCache;

/// What is known of a device without opening it.
struct DeviceInfo {
  int ordinal = 0;
  std::string name;
  int major = 0, minor = 0; ///< compute capability
  uint64_t memoryBytes = 0;
  uint64_t l2Bytes = 0;
  unsigned multiprocessors = 0;
  unsigned sharedPerBlock = 0; ///< the most shared memory that a block may have

  /// "sm_90".
  std::string arch() const;
  /// The architecture to compile for: with the features of this device alone
  /// (`sm_90a`) where it has such.
  std::string nativeArch() const;
  /// What to compile for, as the end of a message.
  std::string archAdvice() const;
  /// Whether code for `arch` runs here: `sm_80` on everything from 8.0,
  /// `sm_90a` on 9.0 only, `sm_100f` on the 10.x family.
  bool runs(const std::string &arch) const;
};

/// The loaded driver library.
class Cuda {
public:
  /// Loads and starts the driver, from `library` when given.
  static Result<std::shared_ptr<Cuda>> load(const std::string &library = "");
  ~Cuda();

  Result<std::vector<DeviceInfo>> listDevices() const;
  /// 12040 for CUDA 12.4.
  int driverVersion() const { return version; }

  const CudaTable &operator()() const { return *table; }
  /// "CUDA_ERROR_X (text)".
  std::string describe(int code) const;
  /// "cannot <what>: CUDA_ERROR_X (text)".
  Error error(const std::string &what, int code) const;

private:
  Cuda();
  std::unique_ptr<CudaTable> table;
  int version = 0;
};

/// An opened device. Everything made on it keeps it open.
class Device {
public:
  static Result<std::shared_ptr<Device>> open(std::shared_ptr<Cuda> cuda,
                                              int ordinal = 0);
  ~Device();

  const DeviceInfo &info() const { return description; }
  const Cuda &cuda() const { return *driver; }
  /// Makes the device the calling thread's current one.
  Status makeCurrent() const;
  /// Waits for all work on the device; reports what went wrong in it.
  Status synchronize() const;
  /// Free device memory in bytes.
  Result<uint64_t> freeMemory() const;
  /// The tensor maps of the device's arrays.
  TensorMapCache &tensorMaps() const { return *maps; }

private:
  Device();
  std::shared_ptr<Cuda> driver;
  DeviceInfo description;
  void *context = nullptr;
  std::unique_ptr<TensorMapCache> maps;
};

} // namespace tilec

#endif // TILEC_RUNTIME_DEVICE_H
