//===- Transforms.h - rewrites of the tile dialect --------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The patterns of the passes in Passes.td, for passes that combine them.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DIALECT_TILE_TRANSFORMS_TRANSFORMS_H
#define TILEC_DIALECT_TILE_TRANSFORMS_TRANSFORMS_H

#include "mlir/IR/PatternMatch.h"

namespace tilec::tile {

/// Patterns that move splats and broadcasts after elementwise operations.
void populateSinkBroadcastsPatterns(mlir::RewritePatternSet &patterns);

/// Patterns that make the other summand of a dot its accumulator.
void populateFuseDotAccumulatePatterns(mlir::RewritePatternSet &patterns);

/// Patterns that join products with additions and subtractions to `math.fma`.
void populateFuseMultiplyAddPatterns(mlir::RewritePatternSet &patterns);

} // namespace tilec::tile

#endif // TILEC_DIALECT_TILE_TRANSFORMS_TRANSFORMS_H
