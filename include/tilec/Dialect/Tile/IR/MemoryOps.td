//===- MemoryOps.td - pointers, loads, stores, atomics -----*- tablegen -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Operations on global memory. Each takes a scalar pointer or a tile of pointers.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DIALECT_TILE_IR_MEMORYOPS_TD
#define TILEC_DIALECT_TILE_IR_MEMORYOPS_TD

include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tilec/Dialect/Tile/IR/TileAttrs.td"
include "tilec/Dialect/Tile/IR/TileTypes.td"

// The mask of an access is implied by its pointers, so assembly leaves it out.
def Tile_MaskFits : OptionalTypesMatchWith<
    "mask has the shape of the pointers", "ptr", "mask",
    "::tilec::tile::withElementType($_self, ::mlir::IntegerType::get($_self.getContext(), 1))">;

def Tile_GlobalMemory : Resource<"::tilec::tile::GlobalMemory">;

def Tile_AddPtrOp : Tile_Op<"addptr", [Pure, AllTypesMatch<["ptr", "result"]>]> {
  let summary = "moves pointers by offsets counted in elements";
  let description = [{
    `result[i] = ptr[i] + sizeof(element) * sext(offset[i])`. The offset is signed
    at its own width and extended to 64 bits before it is scaled.

    Constraints:
    - (C1) `offset` has the shape of `ptr`.

    Example:
    ```mlir
    func.func @addptr(%p: tensor<8x!tile.ptr<f32>>, %o: tensor<8xi32>) -> tensor<8x!tile.ptr<f32>> {
      %0 = tile.addptr %p, %o : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
      return %0 : tensor<8x!tile.ptr<f32>>
    }
    ```
  }];
  let arguments = (ins
    Tile_PtrLike:$ptr,   // the pointers
    Tile_IntLike:$offset // signed distances in elements
  );
  let results = (outs Tile_PtrLike:$result);
  let assemblyFormat = "$ptr `,` $offset attr-dict `:` type($ptr) `,` type($offset)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_PtrCastOp : Tile_Op<"ptr_cast", [Pure]> {
  let summary = "a pointer as an integer or as a pointer to another type";
  let description = [{
    Keeps the 64 bits: pointer to pointer of another element, pointer to `i64`, or
    `i64` to pointer.

    Constraints:
    - (C1) one side at least is a pointer; the other is a pointer or i64.
    - (C2) same shape.

    Example:
    ```mlir
    func.func @ptr_cast(%p: !tile.ptr<f32>) -> i64 {
      %0 = tile.ptr_cast %p : !tile.ptr<f32> -> i64
      return %0 : i64
    }
    ```
  }];
  let arguments = (ins Tile_AnyLike:$src /* the value */);
  let results = (outs Tile_AnyLike:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_LoadOp : Tile_Op<"load", [
    AttrSizedOperandSegments, Tile_MaskFits, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    OptionalTypesMatchWith<"other has the result's type", "result", "other", "$_self">]> {
  let summary = "reads elements from global memory";
  let description = [{
    `result[i] = mask[i] ? *ptr[i] : other[i]`. Without a mask every lane reads;
    without `other` a lane that is masked off gives 0. Memory is not touched by
    lanes that are masked off.

    A volatile load counts as a write, too: it is neither removed, merged nor moved.

    Constraints:
    - (C1) the result has the shape of `ptr` and its pointee as elements.
    - (C2) `mask` has the shape of `ptr`.
    - (C3) `other` has the result's type and needs a mask.
    - (C4) `cache` is `none`, `ca`, `cg`, `cs` or `cv`.

    Example:
    ```mlir
    func.func @load(%p: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>) -> tensor<8xf32> {
      %0 = tile.load %p mask %m : tensor<8x!tile.ptr<f32>> -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins
    Tile_PtrLike:$ptr,             // the addresses
    Optional<Tile_BoolLike>:$mask,  // which lanes read
    Optional<Tile_AnyLike>:$other,  // what the others give
    DefaultValuedAttr<Tile_CacheModifier, "CacheModifier::None">:$cache,  // caches to use
    DefaultValuedAttr<Tile_Eviction, "Eviction::Normal">:$eviction,       // priority in the cache
    UnitAttr:$isVolatile            // neither merged nor moved
  );
  let results = (outs Tile_AnyLike:$result);
  let assemblyFormat = [{
    $ptr (`mask` $mask^)? (`other` $other^)? attr-dict `:` type($ptr) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$ptr, "::mlir::Value":$mask, "::mlir::Value":$other)>];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// The type that loading through `ptrType` gives.
    static ::mlir::Type getLoadedType(::mlir::Type ptrType);
  }];
}

def Tile_StoreOp : Tile_Op<"store", [Tile_MaskFits]> {
  let summary = "writes elements to global memory";
  let description = [{
    `*ptr[i] = value[i]` for every lane with `mask[i]`. Where several lanes of one
    store name the same address and disagree, which value stays is unspecified.

    Constraints:
    - (C1) `value` has the shape of `ptr` and its pointee as elements.
    - (C2) `mask` has the shape of `ptr`.
    - (C3) `cache` is `none`, `wb`, `cg`, `cs` or `wt`.

    Example:
    ```mlir
    func.func @store(%p: tensor<8x!tile.ptr<f32>>, %v: tensor<8xf32>, %m: tensor<8xi1>) {
      tile.store %p, %v mask %m : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
      return
    }
    ```
  }];
  let arguments = (ins
    Arg<Tile_PtrLike, "the addresses", [MemWrite<Tile_GlobalMemory, 0, FullEffect>]>:$ptr,
    Tile_AnyLike:$value,           // what to write
    Optional<Tile_BoolLike>:$mask, // which lanes write
    DefaultValuedAttr<Tile_CacheModifier, "CacheModifier::None">:$cache, // caches to use
    DefaultValuedAttr<Tile_Eviction, "Eviction::Normal">:$eviction       // priority in the cache
  );
  let assemblyFormat = "$ptr `,` $value (`mask` $mask^)? attr-dict `:` type($ptr) `,` type($value)";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Tile_AtomicRMWOp : Tile_Op<"atomic_rmw", [AllTypesMatch<["value", "result"]>, Tile_MaskFits]> {
  let summary = "reads, changes and writes elements atomically";
  let description = [{
    For each lane with `mask[i]`, in one indivisible step:
    `result[i] = *ptr[i]; *ptr[i] = kind(*ptr[i], value[i])`. A lane that is masked
    off gives 0. `add`, `and`, `or`, `xor`, `max`, `min`, `umax`, `umin` are for
    integers, `fadd`, `fmax`, `fmin` for floats, `xchg` for both.

    Constraints:
    - (C1) `value` has the shape of `ptr` and its pointee as elements.
    - (C2) `mask` has the shape of `ptr`.
    - (C3) integers have 32 or 64 bits; `fadd` is for f16, bf16, f32, f64, `fmax`
      and `fmin` for f32 and f64, `xchg` for 32 and 64 bits; the kind fits the type.

    Example:
    ```mlir
    func.func @atomic_rmw(%p: tensor<8x!tile.ptr<f32>>, %v: tensor<8xf32>) -> tensor<8xf32> {
      %0 = tile.atomic_rmw fadd, acq_rel, gpu, %p, %v : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins
    Tile_AtomicKind:$kind, // the operation
    Tile_MemOrder:$order,  // its memory order
    Tile_MemScope:$scope,  // the threads that it is atomic for
    Arg<Tile_PtrLike, "the addresses",
        [MemRead<Tile_GlobalMemory, 0, FullEffect>, MemWrite<Tile_GlobalMemory, 0, FullEffect>]>:$ptr,
    Tile_AnyLike:$value,          // the right operand
    Optional<Tile_BoolLike>:$mask // which lanes take part
  );
  let results = (outs Tile_AnyLike:$result);
  let assemblyFormat = [{
    $kind `,` $order `,` $scope `,` $ptr `,` $value (`mask` $mask^)? attr-dict `:` type($ptr) `,` type($value)
  }];
  let hasVerifier = 1;
}

def Tile_AtomicCASOp : Tile_Op<"atomic_cas", [AllTypesMatch<["compare", "value", "result"]>, Tile_MaskFits]> {
  let summary = "compares and swaps elements atomically";
  let description = [{
    For each lane with `mask[i]`, in one indivisible step:
    `result[i] = *ptr[i]; if (*ptr[i] == compare[i]) *ptr[i] = value[i]`. The
    comparison is of bits. A lane that is masked off gives 0.

    Constraints:
    - (C1) `value` has the shape of `ptr` and its pointee as elements.
    - (C2) elements have 16, 32 or 64 bits.
    - (C3) `mask` has the shape of `ptr`.

    Example:
    ```mlir
    func.func @atomic_cas(%p: !tile.ptr<i32>, %c: i32, %v: i32) -> i32 {
      %0 = tile.atomic_cas acq_rel, gpu, %p, %c, %v : !tile.ptr<i32>, i32
      return %0 : i32
    }
    ```
  }];
  let arguments = (ins
    Tile_MemOrder:$order, // its memory order
    Tile_MemScope:$scope, // the threads that it is atomic for
    Arg<Tile_PtrLike, "the addresses",
        [MemRead<Tile_GlobalMemory, 0, FullEffect>, MemWrite<Tile_GlobalMemory, 0, FullEffect>]>:$ptr,
    Tile_AnyLike:$compare,        // the value that is expected
    Tile_AnyLike:$value,          // the value to put in its place
    Optional<Tile_BoolLike>:$mask // which lanes take part
  );
  let results = (outs Tile_AnyLike:$result);
  let assemblyFormat = [{
    $order `,` $scope `,` $ptr `,` $compare `,` $value (`mask` $mask^)? attr-dict `:` type($ptr) `,` type($value)
  }];
  let hasVerifier = 1;
}

#endif // TILEC_DIALECT_TILE_IR_MEMORYOPS_TD
