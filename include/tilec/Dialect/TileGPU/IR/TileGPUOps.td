//===- TileGPUOps.td - operations of the tilegpu dialect ---*- tablegen -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DIALECT_TILEGPU_IR_TILEGPUOPS_TD
#define TILEC_DIALECT_TILEGPU_IR_TILEGPUOPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "tilec/Dialect/Tile/IR/TileAttrs.td"
include "tilec/Dialect/Tile/IR/TileTypes.td"
include "tilec/Dialect/TileGPU/IR/TileGPUDialect.td"

class TileGPU_Op<string mnemonic, list<Trait> traits = []>
    : Op<TileGPU_Dialect, mnemonic, traits>;

def TileGPU_SharedMemory : Resource<"::tilec::tilegpu::SharedMemory">;

def TileGPU_ConvertLayoutOp : TileGPU_Op<"convert_layout", [Pure]> {
  let summary = "the same tile, held by other registers";
  let description = [{
    `result[i] = src[i]`. What it costs follows from the two layouts: nothing,
    renamed registers, shuffles, or a way through shared memory.

    Constraints:
    - (C1) same shape and element type, and both have a layout.

    Example:
    ```mlir
    #a = #tilegpu.layout<[64], register = [[1]], lane = [[2], [4], [8], [16], [32]]>
    #b = #tilegpu.layout<[64], register = [[32]], lane = [[1], [2], [4], [8], [16]]>
    func.func @convert_layout(%x: tensor<64xf32, #a>) -> tensor<64xf32, #b> {
      %0 = tilegpu.convert_layout %x : tensor<64xf32, #a> -> tensor<64xf32, #b>
      return %0 : tensor<64xf32, #b>
    }
    ```
  }];
  let arguments = (ins Tile_AnyTile:$src /* the tile */);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TileGPU_LocalAllocOp : TileGPU_Op<"local_alloc",
    [MemoryEffects<[MemWrite<TileGPU_SharedMemory>]>]> {
  let summary = "puts a tile into shared memory";
  let description = [{
    Takes a buffer of shared memory and writes `src` into it in the order that the
    result's layout gives.

    Constraints:
    - (C1) the result has the shape and element type of `src`.
    - (C2) `src` has a layout.

    Example:
    ```mlir
    #a = #tilegpu.layout<[64], register = [[1]], lane = [[2], [4], [8], [16], [32]]>
    #s = #tilegpu.layout<[64], offset = [[1], [2], [4], [8], [16], [32]]>
    func.func @local_alloc(%x: tensor<64xf32, #a>) {
      %0 = tilegpu.local_alloc %x : tensor<64xf32, #a> -> !tilegpu.memdesc<64xf32, #s>
      return
    }
    ```
  }];
  let arguments = (ins Tile_AnyTile:$src /* the tile */);
  let results = (outs TileGPU_MemDescType:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def TileGPU_DotOp : TileGPU_Op<"dot",
    [AllTypesMatch<["c", "result"]>, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "matrix product with an accumulator, cut into instructions";
  let description = [{
    What `tile.dot` says, by the instructions of `tiling`. Operands are tiles in the
    layout of the instruction's fragments, or buffers of shared memory, from which
    fragments are read as they are needed.

    Constraints:
    - (C1) shapes and types are those of `tile.dot`, rank 2.
    - (C2) `c` has the layout of the tiling's accumulator.
    - (C3) kind `mma` takes f16, bf16 or f32 operands and an f32 accumulator, by
      instructions of 16 x 8 x 16 (f32: 16 x 8 x 8) that fill K.
    - (C4) an operand in registers has the layout of the tiling's fragments.

    Example:
    ```mlir
    #c = #tilegpu.layout<[16, 8], register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
    #s = #tilegpu.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
    #t = #tilegpu.layout<[16, 8], offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]>
    func.func @dot(%a: !tilegpu.memdesc<16x16xf16, #s>, %b: !tilegpu.memdesc<16x8xf16, #t>,
                   %c: tensor<16x8xf32, #c>) -> tensor<16x8xf32, #c> {
      %0 = tilegpu.dot %a, %b, %c {tiling = #tilegpu.tiling<mma, warps = [1, 1], instruction = [16, 8, 16]>}
        : !tilegpu.memdesc<16x16xf16, #s>, !tilegpu.memdesc<16x8xf16, #t> -> tensor<16x8xf32, #c>
      return %0 : tensor<16x8xf32, #c>
    }
    ```
  }];
  let arguments = (ins
    AnyTypeOf<[Tile_AnyTile, TileGPU_MemDescType]>:$a, // the left operand
    AnyTypeOf<[Tile_AnyTile, TileGPU_MemDescType]>:$b, // the right operand
    Tile_AnyTile:$c,                                   // what the product is added to
    TileGPU_DotTilingAttr:$tiling,                     // how it is cut
    DefaultValuedAttr<Tile_DotPrecision, "::tilec::tile::DotPrecision::TF32">:$precision // for f32 operands
  );
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$a `,` $b `,` $c attr-dict `:` type($a) `,` type($b) `->` type($result)";
  let hasVerifier = 1;
}

def TileGPU_BarrierOp : TileGPU_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits for every thread of the block";
  let description = [{
    Accesses to shared and global memory before it, by any thread of the block, are
    seen by every thread of the block after it (PTX ISA, `bar.sync`).

    Example:
    ```mlir
    func.func @barrier() {
      tilegpu.barrier
      return
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif // TILEC_DIALECT_TILEGPU_IR_TILEGPUOPS_TD
