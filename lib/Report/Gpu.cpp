//===- Gpu.cpp - the GPUs that reports speak of ---------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tilec/Report/Gpu.h"

#include <string>

using namespace tilec;

static constexpr Gpu gpus[] = {
#define TILEC_GPU(...) {__VA_ARGS__},
#include "tilec/Report/Gpus.def"
};

double Gpu::dot(std::string_view type) const {
  if (type == "fp64")
    return fp64;
  if (type == "fp32")
    return fp32;
  if (type == "tf32")
    return tf32;
  return type == "fp8" ? fp8 : fp16;
}

Result<const Gpu *> tilec::findGpu(std::string_view name) {
  std::string names;
  for (const Gpu &gpu : gpus) {
    if (gpu.name == name)
      return &gpu;
    names += (names.empty() ? "" : ", ") + std::string(gpu.name);
  }
  return Error{"unknown GPU '" + std::string(name) + "', choose one of " +
               names};
}

const Gpu *tilec::findGpuOfDevice(std::string_view device) {
  for (const Gpu &gpu : gpus)
    if (device.find(gpu.part) != device.npos)
      return &gpu;
  return nullptr;
}

const Gpu *tilec::findGpuOfCapability(unsigned capability) {
  // A longer name is a variant: `h200-nvl`.
  const Gpu *usual = nullptr;
  for (const Gpu &gpu : gpus)
    if (gpu.capability == capability &&
        (!usual || gpu.name.size() < usual->name.size()))
      usual = &gpu;
  return usual;
}
