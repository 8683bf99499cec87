// RUN: tile-opt --pass-pipeline="builtin.module(func.func(tilegpu-insert-barriers))" %s | FileCheck %s

#kept = #tilegpu.layout<[128], offset = [[1], [2], [4], [8], [16], [32], [64]]>
#l = #tilegpu.layout<[128], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>
#m = #tilegpu.layout<[128], lane = [[4], [8], [16], [32], [64]], warp = [[1], [2]]>
#copies = #tilegpu.layout<[32], lane = [[1], [2], [4], [8], [16]], warp = [[0], [0]]>
#a = #tilegpu.layout<[16, 16], register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#c = #tilegpu.layout<[16, 16], register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#s = #tilegpu.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
!pointers = tensor<128x!tile.ptr<f32>, #l>
!tile = tensor<128xf32, #l>

//===-- Shared memory -------------------------------------------------------===//

// Read after write, and write after read.
// CHECK-LABEL: func.func @shared
func.func @shared(%x: tensor<16x16xf16, #a>, %acc: tensor<16x16xf32, #c>) -> tensor<16x16xf32, #c> {
  // CHECK-NOT: tilegpu.barrier
  // CHECK: tilegpu.local_alloc
  // CHECK-NEXT: tilegpu.local_alloc
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tilegpu.dot
  %0 = tilegpu.local_alloc %x {tilegpu.offset = 0 : i32} : tensor<16x16xf16, #a> -> !tilegpu.memdesc<16x16xf16, #s>
  %1 = tilegpu.local_alloc %x {tilegpu.offset = 512 : i32} : tensor<16x16xf16, #a> -> !tilegpu.memdesc<16x16xf16, #s>
  %2 = tilegpu.dot %0, %1, %acc {tiling = #tilegpu.tiling<mma, warps = [1, 1], instruction = [16, 8, 16]>} : !tilegpu.memdesc<16x16xf16, #s>, !tilegpu.memdesc<16x16xf16, #s> -> tensor<16x16xf32, #c>
  // Another place: no wait. The place that was read: wait.
  // CHECK-NEXT: tilegpu.local_alloc {{.*}} {tilegpu.offset = 1024 : i32}
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tilegpu.local_alloc {{.*}} {tilegpu.offset = 0 : i32}
  %3 = tilegpu.local_alloc %x {tilegpu.offset = 1024 : i32} : tensor<16x16xf16, #a> -> !tilegpu.memdesc<16x16xf16, #s>
  %4 = tilegpu.local_alloc %x {tilegpu.offset = 0 : i32} : tensor<16x16xf16, #a> -> !tilegpu.memdesc<16x16xf16, #s>
  // Two reads: one wait.
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tilegpu.dot
  // CHECK-NEXT: tilegpu.dot
  // CHECK-NEXT: return
  %5 = tilegpu.dot %3, %4, %2 {tiling = #tilegpu.tiling<mma, warps = [1, 1], instruction = [16, 8, 16]>} : !tilegpu.memdesc<16x16xf16, #s>, !tilegpu.memdesc<16x16xf16, #s> -> tensor<16x16xf32, #c>
  %6 = tilegpu.dot %4, %3, %5 {tiling = #tilegpu.tiling<mma, warps = [1, 1], instruction = [16, 8, 16]>} : !tilegpu.memdesc<16x16xf16, #s>, !tilegpu.memdesc<16x16xf16, #s> -> tensor<16x16xf32, #c>
  return %6 : tensor<16x16xf32, #c>
}

// Write after write: buffers that overlap in part.
// CHECK-LABEL: func.func @overlap
func.func @overlap(%x: tensor<16x16xf16, #a>) {
  // CHECK: tilegpu.local_alloc
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tilegpu.local_alloc
  // CHECK-NEXT: return
  %0 = tilegpu.local_alloc %x {tilegpu.offset = 0 : i32} : tensor<16x16xf16, #a> -> !tilegpu.memdesc<16x16xf16, #s>
  %1 = tilegpu.local_alloc %x {tilegpu.offset = 384 : i32} : tensor<16x16xf16, #a> -> !tilegpu.memdesc<16x16xf16, #s>
  return
}

// An operation with scratch waits inside; what comes before it is done then, what
// it reads at its end is not.
// CHECK-LABEL: func.func @scratch
func.func @scratch(%x: !tile, %y: tensor<16x16xf16, #a>) {
  // CHECK: tilegpu.local_alloc
  // CHECK-NEXT: tilegpu.convert_layout {{.*}}1024
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tilegpu.convert_layout {{.*}}1024
  // CHECK-NEXT: tilegpu.local_alloc {{.*}}{tilegpu.offset = 0 : i32}
  // CHECK-NEXT: return
  %0 = tilegpu.local_alloc %y {tilegpu.offset = 0 : i32} : tensor<16x16xf16, #a> -> !tilegpu.memdesc<16x16xf16, #s>
  %1 = tilegpu.convert_layout %x {tilegpu.offset = 1024 : i32} : !tile -> tensor<128xf32, #m>
  %2 = tilegpu.convert_layout %1 {tilegpu.offset = 1024 : i32} : tensor<128xf32, #m> -> !tile
  %3 = tilegpu.local_alloc %y {tilegpu.offset = 0 : i32} : tensor<16x16xf16, #a> -> !tilegpu.memdesc<16x16xf16, #s>
  return
}

// The end of an iteration meets the beginning of the next.
// CHECK-LABEL: func.func @back_edge
func.func @back_edge(%x: !tile, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: scf.for
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tilegpu.convert_layout
  // CHECK-NEXT: {{^ *}}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %0 = tilegpu.convert_layout %x {tilegpu.offset = 0 : i32} : !tile -> tensor<128xf32, #m>
  }
  // CHECK: tilegpu.barrier
  // CHECK-NEXT: tilegpu.convert_layout
  %1 = tilegpu.convert_layout %x {tilegpu.offset = 0 : i32} : !tile -> tensor<128xf32, #m>
  return
}

// Both sides of a branch count, and so does going around it.
// CHECK-LABEL: func.func @branches
func.func @branches(%x: !tile, %b: i1) {
  // CHECK: scf.if
  // CHECK-NEXT: tilegpu.convert_layout {{.*}}offset = 0
  // CHECK-NEXT: } else {
  // CHECK-NEXT: tilegpu.convert_layout {{.*}}offset = 512
  // CHECK-NEXT: {{^ *}}}
  scf.if %b {
    %0 = tilegpu.convert_layout %x {tilegpu.offset = 0 : i32} : !tile -> tensor<128xf32, #m>
  } else {
    %0 = tilegpu.convert_layout %x {tilegpu.offset = 512 : i32} : !tile -> tensor<128xf32, #m>
  }
  // CHECK: tilegpu.barrier
  // CHECK-NEXT: tilegpu.convert_layout {{.*}}offset = 512
  // CHECK-NEXT: return
  %1 = tilegpu.convert_layout %x {tilegpu.offset = 512 : i32} : !tile -> tensor<128xf32, #m>
  return
}

//===-- Global memory -------------------------------------------------------===//

// Each thread reads and writes elements of its own.
// CHECK-LABEL: func.func @same_pointer
// CHECK-NOT: tilegpu.barrier
// CHECK: return
func.func @same_pointer(%p: !tile.ptr<f32>, %start: i32) {
  %r = tile.arange 0, 128 : tensor<128xi32, #l>
  %first = tile.splat %start : i32 -> tensor<128xi32, #l>
  %three = arith.constant dense<3> : tensor<128xi32, #l>
  %far = arith.muli %r, %three : tensor<128xi32, #l>
  %o = arith.addi %first, %far : tensor<128xi32, #l>
  %s = tile.splat %p : !tile.ptr<f32> -> !pointers
  %q = tile.addptr %s, %o : !pointers, tensor<128xi32, #l>
  %0 = tile.load %q : !pointers -> !tile
  tile.store %q, %0 : !pointers, !tile
  %1 = tile.load %q : !pointers -> !tile
  tile.store %q, %1 : !pointers, !tile
  return
}

// Two elements may have one address: all are read before any is written.
// CHECK-LABEL: func.func @maybe_shared
// CHECK: tile.load
// CHECK-NEXT: tilegpu.barrier
// CHECK-NEXT: tile.store
func.func @maybe_shared(%p: !tile.ptr<f32>, %o: tensor<128xi32, #l>) {
  %s = tile.splat %p : !tile.ptr<f32> -> !pointers
  %q = tile.addptr %s, %o : !pointers, tensor<128xi32, #l>
  %0 = tile.load %q : !pointers -> !tile
  tile.store %q, %0 : !pointers, !tile
  return
}

// Another address, or the same one held by other threads.
// CHECK-LABEL: func.func @other_pointer
func.func @other_pointer(%p: !tile.ptr<f32>, %o: tensor<128xi32, #l>, %u: tensor<128xi32, #l>, %w: tensor<128xi32, #m>, %x: tensor<128xf32, #m>) {
  %s = tile.splat %p : !tile.ptr<f32> -> !pointers
  %q = tile.addptr %s, %o : !pointers, tensor<128xi32, #l>
  %r = tile.addptr %s, %u : !pointers, tensor<128xi32, #l>
  %t = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #m>
  %v = tile.addptr %t, %w : tensor<128x!tile.ptr<f32>, #m>, tensor<128xi32, #m>
  // CHECK: tile.load
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tile.store
  %0 = tile.load %q : !pointers -> !tile
  tile.store %r, %0 : !pointers, !tile
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tile.load
  // CHECK-NEXT: tile.load
  %1 = tile.load %q : !pointers -> !tile
  %2 = tile.load %v : tensor<128x!tile.ptr<f32>, #m> -> tensor<128xf32, #m>
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tile.store
  tile.store %v, %x : tensor<128x!tile.ptr<f32>, #m>, tensor<128xf32, #m>
  return
}

// Elements of which several threads hold copies: one of them writes, all read.
// CHECK-LABEL: func.func @copies
func.func @copies(%p: tensor<32x!tile.ptr<f32>, #copies>, %x: tensor<32xf32, #copies>) {
  // CHECK: tile.store
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tile.load
  tile.store %p, %x : tensor<32x!tile.ptr<f32>, #copies>, tensor<32xf32, #copies>
  %0 = tile.load %p : tensor<32x!tile.ptr<f32>, #copies> -> tensor<32xf32, #copies>
  return
}

// One thread stores a scalar, all threads load it.
// CHECK-LABEL: func.func @scalar
func.func @scalar(%p: !tile.ptr<f32>, %x: f32) -> f32 {
  // CHECK: tile.store
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tile.load
  tile.store %p, %x : !tile.ptr<f32>, f32
  %0 = tile.load %p : !tile.ptr<f32> -> f32
  return %0 : f32
}

// Arguments point at different memory; so do pointers computed from them, also in
// loops and branches.
// CHECK-LABEL: func.func @arguments
// CHECK-NOT: tilegpu.barrier
// CHECK: return
func.func @arguments(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %out: !tile.ptr<f32>, %o: i32, %n: i32, %b: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %p) -> (!tile.ptr<f32>) : i32 {
    %0 = tile.load %t : !tile.ptr<f32> -> f32
    %1 = tile.load %q : !tile.ptr<f32> -> f32
    %2 = tile.addptr %t, %o : !tile.ptr<f32>, i32
    scf.yield %2 : !tile.ptr<f32>
  }
  %u = scf.if %b -> !tile.ptr<f32> {
    scf.yield %r : !tile.ptr<f32>
  } else {
    scf.yield %p : !tile.ptr<f32>
  }
  %w = arith.select %b, %u, %p : !tile.ptr<f32>
  %v = tile.load %w : !tile.ptr<f32> -> f32
  tile.store %out, %v : !tile.ptr<f32>, f32
  return
}

// An address that comes from memory may be any.
// CHECK-LABEL: func.func @unknown
func.func @unknown(%p: !tile.ptr<!tile.ptr<f32>>, %q: !tile.ptr<f32>, %x: f32) {
  %r = tile.load %p : !tile.ptr<!tile.ptr<f32>> -> !tile.ptr<f32>
  // CHECK: tile.store
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tile.load
  tile.store %q, %x : !tile.ptr<f32>, f32
  %0 = tile.load %r : !tile.ptr<f32> -> f32
  return
}

// A loop that carries pointers to both: what it stores through one it loads through
// the other an iteration later.
// CHECK-LABEL: func.func @exchange
func.func @exchange(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: scf.for
  // CHECK: tilegpu.barrier
  // CHECK-NEXT: tile.load
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tile.store
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%from = %p, %to = %q) -> (!tile.ptr<f32>, !tile.ptr<f32>) : i32 {
    %0 = tile.load %from : !tile.ptr<f32> -> f32
    tile.store %to, %0 : !tile.ptr<f32>, f32
    scf.yield %to, %from : !tile.ptr<f32>, !tile.ptr<f32>
  }
  return
}

