//===- ControlOps.td - the grid, assertions, barriers ------*- tablegen -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DIALECT_TILE_IR_CONTROLOPS_TD
#define TILEC_DIALECT_TILE_IR_CONTROLOPS_TD

include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tilec/Dialect/Tile/IR/TileTypes.td"

def Tile_ProgramIdOp : Tile_Op<"program_id", [Pure]> {
  let summary = "which program of the grid this is";
  let description = [{
    The index of the running program along `axis` of the grid.

    Constraints:
    - (C1) `axis` is 0, 1 or 2.

    Example:
    ```mlir
    func.func @program_id() -> i32 {
      %0 = tile.program_id 0 : i32
      return %0 : i32
    }
    ```
  }];
  let arguments = (ins I32Attr:$axis /* axis of the grid */);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_NumProgramsOp : Tile_Op<"num_programs", [Pure]> {
  let summary = "how many programs the grid has";
  let description = [{
    The size of the grid along `axis`.

    Constraints:
    - (C1) `axis` is 0, 1 or 2.

    Example:
    ```mlir
    func.func @num_programs() -> i32 {
      %0 = tile.num_programs 0 : i32
      return %0 : i32
    }
    ```
  }];
  let arguments = (ins I32Attr:$axis /* axis of the grid */);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_BarrierOp : Tile_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "orders the accesses of one program";
  let description = [{
    Every access of the program before it is performed before every one after it,
    as seen by the program's own threads. Programs order their own accesses anyway,
    so this states what already holds.

    Example:
    ```mlir
    func.func @barrier() {
      tile.barrier
      return
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_GdcWaitOp : Tile_Op<"gdc_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits for the grids that this one depends on";
  let description = [{
    Where a kernel is launched before its predecessor in the stream has ended
    (programmatic dependent launch), what the predecessor wrote is visible after
    this. In any other launch, and on architectures before sm_90, which have no
    such launch, the predecessor has ended already and this does nothing.

    Example:
    ```mlir
    func.func @wait() {
      tile.gdc_wait
      return
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_GdcLaunchDependentsOp
    : Tile_Op<"gdc_launch_dependents", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "lets the grids that depend on this one start";
  let description = [{
    Once all programs have executed this or have ended, a kernel of the same stream
    whose launch allows it (programmatic dependent launch) may start. It sees what
    this kernel wrote after its own `tile.gdc_wait` only. Does nothing on
    architectures before sm_90.

    Example:
    ```mlir
    func.func @launch() {
      tile.gdc_launch_dependents
      return
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_AssertOp : Tile_Op<"assert", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "stops the kernel when a condition is false";
  let description = [{
    Stops with `message` and the source line if any element of `condition` is false.

    Example:
    ```mlir
    func.func @assert(%c: tensor<8xi1>) {
      tile.assert %c, "index out of range" : tensor<8xi1>
      return
    }
    ```
  }];
  let arguments = (ins
    Tile_BoolLike:$condition, // what must hold
    StrAttr:$message          // what to say otherwise
  );
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
}

def Tile_AssumeOp : Tile_Op<"assume", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the user's word that a condition holds";
  let description = [{
    Later code may take `condition` for true. The checking run reports it when it
    is not.

    Example:
    ```mlir
    func.func @assume(%c: i1) {
      tile.assume %c
      return
    }
    ```
  }];
  let arguments = (ins I1:$condition /* what holds */);
  let assemblyFormat = "$condition attr-dict";
}

def Tile_PrintOp : Tile_Op<"print", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "prints values from the kernel";
  let description = [{
    Prints one line per program and element with `mask[i]`: the program's ids, the
    element's index, `prefix` and the values.

    Constraints:
    - (C1) all values have one shape, and `mask` has it, too.

    Example:
    ```mlir
    func.func @print(%x: tensor<8xi32>) {
      tile.print "x: ", %x : tensor<8xi32>
      return
    }
    ```
  }];
  let arguments = (ins
    StrAttr:$prefix,               // text before the values
    Variadic<Tile_AnyLike>:$values, // what to print
    Optional<Tile_BoolLike>:$mask, // which elements
    UnitAttr:$hex                  // integers in base 16
  );
  let assemblyFormat = [{
    $prefix (`,` $values^ `:` type($values))? (`mask` $mask^ `:` type($mask))? attr-dict
  }];
  let hasVerifier = 1;
}

def Tile_InlineAsmOp : Tile_Op<"inline_asm",
    [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "instructions of the target, element by element";
  let description = [{
    Runs `text` (PTX with `$0`, `$1` and so on for results, then operands) once for
    each `pack` elements, or more than once where several threads hold the same
    ones. `constraints` are LLVM's: one letter for each register, `h` for 16 bits,
    `r` and `f` for 32, `l` and `d` for 64, `b` for predicates, with `=` before
    those of results. Elements below 32 bits are packed into words, as many as
    `pack` and 32 bits allow. Without `pure` it may have side effects. The
    interpreter does not run it.

    Constraints:
    - (C1) all operands and results have one shape, and there is a result.
    - (C2) `pack` is from 1 to 32.

    Example:
    ```mlir
    func.func @inline_asm(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = tile.inline_asm "ex2.approx.f32 $0, $1;" constraints "=f,f" (%x) pack 1 pure : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins
    StrAttr:$text,                // the instructions
    StrAttr:$constraints,         // the kind of register of each operand
    Variadic<Tile_AnyLike>:$args, // what they read
    I32Attr:$pack,                // elements of one run
    UnitAttr:$pure                // no side effects
  );
  let results = (outs Variadic<Tile_AnyLike>:$outputs);
  let assemblyFormat = [{
    $text `constraints` $constraints `(` $args `)` `pack` $pack (`pure` $pure^)? attr-dict
    `:` functional-type($args, $outputs)
  }];
  let hasVerifier = 1;
}

#endif // TILEC_DIALECT_TILE_IR_CONTROLOPS_TD
