// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt --mlir-print-op-generic %s | tile-opt | FileCheck %s

// CHECK-LABEL: func.func @pointers
// CHECK-SAME: !tile.ptr<!tile.ptr<f8E5M2>>
func.func @pointers(%p: !tile.ptr<!tile.ptr<f8E5M2>>, %o: i64) -> i64 {
  // CHECK: tile.addptr %{{.*}}, %{{.*}} : !tile.ptr<!tile.ptr<f8E5M2>>, i64
  %0 = tile.addptr %p, %o : !tile.ptr<!tile.ptr<f8E5M2>>, i64
  // CHECK: tile.ptr_cast %{{.*}} : !tile.ptr<!tile.ptr<f8E5M2>> -> !tile.ptr<i16>
  %1 = tile.ptr_cast %0 : !tile.ptr<!tile.ptr<f8E5M2>> -> !tile.ptr<i16>
  // CHECK: tile.ptr_cast %{{.*}} : !tile.ptr<i16> -> i64
  %2 = tile.ptr_cast %1 : !tile.ptr<i16> -> i64
  return %2 : i64
}

// CHECK-LABEL: func.func @load
func.func @load(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>, %o: tensor<8xf32>,
                %s: !tile.ptr<!tile.ptr<i32>>) {
  // CHECK: tile.load %{{[a-z0-9]+}} : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  %0 = tile.load %p : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  // CHECK: tile.load %{{[a-z0-9]+}} mask %{{[a-z0-9]+}} {cache = 2 : i32, eviction = 1 : i32, isVolatile} : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  %1 = tile.load %p mask %m {cache = 2 : i32, eviction = 1 : i32, isVolatile} : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  // CHECK: tile.load %{{[a-z0-9]+}} mask %{{[a-z0-9]+}} other %{{[a-z0-9]+}} : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  %2 = tile.load %p mask %m other %o : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
  // CHECK: tile.load %{{[a-z0-9]+}} : !tile.ptr<!tile.ptr<i32>> -> !tile.ptr<i32>
  %3 = tile.load %s : !tile.ptr<!tile.ptr<i32>> -> !tile.ptr<i32>
  return
}

// CHECK-LABEL: func.func @store
func.func @store(%p: tensor<8x!tile.ptr<f32>>, %v: tensor<8xf32>, %m: tensor<8xi1>,
                 %s: !tile.ptr<i8>, %b: i8, %t: i1) {
  // CHECK: tile.store %{{[a-z0-9]+}}, %{{[a-z0-9]+}} {eviction = 2 : i32} : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  tile.store %p, %v {eviction = 2 : i32} : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  // CHECK: tile.store %{{[a-z0-9]+}}, %{{[a-z0-9]+}} mask %{{[a-z0-9]+}} {cache = 6 : i32} : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  tile.store %p, %v mask %m {cache = 6 : i32} : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  // CHECK: tile.store %{{[a-z0-9]+}}, %{{[a-z0-9]+}} mask %{{[a-z0-9]+}} : !tile.ptr<i8>, i8
  tile.store %s, %b mask %t : !tile.ptr<i8>, i8
  return
}

// CHECK-LABEL: func.func @atomics
func.func @atomics(%p: tensor<8x!tile.ptr<f32>>, %v: tensor<8xf32>, %m: tensor<8xi1>,
                   %q: !tile.ptr<i64>, %i: i64) {
  // CHECK: tile.atomic_rmw fadd, acq_rel, gpu, %{{.*}}, %{{[a-z0-9]+}} mask %{{.*}} : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  %0 = tile.atomic_rmw fadd, acq_rel, gpu, %p, %v mask %m : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
  // CHECK: tile.atomic_rmw umax, relaxed, block, %{{.*}}, %{{.*}} : !tile.ptr<i64>, i64
  %1 = tile.atomic_rmw umax, relaxed, block, %q, %i : !tile.ptr<i64>, i64
  // CHECK: tile.atomic_cas acquire, system, %{{.*}}, %{{.*}}, %{{.*}} : !tile.ptr<i64>, i64
  %2 = tile.atomic_cas acquire, system, %q, %1, %i : !tile.ptr<i64>, i64
  return
}