// The address moves on: what one thread stored another may load in the next
// iteration.
// CHECK-LABEL: func.func @moving
func.func @moving(%p: !tile.ptr<f32>, %by: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %o = tile.splat %by : i32 -> tensor<128xi32, #l>
  %t = tile.splat %p : !tile.ptr<f32> -> !pointers
  %l = tile.arange 0, 128 : tensor<128xi32, #l>
  %s = tile.addptr %t, %l : !pointers, tensor<128xi32, #l>
  // CHECK: scf.for
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tile.load
  // CHECK-NEXT: tile.store
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%q = %s) -> (!pointers) : i32 {
    %0 = tile.load %q : !pointers -> !tile
    tile.store %q, %0 : !pointers, !tile
    %1 = tile.addptr %q, %o : !pointers, tensor<128xi32, #l>
    scf.yield %1 : !pointers
  }
  return
}

// Iterations that start past what the last one reached do not wait for it; those
// that reach into it do.
// CHECK-LABEL: func.func @advances
func.func @advances(%p: !tile.ptr<f32>, %n: i32, %x: !tile) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %s = tile.splat %p : !tile.ptr<f32> -> !pointers
  %i = tile.arange 0, 128 : tensor<128xi32, #l>
  // CHECK: scf.for
  // CHECK-NOT: tilegpu.barrier
  // CHECK: scf.for
  scf.for %k = %c0 to %n step %c128 : i32 {
    %ks = tile.splat %k : i32 -> tensor<128xi32, #l>
    %o = arith.addi %ks, %i : tensor<128xi32, #l>
    %q = tile.addptr %s, %o : !pointers, tensor<128xi32, #l>
    %0 = tile.load %q : !pointers -> !tile
    tile.store %q, %0 : !pointers, !tile
  }
  // CHECK: tilegpu.barrier
  // CHECK-NEXT: tile.store
  // CHECK: scf.for
  scf.for %k = %c0 to %n step %c64 : i32 {
    %ks = tile.splat %k : i32 -> tensor<128xi32, #l>
    %o = arith.addi %ks, %i : tensor<128xi32, #l>
    %q = tile.addptr %s, %o : !pointers, tensor<128xi32, #l>
    tile.store %q, %x : !pointers, !tile
  }
  // CHECK: tilegpu.barrier
  // CHECK-NEXT: tile.store
  scf.for %k = %c0 to %n step %n : i32 {
    %ks = tile.splat %k : i32 -> tensor<128xi32, #l>
    %o = arith.addi %ks, %i : tensor<128xi32, #l>
    %q = tile.addptr %s, %o : !pointers, tensor<128xi32, #l>
    tile.store %q, %x : !pointers, !tile
  }
  return
}

