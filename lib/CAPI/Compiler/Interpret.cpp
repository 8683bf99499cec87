//===- Interpret.cpp - the C interface of the compiler: the interpreter ---===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Arguments by their names, checked as a launch checks them; the run, and what
// it counted.
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "tilec/Driver/Compile.h"
#include "tilec/Driver/KernelArguments.h"
#include "tilec/Interpreter/Interpreter.h"
#include "tilec/KernelInfo/Constants.h"
#include "tilec/Report/TrafficReport.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace mlir;
using namespace tilec;
using namespace tilec::capi;

struct tilec_report {
  interpreter::Traffic traffic;
  std::vector<tilec_traffic> arguments;
  std::string json;
};

namespace {

/// A stream of LLVM's that ends in a function of the user.
class PrintStream : public llvm::raw_ostream {
public:
  explicit PrintStream(const tilec_interpret_options &options)
      : llvm::raw_ostream(/*unbuffered=*/true), options(options) {}

private:
  void write_impl(const char *text, size_t size) override {
    options.print(text, size, options.user);
    position += size;
  }
  uint64_t current_pos() const override { return position; }

  const tilec_interpret_options &options;
  uint64_t position = 0;
};

} // namespace

/// One argument of the kernel by what the user gives.
static Status bindArgument(func::FuncOp kernel, unsigned index,
                           llvm::ArrayRef<tilec_host_argument> given,
                           interpreter::Argument &out) {
  out.name = argumentName(kernel, index);
  std::string where =
      "argument '" + out.name + "' of kernel '" + kernel.getName().str() + "'";
  std::optional<ParamType> type = argumentType(kernel, index);
  const auto *found = llvm::find_if(given, [&](const tilec_host_argument &one) {
    return out.name == one.name;
  });
  if (!type)
    return Error{where + " has a type that cannot be given",
                 ErrorKind::Mismatch};
  if (found == given.end())
    return Error{where + " is missing", ErrorKind::Mismatch};
  std::optional<ParamType> own = toParamType(found->type);
  if (!own || own->isPointer != type->isPointer ||
      own->element != type->element)
    return Error{where + " has type " + (own ? own->str() : "?") +
                     ", expected " + type->str(),
                 ErrorKind::Mismatch};
  if (found->data == nullptr && found->bytes)
    return Error{where + " has bytes but no memory", ErrorKind::Mismatch};
  if (found->flags & ~uint64_t(TILEC_HOST_READ_ONLY))
    return Error{where + " has unknown flags", ErrorKind::Unsupported};
  out.isBuffer = type->isPointer;
  out.data = found->data;
  out.bytes = found->bytes;
  if (out.isBuffer) {
    out.address = reinterpret_cast<uintptr_t>(found->data);
    unsigned size = byteSize(type->element);
    if (*out.address % size)
      return Error{where + " is misaligned: " + valueText(*type, *out.address) +
                       " is not a multiple of " + std::to_string(size) +
                       ", the size of its elements",
                   ErrorKind::Mismatch};
  }
  out.isInitialized = !found->unwritten;
  if (found->rank && found->shape)
    out.shape.assign(found->shape, found->shape + found->rank);
  if (auto text = kernel.getArgAttrOfType<StringAttr>(index, tile::kTypeAttr))
    out.isConst = text.getValue().starts_with("*k");
  out.bits = found->bits;
  return {};
}

/// An argument that is no parameter: a value of the code.
static Status checkFolded(func::FuncOp kernel,
                          const tilec_host_argument &given) {
  std::string name = kernel.getName().str();
  std::optional<NamedConstant> constant = findConstant(kernel, given.name);
  std::optional<ParamType> type = toParamType(given.type);
  if (!constant)
    return Error{"kernel '" + name + "' has no argument '" + given.name + "'",
                 ErrorKind::Mismatch};
  if (!type)
    return Error{"argument '" + constant->name + "' has the type " +
                     std::to_string(given.type) +
                     ", which is none of tilec_type",
                 ErrorKind::Mismatch};
  return checkConstant(*constant, name, *type,
                       type->isPointer ? reinterpret_cast<uintptr_t>(given.data)
                                       : given.bits);
}

/// All arguments of the kernel.
static Status bindArguments(func::FuncOp kernel,
                            llvm::ArrayRef<tilec_host_argument> given,
                            std::vector<interpreter::Argument> &out) {
  out.resize(kernel.getNumArguments());
  for (unsigned i = 0; i < out.size(); ++i)
    if (Status status = bindArgument(kernel, i, given, out[i]); !status)
      return status;
  for (size_t i = 0; i < given.size(); ++i) {
    std::string name = given[i].name;
    for (size_t j = 0; j < i; ++j)
      if (name == given[j].name)
        return Error{"argument '" + name + "' is given twice",
                     ErrorKind::Mismatch};
    if (llvm::any_of(out, [&](const interpreter::Argument &argument) {
          return argument.name == name;
        }))
      continue;
    if (Status status = checkFolded(kernel, given[i]); !status)
      return status;
  }
  return {};
}

namespace {

/// Copies of the memory that a kernel must not write, to run on.
class ReadOnlyCopies {
public:
  ReadOnlyCopies(llvm::ArrayRef<tilec_host_argument> given,
                 std::vector<interpreter::Argument> &bound) {
    for (const tilec_host_argument &one : given)
      for (interpreter::Argument &argument : bound)
        if ((one.flags & TILEC_HOST_READ_ONLY) && argument.isBuffer &&
            argument.name == one.name) {
          const char *data = static_cast<const char *>(one.data);
          copies.push_back({&one, {data, data + one.bytes}});
          argument.data = copies.back().bytes.data();
        }
  }

