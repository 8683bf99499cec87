// RUN: split-file %s %t
// RUN: not tile-opt --tilegpu-set-target=arch=sm_70 %t/arch.mlir 2>&1 | FileCheck %s --check-prefix=ARCH
// RUN: not tile-opt --tilegpu-set-target=arch= %t/arch.mlir 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not tile-opt --tilegpu-set-target=num-warps=64 %t/arch.mlir 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not tile-opt --tilegpu-set-target=num-warps=4294967295 %t/arch.mlir 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: tile-opt --tilegpu-set-target --split-input-file --verify-diagnostics %t/kernels.mlir

// ARCH: error: unknown architecture 'sm_70': use one of sm_80, sm_86, sm_87, sm_89, sm_90, sm_90a, sm_100
// EMPTY: error: unknown architecture '': use one of sm_80
// MANY: error: expected 1, 2, 4, 8, 16 or 32 warps, got 64
// LARGE: error: expected 1, 2, 4, 8, 16 or 32 warps, got 4294967295

//--- arch.mlir
func.func @k() attributes {tile.kernel} {
  return
}

//--- kernels.mlir
// expected-error @+1 {{expected 1, 2, 4, 8, 16 or 32 warps, got 64}}
func.func @many() attributes {tile.kernel, tile.num_warps = 64 : i32} {
  return
}

// -----

func.func @sizes() attributes {tile.kernel} {
  // expected-error @+1 {{code generation takes tiles whose sizes are powers of two, got 48: run tile-pad-tiles first}}
  %0 = tile.arange 0, 48 : tensor<48xi32>
  return
}

// -----

func.func @in_loop(%n: i32, %x: f32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-error @+1 {{sizes are powers of two, got 3: run tile-pad-tiles first}}
    %0 = tile.splat %x : f32 -> tensor<4x3xf32>
  }
  return
}

// -----

func.func @empty() attributes {tile.kernel} {
  // expected-error @+1 {{sizes are powers of two, got 0: run tile-pad-tiles first}}
  %0 = arith.constant dense<> : tensor<0xf32>
  return
}

// -----

func.func @dynamic(%x: tensor<?xf32>) attributes {tile.kernel} {
  // expected-error @+1 {{code generation takes tiles of static shape, got 'tensor<?xf32>'}}
  %0 = arith.addf %x, %x : tensor<?xf32>
  return
}
