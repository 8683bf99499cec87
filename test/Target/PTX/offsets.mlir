// RUN: %tilec %s --arch sm_80 -o - | FileCheck %s

// Constant offsets are immediates of the accesses in a loop, where they would each take a
// register had they been left hoisted out of it.

// CHECK-LABEL: .entry offsets
// CHECK: $L__BB0_{{[0-9]+}}:
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{.*}}, [[[BASE:%r[0-9]+]]];
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{.*}}, [[[BASE]]+1024];
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{.*}}, [[[BASE]]+2048];
// CHECK: bra
llvm.mlir.global external @tilec_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
llvm.func @offsets(%n: i32, %o: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %c1 = llvm.mlir.constant(1 : i32) : i32
  %c4 = llvm.mlir.constant(4 : i32) : i32
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %off = llvm.shl %tid, %c4 : i32
  %base = llvm.mlir.addressof @tilec_shared : !llvm.ptr<3>
  %p0 = llvm.getelementptr %base[%off] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
  llvm.br ^body(%c0, %c0 : i32, i32)
^body(%i: i32, %sum: i32):
  %p1 = llvm.getelementptr %p0[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  %p2 = llvm.getelementptr %p0[2048] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
  nvvm.barrier
  %a = nvvm.ldmatrix %p0 {num = 4 : i32, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
  %b = nvvm.ldmatrix %p1 {num = 4 : i32, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
  %c = nvvm.ldmatrix %p2 {num = 4 : i32, layout = #nvvm.mma_layout<row>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
  %a0 = llvm.extractvalue %a[0] : !llvm.struct<(i32, i32, i32, i32)>
  %b0 = llvm.extractvalue %b[1] : !llvm.struct<(i32, i32, i32, i32)>
  %c0v = llvm.extractvalue %c[2] : !llvm.struct<(i32, i32, i32, i32)>
  %s0 = llvm.add %sum, %a0 : i32
  %s1 = llvm.add %s0, %b0 : i32
  %s2 = llvm.add %s1, %c0v : i32
  %next = llvm.add %i, %c1 : i32
  %more = llvm.icmp "slt" %next, %n : i32
  llvm.cond_br %more, ^body(%next, %s2 : i32, i32), ^exit
^exit:
  llvm.store %s2, %o : i32, !llvm.ptr<1>
  llvm.return
}
