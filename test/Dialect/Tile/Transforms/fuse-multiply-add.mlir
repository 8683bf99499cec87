// rule: fma
// RUN: tile-opt --tile-fuse-multiply-add %s | FileCheck %s

// CHECK-LABEL: func.func @sums
// CHECK-SAME: (%[[A:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>, %[[C:.*]]: tensor<8xf32>)
// CHECK-NEXT: %[[L:.*]] = math.fma %[[A]], %[[B]], %[[C]] : tensor<8xf32>
// CHECK-NEXT: %[[R:.*]] = math.fma %[[B]], %[[A]], %[[C]] : tensor<8xf32>
// CHECK-NEXT: return %[[L]], %[[R]]
func.func @sums(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = arith.mulf %a, %b : tensor<8xf32>
  %1 = arith.addf %0, %c : tensor<8xf32>
  %2 = arith.mulf %b, %a : tensor<8xf32>
  %3 = arith.addf %c, %2 : tensor<8xf32>
  return %1, %3 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @differences
// CHECK-SAME: (%[[A:.*]]: f64, %[[B:.*]]: f64, %[[C:.*]]: f64)
// CHECK-NEXT: %[[NC:.*]] = arith.negf %[[C]] : f64
// CHECK-NEXT: %[[L:.*]] = math.fma %[[A]], %[[B]], %[[NC]] : f64
// CHECK-NEXT: %[[NA:.*]] = arith.negf %[[A]] : f64
// CHECK-NEXT: %[[R:.*]] = math.fma %[[NA]], %[[C]], %[[B]] : f64
// CHECK-NEXT: return %[[L]], %[[R]]
func.func @differences(%a: f64, %b: f64, %c: f64) -> (f64, f64) {
  %0 = arith.mulf %a, %b : f64
  %1 = arith.subf %0, %c : f64
  %2 = arith.mulf %a, %c : f64
  %3 = arith.subf %b, %2 : f64
  return %1, %3 : f64, f64
}

// A chain, as in a polynomial, and of two products the left one.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: (%[[X:.*]]: f16, %[[Y:.*]]: f16)
// CHECK-NEXT: %[[P:.*]] = math.fma %[[X]], %[[Y]], %[[Y]] : f16
// CHECK-NEXT: %[[Q:.*]] = arith.mulf %[[Y]], %[[Y]] : f16
// CHECK-NEXT: math.fma %[[P]], %[[X]], %[[Q]] : f16
func.func @chain(%x: f16, %y: f16) -> f16 {
  %0 = arith.mulf %x, %y : f16
  %1 = arith.addf %0, %y : f16
  %2 = arith.mulf %1, %x : f16
  %3 = arith.mulf %y, %y : f16
  %4 = arith.addf %2, %3 : f16
  return %4 : f16
}

// A constant is negated at compile time.
// CHECK-LABEL: func.func @constant
// CHECK: %[[C:.*]] = arith.constant -2.000000e+00 : f32
// CHECK-NEXT: math.fma %{{.*}}, %{{.*}}, %[[C]] : f32
func.func @constant(%x: f32) -> f32 {
  %c = arith.constant 2.0 : f32
  %0 = arith.mulf %x, %x : f32
  %1 = arith.subf %0, %c : f32
  return %1 : f32
}

// What must stay: a product that has another use (rounded there, so rounded here),
// bf16, and an addition in another block.
// CHECK-LABEL: func.func @kept
// CHECK-NOT: math.fma
// CHECK: return
func.func @kept(%x: f32, %y: bf16, %n: i32) -> (f32, f32, f32, bf16) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = arith.mulf %x, %x : f32
  %1 = arith.addf %0, %x : f32
  %2 = arith.subf %0, %0 : f32
  %3 = arith.mulf %y, %y : bf16
  %4 = arith.addf %3, %y : bf16
  %5 = arith.mulf %1, %x : f32
  %6 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> f32 : i32 {
    %7 = arith.addf %acc, %5 : f32
    scf.yield %7 : f32
  }
  return %1, %2, %6, %4 : f32, f32, f32, bf16
}
