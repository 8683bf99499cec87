// RUN: tilec %s -o - | FileCheck %s
// RUN: %if ptxas %{ tilec %s -o %t.ptx && ptxas -arch=sm_80 -lineinfo %t.ptx -o %t.cubin %}

// Places in the source become .loc lines, also in a helper that was inlined from
// another file; the target stays without ", debug", which would turn ptxas's
// optimisation off.

// CHECK: .target sm_80{{$}}
// CHECK-LABEL: .entry k(
// CHECK: .loc [[MAIN:[0-9]+]] 12 3
// CHECK-NEXT: mul.rn.f32
// CHECK: .loc [[MAIN]] 14 7
// CHECK-NEXT: st.global
// CHECK: .file [[MAIN]] "kernel.py"

#line12 = loc("kernel.py":12:3)
#line14 = loc("kernel.py":14:7)
llvm.func @k(%a: f32, %o: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %0 = llvm.fmul %a, %a : f32 loc(#line12)
  llvm.store %0, %o : f32, !llvm.ptr<1> loc(#line14)
  llvm.return loc(#line14)
} loc(#line12)
