// RUN: tile-opt --canonicalize %s | FileCheck %s

// CHECK-LABEL: func.func @addptr_zero
// CHECK-SAME: (%[[P:.*]]: !tile.ptr<f32>, %[[T:.*]]: tensor<8x!tile.ptr<f32>>)
// CHECK-NEXT: return %[[P]], %[[T]]
func.func @addptr_zero(%p: !tile.ptr<f32>, %t: tensor<8x!tile.ptr<f32>>)
    -> (!tile.ptr<f32>, tensor<8x!tile.ptr<f32>>) {
  %z = arith.constant 0 : i32
  %zs = arith.constant dense<0> : tensor<8xi64>
  %0 = tile.addptr %p, %z : !tile.ptr<f32>, i32
  %1 = tile.addptr %t, %zs : tensor<8x!tile.ptr<f32>>, tensor<8xi64>
  return %0, %1 : !tile.ptr<f32>, tensor<8x!tile.ptr<f32>>
}

// CHECK-LABEL: func.func @ptr_cast
// CHECK-SAME: (%[[P:.*]]: !tile.ptr<f32>)
// CHECK-NEXT: return %[[P]], %[[P]]
func.func @ptr_cast(%p: !tile.ptr<f32>) -> (!tile.ptr<f32>, !tile.ptr<f32>) {
  %0 = tile.ptr_cast %p : !tile.ptr<f32> -> !tile.ptr<f32>
  %1 = tile.ptr_cast %p : !tile.ptr<f32> -> i64
  %2 = tile.ptr_cast %1 : i64 -> !tile.ptr<f32>
  return %0, %2 : !tile.ptr<f32>, !tile.ptr<f32>
}

// CHECK-LABEL: func.func @load_all
// CHECK-SAME: (%[[P:.*]]: tensor<8x!tile.ptr<f32>>
// CHECK-NEXT: %[[L:.*]] = tile.load %[[P]] {cache = 2 : i32} : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
// CHECK-NEXT: return %[[L]]
func.func @load_all(%p: tensor<8x!tile.ptr<f32>>, %o: tensor<8xf32>) -> tensor<8xf32> {
  %m = arith.constant dense<true> : tensor<8xi1>
  %0 = tile.load %p mask %m other %o {cache = 2 : i32} : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @load_none
// CHECK-SAME: , %[[O:[a-z0-9]+]]: tensor<8xf32>)
// CHECK-NEXT: %[[Z:.*]] = arith.constant dense<0.000000e+00> : tensor<8xf32>
// CHECK-NEXT: return %[[O]], %[[Z]]
func.func @load_none(%p: tensor<8x!tile.ptr<f32>>, %o: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %m = arith.constant dense<false> : tensor<8xi1>
  %0 = tile.load %p mask %m other %o : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  %1 = tile.load %p mask %m : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// There is no constant pointer to put in the place of one that is not read, and a
// volatile access stays as it is.
// CHECK-LABEL: func.func @load_kept
// CHECK: tile.load %{{.*}} mask %{{.*}} : !tile.ptr<!tile.ptr<f32>>
// CHECK: tile.load %{{.*}} mask %{{.*}} {isVolatile}
func.func @load_kept(%p: !tile.ptr<!tile.ptr<f32>>, %q: !tile.ptr<f32>) -> (!tile.ptr<f32>, f32) {
  %f = arith.constant false
  %t = arith.constant true
  %0 = tile.load %p mask %f : !tile.ptr<!tile.ptr<f32>> -> !tile.ptr<f32>
  %1 = tile.load %q mask %t {isVolatile} : !tile.ptr<f32> -> f32
  return %0, %1 : !tile.ptr<f32>, f32
}

// CHECK-LABEL: func.func @store
// CHECK-SAME: (%[[P:.*]]: !tile.ptr<f32>, %[[V:.*]]: f32)
// CHECK-NEXT: tile.store %[[P]], %[[V]] : !tile.ptr<f32>, f32
// CHECK-NEXT: return
func.func @store(%p: !tile.ptr<f32>, %v: f32) {
  %f = arith.constant false
  %t = arith.constant true
  tile.store %p, %v mask %t : !tile.ptr<f32>, f32
  tile.store %p, %v mask %f : !tile.ptr<f32>, f32
  return
}

// A load whose value has no use is no access.
// CHECK-LABEL: func.func @unused
// CHECK-NEXT: return
func.func @unused(%p: !tile.ptr<f32>) {
  %0 = tile.load %p : !tile.ptr<f32> -> f32
  return
}

// A volatile load is done as often as it is written, also where nobody wants its
// value: a loop may wait for what it reads.
// CHECK-LABEL: func.func @volatile
// CHECK: tile.load %{{.*}} {isVolatile}
// CHECK: scf.while
// CHECK: tile.load %{{.*}} {isVolatile}
// CHECK: return
func.func @volatile(%p: !tile.ptr<i32>, %x: i32) {
  %0 = tile.load %p {isVolatile} : !tile.ptr<i32> -> i32
  %1 = tile.load %p : !tile.ptr<i32> -> i32
  scf.while : () -> () {
    %f = tile.load %p {isVolatile} : !tile.ptr<i32> -> i32
    %m = arith.cmpi eq, %f, %x : i32
    scf.condition(%m)
  } do {
    scf.yield
  }
  return
}
