//===- Watch.cpp - prints the accesses of one element ---------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Observers/Watch.h"
#include "Checks/Checks.h"
#include "Checks/Collector.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::interpreter;

Watcher::Watcher(const Memory &memory, ArrayRef<WatchedElement> elements) {
  for (const WatchedElement &element : elements)
    for (const Buffer &buffer : memory.getBuffers()) {
      int64_t count = countOf(buffer.shape);
      if (buffer.name != element.argument || count == 0)
        continue;
      uint64_t size = buffer.bytes / count;
      Range range;
      range.begin = buffer.base + element.number * size;
      range.end = range.begin + size;
      range.name = elementName(buffer, element.number * size, size);
      ranges.push_back(std::move(range));
    }
}

Step Watcher::access(State &state, const Access &access, const Memory &memory) {
  for (int64_t lane = 0; lane < access.lanes; ++lane) {
    if (!access.isActive(lane))
      continue;
    uint64_t address = access.addresses[lane];
    for (const Range &range : ranges)
      if (address < range.end && address + access.size > range.begin)
        print(state, access, memory, lane, range);
  }
  return Step::Next;
}

/// The type of the elements that an operation accesses.
static Type elementType(Operation *op) {
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return getElementTypeOrSelf(store.getValue().getType());
  return getElementTypeOrSelf(op->getResult(0).getType());
}

void Watcher::print(State &state, const Access &access, const Memory &memory,
                    int64_t lane, const Range &range) {
  llvm::raw_ostream *os = state.launch->output;
  if (!os)
    return;
  Type type = elementType(access.op);
  auto [x, y, z] = state.program;
  *os << "watch " << range.name << ": line "
      << lineOf(access.op->getLoc()).first << ", program (" << x << ", " << y
      << ", " << z << ")";
  if (access.lanes > 1)
    *os << ", lane " << laneName(lane, access.shape);
  *os << ": " << accessName(access.kind);
  if (access.kind != AccessKind::Store) {
    *os << (access.kind == AccessKind::Load ? " gives " : " finds ");
    printElement(*os, type, memory.at(access.addresses[lane]));
  }
  if (access.values) {
    *os << (access.kind == AccessKind::Store ? " puts " : ", operand ");
    printElement(*os, type, access.values + lane * access.size);
  }
  *os << "\n";
}
