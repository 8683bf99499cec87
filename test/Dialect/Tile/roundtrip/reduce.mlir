// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt --mlir-print-op-generic %s | tile-opt | FileCheck %s

// Two inputs at once: the largest value and where it stands.
// CHECK-LABEL: func.func @argmax
// CHECK: tile.reduce(%{{.*}}, %{{.*}}) axis 1 : tensor<4x8xf32>, tensor<4x8xi32> -> tensor<4xf32>, tensor<4xi32> {
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: i32, %{{.*}}: f32, %{{.*}}: i32):
// CHECK: tile.yield %{{.*}}, %{{.*}} : f32, i32
func.func @argmax(%x: tensor<4x8xf32>, %i: tensor<4x8xi32>) -> tensor<4xi32> {
  %0:2 = tile.reduce (%x, %i) axis 1 : tensor<4x8xf32>, tensor<4x8xi32> -> tensor<4xf32>, tensor<4xi32> {
  ^bb0(%lv: f32, %li: i32, %rv: f32, %ri: i32):
    %c = arith.cmpf ogt, %lv, %rv : f32
    %v = arith.select %c, %lv, %rv : f32
    %k = arith.select %c, %li, %ri : i32
    tile.yield %v, %k : f32, i32
  }
  return %0#1 : tensor<4xi32>
}

// CHECK-LABEL: func.func @scalar
// CHECK: tile.reduce(%{{.*}}) axis 0 : tensor<8xi1> -> i1
func.func @scalar(%x: tensor<8xi1>) -> i1 {
  %0 = tile.reduce (%x) axis 0 : tensor<8xi1> -> i1 {
  ^bb0(%l: i1, %r: i1):
    %s = arith.ori %l, %r : i1
    tile.yield %s : i1
  }
  return %0 : i1
}

// CHECK-LABEL: func.func @scan
// CHECK: tile.scan(%{{.*}}) axis 1 reverse : tensor<2x4xi64> -> tensor<2x4xi64>
func.func @scan(%x: tensor<2x4xi64>) -> tensor<2x4xi64> {
  %0 = tile.scan (%x) axis 1 reverse : tensor<2x4xi64> -> tensor<2x4xi64> {
  ^bb0(%l: i64, %r: i64):
    %s = arith.addi %l, %r : i64
    tile.yield %s : i64
  }
  return %0 : tensor<2x4xi64>
}

// CHECK-LABEL: func.func @histogram
// CHECK: tile.histogram %{{.*}} mask %{{.*}} : tensor<4x8xi64> -> tensor<16xi32>
// CHECK: tile.histogram %{{.*}} : tensor<8xi32> -> tensor<3xi32>
func.func @histogram(%x: tensor<4x8xi64>, %m: tensor<4x8xi1>, %y: tensor<8xi32>) -> (tensor<16xi32>, tensor<3xi32>) {
  %0 = tile.histogram %x mask %m : tensor<4x8xi64> -> tensor<16xi32>
  %1 = tile.histogram %y : tensor<8xi32> -> tensor<3xi32>
  return %0, %1 : tensor<16xi32>, tensor<3xi32>
}
