// RUN: tile-opt --verify-roundtrip %s | tile-opt | FileCheck %s
// RUN: tile-opt --mlir-print-op-generic %s | tile-opt | FileCheck %s

#row = #tilegpu.layout<[64], register = [[1]], lane = [[2], [4], [8], [16], [32]]>
#column = #tilegpu.layout<[64], register = [[32]], lane = [[1], [2], [4], [8], [16]]>
#c = #tilegpu.layout<[16, 8], register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#a = #tilegpu.layout<[16, 16], register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#b = #tilegpu.layout<[16, 8], register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
#sa = #tilegpu.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#sb = #tilegpu.layout<[16, 8], offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 1], [4, 2], [8, 4]]>

// Layouts are printed once, at the top, by what they are of.
// CHECK-DAG: #[[ROW:layout[0-9]*]] = #tilegpu.layout<[64], register = {{\[\[}}1]], lane = {{\[\[}}2], [4], [8], [16], [32]]>
// CHECK-DAG: #[[COLUMN:layout[0-9]*]] = #tilegpu.layout<[64], register = {{\[\[}}32]], lane = {{\[\[}}1], [2], [4], [8], [16]]>
// CHECK-DAG: #[[C:layout[0-9]*]] = #tilegpu.layout<[16, 8], register = {{\[\[}}0, 1], [8, 0]]
// CHECK-DAG: #[[A:layout[0-9]*]] = #tilegpu.layout<[16, 16], register = {{\[\[}}0, 1], [8, 0], [0, 8]]
// CHECK-DAG: #[[SA:shared[0-9]*]] = #tilegpu.layout<[16, 16], offset = {{\[\[}}0, 1]
// CHECK-DAG: #[[SB:shared[0-9]*]] = #tilegpu.layout<[16, 8], offset = {{\[\[}}0, 1], [0, 2], [0, 4], [1, 0], [2, 1], [4, 2], [8, 4]]>

// CHECK-LABEL: func.func @convert_layout
// CHECK-SAME: (%[[X:.*]]: tensor<64xf32, #[[ROW]]>)
func.func @convert_layout(%x: tensor<64xf32, #row>) -> tensor<64xf32, #column> {
  // CHECK: tilegpu.convert_layout %[[X]] {tilegpu.offset = 128 : i32} : tensor<64xf32, #[[ROW]]> -> tensor<64xf32, #[[COLUMN]]>
  %0 = tilegpu.convert_layout %x {tilegpu.offset = 128 : i32} : tensor<64xf32, #row> -> tensor<64xf32, #column>
  return %0 : tensor<64xf32, #column>
}

