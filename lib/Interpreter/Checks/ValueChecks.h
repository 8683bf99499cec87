//===- ValueChecks.h - checks of values -------------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Instructions that look at what others compute. They are built only into runs
// that check, so others do not pay.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_INTERPRETER_CHECKS_VALUECHECKS_H
#define TILEC_LIB_INTERPRETER_CHECKS_VALUECHECKS_H

#include "Scope.h"

namespace tilec::interpreter {

/// Emits checks that what the user said of an operation's result is true.
void emitHintChecks(Scope &scope, mlir::Operation *op);

/// Emits the check that no NaN or infinity appears in a result while no operand
/// has one.
void emitNanCheck(Scope &scope, mlir::Operation *op);

/// Emits checks of shift amounts and of floats that become integers, before the
/// operation.
void emitOperandChecks(Scope &scope, mlir::Operation *op);

/// Emits, before the operation, the note of an addition or product of up to 32
/// bits that wraps around. It is no fault by itself: hashes do so.
void emitWrapCheck(Scope &scope, mlir::Operation *op);

/// The same for a sum of a tile, which may wrap around.
void emitSumWrapCheck(Scope &scope, mlir::Operation *op);

/// Emits, before a loop or a branch copies integers, that what they are without
/// wrapping around is copied too. `to` has its places.
void emitExactCopies(Scope &scope, mlir::Operation *op, mlir::ValueRange from,
                     mlir::ValueRange to);
/// Lets values have what emitExactCopies keeps of others.
void bindExact(Scope &scope, mlir::ValueRange from, mlir::ValueRange to);

/// Emits, before an access, the check that the addresses of its active lanes
/// are what they are without wrapping around in 32 bits or less.
void emitAddressCheck(Scope &scope, mlir::Operation *op, mlir::Value pointer,
                      mlir::Value mask);

} // namespace tilec::interpreter

#endif // TILEC_LIB_INTERPRETER_CHECKS_VALUECHECKS_H
