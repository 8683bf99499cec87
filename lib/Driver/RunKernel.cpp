//===- RunKernel.cpp - runs a kernel on either engine ---------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The way of a run: values, source, tile IR; then the interpreter, or code
// generation and the GPU; then files and reports.
//
//===----------------------------------------------------------------------===//

#include "tilec/Driver/RunKernel.h"

#include "AccessLayouts.h"
#include "BlockOccupancy.h"
#include "CountWork.h"
#include "RunDevice.h"

#include "tilec/Dialect/Tile/IR/Tile.h"
#include "tilec/Driver/Compile.h"
#include "tilec/Driver/DiagnosticPrinter.h"
#include "tilec/Driver/KernelArguments.h"
#include "tilec/Interpreter/Interpreter.h"
#include "tilec/KernelInfo/Npy.h"
#include "tilec/Report/FaultReport.h"
#include "tilec/Report/TrafficReport.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/WithColor.h"

using namespace tilec;
using namespace mlir;

void tilec::printError(llvm::raw_ostream &err, llvm::StringRef text) {
  llvm::WithColor::error(err, "tile-run") << text << '\n';
}

namespace {

/// One run of the tool. The steps return false after they have reported.
class Run {
public:
  Run(const RunOptions &options, llvm::raw_ostream &out, llvm::raw_ostream &err)
      : options(options), out(out), err(err),
        context(MLIRContext::Threading::DISABLED),
        printer(context, sources, options.file, err) {}

  bool run();

private:
  bool fail(const std::string &text) {
    printError(err, text);
    return false;
  }
  bool report(Status status) { return status ? true : fail(status.error()); }
  bool isFile(llvm::StringRef suffix) const {
    return llvm::StringRef(options.file).ends_with(suffix);
  }
  /// Is the file the compiler's output, for a GPU alone?
  bool isCompiled() const { return isFile(".ptx") || isFile(".cubin"); }

  bool readValues();
  bool makeModule();
  bool selectKernel();
  bool interpret();
  bool bindArguments(std::vector<interpreter::Argument> &arguments);
  bool bindArgument(unsigned index, interpreter::Argument &argument);
  bool bindWatches(std::vector<interpreter::WatchedElement> &watched);
  bool checkNames();
  bool count(Work &work);
  bool runOnGpu();
  bool save();
  bool compare();
  void tellSuccess();
  std::vector<Assumption> assumptions() const;
  CodegenOptions codegenOptions() const;
  FrontendOptions frontendOptions() const;
  ArgumentValue *findValue(llvm::StringRef name) {
    return tilec::findValue(values, name);
  }

  /// The architecture that a GPU decided; empty on the interpreter.
  std::string arch;
  const RunOptions &options;
  llvm::raw_ostream &out, &err;
  std::vector<ArgumentValue> values, expectations;
  llvm::SourceMgr sources;
  MLIRContext context;
  DiagnosticPrinter printer;
  OwningOpRef<ModuleOp> module;
  func::FuncOp kernel;
  std::vector<interpreter::Finding> findings;
};

} // namespace

//===-- Input ----------------------------------------------------------------//

bool Run::readValues() {
  for (const std::string &text : options.arguments) {
    Result<ArgumentValue> value = parseArgument(text);
    if (!value)
      return fail(value.error());
    if (findValue(value->name))
      return fail("argument '" + value->name + "' is given twice");
    values.push_back(std::move(*value));
  }
  for (const SaveRequest &save : options.saves) {
    ArgumentValue *value = findValue(save.name);
    if (!value || !value->array())
      return fail("cannot save '" + save.name +
                  "': it is not an argument with an array");
  }
  for (const std::string &text : options.expectations) {
    Result<ArgumentValue> want = parseArgument(text);
    if (!want)
      return fail(want.error());
    ArgumentValue *value = findValue(want->name);
    if (!value || !value->array() || !want->array())
      return fail("cannot expect '" + text +
                  "': both sides must be arrays, the left an argument");
    expectations.push_back(std::move(*want));
  }
  return true;
}

