//===- Alias.cpp - which memory an address is in --------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/Alias.h"
#include "tilec/Dialect/TileGPU/IR/TileGPU.h"

using namespace mlir;
using namespace tilec;

Value tilec::getMemoryBase(Value pointer) {
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(pointer)) {
      Operation *parent = argument.getOwner()->getParentOp();
      if (isa<func::FuncOp>(parent))
        return pointer;
      auto loop = dyn_cast<scf::ForOp>(parent);
      if (!loop || argument == loop.getInductionVar())
        return {};
      pointer = loop.getTiedLoopInit(argument)->get();
      continue;
    }
    Operation *op = pointer.getDefiningOp();
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      pointer = loop.getInitArgs()[cast<OpResult>(pointer).getResultNumber()];
      continue;
    }
    if (!isa<tile::AddPtrOp, tile::SplatOp, tile::BroadcastOp,
             tile::ExpandDimsOp, tile::ReshapeOp, tile::TransOp, tilegpu::ConvertLayoutOp,
             tile::PtrCastOp>(op) ||
        !isa<tile::PtrType>(getElementTypeOrSelf(op->getOperand(0).getType())))
      return {};
    pointer = op->getOperand(0);
  }
}