// The same address in every iteration stays in its threads.
// CHECK-LABEL: func.func @same
// CHECK-NOT: tilegpu.barrier
// CHECK: return
func.func @same(%p: !tile.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = tile.splat %p : !tile.ptr<f32> -> !pointers
  %i = tile.arange 0, 128 : tensor<128xi32, #l>
  %q = tile.addptr %s, %i : !pointers, tensor<128xi32, #l>
  scf.for %k = %c0 to %n step %c1 : i32 {
    %0 = tile.load %q : !pointers -> !tile
    tile.store %q, %0 : !pointers, !tile
  }
  return
}

// Inside another loop an address may come again.
// CHECK-LABEL: func.func @again
func.func @again(%p: !tile.ptr<f32>, %n: i32, %x: !tile) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c128 = arith.constant 128 : i32
  %s = tile.splat %p : !tile.ptr<f32> -> !pointers
  %i = tile.arange 0, 128 : tensor<128xi32, #l>
  // CHECK: tilegpu.barrier
  // CHECK-NEXT: tile.store
  scf.for %r = %c0 to %n step %c1 : i32 {
    scf.for %k = %c0 to %n step %c128 : i32 {
      %ks = tile.splat %k : i32 -> tensor<128xi32, #l>
      %o = arith.addi %ks, %i : tensor<128xi32, #l>
      %q = tile.addptr %s, %o : !pointers, tensor<128xi32, #l>
      tile.store %q, %x : !pointers, !tile
    }
  }
  return
}

