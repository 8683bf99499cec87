// Programs that wait for each other run in turns; those that wait for nothing that
// anybody does are a deadlock.

// RUN: tile-run %s --grid 50 lock="zeros(i32,1)" count="zeros(i32,1)" --expect count="full(i32,50,1)"
// RUN: not tile-run %s --grid 2 lock="full(i32,1,1)" count="zeros(i32,1)" 2>&1 | FileCheck %s

// CHECK: lock.mlir:[[@LINE+7]]:{{[0-9]+}}: error: deadlock: 2 programs wait for what none of them does
// CHECK: lock.mlir:[[@LINE+6]]:{{[0-9]+}}: note: program (1, 0, 0) waits here
func.func @count(%lock: !tile.ptr<i32> {tile.name = "lock"}, %count: !tile.ptr<i32> {tile.name = "count"})
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.while : () -> () {
    %old = tile.atomic_cas acquire, gpu, %lock, %c0, %c1 : !tile.ptr<i32>, i32
    %taken = arith.cmpi ne, %old, %c0 : i32
    scf.condition(%taken)
  } do {
    scf.yield
  }
  %v = tile.load %count : !tile.ptr<i32> -> i32
  %w = arith.addi %v, %c1 : i32
  tile.store %count, %w : !tile.ptr<i32>, i32
  %r = tile.atomic_rmw xchg, release, gpu, %lock, %c0 : !tile.ptr<i32>, i32
  return
}
