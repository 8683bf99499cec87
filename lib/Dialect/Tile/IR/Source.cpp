//===- Source.cpp - what IR keeps of its source ---------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tilec/Dialect/Tile/IR/Source.h"

#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace tilec;

FileLineColLoc tile::findPlace(Location location) {
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return findPlace(call.getCallee());
  return location->findInstanceOf<FileLineColLoc>();
}

/// The location without the calls that led to it.
static Location getCallee(Location location) {
  auto call = dyn_cast<CallSiteLoc>(location);
  return call ? getCallee(call.getCallee()) : location;
}

InFlightDiagnostic tile::emitAtPlace(Location location,
                                     DiagnosticSeverity severity) {
  return location->getContext()->getDiagEngine().emit(getCallee(location),
                                                      severity);
}

Diagnostic &tile::attachNote(InFlightDiagnostic &diagnostic,
                             Location location) {
  return diagnostic.attachNote(getCallee(location));
}

void tile::attachCalls(InFlightDiagnostic &diagnostic, Location location) {
  // The caller of an inlined helper is itself a chain; its own head says where.
  while (auto call = dyn_cast<CallSiteLoc>(location)) {
    location = call.getCaller();
    attachNote(diagnostic, location) << "called from here";
  }
}

StringRef tile::getArgumentName(BlockArgument argument) {
  auto function =
      dyn_cast_or_null<func::FuncOp>(argument.getOwner()->getParentOp());
  auto name = function ? function.getArgAttrOfType<StringAttr>(
                             argument.getArgNumber(), kNameAttr)
                       : StringAttr();
  return name ? name.getValue() : StringRef();
}
