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
def Tile_GlobalMemoryResource : Resource<"::tilec::tile::GlobalMemory">;

// The mask of an access is implied by its pointers, so assembly leaves it out.
def Tile_MaskFits : OptionalTypesMatchWith<
    "mask has the shape of the pointers", "ptr", "mask",
    "::tilec::tile::withElementType($_self, ::mlir::IntegerType::get($_self.getContext(), 1))">;

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
    - (C3) kind `mma` has instructions of 16 x 8 x k that fill K, where k is 16 for
      f16, bf16 and f32 in parts of bf16; 8 for f64 and f32 in parts of tf32; 32 for
      i8 and 8-bit floats. f32 with precision `ieee` has none.
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

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

def TileGPU_RingAllocOp : TileGPU_Op<"ring_alloc", [MemoryEffects<[MemAlloc<TileGPU_SharedMemory>]>]> {
  let summary = "buffers of shared memory for the stages of a loop";
  let description = [{
    Takes `stages` buffers of one shape and layout. Iterations use them in turn;
    whoever fills one sees to it that its last reader is done. Before tiles have
    layouts the buffers have none either.

    Constraints:
    - (C1) at least one stage.

    Example:
    ```mlir
    #s = #tilegpu.layout<[64], offset = [[1], [2], [4], [8], [16], [32]]>
    func.func @ring_alloc() {
      %0 = tilegpu.ring_alloc 3 : !tilegpu.memdesc<64xf32, #s>
      return
    }
    ```
  }];
  let arguments = (ins I32Attr:$stages /* number of buffers */);
  let results = (outs TileGPU_MemDescType:$result);
  let assemblyFormat = "$stages attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def TileGPU_SlotOp : TileGPU_Op<"slot", [Pure, AllTypesMatch<["ring", "result"]>]> {
  let summary = "one buffer of a ring";
  let description = [{
    The buffer number `index` of `ring`, to be read.

    Constraints:
    - (C1) `ring` comes from `tilegpu.ring_alloc`.

    Example:
    ```mlir
    #s = #tilegpu.layout<[64], offset = [[1], [2], [4], [8], [16], [32]]>
    func.func @slot(%i: i32) {
      %0 = tilegpu.ring_alloc 3 : !tilegpu.memdesc<64xf32, #s>
      %1 = tilegpu.slot %0[%i] : !tilegpu.memdesc<64xf32, #s>
      return
    }
    ```
  }];
  let arguments = (ins
    TileGPU_MemDescType:$ring, // the buffers
    I32:$index                 // which of them, in [0, stages)
  );
  let results = (outs TileGPU_MemDescType:$result);
  let assemblyFormat = "$ring `[` $index `]` attr-dict `:` type($ring)";
  let hasVerifier = 1;
}

def TileGPU_AsyncCopyOp : TileGPU_Op<"async_copy", [Tile_MaskFits]> {
  let summary = "starts copying a tile from global to shared memory";
  let description = [{
    `ring[index][i] = mask[i] ? *ptr[i] : 0`, done at the latest when a
    `tilegpu.async_wait` has waited for the group that the next
    `tilegpu.async_commit` closes (PTX ISA, `cp.async`).

    Constraints:
    - (C1) the buffers have the shape of `ptr` and its pointee as elements.
    - (C2) `ring` comes from `tilegpu.ring_alloc`.

    Example:
    ```mlir
    #a = #tilegpu.layout<[128], register = [[1], [2]], lane = [[4], [8], [16], [32], [64]]>
    #s = #tilegpu.layout<[128], offset = [[1], [2], [4], [8], [16], [32], [64]]>
    func.func @async_copy(%p: tensor<128x!tile.ptr<f32>, #a>, %i: i32) {
      %0 = tilegpu.ring_alloc 3 : !tilegpu.memdesc<128xf32, #s>
      tilegpu.async_copy %p, %0[%i] : tensor<128x!tile.ptr<f32>, #a>, !tilegpu.memdesc<128xf32, #s>
      tilegpu.async_commit
      tilegpu.async_wait 0
      return
    }
    ```
  }];
  let arguments = (ins
    Arg<Tile_TileOf<[Tile_PtrType]>, "the addresses", [MemRead<Tile_GlobalMemoryResource, 0, FullEffect>]>:$ptr,
    Arg<TileGPU_MemDescType, "the buffers", [MemWrite<TileGPU_SharedMemory, 0, FullEffect>]>:$ring,
    I32:$index,                    // which of them, in [0, stages)
    Optional<Tile_BoolLike>:$mask, // which lanes read
    DefaultValuedAttr<Tile_Eviction, "::tilec::tile::Eviction::Normal">:$eviction // priority in the cache
  );
  let assemblyFormat = "$ptr `,` $ring `[` $index `]` (`mask` $mask^)? attr-dict `:` type($ptr) `,` type($ring)";
  let hasVerifier = 1;
}

