//===- Shadow.h - who accessed a buffer last --------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// For each element of a buffer the last plain write, and the reads and atomic
// operations since, one for each program that is not ordered before another. A
// cell is as large as the smallest access that the buffer has seen, so that
// accesses of different sizes meet byte for byte.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_INTERPRETER_CHECKS_SHADOW_H
#define TILEC_LIB_INTERPRETER_CHECKS_SHADOW_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

namespace tilec::interpreter {

/// An access: by which program, at which of its times, where in the source, and
/// by which lane. Programs count from 1.
struct Epoch {
  uint32_t program = 0;
  uint32_t time = 0;
  uint32_t site : 31;
  uint32_t isAtomic : 1;
  uint32_t lane = 0;

  Epoch() : site(0), isAtomic(0) {}
};

/// Epochs of each cell, in zeroed memory that costs nothing until it is used.
class EpochArray {
public:
  /// Room for `count` cells, all empty; null if there is no memory.
  bool allocate(uint64_t count) {
    cells.reset(static_cast<Epoch *>(std::calloc(count + 1, sizeof(Epoch))));
    return cells != nullptr;
  }
  Epoch &operator[](uint64_t cell) { return cells.get()[cell]; }
  explicit operator bool() const { return cells != nullptr; }

private:
  struct Free {
    void operator()(Epoch *memory) const { std::free(memory); }
  };
  std::unique_ptr<Epoch, Free> cells;
};

/// A set of epochs for each cell: nearly always none or one, which lies in
/// place.
class EpochSets {
public:
  bool allocate(uint64_t count) { return cells.allocate(count); }
  explicit operator bool() const { return bool(cells); }

  /// Calls `visit` with each epoch of a cell.
  void forEach(uint64_t cell, llvm::function_ref<void(const Epoch &)> visit) {
    Epoch &first = cells[cell];
    if (first.program == kMany)
      for (const Epoch &epoch : sets[first.time])
        visit(epoch);
    else if (first.program)
      visit(first);
  }

  /// Adds an epoch, in the place of those that `isCovered` by it.
  void add(uint64_t cell, const Epoch &epoch,
           llvm::function_ref<bool(const Epoch &)> isCovered);

  /// Removes all epochs of a cell.
  void clear(uint64_t cell);

  /// A cell's epochs for all parts of it, in cells of a smaller array.
  void copyTo(EpochSets &other, uint64_t cell, uint64_t first, uint64_t n);

private:
  static constexpr uint32_t kMany = ~uint32_t(0);

  EpochArray cells;
  std::vector<std::vector<Epoch>> sets; // of cells with more than one
  std::vector<uint32_t> unused;         // numbers of sets
};

/// The cells of a buffer.
class Shadow {
public:
  explicit Shadow(uint64_t bytes = 0) : bytes(bytes) {}

  /// Makes cells that an access of `size` bytes fills one or more of. False if
  /// there is no memory.
  bool prepare(unsigned size);
  unsigned getCellSize() const { return cellSize; }

  EpochArray writes;
  EpochSets reads, atomics;

private:
  bool refine(unsigned size);

  uint64_t bytes;
  unsigned cellSize = 0;
};

} // namespace tilec::interpreter

#endif // TILEC_LIB_INTERPRETER_CHECKS_SHADOW_H
