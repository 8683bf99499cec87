// RUN: tile-opt --split-input-file --verify-diagnostics %s

func.func @no_input() { // (C1)
  // expected-error @+1 {{'tile.reduce' op expected at least one input}}
  "tile.reduce"() <{axis = 0 : i32}> ({
    tile.yield
  }) : () -> ()
  return
}

// -----

func.func @shapes(%x: tensor<4x8xf32>, %y: tensor<8x4xf32>) { // (C1)
  // expected-error @+1 {{'tile.reduce' op expected inputs of one shape, got [4, 8] and [8, 4]}}
  %0:2 = tile.reduce (%x, %y) axis 0 : tensor<4x8xf32>, tensor<8x4xf32> -> tensor<8xf32>, tensor<4xf32> {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tile.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @axis(%x: tensor<4x8xf32>) { // (C2)
  // expected-error @+1 {{'tile.reduce' op expected an axis in [0, 2), got 2}}
  %0 = tile.reduce (%x) axis 2 : tensor<4x8xf32> -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @negative_axis(%x: tensor<4x8xf32>) { // (C2)
  // expected-error @+1 {{'tile.scan' op expected an axis in [0, 2), got -1}}
  %0 = tile.scan (%x) axis -1 : tensor<4x8xf32> -> tensor<4x8xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @result_count(%x: tensor<4x8xf32>) { // (C3)
  // expected-error @+1 {{'tile.reduce' op expected 1 results, got 2}}
  %0:2 = tile.reduce (%x) axis 1 : tensor<4x8xf32> -> tensor<4xf32>, tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @result_shape(%x: tensor<4x8xf32>) { // (C3)
  // expected-error @+1 {{'tile.reduce' op expected a result of shape [4] with elements of type 'f32', got 'tensor<8xf32>'}}
  %0 = tile.reduce (%x) axis 1 : tensor<4x8xf32> -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @result_element(%x: tensor<4x8xf32>) { // (C3)
  // expected-error @+1 {{'tile.reduce' op expected a result of shape [4] with elements of type 'f32', got 'tensor<4xf16>'}}
  %0 = tile.reduce (%x) axis 1 : tensor<4x8xf32> -> tensor<4xf16> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @result_of_rank_0(%x: tensor<8xf32>) { // (C3)
  // expected-error @+1 {{'tile.reduce' op expected a result of shape [] with elements of type 'f32', got 'tensor<f32>'}}
  %0 = tile.reduce (%x) axis 0 : tensor<8xf32> -> tensor<f32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @arguments(%x: tensor<8xf32>) { // (C4)
  // expected-error @+1 {{'tile.reduce' op expected the region to take the elements of the left operand and then of the right one: ('f32', 'f32'), got ('f32', 'f64')}}
  %0 = tile.reduce (%x) axis 0 : tensor<8xf32> -> f32 {
  ^bb0(%a: f32, %b: f64):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @argument_order(%x: tensor<8xf32>, %i: tensor<8xi32>) { // (C4)
  // expected-error @+1 {{expected the region to take the elements of the left operand and then of the right one: ('f32', 'i32', 'f32', 'i32'), got ('f32', 'f32', 'i32', 'i32')}}
  %0:2 = tile.reduce (%x, %i) axis 0 : tensor<8xf32>, tensor<8xi32> -> f32, i32 {
  ^bb0(%a: f32, %b: f32, %c: i32, %d: i32):
    tile.yield %a, %c : f32, i32
  }
  return
}

// -----

func.func @yields(%x: tensor<8xf32>) { // (C4)
  // expected-error @+1 {{'tile.reduce' op expected the region to yield ('f32'), got ('f32', 'f32')}}
  %0 = tile.reduce (%x) axis 0 : tensor<8xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @scan_result(%x: tensor<8xf32>) { // (C3)
  // expected-error @+1 {{'tile.scan' op expected results of the types of the inputs}}
  %0 = tile.scan (%x) axis 0 : tensor<8xf32> -> tensor<8xf64> {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  }
  return
}

// -----

func.func @scan_region(%x: tensor<8xf32>) { // (C4)
  // expected-error @+1 {{'tile.scan' op expected the region to yield ('f32'), got ()}}
  %0 = tile.scan (%x) axis 0 : tensor<8xf32> -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    tile.yield
  }
  return
}

// -----

func.func @yield_elsewhere(%x: f32) {
  // expected-error @+1 {{'tile.yield' op expects parent op to be one of 'tile.reduce, tile.scan'}}
  tile.yield %x : f32
}

// -----

func.func @histogram_result(%x: tensor<8xi32>) { // (C1)
  // expected-error @+1 {{'tile.histogram' op expected a result with one axis, got 'tensor<2x2xi32>'}}
  %0 = tile.histogram %x : tensor<8xi32> -> tensor<2x2xi32>
  return
}

// -----

func.func @histogram_mask(%x: tensor<8xi32>, %m: tensor<4xi1>) { // (C2)
  // expected-note @-1 {{prior use here}}
  // expected-error @+1 {{use of value '%m' expects different type than prior uses: 'tensor<8xi1>' vs 'tensor<4xi1>'}}
  %0 = tile.histogram %x mask %m : tensor<8xi32> -> tensor<4xi32>
  return
}
