// RUN: tile-opt --convert-tilegpu-to-nvvm --split-input-file --verify-diagnostics --allow-unregistered-dialect %s

// expected-error @+1 {{expected 'tilegpu.arch': run tilegpu-set-target first}}
module {
}

// -----

module attributes {tilegpu.arch = "sm_80"} {
  // expected-error @+1 {{expected a kernel with one block and 'tilegpu.num_warps': run tilegpu-set-target first}}
  func.func @warps() {
    return
  }
}

// -----

module attributes {tilegpu.arch = "sm_80"} {
  // expected-error @+1 {{expected a kernel with one block and 'tilegpu.num_warps': run tilegpu-set-target first}}
  func.func private @declaration() attributes {tilegpu.num_warps = 4 : i32}
}

// -----

#l = #tilegpu.layout<[32], lane = [[1], [2], [4], [8], [16]]>
module attributes {tilegpu.arch = "sm_80"} {
  // expected-error @+1 {{expected scalars and pointers as arguments of a kernel, got 'tensor<32xf32}}
  func.func @argument(%x: tensor<32xf32, #l>) attributes {tilegpu.num_warps = 1 : i32} {
    return
  }
}

// -----

module attributes {tilegpu.arch = "sm_80"} {
  func.func @print(%x: f32) attributes {tilegpu.num_warps = 1 : i32} {
    // expected-error @+1 {{code generation does not know 'test.op': run this kernel on the interpreter}}
    "test.op"(%x) : (f32) -> ()
    return
  }
}

// -----

module attributes {tilegpu.arch = "sm_80"} {
  func.func @unknown(%x: f32) attributes {tilegpu.num_warps = 1 : i32} {
    // expected-error @+1 {{code generation does not know 'test.op': run this kernel on the interpreter}}
    %0 = "test.op"(%x) : (f32) -> f32
    return
  }
}

// -----

#l = #tilegpu.layout<[32], lane = [[1], [2], [4], [8], [16]]>
module attributes {tilegpu.arch = "sm_80"} {
  func.func @unknown_tile(%x: f32) attributes {tilegpu.num_warps = 1 : i32} {
    %t = tile.splat %x : f32 -> tensor<32xf32, #l>
    // expected-error @+1 {{code generation does not know 'test.op': run this kernel on the interpreter}}
    %0 = "test.op"(%t) : (tensor<32xf32, #l>) -> tensor<32xf32, #l>
    return
  }
}

// -----

#l = #tilegpu.layout<[32], lane = [[1], [2], [4], [8], [16]]>
module attributes {tilegpu.arch = "sm_80"} {
  func.func @constant() attributes {tilegpu.num_warps = 1 : i32} {
    // expected-error @+1 {{code generation takes constant tiles of equal elements only}}
    %0 = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]> : tensor<32xi32, #l>
    return
  }
}

// -----

#l = #tilegpu.layout<[64], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>
#m = #tilegpu.layout<[64], lane = [[32], [1], [2], [4], [8]], warp = [[16]]>
module attributes {tilegpu.arch = "sm_80"} {
  func.func @scratch(%f: f32) attributes {tilegpu.num_warps = 2 : i32} {
    %x = tile.splat %f : f32 -> tensor<64xf32, #l>
    // expected-error @+1 {{expected 'tilegpu.offset': run tilegpu-allocate-shared first}}
    %0 = tilegpu.convert_layout %x : tensor<64xf32, #l> -> tensor<64xf32, #m>
    return
  }
}

// -----

#l = #tilegpu.layout<[64], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>
module attributes {tilegpu.arch = "sm_80"} {
  func.func @reduce(%f: f32) attributes {tilegpu.num_warps = 2 : i32} {
    %x = tile.splat %f : f32 -> tensor<64xf32, #l>
    // expected-error @+1 {{expected 'tilegpu.offset': run tilegpu-allocate-shared first}}
    %0 = tile.reduce (%x) axis 0 : tensor<64xf32, #l> -> f32 {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tile.yield %s : f32
    }
    return
  }
}

// -----

#l = #tilegpu.layout<[64], lane = [[1], [2], [4], [8], [16]], warp = [[32]]>
module attributes {tilegpu.arch = "sm_80"} {
  func.func @scan(%f: f32) attributes {tilegpu.num_warps = 2 : i32} {
    %x = tile.splat %f : f32 -> tensor<64xf32, #l>
    // expected-error @+1 {{expected 'tilegpu.offset': run tilegpu-allocate-shared first}}
    %0 = tile.scan (%x) axis 0 : tensor<64xf32, #l> -> tensor<64xf32, #l> {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tile.yield %s : f32
    }
    return
  }
}

