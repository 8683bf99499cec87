//===- tile-opt.cpp - runs passes on IR -----------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Reads IR of any phase, runs the passes named on the command line, prints it.
//
//===----------------------------------------------------------------------===//

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "tilec/Pipelines/Pipelines.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tilec::registerDialects(registry);
  tilec::registerPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "tile-opt: runs passes on tilec's IR\n", registry));
}
