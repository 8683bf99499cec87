// RUN: tile-opt --tilegpu-coalesce --tilegpu-tile-dot --split-input-file \
// RUN:   --remarks-filter='.*' --remark-format=emitRemark --verify-diagnostics %s

// What passes say they did, and why they did not. Those of the software pipeline are
// in test/Pipelines/remarks.tile.

// Why an access is narrow.
func.func @widths(%p: !tile.ptr<f32>, %q: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32,
                  %m: i32 {tile.divisibility = 2 : i32}, %s: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c3 = arith.constant dense<3> : tensor<1024xi32>
  %x = tile.arange 0, 1024 : tensor<1024xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  %ms = tile.splat %m : i32 -> tensor<1024xi32>
  %px = tile.addptr %ps, %x : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %qx = tile.addptr %qs, %x : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  // expected-remark @+1 {{[Missed] narrow | Category:tilegpu-coalesce | Function=widths | Remark="an instruction moves 4 bytes: where its elements start is only known to be a multiple of 4 bytes"}}
  %0 = tile.load %px : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  %1 = tile.load %qx : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  %mask = arith.cmpi ne, %x, %ns : tensor<1024xi32>
  // expected-remark @+1 {{an instruction moves 4 bytes: the mask may change after as many; a bound that is known to be a multiple of 4 helps}}
  %2 = tile.load %qx mask %mask : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  %half = arith.cmpi slt, %x, %ms : tensor<1024xi32>
  %other = arith.cmpi sge, %x, %ms : tensor<1024xi32>
  %even = arith.ori %half, %other : tensor<1024xi1>
  // expected-remark @+1 {{an instruction moves 8 bytes: the mask may change after as many; a bound that is known to be a multiple of 4 helps}}
  tile.store %qx, %0 mask %even : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  %x3 = arith.muli %x, %c3 : tensor<1024xi32>
  %q3 = tile.addptr %qs, %x3 : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  // expected-remark @+1 {{an instruction moves one element: the addresses are not known to follow each other along any axis}}
  tile.store %q3, %2 : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  return
}

// -----

// Runs of two elements: rows of a 512 x 2 tile.
func.func @short_runs(%q: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %s: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %i = tile.arange 0, 512 : tensor<512xi32>
  %j = tile.arange 0, 2 : tensor<2xi32>
  %ss = tile.splat %s : i32 -> tensor<512xi32>
  %r = arith.muli %i, %ss : tensor<512xi32>
  %re = tile.expand_dims %r, 1 : tensor<512xi32> -> tensor<512x1xi32>
  %je = tile.expand_dims %j, 0 : tensor<2xi32> -> tensor<1x2xi32>
  %rb = tile.broadcast %re : tensor<512x1xi32> -> tensor<512x2xi32>
  %jb = tile.broadcast %je : tensor<1x2xi32> -> tensor<512x2xi32>
  %o = arith.addi %rb, %jb : tensor<512x2xi32>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<512x2x!tile.ptr<f32>>
  %p = tile.addptr %qs, %o : tensor<512x2x!tile.ptr<f32>>, tensor<512x2xi32>
  // expected-remark @+1 {{an instruction moves 4 bytes: where its elements start is only known to be a multiple of 4 bytes}}
  %0 = tile.load %p : tensor<512x2x!tile.ptr<f32>> -> tensor<512x2xf32>
  return
}

// -----

func.func @even_rows(%q: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %s: i32 {tile.divisibility = 16 : i32}) attributes {tilegpu.num_warps = 4 : i32} {
  %i = tile.arange 0, 512 : tensor<512xi32>
  %j = tile.arange 0, 2 : tensor<2xi32>
  %ss = tile.splat %s : i32 -> tensor<512xi32>
  %r = arith.muli %i, %ss : tensor<512xi32>
  %re = tile.expand_dims %r, 1 : tensor<512xi32> -> tensor<512x1xi32>
  %je = tile.expand_dims %j, 0 : tensor<2xi32> -> tensor<1x2xi32>
  %rb = tile.broadcast %re : tensor<512x1xi32> -> tensor<512x2xi32>
  %jb = tile.broadcast %je : tensor<1x2xi32> -> tensor<512x2xi32>
  %o = arith.addi %rb, %jb : tensor<512x2xi32>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<512x2x!tile.ptr<f32>>
  %p = tile.addptr %qs, %o : tensor<512x2x!tile.ptr<f32>>, tensor<512x2xi32>
  // expected-remark @+1 {{an instruction moves 8 bytes: the addresses follow each other no longer}}
  %0 = tile.load %p : tensor<512x2x!tile.ptr<f32>> -> tensor<512x2xf32>
  return
}

// -----

func.func @products(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %c: tensor<64x64xf32>,
                    %d: tensor<64x8xf16>, %e: tensor<8x64xf16>,
                    %f: tensor<64x32xf32>, %g: tensor<32x64xf32>) attributes {tilegpu.num_warps = 4 : i32} {
  // expected-remark @+1 {{[Passed] tensor-cores | Category:tilegpu-tile-dot | Function=products | Remark="tensor cores compute the product by instructions of 16x8x16, 2 x 2 warps"}}
  %0 = tile.dot %a, %b, %c : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
  // expected-remark @+1 {{threads multiply and add without tensor cores: K is no multiple of 16}}
  %1 = tile.dot %d, %e, %c : tensor<64x8xf16>, tensor<8x64xf16> -> tensor<64x64xf32>
  // expected-remark @+1 {{threads multiply and add without tensor cores: no instruction multiplies f32 by f32 into f32 with precision ieee}}
  %2 = tile.dot %f, %g, %c {precision = 2 : i32} : tensor<64x32xf32>, tensor<32x64xf32> -> tensor<64x64xf32>
  return
}
