// RUN: tile-opt --tile-fuse-dot-accumulate --tile-fuse-multiply-add --tile-hoist-invariants \
// RUN:   --remarks-filter='.*' --remark-format=emitRemark --verify-diagnostics %s

// What passes say they did, and why they did not.

func.func @products(%a: tensor<16x32xf16>, %b: tensor<32x8xf16>, %x: tensor<16x8xf32>, %n: i32)
    -> (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %0 = tile.dot %a, %b, %zero : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
  // expected-remark @+1 {{[Passed] fused | Category:tile-fuse-dot-accumulate | Function=products | Remark="the matrix product adds to the sum by itself"}}
  %1 = arith.addf %0, %x : tensor<16x8xf32>
  %2 = tile.dot %a, %b, %zero : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
  // expected-remark @+1 {{the sum stays apart from the matrix product: the product has other uses}}
  %3 = arith.addf %2, %x : tensor<16x8xf32>
  %4 = tile.dot %a, %b, %x : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
  // expected-remark @+1 {{the sum stays apart from the matrix product: the product starts from another sum than zero}}
  %5 = arith.addf %4, %x : tensor<16x8xf32>
  %6 = tile.dot %a, %b, %zero {precision = 2 : i32} : tensor<16x32xf16>, tensor<32x8xf16> -> tensor<16x8xf32>
  %7 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> tensor<16x8xf32> : i32 {
    // expected-remark @+1 {{the sum stays apart from the matrix product: the product is computed in another block}}
    %8 = arith.addf %acc, %6 : tensor<16x8xf32>
    scf.yield %8 : tensor<16x8xf32>
  }
  return %1, %2, %3, %5, %7 : tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>
}

func.func @sums(%x: tensor<8xf32>, %y: tensor<8xf32>, %h: tensor<8xbf16>, %n: i32)
    -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xbf16>, tensor<8xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = arith.mulf %x, %y : tensor<8xf32>
  // expected-remark @+1 {{[Passed] fused | Category:tile-fuse-multiply-add | Function=sums | Remark="the product and the sum are one operation"}}
  %1 = arith.addf %0, %x : tensor<8xf32>
  %2 = arith.mulf %x, %x : tensor<8xf32>
  // expected-remark @+1 {{[Missed] fused | Category:tile-fuse-multiply-add | Function=sums | Remark="the product and the sum are rounded apart: the product has other uses"}}
  %3 = arith.subf %2, %y : tensor<8xf32>
  %4 = arith.mulf %h, %h : tensor<8xbf16>
  // expected-remark @+1 {{rounded apart: there is no such instruction for bf16}}
  %5 = arith.addf %4, %h : tensor<8xbf16>
  %6 = arith.mulf %y, %y : tensor<8xf32>
  %7 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> tensor<8xf32> : i32 {
    // expected-remark @+1 {{rounded apart: the product is computed in another block}}
    %8 = arith.addf %acc, %6 : tensor<8xf32>
    scf.yield %8 : tensor<8xf32>
  }
  return %1, %2, %3, %5, %7 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xbf16>, tensor<8xf32>
}

func.func @loops(%p: tensor<8x!tile.ptr<f32>>, %x: tensor<8xf32>, %n: i32) -> tensor<8xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark @+1 {{[Passed] hoisted | Category:tile-hoist-invariants | Function=loops | Remark="2 operations on tiles moved out of the loop"}}
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %x) -> (tensor<8xf32>) : i32 {
    %1 = math.exp %x : tensor<8xf32>
    %2 = math.sqrt %1 : tensor<8xf32>
    // expected-remark @+1 {{every iteration loads from the same addresses: load before the loop if nothing writes there}}
    %3 = tile.load %p : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
    %4 = arith.divf %2, %3 : tensor<8xf32>
    %5 = arith.divf %sum, %4 : tensor<8xf32>
    scf.yield %5 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
