// RUN: tile-opt --canonicalize %s | FileCheck %s

// A splat of a constant is a constant, through every operation that moves elements.
// CHECK-LABEL: func.func @constants
// CHECK-NEXT: %[[C:.*]] = arith.constant dense<1.500000e+00> : tensor<8x4xf32>
// CHECK-NEXT: return %[[C]]
func.func @constants() -> tensor<8x4xf32> {
  %c = arith.constant 1.5 : f32
  %0 = tile.splat %c : f32 -> tensor<4xf32>
  %1 = tile.expand_dims %0, 1 : tensor<4xf32> -> tensor<4x1xf32>
  %2 = tile.broadcast %1 : tensor<4x1xf32> -> tensor<4x8xf32>
  %3 = tile.reshape %2 : tensor<4x8xf32> -> tensor<2x2x8xf32>
  %4 = tile.reshape %3 : tensor<2x2x8xf32> -> tensor<4x8xf32>
  %5 = tile.trans %4, [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  return %5 : tensor<8x4xf32>
}

// Only splat constants fold: others would have to be computed element by element.
// CHECK-LABEL: func.func @other_constants
// CHECK: tile.broadcast
func.func @other_constants() -> tensor<2x4xi32> {
  %c = arith.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %0 = tile.broadcast %c : tensor<2x1xi32> -> tensor<2x4xi32>
  return %0 : tensor<2x4xi32>
}

// CHECK-LABEL: func.func @same_shape
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>)
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]]
func.func @same_shape(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = tile.broadcast %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = tile.reshape %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = tile.trans %x, [0, 1] : tensor<4x8xf32> -> tensor<4x8xf32>
  return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// A square is transposed even though its type stays.
// CHECK-LABEL: func.func @square
// CHECK: tile.trans %{{.*}}, [1, 0]
func.func @square(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = tile.trans %x, [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @broadcast_of_splat
// CHECK-SAME: (%[[X:.*]]: f32)
// CHECK-NEXT: tile.splat %[[X]] : f32 -> tensor<4x8xf32>
func.func @broadcast_of_splat(%x: f32) -> tensor<4x8xf32> {
  %0 = tile.splat %x : f32 -> tensor<4x1xf32>
  %1 = tile.broadcast %0 : tensor<4x1xf32> -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @broadcast_of_broadcast
// CHECK-SAME: (%[[X:.*]]: tensor<1x1xf32>)
// CHECK-NEXT: tile.broadcast %[[X]] : tensor<1x1xf32> -> tensor<4x8xf32>
// CHECK-NEXT: return
func.func @broadcast_of_broadcast(%x: tensor<1x1xf32>) -> tensor<4x8xf32> {
  %0 = tile.broadcast %x : tensor<1x1xf32> -> tensor<4x1xf32>
  %1 = tile.broadcast %0 : tensor<4x1xf32> -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @reshape_of_reshape
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>)
// CHECK-NEXT: tile.reshape %[[X]] : tensor<4x8xf32> -> tensor<32xf32>
// CHECK-NEXT: return
func.func @reshape_of_reshape(%x: tensor<4x8xf32>) -> tensor<32xf32> {
  %0 = tile.reshape %x : tensor<4x8xf32> -> tensor<2x16xf32>
  %1 = tile.reshape %0 : tensor<2x16xf32> -> tensor<32xf32>
  return %1 : tensor<32xf32>
}

// CHECK-LABEL: func.func @trans_of_trans
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4xf32>)
// CHECK-NEXT: %[[T:.*]] = tile.trans %[[X]], [1, 2, 0] : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
// CHECK-NEXT: return %[[T]], %[[X]]
func.func @trans_of_trans(%x: tensor<2x3x4xf32>) -> (tensor<3x4x2xf32>, tensor<2x3x4xf32>) {
  %0 = tile.trans %x, [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  %1 = tile.trans %0, [2, 0, 1] : tensor<4x2x3xf32> -> tensor<3x4x2xf32>
  %2 = tile.trans %1, [2, 0, 1] : tensor<3x4x2xf32> -> tensor<2x3x4xf32>
  return %1, %2 : tensor<3x4x2xf32>, tensor<2x3x4xf32>
}
