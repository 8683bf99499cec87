// RUN: tile-opt --tile-hoist-invariants %s | FileCheck %s

// Out of both loops, each as far as it goes.
// CHECK-LABEL: func.func @nest
// CHECK: arith.mulf
// CHECK-NEXT: scf.for %[[I:.*]] = {{.*}} iter_args(%[[S:.*]] =
// CHECK-NEXT: arith.addf %[[S]]
// CHECK-NEXT: scf.for
// CHECK-NEXT: arith.subf
// CHECK-NEXT: scf.yield
func.func @nest(%x: tensor<8xf32>, %y: tensor<8xf32>, %n: i32) -> tensor<8xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (tensor<8xf32>) : i32 {
    %1 = scf.for %j = %c0 to %n step %c1 iter_args(%t = %x) -> (tensor<8xf32>) : i32 {
      %2 = arith.mulf %x, %y : tensor<8xf32>
      %3 = arith.addf %s, %2 : tensor<8xf32>
      %4 = arith.subf %t, %3 : tensor<8xf32>
      scf.yield %4 : tensor<8xf32>
    }
    scf.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// The loop may not run: what may fail, and what reads memory, stays.
// CHECK-LABEL: func.func @kept
// CHECK: scf.for
// CHECK-NEXT: arith.divsi
// CHECK-NEXT: tile.load
func.func @kept(%p: tensor<8x!tile.ptr<i32>>, %x: tensor<8xi32>, %y: tensor<8xi32>, %n: i32) -> tensor<8xi32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (tensor<8xi32>) : i32 {
    %1 = arith.divsi %x, %y : tensor<8xi32>
    %2 = tile.load %p : tensor<8x!tile.ptr<i32>> -> tensor<8xi32>
    %3 = arith.addi %1, %2 : tensor<8xi32>
    %4 = arith.addi %3, %s : tensor<8xi32>
    scf.yield %4 : tensor<8xi32>
  }
  return %0 : tensor<8xi32>
}
