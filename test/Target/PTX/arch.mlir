// RUN: tilec %s -o - --arch sm_80 | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: tilec %s -o - --arch sm_86 | FileCheck %s --check-prefixes=CHECK,SM86
// RUN: tilec %s -o - --arch sm_90 | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: tilec %s -o - --arch=sm_90a | FileCheck %s --check-prefixes=CHECK,SM90A
// RUN: tilec %s -o - --arch sm_100a | FileCheck %s --check-prefixes=CHECK,SM100A
// RUN: %if ptxas %{ tilec %s -o %t.ptx --arch sm_90a && ptxas -arch=sm_90a %t.ptx -o %t.cubin %}

// The PTX version is the lowest that has the architecture, for older drivers.

// SM80: .version 7.4
// SM80-NEXT: .target sm_80
// SM86: .version 7.4
// SM86-NEXT: .target sm_86
// SM90: .version 7.8
// SM90-NEXT: .target sm_90{{$}}
// SM90A: .version 8.0
// SM90A-NEXT: .target sm_90a
// SM100A: .version 8.6
// SM100A-NEXT: .target sm_100a
// CHECK: .entry k(
llvm.func @k(%o: !llvm.ptr<1>, %v: f32) attributes {nvvm.kernel} {
  llvm.store %v, %o : f32, !llvm.ptr<1>
  llvm.return
}
