// RUN: tile-opt --tilec-llvm-pipeline %s | FileCheck %s
// RUN: %if ptxas %{ tilec %s -o %t.ptx && ptxas -arch=sm_80 %t.ptx -o %t.cubin %}
// RUN: %if ptxas %{ tilec %s -o %t.ptx --arch sm_90a && ptxas -arch=sm_90a %t.ptx -o %t.cubin %}

// Without a mask, LLVM's own loads and stores.
// CHECK-LABEL: llvm.func @unmasked
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
// CHECK-NOT: llvm.inline_asm
// CHECK: llvm.return
func.func @unmasked(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %x = tile.arange 0, 512 : tensor<512xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %q = tile.addptr %s, %x : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %v = tile.load %q : tensor<512x!tile.ptr<f32>> -> tensor<512xf32>
  tile.store %q, %v : tensor<512x!tile.ptr<f32>>, tensor<512xf32>
  return
}

// Of four addresses, a vector needs one; a constant is made once.
// CHECK-LABEL: llvm.func @first_of_vector
// CHECK-COUNT-1: llvm.mlir.constant(4 : i32)
// CHECK-NOT: llvm.mlir.constant(4 : i32)
// CHECK-COUNT-2: llvm.getelementptr
// CHECK-NOT: llvm.getelementptr
// CHECK: llvm.return
func.func @first_of_vector(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %four = arith.constant dense<4> : tensor<512xi32>
  %x = tile.arange 0, 512 : tensor<512xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %o = tile.splat %out : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %q = tile.addptr %s, %x : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %v = tile.load %q : tensor<512x!tile.ptr<f32>> -> tensor<512xf32>
  %i = arith.addi %x, %four : tensor<512xi32>
  %j = arith.addi %i, %four : tensor<512xi32>
  %r = tile.addptr %o, %j : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  tile.store %r, %v : tensor<512x!tile.ptr<f32>>, tensor<512xf32>
  return
}

// The mask is the instruction's predicate; `other`, or zero, is in the registers
// before it.
// CHECK-LABEL: llvm.func @masked
// CHECK: %[[M:.*]] = llvm.icmp "slt" %{{.*}}, %arg1
// CHECK: %[[O:.*]] = llvm.bitcast %arg2 : f32 to i32
// CHECK: llvm.inline_asm has_side_effects {{.*}}"@$5 ld.global.v4.b32 {$0, $1, $2, $3}, [$4];", "=r,=r,=r,=r,l,b,0,1,2,3" %{{.*}}, %[[M]], %[[O]], %{{.*}}, %{{.*}}, %{{.*}} :
// CHECK: %[[ZERO:.*]] = llvm.mlir.zero : f32
// CHECK: %[[Z:.*]] = llvm.bitcast %[[ZERO]] : f32 to i32
// CHECK: llvm.inline_asm has_side_effects {{.*}}"@$5 ld.global.v4.b32 {$0, $1, $2, $3}, [$4];", "=r,=r,=r,=r,l,b,0,1,2,3" %{{.*}}, %[[M]], %[[Z]],
// CHECK: llvm.inline_asm has_side_effects {{.*}}"@$5 st.global.v4.b32 [$4], {$0, $1, $2, $3};", "r,r,r,r,l,b" %{{.*}}, %[[M]] :
func.func @masked(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}, %o: f32) attributes {tile.kernel} {
  %x = tile.arange 0, 512 : tensor<512xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %q = tile.addptr %s, %x : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %ns = tile.splat %n : i32 -> tensor<512xi32>
  %m = arith.cmpi slt, %x, %ns : tensor<512xi32>
  %os = tile.splat %o : f32 -> tensor<512xf32>
  %v = tile.load %q mask %m other %os : tensor<512x!tile.ptr<f32>> -> tensor<512xf32>
  %w = tile.load %q mask %m : tensor<512x!tile.ptr<f32>> -> tensor<512xf32>
  %a = arith.addf %v, %w : tensor<512xf32>
  tile.store %q, %a mask %m : tensor<512x!tile.ptr<f32>>, tensor<512xf32>
  return
}

