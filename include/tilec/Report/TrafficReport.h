//===- TrafficReport.h - what a metered run counted -------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The interpreter's counters as a table for people and as JSON for machines.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_REPORT_TRAFFICREPORT_H
#define TILEC_REPORT_TRAFFICREPORT_H

#include "tilec/Analysis/KernelWork.h"
#include "tilec/Interpreter/Interpreter.h"
#include "tilec/Report/Gpu.h"

namespace tilec {

/// Two tables: a row for each argument that memory was accessed through and a
/// row of sums, and a row for each access and each loop in the source; the
/// floating-point operations; with a GPU, what bounds the kernel there, whose
/// operations have these types.
std::string trafficTable(llvm::StringRef kernel, std::array<int64_t, 3> grid,
                         const interpreter::Traffic &traffic,
                         const Gpu *gpu = nullptr, const WorkTypes &types = {});

/// One line of JSON, `{"kernel": ..., "grid": [...], "programs": n, "args":
/// {...}, "flops": {...}, "lines": [...], "loops": [...], "intensity": x}`, and
/// with a GPU "roofline".
std::string trafficJson(llvm::StringRef kernel, std::array<int64_t, 3> grid,
                        const interpreter::Traffic &traffic,
                        const Gpu *gpu = nullptr, const WorkTypes &types = {});

} // namespace tilec

#endif // TILEC_REPORT_TRAFFICREPORT_H
