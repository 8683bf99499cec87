// RUN: tile-opt --tilec-llvm-pipeline %s | FileCheck %s
// RUN: %if ptxas %{ tilec %s -o %t.ptx && ptxas -arch=sm_80 %t.ptx -o %t.cubin %}
// RUN: %if ptxas %{ tilec %s -o %t.ptx --arch sm_90a && ptxas -arch=sm_90a %t.ptx -o %t.cubin %}

// CHECK-LABEL: llvm.func @integers
// CHECK: llvm.add
// CHECK: llvm.mul
// CHECK: llvm.intr.smin
// CHECK: llvm.intr.umax
func.func @integers(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  %x = tile.arange 0, 128 : tensor<128xi32>
  %s = tile.splat %p : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %q = tile.addptr %s, %x : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %v = tile.load %q : tensor<128x!tile.ptr<i32>> -> tensor<128xi32>
  %a0 = arith.addi %v, %v : tensor<128xi32>
  %a1 = arith.muli %a0, %v : tensor<128xi32>
  %a2 = arith.minsi %a1, %v : tensor<128xi32>
  %a3 = arith.maxui %a2, %v : tensor<128xi32>
  tile.store %q, %a3 : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  return
}

// A zero divisor must not let LLVM assume what it likes.
// CHECK-LABEL: llvm.func @division
// CHECK: %[[IS:.*]] = llvm.icmp "eq" %[[D:.*]], %{{.*}}
// CHECK: %[[SAFE:.*]] = llvm.select %[[IS]], %{{.*}}, %[[D]]
// CHECK: llvm.sdiv %{{.*}}, %[[SAFE]]
// CHECK: llvm.urem
func.func @division(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  %x = tile.arange 0, 128 : tensor<128xi32>
  %s = tile.splat %p : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %q = tile.addptr %s, %x : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %v = tile.load %q : tensor<128x!tile.ptr<i32>> -> tensor<128xi32>
  %a0 = arith.divsi %v, %v : tensor<128xi32>
  %a1 = arith.remui %a0, %v : tensor<128xi32>
  tile.store %q, %a1 : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  return
}

// A distance of the width or more gives zeros or signs.
// CHECK-LABEL: llvm.func @shifts
// CHECK: %[[IN:.*]] = llvm.icmp "ule"
// CHECK: %[[BY:.*]] = llvm.select %[[IN]]
// CHECK: %[[S:.*]] = llvm.shl %{{.*}}, %[[BY]]
// CHECK: llvm.select %[[IN]], %[[S]]
// CHECK: llvm.ashr
// CHECK: llvm.lshr
func.func @shifts(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  %x = tile.arange 0, 128 : tensor<128xi32>
  %s = tile.splat %p : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %q = tile.addptr %s, %x : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %v = tile.load %q : tensor<128x!tile.ptr<i32>> -> tensor<128xi32>
  %a0 = arith.shli %v, %v : tensor<128xi32>
  %a1 = arith.shrsi %a0, %v : tensor<128xi32>
  %a2 = arith.shrui %a1, %v : tensor<128xi32>
  tile.store %q, %a2 : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  return
}

// CHECK-LABEL: llvm.func @floats
// CHECK: llvm.fadd
// CHECK: llvm.fdiv
// CHECK: llvm.intr.maxnum
// CHECK: llvm.intr.minimum
func.func @floats(%p: !tile.ptr<f32>) attributes {tile.kernel} {
  %x = tile.arange 0, 128 : tensor<128xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %q = tile.addptr %s, %x : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %v = tile.load %q : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
  %a0 = arith.addf %v, %v : tensor<128xf32>
  %a1 = arith.divf %a0, %v : tensor<128xf32>
  %a2 = arith.maxnumf %a1, %v : tensor<128xf32>
  %a3 = arith.minimumf %a2, %v : tensor<128xf32>
  tile.store %q, %a3 : tensor<128x!tile.ptr<f32>>, tensor<128xf32>
  return
}

// Divided in f32 and rounded once.
// CHECK-LABEL: llvm.func @narrow_division
// CHECK: llvm.shl %{{.*}}, %{{.*}} : i32
// CHECK: llvm.bitcast %{{.*}} : i32 to f32
// CHECK: llvm.fdiv %{{.*}} : f32
// CHECK: llvm.fptrunc %{{.*}} : f32 to bf16
func.func @narrow_division(%p: !tile.ptr<bf16>) attributes {tile.kernel} {
  %x = tile.arange 0, 128 : tensor<128xi32>
  %s = tile.splat %p : !tile.ptr<bf16> -> tensor<128x!tile.ptr<bf16>>
  %q = tile.addptr %s, %x : tensor<128x!tile.ptr<bf16>>, tensor<128xi32>
  %v = tile.load %q : tensor<128x!tile.ptr<bf16>> -> tensor<128xbf16>
  %a0 = arith.divf %v, %v : tensor<128xbf16>
  tile.store %q, %a0 : tensor<128x!tile.ptr<bf16>>, tensor<128xbf16>
  return
}

