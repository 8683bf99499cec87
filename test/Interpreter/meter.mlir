// Lanes that are masked off move nothing: vector addition of 1000 in blocks of 256
// reads 2000 elements and writes 1000.

// RUN: tile-run %s --grid 4 x="arange(f32,1000)" y="full(f32,1,1000)" out="zeros(f32,1000)" n=1000 \
// RUN:   --meter=json | FileCheck %s
// CHECK: "programs": 4
// CHECK-SAME: "x": {"elements_read": 1000, "elements_written": 0, "bytes_read": 4000, "bytes_written": 0, "distinct_bytes_read": 4000, "distinct_bytes_written": 0, "lanes_off": 24, "sectors": 125, "cache_lines": 32}
// CHECK-SAME: "y": {"elements_read": 1000,
// CHECK-SAME: "out": {"elements_read": 0, "elements_written": 1000, "bytes_read": 0, "bytes_written": 4000,
// CHECK-SAME: "flops": {"add": 1024}, "lines": [{"line": [[@LINE+15]], "op": "load", "arg": "x", "elements_read": 1000,

func.func @add(%x: !tile.ptr<f32> {tile.name = "x"}, %y: !tile.ptr<f32> {tile.name = "y"},
               %out: !tile.ptr<f32> {tile.name = "out"}, %n: i32 {tile.name = "n"})
    attributes {tile.kernel} {
  %c256 = arith.constant 256 : i32
  %pid = tile.program_id 0 : i32
  %start = arith.muli %pid, %c256 : i32
  %s = tile.splat %start : i32 -> tensor<256xi32>
  %r = tile.arange 0, 256 : tensor<256xi32>
  %offs = arith.addi %s, %r : tensor<256xi32>
  %ns = tile.splat %n : i32 -> tensor<256xi32>
  %mask = arith.cmpi slt, %offs, %ns : tensor<256xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %offs : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %a = tile.load %xp mask %mask : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %offs : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %b = tile.load %yp mask %mask : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  %sum = arith.addf %a, %b : tensor<256xf32>
  %os = tile.splat %out : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %op = tile.addptr %os, %offs : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  tile.store %op, %sum mask %mask : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  return
}