// A mask that may change anywhere, and more than once: one element at a time,
// neighbours in neighbouring lanes.
// CHECK-LABEL: llvm.func @narrow
// CHECK-NOT: .v4
// CHECK-COUNT-4: "@$2 ld.global.b32 $0, [$1];", "=r,l,b,0"
// CHECK-NOT: .v4
// CHECK-COUNT-4: "@$2 st.global.b32 [$1], $0;", "r,l,b"
// CHECK-NOT: .v4
// CHECK: llvm.return
func.func @narrow(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel} {
  %x = tile.arange 0, 512 : tensor<512xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %q = tile.addptr %s, %x : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %ns = tile.splat %n : i32 -> tensor<512xi32>
  %m = arith.cmpi ne, %x, %ns : tensor<512xi32>
  %v = tile.load %q mask %m : tensor<512x!tile.ptr<f32>> -> tensor<512xf32>
  tile.store %q, %v mask %m : tensor<512x!tile.ptr<f32>>, tensor<512xf32>
  return
}

// CHECK-LABEL: llvm.func @elements_i8
// CHECK: ld.global.v4.b32 {{\{.*}}, [
// CHECK: st.global.v4.b32 [
// CHECK-NOT: {{ld|st}}.global
// CHECK: llvm.return
func.func @elements_i8(%p: !tile.ptr<i8> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %x = tile.arange 0, 2048 : tensor<2048xi32>
  %s = tile.splat %p : !tile.ptr<i8> -> tensor<2048x!tile.ptr<i8>>
  %q = tile.addptr %s, %x : tensor<2048x!tile.ptr<i8>>, tensor<2048xi32>
  %ns = tile.splat %n : i32 -> tensor<2048xi32>
  %m = arith.cmpi slt, %x, %ns : tensor<2048xi32>
  %v = tile.load %q mask %m : tensor<2048x!tile.ptr<i8>> -> tensor<2048xi8>
  tile.store %q, %v mask %m : tensor<2048x!tile.ptr<i8>>, tensor<2048xi8>
  return
}

// CHECK-LABEL: llvm.func @elements_bf16
// CHECK: ld.global.v4.b32 {{\{.*}}, [
// CHECK: st.global.v4.b32 [
// CHECK-NOT: {{ld|st}}.global
// CHECK: llvm.return
func.func @elements_bf16(%p: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %x = tile.arange 0, 1024 : tensor<1024xi32>
  %s = tile.splat %p : !tile.ptr<bf16> -> tensor<1024x!tile.ptr<bf16>>
  %q = tile.addptr %s, %x : tensor<1024x!tile.ptr<bf16>>, tensor<1024xi32>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %x, %ns : tensor<1024xi32>
  %v = tile.load %q mask %m : tensor<1024x!tile.ptr<bf16>> -> tensor<1024xbf16>
  tile.store %q, %v mask %m : tensor<1024x!tile.ptr<bf16>>, tensor<1024xbf16>
  return
}

// CHECK-LABEL: llvm.func @elements_f64
// CHECK: ld.global.v2.b64 {{\{.*}}, [
// CHECK: st.global.v2.b64 [
// CHECK-NOT: {{ld|st}}.global
// CHECK: llvm.return
func.func @elements_f64(%p: !tile.ptr<f64> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %x = tile.arange 0, 256 : tensor<256xi32>
  %s = tile.splat %p : !tile.ptr<f64> -> tensor<256x!tile.ptr<f64>>
  %q = tile.addptr %s, %x : tensor<256x!tile.ptr<f64>>, tensor<256xi32>
  %ns = tile.splat %n : i32 -> tensor<256xi32>
  %m = arith.cmpi slt, %x, %ns : tensor<256xi32>
  %v = tile.load %q mask %m : tensor<256x!tile.ptr<f64>> -> tensor<256xf64>
  tile.store %q, %v mask %m : tensor<256x!tile.ptr<f64>>, tensor<256xf64>
  return
}

