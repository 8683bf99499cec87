// RUN: tile-opt --split-input-file --verify-diagnostics %s

//===-- layout --------------------------------------------------------------===//

// expected-error @+1 {{unknown in-dim 'thread', expected register, lane, warp, block or offset}}
func.func private @unknown_dim(tensor<2xf32, #tilegpu.layout<[2], thread = [[1]]>>)

// -----

// expected-error @+1 {{expected 'offset' alone: an image of shared memory has no other in-dim}}
func.func private @mixed(!tilegpu.memdesc<4xf32, #tilegpu.layout<[4], lane = [[1]], offset = [[2]]>>)

// -----

// expected-error @+1 {{expected a layout that holds every element of [4], got one that holds 2^1 of 2^2}}
func.func private @not_onto(tensor<4xf32, #tilegpu.layout<[4], lane = [[1]]>>)

// -----

// expected-error @+1 {{expected an image of shared memory to hold every element once}}
func.func private @image_twice(!tilegpu.memdesc<4xf32, #tilegpu.layout<[4], offset = [[1], [2], [1]]>>)

// -----

// expected-error @+1 {{expected layout sizes that are powers of two, got 3}}
func.func private @size(tensor<3xf32, #tilegpu.layout<[3], lane = [[1], [2]]>>)

// -----

// expected-error @+1 {{basis vector [1, 0] of 'lane' does not fit the shape [4]}}
func.func private @rank(tensor<4xf32, #tilegpu.layout<[4], lane = [[1, 0], [2, 0]]>>)

// -----

// expected-error @+1 {{basis vector [4] of 'lane' does not fit the shape [4]}}
func.func private @outside(tensor<4xf32, #tilegpu.layout<[4], lane = [[1], [4]]>>)

// -----

// expected-error @+1 {{in-dim 'lane' given twice}}
func.func private @twice(tensor<4xf32, #tilegpu.layout<[4], lane = [[1]], lane = [[2]]>>)

// -----

// expected-error @+1 {{basis vector [-2] of 'lane' does not fit the shape [4]}}
func.func private @negative(tensor<4xf32, #tilegpu.layout<[4], lane = [[1], [-2]]>>)

// -----

// expected-error @+1 {{expected a layout of registers, got one of shared memory}}
func.func private @image_of_tile(tensor<4xf32, #tilegpu.layout<[4], offset = [[1], [2]]>>)

// -----

// expected-error @+1 {{expected a layout of shape [8], got [4]}}
func.func private @shape(tensor<8xf32, #tilegpu.layout<[4], lane = [[1], [2]]>>)

// -----

// expected-error @+1 {{expected a layout of shape}}
func.func private @dynamic(tensor<?xf32, #tilegpu.layout<[4], lane = [[1], [2]]>>)

// -----

//===-- tiling --------------------------------------------------------------===//

// expected-error @+1 {{expected 2 counts of warps and 3 sizes of the instruction, all powers of two}}
func.func private @warps() attributes {x = #tilegpu.tiling<mma, warps = [2, 2, 1], instruction = [16, 8, 16]>}

// -----

// expected-error @+1 {{expected 2 counts of warps and 3 sizes of the instruction, all powers of two}}
func.func private @instruction() attributes {x = #tilegpu.tiling<fma, warps = [2, 2], instruction = [4, 4]>}

// -----

// expected-error @+1 {{expected 2 counts of warps and 3 sizes of the instruction, all powers of two}}
func.func private @power() attributes {x = #tilegpu.tiling<fma, warps = [3, 2], instruction = [4, 4, 1]>}

// -----

// expected-error @+1 {{expected 2 counts of warps and 3 sizes of the instruction, all powers of two}}
func.func private @zero() attributes {x = #tilegpu.tiling<fma, warps = [0, 2], instruction = [4, 4, 1]>}

// -----

//===-- memdesc -------------------------------------------------------------===//

// expected-error @+1 {{expected a layout of shared memory of shape [4], got}}
func.func private @registers(!tilegpu.memdesc<4xf32, #tilegpu.layout<[4], lane = [[1], [2]]>>)

// -----

// expected-error @+1 {{expected a layout of shared memory of shape [8], got}}
func.func private @memory_shape(!tilegpu.memdesc<8xf32, #tilegpu.layout<[4], offset = [[1], [2]]>>)

// -----

//===-- convert_layout ------------------------------------------------------===//

#l = #tilegpu.layout<[4], lane = [[1], [2]]>
#m = #tilegpu.layout<[8], lane = [[1], [2], [4]]>
func.func @convert_shape(%x: tensor<4xf32, #l>) { // (C1)
  // expected-error-re @+1 {{'tilegpu.convert_layout' op expected the result to have the shape and the elements of 'tensor<4xf32{{.*}}', got 'tensor<8xf32{{.*}}'}}
  %0 = tilegpu.convert_layout %x : tensor<4xf32, #l> -> tensor<8xf32, #m>
  return
}

// -----

#l = #tilegpu.layout<[4], lane = [[1], [2]]>
func.func @convert_element(%x: tensor<4xf32, #l>) { // (C1)
  // expected-error @+1 {{'tilegpu.convert_layout' op expected the result to have the shape and the elements of}}
  %0 = tilegpu.convert_layout %x : tensor<4xf32, #l> -> tensor<4xi32, #l>
  return
}

// -----

#l = #tilegpu.layout<[4], lane = [[1], [2]]>
func.func @convert_from_none(%x: tensor<4xf32>) { // (C1)
  // expected-error @+1 {{'tilegpu.convert_layout' op expected both tiles to have a layout}}
  %0 = tilegpu.convert_layout %x : tensor<4xf32> -> tensor<4xf32, #l>
  return
}

// -----

#l = #tilegpu.layout<[4], lane = [[1], [2]]>
func.func @convert_to_none(%x: tensor<4xf32, #l>) { // (C1)
  // expected-error @+1 {{'tilegpu.convert_layout' op expected both tiles to have a layout}}
  %0 = tilegpu.convert_layout %x : tensor<4xf32, #l> -> tensor<4xf32>
  return
}

// -----

//===-- local_alloc ---------------------------------------------------------===//

#l = #tilegpu.layout<[4], lane = [[1], [2]]>
#s = #tilegpu.layout<[8], offset = [[1], [2], [4]]>
func.func @alloc_shape(%x: tensor<4xf32, #l>) { // (C1)
  // expected-error @+1 {{'tilegpu.local_alloc' op expected a buffer of the shape and the elements of 'tensor<4xf32, }}
  %0 = tilegpu.local_alloc %x : tensor<4xf32, #l> -> !tilegpu.memdesc<8xf32, #s>
  return
}

// -----

#l = #tilegpu.layout<[4], lane = [[1], [2]]>
#s = #tilegpu.layout<[4], offset = [[1], [2]]>
func.func @alloc_element(%x: tensor<4xf32, #l>) { // (C1)
  // expected-error @+1 {{'tilegpu.local_alloc' op expected a buffer of the shape and the elements of 'tensor<4xf32, }}
  %0 = tilegpu.local_alloc %x : tensor<4xf32, #l> -> !tilegpu.memdesc<4xf16, #s>
  return
}

// -----

#s = #tilegpu.layout<[4], offset = [[1], [2]]>
func.func @alloc_no_layout(%x: tensor<4xf32>) { // (C2)
  // expected-error @+1 {{'tilegpu.local_alloc' op expected a tile with a layout, got 'tensor<4xf32>'}}
  %0 = tilegpu.local_alloc %x : tensor<4xf32> -> !tilegpu.memdesc<4xf32, #s>
  return
}

// -----

//===-- dot -----------------------------------------------------------------===//

#c = #tilegpu.layout<[16, 8], register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @dot_sizes(%a: tensor<16x32xf16>, %b: tensor<16x8xf16>, %c: tensor<16x8xf32, #c>) { // (C1)
  // expected-error @+1 {{'tilegpu.dot' op expected operands of MxK and KxN and an accumulator of MxN, got [16, 32], [16, 8] and [16, 8]}}
  %0 = tilegpu.dot %a, %b, %c {tiling = #tilegpu.tiling<mma, warps = [1, 1], instruction = [16, 8, 16]>} : tensor<16x32xf16>, tensor<16x8xf16> -> tensor<16x8xf32, #c>
  return
}

// -----

#c = #tilegpu.layout<[16, 8], register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @dot_rank(%a: tensor<16xf16>, %b: tensor<16x8xf16>, %c: tensor<16x8xf32, #c>) { // (C1)
  // expected-error @+1 {{'tilegpu.dot' op expected operands of MxK and KxN and an accumulator of MxN, got [16], [16, 8] and [16, 8]}}
  %0 = tilegpu.dot %a, %b, %c {tiling = #tilegpu.tiling<mma, warps = [1, 1], instruction = [16, 8, 16]>} : tensor<16xf16>, tensor<16x8xf16> -> tensor<16x8xf32, #c>
  return
}

// -----

#c = #tilegpu.layout<[16, 8], register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#s = #tilegpu.layout<[16], offset = [[1], [2], [4], [8]]>
func.func @dot_memory_rank(%a: !tilegpu.memdesc<16xf16, #s>, %b: tensor<16x8xf16>, %c: tensor<16x8xf32, #c>) { // (C1)
  // expected-error @+1 {{'tilegpu.dot' op expected operands of MxK and KxN and an accumulator of MxN, got [16], [16, 8] and [16, 8]}}
  %0 = tilegpu.dot %a, %b, %c {tiling = #tilegpu.tiling<mma, warps = [1, 1], instruction = [16, 8, 16]>} : !tilegpu.memdesc<16xf16, #s>, tensor<16x8xf16> -> tensor<16x8xf32, #c>
  return
}

// -----

#c = #tilegpu.layout<[16, 8], register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @dot_types(%a: tensor<16x16xf16>, %b: tensor<16x8xbf16>, %c: tensor<16x8xf32, #c>) { // (C1)
  // expected-error @+1 {{'tilegpu.dot' op expected element types that multiply, got 'f16' * 'bf16' -> 'f32'}}
  %0 = tilegpu.dot %a, %b, %c {tiling = #tilegpu.tiling<mma, warps = [1, 1], instruction = [16, 8, 16]>} : tensor<16x16xf16>, tensor<16x8xbf16> -> tensor<16x8xf32, #c>
  return
}

// -----

#c = #tilegpu.layout<[16, 8], register = [[8, 0], [0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @dot_layout(%a: tensor<16x16xf16>, %b: tensor<16x8xf16>, %c: tensor<16x8xf32, #c>) { // (C2)
  // expected-error @+1 {{'tilegpu.dot' op expected the accumulator's layout to be that of the tiling, }}
  %0 = tilegpu.dot %a, %b, %c {tiling = #tilegpu.tiling<mma, warps = [1, 1], instruction = [16, 8, 16]>} : tensor<16x16xf16>, tensor<16x8xf16> -> tensor<16x8xf32, #c>
  return
}

// -----

func.func @dot_no_layout(%a: tensor<16x16xf16>, %b: tensor<16x8xf16>, %c: tensor<16x8xf32>) { // (C2)
  // expected-error @+1 {{'tilegpu.dot' op expected the accumulator's layout to be that of the tiling, }}
  %0 = tilegpu.dot %a, %b, %c {tiling = #tilegpu.tiling<mma, warps = [1, 1], instruction = [16, 8, 16]>} : tensor<16x16xf16>, tensor<16x8xf16> -> tensor<16x8xf32>
  return
}

// -----

#s = #tilegpu.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#c = #tilegpu.layout<[16, 16], register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @dot_integers(%a: !tilegpu.memdesc<16x16xi8, #s>, %c: tensor<16x16xi32, #c>) { // (C3)
  // expected-error @+1 {{'tilegpu.dot' op expected instructions of [16, 8, 32] and a K that they fill, got [16, 8, 32] and 16}}
  %0 = tilegpu.dot %a, %a, %c {tiling = #tilegpu.tiling<mma, warps = [1, 1], instruction = [16, 8, 32]>} : !tilegpu.memdesc<16x16xi8, #s>, !tilegpu.memdesc<16x16xi8, #s> -> tensor<16x16xi32, #c>
  return
}

// -----

#s = #tilegpu.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#c = #tilegpu.layout<[16, 16], register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @dot_precision(%a: !tilegpu.memdesc<16x16xf32, #s>, %c: tensor<16x16xf32, #c>) { // (C3)
  // expected-error @+1 {{'tilegpu.dot' op expected a precision that tensor cores have, got ieee}}
  %0 = tilegpu.dot %a, %a, %c {tiling = #tilegpu.tiling<mma, warps = [1, 1], instruction = [16, 8, 8]>, precision = 2 : i32} : !tilegpu.memdesc<16x16xf32, #s>, !tilegpu.memdesc<16x16xf32, #s> -> tensor<16x16xf32, #c>
  return
}

// -----

#s = #tilegpu.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#c = #tilegpu.layout<[16, 16], register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @dot_instruction(%a: !tilegpu.memdesc<16x16xf16, #s>, %c: tensor<16x16xf32, #c>) { // (C3)
  // expected-error @+1 {{'tilegpu.dot' op expected instructions of [16, 8, 16] and a K that they fill, got [16, 8, 8] and 16}}
  %0 = tilegpu.dot %a, %a, %c {tiling = #tilegpu.tiling<mma, warps = [1, 1], instruction = [16, 8, 8]>} : !tilegpu.memdesc<16x16xf16, #s>, !tilegpu.memdesc<16x16xf16, #s> -> tensor<16x16xf32, #c>
  return
}

// -----

#s = #tilegpu.layout<[16, 8], offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]>
#t = #tilegpu.layout<[8, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]>
#c = #tilegpu.layout<[16, 16], register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @dot_depth(%a: !tilegpu.memdesc<16x8xf16, #s>, %b: !tilegpu.memdesc<8x16xf16, #t>, %c: tensor<16x16xf32, #c>) { // (C3)
  // expected-error @+1 {{'tilegpu.dot' op expected instructions of [16, 8, 16] and a K that they fill, got [16, 8, 16] and 8}}
  %0 = tilegpu.dot %a, %b, %c {tiling = #tilegpu.tiling<mma, warps = [1, 1], instruction = [16, 8, 16]>} : !tilegpu.memdesc<16x8xf16, #s>, !tilegpu.memdesc<8x16xf16, #t> -> tensor<16x16xf32, #c>
  return
}

// -----

#s = #tilegpu.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#c = #tilegpu.layout<[16, 16], register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @dot_left(%a: tensor<16x16xf16>, %b: !tilegpu.memdesc<16x16xf16, #s>, %c: tensor<16x16xf32, #c>) { // (C4)
  // expected-error @+1 {{'tilegpu.dot' op expected operand #0 to have the layout of the tiling's fragments, }}
  %0 = tilegpu.dot %a, %b, %c {tiling = #tilegpu.tiling<mma, warps = [1, 1], instruction = [16, 8, 16]>} : tensor<16x16xf16>, !tilegpu.memdesc<16x16xf16, #s> -> tensor<16x16xf32, #c>
  return
}

// -----

#s = #tilegpu.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#c = #tilegpu.layout<[16, 16], register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
func.func @dot_right(%a: !tilegpu.memdesc<16x16xf16, #s>, %b: tensor<16x16xf16, #c>, %c: tensor<16x16xf32, #c>) { // (C4)
  // expected-error @+1 {{'tilegpu.dot' op expected operand #1 to have the layout of the tiling's fragments, }}
  %0 = tilegpu.dot %a, %b, %c {tiling = #tilegpu.tiling<mma, warps = [1, 1], instruction = [16, 8, 16]>} : !tilegpu.memdesc<16x16xf16, #s>, tensor<16x16xf16, #c> -> tensor<16x16xf32, #c>
  return
}

// -----

//===-- asynchronous copies -------------------------------------------------===//

#s = #tilegpu.layout<[4], offset = [[1], [2]]>
func.func @ring_stages() { // (C1)
  // expected-error @+1 {{'tilegpu.ring_alloc' op expected at least one stage, got 0}}
  %0 = tilegpu.ring_alloc 0 : !tilegpu.memdesc<4xf32, #s>
  return
}

// -----

#s = #tilegpu.layout<[4], offset = [[1], [2]]>
func.func @slot_ring(%m: !tilegpu.memdesc<4xf32, #s>, %i: i32) { // (C1)
  // expected-error @+1 {{'tilegpu.slot' op expected buffers that tilegpu.ring_alloc made}}
  %0 = tilegpu.slot %m[%i] : !tilegpu.memdesc<4xf32, #s>
  return
}

// -----

#l = #tilegpu.layout<[4], lane = [[1], [2]]>
#s = #tilegpu.layout<[4], offset = [[1], [2]]>
func.func @copy_element(%p: tensor<4x!tile.ptr<f32>, #l>, %i: i32) { // (C1)
  %0 = tilegpu.ring_alloc 2 : !tilegpu.memdesc<4xf16, #s>
  // expected-error @+1 {{'tilegpu.async_copy' op expected buffers of what 'tensor<4x!tile.ptr<f32>, }}
  tilegpu.async_copy %p, %0[%i] : tensor<4x!tile.ptr<f32>, #l>, !tilegpu.memdesc<4xf16, #s>
  return
}

// -----

#l = #tilegpu.layout<[8], lane = [[1], [2], [4]]>
#s = #tilegpu.layout<[4], offset = [[1], [2]]>
func.func @copy_shape(%p: tensor<8x!tile.ptr<f32>, #l>, %i: i32) { // (C1)
  %0 = tilegpu.ring_alloc 2 : !tilegpu.memdesc<4xf32, #s>
  // expected-error @+1 {{'tilegpu.async_copy' op expected buffers of what 'tensor<8x!tile.ptr<f32>, }}
  tilegpu.async_copy %p, %0[%i] : tensor<8x!tile.ptr<f32>, #l>, !tilegpu.memdesc<4xf32, #s>
  return
}

// -----

#l = #tilegpu.layout<[4], lane = [[1], [2]]>
#s = #tilegpu.layout<[4], offset = [[1], [2]]>
func.func @copy_ring(%p: tensor<4x!tile.ptr<f32>, #l>, %m: !tilegpu.memdesc<4xf32, #s>, %i: i32) { // (C2)
  // expected-error @+1 {{'tilegpu.async_copy' op expected buffers that tilegpu.ring_alloc made}}
  tilegpu.async_copy %p, %m[%i] : tensor<4x!tile.ptr<f32>, #l>, !tilegpu.memdesc<4xf32, #s>
  return
}

// -----

//===-- what a thread keeps -----------------------------------------------------===//

#a = #tilegpu.layout<[4], lane = [[1], [2]]>
#s = #tilegpu.layout<[4], offset = [[1], [2]]>
func.func @kept_shape(%x: tensor<2xf32>, %i: i32) { // (C1)
  %0 = tilegpu.ring_alloc 2 : !tilegpu.memdesc<4xf32, #s>
  // expected-error @+1 {{'tilegpu.keep' op expected buffers of the shape and the elements of 'tensor<2xf32>', got}}
  tilegpu.keep %x, %0[%i] : tensor<2xf32>, !tilegpu.memdesc<4xf32, #s>
  return
}

// -----

#s = #tilegpu.layout<[4], offset = [[1], [2]]>
func.func @kept_ring(%m: !tilegpu.memdesc<4xf32, #s>, %i: i32) { // (C2)
  // expected-error @+1 {{'tilegpu.recall' op expected buffers that tilegpu.ring_alloc made}}
  %0 = tilegpu.recall %m[%i] : !tilegpu.memdesc<4xf32, #s> -> tensor<4xf32>
  return
}

// -----

#a = #tilegpu.layout<[4], lane = [[1], [2]]>
#b = #tilegpu.layout<[4], lane = [[2], [1]]>
#s = #tilegpu.layout<[4], offset = [[1], [2]]>
func.func @kept_types(%x: tensor<4xf32, #a>, %i: i32) { // (C3)
  %0 = tilegpu.ring_alloc 2 : !tilegpu.memdesc<4xf32, #s>
  // expected-error @+1 {{'tilegpu.keep' op expected one type for all tiles of a ring, got}}
  tilegpu.keep %x, %0[%i] : tensor<4xf32, #a>, !tilegpu.memdesc<4xf32, #s>
  // expected-note @+1 {{the other is here}}
  %1 = tilegpu.recall %0[%i] : !tilegpu.memdesc<4xf32, #s> -> tensor<4xf32, #b>
  return
}