// -----

#l = #tilegpu.layout<[32], lane = [[1], [2], [4], [8], [16]]>
#s = #tilegpu.layout<[32], offset = [[1], [2], [4], [8], [16]]>
module attributes {tilegpu.arch = "sm_80"} {
  func.func @alloc(%f: f32) attributes {tilegpu.num_warps = 1 : i32} {
    %x = tile.splat %f : f32 -> tensor<32xf32, #l>
    // expected-error @+1 {{expected 'tilegpu.offset': run tilegpu-allocate-shared first}}
    %0 = tilegpu.local_alloc %x : tensor<32xf32, #l> -> !tilegpu.memdesc<32xf32, #s>
    return
  }
}

// -----

module attributes {tilegpu.arch = "sm_80"} {
  func.func @atomic(%p: !tile.ptr<i32>, %x: i32) attributes {tilegpu.num_warps = 1 : i32} {
    // expected-error @+1 {{expected 'tilegpu.offset': run tilegpu-allocate-shared first}}
    %0 = tile.atomic_rmw add, relaxed, gpu, %p, %x : !tile.ptr<i32>, i32
    tile.store %p, %0 : !tile.ptr<i32>, i32
    return
  }
}

// -----

#l = #tilegpu.layout<[32], lane = [[1], [2], [4], [8], [16]]>
#m = #tilegpu.layout<[32, 1], lane = [[16, 0], [1, 0], [2, 0], [4, 0], [8, 0]]>
module attributes {tilegpu.arch = "sm_80"} {
  func.func @view(%f: f32) attributes {tilegpu.num_warps = 1 : i32} {
    %x = tile.arange 0, 32 : tensor<32xi32, #l>
    // expected-error @+1 {{expected layouts under which no element leaves its thread: insert tilegpu.convert_layout}}
    %0 = tile.expand_dims %x, 1 : tensor<32xi32, #l> -> tensor<32x1xi32, #m>
    return
  }
}

// -----

#l = #tilegpu.layout<[2, 32], register = [[1, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]>
#m = #tilegpu.layout<[2], lane = [[1], [0], [0], [0], [0]]>
module attributes {tilegpu.arch = "sm_80"} {
  func.func @reduce_result(%f: f32) attributes {tilegpu.num_warps = 1 : i32} {
    %x = tile.splat %f : f32 -> tensor<2x32xf32, #l>
    // expected-error @+1 {{expected results in the layout of the inputs without the axis, #tilegpu.layout<[2], register = [[1]], lane = [[0], [0], [0], [0], [0]]>}}
    %0 = tile.reduce (%x) axis 1 : tensor<2x32xf32, #l> -> tensor<2xf32, #m> {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tile.yield %s : f32
    }
    return
  }
}

// -----

module attributes {tilegpu.arch = "sm_80"} {
  func.func @tile_without_layout(%x: f32) attributes {tilegpu.num_warps = 1 : i32} {
    // expected-error @+1 {{expected tiles with layouts: run convert-tile-to-tilegpu first}}
    %0 = tile.splat %x : f32 -> tensor<32xf32>
    return
  }
}
// -----

#l = #tilegpu.layout<[64], register = [[32]], lane = [[1], [2], [4], [8], [16]]>
module attributes {tilegpu.arch = "sm_80"} {
  func.func @order(%x: f32) attributes {tilegpu.num_warps = 1 : i32} {
    %t = tile.splat %x : f32 -> tensor<64xf32, #l>
    // expected-error @+1 {{expected a layout whose registers, lanes and warps follow each other along the axis, since the order of elements matters}}
    %0 = tile.reduce (%t) axis 0 : tensor<64xf32, #l> -> f32 {
    ^bb0(%a: f32, %b: f32):
      tile.yield %b : f32
    }
    return
  }
}
// -----

module attributes {tilegpu.arch = "sm_80"} {
  func.func @letters(%x: f32) attributes {tilegpu.num_warps = 1 : i32} {
    // expected-error @+1 {{cannot read the constraints "=f,q": write a letter of h, r, l, f, d and b for each register, results first and with '=' before them}}
    %0 = tile.inline_asm "ex2.approx.f32 $0, $1;" constraints "=f,q" (%x) pack 1 pure : (f32) -> f32
    return
  }
}
// -----

