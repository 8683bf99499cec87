//===- Passes.td - passes on the tile dialect --------------*- tablegen -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// In the order in which the pipeline runs them. None knows a target: what they leave
// still runs on the interpreter, with the same result up to the roundings that a
// description names.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DIALECT_TILE_TRANSFORMS_PASSES_TD
#define TILEC_DIALECT_TILE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Less work
//===----------------------------------------------------------------------===//

def TileSinkBroadcastsPass : Pass<"tile-sink-broadcasts"> {
  let summary = "compute on the small tile, then repeat its elements";
  let description = [{
    Moves `tile.splat` and `tile.broadcast` after the elementwise operations that
    use them, where all tiles of the operation are repeated from smaller ones: what
    the compiler would compute in every element is computed once. Results are the
    same bits. Operations that carry hints of the user (`tile.divisibility` and its
    kin) stay, since a hint speaks of one shape.

    Before:
    ```mlir
    func.func @before(%p: !tile.ptr<f32>, %i: i32, %x: tensor<8x1xi32>) -> (tensor<8x!tile.ptr<f32>>, tensor<8x4xi32>) {
      %c = arith.constant dense<3> : tensor<8x4xi32>
      %0 = tile.splat %p : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
      %1 = tile.splat %i : i32 -> tensor<8xi32>
      %2 = tile.addptr %0, %1 : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
      %3 = tile.broadcast %x : tensor<8x1xi32> -> tensor<8x4xi32>
      %4 = arith.muli %3, %c : tensor<8x4xi32>
      return %2, %4 : tensor<8x!tile.ptr<f32>>, tensor<8x4xi32>
    }
    ```

    After:
    ```mlir
    func.func @after(%p: !tile.ptr<f32>, %i: i32, %x: tensor<8x1xi32>) -> (tensor<8x!tile.ptr<f32>>, tensor<8x4xi32>) {
      %c = arith.constant dense<3> : tensor<8x1xi32>
      %0 = tile.addptr %p, %i : !tile.ptr<f32>, i32
      %1 = tile.splat %0 : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
      %2 = arith.muli %x, %c : tensor<8x1xi32>
      %3 = tile.broadcast %2 : tensor<8x1xi32> -> tensor<8x4xi32>
      return %1, %3 : tensor<8x!tile.ptr<f32>>, tensor<8x4xi32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilec::tile::TileDialect"];
}

//===----------------------------------------------------------------------===//
// Fusion of arithmetic
//===----------------------------------------------------------------------===//

def TileFuseDotAccumulatePass : Pass<"tile-fuse-dot-accumulate"> {
  let summary = "let a dot add to a sum by itself";
  let description = [{
    A `tile.dot` whose accumulator is zero, and whose only use is an addition in the
    same block, takes the other summand as its accumulator. In a loop that adds up
    products this is the carried value, which then stays where the matrix units keep
    it. In floating point the sum starts from that value instead of from zero.

    Before:
    ```mlir
    func.func @before(%a: tensor<16x32xf16>, %b: tensor<32x8xf16>, %sum: tensor<16x8xf32>) -> tensor<16x8xf32> {
      %zero = arith.constant dense<0.0> : tensor<16x8xf32>
      %0 = tile.dot %a, %b, %zero : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
      %1 = arith.addf %sum, %0 : tensor<16x8xf32>
      return %1 : tensor<16x8xf32>
    }
    ```

    After:
    ```mlir
    func.func @after(%a: tensor<16x32xf16>, %b: tensor<32x8xf16>, %sum: tensor<16x8xf32>) -> tensor<16x8xf32> {
      %0 = tile.dot %a, %b, %sum : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
      return %0 : tensor<16x8xf32>
    }
    ```
  }];
  let dependentDialects = ["::tilec::tile::TileDialect"];
}

def TileFuseMultiplyAddPass : Pass<"tile-fuse-multiply-add"> {
  let summary = "multiply and add with one rounding";
  let description = [{
    `a * b + c`, `c + a * b`, `a * b - c` and `c - a * b` become `math.fma` where the
    product has no other use and stands in the same block. f16, f32 and f64; other
    types have no such instruction. This is the only place that contracts: both
    engines compute what it leaves, and the back end fuses nothing by itself. Common
    subexpressions are merged before, so that `x * s - x * s` stays zero.

    Before:
    ```mlir
    func.func @before(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %0 = arith.mulf %a, %b : tensor<8xf32>
      %1 = arith.addf %0, %c : tensor<8xf32>
      %2 = arith.mulf %a, %c : tensor<8xf32>
      %3 = arith.subf %b, %2 : tensor<8xf32>
      return %1, %3 : tensor<8xf32>, tensor<8xf32>
    }
    ```

    After:
    ```mlir
    func.func @after(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %0 = math.fma %a, %b, %c : tensor<8xf32>
      %1 = arith.negf %a : tensor<8xf32>
      %2 = math.fma %1, %c, %b : tensor<8xf32>
      return %0, %2 : tensor<8xf32>, tensor<8xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

def TileHoistInvariantsPass : Pass<"tile-hoist-invariants"> {
  let summary = "compute once what a loop computes again";
  let description = [{
    Moves operations without effects, whose operands do not change in a loop, before
    the loop, inner loops first. Works on IR of any phase. A load stays, since the
    loop may write what it reads; a remark names those that read the same addresses
    in every iteration.

    Before:
    ```mlir
    func.func @before(%x: tensor<8xf32>, %y: tensor<8xf32>, %n: i32) -> tensor<8xf32> {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %0 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %x) -> (tensor<8xf32>) : i32 {
        %1 = arith.mulf %x, %y : tensor<8xf32>
        %2 = arith.addf %sum, %1 : tensor<8xf32>
        scf.yield %2 : tensor<8xf32>
      }
      return %0 : tensor<8xf32>
    }
    ```

    After:
    ```mlir
    func.func @after(%x: tensor<8xf32>, %y: tensor<8xf32>, %n: i32) -> tensor<8xf32> {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %0 = arith.mulf %x, %y : tensor<8xf32>
      %1 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %x) -> (tensor<8xf32>) : i32 {
        %2 = arith.addf %sum, %0 : tensor<8xf32>
        scf.yield %2 : tensor<8xf32>
      }
      return %1 : tensor<8xf32>
    }
    ```
  }];
  let dependentDialects = ["::tilec::tile::TileDialect"];
}

#endif // TILEC_DIALECT_TILE_TRANSFORMS_PASSES_TD
