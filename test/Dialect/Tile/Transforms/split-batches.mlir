// RUN: tile-opt --tile-split-batches %s | FileCheck %s

// CHECK-LABEL: func.func @batches
// CHECK-SAME: (%[[A:.*]]: tensor<4x16x32xf16>, %[[B:.*]]: tensor<4x32x8xf16>)
// CHECK-DAG: %[[TALL:.*]] = tile.reshape %[[A]] : tensor<4x16x32xf16> -> tensor<64x32xf16>
// CHECK-DAG: %[[OTHER:.*]] = tile.reshape %[[B]] : tensor<4x32x8xf16> -> tensor<128x8xf16>
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[ALL:.*]] = %{{.*}}) -> (tensor<4x16x8xf32>)
// CHECK: %[[X:.*]] = tile.gather %[[TALL]], %{{.*}} axis 0 : tensor<64x32xf16>, tensor<16x32xi32> -> tensor<16x32xf16>
// CHECK: %[[Y:.*]] = tile.gather %[[OTHER]], %{{.*}} axis 0 : tensor<128x8xf16>, tensor<32x8xi32> -> tensor<32x8xf16>
// CHECK: tile.dot %[[X]], %[[Y]], %{{.*}} : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
// CHECK: %[[NEW:.*]] = arith.select %{{.*}}, %{{.*}}, %[[ALL]] : tensor<4x16x8xi1>, tensor<4x16x8xf32>
// CHECK: scf.yield %[[NEW]]
func.func @batches(%a: tensor<4x16x32xf16>, %b: tensor<4x32x8xf16>) -> tensor<4x16x8xf32> {
  %c = arith.constant dense<0.0> : tensor<4x16x8xf32>
  %0 = tile.dot %a, %b, %c : tensor<4x16x32xf16>, tensor<4x32x8xf16> -> tensor<4x16x8xf32>
  return %0 : tensor<4x16x8xf32>
}

// A sum that does not start from zero is taken from the batch, with the precision.
// CHECK-LABEL: func.func @onto
// CHECK: scf.for
// CHECK: %[[ROWS:.*]] = tile.reshape %{{.*}} : tensor<2x16x8xf32> -> tensor<32x8xf32>
// CHECK: %[[SUM:.*]] = tile.gather %[[ROWS]]
// CHECK: tile.dot %{{.*}}, %{{.*}}, %[[SUM]] {precision = 2 : i32}
func.func @onto(%a: tensor<2x16x32xf32>, %b: tensor<2x32x8xf32>, %c: tensor<2x16x8xf32>) -> tensor<2x16x8xf32> {
  %0 = tile.dot %a, %b, %c {precision = 2 : i32} : tensor<2x16x32xf32>, tensor<2x32x8xf32> -> tensor<2x16x8xf32>
  return %0 : tensor<2x16x8xf32>
}

// CHECK-LABEL: func.func @one
// CHECK-NOT: scf.for
// CHECK: tile.dot %{{.*}} : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
// CHECK: tile.reshape %{{.*}} : tensor<16x8xf32> -> tensor<1x16x8xf32>
func.func @one(%a: tensor<1x16x32xf16>, %b: tensor<1x32x8xf16>, %c: tensor<1x16x8xf32>) -> tensor<1x16x8xf32> {
  %0 = tile.dot %a, %b, %c : tensor<1x16x32xf16>, tensor<1x32x8xf16> -> tensor<1x16x8xf32>
  return %0 : tensor<1x16x8xf32>
}
