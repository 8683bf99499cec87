//===- FaultReport.h - what a checking run found ----------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Findings for machines; for people they are messages at their source lines.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_REPORT_FAULTREPORT_H
#define TILEC_REPORT_FAULTREPORT_H

#include "tilec/Interpreter/Findings.h"

#include "llvm/ADT/ArrayRef.h"

namespace tilec {

/// One line of JSON, `{"faults": [{"kind": ..., "message": ..., "file": ...,
/// "line": n, "buffer": ..., "index": [...], "accesses": [{"op": ..., "file":
/// ..., "line": n, "program": [x, y, z], "lane": n}, ...], "count": n}, ...]}`.
std::string faultsJson(llvm::ArrayRef<interpreter::Finding> findings);

} // namespace tilec

#endif // TILEC_REPORT_FAULTREPORT_H
