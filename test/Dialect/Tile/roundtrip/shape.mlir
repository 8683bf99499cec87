// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt --mlir-print-op-generic %s | tile-opt | FileCheck %s

// CHECK-LABEL: func.func @arange
// CHECK: tile.arange -4, 12 : tensor<16xi32>
func.func @arange() -> tensor<16xi32> {
  %0 = tile.arange -4, 12 : tensor<16xi32>
  return %0 : tensor<16xi32>
}

// CHECK-LABEL: func.func @splat
// CHECK: tile.splat %{{.*}} : bf16 -> tensor<1xbf16>
// CHECK: tile.splat %{{.*}} : !tile.ptr<f32> -> tensor<3x5x!tile.ptr<f32>>
func.func @splat(%x: bf16, %p: !tile.ptr<f32>) -> tensor<3x5x!tile.ptr<f32>> {
  %0 = tile.splat %x : bf16 -> tensor<1xbf16>
  %1 = tile.splat %p : !tile.ptr<f32> -> tensor<3x5x!tile.ptr<f32>>
  return %1 : tensor<3x5x!tile.ptr<f32>>
}

// CHECK-LABEL: func.func @broadcast
// CHECK: tile.broadcast %{{.*}} : tensor<4x1x1xi1> -> tensor<4x8x2xi1>
func.func @broadcast(%x: tensor<4x1x1xi1>) -> tensor<4x8x2xi1> {
  %0 = tile.broadcast %x : tensor<4x1x1xi1> -> tensor<4x8x2xi1>
  return %0 : tensor<4x8x2xi1>
}

// CHECK-LABEL: func.func @expand_dims
// CHECK: tile.expand_dims %{{.*}}, 0 : tensor<8xf8E4M3FN> -> tensor<1x8xf8E4M3FN>
// CHECK: tile.expand_dims %{{.*}}, 2 : tensor<1x8xf8E4M3FN> -> tensor<1x8x1xf8E4M3FN>
func.func @expand_dims(%x: tensor<8xf8E4M3FN>) -> tensor<1x8x1xf8E4M3FN> {
  %0 = tile.expand_dims %x, 0 : tensor<8xf8E4M3FN> -> tensor<1x8xf8E4M3FN>
  %1 = tile.expand_dims %0, 2 : tensor<1x8xf8E4M3FN> -> tensor<1x8x1xf8E4M3FN>
  return %1 : tensor<1x8x1xf8E4M3FN>
}

// CHECK-LABEL: func.func @reshape
// CHECK: tile.reshape %{{.*}} : tensor<4x6xi64> -> tensor<2x3x4xi64>
func.func @reshape(%x: tensor<4x6xi64>) -> tensor<2x3x4xi64> {
  %0 = tile.reshape %x : tensor<4x6xi64> -> tensor<2x3x4xi64>
  return %0 : tensor<2x3x4xi64>
}

// CHECK-LABEL: func.func @trans
// CHECK: tile.trans %{{.*}}, [2, 0, 1] : tensor<2x3x4xf64> -> tensor<4x2x3xf64>
func.func @trans(%x: tensor<2x3x4xf64>) -> tensor<4x2x3xf64> {
  %0 = tile.trans %x, [2, 0, 1] : tensor<2x3x4xf64> -> tensor<4x2x3xf64>
  return %0 : tensor<4x2x3xf64>
}

// CHECK-LABEL: func.func @gather
// CHECK: tile.gather %{{.*}}, %{{.*}} axis 1 : tensor<4x6xbf16>, tensor<4x2xi64> -> tensor<4x2xbf16>
func.func @gather(%x: tensor<4x6xbf16>, %i: tensor<4x2xi64>) -> tensor<4x2xbf16> {
  %0 = tile.gather %x, %i axis 1 : tensor<4x6xbf16>, tensor<4x2xi64> -> tensor<4x2xbf16>
  return %0 : tensor<4x2xbf16>
}
