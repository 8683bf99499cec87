// RUN: tile-opt --split-input-file --verify-diagnostics %s

func.func @arange_empty() { // (C1)
  // expected-error @+1 {{'tile.arange' op expected the end to be greater than the start, got [4, 4)}}
  %0 = tile.arange 4, 4 : tensor<1xi32>
  return
}

// -----

func.func @arange_size() { // (C1)
  // expected-error @+1 {{'tile.arange' op expected a result of 8 elements, got 16}}
  %0 = tile.arange -4, 4 : tensor<16xi32>
  return
}

// -----

func.func @arange_far_ends() { // (C1)
  // expected-error @+1 {{'tile.arange' op expected a result of 4294967295 elements, got 1}}
  %0 = tile.arange -2147483648, 2147483647 : tensor<1xi32>
  return
}

// -----

func.func @arange_rank() {
  // expected-error @+1 {{'tile.arange' op result #0 must be 1D tensor of 32-bit signless integer values}}
  %0 = tile.arange 0, 8 : tensor<2x4xi32>
  return
}

// -----

func.func @splat_element(%x: f32) { // (C1)
  // expected-error @+1 {{'tile.splat' op expected the result to have elements of type 'f32', got 'f16'}}
  %0 = tile.splat %x : f32 -> tensor<8xf16>
  return
}

// -----

func.func @splat_of_tile(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tile.splat' op operand #0 must be number or pointer}}
  %0 = tile.splat %x : tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

func.func @splat_dynamic(%x: f32) {
  // expected-error @+1 {{'tile.splat' op result #0 must be statically shaped tensor of number or pointer values}}
  %0 = tile.splat %x : f32 -> tensor<?xf32>
  return
}

// -----

func.func @splat_unranked(%x: f32) {
  // expected-error @+1 {{expected builtin.tensor, but found 'tensor<*xf32>'}}
  %0 = tile.splat %x : f32 -> tensor<*xf32>
  return
}

// -----

func.func @broadcast_element(%x: tensor<1xf32>) { // (C1)
  // expected-error @+1 {{'tile.broadcast' op expected the result to have elements of type 'f32', got 'i32'}}
  %0 = tile.broadcast %x : tensor<1xf32> -> tensor<8xi32>
  return
}

// -----

func.func @broadcast_rank(%x: tensor<1xf32>) { // (C1)
  // expected-error @+1 {{'tile.broadcast' op expected a result of rank 1, got 2}}
  %0 = tile.broadcast %x : tensor<1xf32> -> tensor<1x8xf32>
  return
}

// -----

func.func @broadcast_size(%x: tensor<4x2xf32>) { // (C2)
  // expected-error @+1 {{'tile.broadcast' op expected axis 1 to have size 1 or 8, got 2}}
  %0 = tile.broadcast %x : tensor<4x2xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @expand_dims_axis(%x: tensor<8xf32>) { // (C1)
  // expected-error @+1 {{'tile.expand_dims' op expected an axis in [0, 1], got 2}}
  %0 = tile.expand_dims %x, 2 : tensor<8xf32> -> tensor<8x1xf32>
  return
}

// -----

func.func @expand_dims_negative(%x: tensor<8xf32>) { // (C1)
  // expected-error @+1 {{'tile.expand_dims' op expected an axis in [0, 1], got -1}}
  %0 = tile.expand_dims %x, -1 : tensor<8xf32> -> tensor<8x1xf32>
  return
}

// -----

func.func @expand_dims_shape(%x: tensor<8xf32>) { // (C2)
  // expected-error @+1 {{'tile.expand_dims' op expected a result of shape [1, 8], got [8, 1]}}
  %0 = tile.expand_dims %x, 0 : tensor<8xf32> -> tensor<8x1xf32>
  return
}

// -----

func.func @expand_dims_element(%x: tensor<8xf32>) { // (C2)
  // expected-error @+1 {{'tile.expand_dims' op expected the result to have elements of type 'f32', got 'f64'}}
  %0 = tile.expand_dims %x, 0 : tensor<8xf32> -> tensor<1x8xf64>
  return
}

// -----

func.func @reshape_size(%x: tensor<4x8xf32>) { // (C1)
  // expected-error @+1 {{'tile.reshape' op expected a result of 32 elements, got 16}}
  %0 = tile.reshape %x : tensor<4x8xf32> -> tensor<16xf32>
  return
}

// -----

func.func @reshape_element(%x: tensor<4x8xf32>) { // (C1)
  // expected-error @+1 {{'tile.reshape' op expected the result to have elements of type 'f32', got 'i32'}}
  %0 = tile.reshape %x : tensor<4x8xf32> -> tensor<32xi32>
  return
}

// -----

func.func @trans_twice(%x: tensor<4x8xf32>) { // (C1)
  // expected-error @+1 {{'tile.trans' op expected a permutation of the 2 axes, got [0, 0]}}
  %0 = tile.trans %x, [0, 0] : tensor<4x8xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @trans_range(%x: tensor<4x8xf32>) { // (C1)
  // expected-error @+1 {{'tile.trans' op expected a permutation of the 2 axes, got [1, -3]}}
  %0 = tile.trans %x, [1, -3] : tensor<4x8xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @trans_count(%x: tensor<4x8xf32>) { // (C1)
  // expected-error @+1 {{'tile.trans' op expected a permutation of the 2 axes, got [1, 0, 0]}}
  %0 = tile.trans %x, [1, 0, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @trans_shape(%x: tensor<4x8xf32>) { // (C2)
  // expected-error @+1 {{'tile.trans' op expected axis 0 of the result to have size 8}}
  %0 = tile.trans %x, [1, 0] : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @trans_element(%x: tensor<4x8xf32>) { // (C2)
  // expected-error @+1 {{'tile.trans' op expected the result to have elements of type 'f32', got 'f16'}}
  %0 = tile.trans %x, [1, 0] : tensor<4x8xf32> -> tensor<8x4xf16>
  return
}

// -----

func.func @axis(%x: tensor<8xf32>, %i: tensor<8xi32>) {
  // expected-error @+1 {{'tile.gather' op expected an axis in [0, 1), got 1}}
  %0 = tile.gather %x, %i axis 1 : tensor<8xf32>, tensor<8xi32> -> tensor<8xf32>
  return
}

// -----

func.func @other_axes(%x: tensor<4x8xf32>, %i: tensor<2x8xi32>) {
  // expected-error @+1 {{'tile.gather' op expected indices of the shape [4, 8] but along axis 1, got [2, 8]}}
  %0 = tile.gather %x, %i axis 1 : tensor<4x8xf32>, tensor<2x8xi32> -> tensor<2x8xf32>
  return
}

// -----

func.func @result(%x: tensor<8xf32>, %i: tensor<2xi32>) {
  // expected-error @+1 {{'tile.gather' op expected a result of shape [2], got [8]}}
  %0 = tile.gather %x, %i axis 0 : tensor<8xf32>, tensor<2xi32> -> tensor<8xf32>
  return
}

// -----

func.func @gather_element(%x: tensor<8xf32>, %i: tensor<2xi32>) { // (C2)
  // expected-error @+1 {{'tile.gather' op expected the result to have elements of type 'f32', got 'f16'}}
  %0 = tile.gather %x, %i axis 0 : tensor<8xf32>, tensor<2xi32> -> tensor<2xf16>
  return
}
