// RUN: tile-opt %s --convert-tilegpu-to-nvvm --split-input-file --verify-diagnostics | FileCheck %s

// Each operation of `math` becomes instructions: there is no library to call.

module attributes {tilegpu.arch = "sm_80"} {
  // An exponential splits off the exponent; the rest is the hardware's.
  // CHECK-LABEL: llvm.func @exp(
  // CHECK: llvm.intr.fma
  // CHECK: llvm.intr.minimum
  // CHECK: llvm.intr.maximum
  // CHECK: llvm.shl
  // CHECK: %[[P:.*]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"
  // CHECK: llvm.fmul %[[P]]
  func.func @exp(%p: !tile.ptr<f32>, %x: f32) attributes {tilegpu.num_warps = 1 : i32} {
    %0 = math.exp %x : f32
    tile.store %p, %0 : !tile.ptr<f32>, f32
    return
  }

  // CHECK-LABEL: llvm.func @approximate(
  // CHECK: %[[X:.*]] = llvm.fmul %arg1
  // CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[X]])
  // CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.lg2.approx.f"
  // CHECK: llvm.call_intrinsic "llvm.nvvm.sqrt.approx.ftz.f"
  // CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.ftz.f"
  // CHECK: llvm.call_intrinsic "llvm.nvvm.sin.approx.ftz.f"
  func.func @approximate(%p: !tile.ptr<f32>, %x: f32) attributes {tilegpu.num_warps = 1 : i32} {
    %0 = math.exp %x fastmath<afn> : f32
    %1 = math.log %0 fastmath<afn> : f32
    %2 = math.sqrt %1 fastmath<afn> : f32
    %3 = math.rsqrt %2 fastmath<afn> : f32
    %4 = math.sin %3 fastmath<afn> : f32
    tile.store %p, %4 : !tile.ptr<f32>, f32
    return
  }

  // Large angles are reduced in a block of their own.
  // CHECK-LABEL: llvm.func @sin(
  // CHECK: llvm.cond_br %{{.*}}, ^[[RARE:.*]], ^[[DONE:.*]](%{{.*}}, %{{.*}} : f32, i32)
  // CHECK: ^[[RARE]]:
  // CHECK: llvm.intr.fshl
  // CHECK: llvm.br ^[[DONE]](%{{.*}}, %{{.*}} : f32, i32)
  // CHECK: ^[[DONE]](%[[R:.*]]: f32, %[[N:.*]]: i32):
  // CHECK: llvm.fmul %[[R]], %[[R]]
  func.func @sin(%p: !tile.ptr<f32>, %x: f32) attributes {tilegpu.num_warps = 1 : i32} {
    %0 = math.sin %x : f32
    tile.store %p, %0 : !tile.ptr<f32>, f32
    return
  }

  // 16-bit floats go through f32, but for what is exact in any width.
  // CHECK-LABEL: llvm.func @narrow(
  // CHECK: %[[A:.*]] = llvm.intr.fabs(%arg1) : (f16) -> f16
  // CHECK-NEXT: %[[W:.*]] = llvm.fpext %[[A]] : f16 to f32
  // CHECK: llvm.intr.copysign(%{{.*}}, %[[W]]) : (f32, f32) -> f32
  // CHECK-NEXT: llvm.fptrunc %{{.*}} : f32 to f16
  func.func @narrow(%p: !tile.ptr<f16>, %x: f16) attributes {tilegpu.num_warps = 1 : i32} {
    %0 = math.absf %x : f16
    %1 = math.tanh %0 : f16
    tile.store %p, %1 : !tile.ptr<f16>, f16
    return
  }

  // CHECK-LABEL: llvm.func @wide(
  // CHECK: llvm.intr.sqrt(%arg1) : (f64) -> f64
  // CHECK-NEXT: llvm.intr.fma({{.*}}) : (f64, f64, f64) -> f64
  func.func @wide(%p: !tile.ptr<f64>, %x: f64) attributes {tilegpu.num_warps = 1 : i32} {
    %0 = math.sqrt %x : f64
    %1 = math.fma %0, %x, %x : f64
    tile.store %p, %1 : !tile.ptr<f64>, f64
    return
  }

  // CHECK-LABEL: llvm.func @integers(
  // CHECK: "llvm.intr.abs"(%arg1) <{is_int_min_poison = false}>
  // CHECK-NEXT: "llvm.intr.ctlz"(%{{.*}}) <{is_zero_poison = false}>
  // CHECK: llvm.intr.ctpop
  func.func @integers(%p: !tile.ptr<i32>, %x: i32) attributes {tilegpu.num_warps = 1 : i32} {
    %0 = math.absi %x : i32
    %1 = math.ctlz %0 : i32
    %2 = math.cttz %1 : i32
    tile.store %p, %2 : !tile.ptr<i32>, i32
    return
  }
}

// -----

module attributes {tilegpu.arch = "sm_80"} {
  // CHECK-LABEL: llvm.func @double
  // Not by way of f32.
  // CHECK-NOT: f32
  // CHECK: llvm.return
  func.func @double(%p: !tile.ptr<f64>, %x: f64) attributes {tilegpu.num_warps = 1 : i32} {
    %0 = math.exp %x fastmath<afn> : f64
    %1 = math.log %0 : f64
    %2 = math.sin %1 : f64
    %3 = math.atan2 %2, %x : f64
    %4 = math.powf %3, %x : f64
    tile.store %p, %4 : !tile.ptr<f64>, f64
    return
  }
}

// -----

module attributes {tilegpu.arch = "sm_80"} {
  func.func @unknown(%p: !tile.ptr<i32>, %x: i32) attributes {tilegpu.num_warps = 1 : i32} {
    // expected-error @+1 {{code generation does not know 'math.ipowi': run this kernel on the interpreter}}
    %0 = math.ipowi %x, %x : i32
    tile.store %p, %0 : !tile.ptr<i32>, i32
    return
  }
}