module attributes {tilegpu.arch = "sm_80"} {
  func.func @early(%x: f32) attributes {tilegpu.num_warps = 1 : i32} {
    // expected-error @+1 {{cannot read the constraints "&f,f": write a letter of h, r, l, f, d and b for each register, results first and with '=' before them}}
    %0 = tile.inline_asm "ex2.approx.f32 $0, $1;" constraints "&f,f" (%x) pack 1 pure : (f32) -> f32
    return
  }
}
// -----

module attributes {tilegpu.arch = "sm_80"} {
  func.func @registers(%x: f32) attributes {tilegpu.num_warps = 1 : i32} {
    // expected-error @+1 {{expected constraints for 1 registers of results and 1 of operands, got 1 and 2}}
    %0 = tile.inline_asm "add.f32 $0, $1, $2;" constraints "=f,f,f" (%x) pack 1 pure : (f32) -> f32
    return
  }
}
// -----

module attributes {tilegpu.arch = "sm_80"} {
  func.func @widths(%x: f32) attributes {tilegpu.num_warps = 1 : i32} {
    // expected-error @+1 {{expected registers that hold 'f32', and the constraints name one of 'f64'}}
    %0 = tile.inline_asm "cvt.f32.f64 $0, $1;" constraints "=f,d" (%x) pack 1 pure : (f32) -> f32
    return
  }
}
// -----

module attributes {tilegpu.arch = "sm_80"} {
  func.func @result_widths(%x: f32) attributes {tilegpu.num_warps = 1 : i32} {
    // expected-error @+1 {{expected registers that hold 'f32', and the constraints name one of 'f64'}}
    %0 = tile.inline_asm "cvt.f64.f32 $0, $1;" constraints "=d,f" (%x) pack 1 pure : (f32) -> f32
    return
  }
}
// -----

#l = #tilegpu.layout<[64], register = [[32]], lane = [[1], [2], [4], [8], [16]]>
#m = #tilegpu.layout<[64], register = [[1]], lane = [[2], [4], [8], [16], [32]]>
module attributes {tilegpu.arch = "sm_80"} {
  func.func @indices(%x: f32, %i: i32) attributes {tilegpu.num_warps = 1 : i32} {
    %t = tile.splat %x : f32 -> tensor<64xf32, #l>
    %j = tile.splat %i : i32 -> tensor<64xi32, #m>
    // expected-error @+1 {{expected indices in the layout of the result}}
    %0 = tile.gather %t, %j axis 0 {tilegpu.offset = 0 : i32} : tensor<64xf32, #l>, tensor<64xi32, #m> -> tensor<64xf32, #l>
    return
  }
}
// -----

#l = #tilegpu.layout<[64], register = [[32]], lane = [[1], [2], [4], [8], [16]]>
#m = #tilegpu.layout<[64], register = [[1]], lane = [[2], [4], [8], [16], [32]]>
module attributes {tilegpu.arch = "sm_80"} {
  func.func @printed(%x: f32, %i: i32) attributes {tilegpu.num_warps = 1 : i32} {
    %t = tile.splat %x : f32 -> tensor<64xf32, #l>
    %j = tile.splat %i : i32 -> tensor<64xi32, #m>
    // expected-error @+1 {{expected values and mask in one layout}}
    tile.print "", %t, %j : tensor<64xf32, #l>, tensor<64xi32, #m>
    return
  }
}
// -----

#l = #tilegpu.layout<[64], register = [[32]], lane = [[1], [2], [4], [8], [16]]>
#m = #tilegpu.layout<[64], lane = [[1], [2], [4], [8], [16]], block = [[32]]>
module attributes {tilegpu.arch = "sm_80"} {
  func.func @blocks(%f: f32) attributes {tilegpu.num_warps = 1 : i32} {
    %x = tile.splat %f : f32 -> tensor<64xf32, #m>
    // expected-error @+1 {{expected a conversion inside one block}}
    %0 = tilegpu.convert_layout %x : tensor<64xf32, #m> -> tensor<64xf32, #l>
    return
  }
}
// -----

module attributes {tilegpu.arch = "sm_80"} {
  func.func @ring_without_layout() attributes {tilegpu.num_warps = 1 : i32} {
    // expected-error @+1 {{expected tiles with layouts: run convert-tile-to-tilegpu first}}
    %0 = tilegpu.ring_alloc 2 : !tilegpu.memdesc<64xf32>
    return
  }
}
