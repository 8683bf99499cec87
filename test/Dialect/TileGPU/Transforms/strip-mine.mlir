// RUN: tile-opt --tilegpu-strip-mine --split-input-file %s | FileCheck %s
// RUN: tile-opt --tilegpu-strip-mine --split-input-file --remark-format=emitRemark --remarks-filter=tilegpu-strip-mine %s 2>&1 | FileCheck %s --check-prefix=REMARK

// A row that is walked twice: its first chunk stays in registers, the others in
// shared memory.
// REMARK: 65536 elements become loops over 4 chunks of 16384; what is read again stays in registers for 1, in shared memory for 3, and is loaded again for 0
// CHECK-LABEL: func.func @row
// CHECK: %[[RING:.*]] = tilegpu.ring_alloc 3 : <16384xf32>
// CHECK: %[[FIRST:.*]] = tile.load %{{.*}} : tensor<16384x!tile.ptr<f32>>
// Four elements a thread are left of a chunk, without a barrier.
// CHECK: tile.reshape %[[FIRST]] : tensor<16384xf32> -> tensor<4x4096xf32>
// CHECK: %[[SUM:.*]] = tile.reduce{{.*}} axis 0 commutative : tensor<4x4096xf32> -> tensor<4096xf32>
// CHECK: %[[ALL:.*]] = scf.for %[[K:.*]] = %{{.*}} iter_args(%[[SO_FAR:.*]] = %[[SUM]])
// CHECK: %[[START:.*]] = arith.muli %[[K]], %{{.*}}
// CHECK: %[[SLOT:.*]] = arith.subi %[[K]], %{{.*}}
// CHECK: tile.splat %[[START]]
// CHECK: %[[X:.*]] = tile.load
// CHECK: tilegpu.keep %[[X]], %[[RING]][%[[SLOT]]]
// CHECK: %[[PART:.*]] = tile.reduce{{.*}} tensor<4x4096xf32> -> tensor<4096xf32>
// CHECK: %[[NEXT:.*]] = arith.addf %[[SO_FAR]], %[[PART]] : tensor<4096xf32>
// CHECK: scf.yield %[[NEXT]]
// CHECK: } {tilegpu.independent}
// CHECK: tile.reduce(%[[ALL]]) axis 0 commutative : tensor<4096xf32> -> f32
// The second walk.
// CHECK: arith.divf %[[FIRST]]
// CHECK: tile.store
// CHECK: scf.for
// CHECK: %[[BACK:.*]] = tilegpu.recall %[[RING]]
// CHECK: arith.divf %[[BACK]]
// CHECK: tile.store
// CHECK-NOT: scf.for
module attributes {tilegpu.arch = "sm_90a"} {
func.func @row(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>) attributes {tilegpu.num_warps = 32 : i32} {
  %i = tile.arange 0, 65536 : tensor<65536xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<65536x!tile.ptr<f32>>
  %pi = tile.addptr %ps, %i : tensor<65536x!tile.ptr<f32>>, tensor<65536xi32>
  %x = tile.load %pi : tensor<65536x!tile.ptr<f32>> -> tensor<65536xf32>
  %s = tile.reduce (%x) axis 0 commutative : tensor<65536xf32> -> f32 {
  ^bb0(%l: f32, %r: f32):
    %a = arith.addf %l, %r : f32
    tile.yield %a : f32
  }
  %ss = tile.splat %s : f32 -> tensor<65536xf32>
  %y = arith.divf %x, %ss : tensor<65536xf32>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<65536x!tile.ptr<f32>>
  %qi = tile.addptr %qs, %i : tensor<65536x!tile.ptr<f32>>, tensor<65536xi32>
  tile.store %qi, %y : tensor<65536x!tile.ptr<f32>>, tensor<65536xf32>
  return
}
}

// -----

