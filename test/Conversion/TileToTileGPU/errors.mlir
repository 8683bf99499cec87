// RUN: tile-opt --allow-unregistered-dialect --convert-tile-to-tilegpu --split-input-file --verify-diagnostics %s

// expected-error @+1 {{expected 'tilegpu.num_warps': run tilegpu-set-target first}}
func.func @target() {
  return
}

// -----

func.func @coalesce(%p: !tile.ptr<f32>) attributes {tilegpu.num_warps = 4 : i32} {
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  // expected-error @+1 {{expected 'tilegpu.layout': run tilegpu-coalesce first}}
  %v = tile.load %s : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
  return
}

// -----

func.func @tiling(%p: !tile.ptr<f32>) attributes {tilegpu.num_warps = 4 : i32} {
  %a = arith.constant dense<1.0> : tensor<16x16xf16>
  %c = arith.constant dense<1.0> : tensor<16x16xf32>
  // expected-error @+1 {{expected 'tilegpu.tiling': products of rank 2 get it from tilegpu-tile-dot}}
  %d = tile.dot %a, %a, %c : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  return
}

// -----

// expected-error @+1 {{expected scalars and pointers as arguments of a kernel, got 'tensor<64xf32>'}}
func.func @argument(%x: tensor<64xf32>) attributes {tilegpu.num_warps = 4 : i32} {
  %y = math.exp %x : tensor<64xf32>
  return
}

// -----

func.func @constant() attributes {tilegpu.num_warps = 4 : i32} {
  // expected-error @+1 {{code generation takes constant tiles of equal elements only}}
  %x = arith.constant dense<[1, 2]> : tensor<2xi32>
  return
}

// -----

// expected-error @+1 {{expected structured control flow, got several blocks}}
func.func @blocks() attributes {tilegpu.num_warps = 4 : i32} {
  llvm.br ^end
^end:
  return
}

// -----

func.func @unknown(%x: f32) attributes {tilegpu.num_warps = 4 : i32} {
  // expected-error @+1 {{this operation has no layout: code generation does not know it}}
  %0 = "test.make"(%x) : (f32) -> tensor<2xf32>
  return
}

// -----

func.func @region() attributes {tilegpu.num_warps = 4 : i32} {
  // expected-error @+1 {{this operation has no layout: code generation does not know it}}
  "test.region"() ({}) : () -> ()
  return
}

// -----

func.func @batched() attributes {tilegpu.num_warps = 4 : i32} {
  %z = arith.constant dense<0.0> : tensor<2x16x16xf16>
  %d = arith.constant dense<0.0> : tensor<2x16x16xf32>
  // expected-error @+1 {{code generation multiplies tiles with two axes: loop over the first axis, or run this kernel on the interpreter}}
  %0 = tile.dot %z, %z, %d : tensor<2x16x16xf16>, tensor<2x16x16xf16> -> tensor<2x16x16xf32>
  return
}
