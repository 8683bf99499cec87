// RUN: tile-opt --tilec-llvm-pipeline %s | FileCheck %s
// RUN: %if ptxas %{ tilec %s -o %t.ptx && ptxas -arch=sm_80 %t.ptx -o %t.cubin %}
// RUN: %if ptxas %{ tilec %s -o %t.ptx --arch sm_90a && ptxas -arch=sm_90a %t.ptx -o %t.cubin %}

// From rows to columns: written, waited for, read.
// CHECK-LABEL: llvm.func @shared
// CHECK: llvm.store %{{.*}} !llvm.ptr<3>
// CHECK: nvvm.barrier
// CHECK-NOT: llvm.store %{{.*}} !llvm.ptr<3>
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3>
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
func.func @shared(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %r_ = tile.arange 0, 64 : tensor<64xi32>
  %c_ = tile.arange 0, 64 : tensor<64xi32>
  %r1_ = tile.expand_dims %r_, 1 : tensor<64xi32> -> tensor<64x1xi32>
  %c1_ = tile.expand_dims %c_, 0 : tensor<64xi32> -> tensor<1x64xi32>
  %k_ = arith.constant dense<64> : tensor<64x1xi32>
  %rk_ = arith.muli %r1_, %k_ : tensor<64x1xi32>
  %rb_ = tile.broadcast %rk_ : tensor<64x1xi32> -> tensor<64x64xi32>
  %cb_ = tile.broadcast %c1_ : tensor<1x64xi32> -> tensor<64x64xi32>
  %o_ = arith.addi %rb_, %cb_ : tensor<64x64xi32>
  %s_ = tile.splat %p : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %q = tile.addptr %s_, %o_ : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %v = tile.load %q : tensor<64x64x!tile.ptr<f32>> -> tensor<64x64xf32>
  %t = tile.trans %v, [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
  %r_o = tile.arange 0, 64 : tensor<64xi32>
  %c_o = tile.arange 0, 64 : tensor<64xi32>
  %r1_o = tile.expand_dims %r_o, 1 : tensor<64xi32> -> tensor<64x1xi32>
  %c1_o = tile.expand_dims %c_o, 0 : tensor<64xi32> -> tensor<1x64xi32>
  %k_o = arith.constant dense<64> : tensor<64x1xi32>
  %rk_o = arith.muli %r1_o, %k_o : tensor<64x1xi32>
  %rb_o = tile.broadcast %rk_o : tensor<64x1xi32> -> tensor<64x64xi32>
  %cb_o = tile.broadcast %c1_o : tensor<1x64xi32> -> tensor<64x64xi32>
  %o_o = arith.addi %rb_o, %cb_o : tensor<64x64xi32>
  %s_o = tile.splat %out : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %qo = tile.addptr %s_o, %o_o : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %qo, %t : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xf32>
  return
}

// 16-bit elements too.
// CHECK-LABEL: llvm.func @matrices
// CHECK: nvvm.barrier
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
func.func @matrices(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %out: !tile.ptr<f16> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %r_ = tile.arange 0, 64 : tensor<64xi32>
  %c_ = tile.arange 0, 64 : tensor<64xi32>
  %r1_ = tile.expand_dims %r_, 1 : tensor<64xi32> -> tensor<64x1xi32>
  %c1_ = tile.expand_dims %c_, 0 : tensor<64xi32> -> tensor<1x64xi32>
  %k_ = arith.constant dense<64> : tensor<64x1xi32>
  %rk_ = arith.muli %r1_, %k_ : tensor<64x1xi32>
  %rb_ = tile.broadcast %rk_ : tensor<64x1xi32> -> tensor<64x64xi32>
  %cb_ = tile.broadcast %c1_ : tensor<1x64xi32> -> tensor<64x64xi32>
  %o_ = arith.addi %rb_, %cb_ : tensor<64x64xi32>
  %s_ = tile.splat %p : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %q = tile.addptr %s_, %o_ : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %v = tile.load %q : tensor<64x64x!tile.ptr<f16>> -> tensor<64x64xf16>
  %t = tile.trans %v, [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
  %r_o = tile.arange 0, 64 : tensor<64xi32>
  %c_o = tile.arange 0, 64 : tensor<64xi32>
  %r1_o = tile.expand_dims %r_o, 1 : tensor<64xi32> -> tensor<64x1xi32>
  %c1_o = tile.expand_dims %c_o, 0 : tensor<64xi32> -> tensor<1x64xi32>
  %k_o = arith.constant dense<64> : tensor<64x1xi32>
  %rk_o = arith.muli %r1_o, %k_o : tensor<64x1xi32>
  %rb_o = tile.broadcast %rk_o : tensor<64x1xi32> -> tensor<64x64xi32>
  %cb_o = tile.broadcast %c1_o : tensor<1x64xi32> -> tensor<64x64xi32>
  %o_o = arith.addi %rb_o, %cb_o : tensor<64x64xi32>
  %s_o = tile.splat %out : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %qo = tile.addptr %s_o, %o_o : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  tile.store %qo, %t : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xf16>
  return
}

// Fewer elements than threads: each has one, and several have the same. The transposed
// tile is had without a word passed, and one of those that have an element stores it.
// CHECK-LABEL: llvm.func @copies
// CHECK: %[[COPIES:.*]] = llvm.mlir.constant(112 : i32)
// CHECK-NOT: {{nvvm.barrier|nvvm.shfl|llvm.ptr<3>}}
// CHECK: %[[X:.*]] = llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// CHECK-NEXT: llvm.bitcast %[[X]] : i32 to f32
// CHECK-NOT: {{nvvm.barrier|nvvm.shfl|llvm.ptr<3>}}
// CHECK: %[[NUMBER:.*]] = llvm.and %{{.*}}, %[[COPIES]]
// CHECK: %[[OWNER:.*]] = llvm.icmp "eq" %[[NUMBER]]
// CHECK: "@$2 st.global.b32 [$1], $0;", "r,l,b" %{{.*}}, %{{.*}}, %[[OWNER]]
// CHECK-NEXT: llvm.return
func.func @copies(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %r_ = tile.arange 0, 4 : tensor<4xi32>
  %c_ = tile.arange 0, 4 : tensor<4xi32>
  %r1_ = tile.expand_dims %r_, 1 : tensor<4xi32> -> tensor<4x1xi32>
  %c1_ = tile.expand_dims %c_, 0 : tensor<4xi32> -> tensor<1x4xi32>
  %k_ = arith.constant dense<4> : tensor<4x1xi32>
  %rk_ = arith.muli %r1_, %k_ : tensor<4x1xi32>
  %rb_ = tile.broadcast %rk_ : tensor<4x1xi32> -> tensor<4x4xi32>
  %cb_ = tile.broadcast %c1_ : tensor<1x4xi32> -> tensor<4x4xi32>
  %o_ = arith.addi %rb_, %cb_ : tensor<4x4xi32>
  %s_ = tile.splat %p : !tile.ptr<f32> -> tensor<4x4x!tile.ptr<f32>>
  %q = tile.addptr %s_, %o_ : tensor<4x4x!tile.ptr<f32>>, tensor<4x4xi32>
  %v = tile.load %q : tensor<4x4x!tile.ptr<f32>> -> tensor<4x4xf32>
  %t = tile.trans %v, [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  %e = math.exp %t : tensor<4x4xf32>
  %r_o = tile.arange 0, 4 : tensor<4xi32>
  %c_o = tile.arange 0, 4 : tensor<4xi32>
  %r1_o = tile.expand_dims %r_o, 1 : tensor<4xi32> -> tensor<4x1xi32>
  %c1_o = tile.expand_dims %c_o, 0 : tensor<4xi32> -> tensor<1x4xi32>
  %k_o = arith.constant dense<4> : tensor<4x1xi32>
  %rk_o = arith.muli %r1_o, %k_o : tensor<4x1xi32>
  %rb_o = tile.broadcast %rk_o : tensor<4x1xi32> -> tensor<4x4xi32>
  %cb_o = tile.broadcast %c1_o : tensor<1x4xi32> -> tensor<4x4xi32>
  %o_o = arith.addi %rb_o, %cb_o : tensor<4x4xi32>
  %s_o = tile.splat %out : !tile.ptr<f32> -> tensor<4x4x!tile.ptr<f32>>
  %qo = tile.addptr %s_o, %o_o : tensor<4x4x!tile.ptr<f32>>, tensor<4x4xi32>
  tile.store %qo, %e : tensor<4x4x!tile.ptr<f32>>, tensor<4x4xf32>
  return
}

// Booleans are bytes in shared memory, or travel as the bytes they become.
// CHECK-LABEL: llvm.func @booleans
// CHECK-COUNT-8: llvm.zext %{{.*}} : i1 to i8
// CHECK-COUNT-8: llvm.store %{{.*}} {alignment = 1 : i64} : i8, !llvm.ptr<3>
// CHECK-NOT: !llvm.ptr<3>
// CHECK: nvvm.barrier
// CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xi32>
// CHECK-NOT: !llvm.ptr<3>
// CHECK: llvm.store %{{.*}} {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<1>
// CHECK-NEXT: llvm.return
func.func @booleans(%p: !tile.ptr<i8> {tile.divisibility = 16 : i32}, %out: !tile.ptr<i8> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %r_ = tile.arange 0, 32 : tensor<32xi32>
  %c_ = tile.arange 0, 32 : tensor<32xi32>
  %r1_ = tile.expand_dims %r_, 1 : tensor<32xi32> -> tensor<32x1xi32>
  %c1_ = tile.expand_dims %c_, 0 : tensor<32xi32> -> tensor<1x32xi32>
  %k_ = arith.constant dense<32> : tensor<32x1xi32>
  %rk_ = arith.muli %r1_, %k_ : tensor<32x1xi32>
  %rb_ = tile.broadcast %rk_ : tensor<32x1xi32> -> tensor<32x32xi32>
  %cb_ = tile.broadcast %c1_ : tensor<1x32xi32> -> tensor<32x32xi32>
  %o_ = arith.addi %rb_, %cb_ : tensor<32x32xi32>
  %s_ = tile.splat %p : !tile.ptr<i8> -> tensor<32x32x!tile.ptr<i8>>
  %q = tile.addptr %s_, %o_ : tensor<32x32x!tile.ptr<i8>>, tensor<32x32xi32>
  %v = tile.load %q : tensor<32x32x!tile.ptr<i8>> -> tensor<32x32xi8>
  %z = arith.constant dense<0> : tensor<32x32xi8>
  %b = arith.cmpi ne, %v, %z : tensor<32x32xi8>
  %t = tile.trans %b, [1, 0] : tensor<32x32xi1> -> tensor<32x32xi1>
  %e = arith.extui %t : tensor<32x32xi1> to tensor<32x32xi8>
  %r_o = tile.arange 0, 32 : tensor<32xi32>
  %c_o = tile.arange 0, 32 : tensor<32xi32>
  %r1_o = tile.expand_dims %r_o, 1 : tensor<32xi32> -> tensor<32x1xi32>
  %c1_o = tile.expand_dims %c_o, 0 : tensor<32xi32> -> tensor<1x32xi32>
  %k_o = arith.constant dense<32> : tensor<32x1xi32>
  %rk_o = arith.muli %r1_o, %k_o : tensor<32x1xi32>
  %rb_o = tile.broadcast %rk_o : tensor<32x1xi32> -> tensor<32x32xi32>
  %cb_o = tile.broadcast %c1_o : tensor<1x32xi32> -> tensor<32x32xi32>
  %o_o = arith.addi %rb_o, %cb_o : tensor<32x32xi32>
  %s_o = tile.splat %out : !tile.ptr<i8> -> tensor<32x32x!tile.ptr<i8>>
  %qo = tile.addptr %s_o, %o_o : tensor<32x32x!tile.ptr<i8>>, tensor<32x32xi32>
  tile.store %qo, %e : tensor<32x32x!tile.ptr<i8>>, tensor<32x32xi8>
  return
}
