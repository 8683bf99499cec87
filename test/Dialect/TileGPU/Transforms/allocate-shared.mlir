// RUN: tile-opt --allow-unregistered-dialect --pass-pipeline="builtin.module(func.func(tilegpu-allocate-shared))" --split-input-file %s | FileCheck %s

#v = #tilegpu.layout<[1024], register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]>
#w = #tilegpu.layout<[1024], register = [[128], [256], [512]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>
#s = #tilegpu.layout<[1024], offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512]]>

// Nothing needed.
// CHECK-LABEL: func.func @none
// CHECK-SAME: tilegpu.shared = 0 : i32
func.func @none() {
  return
}

// Scratch of one operation is free for the next; a little is not, for the next one would
// have to wait for those who still read it.
// CHECK-LABEL: func.func @scratch
// CHECK-SAME: tilegpu.shared = 4096 : i32
func.func @scratch(%x: tensor<1024xf32, #v>) {
  // CHECK: tilegpu.convert_layout {{.*}}tilegpu.offset = 0 : i32
  %0 = tilegpu.convert_layout %x : tensor<1024xf32, #v> -> tensor<1024xf32, #w>
  // CHECK: tilegpu.convert_layout {{.*}}tilegpu.offset = 0 : i32
  %1 = tilegpu.convert_layout %0 : tensor<1024xf32, #w> -> tensor<1024xf32, #v>
  return
}

