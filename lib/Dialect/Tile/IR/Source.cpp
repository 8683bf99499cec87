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

StringRef tile::getArgumentName(BlockArgument argument) {
  auto function =
      dyn_cast_or_null<func::FuncOp>(argument.getOwner()->getParentOp());
  auto name = function ? function.getArgAttrOfType<StringAttr>(
                             argument.getArgNumber(), kNameAttr)
                       : StringAttr();
  return name ? name.getValue() : StringRef();
}