def TileGPU_AsyncCommitOp : TileGPU_Op<"async_commit", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "closes a group of asynchronous copies";
  let description = [{
    The copies that this thread has started since the last group form the next one.

    Example:
    ```mlir
    func.func @async_commit() {
      tilegpu.async_commit
      return
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def TileGPU_AsyncWaitOp : TileGPU_Op<"async_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits for groups of asynchronous copies";
  let description = [{
    Waits until at most `pending` of this thread's groups are under way. Other
    threads see what was copied after a barrier.

    Example:
    ```mlir
    func.func @async_wait() {
      tilegpu.async_wait 1
      return
    }
    ```
  }];
  let arguments = (ins I32Attr:$pending /* groups that may still be under way */);
  let assemblyFormat = "$pending attr-dict";
}

//===----------------------------------------------------------------------===//
// What a thread keeps for itself
//===----------------------------------------------------------------------===//

def TileGPU_KeepOp : TileGPU_Op<"keep", [MemoryEffects<[MemWrite<TileGPU_SharedMemory, 0, FullEffect>]>]> {
  let summary = "puts a tile where its own threads find it again";
  let description = [{
    `ring[index] = src`, to be read by `tilegpu.recall` alone. Each thread reads back
    what it has written itself, so no barrier stands between the two: shared memory
    for what does not fit the registers.

    Constraints:
    - (C1) the buffers have the shape and element type of `src`.
    - (C2) `ring` comes from `tilegpu.ring_alloc`.
    - (C3) everything that is kept in or recalled from a ring has one type.

    Example:
    ```mlir
    #a = #tilegpu.layout<[64], register = [[1]], lane = [[2], [4], [8], [16], [32]]>
    #s = #tilegpu.layout<[64], offset = [[1], [2], [4], [8], [16], [32]]>
    func.func @keep(%x: tensor<64xf32, #a>, %i: i32) {
      %0 = tilegpu.ring_alloc 3 : !tilegpu.memdesc<64xf32, #s>
      tilegpu.keep %x, %0[%i] : tensor<64xf32, #a>, !tilegpu.memdesc<64xf32, #s>
      return
    }
    ```
  }];
  let arguments = (ins
    Tile_AnyTile:$src,        // the tile
    TileGPU_MemDescType:$ring, // the buffers
    I32:$index                // which of them, in [0, stages)
  );
  let assemblyFormat = "$src `,` $ring `[` $index `]` attr-dict `:` type($src) `,` type($ring)";
  let hasVerifier = 1;
}

def TileGPU_RecallOp : TileGPU_Op<"recall", [MemoryEffects<[MemRead<TileGPU_SharedMemory, 0, FullEffect>]>]> {
  let summary = "reads back what tilegpu.keep has put away";
  let description = [{
    The tile that was kept last in buffer number `index` of `ring`.

    Constraints:
    - (C1) the buffers have the shape and element type of the result.
    - (C2) `ring` comes from `tilegpu.ring_alloc`.
    - (C3) everything that is kept in or recalled from a ring has one type.

    Example:
    ```mlir
    #a = #tilegpu.layout<[64], register = [[1]], lane = [[2], [4], [8], [16], [32]]>
    #s = #tilegpu.layout<[64], offset = [[1], [2], [4], [8], [16], [32]]>
    func.func @recall(%x: tensor<64xf32, #a>, %i: i32) -> tensor<64xf32, #a> {
      %0 = tilegpu.ring_alloc 3 : !tilegpu.memdesc<64xf32, #s>
      tilegpu.keep %x, %0[%i] : tensor<64xf32, #a>, !tilegpu.memdesc<64xf32, #s>
      %1 = tilegpu.recall %0[%i] : !tilegpu.memdesc<64xf32, #s> -> tensor<64xf32, #a>
      return %1 : tensor<64xf32, #a>
    }
    ```
  }];
  let arguments = (ins
    TileGPU_MemDescType:$ring, // the buffers
    I32:$index                // which of them, in [0, stages)
  );
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$ring `[` $index `]` attr-dict `:` type($ring) `->` type($result)";
  let hasVerifier = 1;
}

#endif // TILEC_DIALECT_TILEGPU_IR_TILEGPUOPS_TD
