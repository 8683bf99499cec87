// RUN: tile-opt --pass-pipeline="builtin.module(tilegpu-set-target,func.func(tilegpu-coalesce,tilegpu-tile-dot,convert-tile-to-tilegpu,cse))" %s | FileCheck %s

// The accumulator and what follows it stay in the layout of the product; so do the
// addresses in that of their loads. Only what is stored is converted, since the
// product's layout would store half as much at a time.
// CHECK-DAG: #[[ACC:.*]] = #tilegpu.layout<[64, 64], register = {{\[\[}}0, 1], [8, 0], {{.*}}, lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]
// CHECK-DAG: #[[LOAD:.*]] = #tilegpu.layout<[64, 64], register = {{\[\[}}0, 1], [0, 2], [0, 4], {{.*}}, lane = {{\[\[}}0, 8], [0, 16], [0, 32], [1, 0], [2, 0]]
// CHECK-DAG: #[[STORE:.*]] = #tilegpu.layout<[64, 64], register = {{\[\[}}0, 1], [0, 2], {{.*}}, lane = {{\[\[}}0, 4], [0, 8], [0, 16], [0, 32], [1, 0]]
// CHECK-LABEL: func.func @product
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #[[ACC]]>
// CHECK: %[[LOOP:.*]]:3 = scf.for {{.*}} iter_args(%[[SUM:.*]] = %[[ZERO]], %[[P:.*]] = %{{.*}}, %[[Q:.*]] = %{{.*}}) -> (tensor<64x64xf32, #[[ACC]]>, tensor<64x64x!tile.ptr<f16>, #[[LOAD]]>, tensor<64x64x!tile.ptr<f16>, #[[LOAD]]>)
// CHECK-NOT: convert_layout
// CHECK: %[[X:.*]] = tile.load %[[P]] : {{.*}} -> tensor<64x64xf16, #[[LOAD]]>
// CHECK-NEXT: %[[A:.*]] = tilegpu.local_alloc %[[X]]
// CHECK-NEXT: %[[Y:.*]] = tile.load %[[Q]] : {{.*}} -> tensor<64x64xf16, #[[LOAD]]>
// CHECK-NEXT: %[[B:.*]] = tilegpu.local_alloc %[[Y]]
// CHECK-NEXT: %[[D:.*]] = tilegpu.dot %[[A]], %[[B]], %[[SUM]] {{.*}} -> tensor<64x64xf32, #[[ACC]]>
// CHECK: tile.addptr %[[P]]
// CHECK: tile.addptr %[[Q]]
// CHECK: scf.yield %[[D]]
// CHECK: }
// CHECK: %[[RELU:.*]] = arith.maxnumf %[[LOOP]]#0, %[[ZERO]] : tensor<64x64xf32, #[[ACC]]>
// CHECK: %[[OUT:.*]] = tilegpu.convert_layout %[[RELU]] : tensor<64x64xf32, #[[ACC]]> -> tensor<64x64xf32, #[[STORE]]>
// CHECK: tile.store %{{.*}}, %[[OUT]] : tensor<64x64x!tile.ptr<f32>, #[[STORE]]>
func.func @product(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %r = tile.arange 0, 64 : tensor<64xi32>
  %row = tile.expand_dims %r, 1 : tensor<64xi32> -> tensor<64x1xi32>
  %col = tile.expand_dims %r, 0 : tensor<64xi32> -> tensor<1x64xi32>
  %c64 = arith.constant dense<64> : tensor<64x1xi32>
  %rs = arith.muli %row, %c64 : tensor<64x1xi32>
  %rb = tile.broadcast %rs : tensor<64x1xi32> -> tensor<64x64xi32>
  %cb = tile.broadcast %col : tensor<1x64xi32> -> tensor<64x64xi32>
  %o = arith.addi %rb, %cb : tensor<64x64xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %ap = tile.addptr %as, %o : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %bp = tile.addptr %bs, %o : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %step = arith.constant dense<4096> : tensor<64x64xi32>
  %acc:3 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero, %p = %ap, %q = %bp) -> (tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>, tensor<64x64x!tile.ptr<f16>>) : i32 {
    %x = tile.load %p : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
    %y = tile.load %q : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
    %d = tile.dot %x, %y, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    %p1 = tile.addptr %p, %step : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %q1 = tile.addptr %q, %step : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    scf.yield %d, %p1, %q1 : tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>, tensor<64x64x!tile.ptr<f16>>
  }
  %relu = arith.maxnumf %acc#0, %zero : tensor<64x64xf32>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %cp = tile.addptr %cs, %o : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %cp, %relu : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xf32>
  return
}

