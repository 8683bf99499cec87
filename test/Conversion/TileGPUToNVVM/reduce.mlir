// RUN: tile-opt --tilec-llvm-pipeline %s | FileCheck %s
// RUN: %if ptxas %{ tilec %s -o %t.ptx && ptxas -arch=sm_80 %t.ptx -o %t.cubin %}
// RUN: %if ptxas %{ tilec %s -o %t.ptx --arch sm_90a && ptxas -arch=sm_90a %t.ptx -o %t.cubin %}

// One warp that holds whole columns adds them in registers, as a tree.
// CHECK-LABEL: llvm.func @registers
// CHECK-NOT: nvvm.shfl
// CHECK: %[[A:.*]] = llvm.fadd %[[A0:.*]], %[[A1:.*]] : f32
// CHECK-NEXT: %[[B:.*]] = llvm.fadd
// CHECK-NEXT: llvm.fadd %[[A]], %[[B]] : f32
// CHECK-NOT: nvvm.shfl
// CHECK: llvm.return
func.func @registers(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r_ = tile.arange 0, 4 : tensor<4xi32>
  %c_ = tile.arange 0, 128 : tensor<128xi32>
  %r1_ = tile.expand_dims %r_, 1 : tensor<4xi32> -> tensor<4x1xi32>
  %c1_ = tile.expand_dims %c_, 0 : tensor<128xi32> -> tensor<1x128xi32>
  %k_ = arith.constant dense<128> : tensor<4x1xi32>
  %rk_ = arith.muli %r1_, %k_ : tensor<4x1xi32>
  %rb_ = tile.broadcast %rk_ : tensor<4x1xi32> -> tensor<4x128xi32>
  %cb_ = tile.broadcast %c1_ : tensor<1x128xi32> -> tensor<4x128xi32>
  %o_ = arith.addi %rb_, %cb_ : tensor<4x128xi32>
  %s_ = tile.splat %p : !tile.ptr<f32> -> tensor<4x128x!tile.ptr<f32>>
  %q = tile.addptr %s_, %o_ : tensor<4x128x!tile.ptr<f32>>, tensor<4x128xi32>
  %v = tile.load %q : tensor<4x128x!tile.ptr<f32>> -> tensor<4x128xf32>
  %sum = tile.reduce (%v) axis 0 : tensor<4x128xf32> -> tensor<128xf32> {
  ^bb0(%l: f32, %r: f32):
    %t = arith.addf %l, %r : f32
    tile.yield %t : f32
  }
  %xo = tile.arange 0, 128 : tensor<128xi32>
  %so = tile.splat %out : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %qo = tile.addptr %so, %xo : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  tile.store %qo, %sum : tensor<128x!tile.ptr<f32>>, tensor<128xf32>
  return
}

// A row in one warp: five butterflies, no shared memory.
// CHECK-LABEL: llvm.func @lanes
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK-NOT: nvvm.shfl
// CHECK-NOT: !llvm.ptr<3>
// CHECK: llvm.return
func.func @lanes(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %r_ = tile.arange 0, 4 : tensor<4xi32>
  %c_ = tile.arange 0, 32 : tensor<32xi32>
  %r1_ = tile.expand_dims %r_, 1 : tensor<4xi32> -> tensor<4x1xi32>
  %c1_ = tile.expand_dims %c_, 0 : tensor<32xi32> -> tensor<1x32xi32>
  %k_ = arith.constant dense<32> : tensor<4x1xi32>
  %rk_ = arith.muli %r1_, %k_ : tensor<4x1xi32>
  %rb_ = tile.broadcast %rk_ : tensor<4x1xi32> -> tensor<4x32xi32>
  %cb_ = tile.broadcast %c1_ : tensor<1x32xi32> -> tensor<4x32xi32>
  %o_ = arith.addi %rb_, %cb_ : tensor<4x32xi32>
  %s_ = tile.splat %p : !tile.ptr<f32> -> tensor<4x32x!tile.ptr<f32>>
  %q = tile.addptr %s_, %o_ : tensor<4x32x!tile.ptr<f32>>, tensor<4x32xi32>
  %v = tile.load %q : tensor<4x32x!tile.ptr<f32>> -> tensor<4x32xf32>
  %sum = tile.reduce (%v) axis 1 : tensor<4x32xf32> -> tensor<4xf32> {
  ^bb0(%l: f32, %r: f32):
    %t = arith.maxnumf %l, %r : f32
    tile.yield %t : f32
  }
  %xo = tile.arange 0, 4 : tensor<4xi32>
  %so = tile.splat %out : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %qo = tile.addptr %so, %xo : tensor<4x!tile.ptr<f32>>, tensor<4xi32>
  tile.store %qo, %sum : tensor<4x!tile.ptr<f32>>, tensor<4xf32>
  return
}

