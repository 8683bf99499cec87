//===- MemoryOps.cpp - pointers, loads, stores, atomics -------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Verifiers, folders and canonicalisation of the operations in MemoryOps.td.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace tilec::tile;

/// Checks that `type` is `ptrType` with its pointee in place of the pointer:
/// the type of what is read or written there.
static LogicalResult verifyAccessed(Operation *op, StringRef what, Type ptrType,
                                    Type type) {
  Type want = LoadOp::getLoadedType(ptrType);
  if (type != want)
    return op->emitOpError("expected ")
           << what << " of type " << want << ", got " << type;
  return success();
}

//===----------------------------------------------------------------------===//
// addptr, ptr_cast
//===----------------------------------------------------------------------===//

LogicalResult AddPtrOp::verify() {
  Type want = withElementType(getPtr().getType(),
                              getElementType(getOffset().getType()));
  if (getOffset().getType() != want) // (C1)
    return emitOpError("expected offsets of type ")
           << want << ", got " << getOffset().getType();
  return success();
}

OpFoldResult AddPtrOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(getOffset(), m_Zero()))
    return getPtr();
  return {};
}

LogicalResult PtrCastOp::verify() {
  Type from = getElementType(getSrc().getType());
  Type to = getElementType(getType());
  auto fits = [](Type t) { return isa<PtrType>(t) || t.isInteger(64); };
  if (!(isa<PtrType>(from) || isa<PtrType>(to)) || !fits(from) || !fits(to))
    return emitOpError(
               "expected pointers, or one pointer and one i64, got ") // (C1)
           << from << " and " << to;
  if (withElementType(getSrc().getType(), to) != getType()) // (C2)
    return emitOpError("expected a result of type ")
           << withElementType(getSrc().getType(), to) << ", got " << getType();
  return success();
}

OpFoldResult PtrCastOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  if (auto inner = getSrc().getDefiningOp<PtrCastOp>())
    if (inner.getSrc().getType() == getType())
      return inner.getSrc();
  return {};
}

//===----------------------------------------------------------------------===//
// load, store
//===----------------------------------------------------------------------===//

Type LoadOp::getLoadedType(Type ptrType) {
  return withElementType(ptrType,
                         cast<PtrType>(getElementType(ptrType)).getPointee());
}

void LoadOp::build(OpBuilder &builder, OperationState &state, Value ptr,
                   Value mask, Value other) {
  build(builder, state, getLoadedType(ptr.getType()), ptr, mask, other,
        CacheModifier::None, Eviction::Normal, /*isVolatile=*/false);
}

/// (C4) of a load, (C3) of a store: may the access use these caches?
static LogicalResult verifyCache(Operation *op, CacheModifier cache,
                                 ArrayRef<CacheModifier> legal) {
  if (cache == CacheModifier::None || llvm::is_contained(legal, cache))
    return success();
  InFlightDiagnostic error =
      op->emitOpError("expected one of the cache modifiers ");
  llvm::interleaveComma(legal, error, [&](CacheModifier modifier) {
    error << "'" << stringifyCacheModifier(modifier) << "'";
  });
  return error << ", got '" << stringifyCacheModifier(cache) << "'";
}

LogicalResult LoadOp::verify() {
  if (failed(verifyAccessed(*this, "a result", getPtr().getType(),
                            getType()))) // (C1)
    return failure();
  if (getOther() && !getMask()) // (C3)
    return emitOpError("expected a mask with 'other'");
  using C = CacheModifier;
  return verifyCache(*this, getCache(), {C::CA, C::CG, C::CS, C::CV}); // (C4)
}

void LoadOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  auto add = [&](MemoryEffects::Effect *effect) {
    effects.emplace_back(effect, &getPtrMutable(), /*stage=*/0,
                         /*effectOnFullRegion=*/true, GlobalMemory::get());
  };
  add(MemoryEffects::Read::get());
  if (getIsVolatile())
    add(MemoryEffects::Write::get());
}

LogicalResult StoreOp::verify() {
  if (failed(verifyAccessed(*this, "a value", getPtr().getType(),
                            getValue().getType()))) // (C1)
    return failure();
  using C = CacheModifier;
  return verifyCache(*this, getCache(), {C::WB, C::CG, C::CS, C::WT}); // (C3)
}

namespace {
/// A mask that is always true goes away; a load that never reads is `other`.
struct FoldLoadMask : OpRewritePattern<LoadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LoadOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getMask() || op.getIsVolatile())
      return failure();
    if (matchPattern(op.getMask(), m_One())) {
      rewriter.modifyOpInPlace(op, [&] {
        op.getOtherMutable().clear();
        op.getMaskMutable().clear();
      });
      return success();
    }
    if (!matchPattern(op.getMask(), m_Zero()))
      return failure();
    if (op.getOther()) {
      rewriter.replaceOp(op, op.getOther());
      return success();
    }
    if (isa<PtrType>(getElementType(op.getType())))
      return failure();
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, cast<TypedAttr>(rewriter.getZeroAttr(op.getType())));
    return success();
  }
};

/// A store's mask that is always true goes away; one that is always false takes
/// the store with it.
struct FoldStoreMask : OpRewritePattern<StoreOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(StoreOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getMask())
      return failure();
    if (matchPattern(op.getMask(), m_One())) {
      rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
      return success();
    }
    if (!matchPattern(op.getMask(), m_Zero()))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void LoadOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<FoldLoadMask>(context);
}

void StoreOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *context) {
  patterns.add<FoldStoreMask>(context);
}

//===----------------------------------------------------------------------===//
// atomics
//===----------------------------------------------------------------------===//

/// Does the kind work on elements of this type? (C3) of atomic_rmw.
static bool fitsAtomic(AtomicKind kind, Type element) {
  switch (kind) {
  case AtomicKind::FAdd:
    return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element);
  case AtomicKind::FMax:
  case AtomicKind::FMin:
    return isa<Float32Type, Float64Type>(element);
  case AtomicKind::Xchg:
    return element.isIntOrFloat() &&
           llvm::is_contained({32u, 64u}, element.getIntOrFloatBitWidth());
  default:
    return element.isInteger(32) || element.isInteger(64);
  }
}

LogicalResult AtomicRMWOp::verify() {
  if (failed(verifyAccessed(*this, "a value", getPtr().getType(),
                            getValue().getType()))) // (C1)
    return failure();
  Type element = getElementType(getType());
  if (!fitsAtomic(getKind(), element)) // (C3)
    return emitOpError("expected a type that '")
           << stringifyAtomicKind(getKind()) << "' works on, got " << element;
  return success();
}

LogicalResult AtomicCASOp::verify() {
  if (failed(verifyAccessed(*this, "a value", getPtr().getType(),
                            getValue().getType()))) // (C1)
    return failure();
  Type element = getElementType(getType());
  if (!element.isIntOrFloat() ||
      !llvm::is_contained({16u, 32u, 64u},
                          element.getIntOrFloatBitWidth())) // (C2)
    return emitOpError("expected elements of 16, 32 or 64 bits, got ")
           << element;
  return success();
}
