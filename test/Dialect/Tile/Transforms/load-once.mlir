// RUN: tile-opt --tile-load-once %s | FileCheck %s

// A value on which a branch depends, through arithmetic, and which the kernel
// itself may write.
// CHECK-LABEL: func.func @branch
// CHECK: tile.load %arg0 {isVolatile}
func.func @branch(%lock: !tile.ptr<i32>, %one: i32) {
  %0 = tile.load %lock : !tile.ptr<i32> -> i32
  %1 = arith.addi %0, %one : i32
  %2 = arith.cmpi eq, %1, %one : i32
  scf.if %2 {
    tile.store %lock, %one : !tile.ptr<i32>, i32
  }
  return
}

// A wait, and the number of iterations, through what loops carry.
// CHECK-LABEL: func.func @loops
// CHECK: tile.load %arg0 {isVolatile}
// CHECK: scf.while
// CHECK: tile.load %arg0 {isVolatile}
// CHECK: scf.for
func.func @loops(%p: !tile.ptr<i32>, %zero: i32, %one: i32) {
  %first = tile.load %p : !tile.ptr<i32> -> i32
  %last = scf.while (%x = %zero) : (i32) -> i32 {
    %seen = tile.load %p : !tile.ptr<i32> -> i32
    %more = arith.cmpi eq, %seen, %x : i32
    scf.condition(%more) %x : i32
  } do {
  ^bb0(%x: i32):
    scf.yield %x : i32
  }
  %n = scf.for %i = %zero to %one step %one iter_args(%a = %first) -> i32 : i32 {
    scf.yield %a : i32
  }
  scf.for %i = %zero to %n step %one : i32 {
    %old = tile.atomic_rmw add, acq_rel, gpu, %p, %one : !tile.ptr<i32>, i32
  }
  return
}

// What nothing in the kernel writes, what steers nothing, and tiles stay.
// CHECK-LABEL: func.func @others
// CHECK-NOT: isVolatile
func.func @others(%p: !tile.ptr<i32>, %q: !tile.ptr<i32>, %t: tensor<4x!tile.ptr<i32>>, %one: i32) {
  %0 = tile.load %p : !tile.ptr<i32> -> i32
  %1 = arith.cmpi eq, %0, %one : i32
  %2 = tile.load %q : !tile.ptr<i32> -> i32
  scf.if %1 {
    tile.store %q, %2 : !tile.ptr<i32>, i32
  }
  return
}

// An address of which the argument is not known.
// CHECK-LABEL: func.func @unknown
// CHECK: tile.load %arg0 {isVolatile}
func.func @unknown(%p: !tile.ptr<i32>, %q: !tile.ptr<!tile.ptr<i32>>, %one: i32) {
  %0 = tile.load %p : !tile.ptr<i32> -> i32
  %1 = arith.cmpi eq, %0, %one : i32
  %r = tile.load %q : !tile.ptr<!tile.ptr<i32>> -> !tile.ptr<i32>
  scf.if %1 {
    tile.store %r, %one : !tile.ptr<i32>, i32
  }
  return
}

// What others write, for which the kernel waits; a list that it walks stays.
// CHECK-LABEL: func.func @waits
// CHECK: tile.load %arg0 {isVolatile}
// CHECK: tile.load %{{.*}} : !tile.ptr<i32> -> i32
func.func @waits(%p: !tile.ptr<i32>, %q: !tile.ptr<i32>, %zero: i32) {
  scf.while : () -> () {
    %seen = tile.load %p : !tile.ptr<i32> -> i32
    %more = arith.cmpi eq, %seen, %zero : i32
    scf.condition(%more)
  } do {
    scf.yield
  }
  %end = scf.while (%at = %zero) : (i32) -> i32 {
    %a = tile.addptr %q, %at : !tile.ptr<i32>, i32
    %next = tile.load %a : !tile.ptr<i32> -> i32
    %more = arith.cmpi ne, %next, %zero : i32
    scf.condition(%more) %next : i32
  } do {
  ^bb0(%x: i32):
    scf.yield %x : i32
  }
  return
}
