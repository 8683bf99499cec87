// One line for each program and element.

// RUN: tile-run %s --grid 2 n=-7 | FileCheck %s
// CHECK:      pid (0, 0, 0) idx () n: -7
// CHECK-NEXT: pid (0, 0, 0) idx (0) 0x0000000a
// CHECK-NEXT: pid (0, 0, 0) idx (1) 0x0000000b
// CHECK-NEXT: pid (1, 0, 0) idx () n: -7
// CHECK-NEXT: pid (1, 0, 0) idx (0) 0x0000000a
// CHECK-NEXT: pid (1, 0, 0) idx (1) 0x0000000b

func.func @print(%n: i32 {tile.name = "n"}) attributes {tile.kernel} {
  tile.print "n: ", %n : i32
  %r = tile.arange 10, 12 : tensor<2xi32>
  tile.print "", %r : tensor<2xi32> {hex}
  return
}
