// RUN: tile-opt --pass-pipeline="builtin.module(func.func(tilegpu-allocate-shared,tilegpu-insert-barriers),convert-tilegpu-to-nvvm)" %s | FileCheck %s

// Conversions that stay in a warp, where shuffles cost less than shared memory.

#low = #tilegpu.layout<[64], register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = []>
#high = #tilegpu.layout<[64], register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []>
#reversed = #tilegpu.layout<[64], register = [[32]], lane = [[16], [8], [4], [2], [1]], warp = []>
#picked = #tilegpu.layout<[64], register = [[32]], lane = [[33], [2], [4], [8], [16]], warp = []>

module attributes {tilegpu.arch = "sm_90a"} {

// Each lane keeps one of its elements and gets the other, whichever that is for it.
// CHECK-LABEL: llvm.func @swapped
// CHECK-NOT: nvvm.barrier
// CHECK: llvm.select
// CHECK: nvvm.shfl.sync idx
// CHECK: llvm.select
// CHECK-NOT: llvm.store %{{.*}} !llvm.ptr<3>
// CHECK: llvm.return
func.func @swapped(%p: !tile.ptr<f32>, %o: !tile.ptr<f32>) attributes {tile.kernel, tilegpu.num_warps = 1 : i32} {
  %i = tile.arange 0, 64 : tensor<64xi32, #low>
  %j = tile.arange 0, 64 : tensor<64xi32, #high>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>, #low>
  %os = tile.splat %o : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>, #high>
  %pq = tile.addptr %ps, %i : tensor<64x!tile.ptr<f32>, #low>, tensor<64xi32, #low>
  %oq = tile.addptr %os, %j : tensor<64x!tile.ptr<f32>, #high>, tensor<64xi32, #high>
  %x = tile.load %pq : tensor<64x!tile.ptr<f32>, #low> -> tensor<64xf32, #low>
  %y = tilegpu.convert_layout %x : tensor<64xf32, #low> -> tensor<64xf32, #high>
  tile.store %oq, %y : tensor<64x!tile.ptr<f32>, #high>, tensor<64xf32, #high>
  return
}

// Two halves travel in one word.
// CHECK-LABEL: llvm.func @packed
// CHECK: llvm.insertelement
// CHECK: nvvm.shfl.sync idx
// CHECK-NOT: nvvm.shfl
// CHECK: llvm.return
func.func @packed(%p: !tile.ptr<f16>, %o: !tile.ptr<f16>) attributes {tile.kernel, tilegpu.num_warps = 1 : i32} {
  %i = tile.arange 0, 64 : tensor<64xi32, #low>
  %j = tile.arange 0, 64 : tensor<64xi32, #reversed>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>, #low>
  %os = tile.splat %o : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>, #reversed>
  %pq = tile.addptr %ps, %i : tensor<64x!tile.ptr<f16>, #low>, tensor<64xi32, #low>
  %oq = tile.addptr %os, %j : tensor<64x!tile.ptr<f16>, #reversed>, tensor<64xi32, #reversed>
  %x = tile.load %pq : tensor<64x!tile.ptr<f16>, #low> -> tensor<64xf16, #low>
  %y = tilegpu.convert_layout %x : tensor<64xf16, #low> -> tensor<64xf16, #reversed>
  tile.store %oq, %y : tensor<64x!tile.ptr<f16>, #reversed>, tensor<64xf16, #reversed>
  return
}

// Lanes pick one of their registers: no data moves.
// CHECK-LABEL: llvm.func @picked
// CHECK: %[[A:.*]] = llvm.load
// CHECK: %[[B:.*]] = llvm.load
// CHECK: %[[ODD:.*]] = llvm.icmp "ne"
// CHECK: llvm.select %[[ODD]]
// CHECK: llvm.select %[[ODD]]
// CHECK-NOT: nvvm.shfl
// CHECK: llvm.return
func.func @picked(%p: !tile.ptr<f32>, %o: !tile.ptr<f32>) attributes {tile.kernel, tilegpu.num_warps = 1 : i32} {
  %i = tile.arange 0, 64 : tensor<64xi32, #low>
  %j = tile.arange 0, 64 : tensor<64xi32, #picked>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>, #low>
  %os = tile.splat %o : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>, #picked>
  %pq = tile.addptr %ps, %i : tensor<64x!tile.ptr<f32>, #low>, tensor<64xi32, #low>
  %oq = tile.addptr %os, %j : tensor<64x!tile.ptr<f32>, #picked>, tensor<64xi32, #picked>
  %x = tile.load %pq : tensor<64x!tile.ptr<f32>, #low> -> tensor<64xf32, #low>
  %y = tilegpu.convert_layout %x : tensor<64xf32, #low> -> tensor<64xf32, #picked>
  tile.store %oq, %y : tensor<64x!tile.ptr<f32>, #picked>, tensor<64xf32, #picked>
  return
}
}