// CHECK-LABEL: func.func @dot_registers
func.func @dot_registers(%a: tensor<16x16xf16, #a>, %b: tensor<16x8xf16, #b>, %c: tensor<16x8xf32, #c>) -> tensor<16x8xf32, #c> {
  // CHECK: tilegpu.dot %{{.*}}, %{{.*}}, %{{.*}} {precision = 2 : i32, tiling = #tilegpu.tiling<mma, warps = [1, 1], instruction = [16, 8, 16]>} : tensor<16x16xf16, #[[A]]>, tensor<16x8xf16, #{{.*}}> -> tensor<16x8xf32, #[[C]]>
  %0 = tilegpu.dot %a, %b, %c {precision = 2 : i32, tiling = #tilegpu.tiling<mma, warps = [1, 1], instruction = [16, 8, 16]>} : tensor<16x16xf16, #a>, tensor<16x8xf16, #b> -> tensor<16x8xf32, #c>
  return %0 : tensor<16x8xf32, #c>
}

// CHECK-LABEL: func.func @dot_shared
func.func @dot_shared(%a: tensor<16x16xf16, #a>, %b: !tilegpu.memdesc<16x8xf16, #sb>, %c: tensor<16x8xf32, #c>) -> tensor<16x8xf32, #c> {
  // CHECK: %[[A2:.*]] = tilegpu.local_alloc %{{.*}} : tensor<16x16xf16, #[[A]]> -> <16x16xf16, #[[SA]]>
  %0 = tilegpu.local_alloc %a : tensor<16x16xf16, #a> -> !tilegpu.memdesc<16x16xf16, #sa>
  // CHECK: tilegpu.barrier
  tilegpu.barrier
  // CHECK: tilegpu.dot %[[A2]], %{{.*}}, %{{.*}} {tiling = #tilegpu.tiling<mma, warps = [1, 1], instruction = [16, 8, 16]>} : !tilegpu.memdesc<16x16xf16, #[[SA]]>, !tilegpu.memdesc<16x8xf16, #[[SB]]> -> tensor<16x8xf32, #[[C]]>
  %1 = tilegpu.dot %0, %b, %c {tiling = #tilegpu.tiling<mma, warps = [1, 1], instruction = [16, 8, 16]>} : !tilegpu.memdesc<16x16xf16, #sa>, !tilegpu.memdesc<16x8xf16, #sb> -> tensor<16x8xf32, #c>
  return %1 : tensor<16x8xf32, #c>
}

// What passes write on operations of other dialects.
// CHECK-LABEL: func.func @attributes
// CHECK-SAME: tilegpu.num_warps = 4 : i32, tilegpu.shared = 512 : i32
func.func @attributes(%p: tensor<64x!tile.ptr<f32>>) attributes {tilegpu.num_warps = 4 : i32, tilegpu.shared = 512 : i32} {
  // CHECK: tile.load %{{.*}} {tilegpu.layout = #[[ROW]]}
  %0 = tile.load %p {tilegpu.layout = #row} : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  return
}

// A dimension without columns, an empty list, a column of zeros (copies).
// CHECK-LABEL: func.func private @copies
// CHECK-SAME: tensor<2xf32, #{{.*}}>
func.func private @copies(tensor<2xf32, #tilegpu.layout<[2], register = [], lane = [[1], [0], [0], [0], [0]], warp = [[0]]>>)

// CHECK-LABEL: func.func @asynchronous
// CHECK: %[[RING:.*]] = tilegpu.ring_alloc 3 : <128xf32, #shared{{[0-9]*}}>
// CHECK: tilegpu.async_copy %{{.*}}, %[[RING]][%{{.*}}] mask %{{.*}} {eviction = 1 : i32} : tensor<128x!tile.ptr<f32>, #layout{{[0-9]*}}>, <128xf32, #shared{{[0-9]*}}>
// CHECK: tilegpu.async_commit
// CHECK: tilegpu.async_wait 1
// CHECK: tilegpu.slot %[[RING]][%{{.*}}] : <128xf32, #shared{{[0-9]*}}>
#async_a = #tilegpu.layout<[128], register = [[1], [2]], lane = [[4], [8], [16], [32], [64]]>
#async_s = #tilegpu.layout<[128], offset = [[1], [2], [4], [8], [16], [32], [64]]>
func.func @asynchronous(%p: tensor<128x!tile.ptr<f32>, #async_a>, %m: tensor<128xi1, #async_a>, %i: i32) {
  %0 = tilegpu.ring_alloc 3 : !tilegpu.memdesc<128xf32, #async_s>
  tilegpu.async_copy %p, %0[%i] mask %m {eviction = 1 : i32} : tensor<128x!tile.ptr<f32>, #async_a>, !tilegpu.memdesc<128xf32, #async_s>
  tilegpu.async_commit
  tilegpu.async_wait 1
  %1 = tilegpu.slot %0[%i] : !tilegpu.memdesc<128xf32, #async_s>
  return
}

// Before layouts are chosen, buffers have none.
// CHECK-LABEL: func.func @kept
// CHECK: %[[RING:.*]] = tilegpu.ring_alloc 3 : <128xf32>
// CHECK: tilegpu.keep %{{.*}}, %[[RING]][%{{.*}}] : tensor<128xf32>, <128xf32>
// CHECK: tilegpu.recall %[[RING]][%{{.*}}] : <128xf32> -> tensor<128xf32>
func.func @kept(%x: tensor<128xf32>, %i: i32) -> tensor<128xf32> {
  %0 = tilegpu.ring_alloc 3 : !tilegpu.memdesc<128xf32>
  tilegpu.keep %x, %0[%i] : tensor<128xf32>, !tilegpu.memdesc<128xf32>
  %1 = tilegpu.recall %0[%i] : !tilegpu.memdesc<128xf32> -> tensor<128xf32>
  return %1 : tensor<128xf32>
}
