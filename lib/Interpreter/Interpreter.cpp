//===- Interpreter.cpp - runs tile IR on the CPU --------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The table of operations, and the run over the grid: on all cores, unless an
// operation of the kernel needs the programs in order.
//
//===----------------------------------------------------------------------===//

#include "tilec/Interpreter/Interpreter.h"
#include "Checks/Collector.h"
#include "Checks/Fillers.h"
#include "Operations/Kernels.h"
#include "Worker.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"
#include <map>
#include <thread>

using namespace mlir;
using namespace tilec;
using namespace tilec::interpreter;

BuildFn tilec::interpreter::findBuilder(StringRef name) {
  static const llvm::StringMap<BuildFn> table = [] {
    llvm::StringMap<BuildFn> table;
    for (ArrayRef<BuilderEntry> entries :
         {atomicBuilders(), controlBuilders(), matmulBuilders(),
          memoryBuilders(), reduceBuilders(), shapeBuilders()})
      for (const BuilderEntry &entry : entries)
        table[entry.name] = entry.build;
    return table;
  }();
  if (BuildFn builder = table.lookup(name))
    return builder;
  return findKernels(name) ? buildElementwise : nullptr;
}

/// Does one thread run all programs, switching between them?
static bool interleaves(const RunOptions &options) {
  return options.check || !options.watched.empty() || options.trace ||
         options.schedule == Schedule::Random ||
         options.schedule == Schedule::Reverse;
}

/// How many threads to run on.
static uint64_t threadCount(const Run &run, const RunOptions &options) {
  if (run.code.isOrdered || interleaves(options) ||
      options.schedule == Schedule::Sequential)
    return 1;
  // All frames together shall not fill the memory.
  uint64_t room = kFrameRoom / std::max<uint64_t>(run.code.taskBytes(), 1);
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

/// The loops of the code by their lines, with their iterations. Calls build a
/// loop of a helper several times.
static std::vector<LoopCount>
countLoops(const Code &code, ArrayRef<std::unique_ptr<Worker>> workers) {
  std::map<std::pair<unsigned, unsigned>, LoopCount> loops;
  for (auto [position, instruction] : llvm::enumerate(code.instructions)) {
    if (instruction.loop == Instruction::Loop::None)
      continue;
    auto place = lineOf(instruction.op->getLoc());
    LoopCount &count = loops[place];
    count.line = place.first;
    for (const auto &worker : workers)
      (instruction.loop == Instruction::Loop::Run ? count.runs
                                                  : count.iterations) +=
          worker->executed[position];
  }
  std::vector<LoopCount> result;
  for (const auto &[place, count] : loops)
    if (count.runs)
      result.push_back(count);
  return result;
}

/// Adds up what the workers counted.
static void collectTraffic(const Run &run,
                           ArrayRef<std::unique_ptr<Worker>> workers,
                           Traffic &traffic) {
  Meter &total = *workers.front()->meter;
  for (const auto &worker : workers.drop_front())
    total.add(*worker->meter);
  traffic.arguments = total.result();
  traffic.lines = total.lines();
  traffic.loops = countLoops(run.code, workers);
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

/// Makes a fault of programs that wait for ever, if a run has left any. Who
/// waits for a program that failed has no fault of its own.
static void findDeadlock(const Run &run,
                         ArrayRef<std::unique_ptr<Worker>> workers) {
  std::vector<std::unique_ptr<Task>> tasks;
  for (const auto &worker : workers)
    std::move(worker->waiting.begin(), worker->waiting.end(),
              std::back_inserter(tasks));
  if (tasks.empty() || run.failed != ~uint64_t(0))
    return;
  describeDeadlock(run, tasks,
                   run.progress.areSpinning() ? roundsOf(tasks.size()) : 0);
  Worker &first = *workers.front();
  first.faultProgram = tasks.front()->state.number;
  first.fault = std::move(tasks.front()->state.fault);
}

/// Runs the programs on the workers.
static void runWorkers(Run &run, ArrayRef<std::unique_ptr<Worker>> workers,
                       const RunOptions &options) {
  if (interleaves(options)) {
    Schedule schedule = options.schedule;
    if (options.check && schedule == Schedule::Default)
      schedule = Schedule::Random;
    return workers.front()->workInterleaved(schedule, options);
  }
  run.progress.start(workers.size());
  run.frameRoom = kFrameRoom / workers.size();
  std::vector<std::thread> threads;
  for (const auto &worker : llvm::drop_begin(workers))
    threads.emplace_back([&worker] { worker->work(); });
  workers.front()->work();
  for (std::thread &thread : threads)
    thread.join();
  findDeadlock(run, workers);
}

/// Says what a checking run found, to whoever asked or as errors.
static LogicalResult tell(Collector &collector, Fault *fault,
                          std::vector<Finding> *findings) {
  if (fault)
    collector.addFault(*fault).endsRun = true;
  std::vector<Finding> found = collector.take();
  if (findings) {
    *findings = std::move(found);
    return success();
  }
  llvm::for_each(found, emitFinding);
  return success(found.empty());
}

/// Checks the hints of the signature: `:16` says that the value, or the address
/// where the caller chose it, is a multiple.
static void checkArgumentHints(func::FuncOp kernel,
                               ArrayRef<Argument> arguments,
                               Collector &collector) {
  // All are at the kernel: one finding, with the others in notes.
  Fault fault;
  fault.op = kernel;
  fault.kind = "hint";
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    auto divisor =
        kernel.getArgAttrOfType<IntegerAttr>(i, tile::kDivisibilityAttr);
    if (!divisor || divisor.getInt() <= 0)
      continue;
    uint64_t value =
        argument.isBuffer ? argument.address.value_or(0) : argument.bits;
    if (value % divisor.getInt() == 0)
      continue;
    std::string text =
        ("the signature says that " +
         Twine(argument.isBuffer ? "the address of '" : "'") + argument.name +
         "' is a multiple of " + Twine(divisor.getInt()) + ", got " +
         (argument.isBuffer ? "0x" + llvm::utohexstr(value, true)
                            : std::to_string(value)))
            .str();
    if (fault.message.empty())
      fault.message = std::move(text);
    else
      fault.notes.emplace_back(kernel.getLoc(), std::move(text));
  }
  if (!fault.message.empty())
    collector.addFault(fault);
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
  std::optional<Fillers> fillers;
  if (options.check)
    fillers.emplace(kernel);
  if (failed(
          buildFunction(kernel, code, checks, fillers ? &*fillers : nullptr)))
    return failure();
  Run run(code);
  run.launch.check = options.check;
  run.launch.output = options.output;
  run.meters = options.meter && traffic;
  run.layouts = options.layouts;
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
    collectTraffic(run, workers, *traffic);
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