// A buffer lives until its last use; those alive together lie apart.
// CHECK-LABEL: func.func @live
// CHECK-SAME: tilegpu.shared = 6144 : i32
func.func @live(%x: tensor<1024xf16, #v>) {
  // CHECK: tilegpu.local_alloc {{.*}}tilegpu.offset = 0 : i32
  %0 = tilegpu.local_alloc %x : tensor<1024xf16, #v> -> !tilegpu.memdesc<1024xf16, #s>
  // CHECK: tilegpu.local_alloc {{.*}}tilegpu.offset = 2048 : i32
  %1 = tilegpu.local_alloc %x : tensor<1024xf16, #v> -> !tilegpu.memdesc<1024xf16, #s>
  // CHECK: tilegpu.convert_layout {{.*}}tilegpu.offset = 4096 : i32
  %2 = tilegpu.convert_layout %x : tensor<1024xf16, #v> -> tensor<1024xf16, #w>
  "test.use"(%0) : (!tilegpu.memdesc<1024xf16, #s>) -> ()
  // The first place is free again, the second is not.
  // CHECK: tilegpu.local_alloc {{.*}}tilegpu.offset = 0 : i32
  %3 = tilegpu.local_alloc %x : tensor<1024xf16, #v> -> !tilegpu.memdesc<1024xf16, #s>
  // CHECK: tilegpu.convert_layout {{.*}}tilegpu.offset = 4096 : i32
  %4 = tilegpu.convert_layout %x : tensor<1024xf16, #v> -> tensor<1024xf16, #w>
  "test.use"(%1, %3) : (!tilegpu.memdesc<1024xf16, #s>, !tilegpu.memdesc<1024xf16, #s>) -> ()
  return
}

// A use in a loop keeps a buffer from before it to the loop's end.
// CHECK-LABEL: func.func @loop
// CHECK-SAME: tilegpu.shared = 4096 : i32
func.func @loop(%x: tensor<1024xf16, #v>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: tilegpu.local_alloc {{.*}}tilegpu.offset = 0 : i32
  %0 = tilegpu.local_alloc %x : tensor<1024xf16, #v> -> !tilegpu.memdesc<1024xf16, #s>
  scf.for %i = %c0 to %n step %c1 : i32 {
    "test.use"(%0) : (!tilegpu.memdesc<1024xf16, #s>) -> ()
    // CHECK: tilegpu.local_alloc {{.*}}tilegpu.offset = 2048 : i32
    %1 = tilegpu.local_alloc %x : tensor<1024xf16, #v> -> !tilegpu.memdesc<1024xf16, #s>
    "test.use"(%1) : (!tilegpu.memdesc<1024xf16, #s>) -> ()
    // CHECK: tilegpu.convert_layout {{.*}}tilegpu.offset = 2048 : i32
    %2 = tilegpu.convert_layout %x : tensor<1024xf16, #v> -> tensor<1024xf16, #w>
  }
  // CHECK: tilegpu.convert_layout {{.*}}tilegpu.offset = 0 : i32
  %3 = tilegpu.convert_layout %x : tensor<1024xf16, #v> -> tensor<1024xf16, #w>
  return
}

// Conversions in registers, reductions inside a warp and atomics whose result
// stays with its thread take nothing.
#r = #tilegpu.layout<[1024], register = [[2], [1], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]>
#rows = #tilegpu.layout<[4, 32], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[1, 0], [2, 0]]>
// CHECK-LABEL: func.func @free
// CHECK-SAME: tilegpu.shared = 0 : i32
func.func @free(%x: tensor<1024xi32, #v>, %y: tensor<4x32xi32, #rows>, %p: tensor<1024x!tile.ptr<i32>, #v>, %q: tensor<1024x!tile.ptr<i32>, #v>) {
  %0 = tilegpu.convert_layout %x : tensor<1024xi32, #v> -> tensor<1024xi32, #r>
  %1 = tile.reduce (%y) axis 1 : tensor<4x32xi32, #rows> -> tensor<4xi32, #tilegpu.layout<[4], lane = [[0], [0], [0], [0], [0]], warp = [[1], [2]]>> {
  ^bb0(%l: i32, %r: i32):
    %s = arith.addi %l, %r : i32
    tile.yield %s : i32
  }
  // CHECK-NOT: tilegpu.offset
  %2 = tile.atomic_rmw add, relaxed, gpu, %p, %x : tensor<1024x!tile.ptr<i32>, #v>, tensor<1024xi32, #v>
  "test.use"(%2) : (tensor<1024xi32, #v>) -> ()
  return
}

// Between warps: for each line one element for each warp, one array for each input.
#cols = #tilegpu.layout<[4, 32], lane = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 16]]>
#line = #tilegpu.layout<[4], lane = [[1], [2], [0], [0], [0]], warp = [[0], [0]]>
// CHECK-LABEL: func.func @warps
// CHECK-SAME: tilegpu.shared = 192 : i32
func.func @warps(%x: tensor<4x32xf32, #cols>, %y: tensor<4x32xi32, #cols>) {
  // CHECK: tile.reduce{{.*}}tilegpu.offset = 0 : i32
  %0:2 = tile.reduce (%x, %y) axis 1 : tensor<4x32xf32, #cols>, tensor<4x32xi32, #cols> -> tensor<4xf32, #line>, tensor<4xi32, #line> {
  ^bb0(%a: f32, %b: i32, %c: f32, %d: i32):
    tile.yield %a, %b : f32, i32
  }
  // CHECK: tile.scan{{.*}}tilegpu.offset = 128 : i32
  %1 = tile.scan (%x) axis 1 : tensor<4x32xf32, #cols> -> tensor<4x32xf32, #cols> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %b : f32
  }
  return
}

// The result of an atomic that one thread performs for others.
// CHECK-LABEL: func.func @atomics
// CHECK-SAME: tilegpu.shared = 144 : i32
func.func @atomics(%p: !tile.ptr<i64>, %v: i64, %q: tensor<4x!tile.ptr<f32>, #line>, %w: tensor<4xf32, #line>) {
  // CHECK: tile.atomic_rmw add{{.*}}tilegpu.offset = 0 : i32
  %0 = tile.atomic_rmw add, relaxed, gpu, %p, %v : !tile.ptr<i64>, i64
  // CHECK: tile.atomic_rmw fadd{{.*}}tilegpu.offset = 128 : i32
  %1 = tile.atomic_rmw fadd, relaxed, gpu, %q, %w : tensor<4x!tile.ptr<f32>, #line>, tensor<4xf32, #line>
  // Not used: nothing to share.
  // CHECK: tile.atomic_rmw max, relaxed, gpu, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} :
  %2 = tile.atomic_rmw max, relaxed, gpu, %p, %v : !tile.ptr<i64>, i64
  "test.use"(%0, %1) : (i64, tensor<4xf32, #line>) -> ()
  return
}

// -----

// As much as there is.
#s = #tilegpu.layout<[128, 512], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128], [0, 256], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]]>
#l = #tilegpu.layout<[128, 512], register = [[0, 32], [0, 64], [0, 128], [0, 256], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[1, 0], [2, 0]]>
// CHECK-LABEL: func.func @most
// CHECK-SAME: tilegpu.shared = 131072 : i32
module attributes {tilegpu.arch = "sm_80"} {
  func.func @most(%x: tensor<128x512xf16, #l>) {
    %0 = tilegpu.local_alloc %x : tensor<128x512xf16, #l> -> !tilegpu.memdesc<128x512xf16, #s>
    return
  }
}

// -----

// Without room for a second, a little scratch is shared as well.
#s = #tilegpu.layout<[128, 512], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128], [0, 256], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]]>
#l = #tilegpu.layout<[128, 512], register = [[0, 32], [0, 64], [0, 128], [0, 256], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[1, 0], [2, 0]]>
#v = #tilegpu.layout<[256], register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]]>
#w = #tilegpu.layout<[256], register = [[128]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>
#s2 = #tilegpu.layout<[128, 128], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]]>
#l2 = #tilegpu.layout<[128, 128], register = [[0, 32], [0, 64], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[1, 0], [2, 0]]>
module attributes {tilegpu.arch = "sm_80"} {
  // CHECK-LABEL: func.func @full
  // CHECK-SAME: tilegpu.shared = 82944 : i32
  func.func @full(%x: tensor<128x512xi8, #l>, %x2: tensor<128x128xi8, #l2>, %y: tensor<256xf32, #v>) attributes {tilegpu.blocks = 2 : i32} {
    %0 = tilegpu.local_alloc %x : tensor<128x512xi8, #l> -> !tilegpu.memdesc<128x512xi8, #s>
    %s2 = tilegpu.local_alloc %x2 : tensor<128x128xi8, #l2> -> !tilegpu.memdesc<128x128xi8, #s2>
    // CHECK: tilegpu.convert_layout {{.*}}tilegpu.offset = 81920 : i32
    %1 = tilegpu.convert_layout %y : tensor<256xf32, #v> -> tensor<256xf32, #w>
    // CHECK: tilegpu.convert_layout {{.*}}tilegpu.offset = 81920 : i32
    %2 = tilegpu.convert_layout %1 : tensor<256xf32, #w> -> tensor<256xf32, #v>
    "test.use"(%0, %s2) : (!tilegpu.memdesc<128x512xi8, #s>, !tilegpu.memdesc<128x128xi8, #s2>) -> ()
    return
  }
}
