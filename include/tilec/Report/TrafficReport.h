//===- TrafficReport.h - what a metered run counted -------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The interpreter's counters as a table for people and as JSON for machines.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_REPORT_TRAFFICREPORT_H
#define TILEC_REPORT_TRAFFICREPORT_H

#include "tilec/Interpreter/Interpreter.h"

namespace tilec {

/// One table: a row for each argument that memory was accessed through, a row
/// of sums, and the floating-point operations.
std::string trafficTable(llvm::StringRef kernel, std::array<int64_t, 3> grid,
                         const interpreter::Traffic &traffic);

/// One line of JSON, `{"kernel": ..., "grid": [...], "programs": n, "args":
/// {...}, "flops": {...}}`.
std::string trafficJson(llvm::StringRef kernel, std::array<int64_t, 3> grid,
                        const interpreter::Traffic &traffic);

} // namespace tilec

#endif // TILEC_REPORT_TRAFFICREPORT_H
