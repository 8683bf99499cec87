// RUN: tile-opt --allow-unregistered-dialect --pass-pipeline="builtin.module(func.func(tilegpu-allocate-shared))" --verify-diagnostics --split-input-file %s

#s = #tilegpu.layout<[128, 512], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128], [0, 256], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]]>
#l = #tilegpu.layout<[128, 512], register = [[0, 32], [0, 64], [0, 128], [0, 256], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[1, 0], [2, 0]]>
module attributes {tilegpu.arch = "sm_80"} {
  // expected-error @+1 {{kernel 'too_much' needs 262144 bytes of shared memory and sm_80 has 166912 for a block: lower the block sizes}}
  func.func @too_much(%x: tensor<128x512xf16, #l>) {
    // expected-note @+1 {{131072 bytes for this operand of a product}}
    %0 = tilegpu.local_alloc %x : tensor<128x512xf16, #l> -> !tilegpu.memdesc<128x512xf16, #s>
    // expected-note @+1 {{131072 bytes for this operand of a product}}
    %1 = tilegpu.local_alloc %x : tensor<128x512xf16, #l> -> !tilegpu.memdesc<128x512xf16, #s>
    "test.use"(%0) : (!tilegpu.memdesc<128x512xf16, #s>) -> ()
    return
  }
}

// -----

// Each architecture has a limit of its own.
#l = #tilegpu.layout<[256, 256], register = [[0, 32], [0, 64], [0, 128], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0], [128, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[1, 0], [2, 0]]>
#m = #tilegpu.layout<[256, 256], register = [[0, 4], [0, 8], [32, 0], [64, 0], [128, 0], [0, 16], [0, 32], [0, 64], [0, 128]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[0, 1], [0, 2]]>
module attributes {tilegpu.arch = "sm_86"} {
  // expected-error-re @+1 {{kernel 'scratch' needs {{[0-9]+}} bytes of shared memory and sm_86 has 101376 for a block: lower the block sizes}}
  func.func @scratch(%x: tensor<256x256xf32, #l>) {
    // expected-note-re @+1 {{{{[0-9]+}} bytes of scratch}}
    %0 = tilegpu.convert_layout %x : tensor<256x256xf32, #l> -> tensor<256x256xf32, #m>
    return
  }
}

// -----

func.func @layout(%x: f32) {
  // expected-error @+1 {{expected tiles with layouts: run convert-tile-to-tilegpu first}}
  %0 = tile.splat %x : f32 -> tensor<64xf32>
  return
}