/// What a JIT would compile in of a value: `:1`, `:16` or nothing.
static std::string specialization(const ArgumentValue &value) {
  if (value.array())
    return ":16"; // arrays are allocated so on both engines
  const Number *number = value.number();
  if (number->kind != Number::Kind::Int)
    return "";
  if (number->magnitude == 1 && !number->isNegative)
    return ":1";
  return number->magnitude % 16 == 0 ? ":16" : "";
}

FrontendOptions Run::frontendOptions() const {
  FrontendOptions result;
  if (!options.kernel.empty() || !options.signature.empty())
    result.kernels.push_back({options.kernel, options.signature});
  result.defines = options.defines;
  result.includeDirs = options.includeDirs;
  result.warnings = options.warnings;
  if (!arch.empty())
    result.arch = arch;
  for (const ArgumentValue &value : values) {
    if (value.isNone()) {
      result.defines.emplace_back(value.name, "None");
      continue;
    }
    ParamType type;
    const HostArray *array = value.array();
    type.isPointer = array;
    type.element = array ? array->type : value.number()->naturalType();
    result.argumentTypes.emplace_back(
        value.name,
        type.str() + (options.specialize ? specialization(value) : ""));
  }
  return result;
}

/// What the user says of sizes; with it counts the grid of this run.
std::vector<Assumption> Run::assumptions() const {
  std::vector<Assumption> result = options.assumptions;
  for (int axis = 0; axis < 3 && !options.assumptions.empty(); ++axis) {
    std::string name = "pid" + std::to_string(axis);
    if (llvm::none_of(options.assumptions, [&](const Assumption &assumption) {
          return assumption.name == name;
        }))
      result.push_back({name, 0, std::max<int64_t>(options.grid[axis] - 1, 0)});
  }
  return result;
}

bool Run::makeModule() {
  module = loadModule(options.file, frontendOptions(), sources, context);
  Warnings warnings(options.warnings);
  if (!module || !report(checkAssumptions(*module, assumptions(), warnings)) ||
      warnings.hasErrors())
    return false;
  // Checks and traces read the kernel as it was written: simplified, a load
  // that is not used or an overflow that folds away would be missed.
  if (options.check != RunOptions::Report::None || options.traces)
    return true;
  PassManager passes(&context);
  passes.enableVerifier(options.verifyEach);
  buildTilePipeline(passes);
  return succeeded(passes.run(*module));
}

bool Run::selectKernel() {
  Result<func::FuncOp> found =
      findKernel(*module, options.kernel, options.file);
  if (!found)
    return fail(found.error());
  kernel = *found;
  addDescriptorValues(kernel, values);
  return true;
}

//===-- Interpreter ----------------------------------------------------------//

bool Run::bindArgument(unsigned index, interpreter::Argument &argument) {
  argument.name = argumentName(kernel, index);
  std::optional<ParamType> type = argumentType(kernel, index);
  ArgumentValue *value = findValue(argument.name);
  if (!type)
    return fail("argument '" + argument.name + "' of kernel '" +
                kernel.getName().str() + "' has a type that cannot be given");
  if (!value)
    return fail("argument '" + argument.name + "' of kernel '" +
                kernel.getName().str() + "' has no value, add " +
                argument.name + (type->isPointer ? "=@FILE.npy" : "=NUMBER"));
  Result<uint64_t> bits = matchArgument(*value, *type);
  if (!bits)
    return fail(bits.error());
  argument.isBuffer = type->isPointer;
  argument.isConst = type->isConst;
  argument.bits = *bits;
  if (HostArray *array = value->array()) {
    argument.data = array->bytes.data();
    argument.bytes = array->bytes.size();
    argument.shape = array->shape;
    argument.isInitialized = !value->isUnwritten;
  }
  return true;
}

bool Run::checkNames() {
  std::string names;
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    names += (i ? ", " : "") + argumentName(kernel, i);
  for (const ArgumentValue &value : values) {
    bool known = value.isNone();
    for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
      known |= argumentName(kernel, i) == value.name;
    if (known)
      continue;
    std::optional<NamedConstant> constant = findConstant(kernel, value.name);
    if (!constant)
      return fail("kernel '" + kernel.getName().str() + "' has no argument '" +
                  value.name + "', it has " + (names.empty() ? "none" : names));
    if (Status status = checkConstant(*constant, kernel.getName().str(), value);
        !status)
      return fail(status.error());
  }
  return true;
}

