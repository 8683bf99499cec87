//===- tile-run.cpp - runs a kernel ---------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Interprets a kernel, or launches and times it on a GPU.
//
//===----------------------------------------------------------------------===//

#include "tilec/Driver/RunKernel.h"

int main(int argc, char **argv) {
  std::vector<std::string> words(argv + (argc ? 1 : 0), argv + argc);
  tilec::Result<tilec::RunOptions> options = tilec::parseRunOptions(words);
  if (!options) {
    tilec::printError(llvm::errs(), options.error());
    return 2;
  }
  if (options->help) {
    llvm::outs() << tilec::runHelp();
    return 0;
  }
  return tilec::runKernel(*options, llvm::outs(), llvm::errs());
}
