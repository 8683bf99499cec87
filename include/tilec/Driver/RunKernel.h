//===- RunKernel.h - runs a kernel on either engine -------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// All that tile-run does after reading its command line.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DRIVER_RUNKERNEL_H
#define TILEC_DRIVER_RUNKERNEL_H

#include "tilec/Driver/RunOptions.h"

#include "llvm/Support/raw_ostream.h"

namespace tilec {

/// Reads the file and the arguments, runs the kernel, saves arrays and prints
/// reports to `out`, messages to `err`. Returns the exit status, 0 or 1.
int runKernel(const RunOptions &options, llvm::raw_ostream &out,
              llvm::raw_ostream &err);

/// Prints `tile-run: error: <text>`, in colour on a terminal.
void printError(llvm::raw_ostream &err, llvm::StringRef text);

} // namespace tilec

#endif // TILEC_DRIVER_RUNKERNEL_H
