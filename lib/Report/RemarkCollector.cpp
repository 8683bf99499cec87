//===- RemarkCollector.cpp - gathers what passes say ----------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A streamer of MLIR's remark engine that keeps remarks instead of printing
// them. The engine belongs to the context, so what is kept is shared with it.
//
//===----------------------------------------------------------------------===//

#include "tilec/Report/RemarkCollector.h"

#include "tilec/Dialect/Tile/IR/Source.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <mutex>

using namespace mlir;
using namespace tilec;

/// What the streamer fills.
struct RemarkCollector::Store {
  std::mutex mutex; // passes may run side by side
  std::vector<RemarkEntry> entries;
  llvm::StringMap<size_t> places; // in `entries`
};

/// The same for remarks of the same words about the same line.
static std::string keyOf(const RemarkEntry &entry) {
  return llvm::formatv("{0}\n{1}\n{2}\n{3}\n{4}\n{5}\n{6}", entry.kernel,
                       entry.pass, entry.name, entry.done, entry.file,
                       entry.line, entry.message);
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
    if (FileLineColLoc place = tile::findPlace(remark.getLocation())) {
      entry.file = place.getFilename().str();
      entry.line = place.getLine();
      entry.column = place.getColumn();
    }
    for (const remark::detail::Remark::Arg &argument : remark.getArgs())
      if (argument.key == "Remark")
        entry.message += argument.val;
    std::lock_guard<std::mutex> lock(store->mutex);
    auto [place, isNew] =
        store->places.try_emplace(keyOf(entry), store->entries.size());
    if (isNew)
      store->entries.push_back(std::move(entry));
    else
      ++store->entries[place->second].count;
  }

private:
  std::shared_ptr<Store> store;
};
} // namespace

RemarkCollector::RemarkCollector(MLIRContext &context)
    : context(context), store(std::make_shared<Store>()) {
  remark::RemarkCategories categories;
  categories.passed = categories.missed = ".*";
  // Cannot fail: it sets up an engine with what it is given.
  (void)remark::enableOptimizationRemarks(
      context, std::make_unique<Streamer<Store>>(store),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
}

RemarkCollector::~RemarkCollector() { context.setRemarkEngine(nullptr); }

std::vector<RemarkEntry> RemarkCollector::entries() const {
  std::lock_guard<std::mutex> lock(store->mutex);
  // By lines; in the order in which they came among those of one line.
  auto isBefore = [](const RemarkEntry &a, const RemarkEntry &b) {
    return a.line < b.line;
  };
  std::vector<RemarkEntry> sorted;
  for (const RemarkEntry &entry : store->entries)
    sorted.insert(llvm::upper_bound(sorted, entry, isBefore), entry);
  return sorted;
}
