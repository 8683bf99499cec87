// What the report says of masked accesses that one thread performs for all: the mask
// counts, and no vector goes past where it may change, since they have no elements
// one by one.

// RUN: mkdir -p %t.none
// RUN: tilec %s --report --toolkit %t.none -o %t.ptx | FileCheck %s
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// CHECK: access to global memory
// CHECK-NEXT: line {{ *}}access {{ *}}argument {{ *}}tile  masked  bytes a thread  instructions
// CHECK-NEXT: load {{ *}}p {{ *}}1024xi32 {{ *}}yes {{ *}}4 {{ *}}8
// CHECK-NEXT: atomic_cas {{ *}}q {{ *}}1024xi32 {{ *}}yes {{ *}}4 {{ *}}8
// PTX-COUNT-8: ld.volatile.global.b32
// PTX-NOT: ld.volatile
// PTX-COUNT-8: .cas.b32
func.func @masked(%p: !tile.ptr<i32> {tile.name = "p", tile.divisibility = 16 : i32}, %q: !tile.ptr<i32> {tile.name = "q", tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel} {
  %i = tile.arange 0, 1024 : tensor<1024xi32>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  %mask = arith.cmpi slt, %i, %ns : tensor<1024xi32>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<1024x!tile.ptr<i32>>
  %pi = tile.addptr %ps, %i : tensor<1024x!tile.ptr<i32>>, tensor<1024xi32>
  %qs = tile.splat %q : !tile.ptr<i32> -> tensor<1024x!tile.ptr<i32>>
  %qi = tile.addptr %qs, %i : tensor<1024x!tile.ptr<i32>>, tensor<1024xi32>
  %x = tile.load %pi mask %mask {isVolatile} : tensor<1024x!tile.ptr<i32>> -> tensor<1024xi32>
  %old = tile.atomic_cas relaxed, gpu, %qi, %i, %x mask %mask : tensor<1024x!tile.ptr<i32>>, tensor<1024xi32>
  return
}