// While loops: the first region runs once more than the second.
// CHECK-LABEL: func.func @while_loop
func.func @while_loop(%p: !tile.ptr<i32>, %x: i32) {
  // CHECK: scf.while
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tile.load
  scf.while : () -> () {
    %0 = tile.load %p : !tile.ptr<i32> -> i32
    %more = arith.cmpi slt, %0, %x : i32
    scf.condition(%more)
  } do {
    // CHECK: do {
    // CHECK-NEXT: tilegpu.barrier
    // CHECK-NEXT: tile.store
    tile.store %p, %x : !tile.ptr<i32>, i32
    scf.yield
  }
  // CHECK: }
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tile.store
  tile.store %p, %x : !tile.ptr<i32>, i32
  return
}

//===-- Atomics -------------------------------------------------------------===//

// An atomic that orders: before it, all threads have done what they had to, and
// after it none has begun, whatever they touch.
// CHECK-LABEL: func.func @ordered
func.func @ordered(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %lock: !tile.ptr<i32>, %x: f32, %one: i32) {
  // CHECK: tile.store
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tile.atomic_rmw add, release
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tile.atomic_rmw add, acquire
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tile.load
  tile.store %p, %x : !tile.ptr<f32>, f32
  %0 = tile.atomic_rmw add, release, gpu, %lock, %one : !tile.ptr<i32>, i32
  %1 = tile.atomic_rmw add, acquire, gpu, %lock, %one : !tile.ptr<i32>, i32
  %2 = tile.load %q : !tile.ptr<f32> -> f32
  return
}

