//===- TileAttrs.td - attributes of the tile dialect -------*- tablegen -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The enumerations that operations carry.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DIALECT_TILE_IR_TILEATTRS_TD
#define TILEC_DIALECT_TILE_IR_TILEATTRS_TD

include "mlir/IR/EnumAttr.td"
include "tilec/Dialect/Tile/IR/TileDialect.td"

class Tile_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tilec::tile";
}

def Tile_CacheModifier : Tile_Enum<"CacheModifier", "which caches an access uses (PTX ISA, cache operators)", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"CA", 1, "ca">,
  I32EnumAttrCase<"CG", 2, "cg">, I32EnumAttrCase<"CS", 3, "cs">,
  I32EnumAttrCase<"CV", 4, "cv">, I32EnumAttrCase<"WB", 5, "wb">,
  I32EnumAttrCase<"WT", 6, "wt">]>;

def Tile_Eviction : Tile_Enum<"Eviction", "how long a line should stay in the cache", [
  I32EnumAttrCase<"Normal", 0, "normal">, I32EnumAttrCase<"First", 1, "first">,
  I32EnumAttrCase<"Last", 2, "last">]>;

def Tile_AtomicKind : Tile_Enum<"AtomicKind", "what an atomic operation does", [
  I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"FAdd", 1, "fadd">,
  I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">,
  I32EnumAttrCase<"UMax", 4, "umax">, I32EnumAttrCase<"UMin", 5, "umin">,
  I32EnumAttrCase<"FMax", 6, "fmax">, I32EnumAttrCase<"FMin", 7, "fmin">,
  I32EnumAttrCase<"And", 8, "and">, I32EnumAttrCase<"Or", 9, "or">,
  I32EnumAttrCase<"Xor", 10, "xor">, I32EnumAttrCase<"Xchg", 11, "xchg">]>;

def Tile_MemOrder : Tile_Enum<"MemOrder", "memory order of an atomic operation", [
  I32EnumAttrCase<"Relaxed", 0, "relaxed">, I32EnumAttrCase<"Acquire", 1, "acquire">,
  I32EnumAttrCase<"Release", 2, "release">, I32EnumAttrCase<"AcqRel", 3, "acq_rel">]>;

def Tile_MemScope : Tile_Enum<"MemScope", "which threads an atomic operation is atomic for", [
  I32EnumAttrCase<"Block", 0, "block">, I32EnumAttrCase<"GPU", 1, "gpu">,
  I32EnumAttrCase<"System", 2, "system">]>;

def Tile_DotPrecision : Tile_Enum<"DotPrecision", "how a product of f32 tiles is computed", [
  I32EnumAttrCase<"TF32", 0, "tf32">, I32EnumAttrCase<"TF32x3", 1, "tf32x3">,
  I32EnumAttrCase<"IEEE", 2, "ieee">, I32EnumAttrCase<"BF16x3", 3, "bf16x3">,
  I32EnumAttrCase<"BF16x6", 4, "bf16x6">]>;

#endif // TILEC_DIALECT_TILE_IR_TILEATTRS_TD
