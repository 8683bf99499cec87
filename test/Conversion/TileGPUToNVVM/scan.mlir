// RUN: tile-opt --tilec-llvm-pipeline %s | FileCheck %s
// RUN: %if ptxas %{ tilec %s -o %t.ptx && ptxas -arch=sm_80 %t.ptx -o %t.cubin %}
// RUN: %if ptxas %{ tilec %s -o %t.ptx --arch sm_90a && ptxas -arch=sm_90a %t.ptx -o %t.cubin %}

// In a warp: the thread's own run, then log2(32) steps over the lanes' totals, then
// what comes before the thread is put in front of its run.
// CHECK-LABEL: llvm.func @one_warp
// CHECK: %[[TOTAL:.*]] = llvm.fadd %[[X0:.*]], %[[X1:.*]] : f32
// CHECK-COUNT-6: nvvm.shfl.sync up
// CHECK-NOT: nvvm.shfl
// CHECK-NOT: nvvm.barrier
// CHECK: llvm.return
func.func @one_warp(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %x = tile.arange 0, 64 : tensor<64xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %q = tile.addptr %s, %x : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %q : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  %sum = tile.scan (%v) axis 0 : tensor<64xf32> -> tensor<64xf32> {
  ^bb0(%l: f32, %r: f32):
    %t = arith.addf %l, %r : f32
    tile.yield %t : f32
  }
  tile.store %q, %sum : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}

// CHECK-LABEL: llvm.func @reverse
// CHECK-COUNT-6: nvvm.shfl.sync down
// CHECK: llvm.return
func.func @reverse(%p: !tile.ptr<i32> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %x = tile.arange 0, 64 : tensor<64xi32>
  %s = tile.splat %p : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %q = tile.addptr %s, %x : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %v = tile.load %q : tensor<64x!tile.ptr<i32>> -> tensor<64xi32>
  %sum = tile.scan (%v) axis 0 reverse : tensor<64xi32> -> tensor<64xi32> {
  ^bb0(%l: i32, %r: i32):
    %t = arith.addi %l, %r : i32
    tile.yield %t : i32
  }
  tile.store %q, %sum : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  return
}

// Across warps: the last lane leaves the warp's total, and each warp adds those of
// the warps before it.
// CHECK-LABEL: llvm.func @warps
// CHECK-COUNT-6: nvvm.shfl.sync up
// CHECK: %[[LAST:.*]] = llvm.icmp "eq"
// CHECK: "@$2 st.shared.b32 [$1], $0;", "r,r,b" %{{.*}}, %{{.*}}, %[[LAST]]
// CHECK: nvvm.barrier
// CHECK-COUNT-3: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
// CHECK-NOT: llvm.load %{{.*}} : !llvm.ptr<3>
// CHECK: llvm.return
func.func @warps(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %x = tile.arange 0, 128 : tensor<128xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %q = tile.addptr %s, %x : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %v = tile.load %q : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
  %sum = tile.scan (%v) axis 0 : tensor<128xf32> -> tensor<128xf32> {
  ^bb0(%l: f32, %r: f32):
    %t = arith.addf %l, %r : f32
    tile.yield %t : f32
  }
  tile.store %q, %sum : tensor<128x!tile.ptr<f32>>, tensor<128xf32>
  return
}
