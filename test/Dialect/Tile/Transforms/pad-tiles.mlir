// RUN: tile-opt --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(func.func(tile-pad-tiles),cse)" %s | FileCheck %s

// What the padding holds is never seen by memory, nor by who reads the output.
// CHECK-LABEL: func.func @effects
// CHECK-DAG: %[[R:.*]] = tile.arange 5, 13 : tensor<8xi32>
// CHECK-DAG: %[[PLACE:.*]] = tile.arange 0, 8 : tensor<8xi32>
// CHECK-DAG: %[[SIZE:.*]] = arith.constant dense<6> : tensor<8xi32>
// CHECK: %[[IN:.*]] = arith.cmpi slt, %[[PLACE]], %[[SIZE]] : tensor<8xi32>
// CHECK: tile.load %{{.*}} mask %[[IN]] : tensor<8x!tile.ptr<i32>> -> tensor<8xi32>
// CHECK: %[[BOTH:.*]] = arith.andi %{{.*}}, %[[IN]] : tensor<8xi1>
// CHECK: tile.store %{{.*}}, %{{.*}} mask %[[BOTH]]
// CHECK: tile.atomic_rmw add, relaxed, gpu, %{{.*}}, %{{.*}} mask %[[IN]]
// CHECK: tile.atomic_cas relaxed, gpu, %{{.*}}, %{{.*}}, %{{.*}} mask %[[IN]]
// CHECK: tile.print "x", %{{.*}} : tensor<8xi32> mask %[[IN]] : tensor<8xi1>
// CHECK: %[[OUT:.*]] = arith.xori %[[IN]], %{{.*}} : tensor<8xi1>
// CHECK: %[[HOLDS:.*]] = arith.ori %{{.*}}, %[[OUT]] : tensor<8xi1>
// CHECK: tile.assert %[[HOLDS]], "small"
// CHECK: %[[ONE:.*]] = arith.constant dense<1> : tensor<8xi32>
// CHECK: %[[DIVISOR:.*]] = arith.select %[[IN]], %{{.*}}, %[[ONE]] : tensor<8xi1>, tensor<8xi32>
// CHECK: arith.divsi %[[R]], %[[DIVISOR]] : tensor<8xi32>
func.func @effects(%p: !tile.ptr<i32>, %n: i32) {
  %r = tile.arange 5, 11 : tensor<6xi32>
  %s = tile.splat %p : !tile.ptr<i32> -> tensor<6x!tile.ptr<i32>>
  %q = tile.addptr %s, %r : tensor<6x!tile.ptr<i32>>, tensor<6xi32>
  %t = tile.splat %n : i32 -> tensor<6xi32>
  %m = arith.cmpi slt, %r, %t : tensor<6xi32>
  %x = tile.load %q : tensor<6x!tile.ptr<i32>> -> tensor<6xi32>
  tile.store %q, %x mask %m : tensor<6x!tile.ptr<i32>>, tensor<6xi32>
  %0 = tile.atomic_rmw add, relaxed, gpu, %q, %x : tensor<6x!tile.ptr<i32>>, tensor<6xi32>
  %1 = tile.atomic_cas relaxed, gpu, %q, %0, %x : tensor<6x!tile.ptr<i32>>, tensor<6xi32>
  tile.print "x", %1 : tensor<6xi32>
  tile.assert %m, "small" : tensor<6xi1>
  %2 = arith.divsi %r, %x : tensor<6xi32>
  tile.print "", %2 : tensor<6xi32>
  return
}

// -----

