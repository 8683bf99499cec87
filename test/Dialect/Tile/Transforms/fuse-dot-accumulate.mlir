// RUN: tile-opt --tile-fuse-dot-accumulate %s | FileCheck %s

// CHECK-LABEL: func.func @either_side
// CHECK-SAME: (%[[A:.*]]: tensor<16x32xf16>, %[[B:.*]]: tensor<32x8xf16>, %[[X:.*]]: tensor<16x8xf32>)
// CHECK-NEXT: %[[L:.*]] = tile.dot %[[A]], %[[B]], %[[X]]
// CHECK-NEXT: %[[R:.*]] = tile.dot %[[A]], %[[B]], %[[X]]
// CHECK-NEXT: return %[[L]], %[[R]]
func.func @either_side(%a: tensor<16x32xf16>, %b: tensor<32x8xf16>, %x: tensor<16x8xf32>) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %0 = tile.dot %a, %b, %zero : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
  %1 = arith.addf %0, %x : tensor<16x8xf32>
  %2 = tile.dot %a, %b, %zero : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
  %3 = arith.addf %x, %2 : tensor<16x8xf32>
  return %1, %3 : tensor<16x8xf32>, tensor<16x8xf32>
}

// The textbook's loop; the precision stays.
// CHECK-LABEL: func.func @loop
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}})
// CHECK-NEXT: %[[D:.*]] = tile.dot %{{.*}}, %{{.*}}, %[[ACC]] {precision = 2 : i32}
// CHECK-NEXT: scf.yield %[[D]]
func.func @loop(%a: tensor<16x32xf32>, %b: tensor<32x8xf32>, %n: i32) -> tensor<16x8xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %f0 = arith.constant 0.0 : f32
  %zero = tile.splat %f0 : f32 -> tensor<16x8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<16x8xf32> : i32 {
    %0 = tile.dot %a, %b, %zero {precision = 2 : i32} : tensor<16x32xf32>, tensor<32x8xf32> -> tensor<16x8xf32>
    %1 = arith.addf %acc, %0 : tensor<16x8xf32>
    scf.yield %1 : tensor<16x8xf32>
  }
  return %r : tensor<16x8xf32>
}

// The other summand may come after the dot: attention rescales its sum there.
// CHECK-LABEL: func.func @later_summand
// CHECK: %[[S:.*]] = arith.mulf
// CHECK-NEXT: tile.dot %{{.*}}, %{{.*}}, %[[S]]
func.func @later_summand(%a: tensor<16x32xf16>, %b: tensor<32x8xf16>, %x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %0 = tile.dot %a, %b, %zero : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
  %1 = arith.mulf %x, %x : tensor<16x8xf32>
  %2 = arith.addf %1, %0 : tensor<16x8xf32>
  return %2 : tensor<16x8xf32>
}

// CHECK-LABEL: func.func @integers
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<16x8xi32>)
// CHECK-NEXT: tile.dot %{{.*}}, %{{.*}}, %[[X]]
// CHECK-NEXT: return
func.func @integers(%a: tensor<16x32xi8>, %b: tensor<32x8xi8>, %x: tensor<16x8xi32>) -> tensor<16x8xi32> {
  %zero = arith.constant dense<0> : tensor<16x8xi32>
  %0 = tile.dot %a, %b, %zero : tensor<16x32xi8>, tensor<32x8xi8> -> tensor<16x8xi32>
  %1 = arith.addi %0, %x : tensor<16x8xi32>
  return %1 : tensor<16x8xi32>
}

// Of two products one starts from the other.
// CHECK-LABEL: func.func @two
// CHECK: %[[D:.*]] = tile.dot %{{.*}}, %{{.*}}, %cst
// CHECK-NEXT: tile.dot %{{.*}}, %{{.*}}, %[[D]]
// CHECK-NEXT: return
func.func @two(%a: tensor<16x32xf16>, %b: tensor<32x8xf16>, %c: tensor<16x32xf16>) -> tensor<16x8xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %0 = tile.dot %a, %b, %zero : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
  %1 = tile.dot %c, %b, %zero : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
  %2 = arith.addf %0, %1 : tensor<16x8xf32>
  return %2 : tensor<16x8xf32>
}

// What must stay: another use, an accumulator, and an addition in a loop that would
// repeat the dot.
// CHECK-LABEL: func.func @kept
// CHECK: arith.addf
// CHECK: arith.addf
// CHECK: scf.for
// CHECK: arith.addf
func.func @kept(%a: tensor<16x32xf16>, %b: tensor<32x8xf16>, %x: tensor<16x8xf32>, %n: i32)
    -> (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %0 = tile.dot %a, %b, %zero : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
  %1 = arith.addf %0, %x : tensor<16x8xf32>
  %2 = tile.dot %a, %b, %x : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
  %3 = arith.addf %2, %x : tensor<16x8xf32>
  %4 = tile.dot %a, %b, %zero {precision = 2 : i32} : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
  %5 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> tensor<16x8xf32> : i32 {
    %6 = arith.addf %acc, %4 : tensor<16x8xf32>
    scf.yield %6 : tensor<16x8xf32>
  }
  return %0, %1, %3, %5 : tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>
}
