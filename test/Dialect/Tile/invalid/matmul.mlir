// RUN: tile-opt --split-input-file --verify-diagnostics %s

func.func @rank(%a: tensor<16xf16>, %c: tensor<16xf32>) { // (C1)
  // expected-error @+1 {{'tile.dot' op expected three tiles of rank 2 or three of rank 3, got ranks 1, 1 and 1}}
  %0 = tile.dot %a, %a, %c : tensor<16xf16>, tensor<16xf16> -> tensor<16xf32>
  return
}

// -----

func.func @ranks(%a: tensor<2x16x16xf16>, %b: tensor<16x16xf16>, %c: tensor<2x16x16xf32>) { // (C1)
  // expected-error @+1 {{'tile.dot' op expected three tiles of rank 2 or three of rank 3, got ranks 3, 2 and 3}}
  %0 = tile.dot %a, %b, %c : tensor<2x16x16xf16>, tensor<16x16xf16> -> tensor<2x16x16xf32>
  return
}

// -----

func.func @batch(%a: tensor<2x16x16xf16>, %b: tensor<4x16x16xf16>, %c: tensor<2x16x16xf32>) { // (C1)
  // expected-error @+1 {{'tile.dot' op expected equal first sizes, got 2, 4 and 2}}
  %0 = tile.dot %a, %b, %c : tensor<2x16x16xf16>, tensor<4x16x16xf16> -> tensor<2x16x16xf32>
  return
}

// -----

func.func @inner(%a: tensor<16x32xf16>, %b: tensor<16x8xf16>, %c: tensor<16x8xf32>) { // (C2)
  // expected-error @+1 {{'tile.dot' op expected 32 rows in 'b', as 'a' has columns, got 16}}
  %0 = tile.dot %a, %b, %c : tensor<16x32xf16>, tensor<16x8xf16> -> tensor<16x8xf32>
  return
}

// -----

func.func @outer(%a: tensor<16x32xf16>, %b: tensor<32x8xf16>, %c: tensor<8x16xf32>) { // (C2)
  // expected-error @+1 {{'tile.dot' op expected an accumulator of 16x8, got 8x16}}
  %0 = tile.dot %a, %b, %c : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<8x16xf32>
  return
}

// -----

func.func @operands_differ(%a: tensor<16x32xf16>, %b: tensor<32x8xbf16>, %c: tensor<16x8xf32>) { // (C3)
  // expected-error @+1 {{'tile.dot' op expected element types that multiply, got 'f16' * 'bf16' -> 'f32'}}
  %0 = tile.dot %a, %b, %c : tensor<16x32xf16>, tensor<32x8xbf16> -> tensor<16x8xf32>
  return
}

// -----

func.func @accumulator(%a: tensor<16x32xbf16>, %b: tensor<32x8xbf16>, %c: tensor<16x8xf16>) { // (C3)
  // expected-error @+1 {{'tile.dot' op expected element types that multiply, got 'bf16' * 'bf16' -> 'f16'}}
  %0 = tile.dot %a, %b, %c : tensor<16x32xbf16>, tensor<32x8xbf16> -> tensor<16x8xf16>
  return
}

// -----

func.func @integers(%a: tensor<16x32xi8>, %b: tensor<32x8xi8>, %c: tensor<16x8xf32>) { // (C3)
  // expected-error @+1 {{'tile.dot' op expected element types that multiply, got 'i8' * 'i8' -> 'f32'}}
  %0 = tile.dot %a, %b, %c : tensor<16x32xi8>, tensor<32x8xi8> -> tensor<16x8xf32>
  return
}

// -----

func.func @result(%a: tensor<16x32xf16>, %b: tensor<32x8xf16>, %c: tensor<16x8xf32>) {
  // expected-error @+1 {{'tile.dot' op failed to verify that all of {c, result} have same type}}
  %0 = "tile.dot"(%a, %b, %c) : (tensor<16x32xf16>, tensor<32x8xf16>, tensor<16x8xf32>) -> tensor<16x8xf16>
  return
}

// -----

func.func @precision(%a: tensor<16x32xf32>, %b: tensor<32x8xf32>, %c: tensor<16x8xf32>) {
  // expected-error @+1 {{'tile.dot' op attribute 'precision' failed to satisfy constraint}}
  %0 = tile.dot %a, %b, %c {precision = 9 : i32} : tensor<16x32xf32>, tensor<32x8xf32> -> tensor<16x8xf32>
  return
}
