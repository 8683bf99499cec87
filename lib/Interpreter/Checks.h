//===- Checks.h - faults and counts of accesses -----------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// What a run says about memory: the texts of faults, and the meter.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_INTERPRETER_CHECKS_H
#define TILEC_LIB_INTERPRETER_CHECKS_H

#include "Memory.h"

namespace tilec::interpreter {

/// Describes the fault of an access that does not fit its buffer.
Step reportAccess(State &state, const Access &access, const Memory &memory);

/// "load", "store" or "atomic".
llvm::StringRef accessName(AccessKind kind);

/// The name of the element at an offset: `x[7]`, `x[1, 7]`.
std::string elementName(const Buffer &buffer, int64_t offset, unsigned size);

/// Prints an element of a type, pointers in hexadecimal.
void printElement(llvm::raw_ostream &os, mlir::Type type, const char *at,
                  bool hex = false);

/// The name of a lane: its index in the tile, `7` or `(1, 7)`.
std::string laneName(int64_t lane, llvm::ArrayRef<int64_t> shape);

/// Counts accesses by buffer. One for each thread; they are added up.
class Meter : public Observer {
public:
  explicit Meter(const Memory &memory);
  Step access(State &state, const Access &access,
              const Memory &memory) override;

  /// Adds another meter of the same buffers.
  void add(const Meter &other);
  /// The counts of each buffer.
  std::vector<ArgumentTraffic> result() const;

private:
  /// Counts of one buffer; the sets have a bit for each byte.
  struct Counts {
    ArgumentTraffic traffic;
    std::vector<uint64_t> read, written;
  };
  std::vector<Counts> buffers;
};

} // namespace tilec::interpreter

#endif // TILEC_LIB_INTERPRETER_CHECKS_H
