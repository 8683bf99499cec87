//===- TileTypes.td - types of the tile dialect ------------*- tablegen -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The pointer type, and the type constraints that the operations share.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DIALECT_TILE_IR_TILETYPES_TD
#define TILEC_DIALECT_TILE_IR_TILETYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "tilec/Dialect/Tile/IR/TileDialect.td"

def Tile_PtrType : TypeDef<Tile_Dialect, "Ptr"> {
  let mnemonic = "ptr";
  let summary = "address of an element in global memory";
  let description = [{
    `!tile.ptr<f32>` is the address of an f32 in global memory: 64 bits. Offsets
    are counted in elements. Elements are integers of 8 to 64 bits and floats of
    8 to 64 bits; a Boolean in memory is an `i8`.

    Constraints:
    - (C1) the element is i8, i16, i32, i64, f8E4M3FN, f8E5M2, f16, bf16, f32,
      f64, or a pointer.
  }];
  let parameters = (ins "::mlir::Type":$pointee);
  let assemblyFormat = "`<` $pointee `>`";
  let genVerifyDecl = 1;
}

def Tile_Float : AnyTypeOf<[F8E4M3FN, F8E5M2, F16, BF16, F32, F64], "float">;
def Tile_Int : AnyTypeOf<[I1, I8, I16, I32, I64], "integer">;
def Tile_Element : AnyTypeOf<[Tile_Float, Tile_Int, Tile_PtrType],
                             "number or pointer">;

// A tile is a ranked tensor of static shape; encodings are the lower dialect's.
class Tile_TileOf<list<Type> elements> : StaticShapeTensorOf<elements>;
def Tile_AnyTile : Tile_TileOf<[Tile_Element]>;

// Most operations take scalars as well as tiles.
class Tile_Like<Type element> : AnyTypeOf<[element, Tile_TileOf<[element]>]>;
def Tile_PtrLike : Tile_Like<Tile_PtrType>;
def Tile_BoolLike : Tile_Like<I1>;
def Tile_IntLike : Tile_Like<Tile_Int>;
def Tile_AnyLike : Tile_Like<Tile_Element>;

#endif // TILEC_DIALECT_TILE_IR_TILETYPES_TD
