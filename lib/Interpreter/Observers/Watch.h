//===- Watch.h - prints the accesses of one element -------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_INTERPRETER_OBSERVERS_WATCH_H
#define TILEC_LIB_INTERPRETER_OBSERVERS_WATCH_H

#include "Memory.h"

namespace tilec::interpreter {

/// Writes a line for each access of the watched elements to the run's output.
/// For runs of one thread.
class Watcher : public Observer {
public:
  Watcher(const Memory &memory, llvm::ArrayRef<WatchedElement> elements);

  Step access(State &state, const Access &access,
              const Memory &memory) override;

private:
  /// The bytes [begin, end) of a buffer.
  struct Range {
    std::string name;
    uint64_t begin = 0, end = 0; // addresses
  };
  void print(State &state, const Access &access, const Memory &memory,
             int64_t lane, const Range &range);

  std::vector<Range> ranges;
};

} // namespace tilec::interpreter

#endif // TILEC_LIB_INTERPRETER_OBSERVERS_WATCH_H
