// An access outside its buffer stops the run before anything is read or written,
// at its source line, with the program, the lanes and the distance.

// RUN: not tile-run %s --kernel load --grid 4 x="arange(f32,1000)" y="zeros(f32,1024)" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LOAD
// RUN: not tile-run %s --kernel store --grid 1 x="zeros(i16,6)" 2>&1 | FileCheck %s --check-prefix=STORE
// RUN: not tile-run %s --kernel wild --grid 1 x="zeros(i16,6)" 2>&1 | FileCheck %s --check-prefix=WILD

// LOAD: bounds.mlir:[[@LINE+12]]:{{[0-9]+}}: error: load out of bounds: element 1000 of 'x' (1000 elements)
// LOAD: note: in program (3, 0, 0) of grid (4, 1, 1)
// LOAD: note: lane 232 is the first of 24 such lanes, of 256 active lanes
// LOAD: note: the farthest reaches 96 bytes past the end of 'x'
func.func @load(%x: !tile.ptr<f32> {tile.name = "x"}, %y: !tile.ptr<f32> {tile.name = "y"}) attributes {tile.kernel} {
  %c256 = arith.constant 256 : i32
  %pid = tile.program_id 0 : i32
  %start = arith.muli %pid, %c256 : i32
  %xs = tile.addptr %x, %start : !tile.ptr<f32>, i32
  %i = tile.arange 0, 256 : tensor<256xi32>
  %s = tile.splat %xs : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %p = tile.addptr %s, %i : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %v = tile.load %p : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  %ys = tile.addptr %y, %start : !tile.ptr<f32>, i32
  %t = tile.splat %ys : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %q = tile.addptr %t, %i : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  tile.store %q, %v : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  return
}

// STORE: bounds.mlir:[[@LINE+8]]:{{[0-9]+}}: error: store out of bounds: element -2 of 'x' (6 elements)
// STORE: note: lane (0, 0) is the first of 2 such lanes, of 4 active lanes
// STORE: note: the farthest reaches 4 bytes before 'x'
func.func @store(%x: !tile.ptr<i16> {tile.name = "x"}) attributes {tile.kernel} {
  %i = arith.constant dense<[[-2, -1], [0, 1]]> : tensor<2x2xi32>
  %s = tile.splat %x : !tile.ptr<i16> -> tensor<2x2x!tile.ptr<i16>>
  %p = tile.addptr %s, %i : tensor<2x2x!tile.ptr<i16>>, tensor<2x2xi32>
  %v = arith.constant dense<7> : tensor<2x2xi16>
  tile.store %p, %v : tensor<2x2x!tile.ptr<i16>>, tensor<2x2xi16>
  return
}

// WILD: error: load out of bounds: address 0x0 is in no buffer
func.func @wild(%x: !tile.ptr<i16> {tile.name = "x"}) attributes {tile.kernel} {
  %zero = arith.constant 0 : i64
  %p = tile.ptr_cast %zero : i64 -> !tile.ptr<i16>
  %v = tile.load %p : !tile.ptr<i16> -> i16
  tile.store %x, %v : !tile.ptr<i16>, i16
  return
}
