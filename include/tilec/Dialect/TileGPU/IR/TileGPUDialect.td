//===- TileGPUDialect.td - the tilegpu dialect -------------*- tablegen -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The dialect itself, its attributes and types.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DIALECT_TILEGPU_IR_TILEGPUDIALECT_TD
#define TILEC_DIALECT_TILEGPU_IR_TILEGPUDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/TensorEncoding.td"

def TileGPU_Dialect : Dialect {
  let name = "tilegpu";
  let cppNamespace = "::tilec::tilegpu";
  let summary = "The same tiles with a place for every element";
  let description = [{
    In this phase every tile has a layout as its encoding: which register of which
    lane of which warp holds which element. `tile` operations go on working on such
    tiles; this dialect adds what has to do with the machine: conversions between
    layouts, shared memory, matrix instructions, barriers.

    Attributes that the dialect gives meaning to:

    | attribute | on | meaning |
    |---|---|---|
    | `tilegpu.arch` | module | architecture, `sm_80` |
    | `tilegpu.num_warps` | `func.func` | warps of a block |
    | `tilegpu.num_stages` | `func.func` | stages of software pipelines |
    | `tilegpu.blocks` | `func.func` | blocks that a multiprocessor should hold at once, which bounds the registers |
    | `tilegpu.shared` | `func.func` | bytes of shared memory that the kernel needs |
    | `tilegpu.layout` | memory operations of `tile` | the layout that coalesces the access |
    | `tilegpu.tiling` | `tile.dot` | how the product is cut into warps and instructions |
    | `tilegpu.offset` | operations that use shared memory | byte offset of their buffer |
    | `tilegpu.part` | loads and stores | with one number: parts of one tile of pointers, which reach different memory |
    | `tilegpu.independent` | `scf.for` | no iteration touches global memory that another writes |
  }];
  let dependentDialects = ["::tilec::tile::TileDialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

def TileGPU_LayoutAttr : AttrDef<TileGPU_Dialect, "Layout",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "layout";
  let summary = "who holds which element of a tile";
  let description = [{
    A linear map over GF(2) from the bits of hardware indices (register, lane, warp,
    block; or the offset in shared memory) to coordinates of the tile:
    `coord(a ^ b) = coord(a) ^ coord(b)`. After the shape, each in-dim lists the
    coordinate of each of its bits, lowest first (Zhou et al. 2025, "Linear
    Layouts").

    ```text
    #tilegpu.layout<[16, 8], register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
    ```
  }];
  let parameters = (ins AttrParameter<"::tilec::LinearLayout", "the map", "const ::tilec::LinearLayout &">:$linear);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def TileGPU_DotKind : I32EnumAttr<"DotKind", "instruction of a matrix product", [
    I32EnumAttrCase<"FMA", 0, "fma">, I32EnumAttrCase<"MMA", 1, "mma">]> {
  let cppNamespace = "::tilec::tilegpu";
  let genSpecializedAttr = 0;
}

def TileGPU_DotTilingAttr : AttrDef<TileGPU_Dialect, "DotTiling"> {
  let mnemonic = "tiling";
  let summary = "how a matrix product is cut";
  let description = [{
    The block's tile is cut among `warps` = m x n warps, a warp's tile into
    instructions of `instruction` = m x n x k. Kind `mma` is `mma.sync` on tensor
    cores; `fma` multiplies and adds in each thread, which then owns patches of
    m x n elements.

    ```text
    #tilegpu.tiling<mma, warps = [2, 2], instruction = [16, 8, 16]>
    ```
  }];
  let parameters = (ins EnumParameter<TileGPU_DotKind>:$kind,
                        ArrayRefParameter<"int64_t">:$warps,
                        ArrayRefParameter<"int64_t">:$instruction);
  let assemblyFormat = "`<` $kind `,` `warps` `=` `[` $warps `]` `,` `instruction` `=` `[` $instruction `]` `>`";
  let genVerifyDecl = 1;
}

def TileGPU_MemDescType : TypeDef<TileGPU_Dialect, "MemDesc"> {
  let mnemonic = "memdesc";
  let summary = "a tile in shared memory";
  let description = [{
    `!tilegpu.memdesc<128x64xbf16, #tilegpu.layout<[128, 64], offset = ...>>`: shape
    and element type of the tile, and which element lies at which offset (counted in
    elements). As tiles do, it gets its layout from `convert-tile-to-tilegpu`: before
    that, `!tilegpu.memdesc<128x64xbf16>`.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape,
                        "::mlir::Type":$elementType,
                        "::tilec::tilegpu::LayoutAttr":$layout);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // TILEC_DIALECT_TILEGPU_IR_TILEGPUDIALECT_TD
