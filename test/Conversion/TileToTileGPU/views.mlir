// RUN: tile-opt --pass-pipeline="builtin.module(tilegpu-set-target,func.func(tilegpu-coalesce,tilegpu-tile-dot,convert-tile-to-tilegpu,cse))" %s | FileCheck %s

// CHECK-DAG: #[[ROWS:.*]] = #tilegpu.layout<[16, 128], register = {{\[\[}}0, 1], [0, 2], {{.*}}lane = {{\[\[}}0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = {{\[\[}}1, 0], [2, 0]]>
// CHECK-DAG: #[[SLICE:.*]] = #tilegpu.layout<[16], register = {{\[\[}}4], [8]], lane = {{\[\[}}0], [0], [0], [0], [0]], warp = {{\[\[}}1], [2]]>
// CHECK-DAG: #[[COLUMN:.*]] = #tilegpu.layout<[16, 1], register = {{\[\[}}4, 0], [8, 0]], lane = {{.*}}, warp = {{\[\[}}1, 0], [2, 0]]>
// CHECK-DAG: #[[TRANS:.*]] = #tilegpu.layout<[128, 16], register = {{\[\[}}1, 0], [2, 0], {{.*}}lane = {{\[\[}}4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], warp = {{\[\[}}0, 1], [0, 2]]>
// CHECK-DAG: #[[SCAN:.*]] = #tilegpu.layout<[512], register = {{\[\[}}1], [2]], lane = {{\[\[}}4], [8], [16], [32], [64]], warp = {{\[\[}}128], [256]]>

// A reduction's result lies where the rows that it came from lie, and goes back to
// them without moving.
// CHECK-LABEL: func.func @normalise
// CHECK: %[[X:.*]] = tile.load {{.*}} -> tensor<16x128xf32, #[[ROWS]]>
// CHECK: %[[R:.*]] = tile.reduce(%[[X]]) axis 1 commutative : tensor<16x128xf32, #[[ROWS]]> -> tensor<16xf32, #[[SLICE]]>
// CHECK: %[[E:.*]] = math.sqrt %[[R]] : tensor<16xf32, #[[SLICE]]>
// CHECK: %[[C:.*]] = tile.expand_dims %[[E]], 1 : tensor<16xf32, #[[SLICE]]> -> tensor<16x1xf32, #[[COLUMN]]>
// CHECK: %[[B:.*]] = tile.broadcast %[[C]] : tensor<16x1xf32, #[[COLUMN]]> -> tensor<16x128xf32, #[[ROWS]]>
// CHECK: %[[D:.*]] = arith.divf %[[X]], %[[B]] : tensor<16x128xf32, #[[ROWS]]>
// CHECK-NOT: convert_layout
// CHECK: tile.store %{{.*}}, %[[D]]
func.func @normalise(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %r = tile.arange 0, 16 : tensor<16xi32>
  %c = tile.arange 0, 128 : tensor<128xi32>
  %r1 = tile.expand_dims %r, 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c1 = tile.expand_dims %c, 0 : tensor<128xi32> -> tensor<1x128xi32>
  %k = arith.constant dense<128> : tensor<16x1xi32>
  %rk = arith.muli %r1, %k : tensor<16x1xi32>
  %rb = tile.broadcast %rk : tensor<16x1xi32> -> tensor<16x128xi32>
  %cb = tile.broadcast %c1 : tensor<1x128xi32> -> tensor<16x128xi32>
  %o = arith.addi %rb, %cb : tensor<16x128xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<16x128x!tile.ptr<f32>>
  %q = tile.addptr %s, %o : tensor<16x128x!tile.ptr<f32>>, tensor<16x128xi32>
  %x = tile.load %q : tensor<16x128x!tile.ptr<f32>> -> tensor<16x128xf32>
  %sum = tile.reduce (%x) axis 1 commutative : tensor<16x128xf32> -> tensor<16xf32> {
  ^bb0(%l: f32, %m: f32):
    %t = arith.addf %l, %m : f32
    tile.yield %t : f32
  }
  %root = math.sqrt %sum : tensor<16xf32>
  %col = tile.expand_dims %root, 1 : tensor<16xf32> -> tensor<16x1xf32>
  %b = tile.broadcast %col : tensor<16x1xf32> -> tensor<16x128xf32>
  %d = arith.divf %x, %b : tensor<16x128xf32>
  tile.store %q, %d : tensor<16x128x!tile.ptr<f32>>, tensor<16x128xf32>
  return
}

