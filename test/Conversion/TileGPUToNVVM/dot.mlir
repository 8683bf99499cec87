// RUN: tile-opt --tilec-llvm-pipeline %s | FileCheck %s
// RUN: %if ptxas %{ tilec %s -o %t.ptx && ptxas -arch=sm_80 %t.ptx -o %t.cubin %}
// RUN: %if ptxas %{ tilec %s -o %t.ptx --arch sm_90a && ptxas -arch=sm_90a %t.ptx -o %t.cubin %}

// Operands go to shared memory by vectors and come back as matrices; the right one,
// whose rows are along n, transposed. A warp has 32 x 32 of the product: 2 x 4
// instructions for each 16 of k.
// CHECK-LABEL: llvm.func @f16
// CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// CHECK: nvvm.barrier
// CHECK-DAG: nvvm.ldmatrix %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<col>, num = 4 : i32
// CHECK-DAG: nvvm.ldmatrix %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 4 : i32
// CHECK-COUNT-16: nvvm.mma.sync {{.*}}#nvvm.shape<m = 16, n = 8, k = 16>
// CHECK-NOT: nvvm.mma.sync
// CHECK: llvm.return
func.func @f16(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
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
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %va, %vb, %zero : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
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

// A right operand whose rows are along k comes back as it is.
// CHECK-LABEL: llvm.func @transposed
// CHECK-NOT: layout = #nvvm.mma_layout<col>, num
// CHECK: nvvm.ldmatrix %{{.*}} layout = #nvvm.mma_layout<row>
// CHECK: nvvm.mma.sync
// CHECK: llvm.return
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
  %bt = tile.trans %vb, [1, 0] : tensor<64x32xf16> -> tensor<32x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %va, %bt, %zero : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
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

// CHECK-LABEL: llvm.func @bf16
// CHECK-COUNT-2: nvvm.mma.sync {{.*}}#nvvm.mma_type<bf16>{{.*}}#nvvm.shape<m = 16, n = 8, k = 16>
// CHECK-NOT: nvvm.mma.sync
// CHECK: llvm.return
func.func @bf16(%a: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r_a = tile.arange 0, 16 : tensor<16xi32>
  %c_a = tile.arange 0, 32 : tensor<32xi32>
  %r1_a = tile.expand_dims %r_a, 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c1_a = tile.expand_dims %c_a, 0 : tensor<32xi32> -> tensor<1x32xi32>
  %k_a = arith.constant dense<32> : tensor<16x1xi32>
  %rk_a = arith.muli %r1_a, %k_a : tensor<16x1xi32>
  %rb_a = tile.broadcast %rk_a : tensor<16x1xi32> -> tensor<16x32xi32>
  %cb_a = tile.broadcast %c1_a : tensor<1x32xi32> -> tensor<16x32xi32>
  %o_a = arith.addi %rb_a, %cb_a : tensor<16x32xi32>
  %s_a = tile.splat %a : !tile.ptr<bf16> -> tensor<16x32x!tile.ptr<bf16>>
  %qa = tile.addptr %s_a, %o_a : tensor<16x32x!tile.ptr<bf16>>, tensor<16x32xi32>
  %va = tile.load %qa : tensor<16x32x!tile.ptr<bf16>> -> tensor<16x32xbf16>
  %r_b = tile.arange 0, 32 : tensor<32xi32>
  %c_b = tile.arange 0, 8 : tensor<8xi32>
  %r1_b = tile.expand_dims %r_b, 1 : tensor<32xi32> -> tensor<32x1xi32>
  %c1_b = tile.expand_dims %c_b, 0 : tensor<8xi32> -> tensor<1x8xi32>
  %k_b = arith.constant dense<8> : tensor<32x1xi32>
  %rk_b = arith.muli %r1_b, %k_b : tensor<32x1xi32>
  %rb_b = tile.broadcast %rk_b : tensor<32x1xi32> -> tensor<32x8xi32>
  %cb_b = tile.broadcast %c1_b : tensor<1x8xi32> -> tensor<32x8xi32>
  %o_b = arith.addi %rb_b, %cb_b : tensor<32x8xi32>
  %s_b = tile.splat %b : !tile.ptr<bf16> -> tensor<32x8x!tile.ptr<bf16>>
  %qb = tile.addptr %s_b, %o_b : tensor<32x8x!tile.ptr<bf16>>, tensor<32x8xi32>
  %vb = tile.load %qb : tensor<32x8x!tile.ptr<bf16>> -> tensor<32x8xbf16>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %d = tile.dot %va, %vb, %zero : tensor<16x32xbf16>, tensor<32x8xbf16> -> tensor<16x8xf32>
  %r_c = tile.arange 0, 16 : tensor<16xi32>
  %c_c = tile.arange 0, 8 : tensor<8xi32>
  %r1_c = tile.expand_dims %r_c, 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c1_c = tile.expand_dims %c_c, 0 : tensor<8xi32> -> tensor<1x8xi32>
  %k_c = arith.constant dense<8> : tensor<16x1xi32>
  %rk_c = arith.muli %r1_c, %k_c : tensor<16x1xi32>
  %rb_c = tile.broadcast %rk_c : tensor<16x1xi32> -> tensor<16x8xi32>
  %cb_c = tile.broadcast %c1_c : tensor<1x8xi32> -> tensor<16x8xi32>
  %o_c = arith.addi %rb_c, %cb_c : tensor<16x8xi32>
  %s_c = tile.splat %c : !tile.ptr<f32> -> tensor<16x8x!tile.ptr<f32>>
  %qc = tile.addptr %s_c, %o_c : tensor<16x8x!tile.ptr<f32>>, tensor<16x8xi32>
  tile.store %qc, %d : tensor<16x8x!tile.ptr<f32>>, tensor<16x8xf32>
  return
}

// f32 goes into the instruction as it is, which cuts it to tf32.
// CHECK-LABEL: llvm.func @tf32
// CHECK-NOT: llvm.intr.fma
// CHECK-NOT: nvvm.cvt
// CHECK-COUNT-2: nvvm.mma.sync {{.*}}#nvvm.mma_type<tf32>{{.*}}#nvvm.shape<m = 16, n = 8, k = 8>
// CHECK-NOT: nvvm.mma.sync
// CHECK: llvm.return
func.func @tf32(%a: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r_a = tile.arange 0, 16 : tensor<16xi32>
  %c_a = tile.arange 0, 16 : tensor<16xi32>
  %r1_a = tile.expand_dims %r_a, 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c1_a = tile.expand_dims %c_a, 0 : tensor<16xi32> -> tensor<1x16xi32>
  %k_a = arith.constant dense<16> : tensor<16x1xi32>
  %rk_a = arith.muli %r1_a, %k_a : tensor<16x1xi32>
  %rb_a = tile.broadcast %rk_a : tensor<16x1xi32> -> tensor<16x16xi32>
  %cb_a = tile.broadcast %c1_a : tensor<1x16xi32> -> tensor<16x16xi32>
  %o_a = arith.addi %rb_a, %cb_a : tensor<16x16xi32>
  %s_a = tile.splat %a : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  %qa = tile.addptr %s_a, %o_a : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  %va = tile.load %qa : tensor<16x16x!tile.ptr<f32>> -> tensor<16x16xf32>
  %r_b = tile.arange 0, 16 : tensor<16xi32>
  %c_b = tile.arange 0, 8 : tensor<8xi32>
  %r1_b = tile.expand_dims %r_b, 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c1_b = tile.expand_dims %c_b, 0 : tensor<8xi32> -> tensor<1x8xi32>
  %k_b = arith.constant dense<8> : tensor<16x1xi32>
  %rk_b = arith.muli %r1_b, %k_b : tensor<16x1xi32>
  %rb_b = tile.broadcast %rk_b : tensor<16x1xi32> -> tensor<16x8xi32>
  %cb_b = tile.broadcast %c1_b : tensor<1x8xi32> -> tensor<16x8xi32>
  %o_b = arith.addi %rb_b, %cb_b : tensor<16x8xi32>
  %s_b = tile.splat %b : !tile.ptr<f32> -> tensor<16x8x!tile.ptr<f32>>
  %qb = tile.addptr %s_b, %o_b : tensor<16x8x!tile.ptr<f32>>, tensor<16x8xi32>
  %vb = tile.load %qb : tensor<16x8x!tile.ptr<f32>> -> tensor<16x8xf32>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %d = tile.dot %va, %vb, %zero : tensor<16x16xf32>, tensor<16x8xf32> -> tensor<16x8xf32>
  %r_c = tile.arange 0, 16 : tensor<16xi32>
  %c_c = tile.arange 0, 8 : tensor<8xi32>
  %r1_c = tile.expand_dims %r_c, 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c1_c = tile.expand_dims %c_c, 0 : tensor<8xi32> -> tensor<1x8xi32>
  %k_c = arith.constant dense<8> : tensor<16x1xi32>
  %rk_c = arith.muli %r1_c, %k_c : tensor<16x1xi32>
  %rb_c = tile.broadcast %rk_c : tensor<16x1xi32> -> tensor<16x8xi32>
  %cb_c = tile.broadcast %c1_c : tensor<1x8xi32> -> tensor<16x8xi32>
  %o_c = arith.addi %rb_c, %cb_c : tensor<16x8xi32>
  %s_c = tile.splat %c : !tile.ptr<f32> -> tensor<16x8x!tile.ptr<f32>>
  %qc = tile.addptr %s_c, %o_c : tensor<16x8x!tile.ptr<f32>>, tensor<16x8xi32>
  tile.store %qc, %d : tensor<16x8x!tile.ptr<f32>>, tensor<16x8xf32>
  return
}

// Asked for exact products: multiply-adds in each thread, rounded once.
// CHECK-LABEL: llvm.func @ieee
// CHECK-NOT: nvvm.mma.sync
// CHECK-COUNT-64: llvm.intr.fma({{.*}}) : (f32, f32, f32) -> f32
// CHECK-NOT: llvm.intr.fma
// CHECK: llvm.return
func.func @ieee(%a: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r_a = tile.arange 0, 16 : tensor<16xi32>
  %c_a = tile.arange 0, 4 : tensor<4xi32>
  %r1_a = tile.expand_dims %r_a, 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c1_a = tile.expand_dims %c_a, 0 : tensor<4xi32> -> tensor<1x4xi32>
  %k_a = arith.constant dense<4> : tensor<16x1xi32>
  %rk_a = arith.muli %r1_a, %k_a : tensor<16x1xi32>
  %rb_a = tile.broadcast %rk_a : tensor<16x1xi32> -> tensor<16x4xi32>
  %cb_a = tile.broadcast %c1_a : tensor<1x4xi32> -> tensor<16x4xi32>
  %o_a = arith.addi %rb_a, %cb_a : tensor<16x4xi32>
  %s_a = tile.splat %a : !tile.ptr<f32> -> tensor<16x4x!tile.ptr<f32>>
  %qa = tile.addptr %s_a, %o_a : tensor<16x4x!tile.ptr<f32>>, tensor<16x4xi32>
  %va = tile.load %qa : tensor<16x4x!tile.ptr<f32>> -> tensor<16x4xf32>
  %r_b = tile.arange 0, 4 : tensor<4xi32>
  %c_b = tile.arange 0, 32 : tensor<32xi32>
  %r1_b = tile.expand_dims %r_b, 1 : tensor<4xi32> -> tensor<4x1xi32>
  %c1_b = tile.expand_dims %c_b, 0 : tensor<32xi32> -> tensor<1x32xi32>
  %k_b = arith.constant dense<32> : tensor<4x1xi32>
  %rk_b = arith.muli %r1_b, %k_b : tensor<4x1xi32>
  %rb_b = tile.broadcast %rk_b : tensor<4x1xi32> -> tensor<4x32xi32>
  %cb_b = tile.broadcast %c1_b : tensor<1x32xi32> -> tensor<4x32xi32>
  %o_b = arith.addi %rb_b, %cb_b : tensor<4x32xi32>
  %s_b = tile.splat %b : !tile.ptr<f32> -> tensor<4x32x!tile.ptr<f32>>
  %qb = tile.addptr %s_b, %o_b : tensor<4x32x!tile.ptr<f32>>, tensor<4x32xi32>
  %vb = tile.load %qb : tensor<4x32x!tile.ptr<f32>> -> tensor<4x32xf32>
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %d = tile.dot %va, %vb, %zero {precision = 2 : i32} : tensor<16x4xf32>, tensor<4x32xf32> -> tensor<16x32xf32>
  %r_c = tile.arange 0, 16 : tensor<16xi32>
  %c_c = tile.arange 0, 32 : tensor<32xi32>
  %r1_c = tile.expand_dims %r_c, 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c1_c = tile.expand_dims %c_c, 0 : tensor<32xi32> -> tensor<1x32xi32>
  %k_c = arith.constant dense<32> : tensor<16x1xi32>
  %rk_c = arith.muli %r1_c, %k_c : tensor<16x1xi32>
  %rb_c = tile.broadcast %rk_c : tensor<16x1xi32> -> tensor<16x32xi32>
  %cb_c = tile.broadcast %c1_c : tensor<1x32xi32> -> tensor<16x32xi32>
  %o_c = arith.addi %rb_c, %cb_c : tensor<16x32xi32>
  %s_c = tile.splat %c : !tile.ptr<f32> -> tensor<16x32x!tile.ptr<f32>>
  %qc = tile.addptr %s_c, %o_c : tensor<16x32x!tile.ptr<f32>>, tensor<16x32xi32>
  tile.store %qc, %d : tensor<16x32x!tile.ptr<f32>>, tensor<16x32xf32>
  return
}

// A sum in f16 is formed in f32 and rounded at the end.
// CHECK-LABEL: llvm.func @f16_sum
// CHECK: llvm.fpext %{{.*}} : f16 to f32
// CHECK-COUNT-64: llvm.intr.fma({{.*}}) : (f32, f32, f32) -> f32
// CHECK-COUNT-16: llvm.fptrunc %{{.*}} : f32 to f16
// CHECK: llvm.return
func.func @f16_sum(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f16> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r_a = tile.arange 0, 16 : tensor<16xi32>
  %c_a = tile.arange 0, 4 : tensor<4xi32>
  %r1_a = tile.expand_dims %r_a, 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c1_a = tile.expand_dims %c_a, 0 : tensor<4xi32> -> tensor<1x4xi32>
  %k_a = arith.constant dense<4> : tensor<16x1xi32>
  %rk_a = arith.muli %r1_a, %k_a : tensor<16x1xi32>
  %rb_a = tile.broadcast %rk_a : tensor<16x1xi32> -> tensor<16x4xi32>
  %cb_a = tile.broadcast %c1_a : tensor<1x4xi32> -> tensor<16x4xi32>
  %o_a = arith.addi %rb_a, %cb_a : tensor<16x4xi32>
  %s_a = tile.splat %a : !tile.ptr<f16> -> tensor<16x4x!tile.ptr<f16>>
  %qa = tile.addptr %s_a, %o_a : tensor<16x4x!tile.ptr<f16>>, tensor<16x4xi32>
  %va = tile.load %qa : tensor<16x4x!tile.ptr<f16>> -> tensor<16x4xf16>
  %r_b = tile.arange 0, 4 : tensor<4xi32>
  %c_b = tile.arange 0, 32 : tensor<32xi32>
  %r1_b = tile.expand_dims %r_b, 1 : tensor<4xi32> -> tensor<4x1xi32>
  %c1_b = tile.expand_dims %c_b, 0 : tensor<32xi32> -> tensor<1x32xi32>
  %k_b = arith.constant dense<32> : tensor<4x1xi32>
  %rk_b = arith.muli %r1_b, %k_b : tensor<4x1xi32>
  %rb_b = tile.broadcast %rk_b : tensor<4x1xi32> -> tensor<4x32xi32>
  %cb_b = tile.broadcast %c1_b : tensor<1x32xi32> -> tensor<4x32xi32>
  %o_b = arith.addi %rb_b, %cb_b : tensor<4x32xi32>
  %s_b = tile.splat %b : !tile.ptr<f16> -> tensor<4x32x!tile.ptr<f16>>
  %qb = tile.addptr %s_b, %o_b : tensor<4x32x!tile.ptr<f16>>, tensor<4x32xi32>
  %vb = tile.load %qb : tensor<4x32x!tile.ptr<f16>> -> tensor<4x32xf16>
  %zero = arith.constant dense<0.0> : tensor<16x32xf16>
  %d = tile.dot %va, %vb, %zero : tensor<16x4xf16>, tensor<4x32xf16> -> tensor<16x32xf16>
  %r_c = tile.arange 0, 16 : tensor<16xi32>
  %c_c = tile.arange 0, 32 : tensor<32xi32>
  %r1_c = tile.expand_dims %r_c, 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c1_c = tile.expand_dims %c_c, 0 : tensor<32xi32> -> tensor<1x32xi32>
  %k_c = arith.constant dense<32> : tensor<16x1xi32>
  %rk_c = arith.muli %r1_c, %k_c : tensor<16x1xi32>
  %rb_c = tile.broadcast %rk_c : tensor<16x1xi32> -> tensor<16x32xi32>
  %cb_c = tile.broadcast %c1_c : tensor<1x32xi32> -> tensor<16x32xi32>
  %o_c = arith.addi %rb_c, %cb_c : tensor<16x32xi32>
  %s_c = tile.splat %c : !tile.ptr<f16> -> tensor<16x32x!tile.ptr<f16>>
  %qc = tile.addptr %s_c, %o_c : tensor<16x32x!tile.ptr<f16>>, tensor<16x32xi32>
  tile.store %qc, %d : tensor<16x32x!tile.ptr<f16>>, tensor<16x32xf16>
  return
}

// CHECK-LABEL: llvm.func @i8
// CHECK: llvm.sext %{{.*}} : i8 to i32
// CHECK: llvm.mul %{{.*}} : i32
// CHECK: llvm.add %{{.*}} : i32
// CHECK-NOT: llvm.sext %{{.*}} : i32 to i32
// CHECK: llvm.return
func.func @i8(%a: !tile.ptr<i8> {tile.divisibility = 16 : i32}, %b: !tile.ptr<i8> {tile.divisibility = 16 : i32}, %c: !tile.ptr<i32> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r_a = tile.arange 0, 16 : tensor<16xi32>
  %c_a = tile.arange 0, 8 : tensor<8xi32>
  %r1_a = tile.expand_dims %r_a, 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c1_a = tile.expand_dims %c_a, 0 : tensor<8xi32> -> tensor<1x8xi32>
  %k_a = arith.constant dense<8> : tensor<16x1xi32>
  %rk_a = arith.muli %r1_a, %k_a : tensor<16x1xi32>
  %rb_a = tile.broadcast %rk_a : tensor<16x1xi32> -> tensor<16x8xi32>
  %cb_a = tile.broadcast %c1_a : tensor<1x8xi32> -> tensor<16x8xi32>
  %o_a = arith.addi %rb_a, %cb_a : tensor<16x8xi32>
  %s_a = tile.splat %a : !tile.ptr<i8> -> tensor<16x8x!tile.ptr<i8>>
  %qa = tile.addptr %s_a, %o_a : tensor<16x8x!tile.ptr<i8>>, tensor<16x8xi32>
  %va = tile.load %qa : tensor<16x8x!tile.ptr<i8>> -> tensor<16x8xi8>
  %r_b = tile.arange 0, 8 : tensor<8xi32>
  %c_b = tile.arange 0, 16 : tensor<16xi32>
  %r1_b = tile.expand_dims %r_b, 1 : tensor<8xi32> -> tensor<8x1xi32>
  %c1_b = tile.expand_dims %c_b, 0 : tensor<16xi32> -> tensor<1x16xi32>
  %k_b = arith.constant dense<16> : tensor<8x1xi32>
  %rk_b = arith.muli %r1_b, %k_b : tensor<8x1xi32>
  %rb_b = tile.broadcast %rk_b : tensor<8x1xi32> -> tensor<8x16xi32>
  %cb_b = tile.broadcast %c1_b : tensor<1x16xi32> -> tensor<8x16xi32>
  %o_b = arith.addi %rb_b, %cb_b : tensor<8x16xi32>
  %s_b = tile.splat %b : !tile.ptr<i8> -> tensor<8x16x!tile.ptr<i8>>
  %qb = tile.addptr %s_b, %o_b : tensor<8x16x!tile.ptr<i8>>, tensor<8x16xi32>
  %vb = tile.load %qb : tensor<8x16x!tile.ptr<i8>> -> tensor<8x16xi8>
  %zero = arith.constant dense<0> : tensor<16x16xi32>
  %d = tile.dot %va, %vb, %zero : tensor<16x8xi8>, tensor<8x16xi8> -> tensor<16x16xi32>
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
  tile.store %qc, %d : tensor<16x16x!tile.ptr<i32>>, tensor<16x16xi32>
  return
}

// CHECK-LABEL: llvm.func @f64
// CHECK: llvm.intr.fma({{.*}}) : (f64, f64, f64) -> f64
// CHECK: llvm.return
func.func @f64(%a: !tile.ptr<f64> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f64> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f64> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r_a = tile.arange 0, 4 : tensor<4xi32>
  %c_a = tile.arange 0, 4 : tensor<4xi32>
  %r1_a = tile.expand_dims %r_a, 1 : tensor<4xi32> -> tensor<4x1xi32>
  %c1_a = tile.expand_dims %c_a, 0 : tensor<4xi32> -> tensor<1x4xi32>
  %k_a = arith.constant dense<4> : tensor<4x1xi32>
  %rk_a = arith.muli %r1_a, %k_a : tensor<4x1xi32>
  %rb_a = tile.broadcast %rk_a : tensor<4x1xi32> -> tensor<4x4xi32>
  %cb_a = tile.broadcast %c1_a : tensor<1x4xi32> -> tensor<4x4xi32>
  %o_a = arith.addi %rb_a, %cb_a : tensor<4x4xi32>
  %s_a = tile.splat %a : !tile.ptr<f64> -> tensor<4x4x!tile.ptr<f64>>
  %qa = tile.addptr %s_a, %o_a : tensor<4x4x!tile.ptr<f64>>, tensor<4x4xi32>
  %va = tile.load %qa : tensor<4x4x!tile.ptr<f64>> -> tensor<4x4xf64>
  %r_b = tile.arange 0, 4 : tensor<4xi32>
  %c_b = tile.arange 0, 4 : tensor<4xi32>
  %r1_b = tile.expand_dims %r_b, 1 : tensor<4xi32> -> tensor<4x1xi32>
  %c1_b = tile.expand_dims %c_b, 0 : tensor<4xi32> -> tensor<1x4xi32>
  %k_b = arith.constant dense<4> : tensor<4x1xi32>
  %rk_b = arith.muli %r1_b, %k_b : tensor<4x1xi32>
  %rb_b = tile.broadcast %rk_b : tensor<4x1xi32> -> tensor<4x4xi32>
  %cb_b = tile.broadcast %c1_b : tensor<1x4xi32> -> tensor<4x4xi32>
  %o_b = arith.addi %rb_b, %cb_b : tensor<4x4xi32>
  %s_b = tile.splat %b : !tile.ptr<f64> -> tensor<4x4x!tile.ptr<f64>>
  %qb = tile.addptr %s_b, %o_b : tensor<4x4x!tile.ptr<f64>>, tensor<4x4xi32>
  %vb = tile.load %qb : tensor<4x4x!tile.ptr<f64>> -> tensor<4x4xf64>
  %zero = arith.constant dense<0.0> : tensor<4x4xf64>
  %d = tile.dot %va, %vb, %zero : tensor<4x4xf64>, tensor<4x4xf64> -> tensor<4x4xf64>
  %r_c = tile.arange 0, 4 : tensor<4xi32>
  %c_c = tile.arange 0, 4 : tensor<4xi32>
  %r1_c = tile.expand_dims %r_c, 1 : tensor<4xi32> -> tensor<4x1xi32>
  %c1_c = tile.expand_dims %c_c, 0 : tensor<4xi32> -> tensor<1x4xi32>
  %k_c = arith.constant dense<4> : tensor<4x1xi32>
  %rk_c = arith.muli %r1_c, %k_c : tensor<4x1xi32>
  %rb_c = tile.broadcast %rk_c : tensor<4x1xi32> -> tensor<4x4xi32>
  %cb_c = tile.broadcast %c1_c : tensor<1x4xi32> -> tensor<4x4xi32>
  %o_c = arith.addi %rb_c, %cb_c : tensor<4x4xi32>
  %s_c = tile.splat %c : !tile.ptr<f64> -> tensor<4x4x!tile.ptr<f64>>
  %qc = tile.addptr %s_c, %o_c : tensor<4x4x!tile.ptr<f64>>, tensor<4x4xi32>
  tile.store %qc, %d : tensor<4x4x!tile.ptr<f64>>, tensor<4x4xf64>
  return
}

// CHECK-LABEL: llvm.func @fp8
// CHECK: llvm.intr.fma({{.*}}) : (f32, f32, f32) -> f32
// CHECK: llvm.return
func.func @fp8(%a: !tile.ptr<f8E4M3FN> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f8E5M2> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 1 : i32} {
  %r_a = tile.arange 0, 16 : tensor<16xi32>
  %c_a = tile.arange 0, 16 : tensor<16xi32>
  %r1_a = tile.expand_dims %r_a, 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c1_a = tile.expand_dims %c_a, 0 : tensor<16xi32> -> tensor<1x16xi32>
  %k_a = arith.constant dense<16> : tensor<16x1xi32>
  %rk_a = arith.muli %r1_a, %k_a : tensor<16x1xi32>
  %rb_a = tile.broadcast %rk_a : tensor<16x1xi32> -> tensor<16x16xi32>
  %cb_a = tile.broadcast %c1_a : tensor<1x16xi32> -> tensor<16x16xi32>
  %o_a = arith.addi %rb_a, %cb_a : tensor<16x16xi32>
  %s_a = tile.splat %a : !tile.ptr<f8E4M3FN> -> tensor<16x16x!tile.ptr<f8E4M3FN>>
  %qa = tile.addptr %s_a, %o_a : tensor<16x16x!tile.ptr<f8E4M3FN>>, tensor<16x16xi32>
  %va = tile.load %qa : tensor<16x16x!tile.ptr<f8E4M3FN>> -> tensor<16x16xf8E4M3FN>
  %r_b = tile.arange 0, 16 : tensor<16xi32>
  %c_b = tile.arange 0, 16 : tensor<16xi32>
  %r1_b = tile.expand_dims %r_b, 1 : tensor<16xi32> -> tensor<16x1xi32>
  %c1_b = tile.expand_dims %c_b, 0 : tensor<16xi32> -> tensor<1x16xi32>
  %k_b = arith.constant dense<16> : tensor<16x1xi32>
  %rk_b = arith.muli %r1_b, %k_b : tensor<16x1xi32>
  %rb_b = tile.broadcast %rk_b : tensor<16x1xi32> -> tensor<16x16xi32>
  %cb_b = tile.broadcast %c1_b : tensor<1x16xi32> -> tensor<16x16xi32>
  %o_b = arith.addi %rb_b, %cb_b : tensor<16x16xi32>
  %s_b = tile.splat %b : !tile.ptr<f8E5M2> -> tensor<16x16x!tile.ptr<f8E5M2>>
  %qb = tile.addptr %s_b, %o_b : tensor<16x16x!tile.ptr<f8E5M2>>, tensor<16x16xi32>
  %vb = tile.load %qb : tensor<16x16x!tile.ptr<f8E5M2>> -> tensor<16x16xf8E5M2>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tile.dot %va, %vb, %zero : tensor<16x16xf8E4M3FN>, tensor<16x16xf8E5M2> -> tensor<16x16xf32>
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
  tile.store %qc, %d : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
  return
}

// Between two chained products nothing is written to shared memory.
// CHECK-LABEL: llvm.func @chained
// CHECK: nvvm.mma.sync
// CHECK-NOT: llvm.store
// CHECK: llvm.fptrunc %{{.*}} : f32 to f16
// CHECK-NOT: llvm.store
// CHECK: nvvm.mma.sync
// CHECK: llvm.return
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
