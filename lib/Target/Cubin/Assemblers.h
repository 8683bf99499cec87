//===- Assemblers.h - the two ways to assemble ------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_TARGET_CUBIN_ASSEMBLERS_H
#define TILEC_LIB_TARGET_CUBIN_ASSEMBLERS_H

#include "tilec/Target/Cubin/Cubin.h"

namespace tilec {

/// Folders of toolkits to search, in order; and whether to ask the system too
/// (the loader for libraries, the path for programs).
struct ToolkitSearch {
  std::vector<std::string> folders;
  bool asksSystem = true;
};

/// By the library, in this process. Kind Unavailable if it is not found.
Result<Assembly> assembleByNvJitLink(const std::string &ptx,
                                     const std::string &arch,
                                     const ToolkitSearch &search);

/// By the program. Kind Unavailable if it is not found.
Result<Assembly> assembleByPtxas(const std::string &ptx,
                                 const std::string &arch,
                                 const ToolkitSearch &search);

/// The sentence for code that an assembler does not take, with its log's first
/// line that says why.
Error refusal(const std::string &assembler, const std::string &arch,
              std::string_view log);

} // namespace tilec

#endif // TILEC_LIB_TARGET_CUBIN_ASSEMBLERS_H