// Cheap values are computed in each layout that wants them: the index is there for
// the load and again for the reduction of another shape, and nothing is converted.
// CHECK-LABEL: func.func @cheap
// CHECK-NOT: convert_layout
// CHECK: return
func.func @cheap(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel} {
  %x = tile.arange 0, 4096 : tensor<4096xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %ps = tile.addptr %s, %x : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %t = tile.splat %q : !tile.ptr<f16> -> tensor<4096x!tile.ptr<f16>>
  %qs = tile.addptr %t, %x : tensor<4096x!tile.ptr<f16>>, tensor<4096xi32>
  %ns = tile.splat %n : i32 -> tensor<4096xi32>
  %m = arith.cmpi slt, %x, %ns : tensor<4096xi32>
  %v = tile.load %ps mask %m : tensor<4096x!tile.ptr<f32>> -> tensor<4096xf32>
  tile.store %ps, %v mask %m : tensor<4096x!tile.ptr<f32>>, tensor<4096xf32>
  %w = tile.load %qs : tensor<4096x!tile.ptr<f16>> -> tensor<4096xf16>
  tile.store %qs, %w : tensor<4096x!tile.ptr<f16>>, tensor<4096xf16>
  return
}

// Not cheap: what came from memory is converted.
// CHECK-LABEL: func.func @dear
// CHECK: %[[F:.*]] = math.exp
// CHECK: %[[G:.*]] = arith.truncf %[[F]]
// CHECK: %[[H:.*]] = tilegpu.convert_layout %[[G]]
// CHECK: tile.store %{{.*}}, %[[H]]
func.func @dear(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f16> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %x = tile.arange 0, 4096 : tensor<4096xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<4096x!tile.ptr<f32>>
  %ps = tile.addptr %s, %x : tensor<4096x!tile.ptr<f32>>, tensor<4096xi32>
  %t = tile.splat %q : !tile.ptr<f16> -> tensor<4096x!tile.ptr<f16>>
  %qs = tile.addptr %t, %x : tensor<4096x!tile.ptr<f16>>, tensor<4096xi32>
  %v = tile.load %ps : tensor<4096x!tile.ptr<f32>> -> tensor<4096xf32>
  %e = math.exp %v : tensor<4096xf32>
  %h = arith.truncf %e : tensor<4096xf32> to tensor<4096xf16>
  tile.store %qs, %h : tensor<4096x!tile.ptr<f16>>, tensor<4096xf16>
  return
}

// A class that depends on itself around a loop has a layout all the same.
// CHECK-LABEL: func.func @circle
// CHECK: scf.for
// CHECK: tile.reduce
// CHECK: tile.store
func.func @circle(%p: !tile.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = tile.arange 0, 64 : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %q = tile.addptr %ps, %x : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %m0 = tile.load %q : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %e0 = math.exp %m0 : tensor<64xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%m = %e0) -> (tensor<64xf32>) : i32 {
    %e = tile.expand_dims %m, 1 : tensor<64xf32> -> tensor<64x1xf32>
    %b = tile.broadcast %e : tensor<64x1xf32> -> tensor<64x8xf32>
    %t = math.exp %b : tensor<64x8xf32>
    %s = tile.reduce (%b) axis 1 : tensor<64x8xf32> -> tensor<64xf32> {
    ^bb0(%l: f32, %rr: f32):
      %a = arith.addf %l, %rr : f32
      tile.yield %a : f32
    }
    %s2 = arith.addf %s, %m : tensor<64xf32>
    scf.yield %s2 : tensor<64xf32>
  }
  tile.store %q, %r : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}