// Toward zero; out of range saturates.
// CHECK-LABEL: llvm.func @float_to_int
// CHECK: llvm.call_intrinsic "llvm.fptosi.sat"(%{{.*}}) : (f32) -> i32
func.func @float_to_int(%p: !tile.ptr<f32>, %o: !tile.ptr<i32>) attributes {tile.kernel} {
  %x = tile.arange 0, 128 : tensor<128xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %q = tile.addptr %s, %x : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %v = tile.load %q : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
  %c = arith.fptosi %v : tensor<128xf32> to tensor<128xi32>
  %xo = tile.arange 0, 128 : tensor<128xi32>
  %so = tile.splat %o : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %qo = tile.addptr %so, %xo : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %qo, %c : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  return
}

// Through f64, which holds it, so that it is rounded once.
// CHECK-LABEL: llvm.func @int_to_half
// CHECK: llvm.sitofp %{{.*}} : i32 to f64
// CHECK: llvm.fptrunc %{{.*}} : f64 to f16
func.func @int_to_half(%p: !tile.ptr<i32>, %o: !tile.ptr<f16>) attributes {tile.kernel} {
  %x = tile.arange 0, 128 : tensor<128xi32>
  %s = tile.splat %p : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>>
  %q = tile.addptr %s, %x : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %v = tile.load %q : tensor<128x!tile.ptr<i32>> -> tensor<128xi32>
  %c = arith.sitofp %v : tensor<128xi32> to tensor<128xf16>
  %xo = tile.arange 0, 128 : tensor<128xi32>
  %so = tile.splat %o : !tile.ptr<f16> -> tensor<128x!tile.ptr<f16>>
  %qo = tile.addptr %so, %xo : tensor<128x!tile.ptr<f16>>, tensor<128xi32>
  tile.store %qo, %c : tensor<128x!tile.ptr<f16>>, tensor<128xf16>
  return
}

// Offsets are signed and count elements.
// CHECK-LABEL: llvm.func @pointer_offsets
// CHECK: %[[A:.*]] = llvm.getelementptr %arg0[%arg1] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
// CHECK: %[[S:.*]] = llvm.sext %arg2 : i1 to i32
// CHECK: %[[B:.*]] = llvm.getelementptr %[[A]][%[[S]]] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
// CHECK: llvm.ptrtoint %[[B]] : !llvm.ptr<1> to i64
// CHECK: llvm.inttoptr
func.func @pointer_offsets(%p: !tile.ptr<f32>, %o: i64, %b: i1) attributes {tile.kernel} {
  %0 = tile.addptr %p, %o : !tile.ptr<f32>, i64
  %1 = tile.addptr %0, %b : !tile.ptr<f32>, i1
  %2 = tile.ptr_cast %1 : !tile.ptr<f32> -> !tile.ptr<i32>
  %3 = tile.ptr_cast %2 : !tile.ptr<i32> -> i64
  %4 = tile.ptr_cast %3 : i64 -> !tile.ptr<i64>
  tile.store %4, %3 : !tile.ptr<i64>, i64
  return
}

// Views rename registers: what is put into shared memory is what was loaded, as it
// came. From there it is stored in the order that the views give it.
// CHECK-LABEL: llvm.func @views
// CHECK: %[[BOTH:.*]] = llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xi32>
// CHECK: %[[A:.*]] = llvm.extractelement %[[BOTH]]
// CHECK: %[[B:.*]] = llvm.extractelement %[[BOTH]]
// CHECK-NEXT: %[[FA:.*]] = llvm.bitcast %[[A]] : i32 to f32
// CHECK-NEXT: %[[FB:.*]] = llvm.bitcast %[[B]] : i32 to f32
// CHECK: %[[WA:.*]] = llvm.bitcast %[[FA]] : f32 to i32
// CHECK-NEXT: %[[WB:.*]] = llvm.bitcast %[[FB]] : f32 to i32
// CHECK: %[[HALF:.*]] = llvm.insertelement %[[WA]]
// CHECK: %[[WORDS:.*]] = llvm.insertelement %[[WB]], %[[HALF]]
// CHECK: llvm.store %[[WORDS]], %{{.*}} {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<3>
// CHECK-NEXT: nvvm.barrier
// CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> i32
// CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 4 : i64} : i32, !llvm.ptr<1>
// CHECK-NEXT: llvm.return
func.func @views(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %o: !tile.ptr<f32>) attributes {tile.kernel} {
  %r_ = tile.arange 0, 8 : tensor<8xi32>
  %c_ = tile.arange 0, 32 : tensor<32xi32>
  %r1_ = tile.expand_dims %r_, 1 : tensor<8xi32> -> tensor<8x1xi32>
  %c1_ = tile.expand_dims %c_, 0 : tensor<32xi32> -> tensor<1x32xi32>
  %k_ = arith.constant dense<32> : tensor<8x1xi32>
  %rk_ = arith.muli %r1_, %k_ : tensor<8x1xi32>
  %rb_ = tile.broadcast %rk_ : tensor<8x1xi32> -> tensor<8x32xi32>
  %cb_ = tile.broadcast %c1_ : tensor<1x32xi32> -> tensor<8x32xi32>
  %o_ = arith.addi %rb_, %cb_ : tensor<8x32xi32>
  %s_ = tile.splat %p : !tile.ptr<f32> -> tensor<8x32x!tile.ptr<f32>>
  %q = tile.addptr %s_, %o_ : tensor<8x32x!tile.ptr<f32>>, tensor<8x32xi32>
  %v = tile.load %q : tensor<8x32x!tile.ptr<f32>> -> tensor<8x32xf32>
  %t = tile.trans %v, [1, 0] : tensor<8x32xf32> -> tensor<32x8xf32>
  %f = tile.reshape %t : tensor<32x8xf32> -> tensor<256xf32>
  %xo = tile.arange 0, 256 : tensor<256xi32>
  %so = tile.splat %o : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %qo = tile.addptr %so, %xo : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  tile.store %qo, %f : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  return
}

