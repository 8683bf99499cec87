//===- Schedule.cpp - programs in a chosen order --------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// One thread runs all programs and may switch before every access of memory.
// Some programs are resident at a time, as on a GPU; when all of these wait for
// others, more are let in. The order follows from the schedule and the seed
// alone.
//
//===----------------------------------------------------------------------===//

#include "Run.h"
#include "llvm/Support/FormatVariadic.h"
#include <random>

using namespace mlir;
using namespace tilec::interpreter;

namespace {
/// The programs that are under way, and who goes on.
class Scheduler {
public:
  Scheduler(Run &run, Memory &memory, uint64_t *executed, Schedule schedule,
            uint64_t seed);

  /// Runs until no program is left or a fault ends the run.
  void run(Fault &fault);

private:
  bool admit();
  bool isWaiting(const Task &task) const {
    return task.waitedAt == memory.changes;
  }
  bool isSpinning(const Task &task) const;
  bool areSpinning() const;
  bool switches();
  uint64_t random(uint64_t n) { return engine() % n; }
  size_t choose();
  bool step(Task &task);
  uint64_t programAt(uint64_t position) const;

  Run &shared;
  Memory &memory;
  uint64_t *executed;
  Schedule schedule;
  std::mt19937_64 engine; // the same everywhere, unlike distributions
  uint64_t switchOdds =
      1;                 // a random schedule switches once in so many accesses
  uint64_t capacity = 1; // of residents, before any has to wait
  uint64_t started = 0;  // programs
  std::vector<uint32_t> order; // of the programs, if it is random
  std::vector<std::unique_ptr<Task>> residents, spares;
  size_t current = 0;
};
} // namespace

/// Programs that are interleaved at a time, unless they wait for more.
static constexpr uint64_t kResidents = 24;

/// Iterations of a waiting loop before others have a turn: the last of them was
/// begun and ended since the one before the first.
static constexpr unsigned kShortPatience = 2;

/// Grids up to this are started in a random order of all programs.
static constexpr uint64_t kMostShuffled = uint64_t(1) << 22;

Scheduler::Scheduler(Run &run, Memory &memory, uint64_t *executed,
                     Schedule schedule, uint64_t seed)
    : shared(run), memory(memory), executed(executed), schedule(schedule),
      engine(seed) {
  bool interleaves =
      schedule == Schedule::Random || schedule == Schedule::Parallel;
  if (interleaves)
    capacity = std::clamp<uint64_t>(
        kFrameRoom / 4 / std::max<uint64_t>(run.code.taskBytes(), 1), 1,
        kResidents);
  if (schedule != Schedule::Random)
    return;
  switchOdds = uint64_t(1) << random(5);
  if (run.programs > kMostShuffled)
    return;
  order.resize(run.programs);
  for (uint64_t i = 0; i < run.programs; ++i) {
    uint64_t other = random(i + 1);
    order[i] = order[other];
    order[other] = static_cast<uint32_t>(i);
  }
}

/// The program that is started as number `position`.
uint64_t Scheduler::programAt(uint64_t position) const {
  if (!order.empty())
    return order[position];
  return schedule == Schedule::Reverse ? shared.programs - 1 - position
                                       : position;
}

/// Starts one more program. False if there is none, or no room for it.
bool Scheduler::admit() {
  if (started == shared.programs ||
      residents.size() * shared.code.taskBytes() > kFrameRoom)
    return false;
  std::unique_ptr<Task> task;
  if (spares.empty()) {
    task = makeTask(shared, memory, executed);
  } else {
    task = std::move(spares.back());
    spares.pop_back();
  }
  if (!task)
    return false;
  startProgram(shared, *task, programAt(started++));
  task->state.patience = kShortPatience;
  residents.push_back(std::move(task));
  return true;
}

/// Has a program gone round its loops for long since anything departed?
bool Scheduler::isSpinning(const Task &task) const {
  return task.state.rounds >= roundsOf(residents.size()) &&
         task.state.roundsAt == shared.launch.departures;
}

/// Do all residents do so?
bool Scheduler::areSpinning() const {
  return isSpinning(*residents[current]) &&
         llvm::all_of(residents,
                      [&](const auto &task) { return isSpinning(*task); });
}

/// Does another program go on after an access?
bool Scheduler::switches() {
  return schedule == Schedule::Parallel ||
         (schedule == Schedule::Random && random(switchOdds) == 0);
}

/// The resident that goes on: from a place that the schedule chooses, the first
/// that has something to do. The number of residents if none has.
size_t Scheduler::choose() {
  size_t n = residents.size();
  size_t from = schedule == Schedule::Random ? random(n) : current + 1;
  for (size_t i = 0; i < n; ++i)
    if (size_t at = (from + i) % n; !isWaiting(*residents[at]))
      return at;
  return n;
}

/// Runs a program to its next access. False if it must not go on at once.
bool Scheduler::step(Task &task) {
  State &state = task.state;
  switch (shared.code.runToAccess(state, shared.code.instructions.size())) {
  case Step::Next:
    return !switches();
  case Step::Yield:
    // A whole iteration in which nothing changed anywhere: it waits.
    if (state.idleTurns >= kShortPatience && task.yieldedAt == memory.changes)
      task.waitedAt = memory.changes;
    task.yieldedAt = memory.changes;
    return false;
  case Step::Fault:
    return false;
  }
  return false;
}

void Scheduler::run(Fault &fault) {
  size_t end = shared.code.instructions.size();
  while (true) {
    while (residents.size() < capacity && admit())
      ;
    if (residents.empty())
      return;
    size_t next = choose();
    if (next == residents.size()) {
      if (admit())
        continue;
      describeDeadlock(shared, residents);
      fault = std::move(residents.front()->state.fault);
      return;
    }
    current = next;
    Task &task = *residents[current];
    bool goesOn = true;
    while (goesOn && task.state.position != end && !task.state.fault.op)
      goesOn = step(task);
    if (task.state.fault.op) {
      fault = std::move(task.state.fault);
      return;
    }
    if (task.state.position == end) {
      memory.finish(task.state);
      ++memory.changes; // others may have waited for room
      ++shared.launch.departures;
      spares.push_back(std::move(residents[current]));
      residents.erase(residents.begin() + current);
      current = current ? current - 1 : 0;
    } else if (areSpinning()) {
      // More and more are let in, who might help.
      size_t before = residents.size(), more = before;
      while (more && admit())
        --more;
      if (more < before)
        continue;
      describeDeadlock(shared, residents, roundsOf(residents.size()));
      fault = std::move(residents.front()->state.fault);
      return;
    } else if (capacity == 1) {
      // One after another, but one that waits lets a new one begin.
      admit();
    }
  }
}

void tilec::interpreter::runInterleaved(Run &run, Memory &memory,
                                        uint64_t *executed, Schedule schedule,
                                        uint64_t seed, Fault &fault) {
  Scheduler(run, memory, executed, schedule, seed).run(fault);
}
