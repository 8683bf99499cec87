// RUN: tile-opt --tile-sink-broadcasts %s | FileCheck %s

// CHECK-LABEL: func.func @to_scalar
// CHECK-SAME: (%[[P:.*]]: !tile.ptr<f32>, %[[I:.*]]: i32)
// CHECK-NEXT: %[[C:.*]] = arith.constant 3 : i32
// CHECK-NEXT: %[[O:.*]] = arith.muli %[[I]], %[[C]] overflow<nsw> : i32
// CHECK-NEXT: %[[Q:.*]] = tile.addptr %[[P]], %[[O]] : !tile.ptr<f32>, i32
// CHECK-NEXT: %[[S:.*]] = tile.splat %[[Q]] : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
// CHECK-NEXT: return %[[S]]
func.func @to_scalar(%p: !tile.ptr<f32>, %i: i32) -> tensor<8x!tile.ptr<f32>> {
  %c = arith.constant dense<3> : tensor<8xi32>
  %0 = tile.splat %p : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %1 = tile.splat %i : i32 -> tensor<8xi32>
  %2 = arith.muli %1, %c overflow<nsw> : tensor<8xi32>
  %3 = tile.addptr %0, %2 : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  return %3 : tensor<8x!tile.ptr<f32>>
}

// Operations of one operand and with a scalar one.
// CHECK-LABEL: func.func @other_forms
// CHECK-SAME: (%[[X:.*]]: f32, %[[C:.*]]: i1)
// CHECK: math.exp %[[X]] : f32
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK: arith.select %[[C]], %{{.*}}, %{{.*}} : f16
// CHECK-NEXT: tile.splat %{{.*}} : f16 -> tensor<4x4xf16>
// CHECK-NEXT: return
func.func @other_forms(%x: f32, %c: i1) -> tensor<4x4xf16> {
  %z = arith.constant dense<1.0> : tensor<4x4xf16>
  %0 = tile.splat %x : f32 -> tensor<4x4xf32>
  %1 = math.exp %0 : tensor<4x4xf32>
  %2 = arith.truncf %1 : tensor<4x4xf32> to tensor<4x4xf16>
  %3 = arith.select %c, %2, %z : tensor<4x4xf16>
  return %3 : tensor<4x4xf16>
}

// CHECK-LABEL: func.func @to_smaller
// CHECK-SAME: (%[[R:.*]]: tensor<8x1xi32>, %[[N:.*]]: i32)
// CHECK-NEXT: %[[C:.*]] = arith.constant dense<1> : tensor<8x1xi32>
// CHECK-NEXT: %[[A:.*]] = arith.addi %[[R]], %[[C]] : tensor<8x1xi32>
// CHECK-NEXT: %[[S:.*]] = tile.splat %[[N]] : i32 -> tensor<8x1xi32>
// CHECK-NEXT: %[[M:.*]] = arith.cmpi slt, %[[A]], %[[S]] : tensor<8x1xi32>
// CHECK-NEXT: %[[B:.*]] = tile.broadcast %[[M]] : tensor<8x1xi1> -> tensor<8x4xi1>
// CHECK-NEXT: return %[[B]]
func.func @to_smaller(%r: tensor<8x1xi32>, %n: i32) -> tensor<8x4xi1> {
  %c = arith.constant dense<1> : tensor<8x4xi32>
  %0 = tile.broadcast %r : tensor<8x1xi32> -> tensor<8x4xi32>
  %1 = arith.addi %0, %c : tensor<8x4xi32>
  %2 = tile.splat %n : i32 -> tensor<8x4xi32>
  %3 = arith.cmpi slt, %1, %2 : tensor<8x4xi32>
  return %3 : tensor<8x4xi1>
}

// Sources of different shapes meet in the smallest shape that holds both.
// CHECK-LABEL: func.func @between
// CHECK-SAME: (%[[X:[a-z0-9]+]]: tensor<8x1x1xf32>, %[[Y:[a-z0-9]+]]: tensor<1x4x1xf32>)
// CHECK-DAG: %[[BX:.*]] = tile.broadcast %[[X]] : tensor<8x1x1xf32> -> tensor<8x4x1xf32>
// CHECK-DAG: %[[BY:.*]] = tile.broadcast %[[Y]] : tensor<1x4x1xf32> -> tensor<8x4x1xf32>
// CHECK: %[[S:.*]] = arith.addf %[[BX]], %[[BY]] : tensor<8x4x1xf32>
// CHECK-NEXT: math.absf %[[S]] : tensor<8x4x1xf32>
// CHECK-NEXT: math.sqrt %{{.*}} : tensor<8x4x1xf32>
// CHECK-NEXT: tile.broadcast %{{.*}} : tensor<8x4x1xf32> -> tensor<8x4x2xf32>
// CHECK-NEXT: return
func.func @between(%x: tensor<8x1x1xf32>, %y: tensor<1x4x1xf32>) -> tensor<8x4x2xf32> {
  %0 = tile.broadcast %x : tensor<8x1x1xf32> -> tensor<8x4x2xf32>
  %1 = tile.broadcast %y : tensor<1x4x1xf32> -> tensor<8x4x2xf32>
  %2 = arith.addf %0, %1 : tensor<8x4x2xf32>
  %3 = math.absf %2 : tensor<8x4x2xf32>
  %4 = math.sqrt %3 : tensor<8x4x2xf32>
  return %4 : tensor<8x4x2xf32>
}

// What must stay: rows and columns that need the whole tile, an operand that is not
// repeated, a hint about the tile, and accesses, which are counted lane by lane.
// CHECK-LABEL: func.func @kept
// CHECK: arith.addi %{{.*}}, %{{.*}} : tensor<8x4xi32>
// CHECK: arith.muli %{{.*}}, %{{.*}} : tensor<8x4xi32>
// CHECK: arith.muli %{{.*}}, %{{.*}} {tile.divisibility = array<i32: 1, 4>} : tensor<8x4xi32>
// CHECK: tile.load %{{.*}} : tensor<8x!tile.ptr<f32>>
func.func @kept(%r: tensor<8x1xi32>, %c: tensor<1x4xi32>, %n: i32, %p: !tile.ptr<f32>) -> (tensor<8x4xi32>, tensor<8x4xi32>, tensor<8xf32>) {
  %0 = tile.broadcast %r : tensor<8x1xi32> -> tensor<8x4xi32>
  %1 = tile.broadcast %c : tensor<1x4xi32> -> tensor<8x4xi32>
  %2 = arith.addi %0, %1 : tensor<8x4xi32>
  %3 = tile.splat %n : i32 -> tensor<8x4xi32>
  %4 = arith.muli %2, %3 : tensor<8x4xi32>
  %5 = arith.muli %3, %3 {tile.divisibility = array<i32: 1, 4>} : tensor<8x4xi32>
  %6 = tile.splat %p : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %7 = tile.load %6 : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  return %4, %5, %7 : tensor<8x4xi32>, tensor<8x4xi32>, tensor<8xf32>
}
