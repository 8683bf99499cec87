//===- Gpu.h - the GPUs that reports speak of -------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// One table for every tool: what a model has and what it can do at most.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_REPORT_GPU_H
#define TILEC_REPORT_GPU_H

#include "tilec/KernelInfo/Result.h"

#include <string_view>

namespace tilec {

/// A row of the table Gpus.def.
struct Gpu {
  std::string_view name;    ///< what users call it: `h200`
  std::string_view part;    ///< of the driver's name of the device
  unsigned capability;      ///< compute capability times ten
  unsigned multiprocessors; ///< how many
  double memory;            ///< GB/s
  /// TFLOP/s: fp64 and fp32 without tensor cores, the others with them (0
  /// without).
  double fp64, fp32, tf32, fp16, fp8;

  /// TFLOP/s of matrix products whose factors have this type: fp64, fp32
  /// (without tensor cores), tf32, fp8, any other is fp16.
  double dot(std::string_view type) const;
};

/// The GPU that users call by this name. The error lists the names.
Result<const Gpu *> findGpu(std::string_view name);

/// The GPU that the driver calls by this name; null if the table lacks it.
const Gpu *findGpuOfDevice(std::string_view device);

/// The usual GPU of a compute capability (times ten): the first of the shortest
/// name; null if the table has none of it.
const Gpu *findGpuOfCapability(unsigned capability);

} // namespace tilec

#endif // TILEC_REPORT_GPU_H
