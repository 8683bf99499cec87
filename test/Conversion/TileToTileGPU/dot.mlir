// RUN: tile-opt --pass-pipeline="builtin.module(tilegpu-set-target,func.func(tilegpu-coalesce,tilegpu-tile-dot,convert-tile-to-tilegpu,cse))" %s | FileCheck %s

// A transposed operand is put into shared memory as it came and read transposed.
// CHECK-LABEL: func.func @transposed
// CHECK: %[[X:.*]] = tile.load {{.*}} -> tensor<64x32xf16, #[[L:.*]]>
// CHECK: %[[T:.*]] = tile.trans %{{.*}}, [1, 0] : tensor<64x32xf16, #[[L]]> -> tensor<32x64xf16
// CHECK-NOT: convert_layout
// CHECK: %[[B:.*]] = tilegpu.local_alloc %[[T]]
// CHECK: tilegpu.dot %{{.*}}, %[[B]], %{{.*}} : !tilegpu.memdesc<64x32xf16, {{.*}}>, !tilegpu.memdesc<32x64xf16
func.func @transposed(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %r_a = tile.arange 0, 64 : tensor<64xi32>
  %c_a = tile.arange 0, 32 : tensor<32xi32>
  %r1_a = tile.expand_dims %r_a, 1 : tensor<64xi32> -> tensor<64x1xi32>
  %c1_a = tile.expand_dims %c_a, 0 : tensor<32xi32> -> tensor<1x32xi32>
  %k_a = arith.constant dense<32> : tensor<64x1xi32>
  %rk_a = arith.muli %r1_a, %k_a : tensor<64x1xi32>
  %rb_a = tile.broadcast %rk_a : tensor<64x1xi32> -> tensor<64x32xi32>
  %cb_a = tile.broadcast %c1_a : tensor<1x32xi32> -> tensor<64x32xi32>
  %o_a = arith.addi %rb_a, %cb_a : tensor<64x32xi32>
  %s_a = tile.splat %a : !tile.ptr<f16> -> tensor<64x32x!tile.ptr<f16>>
  %qa = tile.addptr %s_a, %o_a : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
  %va = tile.load %qa : tensor<64x32x!tile.ptr<f16>> -> tensor<64x32xf16>
  %r_b = tile.arange 0, 64 : tensor<64xi32>
  %c_b = tile.arange 0, 32 : tensor<32xi32>
  %r1_b = tile.expand_dims %r_b, 1 : tensor<64xi32> -> tensor<64x1xi32>
  %c1_b = tile.expand_dims %c_b, 0 : tensor<32xi32> -> tensor<1x32xi32>
  %k_b = arith.constant dense<32> : tensor<64x1xi32>
  %rk_b = arith.muli %r1_b, %k_b : tensor<64x1xi32>
  %rb_b = tile.broadcast %rk_b : tensor<64x1xi32> -> tensor<64x32xi32>
  %cb_b = tile.broadcast %c1_b : tensor<1x32xi32> -> tensor<64x32xi32>
  %o_b = arith.addi %rb_b, %cb_b : tensor<64x32xi32>
  %s_b = tile.splat %b : !tile.ptr<f16> -> tensor<64x32x!tile.ptr<f16>>
  %qb = tile.addptr %s_b, %o_b : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
  %vb = tile.load %qb : tensor<64x32x!tile.ptr<f16>> -> tensor<64x32xf16>
  %t = tile.trans %vb, [1, 0] : tensor<64x32xf16> -> tensor<32x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %va, %t, %zero : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
  %r_c = tile.arange 0, 64 : tensor<64xi32>
  %c_c = tile.arange 0, 64 : tensor<64xi32>
  %r1_c = tile.expand_dims %r_c, 1 : tensor<64xi32> -> tensor<64x1xi32>
  %c1_c = tile.expand_dims %c_c, 0 : tensor<64xi32> -> tensor<1x64xi32>
  %k_c = arith.constant dense<64> : tensor<64x1xi32>
  %rk_c = arith.muli %r1_c, %k_c : tensor<64x1xi32>
  %rb_c = tile.broadcast %rk_c : tensor<64x1xi32> -> tensor<64x64xi32>
  %cb_c = tile.broadcast %c1_c : tensor<1x64xi32> -> tensor<64x64xi32>
  %o_c = arith.addi %rb_c, %cb_c : tensor<64x64xi32>
  %s_c = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %qc = tile.addptr %s_c, %o_c : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %qc, %d : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xf32>
  return
}

