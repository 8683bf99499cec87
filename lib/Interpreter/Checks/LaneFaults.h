//===- LaneFaults.h - faults of lanes whose value is used -------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A lane that divides by zero is no fault where a mask keeps its value from
// everything. So the test waits, on the way from the operation through those
// that work element by element, for what uses the lanes: a store or an atomic
// under its mask, an address, a branch, a reduction.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_INTERPRETER_CHECKS_LANEFAULTS_H
#define TILEC_LIB_INTERPRETER_CHECKS_LANEFAULTS_H

#include "Scope.h"

namespace tilec::interpreter {

/// A test of each lane of an operation's result.
struct LaneTest {
  mlir::Operation *op;
  /// What is tested, of the shape of the result.
  View view;
  /// Does a lane of `view`, or of a view made of it, show a fault?
  std::function<bool(const State &, const View &, int64_t)> isFaulty;
  /// May any lane show one? A fast answer for most executions; by default each
  /// lane is asked.
  std::function<bool(const State &)> mayFail;
  /// Reports that the lane of `view` is the first of `count` faulty ones.
  std::function<Step(State &, const View &, int64_t lane, int64_t count)>
      report;
  /// Is it a fault that a whole tile hands on to another iteration or branch,
  /// where its lanes are not followed?
  bool countsBeyondBlocks = true;
};

/// Lets a test be made where the result is used; where it is not followed, at
/// once.
void addLaneTest(Scope &scope, LaneTest test);

/// Emits the tests that wait for an operation, before it.
void emitLaneTests(Scope &scope, mlir::Operation *op);

/// Completes the fault of lanes: which is the first, and how many.
Step endLaneFault(State &state, mlir::Operation *op,
                  llvm::ArrayRef<int64_t> shape, int64_t first, int64_t count);

/// Emits the test that no divisor is 0.
void addDivisionTest(Scope &scope, mlir::Operation *op);

} // namespace tilec::interpreter

#endif // TILEC_LIB_INTERPRETER_CHECKS_LANEFAULTS_H
