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

// Two sums of f16 are one instruction.
llvm.func @pair(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>) attributes {nvvm.kernel} {
  // CHECK-LABEL: .entry pair(
  // CHECK: add.rn.f16x2
  // CHECK-NOT: add.rn.f16
  // CHECK: ret
  %low = llvm.mlir.constant(0 : i32) : i32
  %high = llvm.mlir.constant(1 : i32) : i32
  %none = llvm.mlir.poison : vector<2xf16>
  %x = llvm.load %a : !llvm.ptr<1> -> vector<2xf16>
  %y = llvm.load %b : !llvm.ptr<1> -> vector<2xf16>
  %x0 = llvm.extractelement %x[%low : i32] : vector<2xf16>
  %x1 = llvm.extractelement %x[%high : i32] : vector<2xf16>
  %y0 = llvm.extractelement %y[%low : i32] : vector<2xf16>
  %y1 = llvm.extractelement %y[%high : i32] : vector<2xf16>
  %s0 = llvm.fadd %x0, %y0 : f16
  %s1 = llvm.fadd %x1, %y1 : f16
  %first = llvm.insertelement %s0, %none[%low : i32] : vector<2xf16>
  %both = llvm.insertelement %s1, %first[%high : i32] : vector<2xf16>
  llvm.store %both, %a : vector<2xf16>, !llvm.ptr<1>
  llvm.return
}
