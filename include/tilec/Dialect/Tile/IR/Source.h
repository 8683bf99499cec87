//===- Source.h - what IR keeps of its source -------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Places and names for messages and reports.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DIALECT_TILE_IR_SOURCE_H
#define TILEC_DIALECT_TILE_IR_SOURCE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Value.h"

namespace tilec::tile {

/// The place in a source that a location names first; what called it comes
/// after. Null if it names none.
mlir::FileLineColLoc findPlace(mlir::Location location);

/// Starts a diagnostic at that place.
mlir::InFlightDiagnostic emitAtPlace(mlir::Location location,
                                     mlir::DiagnosticSeverity severity);

/// Adds a note at that place.
mlir::Diagnostic &attachNote(mlir::InFlightDiagnostic &diagnostic,
                             mlir::Location location);

/// Adds a note for each call that led to a location in an inlined function.
void attachCalls(mlir::InFlightDiagnostic &diagnostic, mlir::Location location);

/// The name of a function's argument; empty if it has none, and for an argument
/// of any other block.
llvm::StringRef getArgumentName(mlir::BlockArgument argument);

} // namespace tilec::tile

#endif // TILEC_DIALECT_TILE_IR_SOURCE_H
