//===- tilec.cpp - compiles kernels to PTX --------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// `tilec kernel.tile -o kernel.ptx`, or the text of an earlier phase.
//
//===----------------------------------------------------------------------===//

#include "tilec/Driver/Compile.h"
#include <cstdlib>

int main(int argc, char **argv) {
  std::vector<std::string> words(argv + (argc ? 1 : 0), argv + argc);
  tilec::Result<tilec::CompileOptions> options =
      tilec::parseCompileOptions(words);
  if (!options) {
    llvm::errs() << "tilec: error: " << options.error() << '\n';
    return 2;
  }
  if (options->help || options->version) {
    llvm::outs() << (options->help ? tilec::compileHelp()
                                   : tilec::compilerVersion().str() + "\n");
    return 0;
  }
  const char *toolkit = std::getenv("CUDA_HOME");
  std::string &folder = options->codegen.assembler.toolkit;
  if (toolkit && folder.empty())
    folder = toolkit;
  return tilec::compileFile(*options, llvm::errs());
}
