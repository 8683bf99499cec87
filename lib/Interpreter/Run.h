//===- Run.h - one run of a kernel over its grid ----------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// What the threads and the schedulers of a run share: code, arguments, and
// programs that were started.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_INTERPRETER_RUN_H
#define TILEC_LIB_INTERPRETER_RUN_H

#include "Memory.h"
#include "Scope.h"
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>

namespace tilec::interpreter {

/// Bytes that all frames of a run may take together.
inline constexpr uint64_t kFrameRoom = uint64_t(4) << 30;

/// Iterations of waiting loops without any departure, of all programs together
/// and at least of each, after which they are taken to have none.
inline constexpr uint64_t kMostRounds = uint64_t(1) << 22,
                          kFewestRounds = uint64_t(1) << 12;

/// The rounds of each of so many programs.
inline uint64_t roundsOf(uint64_t programs) {
  return std::max(kMostRounds / std::max<uint64_t>(programs, 1), kFewestRounds);
}

/// How threads whose programs all wait find out that something has changed, or
/// that nothing can change any more.
class Progress {
public:
  explicit Progress(const std::atomic<uint64_t> &departures)
      : departures(departures) {}

  /// For so many threads.
  void start(unsigned threads) { active = threads; }
  /// Changes whenever a program may have helped another.
  uint64_t get() const { return count; }
  /// Another program may go on now.
  void advance();
  /// Waits until there is progress beyond `seen`. False if all threads wait,
  /// so that there will be none.
  bool wait(uint64_t seen);
  /// All programs of a thread have gone round their loops for long, since there
  /// were so many departures; to be told once for each of these numbers.
  void spin(uint64_t departures);
  /// Have all threads been found to wait or to spin, so that all shall end?
  bool isOver() const { return isDeadlock; }
  /// Are all spinning?
  bool areSpinning() const { return spinning > 0; }
  /// A thread has no more programs.
  void leave();

private:
  /// Notes a deadlock if all threads wait or all spin.
  void look();

  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<uint64_t> count = 0;
  unsigned active = 1, waiting = 0, spinning = 0; // threads
  const std::atomic<uint64_t> &departures;
  uint64_t spinningAt = 0; // departures
  std::atomic<bool> isDeadlock = false;
};

/// What the threads of a run share.
struct Run {
  const Code &code;
  Launch launch;
  Memory memory;
  std::vector<uint64_t> arguments; // bits, in the order of the code's
  /// May the kernel write to each of the buffers?
  std::vector<bool> tracked;
  uint64_t programs = 0;
  bool meters = false;
  llvm::ArrayRef<AccessLayout> layouts; // for the meters
  std::atomic<uint64_t> next = 0;
  /// The lowest program that failed: those after it need not run.
  std::atomic<uint64_t> failed = ~uint64_t(0);
  Progress progress{launch.departures};
  /// Bytes that the frames of one thread may take together.
  uint64_t frameRoom = kFrameRoom;

  explicit Run(const Code &code) : code(code) {}
};

/// A program that was started, and its frame.
struct Task {
  struct Free {
    void operator()(void *memory) const { std::free(memory); }
  };
  std::unique_ptr<char, Free> allocation;
  State state;
  /// How often memory had changed when the program last waited through all its
  /// patience in vain.
  uint64_t waitedAt = ~uint64_t(0), yieldedAt = ~uint64_t(0);
};

/// A new frame with what all programs find in it; null if there is no room.
std::unique_ptr<Task> makeTask(const Run &run, Memory &memory,
                               uint64_t *executed);

/// Puts a task at the start of a program.
void startProgram(const Run &run, Task &task, uint64_t program);

/// The fault of programs that wait for each other, in the state of the first;
/// or that spin, each for `rounds` if not 0. Sorts them.
void describeDeadlock(const Run &run,
                      llvm::MutableArrayRef<std::unique_ptr<Task>> waiting,
                      uint64_t rounds = 0);

/// Runs all programs of the grid on this thread, switching between them as the
/// schedule says. The fault that ended the run, if any, is left in `fault`.
void runInterleaved(Run &run, Memory &memory, uint64_t *executed,
                    Schedule schedule, uint64_t seed, Fault &fault);

} // namespace tilec::interpreter

#endif // TILEC_LIB_INTERPRETER_RUN_H
