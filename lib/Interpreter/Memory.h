//===- Memory.h - global memory of a run ------------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Every buffer has a range of made-up addresses of its own, far from the
// others, so that a pointer says which buffer it points into, or how far beside
// it. All accesses are checked here before any of them happens, and observers
// see them.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_INTERPRETER_MEMORY_H
#define TILEC_LIB_INTERPRETER_MEMORY_H

#include "Scope.h"
#include "tilec/Interpreter/Interpreter.h"

namespace tilec::interpreter {

/// What an access does.
enum class AccessKind : uint8_t { Load, Store, Atomic };

/// One operation's access: an address for each lane.
struct Access {
  mlir::Operation *op = nullptr;
  AccessKind kind = AccessKind::Load;
  unsigned size = 0; // bytes of an element
  int64_t lanes = 0;
  const uint64_t *addresses = nullptr;
  const uint8_t *mask = nullptr; // null: all lanes
  llvm::ArrayRef<int64_t> shape; // of the tile, to name lanes
  const char *values = nullptr;  // what is stored, or put by an atomic
  const char *compare = nullptr; // what a compare-and-swap expects
  /// After the check: all lanes are in this buffer, or -1 if in several or
  /// none.
  int buffer = -1;

  bool isActive(int64_t lane) const { return !mask || mask[lane]; }
};

/// A buffer and its addresses.
struct Buffer {
  std::string name;
  char *data = nullptr;
  uint64_t bytes = 0;
  uint64_t base = 0;
  bool isInitialized = true, isConst = false;
  std::vector<int64_t> shape;

  /// The index of the element of `size` bytes at an offset, by axis if the
  /// buffer has elements of that size.
  std::vector<int64_t> indexOf(int64_t offset, unsigned size) const;
};

/// Sees every access that passed the check, before it happens.
class Observer {
public:
  virtual ~Observer() = default;
  /// Returns Step::Fault, after `state.fail`, to stop the run.
  virtual Step access(State &state, const Access &access,
                      const Memory &memory) = 0;
  /// A program has ended.
  virtual void finish(const State &state) {}
};

/// The buffers of a run, and who watches them. Each thread has its own.
class Memory {
public:
  /// Adds a buffer and returns its address.
  uint64_t addBuffer(const Argument &argument);

  llvm::ArrayRef<Buffer> getBuffers() const { return buffers; }

  /// The buffer whose range an address is in, maybe outside its bytes; null for
  /// addresses of no range.
  const Buffer *find(uint64_t address) const {
    uint64_t index = (address >> kRangeBits) - 1;
    return index < buffers.size() ? &buffers[index] : nullptr;
  }

  /// Checks all active lanes of an access. If it fails nothing may be accessed.
  Step check(State &state, Access &access) const;

  /// Is an element within its buffer and aligned?
  bool fits(uint64_t address, unsigned size) const;

  /// The memory at an address that was checked.
  char *at(uint64_t address) const {
    const Buffer *buffer = find(address);
    return buffer->data + (address - buffer->base);
  }

  /// How often the run has changed memory, or may have.
  uint64_t changes = 0;

  /// Adds someone who sees the accesses.
  void addObserver(Observer *observer) { observers.push_back(observer); }

  /// Tells the observers that a program has ended.
  void finish(const State &state) const {
    for (Observer *observer : observers)
      observer->finish(state);
  }

private:
  /// Each range has 2^40 bytes, the buffer begins in its middle.
  static constexpr unsigned kRangeBits = 40;

  /// Shows an access to the observers.
  Step observe(State &state, const Access &access) const;
  /// Switches lanes off that do not fit, if the run goes on after faults.
  Step checkAgain(State &state, Access &access) const;

  std::vector<Buffer> buffers;
  llvm::SmallVector<Observer *, 2> observers;
};

} // namespace tilec::interpreter

#endif // TILEC_LIB_INTERPRETER_MEMORY_H
