//===- Places.h - where in a source something is ----------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_REPORT_PLACES_H
#define TILEC_LIB_REPORT_PLACES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

namespace tilec {

/// The place in a source that a location names first; what called it comes
/// after. Null if it names none.
inline mlir::FileLineColLoc placeOf(mlir::Location location) {
  if (auto call = mlir::dyn_cast<mlir::CallSiteLoc>(location))
    return placeOf(call.getCallee());
  return location->findInstanceOf<mlir::FileLineColLoc>();
}

} // namespace tilec

#endif // TILEC_LIB_REPORT_PLACES_H