// CHECK-LABEL: llvm.func @elements_i64
// CHECK: ld.global.v2.b64 {{\{.*}}, [
// CHECK: st.global.v2.b64 [
// CHECK-NOT: {{ld|st}}.global
// CHECK: llvm.return
func.func @elements_i64(%p: !tile.ptr<i64> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %x = tile.arange 0, 256 : tensor<256xi32>
  %s = tile.splat %p : !tile.ptr<i64> -> tensor<256x!tile.ptr<i64>>
  %q = tile.addptr %s, %x : tensor<256x!tile.ptr<i64>>, tensor<256xi32>
  %ns = tile.splat %n : i32 -> tensor<256xi32>
  %m = arith.cmpi slt, %x, %ns : tensor<256xi32>
  %v = tile.load %q mask %m : tensor<256x!tile.ptr<i64>> -> tensor<256xi64>
  tile.store %q, %v mask %m : tensor<256x!tile.ptr<i64>>, tensor<256xi64>
  return
}

// A byte travels in a 16-bit register.
// CHECK-LABEL: llvm.func @bytes
// CHECK: %[[X:.*]] = llvm.inline_asm {{.*}}"@$2 ld.global.b8 $0, [$1];", "=h,l,b,0" {{.*}} -> i16
// CHECK: llvm.trunc %[[X]] : i16 to i8
// CHECK: llvm.zext %{{.*}} : i8 to i16
// CHECK: "@$2 st.global.b8 [$1], $0;", "h,l,b"
// CHECK: "@$2 ld.global.b16 $0, [$1];", "=h,l,b,0"
// CHECK: "@$2 st.global.b16 [$1], $0;", "h,l,b"
func.func @bytes(%p: !tile.ptr<i8>, %q8: !tile.ptr<i16>, %n: i32) attributes {tile.kernel} {
  %x = tile.arange 0, 128 : tensor<128xi32>
  %s = tile.splat %p : !tile.ptr<i8> -> tensor<128x!tile.ptr<i8>>
  %q = tile.addptr %s, %x : tensor<128x!tile.ptr<i8>>, tensor<128xi32>
  %ns = tile.splat %n : i32 -> tensor<128xi32>
  %m = arith.cmpi slt, %x, %ns : tensor<128xi32>
  %v = tile.load %q mask %m : tensor<128x!tile.ptr<i8>> -> tensor<128xi8>
  tile.store %q, %v mask %m : tensor<128x!tile.ptr<i8>>, tensor<128xi8>
  %xh = tile.arange 0, 128 : tensor<128xi32>
  %sh = tile.splat %q8 : !tile.ptr<i16> -> tensor<128x!tile.ptr<i16>>
  %qh = tile.addptr %sh, %xh : tensor<128x!tile.ptr<i16>>, tensor<128xi32>
  %w = tile.load %qh mask %m : tensor<128x!tile.ptr<i16>> -> tensor<128xi16>
  tile.store %qh, %w mask %m : tensor<128x!tile.ptr<i16>>, tensor<128xi16>
  return
}

// CHECK-LABEL: llvm.func @pointers
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<2xi64>
// CHECK: llvm.inttoptr %{{.*}} : i64 to !llvm.ptr<1>
// CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// CHECK: llvm.ptrtoint %{{.*}} : !llvm.ptr<1> to i64
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<2xi64>, !llvm.ptr<1>
func.func @pointers(%p: !tile.ptr<!tile.ptr<f32>> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %x = tile.arange 0, 256 : tensor<256xi32>
  %s = tile.splat %p : !tile.ptr<!tile.ptr<f32>> -> tensor<256x!tile.ptr<!tile.ptr<f32>>>
  %q = tile.addptr %s, %x : tensor<256x!tile.ptr<!tile.ptr<f32>>>, tensor<256xi32>
  %v = tile.load %q : tensor<256x!tile.ptr<!tile.ptr<f32>>> -> tensor<256x!tile.ptr<f32>>
  %w = tile.load %v : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  tile.store %v, %w : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  tile.store %q, %v : tensor<256x!tile.ptr<!tile.ptr<f32>>>, tensor<256x!tile.ptr<f32>>
  return
}

