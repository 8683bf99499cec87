// RUN: tile-opt --tilec-llvm-pipeline %s | FileCheck %s
// RUN: %if ptxas %{ tilec %s -o %t.ptx && ptxas -arch=sm_80 %t.ptx -o %t.cubin %}
// RUN: %if ptxas %{ tilec %s -o %t.ptx --arch sm_90a && ptxas -arch=sm_90a %t.ptx -o %t.cubin %}

// Nobody wants the old value: a reduction, by the first thread.
// CHECK-LABEL: llvm.func @kinds
// CHECK: "@$2 red.relaxed.cta.global.add.u32 [$0], $1;", "l,r,b"
// CHECK: "@$2 red.release.gpu.global.max.s32 [$0], $1;", "l,r,b"
// CHECK: "@$2 red.relaxed.sys.global.min.u32 [$0], $1;", "l,r,b"
// CHECK: "@$2 red.relaxed.gpu.global.and.b32
// CHECK: "@$2 red.relaxed.gpu.global.or.b64 [$0], $1;", "l,l,b"
// CHECK: "@$2 red.relaxed.gpu.global.xor.b64
// CHECK: "@$2 red.relaxed.gpu.global.add.f32 [$0], $1;", "l,r,b"
// CHECK: "@$2 red.relaxed.gpu.global.add.f64 [$0], $1;", "l,l,b"
// CHECK: "@$2 red.relaxed.gpu.global.add.noftz.f16 [$0], $1;", "l,h,b"
func.func @kinds(%p: !tile.ptr<i32> {tile.divisibility = 16 : i32}, %q64: !tile.ptr<i64>, %f: !tile.ptr<f32>, %d: !tile.ptr<f64>, %h: !tile.ptr<f16>, %i: i32, %j: i64, %x: f32, %y: f64, %z: f16) attributes {tile.kernel} {
  %add0 = tile.atomic_rmw add, relaxed, block, %p, %i : !tile.ptr<i32>, i32
  %max1 = tile.atomic_rmw max, release, gpu, %p, %i : !tile.ptr<i32>, i32
  %umin2 = tile.atomic_rmw umin, relaxed, system, %p, %i : !tile.ptr<i32>, i32
  %and3 = tile.atomic_rmw and, relaxed, gpu, %p, %i : !tile.ptr<i32>, i32
  %or4 = tile.atomic_rmw or, relaxed, gpu, %q64, %j : !tile.ptr<i64>, i64
  %xor5 = tile.atomic_rmw xor, relaxed, gpu, %q64, %j : !tile.ptr<i64>, i64
  %fadd6 = tile.atomic_rmw fadd, relaxed, gpu, %f, %x : !tile.ptr<f32>, f32
  %fadd7 = tile.atomic_rmw fadd, relaxed, gpu, %d, %y : !tile.ptr<f64>, f64
  %fadd8 = tile.atomic_rmw fadd, relaxed, gpu, %h, %z : !tile.ptr<f16>, f16
  return
}

// An order that acquires, and an exchange, have no form without a result.
// CHECK-LABEL: llvm.func @with_result
// CHECK: "@$3 atom.acquire.gpu.global.add.u32 $0, [$1], $2;", "=r,l,r,b,0"
// CHECK: "@$3 atom.acq_rel.gpu.global.add.u32 $0, [$1], $2;"
// CHECK: "@$3 atom.relaxed.gpu.global.exch.b32 $0, [$1], $2;"
func.func @with_result(%p: !tile.ptr<i32> {tile.divisibility = 16 : i32}, %v: i32) attributes {tile.kernel} {
  %0 = tile.atomic_rmw add, acquire, gpu, %p, %v : !tile.ptr<i32>, i32
  %1 = tile.atomic_rmw add, acq_rel, gpu, %p, %v : !tile.ptr<i32>, i32
  %2 = tile.atomic_rmw xchg, relaxed, gpu, %p, %v : !tile.ptr<i32>, i32
  return
}

// The first thread's result reaches the others through shared memory.
// CHECK-LABEL: llvm.func @shared_result
// CHECK: %[[FIRST:.*]] = llvm.icmp "eq"
// CHECK: %[[OLD:.*]] = llvm.inline_asm {{.*}}"@$3 atom.relaxed.gpu.global.add.u32 $0, [$1], $2;", "=r,l,r,b,0" %arg0, %arg1, %[[FIRST]]
// CHECK: %[[AT:.*]] = llvm.mlir.addressof @tilec_shared
// CHECK: llvm.inline_asm {{.*}}st.shared.b32 [$1], $0;{{.*}} %[[OLD]], %{{.*}}, %[[FIRST]]
// CHECK: nvvm.barrier
// CHECK: %[[ALL:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> i32
// CHECK: llvm.store %[[ALL]], %{{.*}} : i32, !llvm.ptr<1>
func.func @shared_result(%p: !tile.ptr<i32>, %v: i32, %out: !tile.ptr<i32>) attributes {tile.kernel} {
  %x = tile.arange 0, 128 : tensor<128xi32>
  %s = tile.splat %out : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %q = tile.addptr %s, %x : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %0 = tile.atomic_rmw add, relaxed, gpu, %p, %v : !tile.ptr<i32>, i32
  %1 = tile.splat %0 : i32 -> tensor<128xi32>
  tile.store %q, %1 : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  return
}

