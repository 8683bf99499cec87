//===- Checks.h - faults of accesses ----------------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// What a run says about memory: the texts of faults.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_INTERPRETER_CHECKS_CHECKS_H
#define TILEC_LIB_INTERPRETER_CHECKS_CHECKS_H

#include "Memory.h"

namespace tilec::interpreter {

/// Describes the fault of an access that does not fit its buffer.
Step reportAccess(State &state, const Access &access, const Memory &memory);

/// "load", "store" or "atomic".
llvm::StringRef accessName(AccessKind kind);

/// The name of the element at an offset: `x[7]`, `x[1, 7]`.
std::string elementName(const Buffer &buffer, int64_t offset, unsigned size);

/// Prints an element of a type, pointers in hexadecimal.
void printElement(llvm::raw_ostream &os, mlir::Type type, const char *at,
                  bool hex = false);

/// The name of a lane: its index in the tile, `7` or `(1, 7)`.
std::string laneName(int64_t lane, llvm::ArrayRef<int64_t> shape);

} // namespace tilec::interpreter

#endif // TILEC_LIB_INTERPRETER_CHECKS_CHECKS_H
