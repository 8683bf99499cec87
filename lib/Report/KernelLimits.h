//===- KernelLimits.h - a report beside a GPU's limits ----------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_REPORT_KERNELLIMITS_H
#define TILEC_LIB_REPORT_KERNELLIMITS_H

#include "tilec/Report/KernelReport.h"
#include "tilec/Report/Occupancy.h"

namespace tilec {

/// The occupancy on the report's GPU; none without layouts or a GPU.
std::optional<Occupancy> occupancyOf(const ModuleReport &report,
                                     const KernelReport &kernel);

/// Where a kernel stands under the roof of a GPU, as its loops get long.
struct Roofline {
  double intensity = 0;  ///< operations a byte
  double ridge = 0;      ///< where both limits meet, in the same unit
  bool isMemory = true;  ///< bound by memory, or else by `unit`
  std::string unit;      ///< whose operations take longest: "fp32", "fp16"
  double peak = 0;       ///< TFLOP/s of that unit
  double attainable = 0; ///< TFLOP/s under the roof
};

/// TFLOP/s of a type of operations; what tensor cores lack, threads compute.
double peakOf(const Gpu &gpu, const std::string &type, bool isDot);

/// The position under the roof of the report's GPU; none without a GPU or
/// without memory traffic.
std::optional<Roofline> rooflineOf(const ModuleReport &report,
                                   const KernelReport &kernel);

} // namespace tilec

#endif // TILEC_LIB_REPORT_KERNELLIMITS_H