// More than fits: the rest is loaded again, and nothing else stays in the cache.
// REMARK: loops over 8 chunks of 16384; what is read again stays in registers for 1, in shared memory for 3, and is loaded again for 4
// CHECK-LABEL: func.func @long_row
// CHECK: %[[RING:.*]] = tilegpu.ring_alloc 3
// CHECK: %[[C4:.*]] = arith.constant 4 : i32
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[C4]]
// CHECK: tile.load %{{.*}} {eviction = 1 : i32, tilegpu.part = {{[01]}} : i32}
// CHECK: tilegpu.keep
// CHECK: scf.for
// CHECK: tile.load %{{.*}} {eviction = 2 : i32, tilegpu.part = {{[01]}} : i32}
// CHECK-NOT: tilegpu.keep
// CHECK: tile.reduce
// CHECK: tile.reduce
// CHECK: scf.for
// CHECK: tilegpu.recall
// CHECK: tile.store
// CHECK: scf.for
// CHECK: tile.load %{{.*}} {eviction = 1 : i32, tilegpu.part = {{[01]}} : i32}
// CHECK: tile.store %{{.*}} {eviction = 1 : i32, tilegpu.part = {{[01]}} : i32}
module attributes {tilegpu.arch = "sm_90a"} {
func.func @long_row(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>) attributes {tilegpu.num_warps = 32 : i32} {
  %i = tile.arange 0, 131072 : tensor<131072xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<131072x!tile.ptr<f32>>
  %pi = tile.addptr %ps, %i : tensor<131072x!tile.ptr<f32>>, tensor<131072xi32>
  %x = tile.load %pi : tensor<131072x!tile.ptr<f32>> -> tensor<131072xf32>
  %s = tile.reduce (%x) axis 0 commutative : tensor<131072xf32> -> f32 {
  ^bb0(%l: f32, %r: f32):
    %a = arith.addf %l, %r : f32
    tile.yield %a : f32
  }
  %ss = tile.splat %s : f32 -> tensor<131072xf32>
  %y = arith.divf %x, %ss : tensor<131072xf32>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<131072x!tile.ptr<f32>>
  %qi = tile.addptr %qs, %i : tensor<131072x!tile.ptr<f32>>, tensor<131072xi32>
  tile.store %qi, %y : tensor<131072x!tile.ptr<f32>>, tensor<131072xf32>
  return
}
}

// -----

// What took computing takes the place of what was loaded, where nothing else is
// wanted of it. Two blocks fit a multiprocessor with all that they keep.
// CHECK-LABEL: func.func @replaced
// CHECK-SAME: tilegpu.blocks = 2
// CHECK: %[[RING:.*]] = tilegpu.ring_alloc 3 : <8192xf32>
// CHECK: scf.for
// CHECK: tilegpu.keep
// CHECK: scf.for
// CHECK: %[[X:.*]] = tilegpu.recall %[[RING]][%[[SLOT:.*]]] :
// CHECK: %[[D:.*]] = arith.subf %[[X]]
// CHECK: %[[E:.*]] = math.exp %[[D]]
// CHECK: tilegpu.keep %[[E]], %[[RING]][%{{.*}}]
// CHECK: scf.for
// CHECK: %[[BACK:.*]] = tilegpu.recall %[[RING]]
// CHECK: arith.divf %[[BACK]]
// CHECK-NOT: math.exp
// CHECK: tile.store
module attributes {tilegpu.arch = "sm_90a"} {
func.func @replaced(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>) attributes {tilegpu.num_warps = 8 : i32} {
  %i = tile.arange 0, 32768 : tensor<32768xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<32768x!tile.ptr<f32>>
  %pi = tile.addptr %ps, %i : tensor<32768x!tile.ptr<f32>>, tensor<32768xi32>
  %x = tile.load %pi : tensor<32768x!tile.ptr<f32>> -> tensor<32768xf32>
  %m = tile.reduce (%x) axis 0 commutative : tensor<32768xf32> -> f32 {
  ^bb0(%l: f32, %r: f32):
    %a = arith.maxnumf %l, %r : f32
    tile.yield %a : f32
  }
  %ms = tile.splat %m : f32 -> tensor<32768xf32>
  %d = arith.subf %x, %ms : tensor<32768xf32>
  %e = math.exp %d : tensor<32768xf32>
  %s = tile.reduce (%e) axis 0 commutative : tensor<32768xf32> -> f32 {
  ^bb0(%l: f32, %r: f32):
    %a = arith.addf %l, %r : f32
    tile.yield %a : f32
  }
  %ss = tile.splat %s : f32 -> tensor<32768xf32>
  %y = arith.divf %e, %ss : tensor<32768xf32>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<32768x!tile.ptr<f32>>
  %qi = tile.addptr %qs, %i : tensor<32768x!tile.ptr<f32>>, tensor<32768xi32>
  tile.store %qi, %y : tensor<32768x!tile.ptr<f32>>, tensor<32768xf32>
  return
}
}

// -----