// The neutral element of one operation; a flag for others; nothing along axes that
// are not reduced.
// CHECK-LABEL: func.func @reductions
// CHECK: %[[NEUTRAL:.*]] = arith.constant dense<-0.000000e+00> : tensor<4x8xf32>
// CHECK: %[[FILLED:.*]] = arith.select %{{.*}}, %{{.*}}, %[[NEUTRAL]]
// CHECK: tile.reduce(%[[FILLED]]) axis 1 : tensor<4x8xf32> -> tensor<4xf32>
// CHECK: tile.reduce(%{{.*}}, %[[FLAG:.*]]) axis 0 : tensor<4x8xf32>, tensor<4x8xi1> -> tensor<8xf32>, tensor<8xi1> {
// CHECK: ^bb0(%[[L:.*]]: f32, %[[HASL:.*]]: i1, %[[R:.*]]: f32, %[[HASR:.*]]: i1):
// CHECK: %[[C:.*]] = arith.subf %[[L]], %[[R]] : f32
// CHECK: %[[D:.*]] = arith.select %[[HASR]], %[[C]], %[[L]] : f32
// CHECK: %[[E:.*]] = arith.select %[[HASL]], %[[D]], %[[R]] : f32
// CHECK: %[[HAS:.*]] = arith.ori %[[HASL]], %[[HASR]] : i1
// CHECK: tile.yield %[[E]], %[[HAS]] : f32, i1
// CHECK: tile.scan(%{{.*}}) axis 1 : tensor<4x8xf32> -> tensor<4x8xf32>
// CHECK: tile.scan(%{{.*}}, %{{.*}}) axis 1 reverse : tensor<4x8xf32>, tensor<4x8xi1> -> tensor<4x8xf32>, tensor<4x8xi1>
func.func @reductions(%f: f32) {
  %x = tile.splat %f : f32 -> tensor<3x6xf32>
  %0 = tile.reduce (%x) axis 1 : tensor<3x6xf32> -> tensor<3xf32> {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tile.yield %s : f32
  }
  %1 = tile.reduce (%x) axis 0 : tensor<3x6xf32> -> tensor<6xf32> {
  ^bb0(%l: f32, %r: f32):
    %s = arith.subf %l, %r : f32
    tile.yield %s : f32
  }
  %2 = tile.scan (%x) axis 1 : tensor<3x6xf32> -> tensor<3x6xf32> {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tile.yield %s : f32
  }
  %3 = tile.scan (%x) axis 1 reverse : tensor<3x6xf32> -> tensor<3x6xf32> {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tile.yield %s : f32
  }
  tile.print "", %0 : tensor<3xf32>
  tile.print "", %1 : tensor<6xf32>
  tile.print "", %2, %3 : tensor<3x6xf32>, tensor<3x6xf32>
  return
}

// -----

// Zeros along K only, and not over a load, which has them there.
// CHECK-LABEL: func.func @product
// CHECK: %[[A:.*]] = tile.load
// CHECK: %[[B:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<32x16xi1>, tensor<32x16xf16>
// CHECK: tile.dot %[[A]], %[[B]], %{{.*}} : tensor<16x32xf16>, tensor<32x16xf16> -> tensor<16x16xf32>
func.func @product(%p: !tile.ptr<f16>, %f: f16) {
  %s = tile.splat %p : !tile.ptr<f16> -> tensor<12x20x!tile.ptr<f16>>
  %a = tile.load %s : tensor<12x20x!tile.ptr<f16>> -> tensor<12x20xf16>
  %b = tile.splat %f : f16 -> tensor<20x12xf16>
  %c = arith.constant dense<0.0> : tensor<12x12xf32>
  %0 = tile.dot %a, %b, %c : tensor<12x20xf16>, tensor<20x12xf16> -> tensor<12x12xf32>
  tile.print "", %0 : tensor<12x12xf32>
  return
}

// -----

