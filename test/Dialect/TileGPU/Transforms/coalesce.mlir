// RUN: tile-opt --tilegpu-coalesce --split-input-file %s | FileCheck %s

// The width follows from what divides addresses: 16 bytes, 8, 4, one element.
// CHECK-DAG: #[[V4:.*]] = #tilegpu.layout<[1024], register = {{\[\[}}1], [2], [512]], lane = {{\[\[}}4], [8], [16], [32], [64]], warp = {{\[\[}}128], [256]]>
// CHECK-DAG: #[[V2:.*]] = #tilegpu.layout<[1024], register = {{\[\[}}1], [256], [512]], lane = {{\[\[}}2], [4], [8], [16], [32]], warp = {{\[\[}}64], [128]]>
// CHECK-DAG: #[[V1:.*]] = #tilegpu.layout<[1024], register = {{\[\[}}128], [256], [512]], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = {{\[\[}}32], [64]]>

// CHECK-LABEL: func.func @divisibility
func.func @divisibility(%p16: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %p8: !tile.ptr<f32> {tile.divisibility = 8 : i32},
                        %p: !tile.ptr<f32>) attributes {tilegpu.num_warps = 4 : i32} {
  %x = tile.arange 0, 1024 : tensor<1024xi32>
  %s16 = tile.splat %p16 : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %s8 = tile.splat %p8 : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %q16 = tile.addptr %s16, %x : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %q8 = tile.addptr %s8, %x : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %q = tile.addptr %s, %x : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  // CHECK: tile.load %{{.*}} {tilegpu.layout = #[[V4]]}
  %v16 = tile.load %q16 : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  // CHECK: tile.load %{{.*}} {tilegpu.layout = #[[V2]]}
  %v8 = tile.load %q8 : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  // CHECK: tile.load %{{.*}} {tilegpu.layout = #[[V1]]}
  %v = tile.load %q : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  // CHECK: tile.store %{{.*}}, %{{.*}} {tilegpu.layout = #[[V4]]}
  tile.store %q16, %v : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  // All to one address: nothing is consecutive.
  // CHECK: tile.load %{{.*}} {tilegpu.layout = #[[V1]]}
  %e = tile.load %s16 : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  // Scalars have no layout.
  // CHECK: tile.load %{{[a-z0-9]+}} : !tile.ptr<f32> -> f32
  %one = tile.load %p16 : !tile.ptr<f32> -> f32
  return
}

// -----

// A bound of any size cuts at most the last vector of a row, of which single
// elements are accessed. Elsewhere a vector moves under one mask.
// CHECK-DAG: #[[V4:.*]] = #tilegpu.layout<[1024], register = {{\[\[}}1], [2], [512]]
// CHECK-DAG: #[[V1:.*]] = #tilegpu.layout<[1024], register = {{\[\[}}128], [256], [512]]
// CHECK-LABEL: func.func @mask
func.func @mask(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n16: i32 {tile.divisibility = 16 : i32}, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %x = tile.arange 0, 1024 : tensor<1024xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %q = tile.addptr %s, %x : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %b16 = tile.splat %n16 : i32 -> tensor<1024xi32>
  %m16 = arith.cmpi slt, %x, %b16 : tensor<1024xi32>
  %b = tile.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %x, %b : tensor<1024xi32>
  %two = arith.constant dense<2> : tensor<1024xi32>
  %not = arith.cmpi ne, %x, %b : tensor<1024xi32>
  %from = arith.cmpi sle, %two, %x : tensor<1024xi32>
  %both = arith.andi %from, %m : tensor<1024xi1>
  // CHECK: tile.load %{{.*}} mask %{{.*}} {tilegpu.layout = #[[V4]]}
  %v16 = tile.load %q mask %m16 : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  // CHECK: tile.load %{{.*}} mask %{{.*}} {tilegpu.layout = #[[V4]]}
  %v = tile.load %q mask %m : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  // CHECK: tile.store %{{.*}} mask %{{.*}} {tilegpu.layout = #[[V4]]}
  tile.store %q, %v mask %both : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  // CHECK: tile.store %{{.*}} mask %{{.*}} {tilegpu.layout = #[[V1]]}
  tile.store %q, %v mask %not : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  return
}

// -----