// A transposed tile is computed on where it is.
// CHECK-LABEL: func.func @transposed
// CHECK: %[[X:.*]] = tile.load {{.*}} -> tensor<16x128xf32, #[[ROWS]]>
// CHECK: %[[T:.*]] = tile.trans %[[X]], [1, 0] : tensor<16x128xf32, #[[ROWS]]> -> tensor<128x16xf32, #[[TRANS]]>
// CHECK: math.exp %[[T]] : tensor<128x16xf32, #[[TRANS]]>
func.func @transposed(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.arange 0, 16 : tensor<16xi32>
  %c = tile.arange 0, 128 : tensor<128xi32>
  %r1 = tile.expand_dims %r, 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c1 = tile.expand_dims %c, 0 : tensor<128xi32> -> tensor<1x128xi32>
  %k = arith.constant dense<128> : tensor<16x1xi32>
  %rk = arith.muli %r1, %k : tensor<16x1xi32>
  %rb = tile.broadcast %rk : tensor<16x1xi32> -> tensor<16x128xi32>
  %cb = tile.broadcast %c1 : tensor<1x128xi32> -> tensor<16x128xi32>
  %o = arith.addi %rb, %cb : tensor<16x128xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<16x128x!tile.ptr<f32>>
  %q = tile.addptr %s, %o : tensor<16x128x!tile.ptr<f32>>, tensor<16x128xi32>
  %x = tile.load %q : tensor<16x128x!tile.ptr<f32>> -> tensor<16x128xf32>
  %t = tile.trans %x, [1, 0] : tensor<16x128xf32> -> tensor<128x16xf32>
  %e = math.exp %t : tensor<128x16xf32>
  %sum = tile.reduce (%e) axis 0 : tensor<128x16xf32> -> tensor<16xf32> {
  ^bb0(%l: f32, %m: f32):
    %a = arith.addf %l, %m : f32
    tile.yield %a : f32
  }
  %y = tile.arange 0, 16 : tensor<16xi32>
  %os = tile.splat %out : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %op = tile.addptr %os, %y : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  tile.store %op, %sum : tensor<16x!tile.ptr<f32>>, tensor<16xf32>
  return
}

// A scan works on whole runs of its axis in each thread, in order.
// CHECK-LABEL: func.func @scan
// CHECK: %[[V:.*]] = tile.load
// CHECK: %[[RUNS:.*]] = tilegpu.convert_layout %[[V]] : {{.*}} -> tensor<512xf32, #[[SCAN]]>
// CHECK: tile.scan(%[[RUNS]]) axis 0 : tensor<512xf32, #[[SCAN]]> -> tensor<512xf32, #[[SCAN]]>
func.func @scan(%p: !tile.ptr<f32>) attributes {tile.kernel} {
  %x = tile.arange 0, 512 : tensor<512xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %q = tile.addptr %s, %x : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %v = tile.load %q : tensor<512x!tile.ptr<f32>> -> tensor<512xf32>
  %y = tile.scan (%v) axis 0 : tensor<512xf32> -> tensor<512xf32> {
  ^bb0(%l: f32, %r: f32):
    %a = arith.addf %l, %r : f32
    tile.yield %a : f32
  }
  tile.store %q, %y : tensor<512x!tile.ptr<f32>>, tensor<512xf32>
  return
}
