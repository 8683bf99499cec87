// RUN: tile-opt --pass-pipeline="builtin.module(tilegpu-set-target,func.func(tilegpu-coalesce,tilegpu-tile-dot,convert-tile-to-tilegpu,cse))" %s | FileCheck %s

// What a loop carries has one layout: at its beginning, in each iteration, after it.
// CHECK-LABEL: func.func @for_loop
// CHECK: %[[FIRST:.*]] = tile.load {{.*}} -> tensor<1024xf32, #[[L:.*]]>
// CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[SUM:.*]] = %[[FIRST]]) -> (tensor<1024xf32, #[[L]]>)
// CHECK: %[[X:.*]] = tile.load {{.*}} -> tensor<1024xf32, #[[L]]>
// CHECK: %[[NEXT:.*]] = arith.addf %[[SUM]], %[[X]] : tensor<1024xf32, #[[L]]>
// CHECK: scf.yield %[[NEXT]]
// CHECK: tile.store %{{.*}}, %[[R]]
func.func @for_loop(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = tile.arange 0, 1024 : tensor<1024xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %q = tile.addptr %s, %x : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %first = tile.load %q : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %first) -> (tensor<1024xf32>) : i32 {
    %c1024 = arith.constant dense<1024> : tensor<1024xi32>
    %next = tile.addptr %q, %c1024 : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    %v = tile.load %next : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
    %a = arith.addf %sum, %v : tensor<1024xf32>
    scf.yield %a : tensor<1024xf32>
  }
  tile.store %q, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  return
}

// CHECK-LABEL: func.func @while_loop
// CHECK: scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (i32, tensor<1024xf32, #[[L:.*]]>) -> (i32, tensor<1024xf32, #[[L]]>)
// CHECK: scf.condition(%{{.*}}) %{{.*}}, %{{.*}} : i32, tensor<1024xf32, #[[L]]>
// CHECK: ^bb0(%{{.*}}: i32, %[[Y:.*]]: tensor<1024xf32, #[[L]]>):
// CHECK: math.exp %[[Y]]
// CHECK: scf.yield %{{.*}}, %{{.*}} : i32, tensor<1024xf32, #[[L]]>
func.func @while_loop(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel} {
  %c1 = arith.constant 1 : i32
  %x = tile.arange 0, 1024 : tensor<1024xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %q = tile.addptr %s, %x : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %first = tile.load %q : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  %r:2 = scf.while (%i = %n, %y = %first) : (i32, tensor<1024xf32>) -> (i32, tensor<1024xf32>) {
    %more = arith.cmpi sgt, %i, %c1 : i32
    scf.condition(%more) %i, %y : i32, tensor<1024xf32>
  } do {
  ^bb0(%i: i32, %y: tensor<1024xf32>):
    %j = arith.subi %i, %c1 : i32
    %e = math.exp %y : tensor<1024xf32>
    scf.yield %j, %e : i32, tensor<1024xf32>
  }
  tile.store %q, %r#1 : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  return
}

// Both sides of a branch yield one layout; a cheap one is made in it.
// CHECK-LABEL: func.func @branch
// CHECK: %[[V:.*]] = tile.load {{.*}} -> tensor<1024xf32, #[[L:.*]]>
// CHECK: %[[R:.*]] = scf.if %{{.*}} -> (tensor<1024xf32, #[[L]]>) {
// CHECK: scf.yield %[[V]]
// CHECK: } else {
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<1024xf32, #[[L]]>
// CHECK: scf.yield %[[ZERO]]
// CHECK: tile.store %{{.*}}, %[[R]]
func.func @branch(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %b: i1) attributes {tile.kernel} {
  %x = tile.arange 0, 1024 : tensor<1024xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %q = tile.addptr %s, %x : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %v = tile.load %q : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  %r = scf.if %b -> (tensor<1024xf32>) {
    scf.yield %v : tensor<1024xf32>
  } else {
    %zero = arith.constant dense<0.0> : tensor<1024xf32>
    scf.yield %zero : tensor<1024xf32>
  }
  tile.store %q, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  return
}

// A branch without results, and one side of it.
// CHECK-LABEL: func.func @one_sided
// CHECK: scf.if %{{.*}} {
// CHECK: tile.store
// CHECK-NOT: else
// CHECK: return
func.func @one_sided(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %b: i1) attributes {tile.kernel} {
  %x = tile.arange 0, 1024 : tensor<1024xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %q = tile.addptr %s, %x : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %v = tile.load %q : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  scf.if %b {
    tile.store %q, %v : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  }
  return
}