// Nothing is reduced: one loop.
// REMARK: 1048576 elements become a loop over 512 chunks of 2048
// CHECK-LABEL: func.func @elementwise
// CHECK: scf.for
// CHECK: tile.load %{{.*}} : tensor<2048x!tile.ptr<f32>>
// CHECK: tile.store %{{.*}} : tensor<2048x!tile.ptr<f32>>
// CHECK: } {tilegpu.independent}
// CHECK-NOT: scf.for
// CHECK-NOT: 1048576x
func.func @elementwise(%p: !tile.ptr<f32>) attributes {tilegpu.num_warps = 4 : i32} {
  %i = tile.arange 0, 1048576 : tensor<1048576xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<1048576x!tile.ptr<f32>>
  %pi = tile.addptr %ps, %i : tensor<1048576x!tile.ptr<f32>>, tensor<1048576xi32>
  %x = tile.load %pi : tensor<1048576x!tile.ptr<f32>> -> tensor<1048576xf32>
  %y = arith.addf %x, %x : tensor<1048576xf32>
  tile.store %pi, %y : tensor<1048576x!tile.ptr<f32>>, tensor<1048576xf32>
  return
}

// -----

// The axis that nothing reduces is cut, and the reduction stays in its chunk.
// REMARK: 256 elements become a loop over 16 chunks of 16
// CHECK-LABEL: func.func @rows
// CHECK: scf.for
// CHECK: tile.load %{{.*}} : tensor<16x128x!tile.ptr<f32>>
// CHECK: tile.reduce{{.*}} axis 1 commutative : tensor<16x128xf32> -> tensor<16xf32>
// CHECK: tile.store %{{.*}} : tensor<16x!tile.ptr<f32>>
// CHECK-NOT: scf.for
func.func @rows(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>) attributes {tilegpu.num_warps = 4 : i32} {
  %i = tile.arange 0, 256 : tensor<256xi32>
  %j = tile.arange 0, 128 : tensor<128xi32>
  %i2 = tile.expand_dims %i, 1 : tensor<256xi32> -> tensor<256x1xi32>
  %j2 = tile.expand_dims %j, 0 : tensor<128xi32> -> tensor<1x128xi32>
  %w = arith.constant dense<128> : tensor<256x1xi32>
  %iw = arith.muli %i2, %w : tensor<256x1xi32>
  %ib = tile.broadcast %iw : tensor<256x1xi32> -> tensor<256x128xi32>
  %jb = tile.broadcast %j2 : tensor<1x128xi32> -> tensor<256x128xi32>
  %o = arith.addi %ib, %jb : tensor<256x128xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<256x128x!tile.ptr<f32>>
  %pi = tile.addptr %ps, %o : tensor<256x128x!tile.ptr<f32>>, tensor<256x128xi32>
  %x = tile.load %pi : tensor<256x128x!tile.ptr<f32>> -> tensor<256x128xf32>
  %s = tile.reduce (%x) axis 1 commutative : tensor<256x128xf32> -> tensor<256xf32> {
  ^bb0(%l: f32, %r: f32):
    %a = arith.addf %l, %r : f32
    tile.yield %a : f32
  }
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %qi = tile.addptr %qs, %i : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  tile.store %qi, %s : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  return
}

// -----

// What follows from a store to memory that is read at other addresses waits for
// all of it.
// CHECK-LABEL: func.func @read_back
// CHECK: scf.for
// CHECK: tile.store
// CHECK: scf.for
// CHECK: tile.load
// CHECK: tile.store
func.func @read_back(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>) attributes {tilegpu.num_warps = 4 : i32} {
  %i = tile.arange 0, 16384 : tensor<16384xi32>
  %c = arith.constant dense<1.0> : tensor<16384xf32>
  %last = arith.constant dense<16383> : tensor<16384xi32>
  %j = arith.subi %last, %i : tensor<16384xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<16384x!tile.ptr<f32>>
  %pi = tile.addptr %ps, %i : tensor<16384x!tile.ptr<f32>>, tensor<16384xi32>
  %pj = tile.addptr %ps, %j : tensor<16384x!tile.ptr<f32>>, tensor<16384xi32>
  tile.store %pi, %c : tensor<16384x!tile.ptr<f32>>, tensor<16384xf32>
  %x = tile.load %pj : tensor<16384x!tile.ptr<f32>> -> tensor<16384xf32>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<16384x!tile.ptr<f32>>
  %qi = tile.addptr %qs, %i : tensor<16384x!tile.ptr<f32>>, tensor<16384xi32>
  tile.store %qi, %x : tensor<16384x!tile.ptr<f32>>, tensor<16384xf32>
  return
}

