// RUN: tilec %s --emit=tile --verify-each | FileCheck %s --check-prefix=TILE
// RUN: tilec %s --emit=tilegpu --verify-each | FileCheck %s --check-prefix=TILEGPU
// RUN: tilec %s --emit=llvm --verify-each | FileCheck %s --check-prefix=LLVM
// RUN: tilec %s --emit=llvmir --verify-each | FileCheck %s --check-prefix=LLVMIR
// RUN: tilec %s --emit=ptx -o - --verify-each | FileCheck %s --check-prefix=PTX
// RUN: %if ptxas %{ tilec %s -o %t.ptx && ptxas -arch=sm_80 %t.ptx -o %t.cubin %}

// Each phase can be printed, and what is printed can be compiled further.

// RUN: tilec %s --emit=tile -o %t.tile.mlir && tilec %t.tile.mlir -o - | FileCheck %s --check-prefix=PTX
// RUN: tilec %s --emit=tilegpu --arch sm_90a -o %t.gpu.mlir && tilec %t.gpu.mlir -o - | FileCheck %s --check-prefixes=PTX,SM90A
// RUN: tilec %s --emit=llvm -o %t.llvm.mlir && tilec %t.llvm.mlir -o - | FileCheck %s --check-prefix=PTX

// The same phases by name in tile-opt.

// RUN: tile-opt %s --tilec-tile-pipeline | FileCheck %s --check-prefix=TILE
// RUN: tile-opt %s --tilec-tilegpu-pipeline="num-warps=8" | FileCheck %s --check-prefix=WARPS
// RUN: tile-opt %s --tilec-llvm-pipeline="arch=sm_80" | FileCheck %s --check-prefix=LLVM

// TILE: func.func @add(
// TILE: tile.load
// TILE: math.fma
// TILEGPU: #layout = #tilegpu.layout<[1024], register = {{.*}}, lane = {{.*}}, warp = {{.*}}>
// TILEGPU: module attributes {tilegpu.arch = "sm_80"}
// TILEGPU: tilegpu.num_warps = 4 : i32
// TILEGPU: math.fma {{.*}} : tensor<1024xf32, #layout>
// WARPS: tilegpu.num_warps = 8 : i32
// LLVM: llvm.func @add(
// LLVM-SAME: nvvm.kernel, nvvm.reqntid = array<i32: 128
// LLVMIR: define ptx_kernel void @add(
// SM90A: .target sm_90a
// PTX: .visible .entry add(
// PTX: .reqntid 128
// PTX-COUNT-4: ld.global.v4.b32
// PTX-COUNT-8: fma.rn.f32
// PTX-COUNT-2: st.global.v4.b32
// PTX: ret

func.func @add(%x: !tile.ptr<f32> {tile.name = "x_ptr", tile.type = "*fp32", tile.divisibility = 16 : i32},
               %y: !tile.ptr<f32> {tile.divisibility = 16 : i32},
               %o: !tile.ptr<f32> {tile.divisibility = 16 : i32},
               %n: i32 {tile.divisibility = 16 : i32})
    attributes {tile.kernel, tile.constants = {BLOCK = 1024 : i64}} {
  %pid = tile.program_id 0 : i32
  %c1024 = arith.constant 1024 : i32
  %base = arith.muli %pid, %c1024 : i32
  %r = tile.arange 0, 1024 : tensor<1024xi32>
  %b = tile.splat %base : i32 -> tensor<1024xi32>
  %offs = arith.addi %b, %r : tensor<1024xi32>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %offs, %ns : tensor<1024xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %offs : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %offs : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %os = tile.splat %o : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %op = tile.addptr %os, %offs : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %xv = tile.load %xp mask %m : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  %yv = tile.load %yp mask %m : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  %p = arith.mulf %xv, %yv : tensor<1024xf32>
  %s = arith.addf %p, %yv : tensor<1024xf32>
  tile.store %op, %s mask %m : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  return
}