// What a product reads is copied asynchronously: whole vectors or nothing.
// CHECK: #[[V1:.*]] = #tilegpu.layout<[32, 32], register = {{\[\[}}4, 0]
// CHECK-LABEL: func.func @product
func.func @product(%p: tensor<32x32x!tile.ptr<f16>>, %c: tensor<32x32xf32>, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %x = tile.arange 0, 32 : tensor<32xi32>
  %x2 = tile.expand_dims %x, 0 : tensor<32xi32> -> tensor<1x32xi32>
  %k = tile.broadcast %x2 : tensor<1x32xi32> -> tensor<32x32xi32>
  %q = tile.addptr %p, %k : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
  %b = tile.splat %n : i32 -> tensor<32x32xi32>
  %m = arith.cmpi slt, %k, %b : tensor<32x32xi32>
  // CHECK: tile.load %{{.*}} mask %{{.*}} {tilegpu.layout = #[[V1]]}
  %a = tile.load %q mask %m : tensor<32x32x!tile.ptr<f16>> -> tensor<32x32xf16>
  %d = tile.dot %a, %a, %c : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
  return
}

// -----

// The axis whose addresses are consecutive goes first, whichever it is.
// CHECK-DAG: #[[ROWS:.*]] = #tilegpu.layout<[32, 64], register = {{\[\[}}0, 1], [0, 2], {{.*}}lane = {{\[\[}}0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warp = {{\[\[}}2, 0], [4, 0]]>
// CHECK-DAG: #[[COLUMNS:.*]] = #tilegpu.layout<[32, 64], register = {{\[\[}}1, 0], [2, 0], {{.*}}lane = {{\[\[}}4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = {{\[\[}}0, 4], [0, 8]]>
// CHECK-LABEL: func.func @order
func.func @order(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %stride: i32 {tile.divisibility = 16 : i32}) attributes {tilegpu.num_warps = 4 : i32} {
  %r = tile.arange 0, 32 : tensor<32xi32>
  %c = tile.arange 0, 64 : tensor<64xi32>
  %r1 = tile.expand_dims %r, 1 : tensor<32xi32> -> tensor<32x1xi32>
  %c0 = tile.expand_dims %c, 0 : tensor<64xi32> -> tensor<1x64xi32>
  %sr = tile.splat %stride : i32 -> tensor<32x1xi32>
  %sc = tile.splat %stride : i32 -> tensor<1x64xi32>
  %rs = arith.muli %r1, %sr : tensor<32x1xi32>
  %cs = arith.muli %c0, %sc : tensor<1x64xi32>
  %a0 = tile.broadcast %rs : tensor<32x1xi32> -> tensor<32x64xi32>
  %a1 = tile.broadcast %c0 : tensor<1x64xi32> -> tensor<32x64xi32>
  %a = arith.addi %a0, %a1 : tensor<32x64xi32>
  %b0 = tile.broadcast %r1 : tensor<32x1xi32> -> tensor<32x64xi32>
  %b1 = tile.broadcast %cs : tensor<1x64xi32> -> tensor<32x64xi32>
  %b = arith.addi %b0, %b1 : tensor<32x64xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<32x64x!tile.ptr<f32>>
  %pa = tile.addptr %s, %a : tensor<32x64x!tile.ptr<f32>>, tensor<32x64xi32>
  %pb = tile.addptr %s, %b : tensor<32x64x!tile.ptr<f32>>, tensor<32x64xi32>
  // CHECK: tile.load %{{.*}} {tilegpu.layout = #[[ROWS]]}
  %va = tile.load %pa : tensor<32x64x!tile.ptr<f32>> -> tensor<32x64xf32>
  // CHECK: tile.load %{{.*}} {tilegpu.layout = #[[COLUMNS]]}
  %vb = tile.load %pb : tensor<32x64x!tile.ptr<f32>> -> tensor<32x64xf32>
  return
}

// -----

