//===- tile-opt.cpp - runs passes on IR -----------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM
// Exceptions.
//
// Reads IR of any phase, runs the passes named on the command line, prints it.
//
//===----------------------------------------------------------------------===//

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "tilec/Dialect/Tile/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<tilec::tile::TileDialect, mlir::arith::ArithDialect,
                  mlir::func::FuncDialect, mlir::math::MathDialect,
                  mlir::scf::SCFDialect>();
  mlir::registerTransformsPasses();
  tilec::tile::registerTilePasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "tile-opt: runs passes on tilec's IR\n", registry));
}
