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
    std::vector<uint64_t> none(buffer.bytes / 64 + 1);
    buffers.push_back({buffer.name, none, none});
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

/// The counts of an access in the buffer of an address. They stay where they
/// are until the next call.
AccessTraffic &Meter::trafficAt(const Access &access, const Memory &memory,
                                uint64_t address) {
  const Buffer *buffer = memory.find(address);
  Place place(access.op, buffer ? buffer - memory.getBuffers().data() : -1);
  if (!lastTraffic || place != last) {
    last = place;
    lastTraffic = &places[place];
  }
  return *lastTraffic;
}

/// Adds the sectors and lines of one instruction, which accesses `addresses`.
void Meter::countInstruction(const Access &access, const Memory &memory) {
  if (!llvm::is_sorted(addresses))
    llvm::sort(addresses);
  uint64_t sector = ~uint64_t(0), line = ~uint64_t(0);
  for (uint64_t address : addresses) {
    AccessTraffic &traffic = trafficAt(access, memory, address);
    traffic.sectors += address / kSectorBytes != sector;
    traffic.cacheLines += address / kLineBytes != line;
    sector = address / kSectorBytes;
    line = address / kLineBytes;
  }
  addresses.clear();
}

/// Adds the sectors and lines that the access touches.
void Meter::countTransactions(const Access &access, const Memory &memory) {
  addresses.clear();
  if (const AccessLayout *layout = findLayout(access)) {
    for (int64_t part = 0; part < access.lanes; part += layout->lanes)
      for (auto [i, element] : llvm::enumerate(layout->elements)) {
        if (access.isActive(part + element))
          addresses.push_back(access.addresses[part + element]);
        if ((i + 1) % layout->perInstruction == 0)
          countInstruction(access, memory);
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
      countInstruction(access, memory);
  }
  countInstruction(access, memory);
  neighbours.clear();
}

Step Meter::access(State &state, const Access &access, const Memory &memory) {
  bool reads = access.kind != AccessKind::Store;
  bool writes = access.kind != AccessKind::Load;
  // Lanes that are off count beside the last that is on. Without one the first
  // tells the buffer, if it is in one.
  uint64_t off = 0, at = access.addresses[0];
  for (int64_t lane = 0; lane < access.lanes; ++lane) {
    if (!access.isActive(lane)) {
      ++off;
      continue;
    }
    at = access.addresses[lane];
    AccessTraffic &traffic = trafficAt(access, memory, at);
    traffic.elementsRead += reads;
    traffic.bytesRead += reads ? access.size : 0;
    traffic.elementsWritten += writes;
    traffic.bytesWritten += writes ? access.size : 0;
    Touched &touched = buffers[last.second];
    uint64_t offset = at - memory.getBuffers()[last.second].base;
    if (reads)
      mark(touched.read, offset, access.size);
    if (writes)
      mark(touched.written, offset, access.size);
  }
  trafficAt(access, memory, at).lanesOff += off;
  countTransactions(access, memory);
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
    for (auto [i, word] : llvm::enumerate(theirs.read))
      mine.read[i] |= word;
    for (auto [i, word] : llvm::enumerate(theirs.written))
      mine.written[i] |= word;
  }
  for (const auto &[place, traffic] : other.places)
    places[place].add(traffic);
  lastTraffic = nullptr; // the counts may have moved
  layoutOf.insert(other.layoutOf.begin(), other.layoutOf.end());
}

std::vector<ArgumentTraffic> Meter::result() const {
  std::vector<ArgumentTraffic> result;
  for (const Touched &touched : buffers) {
    ArgumentTraffic &argument = result.emplace_back();
    argument.name = touched.name;
    for (uint64_t word : touched.read)
      argument.distinctBytesRead += llvm::popcount(word);
    for (uint64_t word : touched.written)
      argument.distinctBytesWritten += llvm::popcount(word);
  }
  for (const auto &[place, traffic] : places)
    if (place.second >= 0)
      result[place.second].add(traffic);
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
    entry.argument = number < 0 ? "" : buffers[number].name;
    entry.traffic.add(traffic);
    entry.hasLayout = layoutOf.lookup(op) != nullptr;
  }
  std::vector<LineTraffic> result;
  for (auto &[key, entry] : ordered)
    result.push_back(std::move(entry));
  return result;
}
