//===- Cubin.h - PTX to machine code ----------------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The assembler of the CUDA toolkit, where there is one: the program ptxas, or
// the library nvJitLink, loaded when it is first needed. Neither is needed to
// build tilec or to compile to PTX. Both give the same results; ptxas compiles
// whole programs, as the driver of a GPU does, and nvJitLink relocatable code,
// which takes more registers but no process of its own.
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

/// Which assembler, and where it is.
struct AssemblerOptions {
  /// `ptxas` or `nvjitlink`; empty for the first of them that is found.
  std::string name;
  /// The folder of the CUDA toolkit; empty for the first of: what the path and
  /// the loader find, the one that tilec was configured with, /usr/local/cuda.
  std::string toolkit;
};

/// Assembles PTX for an architecture, `sm_90a`. The error has kind Unavailable
/// if no assembler is found.
Result<Assembly> assemble(const std::string &ptx, const std::string &arch,
                          const AssemblerOptions &options = {});

/// Reads what ptxas says under `-v`.
std::vector<EntryResources> parseResources(std::string_view log);

} // namespace tilec

#endif // TILEC_TARGET_CUBIN_CUBIN_H
