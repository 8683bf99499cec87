//===- Passes.td - conversions between dialects ------------*- tablegen -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// In pipeline order.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CONVERSION_PASSES_TD
#define TILEC_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertTileToTileGPUPass : Pass<"convert-tile-to-tilegpu", "::mlir::func::FuncOp"> {
  let summary = "gives every tile a layout";
  let description = [{
    Memory accesses and products come with the layouts that earlier passes chose.
    Values that are computed from each other element by element, or carried by one
    loop, form a class that shares one layout: that of its product, else of its
    reduction or load. So the accumulation and the epilogue of a product stay in the
    product's layout, and elementwise work in the layout of its loads. Cheap values
    (ranges, masks, addresses, constants) are computed again in each layout that
    wants them; what is left are conversions at the borders of classes.

    ```text
    %d = tile.dot %a, %b, %zero {tilegpu.tiling = ...} : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    %r = arith.maximumf %d, %zero : tensor<64x64xf32>
    // becomes
    %as = tilegpu.local_alloc %a : tensor<64x32xf16, #load> -> !tilegpu.memdesc<64x32xf16, #image>
    %bs = tilegpu.local_alloc %b : ...
    %d = tilegpu.dot %as, %bs, %zero ... -> tensor<64x64xf32, #mma>
    %r = arith.maximumf %d, %zero : tensor<64x64xf32, #mma>
    ```
  }];
  let dependentDialects = ["::tilec::tilegpu::TileGPUDialect"];
}

def ConvertTileGPUToNVVMPass : Pass<"convert-tilegpu-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "lowers tiles to the registers of one thread";
  let description = [{
    A tile becomes one value for each register of its layout, control flow becomes
    branches between blocks, and the result is a kernel in the `llvm` and `nvvm`
    dialects.

    ```text
    %s = arith.addf %x, %y : tensor<128xf32, #l>   // 4 registers a thread
    // becomes
    %s0 = llvm.fadd %x0, %y0 : f32
    ...
    %s3 = llvm.fadd %x3, %y3 : f32
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

#endif // TILEC_CONVERSION_PASSES_TD
