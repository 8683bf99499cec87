//===- Passes.td - passes of the tilegpu dialect -----------*- tablegen -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// In pipeline order. Those up to `convert-tile-to-tilegpu`, which acts on their
// decisions, work on tile IR.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DIALECT_TILEGPU_TRANSFORMS_PASSES_TD
#define TILEC_DIALECT_TILEGPU_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Decisions, on tile IR
//===----------------------------------------------------------------------===//

def TileGPUSetTargetPass : Pass<"tilegpu-set-target", "::mlir::ModuleOp"> {
  let summary = "states the architecture and the number of warps";
  let description = [{
    Writes `tilegpu.arch` on the module, and `tilegpu.num_warps` and
    `tilegpu.num_stages` on each kernel: the option if it is not 0, else what the
    kernel asks for, else 4 warps and 3 stages.

    ```text
    func.func @k() attributes {tile.kernel, tile.num_warps = 8 : i32}
    // becomes
    func.func @k() attributes {tile.kernel, tile.num_warps = 8 : i32, tilegpu.num_warps = 8 : i32}
    ```
  }];
  let options = [
    Option<"arch", "arch", "std::string", "\"sm_80\"", "architecture to compile for">,
    Option<"numWarps", "num-warps", "unsigned", "0", "warps in a block; 0 for what the kernel asks for">,
    Option<"numStages", "num-stages", "unsigned", "0", "stages of a software pipeline; 0 for what the kernel asks for">
  ];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect"];
}