bool Run::bindArguments(std::vector<interpreter::Argument> &arguments) {
  if (!checkNames())
    return false;
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
    arguments.emplace_back();
    if (!bindArgument(i, arguments.back()))
      return false;
  }
  return true;
}

/// The interpreter's name of a schedule.
static interpreter::Schedule scheduleOf(RunOptions::Schedule schedule) {
  switch (schedule) {
  case RunOptions::Schedule::Default:
    return interpreter::Schedule::Default;
  case RunOptions::Schedule::Sequential:
    return interpreter::Schedule::Sequential;
  case RunOptions::Schedule::Reverse:
    return interpreter::Schedule::Reverse;
  case RunOptions::Schedule::Random:
    return interpreter::Schedule::Random;
  case RunOptions::Schedule::Parallel:
    return interpreter::Schedule::Parallel;
  }
  return interpreter::Schedule::Default;
}

bool Run::bindWatches(std::vector<interpreter::WatchedElement> &watched) {
  for (const RunOptions::Watch &watch : options.watched) {
    const ArgumentValue *value = findValue(watch.argument);
    const HostArray *array = value ? value->array() : nullptr;
    if (!array)
      return fail("cannot watch '" + watch.argument +
                  "': it is not an argument with an array");
    // One number counts the elements of an array of any shape.
    std::vector<int64_t> shape = array->shape;
    if (watch.index.size() == 1)
      shape = {static_cast<int64_t>(array->numElements())};
    if (shape.size() != watch.index.size())
      return fail("cannot watch '" + watch.argument + "': it has " +
                  std::to_string(shape.size()) +
                  (shape.size() == 1 ? " axis, got " : " axes, got ") +
                  std::to_string(watch.index.size()) + " numbers");
    int64_t number = 0;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (watch.index[axis] >= shape[axis])
        return fail("cannot watch '" + watch.argument + "': index " +
                    std::to_string(watch.index[axis]) + " is beyond its " +
                    std::to_string(shape[axis]) + " elements");
      number = number * shape[axis] + watch.index[axis];
    }
    watched.push_back({watch.argument, number});
  }
  return true;
}

/// What the code would be compiled for that the meter speaks of.
CodegenOptions Run::codegenOptions() const {
  CodegenOptions codegen;
  codegen.numWarps = options.numWarps;
  codegen.numStages = options.numStages;
  if (!options.arch.empty()) {
    codegen.arch = options.arch;
  } else if (options.gpuModel) {
    std::string arch = "sm_" + std::to_string(options.gpuModel->capability);
    for (const std::string &name : {arch + "a", arch})
      if (isKnownArch(name)) {
        codegen.arch = name;
        break;
      }
  }
  return codegen;
}

bool Run::interpret() {
  std::vector<interpreter::Argument> arguments;
  if (!bindArguments(arguments))
    return false;
  interpreter::RunOptions runOptions;
  runOptions.meter = options.meter != RunOptions::Report::None;
  runOptions.check = options.check != RunOptions::Report::None;
  runOptions.output = &out;
  runOptions.checkNan = options.checkNan;
  runOptions.schedule = scheduleOf(options.schedule);
  runOptions.seed = options.seed;
  if (options.traces)
    runOptions.trace = interpreter::Trace{options.traced, options.breakLine};
  if (!bindWatches(runOptions.watched))
    return false;
  if (runOptions.meter)
    runOptions.layouts = findAccessLayouts(kernel, codegenOptions());
  interpreter::Traffic traffic;
  bool isEmpty = llvm::is_contained(options.grid, 0);
  if (!isEmpty &&
      failed(interpreter::run(kernel, arguments, options.grid, runOptions,
                              runOptions.meter ? &traffic : nullptr,
                              runOptions.check ? &findings : nullptr)))
    return false;
  if (options.check == RunOptions::Report::Json)
    out << faultsJson(findings);
  else
    llvm::for_each(findings, interpreter::emitFinding);
  if (options.meter != RunOptions::Report::None) {
    auto describe =
        options.meter == RunOptions::Report::Json ? trafficJson : trafficTable;
    out << describe(kernel.getName(), options.grid, traffic, options.gpuModel,
                    findWorkTypes(*module));
  }
  return true;
}

