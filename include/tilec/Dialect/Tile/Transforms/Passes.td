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
// One program, many threads
//===----------------------------------------------------------------------===//

def TileLoadOncePass : Pass<"tile-load-once", "::mlir::func::FuncOp"> {
  let summary = "all threads of a program see one value where it steers them";
  let description = [{
    A load of a scalar becomes volatile, which one thread performs for all and nothing
    takes away, where its value decides a branch or the length of a loop and another
    program may write the address: the kernel stores to the same argument, or to one
    that is not known, or waits in a `while` that does not move the address. Each thread
    for itself might see another value, and they would part.

    Before:
    ```mlir
    func.func @before(%lock: !tile.ptr<i32>, %one: i32) {
      %0 = tile.load %lock : !tile.ptr<i32> -> i32
      %1 = arith.cmpi eq, %0, %one : i32
      scf.if %1 {
        tile.store %lock, %one : !tile.ptr<i32>, i32
      }
      return
    }
    ```

    After:
    ```mlir
    func.func @after(%lock: !tile.ptr<i32>, %one: i32) {
      %0 = tile.load %lock {isVolatile} : !tile.ptr<i32> -> i32
      %1 = arith.cmpi eq, %0, %one : i32
      scf.if %1 {
        tile.store %lock, %one : !tile.ptr<i32>, i32
      }
      return
    }
    ```
  }];
}

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

//===----------------------------------------------------------------------===//
// Towards the machine
//===----------------------------------------------------------------------===//

def TilePadTilesPass : Pass<"tile-pad-tiles", "::mlir::func::FuncOp"> {
  let summary = "round the sizes of tiles up to powers of two";
  let description = [{
    Layouts are linear over bits, so code generation wants sizes that are powers of
    two. Every tile grows to the next ones, and what the padding holds is never
    seen: accesses, prints and assertions leave it out, a reduction takes the neutral
    element there, or, where its region has none, skips it, as a scan from the end
    always does, by another input that says which elements count, and a product has
    zeros there along K. A reshape that would move elements fetches each by the place
    that it had. Functions with tiles in their signature stay.

    Before:
    ```mlir
    func.func @before(%p: !tile.ptr<f32>) -> f32 {
      %r = tile.arange 0, 6 : tensor<6xi32>
      %s = tile.splat %p : !tile.ptr<f32> -> tensor<6x!tile.ptr<f32>>
      %a = tile.addptr %s, %r : tensor<6x!tile.ptr<f32>>, tensor<6xi32>
      %x = tile.load %a : tensor<6x!tile.ptr<f32>> -> tensor<6xf32>
      %m = tile.reduce (%x) axis 0 : tensor<6xf32> -> f32 {
      ^bb0(%l: f32, %q: f32):
        %t = arith.addf %l, %q : f32
        tile.yield %t : f32
      }
      return %m : f32
    }
    ```

    After:
    ```mlir
    func.func @after(%p: !tile.ptr<f32>) -> f32 {
      %r = tile.arange 0, 8 : tensor<8xi32>
      %s = tile.splat %p : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
      %a = tile.addptr %s, %r : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
      %0 = tile.arange 0, 8 : tensor<8xi32>
      %six = arith.constant dense<6> : tensor<8xi32>
      %inside = arith.cmpi slt, %0, %six : tensor<8xi32>
      %x = tile.load %a mask %inside : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
      %1 = tile.arange 0, 8 : tensor<8xi32>
      %six2 = arith.constant dense<6> : tensor<8xi32>
      %counts = arith.cmpi slt, %1, %six2 : tensor<8xi32>
      %none = arith.constant dense<-0.0> : tensor<8xf32>
      %y = arith.select %counts, %x, %none : tensor<8xi1>, tensor<8xf32>
      %m = tile.reduce (%y) axis 0 : tensor<8xf32> -> f32 {
      ^bb0(%l: f32, %q: f32):
        %t = arith.addf %l, %q : f32
        tile.yield %t : f32
      }
      return %m : f32
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilec::tile::TileDialect"];
}

def TileSplitBatchesPass : Pass<"tile-split-batches"> {
  let summary = "a product of batches becomes a loop of products";
  let description = [{
    Matrix instructions multiply two matrices. A `tile.dot` of rank 3 becomes a loop
    over its first axis: each iteration takes the rows of one matrix by
    `tile.gather`, and puts its product back by a selection.

    Before:
    ```mlir
    func.func @before(%a: tensor<4x16x32xf16>, %b: tensor<4x32x8xf16>) -> tensor<4x16x8xf32> {
      %c = arith.constant dense<0.0> : tensor<4x16x8xf32>
      %0 = tile.dot %a, %b, %c : tensor<4x16x32xf16>, tensor<4x32x8xf16> -> tensor<4x16x8xf32>
      return %0 : tensor<4x16x8xf32>
    }
    ```

    After, where `%rows` and `%k` are `%batch * 16 + i` and `%batch * 32 + i` in row
    i, and `%hit` is true in matrix `%batch`:
    ```text
    %tall = tile.reshape %a : tensor<4x16x32xf16> -> tensor<64x32xf16>
    %other = tile.reshape %b : tensor<4x32x8xf16> -> tensor<128x8xf16>
    %0 = scf.for %batch = %c0 to %c4 step %c1 iter_args(%all = %c) -> tensor<4x16x8xf32> : i32 {
      %x = tile.gather %tall, %rows axis 0 : tensor<64x32xf16>, tensor<16x32xi32> -> tensor<16x32xf16>
      %y = tile.gather %other, %k axis 0 : tensor<128x8xf16>, tensor<32x8xi32> -> tensor<32x8xf16>
      %d = tile.dot %x, %y, %zero : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
      %w = tile.expand_dims %d, 0 : tensor<16x8xf32> -> tensor<1x16x8xf32>
      %r = tile.broadcast %w : tensor<1x16x8xf32> -> tensor<4x16x8xf32>
      %s = arith.select %hit, %r, %all : tensor<4x16x8xi1>, tensor<4x16x8xf32>
      scf.yield %s : tensor<4x16x8xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::tilec::tile::TileDialect"];
}

#endif // TILEC_DIALECT_TILE_TRANSFORMS_PASSES_TD
