// RUN: not tilec %s -o %t.ptx 2>&1 | FileCheck %s
// RUN: not ls %t.ptx

// What ends LLVM becomes an error at its place, and no file is written.

llvm.func @fine() attributes {nvvm.kernel} {
  llvm.return
}
llvm.func @sine(%v: f32, %o: !llvm.ptr<1>) attributes {nvvm.kernel} {
  // CHECK: errors.mlir:[[#@LINE+2]]:8: error: the PTX back end failed: Cannot select: {{.*}}fsin
  // CHECK-NEXT: %s = llvm.intr.sin
  %s = llvm.intr.sin(%v) : (f32) -> f32
  llvm.store %s, %o : f32, !llvm.ptr<1>
  llvm.return
}
