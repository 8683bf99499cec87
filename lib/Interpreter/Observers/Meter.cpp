//===- Meter.cpp - counts accesses ----------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Sectors and cache lines are counted as a GPU moves them: by warps of 32
// elements that lie next to each other as far as the tile allows, which is how
// the compiler lays tiles out for their accesses.
//
//===----------------------------------------------------------------------===//

#include "Observers/Meter.h"
#include "Checks/Collector.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace tilec::interpreter;

/// Elements that a warp accesses at a time, and what memory moves.
static constexpr size_t kWarp = 32;
static constexpr uint64_t kSectorBytes = 32, kLineBytes = 128;

Meter::Meter(const Memory &memory) {
  for (const Buffer &buffer : memory.getBuffers()) {
    Counts counts;
    counts.traffic.name = buffer.name;
    uint64_t words = buffer.bytes / 64 + 1;
    counts.read.resize(words);
    counts.written.resize(words);
    buffers.push_back(std::move(counts));
  }
}

/// Adds a checked access to a set of bytes. It is aligned, so it stays in a
/// word.
static void mark(std::vector<uint64_t> &set, uint64_t offset, unsigned size) {
  set[offset / 64] |= ((uint64_t(1) << size) - 1) << (offset % 64);
}

/// Adds the sectors and lines that the access touches.
void Meter::countTransactions(const Access &access, AccessTraffic &traffic) {
  sorted.clear();
  for (int64_t lane = 0; lane < access.lanes; ++lane)
    if (access.isActive(lane))
      sorted.push_back(access.addresses[lane]);
  if (!llvm::is_sorted(sorted))
    llvm::sort(sorted);
  for (size_t i = 0; i < sorted.size(); ++i) {
    bool isFirst = i % kWarp == 0;
    uint64_t before = isFirst ? 0 : sorted[i - 1];
    traffic.sectors +=
        isFirst || sorted[i] / kSectorBytes != before / kSectorBytes;
    traffic.cacheLines +=
        isFirst || sorted[i] / kLineBytes != before / kLineBytes;
  }
}

Step Meter::access(State &state, const Access &access, const Memory &memory) {
  bool reads = access.kind != AccessKind::Store;
  bool writes = access.kind != AccessKind::Load;
  uint64_t active = 0;
  int64_t number = -1;
  for (int64_t lane = 0; lane < access.lanes; ++lane) {
    if (!access.isActive(lane))
      continue;
    ++active;
    const Buffer *buffer = memory.find(access.addresses[lane]);
    number = buffer - memory.getBuffers().data();
    Counts &counts = buffers[number];
    uint64_t offset = access.addresses[lane] - buffer->base;
    if (reads)
      mark(counts.read, offset, access.size);
    if (writes)
      mark(counts.written, offset, access.size);
    counts.traffic.elementsRead += reads;
    counts.traffic.bytesRead += reads ? access.size : 0;
    counts.traffic.elementsWritten += writes;
    counts.traffic.bytesWritten += writes ? access.size : 0;
  }
  // Without an active lane the first one tells the buffer, if it is in one.
  if (number < 0 && access.lanes > 0)
    if (const Buffer *buffer = memory.find(access.addresses[0]))
      number = buffer - memory.getBuffers().data();
  AccessTraffic &place = places[{access.op, number}];
  AccessTraffic added;
  added.lanesOff = access.lanes - active;
  added.elementsRead = reads ? active : 0;
  added.elementsWritten = writes ? active : 0;
  added.bytesRead = added.elementsRead * access.size;
  added.bytesWritten = added.elementsWritten * access.size;
  countTransactions(access, added);
  place.add(added);
  return Step::Next;
}

void AccessTraffic::add(const AccessTraffic &other) {
  elementsRead += other.elementsRead;
  elementsWritten += other.elementsWritten;
  bytesRead += other.bytesRead;
  bytesWritten += other.bytesWritten;
  lanesOff += other.lanesOff;
  sectors += other.sectors;
  cacheLines += other.cacheLines;
}

void Meter::add(const Meter &other) {
  for (auto [mine, theirs] : llvm::zip(buffers, other.buffers)) {
    mine.traffic.add(theirs.traffic);
    for (auto [i, word] : llvm::enumerate(theirs.read))
      mine.read[i] |= word;
    for (auto [i, word] : llvm::enumerate(theirs.written))
      mine.written[i] |= word;
  }
  for (const auto &[place, traffic] : other.places)
    places[place].add(traffic);
}

std::vector<ArgumentTraffic> Meter::result() const {
  std::vector<ArgumentTraffic> result;
  for (const Counts &counts : buffers) {
    result.push_back(counts.traffic);
    for (uint64_t word : counts.read)
      result.back().distinctBytesRead += llvm::popcount(word);
    for (uint64_t word : counts.written)
      result.back().distinctBytesWritten += llvm::popcount(word);
  }
  for (const auto &[place, traffic] : places) {
    if (place.second < 0)
      continue;
    ArgumentTraffic &argument = result[place.second];
    argument.lanesOff += traffic.lanesOff;
    argument.sectors += traffic.sectors;
    argument.cacheLines += traffic.cacheLines;
  }
  return result;
}

std::vector<LineTraffic> Meter::lines() const {
  std::map<std::tuple<unsigned, unsigned, int64_t, StringRef>, LineTraffic>
      ordered;
  for (const auto &[place, traffic] : places) {
    auto [op, number] = place;
    auto [line, column] = lineOf(op->getLoc());
    StringRef name = op->getName().stripDialect();
    LineTraffic &entry = ordered[{line, column, number, name}];
    entry.line = line;
    entry.op = name.str();
    entry.argument = number < 0 ? "" : buffers[number].traffic.name;
    entry.traffic.add(traffic);
  }
  std::vector<LineTraffic> result;
  for (auto &[key, entry] : ordered)
    result.push_back(std::move(entry));
  return result;
}
