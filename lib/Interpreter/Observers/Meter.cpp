//===- Meter.cpp - counts accesses ----------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Sectors and cache lines are counted as a GPU moves them, by instructions of
// warps. Which elements those move says the compiler; else they are 32 that lie
// next to each other as far as the tile allows.
//
//===----------------------------------------------------------------------===//

#include "Observers/Meter.h"
#include "Checks/Checks.h"
#include "Checks/Collector.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace tilec::interpreter;

/// Elements that a warp accesses at a time, and what memory moves.
static constexpr size_t kWarp = 32;
static constexpr uint64_t kSectorBytes = 32, kLineBytes = 128;

Meter::Meter(const Memory &memory, ArrayRef<AccessLayout> layouts)
    : layouts(layouts) {
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

/// Does a layout say how a tile is accessed? One of a part does for a tile of
/// one axis: the parts follow each other.
static bool isFor(const AccessLayout &layout, const Access &access) {
  if (layout.access != accessName(access.kind) || layout.lanes == 0)
    return false;
  return access.shape.size() == 1 ? access.lanes % layout.lanes == 0
                                  : access.lanes == layout.lanes;
}

/// The layout of an access, or null.
const AccessLayout *Meter::findLayout(const Access &access) {
  auto [it, isNew] = layoutOf.try_emplace(access.op, nullptr);
  FileLineColLoc place;
  if (isNew && !layouts.empty())
    place = placeOf(access.op->getLoc());
  if (place)
    for (const AccessLayout &layout : layouts)
      if (layout.place == place && isFor(layout, access) &&
          (!it->second || layout.lanes > it->second->lanes))
        it->second = &layout;
  return it->second;
}

/// Adds the sectors and lines of one instruction, which accesses `addresses`.
void Meter::countInstruction(AccessTraffic &traffic) {
  if (!llvm::is_sorted(addresses))
    llvm::sort(addresses);
  uint64_t sector = ~uint64_t(0), line = ~uint64_t(0);
  for (uint64_t address : addresses) {
    traffic.sectors += address / kSectorBytes != sector;
    traffic.cacheLines += address / kLineBytes != line;
    sector = address / kSectorBytes;
    line = address / kLineBytes;
  }
  addresses.clear();
}

/// Adds the sectors and lines that the access touches.
void Meter::countTransactions(const Access &access, AccessTraffic &traffic) {
  addresses.clear();
  if (const AccessLayout *layout = findLayout(access)) {
    for (int64_t part = 0; part < access.lanes; part += layout->lanes)
      for (auto [i, element] : llvm::enumerate(layout->elements)) {
        if (access.isActive(part + element))
          addresses.push_back(access.addresses[part + element]);
        if ((i + 1) % layout->perInstruction == 0)
          countInstruction(traffic);
      }
    return;
  }
  for (int64_t lane = 0; lane < access.lanes; ++lane)
    if (access.isActive(lane))
      neighbours.push_back(access.addresses[lane]);
  if (!llvm::is_sorted(neighbours))
    llvm::sort(neighbours);
  for (uint64_t address : neighbours) {
    addresses.push_back(address);
    if (addresses.size() == kWarp)
      countInstruction(traffic);
  }
  countInstruction(traffic);
  neighbours.clear();
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
  layoutOf.insert(other.layoutOf.begin(), other.layoutOf.end());
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
    entry.hasLayout = layoutOf.lookup(op) != nullptr;
  }
  std::vector<LineTraffic> result;
  for (auto &[key, entry] : ordered)
    result.push_back(std::move(entry));
  return result;
}
