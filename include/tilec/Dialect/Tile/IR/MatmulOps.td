//===- MatmulOps.td - matrix products ----------------------*- tablegen -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DIALECT_TILE_IR_MATMULOPS_TD
#define TILEC_DIALECT_TILE_IR_MATMULOPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "tilec/Dialect/Tile/IR/TileAttrs.td"
include "tilec/Dialect/Tile/IR/TileTypes.td"

def Tile_DotOp : Tile_Op<"dot", [Pure, AllTypesMatch<["c", "result"]>]> {
  let summary = "matrix product with an accumulator";
  let description = [{
    `result[..., i, j] = c[..., i, j] + sum_k a[..., i, k] * b[..., k, j]`. Products
    are exact and are added in the type of `c`, in an order that the shape, the
    types, the number of warps and the architecture decide. f32 operands are
    cut to tf32, as tensor cores do, when `precision` is `tf32`: 10 bits of fraction
    stay, and a relative error below 2^-10 each. `ieee` keeps them; the other
    precisions split each operand in parts: `tf32x3` in two that are rounded to
    nearest, `bf16x3` in two and `bf16x6` in three.

    Constraints:
    - (C1) rank 2 or 3, and in rank 3 equal first sizes.
    - (C2) `a` is MxK, `b` is KxN, `c` is MxN.
    - (C3) types: i8 with i8 gives i32; f16 gives f16 or f32; bf16, f32, and any
      two of the 8-bit floats give f32 (the 8-bit ones also f16); f64 gives f64;
      `a` and `b` differ only among the 8-bit floats.

    Example:
    ```mlir
    func.func @dot(%a: tensor<16x32xf16>, %b: tensor<32x8xf16>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> {
      %0 = tile.dot %a, %b, %c : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
      return %0 : tensor<16x8xf32>
    }
    ```
  }];
  let arguments = (ins
    Tile_TileOf<[Tile_Float, I8]>:$a,                // the left operand
    Tile_TileOf<[Tile_Float, I8]>:$b,                // the right operand
    Tile_TileOf<[F16, F32, F64, I32]>:$c,            // what the product is added to
    DefaultValuedAttr<Tile_DotPrecision, "DotPrecision::TF32">:$precision // for f32 operands
  );
  let results = (outs Tile_TileOf<[F16, F32, F64, I32]>:$result);
  let assemblyFormat = "$a `,` $b `,` $c attr-dict `:` type($a) `,` type($b) `->` type($result)";
  let hasVerifier = 1;
}

#endif // TILEC_DIALECT_TILE_IR_MATMULOPS_TD
