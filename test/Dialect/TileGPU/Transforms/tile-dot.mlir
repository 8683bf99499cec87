// RUN: tile-opt --tilegpu-tile-dot %s | FileCheck %s

// The depth of a step follows from the operands' type and the precision.
// CHECK-LABEL: func.func @depth
func.func @depth(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %d: tensor<64x32xbf16>, %e: tensor<32x64xbf16>,
                 %f: tensor<64x32xf32>, %g: tensor<32x64xf32>, %c: tensor<64x64xf32>, %j: tensor<64x64xf16>,
                 %m: tensor<64x32xf64>, %n: tensor<32x64xf64>, %o: tensor<64x64xf64>,
                 %p: tensor<64x32xi8>, %q: tensor<32x64xi8>, %r: tensor<64x64xi32>,
                 %s: tensor<64x32xf8E4M3FN>, %t: tensor<32x64xf8E5M2>) attributes {tilegpu.num_warps = 4 : i32} {
  // CHECK: tile.dot {{.*}}<mma, warps = [2, 2], instruction = [16, 8, 16]>
  %0 = tile.dot %a, %b, %c : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
  // CHECK: tile.dot {{.*}}<mma, warps = [2, 2], instruction = [16, 8, 16]>
  %1 = tile.dot %d, %e, %c : tensor<64x32xbf16>, tensor<32x64xbf16> -> tensor<64x64xf32>
  // A sum in f16.
  // CHECK: tile.dot {{.*}}<mma, warps = [2, 2], instruction = [16, 8, 16]>{{.*}} -> tensor<64x64xf16>
  %2 = tile.dot %a, %b, %j : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf16>
  // tf32, tf32x3, bf16x3, bf16x6
  // CHECK: tile.dot {{.*}}<mma, warps = [2, 2], instruction = [16, 8, 8]>
  %3 = tile.dot %f, %g, %c : tensor<64x32xf32>, tensor<32x64xf32> -> tensor<64x64xf32>
  // CHECK: tile.dot {{.*}}<mma, warps = [2, 2], instruction = [16, 8, 8]>
  %4 = tile.dot %f, %g, %c {precision = 1 : i32} : tensor<64x32xf32>, tensor<32x64xf32> -> tensor<64x64xf32>
  // CHECK: tile.dot {{.*}}<mma, warps = [2, 2], instruction = [16, 8, 16]>
  %5 = tile.dot %f, %g, %c {precision = 3 : i32} : tensor<64x32xf32>, tensor<32x64xf32> -> tensor<64x64xf32>
  // CHECK: tile.dot {{.*}}<mma, warps = [2, 2], instruction = [16, 8, 16]>
  %6 = tile.dot %f, %g, %c {precision = 4 : i32} : tensor<64x32xf32>, tensor<32x64xf32> -> tensor<64x64xf32>
  // CHECK: tile.dot {{.*}}<mma, warps = [2, 2], instruction = [16, 8, 8]>{{.*}} -> tensor<64x64xf64>
  %7 = tile.dot %m, %n, %o : tensor<64x32xf64>, tensor<32x64xf64> -> tensor<64x64xf64>
  // CHECK: tile.dot {{.*}}<mma, warps = [2, 2], instruction = [16, 8, 32]>{{.*}} -> tensor<64x64xi32>
  %8 = tile.dot %p, %q, %r : tensor<64x32xi8>, tensor<32x64xi8> -> tensor<64x64xi32>
  // CHECK: tile.dot {{.*}}<mma, warps = [2, 2], instruction = [16, 8, 32]>{{.*}} : tensor<64x32xf8E4M3FN>
  %9 = tile.dot %s, %t, %c : tensor<64x32xf8E4M3FN>, tensor<32x64xf8E5M2> -> tensor<64x64xf32>
  return
}

// What tensor cores do not compute as asked.
// CHECK-LABEL: func.func @fma
func.func @fma(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64x64xf32>,
               %k: tensor<64x8xf16>, %l: tensor<8x64xf16>) attributes {tilegpu.num_warps = 4 : i32} {
  // Exact products.
  // CHECK: tile.dot {{.*}}precision = 2 : i32, {{.*}}<fma, warps = [2, 2], instruction = [4, 4, 1]>
  %0 = tile.dot %a, %b, %c {precision = 2 : i32} : tensor<64x32xf32>, tensor<32x64xf32> -> tensor<64x64xf32>
  // K smaller than a step.
  // CHECK: tile.dot {{.*}}<fma, warps = [2, 2], instruction = [4, 4, 1]>{{.*}} : tensor<64x8xf16>
  %1 = tile.dot %k, %l, %c : tensor<64x8xf16>, tensor<8x64xf16> -> tensor<64x64xf32>
  return
}

