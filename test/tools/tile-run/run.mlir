// The interpreter by way of the tool: values in, arrays and reports out.

// RUN: tile-run %s --grid 4 x_ptr="arange(f32,1000)" y_ptr="zeros(f32,1000)" \
// RUN:   n=1000 --save y_ptr=%t.npy --meter | FileCheck %s --check-prefix=METER
// RUN: %python -c "import numpy; y = numpy.load('%t.npy'); \
// RUN:   assert y.dtype == 'f4' and (y == 2 * numpy.arange(1000)).all()"
// METER:      add: 4 programs, grid 4x1x1
// METER-NEXT: argument  elements read  written  bytes read  written  distinct read  written
// METER-NEXT: x_ptr              1000        0        4000        0           4000        0
// METER-NEXT: y_ptr                 0     1000           0     4000              0     4000
// METER-NEXT: total              1000     1000        4000     4000           4000     4000

// The saved array comes in again, the grid has more programs than needed.
// RUN: tile-run %s --kernel add --grid=5,1 x_ptr=@%t.npy y_ptr="empty(f32,1000)" \
// RUN:   n=1000:i32 --save y_ptr=%t2.npy --meter=json | FileCheck %s --check-prefix=JSON
// RUN: %python -c "import numpy; y = numpy.load('%t2.npy'); \
// RUN:   assert (y == 4 * numpy.arange(1000)).all()"
// JSON: {"kernel": "add", "grid": [5, 1, 1], "programs": 5, "args": {"x_ptr": {"elements_read": 1000, "elements_written": 0, "bytes_read": 4000, "bytes_written": 0, "distinct_bytes_read": 4000, "distinct_bytes_written": 0, "lanes_off": 280, "sectors": 125, "cache_lines": 32}, "y_ptr": {"elements_read": 0, "elements_written": 1000, "bytes_read": 0, "bytes_written": 4000, "distinct_bytes_read": 0, "distinct_bytes_written": 4000, "lanes_off": 280, "sectors": 125, "cache_lines": 32}}, "flops": {

// An empty grid runs nothing.
// RUN: tile-run %s --grid 0 x_ptr="zeros(f32,0)" y_ptr="zeros(f32,0)" n=7

// An access outside its array stops the run where it is.
// RUN: not tile-run %s --grid 4 x_ptr="arange(f32,900)" y_ptr="zeros(f32,1000)" \
// RUN:   n=1000 --save y_ptr=%t3.npy 2>&1 | FileCheck %s --check-prefix=BOUNDS
// RUN: not test -e %t3.npy
// BOUNDS: run.mlir:[[@LINE+17]]:{{[0-9]+}}: error: {{.*}}out of bounds{{.*}}'x_ptr'
// BOUNDS-NEXT: tile.load

func.func @add(%x: !tile.ptr<f32> {tile.name = "x_ptr", tile.type = "*fp32"},
               %y: !tile.ptr<f32> {tile.name = "y_ptr", tile.type = "*fp32"},
               %n: i32 {tile.name = "n", tile.type = "i32"})
    attributes {tile.kernel} {
  %pid = tile.program_id 0 : i32
  %block = arith.constant 256 : i32
  %start = arith.muli %pid, %block : i32
  %range = tile.arange 0, 256 : tensor<256xi32>
  %starts = tile.splat %start : i32 -> tensor<256xi32>
  %offs = arith.addi %starts, %range : tensor<256xi32>
  %ns = tile.splat %n : i32 -> tensor<256xi32>
  %mask = arith.cmpi slt, %offs, %ns : tensor<256xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %offs : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %xv = tile.load %xp mask %mask : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  %yv = arith.addf %xv, %xv : tensor<256xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %offs : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  tile.store %yp, %yv mask %mask : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  return
}