// -----

// Written where another chunk still has to be read: one tile. (The loads would
// be done again after the first stores.)
// CHECK-LABEL: func.func @shifted
// CHECK-NOT: scf.for
// CHECK: return
func.func @shifted(%p: !tile.ptr<f32>) attributes {tilegpu.num_warps = 4 : i32} {
  %i = tile.arange 0, 16384 : tensor<16384xi32>
  %j = tile.arange 1, 16385 : tensor<16384xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<16384x!tile.ptr<f32>>
  %pi = tile.addptr %ps, %i : tensor<16384x!tile.ptr<f32>>, tensor<16384xi32>
  %pj = tile.addptr %ps, %j : tensor<16384x!tile.ptr<f32>>, tensor<16384xi32>
  %x = tile.load %pi : tensor<16384x!tile.ptr<f32>> -> tensor<16384xf32>
  tile.store %pj, %x : tensor<16384x!tile.ptr<f32>>, tensor<16384xf32>
  return
}

// -----

// Addresses that may be the same in two chunks: what one writes the other must not
// read.
// CHECK-LABEL: func.func @scattered
// CHECK-NOT: scf.for
// CHECK: return
func.func @scattered(%p: !tile.ptr<f32>, %q: !tile.ptr<i32>) attributes {tilegpu.num_warps = 4 : i32} {
  %i = tile.arange 0, 16384 : tensor<16384xi32>
  %c = arith.constant dense<1.0> : tensor<16384xf32>
  %qs = tile.splat %q : !tile.ptr<i32> -> tensor<16384x!tile.ptr<i32>>
  %qi = tile.addptr %qs, %i : tensor<16384x!tile.ptr<i32>>, tensor<16384xi32>
  %j = tile.load %qi : tensor<16384x!tile.ptr<i32>> -> tensor<16384xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<16384x!tile.ptr<f32>>
  %pj = tile.addptr %ps, %j : tensor<16384x!tile.ptr<f32>>, tensor<16384xi32>
  %x = tile.load %pj : tensor<16384x!tile.ptr<f32>> -> tensor<16384xf32>
  %y = arith.addf %x, %c : tensor<16384xf32>
  tile.store %pj, %y : tensor<16384x!tile.ptr<f32>>, tensor<16384xf32>
  return
}

// -----

// Something needs the whole tile: a loop that carries it, a scan along it.
// CHECK-LABEL: func.func @whole
// CHECK: scf.for
// CHECK-SAME: iter_args
// CHECK-NOT: scf.for
// CHECK: return
func.func @whole(%p: !tile.ptr<f32>, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tile.arange 0, 16384 : tensor<16384xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<16384x!tile.ptr<f32>>
  %pi = tile.addptr %ps, %i : tensor<16384x!tile.ptr<f32>>, tensor<16384xi32>
  %x = tile.load %pi : tensor<16384x!tile.ptr<f32>> -> tensor<16384xf32>
  %y = scf.for %k = %c0 to %n step %c1 iter_args(%t = %x) -> (tensor<16384xf32>) : i32 {
    %u = arith.addf %t, %x : tensor<16384xf32>
    scf.yield %u : tensor<16384xf32>
  }
  %z = tile.scan (%y) axis 0 : tensor<16384xf32> -> tensor<16384xf32> {
  ^bb0(%l: f32, %r: f32):
    %a = arith.addf %l, %r : f32
    tile.yield %a : f32
  }
  tile.store %pi, %z : tensor<16384x!tile.ptr<f32>>, tensor<16384xf32>
  return
}

// -----

// 64 elements a thread are few enough.
// CHECK-LABEL: func.func @fits
// CHECK-NOT: scf.for
// CHECK: return
func.func @fits(%p: !tile.ptr<f32>) attributes {tilegpu.num_warps = 4 : i32} {
  %i = tile.arange 0, 8192 : tensor<8192xi32>
  %c = arith.constant dense<1.0> : tensor<8192xf32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<8192x!tile.ptr<f32>>
  %pi = tile.addptr %ps, %i : tensor<8192x!tile.ptr<f32>>, tensor<8192xi32>
  tile.store %pi, %c : tensor<8192x!tile.ptr<f32>>, tensor<8192xf32>
  return
}
