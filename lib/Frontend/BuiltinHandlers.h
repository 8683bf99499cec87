//===- BuiltinHandlers.h - what lowers the rows of Builtins.def -*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// One function a row (or a group of rows), and what they share.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_FRONTEND_BUILTINHANDLERS_H
#define TILEC_LIB_FRONTEND_BUILTINHANDLERS_H

#include "Builtins.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilec::frontend::builtins {

using mlir::FailureOr;

/// The argument as an IR value; an error if it is no number or tile.
FailureOr<Val> tileArgument(Lowering &l, CallArgs &args, size_t i);
/// The argument as an axis of `rank`; negative ones count from the end.
FailureOr<int64_t> axisArgument(Lowering &l, CallArgs &args, size_t i,
                                int64_t rank);
/// The argument as a type.
FailureOr<ElemType> typeArgument(Lowering &l, const Val &value,
                                 mlir::Location loc);
FailureOr<ElemType> typeArgument(Lowering &l, CallArgs &args, size_t i);
/// The type of a tile (or scalar) with other sizes.
mlir::Type withShape(mlir::Type type, ArrayRef<int64_t> shape);
/// The numbers below `size` along one axis of `rank`.
FailureOr<Val> placesAlong(Lowering &l, int64_t size, size_t axis, size_t rank,
                           mlir::Location loc);
/// The elements in another shape of as many.
FailureOr<Val> reshapeTo(Lowering &l, const Val &value, ArrayRef<int64_t> shape,
                         mlir::Location loc);
/// What stands for elements outside of a block: is it NaN, rather than 0?
FailureOr<bool> paddingArgument(Lowering &l, CallArgs &args, size_t i,
                                ElemType element);
/// The only element of a tile.
FailureOr<Val> scalarOf(Lowering &l, const Val &value, mlir::Location loc);
/// Reduces an axis by an operation on two scalars.
FailureOr<Val>
reduceAxis(Lowering &l, const Val &value, int64_t axis, mlir::Location loc,
           llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine);

// Each handler once, however many rows share it.
#define TILEC_HANDLER(NAME) FailureOr<Val> NAME(Lowering &l, CallArgs &args);
TILEC_HANDLER(programId)
TILEC_HANDLER(arange)
TILEC_HANDLER(full)
TILEC_HANDLER(zeros)
TILEC_HANDLER(zerosLike)
TILEC_HANDLER(broadcast)
TILEC_HANDLER(broadcastTo)
TILEC_HANDLER(expandDims)
TILEC_HANDLER(squeeze)
TILEC_HANDLER(reshape)
TILEC_HANDLER(ravel)
TILEC_HANDLER(trans)
TILEC_HANDLER(item)
TILEC_HANDLER(cast)
TILEC_HANDLER(pythonNumber)
TILEC_HANDLER(constexprOf)
TILEC_HANDLER(toTensor)
TILEC_HANDLER(pointerType)
TILEC_HANDLER(constType)
TILEC_HANDLER(tupleOf)
TILEC_HANDLER(len)
TILEC_HANDLER(load)
TILEC_HANDLER(store)
TILEC_HANDLER(atomic)
TILEC_HANDLER(atomicCas)
TILEC_HANDLER(makeBlock)
TILEC_HANDLER(advance)
TILEC_HANDLER(descriptorLoad)
TILEC_HANDLER(descriptorStore)
TILEC_HANDLER(descriptorAtomic)
TILEC_HANDLER(descriptorGather)
TILEC_HANDLER(descriptorScatter)
TILEC_HANDLER(gather)
TILEC_HANDLER(flip)
TILEC_HANDLER(sort)
TILEC_HANDLER(topk)
TILEC_HANDLER(histogram)
TILEC_HANDLER(inlineAsm)
TILEC_HANDLER(externElementwise)
TILEC_HANDLER(mapElementwise)
TILEC_HANDLER(dot)
TILEC_HANDLER(arithmetic)
TILEC_HANDLER(maximum)
TILEC_HANDLER(clamp)
TILEC_HANDLER(where)
TILEC_HANDLER(abs)
TILEC_HANDLER(fma)
TILEC_HANDLER(umulhi)
TILEC_HANDLER(fdiv)
TILEC_HANDLER(cdiv)
TILEC_HANDLER(nextPowerOf2)
TILEC_HANDLER(logical)
TILEC_HANDLER(math)
TILEC_HANDLER(preciseMath)
TILEC_HANDLER(inDirection)
TILEC_HANDLER(binaryMath)
TILEC_HANDLER(classify)
TILEC_HANDLER(countBits)
TILEC_HANDLER(sum)
TILEC_HANDLER(max)
TILEC_HANDLER(pythonMax)
TILEC_HANDLER(argmax)
TILEC_HANDLER(bitReduce)
TILEC_HANDLER(reduce)
TILEC_HANDLER(scan)
TILEC_HANDLER(cumulative)
TILEC_HANDLER(range)
TILEC_HANDLER(hint)
TILEC_HANDLER(assume)
TILEC_HANDLER(barrier)
TILEC_HANDLER(gdcWait)
TILEC_HANDLER(gdcLaunchDependents)
TILEC_HANDLER(staticAssert)
TILEC_HANDLER(staticPrint)
TILEC_HANDLER(deviceAssert)
TILEC_HANDLER(devicePrint)
TILEC_HANDLER(isInstance)
TILEC_HANDLER(hasAttribute)
TILEC_HANDLER(sameFunction)
TILEC_HANDLER(fromPrelude)
TILEC_HANDLER(targetIs)
TILEC_HANDLER(capabilityGeq)
#undef TILEC_HANDLER

} // namespace tilec::frontend::builtins

#endif // TILEC_LIB_FRONTEND_BUILTINHANDLERS_H