// Warps go along the longer side, so that they read less.
// CHECK-LABEL: func.func @grid
func.func @grid(%a: tensor<128x16xf16>, %b: tensor<16x32xf16>, %c: tensor<128x32xf32>, %d: tensor<16x16xf16>,
                %e: tensor<16x128xf16>, %f: tensor<16x128xf32>, %g: tensor<16x8xf16>, %h: tensor<16x8xf32>) attributes {tilegpu.num_warps = 4 : i32} {
  // CHECK: tile.dot {{.*}}warps = [4, 1]
  %0 = tile.dot %a, %b, %c : tensor<128x16xf16>, tensor<16x32xf16> -> tensor<128x32xf32>
  // CHECK: tile.dot {{.*}}warps = [1, 4]
  %1 = tile.dot %d, %e, %f : tensor<16x16xf16>, tensor<16x128xf16> -> tensor<16x128xf32>
  // One instruction in all: three warps repeat it.
  // CHECK: tile.dot {{.*}}warps = [1, 4]
  %2 = tile.dot %d, %g, %h : tensor<16x16xf16>, tensor<16x8xf16> -> tensor<16x8xf32>
  return
}

// Rows that are reduced stay in one warp.
// CHECK-LABEL: func.func @reduced
func.func @reduced(%a: tensor<64x16xf16>, %b: tensor<16x64xf16>, %c: tensor<64x64xf32>) attributes {tilegpu.num_warps = 4 : i32} {
  // CHECK: tile.dot {{.*}}warps = [4, 1]
  %0 = tile.dot %a, %b, %c : tensor<64x16xf16>, tensor<16x64xf16> -> tensor<64x64xf32>
  %1 = math.exp %0 : tensor<64x64xf32>
  %2 = tile.reduce (%1) axis 1 : tensor<64x64xf32> -> tensor<64xf32> {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tile.yield %s : f32
  }
  return
}

// Columns that are reduced do not ask for that.
// CHECK-LABEL: func.func @reduced_columns
func.func @reduced_columns(%a: tensor<64x16xf16>, %b: tensor<16x64xf16>, %c: tensor<64x64xf32>) attributes {tilegpu.num_warps = 4 : i32} {
  // CHECK: tile.dot {{.*}}warps = [2, 2]
  %0 = tile.dot %a, %b, %c : tensor<64x16xf16>, tensor<16x64xf16> -> tensor<64x64xf32>
  %2 = tile.reduce (%0) axis 0 : tensor<64x64xf32> -> tensor<64xf32> {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tile.yield %s : f32
  }
  return
}

// Rows too few for all warps are shared.
// CHECK-LABEL: func.func @few_rows
func.func @few_rows(%a: tensor<16x16xf16>, %b: tensor<16x128xf16>, %c: tensor<16x128xf32>) attributes {tilegpu.num_warps = 4 : i32} {
  // CHECK: tile.dot {{.*}}warps = [1, 4]
  %0 = tile.dot %a, %b, %c : tensor<16x16xf16>, tensor<16x128xf16> -> tensor<16x128xf32>
  %2 = tile.reduce (%0) axis 1 : tensor<16x128xf32> -> tensor<16xf32> {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tile.yield %s : f32
  }
  return
}

// A product that is the left operand of another: both along m, also where a loop
// carries the accumulator.
// CHECK-LABEL: func.func @chained
func.func @chained(%a: tensor<64x16xf16>, %b: tensor<16x64xf16>, %v: tensor<64x64xf16>, %zero: tensor<64x64xf32>, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    // CHECK: tile.dot {{.*}}warps = [4, 1]
    %s = tile.dot %a, %b, %zero : tensor<64x16xf16>, tensor<16x64xf16> -> tensor<64x64xf32>
    %e = math.exp2 %s : tensor<64x64xf32>
    %p = arith.truncf %e : tensor<64x64xf32> to tensor<64x64xf16>
    // CHECK: tile.dot {{.*}}warps = [4, 1]
    %o = tile.dot %p, %v, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %o : tensor<64x64xf32>
  }
  return
}
