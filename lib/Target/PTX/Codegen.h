//===- Codegen.h - LLVM's side of the way to PTX ----------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// What PTX.cpp asks of LLVM: a target machine, optimisation, PTX text. Apart
// from it, because LLVM's and MLIR's headers are both slow to compile.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_TARGET_PTX_CODEGEN_H
#define TILEC_LIB_TARGET_PTX_CODEGEN_H

#include "llvm/ADT/StringRef.h"
#include <memory>
#include <string>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tilec {

/// The NVPTX back end for an architecture and a PTX version (times ten), new or
/// one that was given back. Null, with the reason in `error`, if LLVM has no
/// such target.
std::unique_ptr<llvm::TargetMachine> takeTargetMachine(llvm::StringRef arch,
                                                       unsigned ptxVersion,
                                                       std::string &error);

/// Keeps a back end for the next who takes one like it: its tables of legal
/// operations are a tenth of a small kernel's compile time.
void giveBack(std::unique_ptr<llvm::TargetMachine> machine);

/// Says of each inline assembly what MLIR cannot: that it does not throw, that
/// one with side effects is convergent and one without touches no memory.
/// Otherwise LLVM may copy a `.sync.aligned` instruction into branches that
/// diverge.
void markInlineAsm(llvm::Module &module);

/// Simplifies the module for the target machine.
void optimize(llvm::Module &module, llvm::TargetMachine &machine);

/// Appends the module as PTX to `text`; false if the back end prints no text.
bool printPTX(llvm::Module &module, llvm::TargetMachine &machine,
              std::string &text);

} // namespace tilec

#endif // TILEC_LIB_TARGET_PTX_CODEGEN_H
