//===- Interpreter.cpp - runs tile IR on the CPU --------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The table of operations, and the run over the grid: on all cores, unless an
// operation of the kernel needs the programs in order.
//
//===----------------------------------------------------------------------===//

#include "tilec/Interpreter/Interpreter.h"
#include "Checks.h"
#include "Collector.h"
#include "Kernels.h"
#include "MemoryChecks.h"
#include "Meter.h"
#include "Races.h"
#include "Run.h"
#include "Watch.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>
#include <deque>
#include <map>
#include <thread>

using namespace mlir;
using namespace tilec;
using namespace tilec::interpreter;

BuildFn tilec::interpreter::findBuilder(StringRef name) {
  static const llvm::StringMap<BuildFn> table = [] {
    llvm::StringMap<BuildFn> table;
    for (ArrayRef<BuilderEntry> entries :
         {controlBuilders(), matmulBuilders(), memoryBuilders(),
          reduceBuilders(), shapeBuilders()})
      for (const BuilderEntry &entry : entries)
        table[entry.name] = entry.build;
    return table;
  }();
  if (BuildFn builder = table.lookup(name))
    return builder;
  return findKernels(name) ? buildElementwise : nullptr;
}

//===----------------------------------------------------------------------===//
// Workers
//===----------------------------------------------------------------------===//

namespace {
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

private:
  std::unique_ptr<Task> start();
  std::unique_ptr<Task> choose();
  bool runTask(std::unique_ptr<Task> task);

  Run &run;
  Memory memory;
  std::unique_ptr<Task> spare; // for the next program
  std::deque<std::unique_ptr<Task>>
      waiting;            // programs that yielded, oldest first
  bool startsNext = true; // or a waiting program goes on
  uint64_t idleRuns = 0;  // runs in a row that changed nothing at all
};
} // namespace

std::unique_ptr<Task> tilec::interpreter::makeTask(const Run &run,
                                                   Memory &memory,
                                                   uint64_t *executed) {
  auto task = std::make_unique<Task>();
  // Zeroed, so that a run never depends on what was there.
  task->allocation.reset(
      static_cast<char *>(std::calloc(run.code.frameBytes + 64, 1)));
  if (!task->allocation)
    return nullptr;
  State &state = task->state;
  state.frame = reinterpret_cast<char *>(
      llvm::alignTo(reinterpret_cast<uintptr_t>(task->allocation.get()), 64));
  for (const auto &[offset, constant] : run.code.constants)
    std::memcpy(state.frame + offset, constant.data(), constant.size());
  for (auto [view, bits] : llvm::zip(run.code.arguments, run.arguments))
    std::memcpy(state.frame + view.offset, &bits, sizeOf(view.kind));
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
  state.number = program;
  state.program = {static_cast<int64_t>(program % x),
                   static_cast<int64_t>(program / x % y),
                   static_cast<int64_t>(program / x / y)};
  state.wrapped = nullptr;
  task.waitedAt = task.yieldedAt = ~uint64_t(0);
}

bool Worker::prepare() {
  if (run.meters) {
    executed.resize(run.code.instructions.size());
    meter.emplace(memory);
    memory.addObserver(&*meter);
  }
  spare = makeTask(run, memory, run.meters ? executed.data() : nullptr);
  return spare != nullptr;
}

