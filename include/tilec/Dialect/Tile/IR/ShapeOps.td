//===- ShapeOps.td - making and reshaping tiles ------------*- tablegen -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Operations that make tiles or rearrange their elements; no arithmetic.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DIALECT_TILE_IR_SHAPEOPS_TD
#define TILEC_DIALECT_TILE_IR_SHAPEOPS_TD

include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tilec/Dialect/Tile/IR/TileTypes.td"

def Tile_ArangeOp : Tile_Op<"arange", [Pure]> {
  let summary = "consecutive integers";
  let description = [{
    `result[i] = start + i` for `i` in `[0, end - start)`.

    Constraints:
    - (C1) `end > start`, and the result has `end - start` elements.

    Example:
    ```mlir
    func.func @arange() -> tensor<128xi32> {
      %0 = tile.arange 0, 128 : tensor<128xi32>
      return %0 : tensor<128xi32>
    }
    ```
  }];
  let arguments = (ins
    I32Attr:$start, // the first value
    I32Attr:$end    // one past the last value
  );
  let results = (outs 1DTensorOf<[I32]>:$result);
  let assemblyFormat = "$start `,` $end attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_SplatOp : Tile_Op<"splat", [Pure]> {
  let summary = "one value in every element";
  let description = [{
    `result[...] = src`.

    Constraints:
    - (C1) the result's element type is the type of `src`.

    Example:
    ```mlir
    func.func @splat(%x: f32) -> tensor<4x8xf32> {
      %0 = tile.splat %x : f32 -> tensor<4x8xf32>
      return %0 : tensor<4x8xf32>
    }
    ```
  }];
  let arguments = (ins Tile_Element:$src /* the value */);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure]> {
  let summary = "repeats a tile along its axes of size one";
  let description = [{
    `result[i0, i1, ...] = src[j0, j1, ...]` with `jk = ik`, or 0 where `src` has
    size 1.

    Constraints:
    - (C1) same rank and element type.
    - (C2) each axis of `src` has the result's size, or 1.

    Example:
    ```mlir
    func.func @broadcast(%x: tensor<4x1xf32>) -> tensor<4x8xf32> {
      %0 = tile.broadcast %x : tensor<4x1xf32> -> tensor<4x8xf32>
      return %0 : tensor<4x8xf32>
    }
    ```
  }];
  let arguments = (ins Tile_AnyTile:$src /* the tile */);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Tile_ExpandDimsOp : Tile_Op<"expand_dims", [Pure]> {
  let summary = "inserts an axis of size one";
  let description = [{
    `result[..., 0, ...] = src[..., ...]`, the new axis being number `axis` of the
    result.

    Constraints:
    - (C1) `axis` is in `[0, rank(src)]`.
    - (C2) the result's shape is that of `src` with a 1 at `axis`; same elements.

    Example:
    ```mlir
    func.func @expand_dims(%x: tensor<8xf32>) -> tensor<8x1xf32> {
      %0 = tile.expand_dims %x, 1 : tensor<8xf32> -> tensor<8x1xf32>
      return %0 : tensor<8x1xf32>
    }
    ```
  }];
  let arguments = (ins
    Tile_AnyTile:$src, // the tile
    I32Attr:$axis      // where the new axis stands in the result
  );
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$src `,` $axis attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ReshapeOp : Tile_Op<"reshape", [Pure]> {
  let summary = "the same elements in another shape";
  let description = [{
    Elements keep their row-major order: `flat(result) = flat(src)`.

    Constraints:
    - (C1) same number of elements, same element type.

    Example:
    ```mlir
    func.func @reshape(%x: tensor<4x8xf32>) -> tensor<32xf32> {
      %0 = tile.reshape %x : tensor<4x8xf32> -> tensor<32xf32>
      return %0 : tensor<32xf32>
    }
    ```
  }];
  let arguments = (ins Tile_AnyTile:$src /* the tile */);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_TransOp : Tile_Op<"trans", [Pure]> {
  let summary = "permutes the axes";
  let description = [{
    Axis `k` of the result is axis `order[k]` of `src`.

    Constraints:
    - (C1) `order` is a permutation of the axes of `src`.
    - (C2) the result's shape is the permuted shape; same element type.

    Example:
    ```mlir
    func.func @trans(%x: tensor<4x8xf32>) -> tensor<8x4xf32> {
      %0 = tile.trans %x, [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
      return %0 : tensor<8x4xf32>
    }
    ```
  }];
  let arguments = (ins
    Tile_AnyTile:$src,       // the tile
    DenseI32ArrayAttr:$order // for each axis of the result, the axis of `src`
  );
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$src `,` $order attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_GatherOp : Tile_Op<"gather", [Pure]> {
  let summary = "elements of a tile by their index along an axis";
  let description = [{
    `result[..., i, ...] = src[..., index[..., i, ...], ...]`, `i` being the place
    along `axis`; 0 where the index is outside of the axis. Indices are signed.

    Constraints:
    - (C1) `axis` is an axis of `src`, and `index` has the shape of `src` but along
      `axis`.
    - (C2) the result has the shape of `index` and the elements of `src`.

    Example:
    ```mlir
    func.func @gather(%x: tensor<4x8xf32>, %i: tensor<4x2xi32>) -> tensor<4x2xf32> {
      %0 = tile.gather %x, %i axis 1 : tensor<4x8xf32>, tensor<4x2xi32> -> tensor<4x2xf32>
      return %0 : tensor<4x2xf32>
    }
    ```
  }];
  let arguments = (ins
    Tile_AnyTile:$src,             // the tile
    Tile_TileOf<[I32, I64]>:$index, // where each element of the result stands
    I32Attr:$axis                  // the axis that the index counts along
  );
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = [{
    $src `,` $index `axis` $axis attr-dict `:` type($src) `,` type($index) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // TILEC_DIALECT_TILE_IR_SHAPEOPS_TD