// A relaxed one orders nothing but itself.
// CHECK-LABEL: func.func @relaxed
func.func @relaxed(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %lock: !tile.ptr<i32>, %x: f32, %one: i32) {
  // CHECK: tile.store
  // CHECK-NEXT: tile.atomic_cas relaxed
  // CHECK-NEXT: tile.load
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tile.load
  tile.store %p, %x : !tile.ptr<f32>, f32
  %0 = tile.atomic_cas relaxed, gpu, %lock, %one, %one : !tile.ptr<i32>, i32
  %1 = tile.load %q : !tile.ptr<f32> -> f32
  %2 = tile.load %lock : !tile.ptr<i32> -> i32
  return
}

// Elements of an atomic may be one address, as in a histogram, so the same pointers
// do not keep to their threads.
// CHECK-LABEL: func.func @histogram
func.func @histogram(%p: tensor<128x!tile.ptr<i32>, #l>, %x: tensor<128xi32, #l>) {
  // CHECK: tile.atomic_rmw add, relaxed
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tile.load
  %0 = tile.atomic_rmw add, relaxed, gpu, %p, %x : tensor<128x!tile.ptr<i32>, #l>, tensor<128xi32, #l>
  %1 = tile.load %p : tensor<128x!tile.ptr<i32>, #l> -> tensor<128xi32, #l>
  return
}

