// RUN: tile-opt --tilegpu-set-target --split-input-file %s | FileCheck %s --check-prefixes=CHECK,OWN
// RUN: tile-opt --tilegpu-set-target="arch=sm_90a num-warps=2 num-stages=4" --split-input-file %s | FileCheck %s --check-prefixes=CHECK,GIVEN

// OWN: module attributes {tilegpu.arch = "sm_80"}
// GIVEN: module attributes {tilegpu.arch = "sm_90a"}

// What the kernel asks for, unless the option says another number.
// CHECK-LABEL: func.func @eight
// OWN-SAME: tilegpu.num_stages = 2 : i32, tilegpu.num_warps = 8 : i32
// GIVEN-SAME: tilegpu.num_stages = 4 : i32, tilegpu.num_warps = 2 : i32
func.func @eight() attributes {tile.kernel, tile.num_stages = 2 : i32, tile.num_warps = 8 : i32} {
  return
}

// CHECK-LABEL: func.func @default
// OWN-SAME: tilegpu.num_stages = 3 : i32, tilegpu.num_warps = 4 : i32
// GIVEN-SAME: tilegpu.num_warps = 2 : i32
func.func @default() attributes {tile.kernel} {
  return
}

// -----

// What an earlier run said is replaced.
// OWN: module attributes {tilegpu.arch = "sm_80"}
// GIVEN: module attributes {tilegpu.arch = "sm_90a"}
module attributes {tilegpu.arch = "sm_100"} {
}