/// The next program of the grid, ready to run; null if there is none, or no
/// room.
std::unique_ptr<Task> Worker::start() {
  if (waiting.size() * run.code.frameBytes > kFrameRoom)
    return nullptr;
  std::unique_ptr<Task> task =
      spare ? std::move(spare)
            : makeTask(run, memory, run.meters ? executed.data() : nullptr);
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

/// A new program and a waiting one in turn, as long as there are both.
std::unique_ptr<Task> Worker::choose() {
  std::unique_ptr<Task> task;
  if (startsNext || waiting.empty())
    task = start();
  if (!task && !waiting.empty()) {
    // All have run since anything changed: only a new program can help them.
    if (idleRuns > 2 * waiting.size())
      return start();
    task = std::move(waiting.front());
    waiting.pop_front();
    startsNext = true;
    return task;
  }
  startsNext = false;
  return task;
}

/// Runs a program until it ends, yields, or fails: then false.
bool Worker::runTask(std::unique_ptr<Task> task) {
  uint64_t changes = memory.changes;
  switch (run.code.run(task->state, run.code.instructions.size())) {
  case Step::Next:
    idleRuns = 0;
    spare = std::move(task);
    return true;
  case Step::Yield: {
    bool isIdle =
        task->state.idleTurns >= kPatience && memory.changes == changes;
    idleRuns = isIdle ? idleRuns + 1 : 0;
    waiting.push_back(std::move(task));
    return true;
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
    const Run &run, MutableArrayRef<std::unique_ptr<Task>> waiting) {
  constexpr size_t kMostNotes = 8;
  auto opOf = [&](const Task &task) {
    return run.code.instructions[task.state.position].op;
  };
  llvm::sort(waiting, [](const auto &a, const auto &b) {
    return a->state.number < b->state.number;
  });
  State &first = waiting.front()->state;
  first.fail(opOf(*waiting.front()),
             "deadlock: " + Twine(waiting.size()) +
                 (waiting.size() == 1 ? " program waits" : " programs wait") +
                 " for what none of them does",
             "deadlock");
  for (const auto &task : waiting.drop_front()) {
    if (first.fault.notes.size() == kMostNotes)
      break;
    auto [x, y, z] = task->state.program;
    first.note(opOf(*task)->getLoc(), "program (" + Twine(x) + ", " + Twine(y) +
                                          ", " + Twine(z) + ") waits here");
  }
}

void Worker::work() {
  while (std::unique_ptr<Task> task = choose())
    if (!runTask(std::move(task)))
      return;
  if (waiting.empty())
    return;
  std::vector<std::unique_ptr<Task>> tasks(
      std::make_move_iterator(waiting.begin()),
      std::make_move_iterator(waiting.end()));
  describeDeadlock(run, tasks);
  faultProgram = tasks.front()->state.number;
  fault = std::move(tasks.front()->state.fault);
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
  runInterleaved(run, memory, run.meters ? executed.data() : nullptr, schedule,
                 options.seed, fault);
  faultProgram = 0;
}

/// How many threads to run on.
static uint64_t threadCount(const Run &run, const RunOptions &options) {
  bool isParallel = options.schedule == Schedule::Default ||
                    options.schedule == Schedule::Parallel;
  if (run.code.isOrdered || options.check || !options.watched.empty() ||
      options.trace || !isParallel)
    return 1;
  // All frames together shall not fill the memory.
  uint64_t room =
      (uint64_t(4) << 30) / std::max<uint64_t>(run.code.frameBytes, 1);
  uint64_t cores = std::max(1u, std::thread::hardware_concurrency());
  return std::max<uint64_t>(1, std::min({cores, run.programs, room}));
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

/// Checks the arguments against the kernel and turns them into bits and
/// buffers.
static LogicalResult bindArguments(func::FuncOp kernel,
                                   ArrayRef<Argument> arguments, Run &run) {
  if (arguments.size() != kernel.getNumArguments())
    return emitError(kernel.getLoc(), "'")
           << kernel.getName() << "' takes " << kernel.getNumArguments()
           << " arguments, got " << arguments.size();
  std::vector<bool> written = findWrittenArguments(kernel);
  for (auto [argument, type, view, isWritten] : llvm::zip(
           arguments, kernel.getArgumentTypes(), run.code.arguments, written)) {
    bool isPointer = isa<tile::PtrType>(type);
    if (argument.isBuffer && !isPointer)
      return emitError(kernel.getLoc(), "argument '")
             << argument.name << "' is a " << type << ", got an array";
    if (!argument.isBuffer && isPointer && argument.bits != 0)
      return emitError(kernel.getLoc(), "argument '")
             << argument.name << "' is a pointer, got a number";
    if (argument.isBuffer)
      run.tracked.push_back(isWritten);
    if (argument.isBuffer)
      run.arguments.push_back(run.memory.addBuffer(argument));
    else
      run.arguments.push_back(view.kind == Kind::I1 ? argument.bits & 1
                                                    : argument.bits);
  }
  return success();
}

/// Sets the grid and the number of programs.
static LogicalResult bindGrid(func::FuncOp kernel, std::array<int64_t, 3> grid,
                              Run &run) {
  run.launch.grid = grid;
  run.programs = 1;
  for (int64_t size : grid) {
    if (size < 1 || size > INT32_MAX)
      return emitError(kernel.getLoc(),
                       "a grid needs sizes of 1 to 2147483647, got ")
             << size;
    run.programs = llvm::SaturatingMultiply<uint64_t>(run.programs, size);
  }
  return success();
}

/// Adds up what the workers counted.
static void collectTraffic(const Run &run,
                           ArrayRef<std::unique_ptr<Worker>> workers,
                           ArrayRef<Argument> arguments, Traffic &traffic) {
  Meter &total = *workers.front()->meter;
  for (const auto &worker : workers.drop_front())
    total.add(*worker->meter);
  traffic.arguments = total.result();
  traffic.lines = total.lines();
  traffic.programs = run.programs;
  std::map<std::string, uint64_t> flops;
  for (const auto &worker : workers)
    for (auto [instruction, times] :
         llvm::zip(run.code.instructions, worker->executed))
      for (const auto &[kind, count] : instruction.flops)
        if (uint64_t n = times * count)
          flops[kind] += n;
  traffic.flops.assign(flops.begin(), flops.end());
}

/// The fault of the lowest program that has one, or null.
static Fault *findFault(ArrayRef<std::unique_ptr<Worker>> workers) {
  Worker *first = nullptr;
  for (const auto &worker : workers)
    if (worker->fault.op &&
        (!first || worker->faultProgram < first->faultProgram))
      first = worker.get();
  return first ? &first->fault : nullptr;
}

/// Runs the programs on the workers.
static void runWorkers(Run &run, ArrayRef<std::unique_ptr<Worker>> workers,
                       const RunOptions &options) {
  Schedule schedule = options.schedule;
  if (options.check && schedule == Schedule::Default)
    schedule = Schedule::Random;
  if (options.check || !options.watched.empty() || options.trace ||
      schedule == Schedule::Random || schedule == Schedule::Reverse)
    return workers.front()->workInterleaved(schedule, options);
  std::vector<std::thread> threads;
  for (const auto &worker : llvm::drop_begin(workers))
    threads.emplace_back([&worker] { worker->work(); });
  workers.front()->work();
  for (std::thread &thread : threads)
    thread.join();
}

/// Says what a checking run found, to whoever asked or as errors.
static LogicalResult tell(Collector &collector, Fault *fault,
                          std::vector<Finding> *findings) {
  if (fault)
    collector.addFault(*fault);
  std::vector<Finding> found = collector.take();
  if (findings) {
    *findings = std::move(found);
    return success();
  }
  llvm::for_each(found, emitFinding);
  return success(found.empty());
}

/// Checks the hints of the signature: `:16` says that the value is a multiple.
static void checkArgumentHints(func::FuncOp kernel,
                               ArrayRef<Argument> arguments,
                               Collector &collector) {
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    auto divisor =
        kernel.getArgAttrOfType<IntegerAttr>(i, tile::kDivisibilityAttr);
    if (argument.isBuffer || !divisor || divisor.getInt() <= 0 ||
        argument.bits % divisor.getInt() == 0)
      continue;
    // One finding each, though all are at the kernel.
    Fault fault;
    fault.op = kernel;
    fault.kind = "hint";
    fault.message =
        ("the signature says that '" + argument.name + "' is a multiple of " +
         Twine(divisor.getInt()) + ", got " + Twine(argument.bits))
            .str();
    collector.addFault(fault);
  }
}

LogicalResult
tilec::interpreter::run(func::FuncOp kernel, ArrayRef<Argument> arguments,
                        std::array<int64_t, 3> grid, const RunOptions &options,
                        Traffic *traffic, std::vector<Finding> *findings) {
  Code code;
  Checks checks;
  checks.values = options.check;
  checks.nan = options.check && options.checkNan;
  checks.trace = options.trace;
  if (failed(buildFunction(kernel, code, checks)))
    return failure();
  Run run(code);
  run.launch.check = options.check;
  run.launch.output = options.output;
  run.meters = options.meter && traffic;
  Collector collector;
  if (options.check)
    run.launch.collector = &collector;
  if (failed(bindArguments(kernel, arguments, run)) ||
      failed(bindGrid(kernel, grid, run)))
    return failure();
  if (options.check)
    checkArgumentHints(kernel, arguments, collector);

  std::vector<std::unique_ptr<Worker>> workers;
  for (uint64_t i = 0, n = threadCount(run, options); i < n; ++i) {
    workers.push_back(std::make_unique<Worker>(run));
    if (workers.back()->prepare())
      continue;
    workers.pop_back();
    if (workers.empty())
      return emitError(kernel.getLoc(),
                       "no memory for the values of the kernel, ")
             << code.frameBytes << " bytes";
    break;
  }
  runWorkers(run, workers, options);
  if (run.meters)
    collectTraffic(run, workers, arguments, *traffic);
  Fault *fault = findFault(workers);
  if (options.check)
    return tell(collector, fault, findings);
  if (!fault)
    return success();
  InFlightDiagnostic error = emitError(fault->op->getLoc(), fault->message);
  for (const auto &[loc, note] : fault->notes)
    error.attachNote(loc) << note;
  return error;
}