//===-- GPU ------------------------------------------------------------------//

bool Run::count(Work &work) {
  // On copies: the run on the GPU starts from the values that were given.
  std::vector<HostArray> copies;
  std::vector<interpreter::Argument> arguments;
  if (!bindArguments(arguments))
    return false;
  for (interpreter::Argument &argument : arguments) {
    if (!argument.isBuffer)
      continue;
    Result<HostArray> copy = findValue(argument.name)->array()->clone();
    if (!copy)
      return fail(copy.error());
    argument.data = copy->bytes.data();
    copies.push_back(std::move(*copy));
  }
  return llvm::is_contained(options.grid, 0) ||
         succeeded(countWork(kernel, arguments, options.grid, work));
}

bool Run::runOnGpu() {
  // The device first: it decides the architecture, and without one nothing
  // else matters.
  Result<std::shared_ptr<Device>> device = openDevice(options);
  if (!device)
    return fail(device.error());
  std::string ptx, times;
  Work work;
  RunOptions chosen = options;
  if (isCompiled()) {
    Result<std::string> text = readTextFile(options.file);
    if (!text)
      return fail(text.error());
    ptx = std::move(*text);
  } else {
    Result<std::string> found = resolveArch(
        options.arch.empty() ? (*device)->info().nativeArch() : options.arch);
    if (!found)
      return fail(found.error());
    arch = *found;
    if (!makeModule() || !selectKernel() || !checkNames())
      return false;
    chosen.kernel = kernel.getName().str();
    if (options.showsLimits && !count(work))
      return false;
    CodegenOptions codegen;
    codegen.arch = arch;
    codegen.numWarps = options.numWarps;
    codegen.numStages = options.numStages;
    codegen.verifyEach = options.verifyEach;
    if (failed(compile(*module, codegen, Phase::PTX, ptx)))
      return false;
  }
  if (!report(runOnDevice(*device, ptx, chosen, values, work, times)))
    return false;
  out << times;
  return true;
}

//===-- The whole ------------------------------------------------------------//

bool Run::save() {
  for (const SaveRequest &save : options.saves)
    if (!report(writeNpy(save.path, *findValue(save.name)->array())))
      return false;
  return true;
}

bool Run::compare() {
  bool agrees = true;
  for (ArgumentValue &want : expectations) {
    const HostArray &got = *findValue(want.name)->array();
    Status status = compareArrays(got, *want.array(), options.tolerance);
    if (!status)
      agrees = fail("'" + want.name +
                    "' is not what --expect says: " + status.error());
  }
  return agrees;
}

/// A line for whoever looks at a terminal.
void Run::tellSuccess() {
  int64_t programs = options.grid[0] * options.grid[1] * options.grid[2];
  err << "tile-run: '" << kernel.getName() << "' ran " << programs
      << (programs == 1 ? " program" : " programs")
      << (options.check != RunOptions::Report::None
              ? ", the checks found nothing\n"
              : "; --check looks for faults\n");
}

bool Run::run() {
  bool onGpu = options.device == RunOptions::Device::CUDA;
  if (!onGpu && isCompiled())
    return fail("the interpreter does not run " +
                std::string(isFile(".ptx") ? "PTX" : "a cubin") +
                ", add --device cuda");
  if (!readValues())
    return false;
  if (onGpu)
    return runOnGpu() && save() && compare();
  bool isDone = makeModule() && selectKernel() && interpret();
  // What was found does not make the arrays of a complete run worthless.
  bool isComplete =
      isDone &&
      llvm::none_of(findings, [](const interpreter::Finding &finding) {
        return finding.endsRun;
      });
  if (!isComplete || !save() || !compare() || !findings.empty())
    return false;
  if (err.is_displayed())
    tellSuccess();
  return true;
}

int tilec::runKernel(const RunOptions &options, llvm::raw_ostream &out,
                     llvm::raw_ostream &err) {
  err.enable_colors(err.has_colors()); // not in files and pipes
  if (options.occupancy) {
    out << describeOccupancy(*options.gpuModel, *options.occupancy);
    return 0;
  }
  return Run(options, out, err).run() ? 0 : 1;
}
