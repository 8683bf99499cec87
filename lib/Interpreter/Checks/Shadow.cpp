//===- Shadow.cpp - who accessed a buffer last ----------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Checks/Shadow.h"
#include "llvm/ADT/STLExtras.h"

using namespace tilec::interpreter;

void EpochSets::add(uint64_t cell, const Epoch &epoch,
                    llvm::function_ref<bool(const Epoch &)> isCovered) {
  Epoch &first = cells[cell];
  if (first.program == 0 || (first.program != kMany && isCovered(first))) {
    first = epoch;
    return;
  }
  if (first.program != kMany) {
    uint32_t number = sets.size();
    if (unused.empty()) {
      sets.emplace_back();
    } else {
      number = unused.back();
      unused.pop_back();
    }
    sets[number] = {first};
    first.program = kMany;
    first.time = number;
  }
  std::vector<Epoch> &set = sets[first.time];
  llvm::erase_if(set, isCovered);
  set.push_back(epoch);
}

void EpochSets::clear(uint64_t cell) {
  Epoch &first = cells[cell];
  if (first.program == kMany) {
    sets[first.time].clear();
    unused.push_back(first.time);
  }
  first = Epoch();
}

void EpochSets::copyTo(EpochSets &other, uint64_t cell, uint64_t first,
                       uint64_t n) {
  for (uint64_t i = 0; i < n; ++i)
    forEach(cell, [&](const Epoch &epoch) {
      other.add(first + i, epoch, [](const Epoch &) { return false; });
    });
}

bool Shadow::refine(unsigned size) {
  uint64_t parts = cellSize / size, count = bytes / cellSize;
  Shadow finer(bytes);
  if (!finer.prepare(size))
    return false;
  for (uint64_t cell = 0; cell < count; ++cell) {
    if (writes[cell].program)
      for (uint64_t i = 0; i < parts; ++i)
        finer.writes[cell * parts + i] = writes[cell];
    reads.copyTo(finer.reads, cell, cell * parts, parts);
    atomics.copyTo(finer.atomics, cell, cell * parts, parts);
  }
  *this = std::move(finer);
  return true;
}

bool Shadow::prepare(unsigned size) {
  if (cellSize && size >= cellSize)
    return true;
  if (cellSize)
    return refine(size);
  cellSize = size;
  uint64_t count = bytes / size + 1;
  return writes.allocate(count) && reads.allocate(count) &&
         atomics.allocate(count);
}