// A bound that 4 divides holds for four elements or for none: they have one comparison,
// and one quotient. Where arguments decide the sign of a dividend, each has its own.
// CHECK-LABEL: llvm.func @equal_in_groups
// CHECK: llvm.icmp "slt"
// CHECK-NOT: llvm.icmp "slt"
// CHECK: llvm.sdiv
// CHECK-NOT: llvm.sdiv
// CHECK-COUNT-4: llvm.select
// CHECK-NOT: llvm.icmp "slt"
// CHECK-NOT: llvm.sdiv
// CHECK: llvm.return
func.func @equal_in_groups(%p: !tile.ptr<i32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %x = tile.arange 0, 512 : tensor<512xi32>
  %s = tile.splat %p : !tile.ptr<i32> -> tensor<512x!tile.ptr<i32>>
  %q = tile.addptr %s, %x : tensor<512x!tile.ptr<i32>>, tensor<512xi32>
  %ns = tile.splat %n : i32 -> tensor<512xi32>
  %m = arith.cmpi slt, %x, %ns : tensor<512xi32>
  %c4 = arith.constant dense<4> : tensor<512xi32>
  %d = arith.divsi %x, %c4 : tensor<512xi32>
  %v = arith.select %m, %x, %d : tensor<512xi1>, tensor<512xi32>
  tile.store %q, %v : tensor<512x!tile.ptr<i32>>, tensor<512xi32>
  return
}

// CHECK-LABEL: llvm.func @equal_if_positive
// CHECK-COUNT-4: llvm.sdiv
func.func @equal_if_positive(%p: !tile.ptr<i32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %x = tile.arange 0, 512 : tensor<512xi32>
  %s = tile.splat %p : !tile.ptr<i32> -> tensor<512x!tile.ptr<i32>>
  %q = tile.addptr %s, %x : tensor<512x!tile.ptr<i32>>, tensor<512xi32>
  %ns = tile.splat %n : i32 -> tensor<512xi32>
  %sum = arith.addi %x, %ns : tensor<512xi32>
  %c4 = arith.constant dense<4> : tensor<512xi32>
  %d = arith.divsi %sum, %c4 : tensor<512xi32>
  tile.store %q, %d : tensor<512x!tile.ptr<i32>>, tensor<512xi32>
  return
}

// A tile is widened where it is used, behind the second load, and not where it is loaded.
// CHECK-LABEL: llvm.func @widened_late
// CHECK: ld.global
// CHECK-NOT: llvm.fpext
// CHECK: ld.global
// CHECK: llvm.fpext
func.func @widened_late(%p: !tile.ptr<f16>, %o: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %x = tile.arange 0, 128 : tensor<128xi32>
  %s = tile.splat %p : !tile.ptr<f16> -> tensor<128x!tile.ptr<f16>>
  %q = tile.addptr %s, %x : tensor<128x!tile.ptr<f16>>, tensor<128xi32>
  %ns = tile.splat %n : i32 -> tensor<128xi32>
  %m = arith.cmpi slt, %x, %ns : tensor<128xi32>
  %a = tile.load %q mask %m : tensor<128x!tile.ptr<f16>> -> tensor<128xf16>
  %wide = arith.extf %a : tensor<128xf16> to tensor<128xf32>
  %so = tile.splat %o : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %qo = tile.addptr %so, %x : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %b = tile.load %qo mask %m : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
  %sum = arith.addf %wide, %b : tensor<128xf32>
  tile.store %qo, %sum : tensor<128x!tile.ptr<f32>>, tensor<128xf32>
  return
}
