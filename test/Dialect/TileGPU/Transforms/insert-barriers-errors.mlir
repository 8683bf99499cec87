// RUN: tile-opt --tilegpu-insert-barriers --split-input-file --verify-diagnostics %s

#l = #tilegpu.layout<[32], lane = [[1], [2], [4], [8], [16]]>
#s = #tilegpu.layout<[32], offset = [[1], [2], [4], [8], [16]]>
func.func @alloc(%x: tensor<32xf32, #l>) {
  // expected-error @+1 {{expected 'tilegpu.offset': run tilegpu-allocate-shared first}}
  %0 = tilegpu.local_alloc %x : tensor<32xf32, #l> -> !tilegpu.memdesc<32xf32, #s>
  return
}

// -----

#l = #tilegpu.layout<[64], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>
#m = #tilegpu.layout<[64], lane = [[32], [1], [2], [4], [8]], warp = [[16]]>
func.func @scratch(%x: tensor<64xf32, #l>) {
  // expected-error @+1 {{expected 'tilegpu.offset': run tilegpu-allocate-shared first}}
  %0 = tilegpu.convert_layout %x : tensor<64xf32, #l> -> tensor<64xf32, #m>
  return
}
