// RUN: tilec %s -o - | FileCheck %s

// A product and a sum stay two roundings, and ptxas may not join them either (.rn),
// unless the operations are marked; what was fused before stays fused.

llvm.func @apart(%a: f32, %b: f32, %c: f32, %o: !llvm.ptr<1>) attributes {nvvm.kernel} {
  // CHECK-LABEL: .entry apart(
  // CHECK: mul.rn.f32
  // CHECK: add.rn.f32
  %0 = llvm.fmul %a, %b : f32
  %1 = llvm.fadd %0, %c : f32
  llvm.store %1, %o : f32, !llvm.ptr<1>
  llvm.return
}
llvm.func @fused(%a: f32, %b: f32, %c: f32, %o: !llvm.ptr<1>) attributes {nvvm.kernel} {
  // CHECK-LABEL: .entry fused(
  // CHECK-NOT: mul
  // CHECK: fma.rn.f32
  // CHECK-NOT: add
  // CHECK: ret
  %0 = llvm.intr.fma(%a, %b, %c) : (f32, f32, f32) -> f32
  llvm.store %0, %o : f32, !llvm.ptr<1>
  llvm.return
}
llvm.func @marked(%a: f32, %b: f32, %c: f32, %o: !llvm.ptr<1>) attributes {nvvm.kernel} {
  // CHECK-LABEL: .entry marked(
  // CHECK-NOT: mul
  // CHECK: fma.rn.f32
  %0 = llvm.fmul %a, %b {fastmathFlags = #llvm.fastmath<contract>} : f32
  %1 = llvm.fadd %0, %c {fastmathFlags = #llvm.fastmath<contract>} : f32
  llvm.store %1, %o : f32, !llvm.ptr<1>
  llvm.return
}
