//===- RunDevice.h - runs PTX on a GPU --------------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The part of a run that knows the runtime and no MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_DRIVER_RUNDEVICE_H
#define TILEC_LIB_DRIVER_RUNDEVICE_H

#include "BenchReport.h"

#include "tilec/Driver/RunOptions.h"
#include "tilec/Runtime/Device.h"

namespace tilec {

/// Opens the GPU that the options name.
Result<std::shared_ptr<Device>> openDevice(const RunOptions &options);

/// Runs a kernel of PTX text on the arrays of `values`, which then hold the
/// results. `report` receives the times when they are asked for, `work` is what
/// they are set beside; its bytes are counted here.
Status runOnDevice(const std::shared_ptr<Device> &device,
                   const std::string &ptx, const RunOptions &options,
                   std::vector<ArgumentValue> &values, Work work,
                   std::string &report);

} // namespace tilec

#endif // TILEC_LIB_DRIVER_RUNDEVICE_H