  /// The name of the first that differs from its original, or null.
  const char *findWritten() const {
    for (const Copy &copy : copies)
      if (!copy.bytes.empty() &&
          std::memcmp(copy.bytes.data(), copy.from->data, copy.bytes.size()))
        return copy.from->name;
    return nullptr;
  }

private:
  struct Copy {
    const tilec_host_argument *from;
    std::vector<char> bytes;
  };
  std::vector<Copy> copies; // the bytes stay where they are when it grows
};

} // namespace

/// The module's IR as the interpreter takes it; null after a report.
static ModuleOp simplify(tilec_module &module) {
  if (!module.simplified) {
    OwningOpRef<ModuleOp> copy = module.module->clone();
    PassManager passes(&*module.context);
    buildTilePipeline(passes);
    if (failed(passes.run(*copy)))
      return nullptr;
    module.simplified = std::move(copy);
  }
  return *module.simplified;
}

/// What a run counted, as the handle.
static std::unique_ptr<tilec_report> makeReport(func::FuncOp kernel,
                                                std::array<int64_t, 3> grid,
                                                interpreter::Traffic traffic) {
  auto report = std::make_unique<tilec_report>();
  report->traffic = std::move(traffic);
  report->json = trafficJson(kernel.getName(), grid, report->traffic);
  for (const interpreter::ArgumentTraffic &one : report->traffic.arguments)
    report->arguments.push_back(
        {one.name.c_str(), one.elementsRead, one.elementsWritten, one.bytesRead,
         one.bytesWritten, one.distinctBytesRead, one.distinctBytesWritten});
  return report;
}

tilec_status tilec_module_interpret(tilec_module *module,
                                    const char *kernelName,
                                    const tilec_host_argument *arguments,
                                    size_t numArguments, const int64_t grid[3],
                                    const tilec_interpret_options *options,
                                    tilec_report **report,
                                    const tilec_sink *sink) {
  return guarded(sink, [&](const Reporter &reporter) {
    if (report)
      *report = nullptr;
    if (tilec_status status =
            reporter.need({{"module", module}, {"grid", grid}}))
      return status;
    if (numArguments && !arguments)
      return reporter.need({{"arguments", arguments}});
    llvm::ArrayRef<tilec_host_argument> given(arguments, numArguments);
    if (llvm::any_of(given, [](const auto &one) { return !one.name; }))
      return reporter.misuse("an argument for the interpreter has no name");
    std::lock_guard<std::mutex> lock(module->mutex);
    DiagnosticSink diagnostics(*module->context, reporter);
    if (options &&
        unsigned(options->schedule) > unsigned(TILEC_SCHEDULE_PARALLEL))
      return reporter.misuse("the schedule is none of tilec_schedule");
    // Checks read the kernel as it was written.
    ModuleOp code =
        options && options->check ? *module->module : simplify(*module);
    if (!code)
      return TILEC_FAILURE;
    Result<func::FuncOp> kernel =
        findKernel(code, kernelName ? kernelName : "", module->file);
    if (!kernel)
      return reporter.fail(kernel.takeError());
    std::vector<interpreter::Argument> bound;
    if (Status status = bindArguments(*kernel, given, bound); !status)
      return reporter.fail(status.takeError());
    ReadOnlyCopies readOnly(given, bound);
    static const tilec_interpret_options none = {};
    PrintStream stream(options ? *options : none);
    interpreter::RunOptions run;
    run.meter = options && options->meter;
    run.check = options && options->check;
    run.output = options && options->print ? &stream : nullptr;
    if (options) {
      run.checkNan = options->check_nan;
      run.schedule = static_cast<interpreter::Schedule>(options->schedule);
      run.seed = options->seed;
    }
    std::array<int64_t, 3> size = {grid[0], grid[1], grid[2]};
    interpreter::Traffic traffic;
    std::vector<interpreter::Finding> findings;
    if (!llvm::is_contained(size, 0) &&
        failed(interpreter::run(*kernel, bound, size, run, &traffic,
                                run.check ? &findings : nullptr)))
      return TILEC_FAILURE;
    llvm::for_each(findings, interpreter::emitFinding);
    if (!findings.empty())
      return TILEC_FAILURE;
    if (const char *name = readOnly.findWritten())
      return reporter.fail(Error{"kernel '" + kernel->getName().str() +
                                 "' wrote argument '" + name +
                                 "', which is read-only"});
    if (report)
      *report = makeReport(*kernel, size, std::move(traffic)).release();
    return TILEC_OK;
  });
}

void tilec_report_free(tilec_report *report) { delete report; }

uint64_t tilec_report_programs(const tilec_report *report) {
  return report ? report->traffic.programs : 0;
}

size_t tilec_report_num_arguments(const tilec_report *report) {
  return report ? report->arguments.size() : 0;
}

const tilec_traffic *tilec_report_argument(const tilec_report *report,
                                           size_t index) {
  if (!report || index >= report->arguments.size())
    return nullptr;
  return &report->arguments[index];
}

uint64_t tilec_report_flops(const tilec_report *report, const char *kind) {
  uint64_t sum = 0;
  if (report)
    for (const auto &[name, count] : report->traffic.flops)
      if (!kind || name == kind)
        sum += count;
  return sum;
}

const char *tilec_report_json(const tilec_report *report) {
  return report ? report->json.c_str() : "";
}
