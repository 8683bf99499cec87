// RUN: tile-opt --tilec-llvm-pipeline %s | FileCheck %s
// RUN: %if ptxas %{ tilec %s -o %t.ptx && ptxas -arch=sm_80 %t.ptx -o %t.cubin %}
// RUN: %if ptxas %{ tilec %s -o %t.ptx --arch sm_90a && ptxas -arch=sm_90a %t.ptx -o %t.cubin %}

// A guarded loop with its test at the end; each register is a block argument.
// CHECK-LABEL: llvm.func @for_loop
// CHECK: %[[ANY:.*]] = llvm.icmp "slt" %[[LOWER:.*]], %arg1
// CHECK: llvm.cond_br %[[ANY]], ^[[BODY:.*]](%[[LOWER]], %[[X:.*]], %[[Y:.*]], %{{.*}} : i32, f32, f32, i32), ^[[EXIT:.*]](%[[X]], %[[Y]], %{{.*}} : f32, f32, i32)
// CHECK: ^[[BODY]](%[[I:.*]]: i32, %[[A:.*]]: f32, %[[B:.*]]: f32, %[[K:.*]]: i32):
// CHECK-DAG: %[[A1:.*]] = llvm.fadd %[[A]], %[[X]]
// CHECK-DAG: %[[B1:.*]] = llvm.fadd %[[B]], %[[Y]]
// CHECK-DAG: %[[K1:.*]] = llvm.add %[[K]], %[[I]]
// CHECK-DAG: %[[NEXT:.*]] = llvm.add %[[I]], %{{.*}}
// CHECK: %[[LEFT:.*]] = llvm.sub %arg1, %{{.*}} : i32
// CHECK-NEXT: %[[MORE:.*]] = llvm.icmp "ugt" %[[LEFT]], %{{.*}} : i32
// CHECK: llvm.cond_br %[[MORE]], ^[[BODY]](%[[NEXT]], %[[A1]], %[[B1]], %[[K1]] : i32, f32, f32, i32), ^[[EXIT]](%[[A1]], %[[B1]], %[[K1]] : f32, f32, i32)
// CHECK: ^[[EXIT]](%[[R:.*]]: f32, %[[S:.*]]: f32, %{{.*}}: i32):
// CHECK: llvm.bitcast %[[R]] : f32 to i32
func.func @for_loop(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32, %o: !tile.ptr<i32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c2 = arith.constant 2 : i32
  %x = tile.arange 0, 256 : tensor<256xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %q = tile.addptr %s, %x : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %v = tile.load %q : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  %r:2 = scf.for %i = %c0 to %n step %c2 iter_args(%s1 = %v, %k = %c0) -> (tensor<256xf32>, i32) : i32 {
    %a = arith.addf %s1, %v : tensor<256xf32>
    %j = arith.addi %k, %i : i32
    scf.yield %a, %j : tensor<256xf32>, i32
  }
  tile.store %q, %r#0 : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  tile.store %o, %r#1 : !tile.ptr<i32>, i32
  return
}

// CHECK-LABEL: llvm.func @while_loop
// CHECK: llvm.br ^[[TEST:.*]](%{{.*}} : i32)
// CHECK: ^[[TEST]](%[[I:.*]]: i32):
// CHECK: %[[MORE:.*]] = llvm.icmp "sgt" %[[I]]
// CHECK: llvm.cond_br %[[MORE]], ^[[BODY:.*]](%[[I]] : i32), ^[[EXIT:.*]](%[[I]] : i32)
// CHECK: ^[[BODY]](%[[J:.*]]: i32):
// CHECK: %[[K:.*]] = llvm.sub %[[J]]
// CHECK: llvm.br ^[[TEST]](%[[K]] : i32)
// CHECK: ^[[EXIT]](%{{.*}}: i32):
func.func @while_loop(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  %c1 = arith.constant 1 : i32
  %v = tile.load %p : !tile.ptr<i32> -> i32
  %r = scf.while (%i = %v) : (i32) -> i32 {
    %more = arith.cmpi sgt, %i, %c1 : i32
    scf.condition(%more) %i : i32
  } do {
  ^bb0(%i: i32):
    %j = arith.subi %i, %c1 : i32
    scf.yield %j : i32
  }
  tile.store %p, %r : !tile.ptr<i32>, i32
  return
}

