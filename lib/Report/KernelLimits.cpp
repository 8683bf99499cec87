//===- KernelLimits.cpp - a report beside a GPU's limits ------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "KernelLimits.h"

using namespace tilec;

std::optional<Occupancy> tilec::occupancyOf(const ModuleReport &report,
                                            const KernelReport &kernel) {
  std::optional<Multiprocessor> multiprocessor;
  if (report.gpu && kernel.hasLayouts)
    multiprocessor = findMultiprocessor(report.gpu->capability);
  if (!multiprocessor)
    return std::nullopt;
  BlockResources block;
  block.threads = kernel.numWarps * 32;
  block.shared = kernel.sharedBytes;
  if (kernel.resources)
    block.registers = kernel.resources->registers;
  return computeOccupancy(*multiprocessor, block);
}

/// The length of a loop that is not known: long enough for what is outside it
/// not to count.
static constexpr double longLoop = 1 << 20;

double tilec::peakOf(const Gpu &gpu, const std::string &type, bool isDot) {
  if (type == "fp64")
    return gpu.fp64;
  double peak = isDot ? gpu.dot(type) : 0;
  return peak > 0 ? peak : gpu.fp32;
}

std::optional<Roofline> tilec::rooflineOf(const ModuleReport &report,
                                          const KernelReport &kernel) {
  if (!report.gpu || !kernel.work)
    return std::nullopt;
  const Gpu &gpu = *report.gpu;
  const KernelWork &work = *kernel.work;
  double bytes =
      work.bytesRead.evaluate(longLoop) + work.bytesWritten.evaluate(longLoop);
  if (bytes <= 0)
    return std::nullopt;
  Roofline roofline;
  double operations = 0, slowest = -1;
  auto add = [&](double amount, const std::string &type, bool isDot) {
    double peak = peakOf(gpu, type, isDot);
    operations += amount;
    if (amount / peak > slowest) {
      slowest = amount / peak;
      roofline.unit = type;
      roofline.peak = peak;
    }
  };
  double flops = 0;
  for (const auto &[kind, count] : work.flops)
    flops += count.evaluate(longLoop);
  add(flops, work.flopType, /*isDot=*/false);
  for (const auto &[type, count] : work.dots)
    add(count.evaluate(longLoop), type, /*isDot=*/true);
  roofline.intensity = operations / bytes;
  roofline.ridge = roofline.peak * 1e3 / gpu.memory;
  roofline.isMemory = slowest / 1e12 <= bytes / (gpu.memory * 1e9);
  roofline.attainable =
      std::min(roofline.peak, roofline.intensity * gpu.memory * 1e-3);
  return roofline;
}
