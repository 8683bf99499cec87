//===- RemarkCollector.cpp - gathers what passes say ----------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A streamer of MLIR's remark engine that keeps remarks instead of printing
// them. The engine belongs to the context, so what is kept is shared with it.
//
//===----------------------------------------------------------------------===//

#include "tilec/Report/RemarkCollector.h"

#include "Places.h"

#include "mlir/IR/Remarks.h"

#include <algorithm>
#include <mutex>
#include <tuple>

using namespace mlir;
using namespace tilec;

/// What the streamer fills.
struct RemarkCollector::Store {
  std::mutex mutex; // passes may run side by side
  std::vector<RemarkEntry> entries;
};

/// Are these the same words about the same line?
static bool isSame(const RemarkEntry &a, const RemarkEntry &b) {
  return std::tie(a.kernel, a.pass, a.name, a.done, a.file, a.line,
                  a.message) ==
         std::tie(b.kernel, b.pass, b.name, b.done, b.file, b.line, b.message);
}

namespace {
/// Appends to a store.
template <typename Store>
class Streamer : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit Streamer(std::shared_ptr<Store> store) : store(std::move(store)) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    RemarkEntry entry;
    entry.kernel = remark.getFunction().str();
    entry.pass = remark.getCategoryName().str();
    entry.name = remark.getRemarkName().str();
    entry.done = remark.getRemarkType() == llvm::remarks::Type::Passed;
    if (FileLineColLoc place = placeOf(remark.getLocation())) {
      entry.file = place.getFilename().str();
      entry.line = place.getLine();
      entry.column = place.getColumn();
    }
    for (const remark::detail::Remark::Arg &argument : remark.getArgs())
      if (argument.key == "Remark")
        entry.message += argument.val;
    std::lock_guard<std::mutex> lock(store->mutex);
    auto same = std::find_if(
        store->entries.begin(), store->entries.end(),
        [&](const RemarkEntry &other) { return isSame(entry, other); });
    if (same == store->entries.end())
      store->entries.push_back(std::move(entry));
    else
      ++same->count;
  }

private:
  std::shared_ptr<Store> store;
};
} // namespace

RemarkCollector::RemarkCollector(MLIRContext &context)
    : context(context), store(std::make_shared<Store>()) {
  remark::RemarkCategories categories;
  categories.all = ".*";
  // Cannot fail: it sets up an engine with what it is given.
  (void)remark::enableOptimizationRemarks(
      context, std::make_unique<Streamer<Store>>(store),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
}

RemarkCollector::~RemarkCollector() { context.setRemarkEngine(nullptr); }

std::vector<RemarkEntry> RemarkCollector::entries() const {
  std::vector<RemarkEntry> sorted;
  {
    std::lock_guard<std::mutex> lock(store->mutex);
    sorted = store->entries;
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const RemarkEntry &a, const RemarkEntry &b) {
                     return a.line < b.line;
                   });
  return sorted;
}
