//===- ReduceOps.td - reductions and scans -----------------*- tablegen -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Operations that combine the elements of an axis by a region.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DIALECT_TILE_IR_REDUCEOPS_TD
#define TILEC_DIALECT_TILE_IR_REDUCEOPS_TD

include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tilec/Dialect/Tile/IR/TileTypes.td"

def Tile_ReduceOp : Tile_Op<"reduce", [
    Pure, SameVariadicOperandSize, SingleBlock,
    SingleBlockImplicitTerminator<"::tilec::tile::YieldOp">]> {
  let summary = "combines the elements of an axis";
  let description = [{
    `(r0, r1, ...)[i] = combine over k of (x0[i, k], x1[i, k], ...)`, `k` being the
    index along `axis`. The region takes the n values of the left operand, then the
    n of the right one, and yields n. It must be associative; which neighbours are
    combined first is fixed by shape, type, number of warps and architecture. The
    order of the elements is kept unless `commutative` says that it does not matter.
    Reducing the only axis gives scalars.

    Constraints:
    - (C1) at least one input, and all have one shape.
    - (C2) `axis` is an axis of the inputs.
    - (C3) results have the inputs' element types and their shape without `axis`.
    - (C4) the region takes two scalars of each element type and yields one of each.

    Example:
    ```mlir
    func.func @reduce(%x: tensor<4x8xf32>) -> tensor<4xf32> {
      %0 = tile.reduce (%x) axis 1 : tensor<4x8xf32> -> tensor<4xf32> {
      ^bb0(%l: f32, %r: f32):
        %s = arith.addf %l, %r : f32
        tile.yield %s : f32
      }
      return %0 : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins
    Variadic<Tile_AnyTile>:$inputs, // the tiles, reduced together
    I32Attr:$axis,                  // the axis that disappears
    UnitAttr:$commutative           // the order of elements does not matter
  );
  let results = (outs Variadic<Tile_AnyLike>:$outputs);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = [{
    `(` $inputs `)` `axis` $axis (`commutative` $commutative^)? attr-dict `:` type($inputs) `->` type($outputs) $combine
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
}

def Tile_ScanOp : Tile_Op<"scan", [
    Pure, SameVariadicOperandSize, SingleBlock,
    SingleBlockImplicitTerminator<"::tilec::tile::YieldOp">]> {
  let summary = "running combination along an axis";
  let description = [{
    `y[i, k] = combine over l <= k of x[i, l]`, or over `l >= k` with `reverse`. The
    region is as in `tile.reduce`, associative and not necessarily commutative; the
    left operand is always the one that the scan meets first.

    Constraints:
    - (C1) at least one input, and all have one shape.
    - (C2) `axis` is an axis of the inputs.
    - (C3) results have the types of the inputs.
    - (C4) the region takes two scalars of each element type and yields one of each.

    Example:
    ```mlir
    func.func @scan(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = tile.scan (%x) axis 0 : tensor<8xf32> -> tensor<8xf32> {
      ^bb0(%l: f32, %r: f32):
        %s = arith.addf %l, %r : f32
        tile.yield %s : f32
      }
      return %0 : tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins
    Variadic<Tile_AnyTile>:$inputs, // the tiles, scanned together
    I32Attr:$axis,                  // the axis to walk
    UnitAttr:$reverse               // from the end to the beginning
  );
  let results = (outs Variadic<Tile_AnyTile>:$outputs);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = [{
    `(` $inputs `)` `axis` $axis (`reverse` $reverse^)? attr-dict `:` type($inputs) `->` type($outputs) $combine
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Tile_HistogramOp : Tile_Op<"histogram", [
    Pure, OptionalTypesMatchWith<"mask has the shape of the values", "src", "mask",
        "::tilec::tile::withElementType($_self, ::mlir::IntegerType::get($_self.getContext(), 1))">]> {
  let summary = "counts the elements of each value";
  let description = [{
    `result[k]` is how many elements of `src` are `k` where `mask` (everywhere without
    one) holds. Elements are signed; those below 0 or beyond the result count nowhere.

    Constraints:
    - (C1) the result has one axis.
    - (C2) `mask` has the shape of `src`.

    Example:
    ```mlir
    func.func @histogram(%x: tensor<4x8xi32>, %m: tensor<4x8xi1>) -> tensor<16xi32> {
      %0 = tile.histogram %x mask %m : tensor<4x8xi32> -> tensor<16xi32>
      return %0 : tensor<16xi32>
    }
    ```
  }];
  let arguments = (ins
    Tile_TileOf<[I32, I64]>:$src,       // the values
    Optional<Tile_TileOf<[I1]>>:$mask   // which of them count
  );
  let results = (outs Tile_TileOf<[I32]>:$result);
  let assemblyFormat = [{
    $src (`mask` $mask^)? attr-dict `:` type($src) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_YieldOp : Tile_Op<"yield", [
    Pure, Terminator, ReturnLike,
    ParentOneOf<["::tilec::tile::ReduceOp", "::tilec::tile::ScanOp"]>]> {
  let summary = "ends the region of a reduction or scan";
  let description = [{
    Gives the combined values to the operation around it.

    Example:
    ```mlir
    func.func @yield(%x: tensor<8xi32>) -> i32 {
      %0 = tile.reduce (%x) axis 0 : tensor<8xi32> -> i32 {
      ^bb0(%l: i32, %r: i32):
        %s = arith.maxsi %l, %r : i32
        tile.yield %s : i32
      }
      return %0 : i32
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_Element>:$values /* the combined values */);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{ }]>];
}

#endif // TILEC_DIALECT_TILE_IR_REDUCEOPS_TD