def TileGPUStripMinePass : Pass<"tilegpu-strip-mine", "::mlir::func::FuncOp"> {
  let summary = "turns tiles that do not fit the registers into loops over chunks";
  let description = [{
    Looks for axes along which the block's tiles have more elements than its threads
    can hold, and that nothing needs as a whole (a product, a scan along it or a
    reduction that keeps its order, a loop that carries the tile). The operations along such an axis go into loops over
    chunks of it. Where a reduction ends the axis there is a loop for all that it
    needs, and another for what needs it: what both need is computed in both.

    Loads that several loops want are kept: of the first chunk, which is peeled, in
    registers; of as many as fit, in shared memory (`tilegpu.keep`), where each
    thread reads back what it wrote; the other chunks are loaded again, with a
    priority in the cache. A load is only done again, or later, if nothing may have
    written there in between. A value of the same type that took a function or a
    division to compute takes the place of what was loaded once nothing else is
    wanted of it.

    What is loaded of a chunk takes a quarter of the threads' registers. Where two
    blocks fit a multiprocessor with all that they keep, each gets half of it
    (`tilegpu.blocks`); a loop that keeps nothing takes 64 registers. Among several axes, one
    that no reduction ends is cut first, then the one along which memory is not
    consecutive; the pass goes on until everything fits. Remarks of the category
    `tilegpu-strip-mine` say what was cut.

    ```text
    %x = tile.load %p : tensor<65536x!tile.ptr<f32>> -> tensor<65536xf32>
    %m = tile.reduce (%x) axis 0 : tensor<65536xf32> -> f32 { max }
    %d = arith.subf %x, splat(%m)
    tile.store %q, %d
    // becomes, with 1024 threads
    %ring = tilegpu.ring_alloc 3 : !tilegpu.memdesc<16384xf32>
    %x0 = tile.load %p0 : tensor<16384x!tile.ptr<f32>> -> tensor<16384xf32>
    %s0 = partial maxima of %x0 : tensor<4096xf32>
    %s = scf.for %k = 1 to 4 iter_args(%a = %s0) {
      %xk = tile.load %pk
      tilegpu.keep %xk, %ring[%k - 1]
      yield maxima of %a and of %xk
    }
    %m = tile.reduce (%s) axis 0 : tensor<4096xf32> -> f32 { max }
    tile.store %q0, %x0 - %m
    scf.for %k = 1 to 4 {
      %xk = tilegpu.recall %ring[%k - 1]
      tile.store %qk, %xk - %m
    }
    ```
  }];
  let options = [
    Option<"elements", "elements", "int64_t", "64", "elements of a tile that a thread may hold at most">,
    Option<"registers", "registers", "int64_t", "0",
           "registers of a thread; 0 for those it has when its block is alone on a multiprocessor">,
    Option<"keep", "keep", "bool", "true", "use shared memory for what several loops want">
  ];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def TileGPUCoalescePass : Pass<"tilegpu-coalesce", "::mlir::func::FuncOp"> {
  let summary = "chooses the layout of each memory access";
  let description = [{
    Gives each load, store and atomic on a tile the layout in which a thread holds
    as many consecutive elements as contiguity, alignment and mask allow (16 bytes at
    most) and neighbouring lanes hold neighbouring vectors.

    ```text
    %v = tile.load %p : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
    // becomes, when %p are consecutive and aligned
    %v = tile.load %p {tilegpu.layout = #tilegpu.layout<[128], register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], ...>}
           : tensor<128x!tile.ptr<f32>> -> tensor<128xf32>
    ```
  }];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect"];
}

def TileGPUTileDotPass : Pass<"tilegpu-tile-dot", "::mlir::func::FuncOp"> {
  let summary = "cuts each matrix product into warp tiles and instructions";
  let description = [{
    Chooses the instruction by types, precision, sizes and architecture, and the
    grid of warps: all along m when a row of the product is reduced or feeds another
    product, so that rows stay in one warp; else the grid that reads the fewest
    operand elements.

    ```text
    %d = tile.dot %a, %b, %c : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    // becomes, with 4 warps
    %d = tile.dot %a, %b, %c {tilegpu.tiling = #tilegpu.tiling<mma, warps = [2, 2], instruction = [16, 8, 16]>}
           : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    ```
  }];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect"];
}

//===----------------------------------------------------------------------===//
// Software pipelines and shared memory, on tilegpu IR
//===----------------------------------------------------------------------===//

def TileGPUPipelinePass : Pass<"tilegpu-pipeline", "::mlir::func::FuncOp"> {
  let summary = "loads iterations ahead";
  let description = [{
    In a loop, a load becomes an asynchronous copy (PTX ISA, `cp.async`) that runs
    `tilegpu.num_stages` - 1 iterations ahead, into a ring of as many buffers as there
    are stages. What the addresses and masks are computed from is computed ahead with
    them. Of a load that only fills a buffer for products, one barrier an iteration
    orders both: after it, the copies of this iteration are seen by all, and the buffer
    that was read in the last one is free. Any other tile is read back where the load
    stood (`tilegpu.recall`): each thread finds what it has copied itself, so no barrier
    is needed. A load in a branch is masked by the branch's condition instead.

    The number of stages is lowered until the rings fit in shared memory; where none
    feeds a product, in half of it, so that two blocks share a multiprocessor. Nothing
    happens to loads whose vectors are shorter than 4 bytes, of which several threads
    hold the same elements, or whose memory the loop may write; nor to loops over the
    chunks of one tile (`tilegpu-strip-mine`), which leave room for a second block.

    ```text
    scf.for %k ... iter_args(%acc = ..., %p = %p0) {
      %a = tile.load %p
      %s = tilegpu.local_alloc %a
      %d = tilegpu.dot %s, ...
    // becomes
    %ring = tilegpu.ring_alloc 3
    tilegpu.async_copy %p0, %ring[%c0]
    tilegpu.async_commit
    ...
    scf.for %k ... iter_args(%acc = ..., %ahead = %p2, %read = 0, %fill = 2) {
      tilegpu.async_wait 1
      tilegpu.barrier
      %s = tilegpu.slot %ring[%read]
      %d = tilegpu.dot %s, ...
      tilegpu.async_copy %ahead, %ring[%fill]
      tilegpu.async_commit
    ```
  }];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect", "::mlir::arith::ArithDialect"];
}

def TileGPUAllocateSharedPass : Pass<"tilegpu-allocate-shared", "::mlir::func::FuncOp"> {
  let summary = "places buffers in shared memory";
  let description = [{
    Gives each operation that uses shared memory the offset of its buffer
    (`tilegpu.offset`), sharing space between buffers that are not alive together,
    and the kernel its total (`tilegpu.shared`). Up to 1 KiB of scratch is not shared
    with the operation that follows, where there is room: that one need not wait. A kernel that needs more than the
    architecture has is an error that lists the buffers.

    ```text
    %0 = tilegpu.convert_layout %x : tensor<...> -> tensor<...>
    // becomes
    %0 = tilegpu.convert_layout %x {tilegpu.offset = 0 : i32} : tensor<...> -> tensor<...>
    ```
  }];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect"];
}

def TileGPUInsertBarriersPass : Pass<"tilegpu-insert-barriers", "::mlir::func::FuncOp"> {
  let summary = "inserts the barriers that keep a program's order";
  let description = [{
    Threads run apart; a value that one thread writes to shared or global memory and
    another reads needs a barrier in between, and so does a write after a read. A
    barrier is put before an operation that touches what an operation since the last
    barrier touched, one of them writing. Through global memory, accesses by the same
    pointer value in the same layout stay in one thread and need none; different
    pointer arguments are taken to be disjoint. Nor does an iteration of a loop wait
    for the last one if its addresses follow each other and start past those.

    ```text
    %0 = tilegpu.local_alloc %x : ...
    %1 = tilegpu.dot %0, %b, %c ...
    // becomes
    %0 = tilegpu.local_alloc %x : ...
    tilegpu.barrier
    %1 = tilegpu.dot %0, %b, %c ...
    ```
  }];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect"];
}

#endif // TILEC_DIALECT_TILEGPU_TRANSFORMS_PASSES_TD