// Of the threads that hold an element, all load it and one stores it.
// CHECK-LABEL: llvm.func @copies
// CHECK: %[[COPY:.*]] = llvm.mlir.constant(112 : i32)
// CHECK: %[[BITS:.*]] = llvm.and %{{.*}}, %[[COPY]]
// CHECK: %[[OWNER:.*]] = llvm.icmp "eq" %[[BITS]], %{{.*}}
// CHECK: "@$2 st.global.b32 [$1], $0;", "r,l,b" %{{.*}}, %{{.*}}, %[[OWNER]]
// CHECK: %[[BOTH:.*]] = llvm.and %{{.*}}, %{{.*}} : i1
// CHECK: "@$2 st.global.b32 [$1], $0;", "r,l,b" %{{.*}}, %{{.*}}, %[[BOTH]]
func.func @copies(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel} {
  %x = tile.arange 0, 16 : tensor<16xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %q = tile.addptr %s, %x : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %ns = tile.splat %n : i32 -> tensor<16xi32>
  %m = arith.cmpi slt, %x, %ns : tensor<16xi32>
  %v = tile.load %q : tensor<16x!tile.ptr<f32>> -> tensor<16xf32>
  tile.store %q, %v : tensor<16x!tile.ptr<f32>>, tensor<16xf32>
  tile.store %q, %v mask %m : tensor<16x!tile.ptr<f32>>, tensor<16xf32>
  return
}

// A scalar is loaded by every thread and stored by the first.
// CHECK-LABEL: llvm.func @scalars
// CHECK: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: "@$2 ld.global.b32 $0, [$1];", "=r,l,b,0" %arg0, %arg1
// CHECK: nvvm.barrier
// CHECK: %[[FIRST:.*]] = llvm.icmp "eq" %[[THREAD]], %{{.*}}
// CHECK: "@$2 st.global.b32 [$1], $0;", "r,l,b" %{{.*}}, %arg0, %[[FIRST]]
// CHECK: %[[BOTH:.*]] = llvm.and %arg1, %{{.*}} : i1
// CHECK: "@$2 st.global.b32 [$1], $0;", "r,l,b" %{{.*}}, %arg0, %[[BOTH]]
func.func @scalars(%p: !tile.ptr<f32>, %b: i1) attributes {tile.kernel} {
  %v = tile.load %p mask %b : !tile.ptr<f32> -> f32
  tile.store %p, %v : !tile.ptr<f32>, f32
  tile.store %p, %v mask %b : !tile.ptr<f32>, f32
  return
}

// Caches and priorities are in the instruction; the former where both are given.
// A priority is one for both levels.
// CHECK-LABEL: llvm.func @modifiers
// CHECK-DAG: "createpolicy.fractional.L2::evict_first.b64 $0, 1.0;"
// CHECK-DAG: "createpolicy.fractional.L2::evict_last.b64 $0, 1.0;"
// CHECK: "ld.global.cg.v4.b32 {
// CHECK: "ld.global.L1::evict_first.L2::cache_hint.v4.b32 {$0, $1, $2, $3}, [$4], $5;", "=r,=r,=r,=r,l,l"
// CHECK: "ld.global.cs.v4.b32 {
// CHECK: llvm.load volatile %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK: "st.global.wt.v4.b32 [
// CHECK: "st.global.L1::evict_last.L2::cache_hint.v4.b32 [$4], {$0, $1, $2, $3}, $5;", "r,r,r,r,l,l"
func.func @modifiers(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %x = tile.arange 0, 512 : tensor<512xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %q = tile.addptr %s, %x : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %0 = tile.load %q {cache = 2 : i32} : tensor<512x!tile.ptr<f32>> -> tensor<512xf32>
  %1 = tile.load %q {eviction = 1 : i32} : tensor<512x!tile.ptr<f32>> -> tensor<512xf32>
  %2 = tile.load %q {cache = 3 : i32, eviction = 2 : i32} : tensor<512x!tile.ptr<f32>> -> tensor<512xf32>
  %3 = tile.load %q {isVolatile} : tensor<512x!tile.ptr<f32>> -> tensor<512xf32>
  %4 = arith.addf %0, %1 : tensor<512xf32>
  %5 = arith.addf %2, %3 : tensor<512xf32>
  tile.store %q, %4 {cache = 6 : i32} : tensor<512x!tile.ptr<f32>>, tensor<512xf32>
  tile.store %q, %5 {eviction = 2 : i32} : tensor<512x!tile.ptr<f32>>, tensor<512xf32>
  return
}

