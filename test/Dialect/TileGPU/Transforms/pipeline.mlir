// RUN: tile-opt --allow-unregistered-dialect --tilegpu-pipeline --split-input-file %s | FileCheck %s

// The load runs two iterations ahead: two stages before the loop, the third in it. Its
// pointers run ahead with it; the old ones are gone, the accumulator stays.

#a = #tilegpu.layout<[16, 16], register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#c = #tilegpu.layout<[16, 8], register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#s = #tilegpu.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#t = #tilegpu.layout<[16, 8], offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]>
#row = #tilegpu.layout<[16], register = [[1], [2], [4]], lane = [[8], [0], [0], [0], [0]]>
#row2 = #tilegpu.layout<[1, 16], register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 0], [0, 0], [0, 0], [0, 0]]>
#own = #tilegpu.layout<[64], register = [[1]], lane = [[2], [4], [8], [16], [32]]>
module attributes {tilegpu.arch = "sm_80"} {
// CHECK-LABEL: func.func @loop
// CHECK: %[[RING:.*]] = tilegpu.ring_alloc 3
// CHECK: tilegpu.async_copy %{{.*}}, %[[RING]][%{{.*}}] mask
// CHECK: tilegpu.async_commit
// CHECK: tilegpu.async_copy %{{.*}}, %[[RING]][%{{.*}}] mask
// CHECK: tilegpu.async_commit
// CHECK: scf.for %{{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[AHEAD:.*]] = %{{.*}}, %[[READ:.*]] = %{{.*}}, %[[FILL:.*]] = %{{.*}}) ->
// CHECK-NEXT: tilegpu.async_wait 1
// CHECK-NEXT: tilegpu.barrier
// CHECK-NEXT: %[[SLOT:.*]] = tilegpu.slot %[[RING]][%[[READ]]]
// CHECK-NOT: tile.load
// CHECK: tilegpu.dot %[[SLOT]], %{{.*}}, %[[ACC]]
// The product hides the copies. The counter two iterations on may wrap: the distance to
// the bound decides.
// CHECK: %[[REST:.*]] = arith.subi %arg3, %{{.*}} : i32
// CHECK: arith.cmpi ult, %{{.*}}, %[[REST]] : i32
// CHECK: tilegpu.async_copy %[[AHEAD]], %[[RING]][%[[FILL]]] mask
// CHECK-NEXT: tilegpu.async_commit
// CHECK-NOT: tile.load
// CHECK: tilegpu.async_wait 0
func.func @loop(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tilegpu.memdesc<16x8xf16, #t>,
                %zero: tensor<16x8xf32, #c>, %n: i32) -> tensor<16x8xf32, #c>
    attributes {tilegpu.num_warps = 1 : i32, tilegpu.num_stages = 3 : i32} {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %inc = arith.constant dense<16> : tensor<16x16xi32, #a>
  %r = tile.arange 0, 16 : tensor<16xi32, #row>
  %e = tile.expand_dims %r, 0 : tensor<16xi32, #row> -> tensor<1x16xi32, #row2>
  %o = tile.broadcast %e : tensor<1x16xi32, #row2> -> tensor<16x16xi32, #a>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>, #a>
  %p0 = tile.addptr %ps, %o : tensor<16x16x!tile.ptr<f16>, #a>, tensor<16x16xi32, #a>
  %d:2 = scf.for %k = %c0 to %n step %c16 iter_args(%acc = %zero, %q = %p0)
      -> (tensor<16x8xf32, #c>, tensor<16x16x!tile.ptr<f16>, #a>) : i32 {
    %v = tile.load %q : tensor<16x16x!tile.ptr<f16>, #a> -> tensor<16x16xf16, #a>
    %m = tilegpu.local_alloc %v : tensor<16x16xf16, #a> -> !tilegpu.memdesc<16x16xf16, #s>
    %x = tilegpu.dot %m, %b, %acc {tiling = #tilegpu.tiling<mma, warps = [1, 1], instruction = [16, 8, 16]>}
      : !tilegpu.memdesc<16x16xf16, #s>, !tilegpu.memdesc<16x8xf16, #t> -> tensor<16x8xf32, #c>
    %next = tile.addptr %q, %inc : tensor<16x16x!tile.ptr<f16>, #a>, tensor<16x16xi32, #a>
    scf.yield %x, %next : tensor<16x8xf32, #c>, tensor<16x16x!tile.ptr<f16>, #a>
  }
  return %d#0 : tensor<16x8xf32, #c>
}

// The copies stand behind the first of two products, in whatever that one is nested.
// CHECK-LABEL: func.func @two_products
// CHECK: scf.for
// CHECK: tilegpu.barrier
// CHECK-NOT: tilegpu.async_copy
// CHECK: scf.if
// CHECK: tilegpu.dot
// CHECK: else
// CHECK: tilegpu.async_copy
// CHECK-NEXT: tilegpu.async_commit
// CHECK: tilegpu.dot
func.func @two_products(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tilegpu.memdesc<16x8xf16, #t>,
                        %zero: tensor<16x8xf32, #c>, %n: i32, %some: i1) -> tensor<16x8xf32, #c>
    attributes {tilegpu.num_warps = 1 : i32, tilegpu.num_stages = 3 : i32} {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %inc = arith.constant dense<16> : tensor<16x16xi32, #a>
  %r = tile.arange 0, 16 : tensor<16xi32, #row>
  %e = tile.expand_dims %r, 0 : tensor<16xi32, #row> -> tensor<1x16xi32, #row2>
  %o = tile.broadcast %e : tensor<1x16xi32, #row2> -> tensor<16x16xi32, #a>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>, #a>
  %p0 = tile.addptr %ps, %o : tensor<16x16x!tile.ptr<f16>, #a>, tensor<16x16xi32, #a>
  %d:2 = scf.for %k = %c0 to %n step %c16 iter_args(%acc = %zero, %q = %p0)
      -> (tensor<16x8xf32, #c>, tensor<16x16x!tile.ptr<f16>, #a>) : i32 {
    %v = tile.load %q : tensor<16x16x!tile.ptr<f16>, #a> -> tensor<16x16xf16, #a>
    %m = tilegpu.local_alloc %v : tensor<16x16xf16, #a> -> !tilegpu.memdesc<16x16xf16, #s>
    %first = scf.if %some -> tensor<16x8xf32, #c> {
      %y = tilegpu.dot %m, %b, %acc {tiling = #tilegpu.tiling<mma, warps = [1, 1], instruction = [16, 8, 16]>}
        : !tilegpu.memdesc<16x16xf16, #s>, !tilegpu.memdesc<16x8xf16, #t> -> tensor<16x8xf32, #c>
      scf.yield %y : tensor<16x8xf32, #c>
    } else {
      scf.yield %acc : tensor<16x8xf32, #c>
    }
    %x = tilegpu.dot %m, %b, %first {tiling = #tilegpu.tiling<mma, warps = [1, 1], instruction = [16, 8, 16]>}
      : !tilegpu.memdesc<16x16xf16, #s>, !tilegpu.memdesc<16x8xf16, #t> -> tensor<16x8xf32, #c>
    %next = tile.addptr %q, %inc : tensor<16x16x!tile.ptr<f16>, #a>, tensor<16x16xi32, #a>
    scf.yield %x, %next : tensor<16x8xf32, #c>, tensor<16x16x!tile.ptr<f16>, #a>
  }
  return %d#0 : tensor<16x8xf32, #c>
}

// One stage is no pipeline.
// CHECK-LABEL: func.func @one_stage
// CHECK-NOT: tilegpu.async_copy
// CHECK: tile.load
func.func @one_stage(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tilegpu.memdesc<16x8xf16, #t>,
                %zero: tensor<16x8xf32, #c>, %n: i32) -> tensor<16x8xf32, #c>
    attributes {tilegpu.num_warps = 1 : i32, tilegpu.num_stages = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %r = tile.arange 0, 16 : tensor<16xi32, #row>
  %e = tile.expand_dims %r, 0 : tensor<16xi32, #row> -> tensor<1x16xi32, #row2>
  %o = tile.broadcast %e : tensor<1x16xi32, #row2> -> tensor<16x16xi32, #a>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>, #a>
  %p0 = tile.addptr %ps, %o : tensor<16x16x!tile.ptr<f16>, #a>, tensor<16x16xi32, #a>
  %d = scf.for %k = %c0 to %n step %c16 iter_args(%acc = %zero) -> (tensor<16x8xf32, #c>) : i32 {
    %v = tile.load %p0 : tensor<16x16x!tile.ptr<f16>, #a> -> tensor<16x16xf16, #a>
    %m = tilegpu.local_alloc %v : tensor<16x16xf16, #a> -> !tilegpu.memdesc<16x16xf16, #s>
    %x = tilegpu.dot %m, %b, %acc {tiling = #tilegpu.tiling<mma, warps = [1, 1], instruction = [16, 8, 16]>}
      : !tilegpu.memdesc<16x16xf16, #s>, !tilegpu.memdesc<16x8xf16, #t> -> tensor<16x8xf32, #c>
    scf.yield %x : tensor<16x8xf32, #c>
  }
  return %d : tensor<16x8xf32, #c>
}

// Single elements of 16 bits cannot be copied asynchronously: nothing is known of
// these addresses.
// CHECK-LABEL: func.func @short_vectors
// CHECK-NOT: tilegpu.async_copy
// CHECK: tile.load
func.func @short_vectors(%p: tensor<16x16x!tile.ptr<f16>, #a>, %b: !tilegpu.memdesc<16x8xf16, #t>,
                %zero: tensor<16x8xf32, #c>, %n: i32) -> tensor<16x8xf32, #c>
    attributes {tilegpu.num_warps = 1 : i32, tilegpu.num_stages = 3 : i32} {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %d = scf.for %k = %c0 to %n step %c16 iter_args(%acc = %zero) -> (tensor<16x8xf32, #c>) : i32 {
    %v = tile.load %p : tensor<16x16x!tile.ptr<f16>, #a> -> tensor<16x16xf16, #a>
    %m = tilegpu.local_alloc %v : tensor<16x16xf16, #a> -> !tilegpu.memdesc<16x16xf16, #s>
    %x = tilegpu.dot %m, %b, %acc {tiling = #tilegpu.tiling<mma, warps = [1, 1], instruction = [16, 8, 16]>}
      : !tilegpu.memdesc<16x16xf16, #s>, !tilegpu.memdesc<16x8xf16, #t> -> tensor<16x8xf32, #c>
    scf.yield %x : tensor<16x8xf32, #c>
  }
  return %d : tensor<16x8xf32, #c>
}

// A loop that may write what it loads keeps its order.
// CHECK-LABEL: func.func @written
// CHECK-NOT: tilegpu.async_copy
// CHECK: tile.load
func.func @written(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tilegpu.memdesc<16x8xf16, #t>,
                %zero: tensor<16x8xf32, #c>, %n: i32, %one: f16) -> tensor<16x8xf32, #c>
    attributes {tilegpu.num_warps = 1 : i32, tilegpu.num_stages = 3 : i32} {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %r = tile.arange 0, 16 : tensor<16xi32, #row>
  %e = tile.expand_dims %r, 0 : tensor<16xi32, #row> -> tensor<1x16xi32, #row2>
  %o = tile.broadcast %e : tensor<1x16xi32, #row2> -> tensor<16x16xi32, #a>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>, #a>
  %p0 = tile.addptr %ps, %o : tensor<16x16x!tile.ptr<f16>, #a>, tensor<16x16xi32, #a>
  %d = scf.for %k = %c0 to %n step %c16 iter_args(%acc = %zero) -> (tensor<16x8xf32, #c>) : i32 {
    %v = tile.load %p0 : tensor<16x16x!tile.ptr<f16>, #a> -> tensor<16x16xf16, #a>
    %m = tilegpu.local_alloc %v : tensor<16x16xf16, #a> -> !tilegpu.memdesc<16x16xf16, #s>
    %x = tilegpu.dot %m, %b, %acc {tiling = #tilegpu.tiling<mma, warps = [1, 1], instruction = [16, 8, 16]>}
      : !tilegpu.memdesc<16x16xf16, #s>, !tilegpu.memdesc<16x8xf16, #t> -> tensor<16x8xf32, #c>
    tile.store %p, %one : !tile.ptr<f16>, f16
    scf.yield %x : tensor<16x8xf32, #c>
  }
  return %d : tensor<16x8xf32, #c>
}
// What feeds no product is read back by the threads that copied it, without a barrier;
// where the mask is false they take the other value.
// CHECK-LABEL: func.func @own
// CHECK: %[[RING:.*]] = tilegpu.ring_alloc 3
// CHECK-COUNT-2: tilegpu.async_copy %{{.*}}, %[[RING]][
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[READ:.*]] = %{{.*}}, %{{.*}} = %{{.*}}) ->
// CHECK-NEXT: tilegpu.async_wait 1
// CHECK-NOT: tilegpu.barrier
// CHECK: tilegpu.async_copy
// CHECK: %[[TILE:.*]] = tilegpu.recall %[[RING]][%[[READ]]]
// CHECK-NEXT: %[[VALUE:.*]] = arith.select %{{.*}}, %[[TILE]], %{{.*}}
// CHECK: arith.addf %[[ACC]], %[[VALUE]]
// CHECK: tilegpu.async_wait 0
func.func @own(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32, %zero: tensor<64xf32, #own>) -> tensor<64xf32, #own>
    attributes {tilegpu.num_warps = 1 : i32, tilegpu.num_stages = 3 : i32} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %other = arith.constant dense<-1.0> : tensor<64xf32, #own>
  %r = tile.arange 0, 64 : tensor<64xi32, #own>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>, #own>
  %ns = tile.splat %n : i32 -> tensor<64xi32, #own>
  %d = scf.for %k = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<64xf32, #own>) : i32 {
    %ks = tile.splat %k : i32 -> tensor<64xi32, #own>
    %i = arith.addi %ks, %r : tensor<64xi32, #own>
    %m = arith.cmpi slt, %i, %ns : tensor<64xi32, #own>
    %q = tile.addptr %ps, %i : tensor<64x!tile.ptr<f32>, #own>, tensor<64xi32, #own>
    %v = tile.load %q mask %m other %other : tensor<64x!tile.ptr<f32>, #own> -> tensor<64xf32, #own>
    %x = arith.addf %acc, %v : tensor<64xf32, #own>
    scf.yield %x : tensor<64xf32, #own>
  }
  return %d : tensor<64xf32, #own>
}

// An operation that nobody knows may write anything.
// CHECK-LABEL: func.func @unknown
// CHECK-NOT: tilegpu.async_copy
// CHECK: tile.load
// CHECK: "test.op"() : () -> ()
func.func @unknown(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32, %zero: tensor<64xf32, #own>) -> tensor<64xf32, #own>
    attributes {tilegpu.num_warps = 1 : i32, tilegpu.num_stages = 3 : i32} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %r = tile.arange 0, 64 : tensor<64xi32, #own>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>, #own>
  %d = scf.for %k = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<64xf32, #own>) : i32 {
    %ks = tile.splat %k : i32 -> tensor<64xi32, #own>
    %i = arith.addi %ks, %r : tensor<64xi32, #own>
    %q = tile.addptr %ps, %i : tensor<64x!tile.ptr<f32>, #own>, tensor<64xi32, #own>
    %v = tile.load %q : tensor<64x!tile.ptr<f32>, #own> -> tensor<64xf32, #own>
    "test.op"() : () -> ()
    %x = arith.addf %acc, %v : tensor<64xf32, #own>
    scf.yield %x : tensor<64xf32, #own>
  }
  return %d : tensor<64xf32, #own>
}

// A load in a branch is masked by the branch's condition, and so can run ahead of it.
// CHECK-LABEL: func.func @branch
// CHECK: scf.for
// CHECK: tilegpu.async_copy
// CHECK: %[[TILE:.*]] = tilegpu.recall
// CHECK: scf.if
// CHECK-NOT: tile.load
// CHECK: arith.addf %{{.*}}, %[[TILE]]
func.func @branch(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32, %most: i32, %zero: tensor<64xf32, #own>) -> tensor<64xf32, #own>
    attributes {tilegpu.num_warps = 1 : i32, tilegpu.num_stages = 3 : i32} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %r = tile.arange 0, 64 : tensor<64xi32, #own>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>, #own>
  %d = scf.for %k = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<64xf32, #own>) : i32 {
    %in = arith.cmpi slt, %k, %most : i32
    %y = scf.if %in -> (tensor<64xf32, #own>) {
      %ks = tile.splat %k : i32 -> tensor<64xi32, #own>
      %i = arith.addi %ks, %r : tensor<64xi32, #own>
      %q = tile.addptr %ps, %i : tensor<64x!tile.ptr<f32>, #own>, tensor<64xi32, #own>
      %v = tile.load %q : tensor<64x!tile.ptr<f32>, #own> -> tensor<64xf32, #own>
      %x = arith.addf %acc, %v : tensor<64xf32, #own>
      scf.yield %x : tensor<64xf32, #own>
    } else {
      scf.yield %acc : tensor<64xf32, #own>
    }
    scf.yield %y : tensor<64xf32, #own>
  }
  return %d : tensor<64xf32, #own>
}
// Chunks of one tile stay as they are.
// CHECK-LABEL: func.func @chunks
// CHECK-NOT: tilegpu.async_copy
// CHECK: tile.load
func.func @chunks(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32, %zero: tensor<64xf32, #own>) -> tensor<64xf32, #own>
    attributes {tilegpu.num_warps = 1 : i32, tilegpu.num_stages = 3 : i32} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %r = tile.arange 0, 64 : tensor<64xi32, #own>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>, #own>
  %d = scf.for %k = %c0 to %n step %c64 iter_args(%acc = %zero) -> (tensor<64xf32, #own>) : i32 {
    %ks = tile.splat %k : i32 -> tensor<64xi32, #own>
    %i = arith.addi %ks, %r : tensor<64xi32, #own>
    %q = tile.addptr %ps, %i : tensor<64x!tile.ptr<f32>, #own>, tensor<64xi32, #own>
    %v = tile.load %q : tensor<64x!tile.ptr<f32>, #own> -> tensor<64xf32, #own>
    %x = arith.addf %acc, %v : tensor<64xf32, #own>
    scf.yield %x : tensor<64xf32, #own>
  } {tilegpu.independent}
  return %d : tensor<64xf32, #own>
}
}
