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

//===----------------------------------------------------------------------===//
// Distinct elements
//===----------------------------------------------------------------------===//

/// Has a tile one value in all elements, as far as one can see?
static bool isUniform(Value value, unsigned depth) {
  if (!isa<RankedTensorType>(value.getType()) || depth == 0)
    return !isa<RankedTensorType>(value.getType());
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  if (isa<tile::SplatOp>(op))
    return true;
  return isa<tile::AddPtrOp, tile::BroadcastOp, tile::ExpandDimsOp,
             tile::ReshapeOp, tile::TransOp, tilegpu::ConvertLayoutOp,
             arith::AddIOp, arith::MulIOp, arith::SubIOp, arith::ExtSIOp,
             arith::ExtUIOp>(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isUniform(operand, depth - 1);
         });
}

/// Is the scalar that a tile repeats a constant other than 0?
static bool isNonZeroConstant(Value value) {
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  auto splat = constant ? dyn_cast<SplatElementsAttr>(constant.getValue())
                        : SplatElementsAttr();
  return splat && isa<IntegerType>(splat.getElementType()) &&
         !splat.getSplatValue<APInt>().isZero();
}

/// Are the elements of a tile of numbers or addresses all different? Products
/// are taken not to wrap around, as offsets do not.
static bool isDistinct(Value value, unsigned depth) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getNumElements() == 1)
    return true;
  if (depth == 0)
    return false;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    // Carried by a loop that moves all elements by the same distance.
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument == loop.getInductionVar())
      return false;
    Value next = loop.getTiedLoopYieldedValue(argument)->get();
    Operation *step = next.getDefiningOp();
    bool isSteady = next == argument ||
                    (isa_and_nonnull<tile::AddPtrOp, arith::AddIOp>(step) &&
                     step->getOperand(0) == argument &&
                     isUniform(step->getOperand(1), depth));
    return isSteady &&
           isDistinct(loop.getTiedLoopInit(argument)->get(), depth - 1);
  }
  Operation *op = value.getDefiningOp();
  auto isDeep = [&](Value operand) { return isDistinct(operand, depth - 1); };
  if (isa<tile::ArangeOp>(op))
    return true;
  if (isa<tile::ExpandDimsOp, tile::ReshapeOp, tile::TransOp,
          tilegpu::ConvertLayoutOp, arith::ExtSIOp, arith::ExtUIOp,
          tile::PtrCastOp>(op))
    return isDeep(op->getOperand(0));
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op))
    return tile::getShape(broadcast.getSrc().getType()) == type.getShape() &&
           isDeep(broadcast.getSrc());
  if (auto product = dyn_cast<arith::MulIOp>(op))
    return (isDeep(product.getLhs()) && isNonZeroConstant(product.getRhs())) ||
           (isDeep(product.getRhs()) && isNonZeroConstant(product.getLhs()));
  if (isa<tile::AddPtrOp, arith::AddIOp, arith::SubIOp>(op)) {
    Value x = op->getOperand(0), y = op->getOperand(1);
    return (isUniform(x, depth) && isDeep(y)) ||
           (isUniform(y, depth) && isDeep(x));
  }
  return false;
}

bool tilec::hasDistinctElements(Value pointer) {
  return isDistinct(pointer, /*depth=*/16);
}
