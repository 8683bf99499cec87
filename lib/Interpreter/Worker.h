//===- Worker.h - one thread of a run ---------------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_INTERPRETER_WORKER_H
#define TILEC_LIB_INTERPRETER_WORKER_H

#include "Checks/MemoryChecks.h"
#include "Checks/Races.h"
#include "Observers/Meter.h"
#include "Observers/Watch.h"
#include "Run.h"
#include <deque>

namespace tilec::interpreter {

/// One thread's programs, counts and fault.
class Worker {
public:
  explicit Worker(Run &run) : run(run), memory(run.memory) {}

  /// Makes the first frame. False if there is no room.
  bool prepare();
  /// Runs programs until none is left.
  void work();
  /// Runs all programs, in the order of a schedule, and checks if asked to.
  void workInterleaved(Schedule schedule, const RunOptions &options);

  uint64_t faultProgram = ~uint64_t(0);
  Fault fault;
  std::vector<uint64_t> executed;
  std::optional<Meter> meter;
  std::optional<MemoryChecker> memoryChecker;
  std::optional<RaceChecker> races;
  std::optional<Watcher> watcher;

  /// Programs that yielded, oldest first. After the run these wait for ever.
  std::deque<std::unique_ptr<Task>> waiting;

private:
  /// Where its programs count their instructions; null if nobody asks.
  uint64_t *counters() { return run.meters ? executed.data() : nullptr; }
  std::unique_ptr<Task> newTask() { return makeTask(run, memory, counters()); }
  /// May one more program start?
  bool hasRoom() const {
    return waiting.size() * run.code.taskBytes() <= run.frameRoom;
  }
  std::unique_ptr<Task> start();
  std::unique_ptr<Task> choose();
  bool runTask(std::unique_ptr<Task> task);
  bool isSpinning(uint64_t departures) const;

  Run &run;
  Memory memory;
  std::unique_ptr<Task> spare; // for the next program
  bool startsNext = true;      // or a waiting program goes on
  uint64_t idleRuns = 0;       // runs in a row that changed nothing at all
  uint64_t seen = 0;           // the progress of all threads when those began
  uint64_t spunAt = ~uint64_t(0); // departures when it last told that it spins
};

} // namespace tilec::interpreter

#endif // TILEC_LIB_INTERPRETER_WORKER_H
