//===- MeterGpu.cpp - the GPUs that the meter speaks of -------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Their limits are in GpuLimits.def; here are the short names of the modules
// that kernels are mostly written for, and how many multiprocessors these have.
//
//===----------------------------------------------------------------------===//

#include "MeterGpu.h"

#include "BenchReport.h"

using namespace tilec;

/// A short name, the row of GpuLimits.def, and the multiprocessors.
static constexpr struct {
  std::string_view name, part;
  unsigned multiprocessors;
} modules[] = {
    {"a100", "A100-SXM4-80GB", 108},
    {"h100", "H100", 132},
    {"h200", "H200", 132},
    {"b200", "B200", 148},
};

Result<Gpu> tilec::findMeterGpu(std::string_view name) {
  std::string names;
  for (const auto &module : modules) {
    std::optional<GpuLimits> limits = findGpuLimits(module.part);
    if (module.name == name && limits) {
      Gpu gpu;
      gpu.name = name;
      gpu.multiprocessors = module.multiprocessors;
      gpu.bandwidth = limits->memory * 1e9;
      gpu.flops = limits->fp32 * 1e12;
      gpu.dots = limits->fp16 * 1e12;
      return gpu;
    }
    names += (names.empty() ? "" : ", ") + std::string(module.name);
  }
  return Error{"the meter does not know the GPU '" + std::string(name) +
               "', choose one of " + names};
}
