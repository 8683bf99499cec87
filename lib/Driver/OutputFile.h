//===- OutputFile.h - writes a file whole or not at all ---------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_DRIVER_OUTPUTFILE_H
#define TILEC_LIB_DRIVER_OUTPUTFILE_H

#include "tilec/KernelInfo/Result.h"
#include "llvm/ADT/StringRef.h"

namespace tilec {

/// Writes `text` to a file, or to standard output for `-`. A file that was
/// there stays as it was if that fails.
Status writeOutput(llvm::StringRef file, llvm::StringRef text);

} // namespace tilec

#endif // TILEC_LIB_DRIVER_OUTPUTFILE_H
