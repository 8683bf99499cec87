//===- Alias.cpp - which memory an address is in --------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/Alias.h"
#include "tilec/Dialect/TileGPU/IR/TileGPU.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace tilec;

/// Adds the kernel's arguments that an address may be computed from; false if
/// there may be others. A loop may exchange the pointers that it carries.
static bool collectBases(Value pointer, llvm::SmallPtrSetImpl<Value> &seen,
                         llvm::SmallPtrSetImpl<Value> &bases) {
  if (!isa<tile::PtrType>(getElementTypeOrSelf(pointer.getType())))
    return false;
  if (!seen.insert(pointer).second)
    return true;
  auto all = [&](std::initializer_list<Value> sources) {
    return llvm::all_of(sources, [&](Value source) {
      return collectBases(source, seen, bases);
    });
  };
  if (auto argument = dyn_cast<BlockArgument>(pointer)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (isa<func::FuncOp>(parent)) {
      bases.insert(pointer);
      return true;
    }
    auto loop = dyn_cast<scf::ForOp>(parent);
    return loop && all({loop.getTiedLoopInit(argument)->get(),
                        loop.getTiedLoopYieldedValue(argument)->get()});
  }
  Operation *op = pointer.getDefiningOp();
  unsigned number = cast<OpResult>(pointer).getResultNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return all({loop.getInitArgs()[number], loop.getYieldedValues()[number]});
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return all({branch.thenYield().getOperand(number),
                branch.elseYield().getOperand(number)});
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return all({select.getTrueValue(), select.getFalseValue()});
  return isa<tile::AddPtrOp, tile::SplatOp, tile::BroadcastOp,
             tile::ExpandDimsOp, tile::ReshapeOp, tile::TransOp,
             tilegpu::ConvertLayoutOp, tile::PtrCastOp>(op) &&
         all({op->getOperand(0)});
}

Value tilec::getMemoryBase(Value pointer) {
  llvm::SmallPtrSet<Value, 8> seen, bases;
  return collectBases(pointer, seen, bases) && bases.size() == 1
             ? *bases.begin()
             : Value();
}
