//===- Findings.h - what a checking run found -------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Faults as plain data, for text and for JSON: one finding for each pair of
// source places, with a count.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_INTERPRETER_FINDINGS_H
#define TILEC_INTERPRETER_FINDINGS_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilec::interpreter {

/// One of the accesses that make a fault.
struct FaultAccess {
  /// "load", "store" or "atomic".
  std::string op;
  mlir::Location loc;
  std::array<int64_t, 3> program = {0, 0, 0};
  /// The lane's number in row-major order.
  int64_t lane = 0;
};

/// One kind of fault at one place, or between two.
struct Finding {
  /// What went wrong, a word for machines: "race", "out-of-bounds", ...
  std::string kind;
  /// One sentence.
  std::string message;
  mlir::Location loc;
  /// The buffer and the index of the element where it was first seen.
  std::string buffer;
  std::vector<int64_t> index;
  std::vector<FaultAccess> accesses;
  /// Explanations, each at its place.
  std::vector<std::pair<mlir::Location, std::string>> notes;
  /// How to repair it; may be empty.
  std::string advice;
  /// How many elements or lanes it was seen at.
  uint64_t count = 1;
  /// In how many accesses or executions.
  uint64_t times = 1;
  /// Did it end the run, so that arrays hold what was there at that time?
  bool endsRun = false;

  explicit Finding(mlir::Location loc) : loc(loc) {}
};

/// Emits a finding as an MLIR error with notes.
void emitFinding(const Finding &finding);

} // namespace tilec::interpreter

#endif // TILEC_INTERPRETER_FINDINGS_H