// The bound may lie inside a vector: the whole ones as ever, and a block aside for
// the elements of the others.
// CHECK-LABEL: llvm.func @edges
// CHECK: %[[FIRST:.*]] = llvm.icmp "slt"
// CHECK: %[[ALL:.*]] = llvm.and %[[FIRST]], %[[LAST:.*]] : i1
// CHECK: %[[MAY:.*]] = llvm.or %[[FIRST]], %[[LAST]]
// CHECK: %[[NOT:.*]] = llvm.xor %[[ALL]], %{{.*}}
// CHECK: %[[EDGE:.*]] = llvm.and %[[MAY]], %[[NOT]]
// CHECK: "@$5 ld.global.v4.b32 {$0, $1, $2, $3}, [$4];", "=r,=r,=r,=r,l,b,0,1,2,3" %{{.*}}, %[[ALL]]
// CHECK: llvm.cond_br %[[EDGE]] weights([1, 1000]), ^[[ASIDE:.*]], ^[[ON:[a-z0-9]+]](
// CHECK: ^[[ASIDE]]:
// CHECK-COUNT-4: "@$2 ld.global.b32 $0, [$1];", "=r,l,b,0"
// CHECK: llvm.br ^[[ON]](
// CHECK: ^[[ON]](
// CHECK: "@$5 st.global.v4.b32 [$4], {$0, $1, $2, $3};"
// CHECK: llvm.cond_br
// CHECK-COUNT-4: "@$2 st.global.b32 [$1], $0;"
// CHECK: llvm.return
func.func @edges(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel} {
  %x = tile.arange 0, 512 : tensor<512xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %q = tile.addptr %s, %x : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %ns = tile.splat %n : i32 -> tensor<512xi32>
  %m = arith.cmpi slt, %x, %ns : tensor<512xi32>
  %v = tile.load %q mask %m : tensor<512x!tile.ptr<f32>> -> tensor<512xf32>
  tile.store %q, %v mask %m : tensor<512x!tile.ptr<f32>>, tensor<512xf32>
  return
}

// What a thread keeps moves 16 bytes at a time, and waits for nobody.
// CHECK-LABEL: llvm.func @kept
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// CHECK-NOT: nvvm.barrier
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
func.func @kept(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %i: i32) attributes {tile.kernel} {
  %x = tile.arange 0, 512 : tensor<512xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %q = tile.addptr %s, %x : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %ring = tilegpu.ring_alloc 3 : !tilegpu.memdesc<512xf32>
  %v = tile.load %q : tensor<512x!tile.ptr<f32>> -> tensor<512xf32>
  tilegpu.keep %v, %ring[%i] : tensor<512xf32>, !tilegpu.memdesc<512xf32>
  %w = tilegpu.recall %ring[%i] : !tilegpu.memdesc<512xf32> -> tensor<512xf32>
  tile.store %q, %w : tensor<512x!tile.ptr<f32>>, tensor<512xf32>
  return
}