// Only the first axis of a group is padded: elements keep their order. Otherwise
// each is fetched.
// CHECK-LABEL: func.func @reshapes
// CHECK: %[[LINE:.*]] = tile.reshape %{{.*}} : tensor<4x8xi32> -> tensor<32xi32>
// CHECK-NOT: tile.gather
// CHECK: tile.reshape %{{.*}} : tensor<4x8xi32> -> tensor<8x2x2xi32>
// CHECK: %[[FOUND:.*]] = tile.gather %[[LINE]], %{{.*}} axis 0 : tensor<32xi32>, tensor<32xi32> -> tensor<32xi32>
// CHECK: tile.reshape %[[FOUND]] : tensor<32xi32> -> tensor<8x4xi32>
func.func @reshapes(%i: i32) {
  %x = tile.splat %i : i32 -> tensor<3x8xi32>
  %0 = tile.reshape %x : tensor<3x8xi32> -> tensor<24xi32>
  %1 = tile.reshape %x : tensor<3x8xi32> -> tensor<6x2x2xi32>
  %2 = tile.reshape %x : tensor<3x8xi32> -> tensor<8x3xi32>
  tile.print "", %0 : tensor<24xi32>
  tile.print "", %1 : tensor<6x2x2xi32>
  tile.print "", %2 : tensor<8x3xi32>
  return
}

// -----

// An index may not find the padding of the source.
// CHECK-LABEL: func.func @gather
// CHECK: %[[FITS:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : tensor<4xi32>
// CHECK: %[[I:.*]] = arith.select %[[FITS]], %{{.*}}, %{{.*}} : tensor<4xi1>, tensor<4xi32>
// CHECK: tile.gather %{{.*}}, %[[I]] axis 0 : tensor<8xf32>, tensor<4xi32> -> tensor<4xf32>
func.func @gather(%f: f32, %i: i32) {
  %x = tile.splat %f : f32 -> tensor<6xf32>
  %j = tile.splat %i : i32 -> tensor<4xi32>
  %0 = tile.gather %x, %j axis 0 : tensor<6xf32>, tensor<4xi32> -> tensor<4xf32>
  tile.print "", %0 : tensor<4xf32>
  return
}

// -----

// Control flow carries the padded tiles.
// CHECK-LABEL: func.func @loop
// CHECK: scf.for {{.*}} -> (tensor<4xf32>)
// CHECK: arith.addf %{{.*}}, %{{.*}} : tensor<4xf32>
func.func @loop(%f: f32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = tile.splat %f : f32 -> tensor<3xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (tensor<3xf32>) : i32 {
    %t = arith.addf %s, %x : tensor<3xf32>
    scf.yield %t : tensor<3xf32>
  }
  tile.print "", %r : tensor<3xf32>
  return
}

// -----

func.func @wraps() {
  // expected-error @+1 {{code generation rounds sizes up to powers of two, and this range then leaves 32 bits}}
  %r = tile.arange 2147483644, 2147483647 : tensor<3xi32>
  tile.print "", %r : tensor<3xi32>
  return
}

// -----

func.func @assembly() {
  %x = tile.arange 0, 3 : tensor<3xi32>
  // expected-error @+1 {{this assembly would act for elements that are not there: make the sizes powers of two, or say is_pure=True if it only computes}}
  %r = tile.inline_asm "red.global.add.s32 [a], $1; mov.b32 $0, 0;" constraints "=r,r" (%x) pack 1 : (tensor<3xi32>) -> tensor<3xi32>
  return
}

// -----

func.func @different() {
  // expected-error @+1 {{code generation takes constant tiles of equal elements only}}
  %r = arith.constant dense<[1, 2, 3]> : tensor<3xi32>
  tile.print "", %r : tensor<3xi32>
  return
}

// -----

// Elements of the padding are not counted.
// CHECK-LABEL: func.func @histogram
// CHECK: %[[IN:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : tensor<8xi32>
// CHECK: tile.histogram %{{.*}} mask %[[IN]] : tensor<8xi32> -> tensor<4xi32>
func.func @histogram(%i: i32) {
  %x = tile.splat %i : i32 -> tensor<6xi32>
  %0 = tile.histogram %x : tensor<6xi32> -> tensor<3xi32>
  tile.print "", %0 : tensor<3xi32>
  return
}