// Each thread's own result stays with it; zero where the mask is off.
// CHECK-LABEL: llvm.func @own_result
// CHECK-NOT: addressof
// CHECK: %[[M:.*]] = llvm.icmp "slt"
// CHECK: %[[Z:.*]] = llvm.mlir.zero : i32
// CHECK: "@$3 atom.relaxed.gpu.global.add.u32 $0, [$1], $2;", "=r,l,r,b,0" %{{.*}}, %{{.*}}, %[[M]], %[[Z]]
// CHECK: llvm.return
func.func @own_result(%p: !tile.ptr<i32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel} {
  %x = tile.arange 0, 128 : tensor<128xi32>
  %s = tile.splat %p : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %q = tile.addptr %s, %x : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %ns = tile.splat %n : i32 -> tensor<128xi32>
  %m = arith.cmpi slt, %x, %ns : tensor<128xi32>
  %0 = tile.atomic_rmw add, relaxed, gpu, %q, %x mask %m : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %q, %0 : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  return
}

// Of the threads that hold an element one adds, and the others are told.
// CHECK-LABEL: llvm.func @copies
// CHECK: %[[OWNER:.*]] = llvm.icmp "eq"
// CHECK: "@$3 atom.relaxed.gpu.global.add.u32 {{.*}}%[[OWNER]]
// CHECK: st.shared.b32 {{.*}}%[[OWNER]]
// CHECK: nvvm.barrier
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> i32
func.func @copies(%p: !tile.ptr<i32> {tile.divisibility = 16 : i32}, %out: !tile.ptr<i32>) attributes {tile.kernel} {
  %x = tile.arange 0, 16 : tensor<16xi32>
  %s = tile.splat %p : !tile.ptr<i32> -> tensor<16x!tile.ptr<i32>>
  %q = tile.addptr %s, %x : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
  %0 = tile.atomic_rmw add, relaxed, gpu, %q, %x : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
  %xo = tile.arange 0, 16 : tensor<16xi32>
  %so = tile.splat %out : !tile.ptr<i32> -> tensor<16x!tile.ptr<i32>>
  %qo = tile.addptr %so, %xo : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
  tile.store %qo, %0 : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
  return
}

// Floats are ordered like integers, negative ones the other way round.
// CHECK-LABEL: llvm.func @float_extremes
// CHECK: %[[X:.*]] = llvm.bitcast %arg2 : f32 to i32
// CHECK: %[[NEG:.*]] = llvm.icmp "slt" %[[X]]
// CHECK: %[[POS:.*]] = llvm.xor %[[NEG]]
// CHECK: %[[UP:.*]] = llvm.and %{{.*}}, %[[POS]]
// CHECK: "@$2 red.relaxed.gpu.global.max.s32 [$0], $1;", "l,r,b" %arg0, %[[X]], %[[UP]]
// CHECK: %[[DOWN:.*]] = llvm.and %{{.*}}, %[[NEG]]
// CHECK: "@$2 red.relaxed.gpu.global.min.u32 [$0], $1;", "l,r,b" %arg0, %[[X]], %[[DOWN]]
// CHECK: red.relaxed.gpu.global.min.s64
// CHECK: red.relaxed.gpu.global.max.u64
func.func @float_extremes(%p: !tile.ptr<f32>, %d: !tile.ptr<f64>, %x: f32, %y: f64) attributes {tile.kernel} {
  %0 = tile.atomic_rmw fmax, relaxed, gpu, %p, %x : !tile.ptr<f32>, f32
  %1 = tile.atomic_rmw fmin, relaxed, gpu, %d, %y : !tile.ptr<f64>, f64
  return
}

// CHECK-LABEL: llvm.func @compare_and_swap
// CHECK: "@$4 atom.acq_rel.sys.global.cas.b32 $0, [$1], $2, $3;", "=r,l,r,r,b,0"
// CHECK: "@$4 atom.relaxed.cta.global.cas.b16 $0, [$1], $2, $3;", "=h,l,h,h,b,0"
func.func @compare_and_swap(%p: !tile.ptr<f32>, %h: !tile.ptr<i16>, %x: f32, %i: i16) attributes {tile.kernel} {
  %0 = tile.atomic_cas acq_rel, system, %p, %x, %x : !tile.ptr<f32>, f32
  tile.store %p, %0 : !tile.ptr<f32>, f32
  %1 = tile.atomic_cas relaxed, block, %h, %i, %i : !tile.ptr<i16>, i16
  return
}