// The left operand of the second of two chained products never leaves its registers.
// CHECK-LABEL: func.func @chained
// CHECK: %[[S:.*]] = tilegpu.dot
// CHECK: %[[E:.*]] = math.exp2 %[[S]]
// CHECK: %[[P:.*]] = arith.truncf %[[E]] : tensor<64x64xf32, #[[ACC:.*]]> to tensor<64x64xf16, #[[ACC]]>
// CHECK: tilegpu.dot %[[P]], %{{.*}}, %{{.*}} {{.*}}warps = [4, 1]{{.*}} : tensor<64x64xf16, #[[ACC]]>, !tilegpu.memdesc<64x32xf16
func.func @chained(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %v: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %r_a = tile.arange 0, 64 : tensor<64xi32>
  %c_a = tile.arange 0, 32 : tensor<32xi32>
  %r1_a = tile.expand_dims %r_a, 1 : tensor<64xi32> -> tensor<64x1xi32>
  %c1_a = tile.expand_dims %c_a, 0 : tensor<32xi32> -> tensor<1x32xi32>
  %k_a = arith.constant dense<32> : tensor<64x1xi32>
  %rk_a = arith.muli %r1_a, %k_a : tensor<64x1xi32>
  %rb_a = tile.broadcast %rk_a : tensor<64x1xi32> -> tensor<64x32xi32>
  %cb_a = tile.broadcast %c1_a : tensor<1x32xi32> -> tensor<64x32xi32>
  %o_a = arith.addi %rb_a, %cb_a : tensor<64x32xi32>
  %s_a = tile.splat %a : !tile.ptr<f16> -> tensor<64x32x!tile.ptr<f16>>
  %qa = tile.addptr %s_a, %o_a : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
  %va = tile.load %qa : tensor<64x32x!tile.ptr<f16>> -> tensor<64x32xf16>
  %r_b = tile.arange 0, 32 : tensor<32xi32>
  %c_b = tile.arange 0, 64 : tensor<64xi32>
  %r1_b = tile.expand_dims %r_b, 1 : tensor<32xi32> -> tensor<32x1xi32>
  %c1_b = tile.expand_dims %c_b, 0 : tensor<64xi32> -> tensor<1x64xi32>
  %k_b = arith.constant dense<64> : tensor<32x1xi32>
  %rk_b = arith.muli %r1_b, %k_b : tensor<32x1xi32>
  %rb_b = tile.broadcast %rk_b : tensor<32x1xi32> -> tensor<32x64xi32>
  %cb_b = tile.broadcast %c1_b : tensor<1x64xi32> -> tensor<32x64xi32>
  %o_b = arith.addi %rb_b, %cb_b : tensor<32x64xi32>
  %s_b = tile.splat %b : !tile.ptr<f16> -> tensor<32x64x!tile.ptr<f16>>
  %qb = tile.addptr %s_b, %o_b : tensor<32x64x!tile.ptr<f16>>, tensor<32x64xi32>
  %vb = tile.load %qb : tensor<32x64x!tile.ptr<f16>> -> tensor<32x64xf16>
  %r_v = tile.arange 0, 64 : tensor<64xi32>
  %c_v = tile.arange 0, 32 : tensor<32xi32>
  %r1_v = tile.expand_dims %r_v, 1 : tensor<64xi32> -> tensor<64x1xi32>
  %c1_v = tile.expand_dims %c_v, 0 : tensor<32xi32> -> tensor<1x32xi32>
  %k_v = arith.constant dense<32> : tensor<64x1xi32>
  %rk_v = arith.muli %r1_v, %k_v : tensor<64x1xi32>
  %rb_v = tile.broadcast %rk_v : tensor<64x1xi32> -> tensor<64x32xi32>
  %cb_v = tile.broadcast %c1_v : tensor<1x32xi32> -> tensor<64x32xi32>
  %o_v = arith.addi %rb_v, %cb_v : tensor<64x32xi32>
  %s_v = tile.splat %v : !tile.ptr<f16> -> tensor<64x32x!tile.ptr<f16>>
  %qv = tile.addptr %s_v, %o_v : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
  %vv = tile.load %qv : tensor<64x32x!tile.ptr<f16>> -> tensor<64x32xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = tile.dot %va, %vb, %zero : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
  %e = math.exp2 %s : tensor<64x64xf32>
  %p = arith.truncf %e : tensor<64x64xf32> to tensor<64x64xf16>
  %none = arith.constant dense<0.0> : tensor<64x32xf32>
  %o = tile.dot %p, %vv, %none : tensor<64x64xf16>, tensor<64x32xf16> -> tensor<64x32xf32>
  %r_c = tile.arange 0, 64 : tensor<64xi32>
  %c_c = tile.arange 0, 32 : tensor<32xi32>
  %r1_c = tile.expand_dims %r_c, 1 : tensor<64xi32> -> tensor<64x1xi32>
  %c1_c = tile.expand_dims %c_c, 0 : tensor<32xi32> -> tensor<1x32xi32>
  %k_c = arith.constant dense<32> : tensor<64x1xi32>
  %rk_c = arith.muli %r1_c, %k_c : tensor<64x1xi32>
  %rb_c = tile.broadcast %rk_c : tensor<64x1xi32> -> tensor<64x32xi32>
  %cb_c = tile.broadcast %c1_c : tensor<1x32xi32> -> tensor<64x32xi32>
  %o_c = arith.addi %rb_c, %cb_c : tensor<64x32xi32>
  %s_c = tile.splat %c : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>>
  %qc = tile.addptr %s_c, %o_c : tensor<64x32x!tile.ptr<f32>>, tensor<64x32xi32>
  tile.store %qc, %o : tensor<64x32x!tile.ptr<f32>>, tensor<64x32xf32>
  return
}

