//===- MeterGpu.h - the GPUs that the meter speaks of -----------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_DRIVER_METERGPU_H
#define TILEC_LIB_DRIVER_METERGPU_H

#include "tilec/KernelInfo/Result.h"
#include "tilec/Report/TrafficReport.h"

namespace tilec {

/// What the GPU of a short name (`h200`) can do. The error lists the names.
Result<Gpu> findMeterGpu(std::string_view name);

} // namespace tilec

#endif // TILEC_LIB_DRIVER_METERGPU_H
