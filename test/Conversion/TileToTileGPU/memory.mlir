// RUN: tile-opt --pass-pipeline="builtin.module(tilegpu-set-target,func.func(tilegpu-coalesce,tilegpu-tile-dot,convert-tile-to-tilegpu,cse))" %s | FileCheck %s

// CHECK-DAG: #[[V4:.*]] = #tilegpu.layout<[1024], register = {{\[\[}}1], [2], [512]]
// CHECK-DAG: #[[V1:.*]] = #tilegpu.layout<[1024], register = {{\[\[}}128], [256], [512]]

// A store takes the layout of its value where it moves as much at a time there.
// CHECK-LABEL: func.func @store_adopts
// CHECK: %[[X:.*]] = tile.load {{.*}} -> tensor<1024xf32, #[[V1]]>
// CHECK-NOT: convert_layout
// CHECK: tile.store %{{.*}}, %{{.*}} mask %{{.*}} : tensor<1024x!tile.ptr<f32>, #[[V1]]>
func.func @store_adopts(%p: !tile.ptr<f32>, %q: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel} {
  %x = tile.arange 0, 1024 : tensor<1024xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %ps = tile.addptr %s, %x : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %t = tile.splat %q : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %qs = tile.addptr %t, %x : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi ne, %x, %ns : tensor<1024xi32>
  %v = tile.load %ps : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  %e = math.exp %v : tensor<1024xf32>
  tile.store %qs, %e mask %m : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  return
}

// Where it moves less at a time there, the value is converted.
// CHECK-LABEL: func.func @store_converts
// CHECK: %[[X:.*]] = tile.load {{.*}} -> tensor<1024xf32, #[[V1]]>
// CHECK: %[[Y:.*]] = tilegpu.convert_layout %{{.*}} : tensor<1024xf32, #[[V1]]> -> tensor<1024xf32, #[[V4]]>
// CHECK: tile.store %{{.*}}, %[[Y]] : tensor<1024x!tile.ptr<f32>, #[[V4]]>
func.func @store_converts(%p: !tile.ptr<f32>, %q: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %x = tile.arange 0, 1024 : tensor<1024xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %ps = tile.addptr %s, %x : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %t = tile.splat %q : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %qs = tile.addptr %t, %x : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %v = tile.load %ps : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  %e = math.exp %v : tensor<1024xf32>
  tile.store %qs, %e : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  return
}

// The attribute has served.
// CHECK-LABEL: func.func @attribute
// CHECK-NOT: tilegpu.layout =
// CHECK: return
func.func @attribute(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  %x = tile.arange 0, 1024 : tensor<1024xi32>
  %s = tile.splat %p : !tile.ptr<i32> -> tensor<1024x!tile.ptr<i32>>
  %0 = tile.atomic_rmw add, relaxed, gpu, %s, %x : tensor<1024x!tile.ptr<i32>>, tensor<1024xi32>
  tile.store %s, %0 : tensor<1024x!tile.ptr<i32>>, tensor<1024xi32>
  return
}

// Scalars pass as they are.
// CHECK-LABEL: func.func @scalars
// CHECK: %[[X:.*]] = tile.load %arg0 : !tile.ptr<f32> -> f32
// CHECK: %[[Y:.*]] = math.exp %[[X]] : f32
// CHECK: tile.store %arg0, %[[Y]] : !tile.ptr<f32>, f32
func.func @scalars(%p: !tile.ptr<f32>) attributes {tile.kernel} {
  %x = tile.load %p : !tile.ptr<f32> -> f32
  %y = math.exp %x : f32
  tile.store %p, %y : !tile.ptr<f32>, f32
  return
}

// What threads keep for themselves has the layout of what they load, and buffers
// in which each thread finds its vectors.
// CHECK-LABEL: func.func @kept
// CHECK: %[[RING:.*]] = tilegpu.ring_alloc 3 : <1024xf32, #[[IMAGE:.*]]>
// CHECK: %[[X:.*]] = tile.load {{.*}} -> tensor<1024xf32, #[[V4]]>
// CHECK: tilegpu.keep %[[X]], %[[RING]][%{{.*}}] : tensor<1024xf32, #[[V4]]>, <1024xf32, #[[IMAGE]]>
// CHECK: tilegpu.recall %[[RING]][%{{.*}}] : <1024xf32, #[[IMAGE]]> -> tensor<1024xf32, #[[V4]]>
func.func @kept(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %i: i32) attributes {tile.kernel} {
  %x = tile.arange 0, 1024 : tensor<1024xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %ps = tile.addptr %s, %x : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %ring = tilegpu.ring_alloc 3 : !tilegpu.memdesc<1024xf32>
  %v = tile.load %ps : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  tilegpu.keep %v, %ring[%i] : tensor<1024xf32>, !tilegpu.memdesc<1024xf32>
  %w = tilegpu.recall %ring[%i] : !tilegpu.memdesc<1024xf32> -> tensor<1024xf32>
  tile.store %ps, %w : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  return
}