// Tensor cores read 8-bit operands from shared memory.
// CHECK-LABEL: func.func @i8
// CHECK: %[[A:.*]] = tilegpu.local_alloc
// CHECK: %[[B:.*]] = tilegpu.local_alloc
// CHECK: tilegpu.dot %[[A]], %[[B]], %{{.*}} {{.*}}<mma, {{.*}} : !tilegpu.memdesc<16x32xi8, {{.*}}>, !tilegpu.memdesc<32x16xi8, {{.*}}> -> tensor<16x16xi32
func.func @i8(%a: !tile.ptr<i8> {tile.divisibility = 16 : i32}, %b: !tile.ptr<i8> {tile.divisibility = 16 : i32}, %c: !tile.ptr<i32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %r_a = tile.arange 0, 16 : tensor<16xi32>
  %c_a = tile.arange 0, 32 : tensor<32xi32>
  %r1_a = tile.expand_dims %r_a, 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c1_a = tile.expand_dims %c_a, 0 : tensor<32xi32> -> tensor<1x32xi32>
  %k_a = arith.constant dense<32> : tensor<16x1xi32>
  %rk_a = arith.muli %r1_a, %k_a : tensor<16x1xi32>
  %rb_a = tile.broadcast %rk_a : tensor<16x1xi32> -> tensor<16x32xi32>
  %cb_a = tile.broadcast %c1_a : tensor<1x32xi32> -> tensor<16x32xi32>
  %o_a = arith.addi %rb_a, %cb_a : tensor<16x32xi32>
  %s_a = tile.splat %a : !tile.ptr<i8> -> tensor<16x32x!tile.ptr<i8>>
  %qa = tile.addptr %s_a, %o_a : tensor<16x32x!tile.ptr<i8>>, tensor<16x32xi32>
  %va = tile.load %qa : tensor<16x32x!tile.ptr<i8>> -> tensor<16x32xi8>
  %r_b = tile.arange 0, 32 : tensor<32xi32>
  %c_b = tile.arange 0, 16 : tensor<16xi32>
  %r1_b = tile.expand_dims %r_b, 1 : tensor<32xi32> -> tensor<32x1xi32>
  %c1_b = tile.expand_dims %c_b, 0 : tensor<16xi32> -> tensor<1x16xi32>
  %k_b = arith.constant dense<16> : tensor<32x1xi32>
  %rk_b = arith.muli %r1_b, %k_b : tensor<32x1xi32>
  %rb_b = tile.broadcast %rk_b : tensor<32x1xi32> -> tensor<32x16xi32>
  %cb_b = tile.broadcast %c1_b : tensor<1x16xi32> -> tensor<32x16xi32>
  %o_b = arith.addi %rb_b, %cb_b : tensor<32x16xi32>
  %s_b = tile.splat %b : !tile.ptr<i8> -> tensor<32x16x!tile.ptr<i8>>
  %qb = tile.addptr %s_b, %o_b : tensor<32x16x!tile.ptr<i8>>, tensor<32x16xi32>
  %vb = tile.load %qb : tensor<32x16x!tile.ptr<i8>> -> tensor<32x16xi8>
  %r_c = tile.arange 0, 16 : tensor<16xi32>
  %c_c = tile.arange 0, 16 : tensor<16xi32>
  %r1_c = tile.expand_dims %r_c, 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c1_c = tile.expand_dims %c_c, 0 : tensor<16xi32> -> tensor<1x16xi32>
  %k_c = arith.constant dense<16> : tensor<16x1xi32>
  %rk_c = arith.muli %r1_c, %k_c : tensor<16x1xi32>
  %rb_c = tile.broadcast %rk_c : tensor<16x1xi32> -> tensor<16x16xi32>
  %cb_c = tile.broadcast %c1_c : tensor<1x16xi32> -> tensor<16x16xi32>
  %o_c = arith.addi %rb_c, %cb_c : tensor<16x16xi32>
  %s_c = tile.splat %c : !tile.ptr<i32> -> tensor<16x16x!tile.ptr<i32>>
  %qc = tile.addptr %s_c, %o_c : tensor<16x16x!tile.ptr<i32>>, tensor<16x16xi32>
  %vc = tile.load %qc : tensor<16x16x!tile.ptr<i32>> -> tensor<16x16xi32>
  %d = tile.dot %va, %vb, %vc : tensor<16x32xi8>, tensor<32x16xi8> -> tensor<16x16xi32>
  tile.store %qc, %d : tensor<16x16x!tile.ptr<i32>>, tensor<16x16xi32>
  return
}

