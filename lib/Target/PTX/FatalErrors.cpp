//===- FatalErrors.cpp - LLVM's fatal errors as ordinary ones -------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// LLVM's back ends report what they cannot do by ending the process. A handler
// that jumps out through a crash recovery context turns that into a value.
//
//===----------------------------------------------------------------------===//

#include "FatalErrors.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include <cstdlib>
#include <mutex>

using namespace llvm;

/// Why this thread's work ended.
static thread_local std::string reason;

/// Called by LLVM; must not return.
static void onFatalError(void *, const char *message, bool) {
  if (CrashRecoveryContext *context = CrashRecoveryContext::GetCurrent()) {
    reason = message;
    context->HandleExit(1);
  }
  // Another thread, which does not run guarded: what LLVM does by itself.
  std::fprintf(stderr, "LLVM ERROR: %s\n", message);
  std::exit(1);
}

namespace {
/// Holds the process-wide handlers while any thread runs guarded.
struct Handlers {
  static inline std::mutex mutex;
  static inline unsigned users = 0;

  Handlers() {
    std::lock_guard<std::mutex> lock(mutex);
    if (users++ == 0) {
      CrashRecoveryContext::Enable();
      install_fatal_error_handler(onFatalError);
    }
  }
  ~Handlers() {
    std::lock_guard<std::mutex> lock(mutex);
    if (--users == 0) {
      remove_fatal_error_handler();
      CrashRecoveryContext::Disable();
    }
  }
};
} // namespace

std::optional<std::string> tilec::runGuarded(function_ref<void()> work) {
  Handlers handlers;
  CrashRecoveryContext context;
  reason.clear();
  if (context.RunSafely(work))
    return std::nullopt;
  if (reason.empty())
    reason = "crash with signal " + std::to_string(context.RetCode - 128);
  return std::move(reason);
}
