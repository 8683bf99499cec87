//===- Contexts.cpp - contexts of MLIR, used again ------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Contexts.h"
#include <mutex>

using namespace tilec::capi;

/// A context keeps every attribute and place that it has seen.
static constexpr unsigned kMaxUses = 32;

namespace {
/// The context that waits for its next user. Never destroyed: a program may
/// free its last module when its static objects are gone.
struct Spare {
  static Spare &get() {
    static auto &spare = *new Spare;
    return spare;
  }

  std::mutex mutex;
  std::unique_ptr<mlir::MLIRContext> context;
  unsigned uses = 0;
};
} // namespace

Context::Context() {
  Spare &spare = Spare::get();
  {
    std::lock_guard<std::mutex> lock(spare.mutex);
    context = std::move(spare.context);
    uses = context ? spare.uses + 1 : 1;
  }
  if (!context)
    context = std::make_unique<mlir::MLIRContext>(
        mlir::MLIRContext::Threading::DISABLED);
}

Context::~Context() {
  if (uses >= kMaxUses)
    return;
  Spare &spare = Spare::get();
  std::lock_guard<std::mutex> lock(spare.mutex);
  std::swap(context, spare.context); // the other one, if any, ends
  spare.uses = uses;
}