// Across warps: each leaves its sum in shared memory, and all add the four, which
// one access reads.
// CHECK-LABEL: llvm.func @warps
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK: %[[MINE:.*]] = llvm.fadd
// CHECK: llvm.store %[[MINE]], %{{.*}} : f32, !llvm.ptr<3>
// CHECK-NEXT: nvvm.barrier
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK-NOT: llvm.load
// CHECK-COUNT-3: llvm.fadd
// CHECK: "@$2 st.global.b32
func.func @warps(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %x = tile.arange 0, 128 : tensor<128xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %q = tile.addptr %s, %x : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %v = tile.load %q : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
  %sum = tile.reduce (%v) axis 0 : tensor<128xf32> -> f32 {
  ^bb0(%l: f32, %r: f32):
    %t = arith.addf %l, %r : f32
    tile.yield %t : f32
  }
  tile.store %p, %sum : !tile.ptr<f32>, f32
  return
}

// Several values are combined together.
// CHECK-LABEL: llvm.func @pairs
// CHECK: nvvm.shfl.sync bfly
// CHECK: nvvm.shfl.sync bfly
// CHECK: %[[C:.*]] = llvm.fcmp "ogt"
// CHECK: llvm.select %[[C]], %{{.*}}, %{{.*}} : i1, f32
// CHECK: llvm.select %[[C]], %{{.*}}, %{{.*}} : i1, i32
func.func @pairs(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %out: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %x = tile.arange 0, 32 : tensor<32xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %q = tile.addptr %s, %x : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %v = tile.load %q : tensor<32x!tile.ptr<f32>> -> tensor<32xf32>
  %m:2 = tile.reduce (%v, %x) axis 0 : tensor<32xf32>, tensor<32xi32> -> f32, i32 {
  ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
    %c = arith.cmpf ogt, %a, %b : f32
    %d = arith.select %c, %a, %b : f32
    %k = arith.select %c, %i, %j : i32
    tile.yield %d, %k : f32, i32
  }
  tile.store %p, %m#0 : !tile.ptr<f32>, f32
  tile.store %out, %m#1 : !tile.ptr<i32>, i32
  return
}

// With NaN a comparison tells left from right though the order of elements does
// not matter: of two lanes the lower one is the left operand in both, so that
// both get one result.
// CHECK-LABEL: llvm.func @greater
// CHECK: nvvm.shfl.sync bfly
// CHECK: %[[OTHER:.*]] = llvm.bitcast %{{.*}} : i32 to f32
// CHECK: %[[RIGHT:.*]] = llvm.icmp "ne"
// CHECK: %[[L:.*]] = llvm.select %[[RIGHT]], %[[OTHER]], %[[MINE:.*]] : i1, f32
// CHECK: %[[R:.*]] = llvm.select %[[RIGHT]], %[[MINE]], %[[OTHER]] : i1, f32
// CHECK: llvm.fcmp "ogt" %[[L]], %[[R]]
func.func @greater(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %x = tile.arange 0, 32 : tensor<32xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %q = tile.addptr %s, %x : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %v = tile.load %q : tensor<32x!tile.ptr<f32>> -> tensor<32xf32>
  %m = tile.reduce (%v) axis 0 commutative : tensor<32xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ogt, %a, %b : f32
    %d = arith.select %c, %a, %b : f32
    tile.yield %d : f32
  }
  tile.store %p, %m : !tile.ptr<f32>, f32
  return
}

