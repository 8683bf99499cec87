// RUN: tilec %s -o - | FileCheck %s
// RUN: tilec %s --emit=llvmir | FileCheck %s --check-prefix=IR
// RUN: tilec %s --emit=llvmir -o - | FileCheck %s --check-prefix=ATTRIBUTES

// A barrier in inline assembly stays one instruction that all threads reach: jump
// threading must not copy it into the branches that meet before it.

// IR-LABEL: define ptx_kernel void @meet(
// IR-COUNT-1: call void asm sideeffect "bar.sync 1, 128;", ""() #[[BARRIER:[0-9]+]]
// IR-NOT: bar.sync

// CHECK-LABEL: .entry meet(
// CHECK-COUNT-1: bar.sync 1, 128;
// CHECK-NOT: bar.sync
// CHECK: ret
llvm.func @meet(%out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %isFirst = llvm.icmp "eq" %tid, %zero : i32
  llvm.cond_br %isFirst, ^first, ^others
^first:
  llvm.store %one, %out : i32, !llvm.ptr<1>
  llvm.br ^all(%one : i32)
^others:
  llvm.br ^all(%zero : i32)
^all(%wasFirst: i32):
  llvm.inline_asm has_side_effects asm_dialect = att "bar.sync 1, 128;", "" : () -> ()
  %again = llvm.icmp "eq" %wasFirst, %one : i32
  llvm.cond_br %again, ^copy, ^end
^copy:
  %v = llvm.load volatile %out : !llvm.ptr<1> -> i32
  %next = llvm.getelementptr %out[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
  llvm.store %v, %next : i32, !llvm.ptr<1>
  llvm.br ^end
^end:
  llvm.return
}

// Assembly without side effects may go when nobody uses it, and be merged.

// CHECK-LABEL: .entry pure(
// CHECK-COUNT-1: ex2.approx.f32
// CHECK-NOT: lg2
// CHECK: ret
llvm.func @pure(%v: f32, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %a = llvm.inline_asm asm_dialect = att "ex2.approx.f32 $0, $1;", "=f,f" %v : (f32) -> f32
  %b = llvm.inline_asm asm_dialect = att "ex2.approx.f32 $0, $1;", "=f,f" %v : (f32) -> f32
  %c = llvm.inline_asm asm_dialect = att "lg2.approx.f32 $0, $1;", "=f,f" %v : (f32) -> f32
  %s = llvm.fadd %a, %b : f32
  llvm.store %s, %out : f32, !llvm.ptr<1>
  llvm.return
}

// ATTRIBUTES: attributes #{{[0-9]+}} = { convergent nounwind }
// ATTRIBUTES: attributes #{{[0-9]+}} = { nounwind willreturn memory(none) }

// What is inline PTX for LLVM is written out.
// CHECK-LABEL: .entry written_out(
// CHECK: activemask.b32 %r{{[0-9]+}};
// CHECK: ret
llvm.func @written_out(%out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %mask = nvvm.inline_ptx "activemask.b32 {$w0};" -> i32
  llvm.store %mask, %out : i32, !llvm.ptr<1>
  llvm.return
}