// 16 bytes are 16 elements of i8, 8 of bf16, 2 of f64 and of pointers.
// CHECK-DAG: #[[I8:.*]] = #tilegpu.layout<[4096], register = {{\[\[}}1], [2], [4], [8], [2048]], lane = {{\[\[}}16]
// CHECK-DAG: #[[BF16:.*]] = #tilegpu.layout<[4096], register = {{\[\[}}1], [2], [4], [1024], [2048]], lane = {{\[\[}}8]
// CHECK-DAG: #[[F64:.*]] = #tilegpu.layout<[4096], register = {{\[\[}}1], [256], [512], [1024], [2048]], lane = {{\[\[}}2]
// CHECK-LABEL: func.func @widths
func.func @widths(%i8: !tile.ptr<i8> {tile.divisibility = 16 : i32}, %bf16: !tile.ptr<bf16> {tile.divisibility = 16 : i32},
                  %f64: !tile.ptr<f64> {tile.divisibility = 16 : i32}, %pp: !tile.ptr<!tile.ptr<i8>> {tile.divisibility = 16 : i32}) attributes {tilegpu.num_warps = 4 : i32} {
  %x = tile.arange 0, 4096 : tensor<4096xi32>
  %s0 = tile.splat %i8 : !tile.ptr<i8> -> tensor<4096x!tile.ptr<i8>>
  %p0 = tile.addptr %s0, %x : tensor<4096x!tile.ptr<i8>>, tensor<4096xi32>
  // CHECK: tile.load %{{.*}} {tilegpu.layout = #[[I8]]}
  %v0 = tile.load %p0 : tensor<4096x!tile.ptr<i8>> -> tensor<4096xi8>
  %s1 = tile.splat %bf16 : !tile.ptr<bf16> -> tensor<4096x!tile.ptr<bf16>>
  %p1 = tile.addptr %s1, %x : tensor<4096x!tile.ptr<bf16>>, tensor<4096xi32>
  // CHECK: tile.load %{{.*}} {tilegpu.layout = #[[BF16]]}
  %v1 = tile.load %p1 : tensor<4096x!tile.ptr<bf16>> -> tensor<4096xbf16>
  %s2 = tile.splat %f64 : !tile.ptr<f64> -> tensor<4096x!tile.ptr<f64>>
  %p2 = tile.addptr %s2, %x : tensor<4096x!tile.ptr<f64>>, tensor<4096xi32>
  // CHECK: tile.load %{{.*}} {tilegpu.layout = #[[F64]]}
  %v2 = tile.load %p2 : tensor<4096x!tile.ptr<f64>> -> tensor<4096xf64>
  %s3 = tile.splat %pp : !tile.ptr<!tile.ptr<i8>> -> tensor<4096x!tile.ptr<!tile.ptr<i8>>>
  %p3 = tile.addptr %s3, %x : tensor<4096x!tile.ptr<!tile.ptr<i8>>>, tensor<4096xi32>
  // CHECK: tile.load %{{.*}} {tilegpu.layout = #[[F64]]}
  %v3 = tile.load %p3 : tensor<4096x!tile.ptr<!tile.ptr<i8>>> -> tensor<4096x!tile.ptr<i8>>
  return
}

// -----

// Every thread gets something before any gets a vector; what the tile does not
// fill are copies.
// CHECK-DAG: #[[ONE:.*]] = #tilegpu.layout<[128], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = {{\[\[}}32], [64]]>
// CHECK-DAG: #[[COPIES:.*]] = #tilegpu.layout<[16], lane = {{\[\[}}1], [2], [4], [8], [0]], warp = {{\[\[}}0], [0]]>
// CHECK-LABEL: func.func @small
func.func @small(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tilegpu.num_warps = 4 : i32} {
  %x = tile.arange 0, 128 : tensor<128xi32>
  %y = tile.arange 0, 16 : tensor<16xi32>
  %sx = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %sy = tile.splat %p : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %px = tile.addptr %sx, %x : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %py = tile.addptr %sy, %y : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  // CHECK: tile.load %{{.*}} {tilegpu.layout = #[[ONE]]}
  %vx = tile.load %px : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
  // CHECK: tile.load %{{.*}} {tilegpu.layout = #[[COPIES]]}
  %vy = tile.load %py : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
  return
}

// -----

// Atomics have a layout too.
// CHECK: #[[V4:.*]] = #tilegpu.layout<[1024], register = {{\[\[}}1], [2], [512]]
// CHECK-LABEL: func.func @atomics
func.func @atomics(%p: !tile.ptr<i32> {tile.divisibility = 16 : i32}) attributes {tilegpu.num_warps = 4 : i32} {
  %x = tile.arange 0, 1024 : tensor<1024xi32>
  %s = tile.splat %p : !tile.ptr<i32> -> tensor<1024x!tile.ptr<i32>>
  %q = tile.addptr %s, %x : tensor<1024x!tile.ptr<i32>>, tensor<1024xi32>
  // CHECK: tile.atomic_rmw {{.*}} {tilegpu.layout = #[[V4]]}
  %0 = tile.atomic_rmw add, relaxed, gpu, %q, %x : tensor<1024x!tile.ptr<i32>>, tensor<1024xi32>
  // CHECK: tile.atomic_cas {{.*}} {tilegpu.layout = #[[V4]]}
  %1 = tile.atomic_cas relaxed, gpu, %q, %x, %x : tensor<1024x!tile.ptr<i32>>, tensor<1024xi32>
  return
}
