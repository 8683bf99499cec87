//===- TileOps.td - operations of the tile dialect ---------*- tablegen -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Every operation, by group.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DIALECT_TILE_IR_TILEOPS_TD
#define TILEC_DIALECT_TILE_IR_TILEOPS_TD

include "tilec/Dialect/Tile/IR/ControlOps.td"
include "tilec/Dialect/Tile/IR/MatmulOps.td"
include "tilec/Dialect/Tile/IR/MemoryOps.td"
include "tilec/Dialect/Tile/IR/ReduceOps.td"
include "tilec/Dialect/Tile/IR/ShapeOps.td"

#endif // TILEC_DIALECT_TILE_IR_TILEOPS_TD