// CHECK-LABEL: llvm.func @shuffle_f16
// CHECK: %[[B:.*]] = llvm.bitcast %{{.*}} : f16 to i16
// CHECK: %[[W:.*]] = llvm.zext %[[B]] : i16 to i32
// CHECK: %[[M:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[W]]
// CHECK: llvm.trunc %[[M]] : i32 to i16
func.func @shuffle_f16(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %x = tile.arange 0, 32 : tensor<32xi32>
  %s = tile.splat %p : !tile.ptr<f16> -> tensor<32x!tile.ptr<f16>>
  %q = tile.addptr %s, %x : tensor<32x!tile.ptr<f16>>, tensor<32xi32>
  %v = tile.load %q : tensor<32x!tile.ptr<f16>> -> tensor<32xf16>
  %sum = tile.reduce (%v) axis 0 : tensor<32xf16> -> f16 {
  ^bb0(%l: f16, %r: f16):
    %t = arith.addf %l, %r : f16
    tile.yield %t : f16
  }
  tile.store %p, %sum : !tile.ptr<f16>, f16
  return
}

// CHECK-LABEL: llvm.func @shuffle_f64
// CHECK: %[[B:.*]] = llvm.bitcast %{{.*}} : f64 to i64
// CHECK: llvm.trunc %[[B]] : i64 to i32
// CHECK: nvvm.shfl.sync bfly
// CHECK: nvvm.shfl.sync bfly
// CHECK: llvm.or %{{.*}} : i64
func.func @shuffle_f64(%p: !tile.ptr<f64> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %x = tile.arange 0, 32 : tensor<32xi32>
  %s = tile.splat %p : !tile.ptr<f64> -> tensor<32x!tile.ptr<f64>>
  %q = tile.addptr %s, %x : tensor<32x!tile.ptr<f64>>, tensor<32xi32>
  %v = tile.load %q : tensor<32x!tile.ptr<f64>> -> tensor<32xf64>
  %sum = tile.reduce (%v) axis 0 : tensor<32xf64> -> f64 {
  ^bb0(%l: f64, %r: f64):
    %t = arith.addf %l, %r : f64
    tile.yield %t : f64
  }
  tile.store %p, %sum : !tile.ptr<f64>, f64
  return
}

// Booleans are shuffled as words and kept as bytes.
// CHECK-LABEL: llvm.func @booleans
// CHECK: llvm.zext %{{.*}} : i1 to i32
// CHECK: nvvm.shfl.sync bfly
// CHECK: llvm.zext %{{.*}} : i1 to i8
// CHECK: llvm.store %{{.*}} : i8, !llvm.ptr<3>
// CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> i32
// CHECK: llvm.bitcast %{{.*}} : i32 to vector<4xi8>
// CHECK: llvm.trunc %{{.*}} : i8 to i1
func.func @booleans(%p: !tile.ptr<i8>, %n: i32) attributes {tile.kernel} {
  %x = tile.arange 0, 128 : tensor<128xi32>
  %s = tile.splat %p : !tile.ptr<i8> -> tensor<128x!tile.ptr<i8>>
  %q = tile.addptr %s, %x : tensor<128x!tile.ptr<i8>>, tensor<128xi32>
  %ns = tile.splat %n : i32 -> tensor<128xi32>
  %m = arith.cmpi slt, %x, %ns : tensor<128xi32>
  %w = tile.load %q : tensor<128x!tile.ptr<i8>> -> tensor<128xi8>
  %z = arith.constant dense<0> : tensor<128xi8>
  %c = arith.cmpi ne, %w, %z : tensor<128xi8>
  %sum = tile.reduce (%c) axis 0 : tensor<128xi1> -> i1 {
  ^bb0(%l: i1, %r: i1):
    %t = arith.ori %l, %r : i1
    tile.yield %t : i1
  }
  %e = arith.extui %sum : i1 to i8
  tile.store %p, %e : !tile.ptr<i8>, i8
  return
}
