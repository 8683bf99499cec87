//===- SourceFile.h - reads a source ----------------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_FRONTEND_SOURCEFILE_H
#define TILEC_FRONTEND_SOURCEFILE_H

#include "llvm/Support/MemoryBuffer.h"
#include <string>

namespace tilec {

/// The text of a file, or of the standard input for `-`. The text is a copy:
/// who changes the file meanwhile changes nothing here. Null, with the reason
/// in `why`, if it cannot be read or reading might never end.
std::unique_ptr<llvm::MemoryBuffer> readSource(llvm::StringRef file,
                                               std::string &why);

} // namespace tilec

#endif // TILEC_FRONTEND_SOURCEFILE_H