// A barrier that is there already serves.
// CHECK-LABEL: func.func @there
func.func @there(%p: !tile.ptr<f32>, %x: f32) {
  // CHECK: tile.store
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.load
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tile.store
  // CHECK-NEXT: return
  tile.store %p, %x : !tile.ptr<f32>, f32
  tile.barrier
  %0 = tile.load %p : !tile.ptr<f32> -> f32
  tilegpu.barrier
  tile.store %p, %0 : !tile.ptr<f32>, f32
  return
}

// Iterations that touch different memory do not wait for each other; what comes
// after the loop does.
// CHECK-LABEL: func.func @independent
func.func @independent(%p: !tile.ptr<f32>, %n: i32, %x: tensor<128xf32, #l>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #l>
  // CHECK: scf.for
  // CHECK-NOT: tilegpu.barrier
  // CHECK: tile.store
  // CHECK-NOT: tilegpu.barrier
  // CHECK: } {tilegpu.independent}
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tile.load
  scf.for %k = %c0 to %n step %c1 : i32 {
    %ks = tile.splat %k : i32 -> tensor<128xi32, #l>
    %q = tile.addptr %s, %ks : tensor<128x!tile.ptr<f32>, #l>, tensor<128xi32, #l>
    tile.store %q, %x : tensor<128x!tile.ptr<f32>, #l>, tensor<128xf32, #l>
  } {tilegpu.independent}
  %0 = tile.load %p : !tile.ptr<f32> -> f32
  return
}

// Parts of one tile of pointers reach different memory; another tile, or another
// layout, may reach the same.
// CHECK-LABEL: func.func @parts
func.func @parts(%p: !tile.ptr<f32>, %a: tensor<128xi32, #l>, %b: tensor<128xi32, #l>, %c: tensor<128xi32, #m>, %x: !tile) {
  %s = tile.splat %p : !tile.ptr<f32> -> !pointers
  %t = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #m>
  %pa = tile.addptr %s, %a : !pointers, tensor<128xi32, #l>
  %pb = tile.addptr %s, %b : !pointers, tensor<128xi32, #l>
  %pc = tile.addptr %t, %c : tensor<128x!tile.ptr<f32>, #m>, tensor<128xi32, #m>
  // CHECK: tile.store
  // CHECK-NEXT: tile.load
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tile.load
  tile.store %pa, %x {tilegpu.part = 0 : i32} : !pointers, !tile
  %0 = tile.load %pb {tilegpu.part = 0 : i32} : !pointers -> !tile
  %1 = tile.load %pc {tilegpu.part = 0 : i32} : tensor<128x!tile.ptr<f32>, #m> -> tensor<128xf32, #m>
  // CHECK: tile.store
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tile.load
  tile.store %pa, %x {tilegpu.part = 0 : i32} : !pointers, !tile
  %2 = tile.load %pb {tilegpu.part = 1 : i32} : !pointers -> !tile
  return
}

// A thread reads back what it kept itself; who takes the same shared memory for
// something else waits.
// CHECK-LABEL: func.func @kept
func.func @kept(%x: tensor<128xf32, #l>, %i: i32) -> tensor<128xf32, #l> {
  // CHECK: tilegpu.keep
  // CHECK-NEXT: tilegpu.recall
  // CHECK-NEXT: tilegpu.barrier
  // CHECK-NEXT: tilegpu.local_alloc
  %0 = tilegpu.ring_alloc 2 {tilegpu.offset = 0 : i32} : !tilegpu.memdesc<128xf32, #kept>
  tilegpu.keep %x, %0[%i] : tensor<128xf32, #l>, !tilegpu.memdesc<128xf32, #kept>
  %1 = tilegpu.recall %0[%i] : !tilegpu.memdesc<128xf32, #kept> -> tensor<128xf32, #l>
  %2 = tilegpu.local_alloc %x {tilegpu.offset = 512 : i32} : tensor<128xf32, #l> -> !tilegpu.memdesc<128xf32, #kept>
  return %1 : tensor<128xf32, #l>
}