// CHECK-LABEL: llvm.func @branch
// CHECK: llvm.cond_br %arg1, ^[[THEN:.*]], ^[[ELSE:.*]]
// CHECK: ^[[THEN]]:
// CHECK: llvm.br ^[[EXIT:.*]](%{{.*}}, %{{.*}} : f32, f32)
// CHECK: ^[[EXIT]](%{{.*}}: f32, %{{.*}}: f32):
// CHECK: llvm.cond_br %arg2, ^[[ONE:.*]], ^[[END:.*]]
// CHECK: ^[[ELSE]]:
// CHECK: llvm.br ^[[EXIT]](
// CHECK: ^[[ONE]]:
// CHECK: llvm.store
// CHECK: llvm.br ^[[END]]
// CHECK: ^[[END]]:
// CHECK: llvm.return
func.func @branch(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %b: i1, %c: i1) attributes {tile.kernel} {
  %x = tile.arange 0, 256 : tensor<256xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %q = tile.addptr %s, %x : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %v = tile.load %q : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  %r = scf.if %b -> (tensor<256xf32>) {
    %e = math.exp %v : tensor<256xf32>
    scf.yield %e : tensor<256xf32>
  } else {
    scf.yield %v : tensor<256xf32>
  }
  scf.if %c {
    tile.store %q, %r : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  }
  return
}

// CHECK-LABEL: llvm.func @nested
// CHECK-COUNT-5: llvm.cond_br
// CHECK-NOT: llvm.cond_br
func.func @nested(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32, %b: i1) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = tile.arange 0, 256 : tensor<256xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %q = tile.addptr %s, %x : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %v = tile.load %q : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s1 = %v) -> (tensor<256xf32>) : i32 {
    %in = scf.for %j = %c0 to %i step %c1 iter_args(%t1 = %s1) -> (tensor<256xf32>) : i32 {
      %w = scf.if %b -> (tensor<256xf32>) {
        %e = math.exp %t1 : tensor<256xf32>
        scf.yield %e : tensor<256xf32>
      } else {
        scf.yield %t1 : tensor<256xf32>
      }
      scf.yield %w : tensor<256xf32>
    }
    scf.yield %in : tensor<256xf32>
  }
  tile.store %q, %r : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  return
}

// CHECK-LABEL: llvm.func @grid
// CHECK: nvvm.read.ptx.sreg.ctaid.x
// CHECK: nvvm.read.ptx.sreg.ctaid.y
// CHECK: nvvm.read.ptx.sreg.ctaid.z
// CHECK: nvvm.read.ptx.sreg.nctaid.x
// CHECK: nvvm.read.ptx.sreg.nctaid.y
// CHECK: nvvm.read.ptx.sreg.nctaid.z
// CHECK: llvm.cond_br %{{.*}}, ^[[FAILED:.*]], ^[[GOES_ON:.*]]
// CHECK: ^[[FAILED]]:
// CHECK: llvm.call @__assertfail(%{{.*}}) : (!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i64) -> ()
// CHECK: llvm.inline_asm has_side_effects {{.*}}"trap;"
// CHECK: ^[[GOES_ON]]:
// CHECK: nvvm.barrier
func.func @grid(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  %a = tile.program_id 0 : i32
  %b = tile.program_id 1 : i32
  %c = tile.program_id 2 : i32
  %d = tile.num_programs 0 : i32
  %e = tile.num_programs 1 : i32
  %f = tile.num_programs 2 : i32
  %g = arith.addi %a, %b : i32
  %h = arith.addi %g, %c : i32
  %i = arith.addi %h, %d : i32
  %j = arith.addi %i, %e : i32
  %k = arith.addi %j, %f : i32
  %l = arith.cmpi sge, %k, %a : i32
  tile.assert %l, "message" : i1
  tile.barrier
  tile.store %p, %k : !tile.ptr<i32>, i32
  return
}
