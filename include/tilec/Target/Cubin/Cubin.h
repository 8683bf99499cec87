//===- Cubin.h - PTX to machine code ----------------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The assembler of the CUDA toolkit, where there is one: the library nvJitLink,
// loaded when it is first needed, or else the program ptxas. Neither is needed
// to build tilec or to compile to PTX.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TARGET_CUBIN_CUBIN_H
#define TILEC_TARGET_CUBIN_CUBIN_H

#include "tilec/KernelInfo/Result.h"

#include <cstdint>
#include <vector>

namespace tilec {

/// What the assembler says of one entry.
struct EntryResources {
  std::string entry;
  unsigned registers = 0;                   ///< of a thread
  uint64_t spillStores = 0, spillLoads = 0; ///< bytes of code that spills
  uint64_t stack = 0;                       ///< bytes of a thread
};

/// Assembled PTX.
struct Assembly {
  std::string image;     ///< an ELF file
  std::string assembler; ///< "nvJitLink 13.0" or "ptxas"
  std::vector<EntryResources> entries;
};

/// Assembles PTX for an architecture, `sm_90a`. `toolkit` is the folder of the
/// CUDA toolkit to use; empty for the first of: what the loader finds, the one
/// that tilec was configured with, /usr/local/cuda, ptxas on the path.
/// The error has kind Unavailable if there is none.
Result<Assembly> assemble(const std::string &ptx, const std::string &arch,
                          const std::string &toolkit = "");

/// Reads what ptxas says under `-v`.
std::vector<EntryResources> parseResources(std::string_view log);

} // namespace tilec

#endif // TILEC_TARGET_CUBIN_CUBIN_H
