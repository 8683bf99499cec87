//===- FatalErrors.h - LLVM's fatal errors as ordinary ones -----*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_TARGET_PTX_FATALERRORS_H
#define TILEC_LIB_TARGET_PTX_FATALERRORS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>
#include <string>

namespace tilec {

/// Runs `work`. If LLVM gives up in it (an instruction that the back end cannot
/// select, a crash), returns why instead of ending the process. What `work` had
/// in hand is then in no state to be used or destroyed.
std::optional<std::string> runGuarded(llvm::function_ref<void()> work);

} // namespace tilec

#endif // TILEC_LIB_TARGET_PTX_FATALERRORS_H