// A K that no instruction of tensor cores has: threads multiply, and read both operands
// from shared memory.
// CHECK-LABEL: func.func @fma
// CHECK: %[[A:.*]] = tilegpu.local_alloc
// CHECK: %[[B:.*]] = tilegpu.local_alloc
// CHECK: tilegpu.dot %[[A]], %[[B]], %{{.*}} {{.*}}<fma, {{.*}} : !tilegpu.memdesc<16x8xf16, {{.*}}>, !tilegpu.memdesc<8x16xf16, {{.*}}> -> tensor<16x16xf32
func.func @fma(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %r_a = tile.arange 0, 16 : tensor<16xi32>
  %c_a = tile.arange 0, 8 : tensor<8xi32>
  %r1_a = tile.expand_dims %r_a, 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c1_a = tile.expand_dims %c_a, 0 : tensor<8xi32> -> tensor<1x8xi32>
  %k_a = arith.constant dense<8> : tensor<16x1xi32>
  %rk_a = arith.muli %r1_a, %k_a : tensor<16x1xi32>
  %rb_a = tile.broadcast %rk_a : tensor<16x1xi32> -> tensor<16x8xi32>
  %cb_a = tile.broadcast %c1_a : tensor<1x8xi32> -> tensor<16x8xi32>
  %o_a = arith.addi %rb_a, %cb_a : tensor<16x8xi32>
  %s_a = tile.splat %a : !tile.ptr<f16> -> tensor<16x8x!tile.ptr<f16>>
  %qa = tile.addptr %s_a, %o_a : tensor<16x8x!tile.ptr<f16>>, tensor<16x8xi32>
  %va = tile.load %qa : tensor<16x8x!tile.ptr<f16>> -> tensor<16x8xf16>
  %r_b = tile.arange 0, 8 : tensor<8xi32>
  %c_b = tile.arange 0, 16 : tensor<16xi32>
  %r1_b = tile.expand_dims %r_b, 1 : tensor<8xi32> -> tensor<8x1xi32>
  %c1_b = tile.expand_dims %c_b, 0 : tensor<16xi32> -> tensor<1x16xi32>
  %k_b = arith.constant dense<16> : tensor<8x1xi32>
  %rk_b = arith.muli %r1_b, %k_b : tensor<8x1xi32>
  %rb_b = tile.broadcast %rk_b : tensor<8x1xi32> -> tensor<8x16xi32>
  %cb_b = tile.broadcast %c1_b : tensor<1x16xi32> -> tensor<8x16xi32>
  %o_b = arith.addi %rb_b, %cb_b : tensor<8x16xi32>
  %s_b = tile.splat %b : !tile.ptr<f16> -> tensor<8x16x!tile.ptr<f16>>
  %qb = tile.addptr %s_b, %o_b : tensor<8x16x!tile.ptr<f16>>, tensor<8x16xi32>
  %vb = tile.load %qb : tensor<8x16x!tile.ptr<f16>> -> tensor<8x16xf16>
  %r_c = tile.arange 0, 16 : tensor<16xi32>
  %c_c = tile.arange 0, 16 : tensor<16xi32>
  %r1_c = tile.expand_dims %r_c, 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c1_c = tile.expand_dims %c_c, 0 : tensor<16xi32> -> tensor<1x16xi32>
  %k_c = arith.constant dense<16> : tensor<16x1xi32>
  %rk_c = arith.muli %r1_c, %k_c : tensor<16x1xi32>
  %rb_c = tile.broadcast %rk_c : tensor<16x1xi32> -> tensor<16x16xi32>
  %cb_c = tile.broadcast %c1_c : tensor<1x16xi32> -> tensor<16x16xi32>
  %o_c = arith.addi %rb_c, %cb_c : tensor<16x16xi32>
  %s_c = tile.splat %c : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  %qc = tile.addptr %s_c, %o_c : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  %vc = tile.load %qc : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
  %d = tile.dot %va, %vb, %vc : tensor<16x8xf16>, tensor<8x16xf16> -> tensor<16x16xf32>
  tile.store %qc, %d : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
  return
}
