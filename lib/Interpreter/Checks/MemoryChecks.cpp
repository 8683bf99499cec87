//===- MemoryChecks.cpp - faults of single accesses -----------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Checks/MemoryChecks.h"
#include "Checks/Checks.h"
#include "Checks/Collector.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>
#include <numeric>

using namespace mlir;
using namespace tilec;
using namespace tilec::interpreter;

MemoryChecker::MemoryChecker(const Memory &memory) {
  for (const Buffer &buffer : memory.getBuffers()) {
    written.emplace_back(buffer.isInitialized ? 0 : buffer.bytes / 64 + 1);
    hasUnwritten |= !buffer.isInitialized;
    hasConst |= buffer.isConst;
  }
}

Step MemoryChecker::access(State &state, const Access &access,
                           const Memory &memory) {
  if (access.kind != AccessKind::Store && hasUnwritten)
    checkWritten(state, access, memory);
  if (access.kind == AccessKind::Load)
    return Step::Next;
  if (hasUnwritten)
    markWritten(access, memory);
  if (hasConst)
    checkConst(state, access, memory);
  if (access.kind == AccessKind::Store && access.lanes > 1)
    checkLanes(state, access, memory);
  return Step::Next;
}

/// Makes a fault of a lane's access, and tells of the lane.
static void describe(Fault &fault, const Access &access, const Buffer &buffer,
                     int64_t lane) {
  fault.buffer = buffer.name;
  fault.index =
      buffer.indexOf(access.addresses[lane] - buffer.base, access.size);
  fault.access = accessName(access.kind);
  fault.lane = lane;
  if (access.lanes > 1)
    fault.notes.emplace_back(access.op->getLoc(),
                             "lane " + laneName(lane, access.shape) +
                                 " is the first");
}

//===----------------------------------------------------------------------===//
// What nothing wrote
//===----------------------------------------------------------------------===//

bool MemoryChecker::isWritten(size_t buffer, uint64_t offset,
                              unsigned size) const {
  uint64_t bits = (uint64_t(1) << size) - 1;
  return (written[buffer][offset / 64] >> (offset % 64) & bits) == bits;
}

void MemoryChecker::checkWritten(State &state, const Access &access,
                                 const Memory &memory) {
  // An exchange whose old value nobody wants is a store.
  if (auto atomic = dyn_cast<tile::AtomicRMWOp>(access.op))
    if (atomic.getKind() == tile::AtomicKind::Xchg && atomic->use_empty())
      return;
  int64_t first = -1, count = 0;
  for (int64_t lane = 0; lane < access.lanes; ++lane) {
    if (!access.isActive(lane))
      continue;
    const Buffer *buffer = memory.find(access.addresses[lane]);
    if (buffer->isInitialized ||
        isWritten(buffer - memory.getBuffers().data(),
                  access.addresses[lane] - buffer->base, access.size))
      continue;
    first = first < 0 ? lane : first;
    ++count;
  }
  if (count == 0)
    return;
  const Buffer &buffer = *memory.find(access.addresses[first]);
  state.fail(access.op,
             llvm::formatv(
                 "{0} of '{1}', which nothing wrote", accessName(access.kind),
                 elementName(buffer, access.addresses[first] - buffer.base,
                             access.size)),
             "uninitialized");
  state.fault.count = count;
  describe(state.fault, access, buffer, first);
  state.goOn();
}

void MemoryChecker::markWritten(const Access &access, const Memory &memory) {
  for (int64_t lane = 0; lane < access.lanes; ++lane) {
    if (!access.isActive(lane))
      continue;
    const Buffer *buffer = memory.find(access.addresses[lane]);
    if (buffer->isInitialized)
      continue;
    uint64_t offset = access.addresses[lane] - buffer->base;
    written[buffer - memory.getBuffers().data()][offset / 64] |=
        ((uint64_t(1) << access.size) - 1) << (offset % 64);
  }
}

//===----------------------------------------------------------------------===//
// Single stores
//===----------------------------------------------------------------------===//

void MemoryChecker::checkConst(State &state, const Access &access,
                               const Memory &memory) {
  for (int64_t lane = 0; lane < access.lanes; ++lane) {
    const Buffer *buffer =
        access.isActive(lane) ? memory.find(access.addresses[lane]) : nullptr;
    if (!buffer || !buffer->isConst)
      continue;
    state.fail(access.op,
               llvm::formatv("{0} to '{1}', which the signature says is only "
                             "read",
                             accessName(access.kind), buffer->name),
               "const-write");
    describe(state.fault, access, *buffer, lane);
    state.goOn();
    return;
  }
}

/// The active lanes by their addresses; empty if these only go up, as they
/// nearly always do.
static SmallVector<int64_t> sortedLanes(const Access &access) {
  uint64_t last = 0;
  bool ascends = true;
  for (int64_t lane = 0; lane < access.lanes && ascends; ++lane) {
    if (!access.isActive(lane))
      continue;
    ascends = access.addresses[lane] > last;
    last = access.addresses[lane];
  }
  SmallVector<int64_t> lanes;
  if (ascends)
    return lanes;
  for (int64_t lane = 0; lane < access.lanes; ++lane)
    if (access.isActive(lane))
      lanes.push_back(lane);
  llvm::sort(lanes, [&](int64_t a, int64_t b) {
    return std::make_pair(access.addresses[a], a) <
           std::make_pair(access.addresses[b], b);
  });
  return lanes;
}

void MemoryChecker::checkLanes(State &state, const Access &access,
                               const Memory &memory) {
  SmallVector<int64_t> lanes = sortedLanes(access);
  int64_t count = 0, first = -1, second = -1;
  for (size_t i = 1; i < lanes.size(); ++i) {
    int64_t a = lanes[i - 1], b = lanes[i];
    if (access.addresses[a] != access.addresses[b] ||
        std::memcmp(access.values + a * access.size,
                    access.values + b * access.size, access.size) == 0)
      continue;
    if (count++ == 0) {
      first = a;
      second = b;
    }
  }
  if (count == 0)
    return;
  const Buffer &buffer = *memory.find(access.addresses[first]);
  state.fail(access.op,
             llvm::formatv(
                 "race: lanes {0} and {1} of this store put different "
                 "values into '{2}', either may stay",
                 laneName(first, access.shape), laneName(second, access.shape),
                 elementName(buffer, access.addresses[first] - buffer.base,
                             access.size)),
             "overlap");
  state.fault.count = count;
  state.fault.buffer = buffer.name;
  state.fault.index =
      buffer.indexOf(access.addresses[first] - buffer.base, access.size);
  state.fault.access = accessName(access.kind);
  state.fault.lane = first;
  state.goOn();
}
