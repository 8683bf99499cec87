// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt --mlir-print-op-generic %s | tile-opt | FileCheck %s

// CHECK-LABEL: func.func @types
func.func @types(%h: tensor<16x16xf16>, %b: tensor<16x16xbf16>, %d: tensor<16x16xf64>, %i: tensor<16x16xi8>,
                 %x: tensor<16x16xf8E4M3FN>, %y: tensor<16x16xf8E5M2>,
                 %ch: tensor<16x16xf16>, %cf: tensor<16x16xf32>, %cd: tensor<16x16xf64>, %ci: tensor<16x16xi32>) {
  // CHECK: tile.dot {{.*}} : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf16>
  %0 = tile.dot %h, %h, %ch : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf16>
  // CHECK: tile.dot {{.*}} : tensor<16x16xbf16>, tensor<16x16xbf16> -> tensor<16x16xf32>
  %1 = tile.dot %b, %b, %cf : tensor<16x16xbf16>, tensor<16x16xbf16> -> tensor<16x16xf32>
  // CHECK: tile.dot {{.*}} : tensor<16x16xf64>, tensor<16x16xf64> -> tensor<16x16xf64>
  %2 = tile.dot %d, %d, %cd : tensor<16x16xf64>, tensor<16x16xf64> -> tensor<16x16xf64>
  // CHECK: tile.dot {{.*}} : tensor<16x16xi8>, tensor<16x16xi8> -> tensor<16x16xi32>
  %3 = tile.dot %i, %i, %ci : tensor<16x16xi8>, tensor<16x16xi8> -> tensor<16x16xi32>
  // CHECK: tile.dot {{.*}} : tensor<16x16xf8E4M3FN>, tensor<16x16xf8E5M2> -> tensor<16x16xf16>
  %4 = tile.dot %x, %y, %ch : tensor<16x16xf8E4M3FN>, tensor<16x16xf8E5M2> -> tensor<16x16xf16>
  return
}

// CHECK-LABEL: func.func @batch_and_precision
func.func @batch_and_precision(%a: tensor<2x3x5xf32>, %b: tensor<2x5x7xf32>, %c: tensor<2x3x7xf32>) {
  // CHECK: tile.dot {{.*}} {precision = 2 : i32} : tensor<2x3x5xf32>, tensor<2x5x7xf32> -> tensor<2x3x7xf32>
  %0 = tile.dot %a, %b, %c {precision = 2 : i32} : tensor<2x3x5xf32>, tensor<2x5x7xf32> -> tensor<2x3x7xf32>
  return
}
