//===- MemoryChecks.h - faults of single accesses ---------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Reads of what nothing wrote, writes to what is only to be read, and lanes of
// one store that disagree.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_INTERPRETER_CHECKS_MEMORYCHECKS_H
#define TILEC_LIB_INTERPRETER_CHECKS_MEMORYCHECKS_H

#include "Memory.h"

namespace tilec::interpreter {

/// Reports to the run's collector. For runs of one thread.
class MemoryChecker : public Observer {
public:
  explicit MemoryChecker(const Memory &memory);

  Step access(State &state, const Access &access,
              const Memory &memory) override;

private:
  void checkWritten(State &state, const Access &access, const Memory &memory);
  void markWritten(const Access &access, const Memory &memory);
  void checkConst(State &state, const Access &access, const Memory &memory);
  void checkLanes(State &state, const Access &access, const Memory &memory);
  bool isWritten(size_t buffer, uint64_t offset, unsigned size) const;

  /// A bit for each byte of the buffers that were not written before the run.
  std::vector<std::vector<uint64_t>> written;
  bool hasUnwritten = false, hasConst = false;
};

} // namespace tilec::interpreter

#endif // TILEC_LIB_INTERPRETER_CHECKS_MEMORYCHECKS_H
