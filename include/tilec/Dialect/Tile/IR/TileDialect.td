//===- TileDialect.td - the tile dialect -------------------*- tablegen -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The dialect itself, and the base class of its operations.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DIALECT_TILE_IR_TILEDIALECT_TD
#define TILEC_DIALECT_TILE_IR_TILEDIALECT_TD

include "mlir/IR/OpBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tilec::tile";
  let summary = "What one program of a kernel does, tile by tile";
  let description = [{
    A kernel is a `func.func` with the unit attribute `tile.kernel`; the grid runs
    it once per program. Values are scalars and tiles: builtin tensors of static
    shape whose elements are numbers or pointers (`!tile.ptr<f32>`). Elementwise
    work is `arith` and `math` on tensors, control flow is `scf`; this dialect
    adds what those lack. It names no thread, no layout and no architecture, and
    the interpreter runs exactly this.

    Attributes that the dialect gives meaning to, on other operations:

    | attribute | on | meaning |
    |---|---|---|
    | `tile.kernel` | `func.func` | the function is an entry of the PTX file |
    | `tile.num_warps`, `tile.num_stages` | `func.func` | what the kernel asks for (i32); the command line overrides |
    | `tile.constants` | `func.func` | dictionary of compile-time arguments, for the metadata |
    | `tile.folded` | `func.func` | dictionary of arguments that a `:1` hint made constants |
    | `tile.specialization_of` | `func.func` | name of the kernel that this is a version of, for arguments of which more is known |
    | `tile.name` | argument | the argument's name in the source |
    | `tile.type` | argument | its type in Triton's notation (`*fp32`, `u32`), which keeps the sign that the IR lacks; `*k` marks a pointer that is only read |
    | `tile.divisibility` | argument | a power of two that divides the value (bytes for pointers) |
    | `tile.divisibility`, `tile.contiguity`, `tile.constancy` | any operation with one result | the user's word about each axis (dense i32 array of the result's rank, length 1 for a scalar), see `multiple_of` in the language |
    | `tile.padded` | `tile.load` | the zeros of lanes that are off are promised, as those of a descriptor are |
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::func::FuncDialect"
  ];
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
}

class Tile_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, mnemonic, traits>;

#endif // TILEC_DIALECT_TILE_IR_TILEDIALECT_TD
