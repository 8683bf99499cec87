// RUN: tilec %s -o - | FileCheck %s
// RUN: %if ptxas %{ tilec %s -o %t.ptx && ptxas -arch=sm_80 %t.ptx -o %t.cubin %}

// The record of an entry comes from the attributes that the phases leave.

// CHECK: // tilec: {"schema": 1, "compiler": "tilec {{[0-9.]+}}", "arch": "sm_80"}
// CHECK-NEXT: // tilec: {"kernel": "scale", "entry": "scale", "params": [{"name": "x_ptr", "type": "*fp32", "align": 16}, {"name": "n", "type": "u32"}],
// CHECK-SAME: "constants": {"BLOCK": 128, "FLAG": true, "HALF": 0.5, "MODE": "relu"}, "folded": {"stride": 1},
// CHECK-SAME: "hidden": [], "num_warps": 4, "num_stages": 2, "threads": 128, "cluster": [1, 1, 1], "dynamic_shared": 512,
// CHECK-SAME: "requires": ["x_ptr % 16 == 0"], "source": "scale.tile:3"}
// CHECK-NEXT: // tilec: {"kernel": "plain", "entry": "plain", "params": [{"name": "arg0", "type": "*i8"}, {"name": "arg1", "type": "fp32"}],
// CHECK: .version 7.4
// CHECK-NEXT: .target sm_80{{$}}
// CHECK: .extern .shared .align 16 .b8 tilec_shared[];
// CHECK: .visible .entry scale(
// CHECK: .reqntid 128
// CHECK: .visible .entry plain(

#kernel = loc("scale.tile":3:1)
#line = loc("scale.tile":5:7)
llvm.mlir.global external @tilec_shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
llvm.func @scale(%x: !llvm.ptr<1> {tile.name = "x_ptr", tile.type = "*fp32", tile.divisibility = 16 : i32},
                 %n: i32 {tile.name = "n", tile.type = "u32"})
    attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>, tilegpu.num_warps = 4 : i32, tilegpu.shared = 512 : i32,
                tile.num_stages = 2 : i32, tile.constants = {BLOCK = 128 : i64, FLAG = true, HALF = 0.5 : f64, MODE = "relu"},
                tile.folded = {stride = 1 : i32}} {
  %base = llvm.mlir.addressof @tilec_shared : !llvm.ptr<3>
  %t = nvvm.read.ptx.sreg.tid.x : i32
  %s = llvm.getelementptr %base[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
  %p = llvm.getelementptr %x[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %v = llvm.load %p : !llvm.ptr<1> -> f32
  llvm.store %v, %s : f32, !llvm.ptr<3>
  nvvm.barrier0
  %w = llvm.load %s : !llvm.ptr<3> -> f32
  %r = llvm.fmul %w, %w : f32 loc(#line)
  llvm.store %r, %p : f32, !llvm.ptr<1>
  llvm.return
} loc(#kernel)
llvm.func @plain(%x: !llvm.ptr<1>, %v: f32) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 64>} {
  llvm.store %v, %x : f32, !llvm.ptr<1>
  llvm.return
}
