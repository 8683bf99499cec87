// RUN: tile-opt --canonicalize %s | FileCheck %s

// Regions that say the same when the operands change places.
// CHECK-LABEL: func.func @commutative
// CHECK: tile.reduce(%{{.*}}) axis 0 commutative
// CHECK: tile.reduce(%{{.*}}, %{{.*}}) axis 0 commutative
// CHECK: tile.reduce(%{{.*}}, %{{.*}}) axis 0 commutative
func.func @commutative(%x: tensor<8xf32>, %i: tensor<8xi32>) -> (f32, f32, f32, f32, i32) {
  %0 = tile.reduce (%x) axis 0 : tensor<8xf32> -> f32 {
  ^bb0(%l: f32, %r: f32):
    %a = arith.mulf %l, %r : f32
    %b = arith.addf %r, %l : f32
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %1:2 = tile.reduce (%x, %x) axis 0 : tensor<8xf32>, tensor<8xf32> -> f32, f32 {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %s = arith.addf %a, %c : f32
    %t = arith.maximumf %d, %b : f32
    tile.yield %s, %t : f32, f32
  }
  // The greatest with the lowest index, as the textbook writes it.
  %2:2 = tile.reduce (%x, %i) axis 0 : tensor<8xf32>, tensor<8xi32> -> f32, i32 {
  ^bb0(%a: f32, %b: i32, %c: f32, %d: i32):
    %equal = arith.cmpf oeq, %a, %c : f32
    %first = arith.cmpi slt, %b, %d : i32
    %tie = arith.andi %equal, %first : i1
    %greater = arith.cmpf ogt, %a, %c : f32
    %left = arith.ori %greater, %tie : i1
    %v = arith.select %left, %a, %c : f32
    %p = arith.select %left, %b, %d : i32
    tile.yield %v, %p : f32, i32
  }
  return %0, %1#0, %1#1, %2#0, %2#1 : f32, f32, f32, f32, i32
}

// The right one; a difference; the greatest with the index that came first.
// CHECK-LABEL: func.func @ordered
// CHECK-NOT: commutative
func.func @ordered(%x: tensor<8xf32>, %i: tensor<8xi32>) -> (f32, f32, f32, i32) {
  %0 = tile.reduce (%x) axis 0 : tensor<8xf32> -> f32 {
  ^bb0(%l: f32, %r: f32):
    tile.yield %r : f32
  }
  %1 = tile.reduce (%x) axis 0 : tensor<8xf32> -> f32 {
  ^bb0(%l: f32, %r: f32):
    %s = arith.subf %l, %r : f32
    tile.yield %s : f32
  }
  %2:2 = tile.reduce (%x, %i) axis 0 : tensor<8xf32>, tensor<8xi32> -> f32, i32 {
  ^bb0(%a: f32, %b: i32, %c: f32, %d: i32):
    %left = arith.cmpf oge, %a, %c : f32
    %v = arith.select %left, %a, %c : f32
    %p = arith.select %left, %b, %d : i32
    tile.yield %v, %p : f32, i32
  }
  return %0, %1, %2#0, %2#1 : f32, f32, f32, i32
}

// Who asks for NaN gets the right one: the greatest number, of no number the first one.
// CHECK-LABEL: func.func @without_nan
// CHECK: tile.reduce(%{{.*}}, %{{.*}}) axis 0 commutative
func.func @without_nan(%x: tensor<8xf32>, %i: tensor<8xi32>) -> (f32, i32) {
  %0:2 = tile.reduce (%x, %i) axis 0 : tensor<8xf32>, tensor<8xi32> -> f32, i32 {
  ^bb0(%a: f32, %b: i32, %c: f32, %d: i32):
    %greater = arith.cmpf ogt, %a, %c : f32
    %equal = arith.cmpf oeq, %a, %c : f32
    %first = arith.cmpi slt, %b, %d : i32
    %tie = arith.andi %equal, %first : i1
    %none = arith.cmpf uno, %c, %c : f32
    %some = arith.cmpf ord, %a, %a : f32
    %better = arith.ori %some, %first : i1
    %instead = arith.andi %none, %better : i1
    %larger = arith.ori %greater, %tie : i1
    %left = arith.ori %larger, %instead : i1
    %v = arith.select %left, %a, %c : f32
    %p = arith.select %left, %b, %d : i32
    tile.yield %v, %p : f32, i32
  }
  return %0#0, %0#1 : f32, i32
}

// The first NaN, else the greatest number with the lowest index: of two NaN, the left one.
// CHECK-LABEL: func.func @first_nan
// CHECK-NOT: commutative
func.func @first_nan(%x: tensor<8xf32>, %i: tensor<8xi32>) -> (f32, i32) {
  %0:2 = tile.reduce (%x, %i) axis 0 : tensor<8xf32>, tensor<8xi32> -> f32, i32 {
  ^bb0(%a: f32, %b: i32, %c: f32, %d: i32):
    %greater = arith.cmpf ogt, %a, %c : f32
    %equal = arith.cmpf oeq, %a, %c : f32
    %first = arith.cmpi slt, %b, %d : i32
    %tie = arith.andi %equal, %first : i1
    %larger = arith.ori %greater, %tie : i1
    %right = arith.cmpf une, %c, %c : f32
    %true = arith.constant true
    %number = arith.xori %right, %true : i1
    %chosen = arith.andi %larger, %number : i1
    %none = arith.cmpf une, %a, %a : f32
    %left = arith.ori %chosen, %none : i1
    %v = arith.select %left, %a, %c : f32
    %p = arith.select %left, %b, %d : i32
    tile.yield %v, %p : f32, i32
  }
  return %0#0, %0#1 : f32, i32
}

// Numbers compared with and without their sign, and more pairs than are tried.
// CHECK-LABEL: func.func @undecided
// CHECK-NOT: commutative
func.func @undecided(%i: tensor<8xi32>) -> (i32, i32, i32, i32, i32, i32) {
  %0 = tile.reduce (%i) axis 0 : tensor<8xi32> -> i32 {
  ^bb0(%l: i32, %r: i32):
    %s = arith.cmpi slt, %l, %r : i32
    %u = arith.cmpi ult, %l, %r : i32
    %x = arith.select %s, %l, %r : i32
    %y = arith.select %u, %l, %r : i32
    %z = arith.addi %x, %y : i32
    tile.yield %z : i32
  }
  %1:5 = tile.reduce (%i, %i, %i, %i, %i) axis 0 : tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>
      -> i32, i32, i32, i32, i32 {
  ^bb0(%a: i32, %b: i32, %c: i32, %d: i32, %e: i32, %f: i32, %g: i32, %h: i32, %j: i32, %k: i32):
    %less0 = arith.cmpi slt, %a, %f : i32
    %less1 = arith.cmpi slt, %b, %g : i32
    %less2 = arith.cmpi slt, %c, %h : i32
    %less3 = arith.cmpi slt, %d, %j : i32
    %less4 = arith.cmpi slt, %e, %k : i32
    %v = arith.select %less0, %a, %f : i32
    %w = arith.select %less1, %b, %g : i32
    %x = arith.select %less2, %c, %h : i32
    %y = arith.select %less3, %d, %j : i32
    %z = arith.select %less4, %e, %k : i32
    tile.yield %v, %w, %x, %y, %z : i32, i32, i32, i32, i32
  }
  return %0, %1#0, %1#1, %1#2, %1#3, %1#4 : i32, i32, i32, i32, i32, i32
}
