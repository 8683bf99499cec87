// Integer operations at their edges. Each kernel asserts what it computed from
// values that are loaded, so that nothing folds.

// RUN: tile-run %s --kernel wrap --grid 1 x="arange(i32,4)"
// RUN: tile-run %s --kernel shift --grid 1 x="arange(i32,4)"
// RUN: tile-run %s --kernel divide --grid 1 x="arange(i32,4)"
// RUN: not tile-run %s --kernel zero --grid 1 x="arange(i32,4)" 2>&1 | FileCheck %s

func.func @wrap(%x: !tile.ptr<i32> {tile.name = "x"}) attributes {tile.kernel} {
  %i = tile.arange 0, 4 : tensor<4xi32>
  %s = tile.splat %x : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
  %p = tile.addptr %s, %i : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  %v = tile.load %p : tensor<4x!tile.ptr<i32>> -> tensor<4xi32>
  %max = arith.constant dense<2147483647> : tensor<4xi32>
  %sum = arith.addi %v, %max : tensor<4xi32>
  %want = arith.constant dense<[2147483647, -2147483648, -2147483647, -2147483646]> : tensor<4xi32>
  %eq = arith.cmpi eq, %sum, %want : tensor<4xi32>
  tile.assert %eq, "addition wraps" : tensor<4xi1>
  return
}

func.func @shift(%x: !tile.ptr<i32> {tile.name = "x"}) attributes {tile.kernel} {
  %i = tile.arange 0, 4 : tensor<4xi32>
  %s = tile.splat %x : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
  %p = tile.addptr %s, %i : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  %v = tile.load %p : tensor<4x!tile.ptr<i32>> -> tensor<4xi32>
  %eleven = arith.constant dense<11> : tensor<4xi32>
  %by = arith.muli %v, %eleven : tensor<4xi32>
  %one = arith.constant dense<1> : tensor<4xi32>
  %left = arith.shli %one, %by : tensor<4xi32>
  %want = arith.constant dense<[1, 2048, 4194304, 0]> : tensor<4xi32>
  %eq = arith.cmpi eq, %left, %want : tensor<4xi32>
  tile.assert %eq, "shifts by the width or more give 0" : tensor<4xi1>
  return
}

func.func @divide(%x: !tile.ptr<i32> {tile.name = "x"}) attributes {tile.kernel} {
  %i = tile.arange 0, 4 : tensor<4xi32>
  %s = tile.splat %x : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
  %p = tile.addptr %s, %i : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  %v = tile.load %p : tensor<4x!tile.ptr<i32>> -> tensor<4xi32>
  %three = arith.constant dense<3> : tensor<4xi32>
  %two = arith.constant dense<2> : tensor<4xi32>
  %d = arith.subi %v, %three : tensor<4xi32>
  %q = arith.divsi %d, %two : tensor<4xi32>
  %r = arith.remsi %d, %two : tensor<4xi32>
  %wantQ = arith.constant dense<[-1, -1, 0, 0]> : tensor<4xi32>
  %wantR = arith.constant dense<[-1, 0, -1, 0]> : tensor<4xi32>
  %eqQ = arith.cmpi eq, %q, %wantQ : tensor<4xi32>
  %eqR = arith.cmpi eq, %r, %wantR : tensor<4xi32>
  tile.assert %eqQ, "division goes towards zero" : tensor<4xi1>
  tile.assert %eqR, "a remainder has the sign of the dividend" : tensor<4xi1>
  return
}

// CHECK: integers.mlir:[[@LINE+8]]:{{[0-9]+}}: error: integer division by zero
// CHECK: note: in program (0, 0, 0) of grid (1, 1, 1)
// CHECK: note: lane 0 is the first that divides by zero
func.func @zero(%x: !tile.ptr<i32> {tile.name = "x"}) attributes {tile.kernel} {
  %i = tile.arange 0, 4 : tensor<4xi32>
  %s = tile.splat %x : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
  %p = tile.addptr %s, %i : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  %v = tile.load %p : tensor<4x!tile.ptr<i32>> -> tensor<4xi32>
  %q = arith.divui %i, %v : tensor<4xi32>
  tile.store %p, %q : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
  return
}
