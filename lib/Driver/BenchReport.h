//===- BenchReport.h - a measurement beside the machine's limits *- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_DRIVER_BENCHREPORT_H
#define TILEC_LIB_DRIVER_BENCHREPORT_H

#include "tilec/KernelInfo/Json.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tilec {

/// What one run of a kernel has to do.
struct Work {
  uint64_t bytes = 0;        ///< of the arrays, each once
  bool isCounted = false;    ///< whether the operations are known
  double flops = 0;          ///< outside products of matrices
  double dotFlops = 0;       ///< in them
  std::string type = "fp32"; ///< of the operations outside
  std::string dotType;       ///< of the factors, as getDotType names it
  /// Programs that were counted, of how many: the rest is like them.
  uint64_t counted = 0, programs = 0;
};

/// Lines that put a time in microseconds beside the limits of a device.
std::string limitsTable(const std::string &device, const Work &work,
                        double microseconds);

/// The same as members of a JSON object.
void addLimits(json::Value &object, const std::string &device, const Work &work,
               double microseconds);

} // namespace tilec

#endif // TILEC_LIB_DRIVER_BENCHREPORT_H
