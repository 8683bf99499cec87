//===- Worker.cpp - one thread of a run -----------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A thread runs one program after another. A program that waits for others lets
// the next begin, so that those find each other on however few threads.
//
//===----------------------------------------------------------------------===//

#include "Worker.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace mlir;
using namespace tilec::interpreter;

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

void Progress::advance() {
  std::lock_guard lock(mutex);
  ++count;
  waiting = 0;
  changed.notify_all();
}

void Progress::look() {
  if (spinningAt != departures)
    spinning = 0;
  if ((waiting > 0 && waiting == active) ||
      (spinning > 0 && spinning >= active))
    isDeadlock = true;
  if (isDeadlock)
    changed.notify_all();
}

bool Progress::wait(uint64_t seen) {
  std::unique_lock lock(mutex);
  if (count != seen)
    return true;
  ++waiting;
  look();
  changed.wait(lock, [&] { return count != seen || isDeadlock; });
  return !isDeadlock;
}

void Progress::spin(uint64_t at) {
  std::lock_guard lock(mutex);
  if (spinningAt != at)
    spinning = 0;
  spinningAt = at;
  ++spinning;
  look();
}

void Progress::leave() {
  std::lock_guard lock(mutex);
  --active;
  look();
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

std::unique_ptr<Task> tilec::interpreter::makeTask(const Run &run,
                                                   Memory &memory,
                                                   uint64_t *executed) {
  auto task = std::make_unique<Task>();
  // Zeroed, so that a run never depends on what was there.
  task->allocation.reset(
      static_cast<char *>(std::calloc(run.code.taskBytes() + 64, 1)));
  if (!task->allocation)
    return nullptr;
  State &state = task->state;
  state.frame = reinterpret_cast<char *>(
      llvm::alignTo(reinterpret_cast<uintptr_t>(task->allocation.get()), 64));
  for (const auto &[offset, constant] : run.code.constants)
    std::memcpy(state.frame + offset, constant.data(), constant.size());
  for (auto [view, bits] : llvm::zip(run.code.arguments, run.arguments))
    std::memcpy(state.frame + view.offset, &bits, sizeOf(view.kind));
  state.mirror = run.code.hasMirror ? run.code.frameBytes : 0;
  state.launch = &run.launch;
  state.memory = &memory;
  state.executed = executed;
  return task;
}

void tilec::interpreter::startProgram(const Run &run, Task &task,
                                      uint64_t program) {
  auto [x, y, z] = run.launch.grid;
  State &state = task.state;
  state.position = 0;
  state.turns = state.idleTurns = 0;
  state.rounds = 0;
  state.number = program;
  state.program = {static_cast<int64_t>(program % x),
                   static_cast<int64_t>(program / x % y),
                   static_cast<int64_t>(program / x / y)};
  state.wrapped = nullptr;
  if (state.isMarked)
    std::memset(state.marks(), 0, run.code.frameBytes);
  state.isMarked = false;
  task.waitedAt = task.yieldedAt = ~uint64_t(0);
}

bool Worker::prepare() {
  if (run.meters) {
    executed.resize(run.code.instructions.size());
    meter.emplace(memory, run.layouts);
    memory.addObserver(&*meter);
  }
  spare = newTask();
  return spare != nullptr;
}

/// The next program of the grid, ready to run; null if there is none, or no
/// room.
std::unique_ptr<Task> Worker::start() {
  if (!hasRoom())
    return nullptr;
  std::unique_ptr<Task> task = spare ? std::move(spare) : newTask();
  if (!task)
    return nullptr;
  uint64_t program = run.next++;
  if (program >= run.programs || program > run.failed) {
    run.next = run.programs; // do not count on for ever
    spare = std::move(task);
    return nullptr;
  }
  startProgram(run, *task, program);
  return task;
}

/// A new program and a waiting one in turn, as long as there are both. Null if
/// there is none, or all programs wait for each other.
std::unique_ptr<Task> Worker::choose() {
  std::unique_ptr<Task> task;
  if (startsNext || waiting.empty())
    task = start();
  startsNext = false;
  if (task || waiting.empty())
    return task;
  // All have run since anything changed: only a new program can help them, or
  // one of another thread.
  if (idleRuns > 2 * waiting.size()) {
    task = start();
    if (task || !run.progress.wait(seen))
      return task;
    idleRuns = 0;
  }
  task = std::move(waiting.front());
  waiting.pop_front();
  startsNext = true;
  return task;
}

/// Have all programs of this thread gone round their loops for long, with none
/// left to begin? It asks once for each number of departures.
bool Worker::isSpinning(uint64_t departures) const {
  uint64_t most = roundsOf(waiting.size());
  bool starts = run.next < run.programs && hasRoom();
  return spunAt != departures && waiting.back()->state.rounds >= most &&
         !starts && llvm::all_of(waiting, [&](const auto &task) {
           return task->state.rounds >= most &&
                  task->state.roundsAt == departures;
         });
}

/// Runs a program until it ends, yields, or fails: then false.
bool Worker::runTask(std::unique_ptr<Task> task) {
  uint64_t changes = memory.changes, before = run.progress.get();
  switch (run.code.run(task->state, run.code.instructions.size())) {
  case Step::Next:
    idleRuns = 0;
    ++run.launch.departures;
    if (run.code.mayWait)
      run.progress.advance();
    spare = std::move(task);
    return true;
  case Step::Yield: {
    bool isIdle =
        task->state.idleTurns >= kPatience && memory.changes == changes;
    if (memory.changes != changes)
      run.progress.advance();
    idleRuns = isIdle ? (before == seen ? idleRuns + 1 : 1) : 0;
    seen = before;
    waiting.push_back(std::move(task));
    if (uint64_t departures = run.launch.departures; isSpinning(departures)) {
      spunAt = departures;
      run.progress.spin(departures);
    }
    return !run.progress.isOver();
  }
  case Step::Fault:
    break;
  }
  faultProgram = task->state.number;
  fault = std::move(task->state.fault);
  uint64_t lowest = run.failed;
  while (faultProgram < lowest &&
         !run.failed.compare_exchange_weak(lowest, faultProgram)) {
  }
  return false;
}

void tilec::interpreter::describeDeadlock(
    const Run &run, MutableArrayRef<std::unique_ptr<Task>> waiting,
    uint64_t rounds) {
  constexpr size_t kMostNotes = 8;
  auto opOf = [&](const Task &task) {
    return run.code.instructions[task.state.position].op;
  };
  llvm::sort(waiting, [](const auto &a, const auto &b) {
    return a->state.number < b->state.number;
  });
  State &first = waiting.front()->state;
  bool isOne = waiting.size() == 1;
  if (rounds)
    first.fail(opOf(*waiting.front()),
               "deadlock: " + Twine(waiting.size()) +
                   (isOne ? " program goes" : " programs go") +
                   " round and none has left its loop in the last " +
                   Twine(rounds) + " iterations" + (isOne ? "" : " of each"),
               "deadlock");
  else
    first.fail(opOf(*waiting.front()),
               "deadlock: " + Twine(waiting.size()) +
                   (isOne ? " program waits" : " programs wait") +
                   " for what none of them does",
               "deadlock");
  for (const auto &task : waiting.drop_front()) {
    first.fault.others.push_back({opOf(*task), task->state.program});
    if (first.fault.notes.size() >= kMostNotes)
      continue;
    auto [x, y, z] = task->state.program;
    first.note(opOf(*task)->getLoc(), "program (" + Twine(x) + ", " + Twine(y) +
                                          ", " + Twine(z) + ") waits here");
  }
}

void Worker::work() {
  while (std::unique_ptr<Task> task = choose())
    if (!runTask(std::move(task)))
      break;
  run.progress.leave();
}

void Worker::workInterleaved(Schedule schedule, const RunOptions &options) {
  if (run.launch.collector) {
    memoryChecker.emplace(memory);
    races.emplace(memory, run.tracked);
    memory.addObserver(&*memoryChecker);
    memory.addObserver(&*races);
  }
  if (!options.watched.empty()) {
    watcher.emplace(memory, options.watched);
    memory.addObserver(&*watcher);
  }
  runInterleaved(run, memory, counters(), schedule, options.seed, fault);
  faultProgram = 0;
}
