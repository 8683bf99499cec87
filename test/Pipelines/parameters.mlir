// RUN: tilec %s -o - | FileCheck %s
// RUN: tilec %s --num-stages 2 --num-warps 2 -o - | FileCheck %s --check-prefix=OPTIONS

// Parameters that no front end named are numbered and take the types of the IR; the
// command line overrides what the kernel asks for.

// CHECK: {"kernel": "types", "entry": "types", "params": [{"name": "arg0", "type": "*bf16"}, {"name": "arg1", "type": "*fp8e4nv"}, {"name": "arg2", "type": "*fp8e5"},
// CHECK-SAME: {"name": "arg3", "type": "fp16"}, {"name": "arg4", "type": "fp64"}, {"name": "arg5", "type": "i1"}, {"name": "arg6", "type": "i64", "align": 8}, {"name": "seed", "type": "u16"}],
// CHECK-SAME: "num_warps": 8, "num_stages": 4, "threads": 256
// CHECK-SAME: "requires": ["arg6 % 8 == 0"]
// OPTIONS: {"kernel": "types"
// OPTIONS-SAME: "num_warps": 2, "num_stages": 2, "threads": 64
func.func @types(%a: !tile.ptr<bf16>, %b: !tile.ptr<f8E4M3FN>, %c: !tile.ptr<f8E5M2>, %d: f16, %e: f64, %f: i1,
                 %g: i64 {tile.divisibility = 8 : i32}, %h: i16 {tile.name = "seed", tile.type = "u16"})
    attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_stages = 4 : i32} {
  return
}

// CHECK-NEXT: {"kernel": "second", "entry": "second", "params": [],
// CHECK-SAME: "num_warps": 4, "num_stages": 3, "threads": 128
func.func @second() attributes {tile.kernel} {
  return
}
