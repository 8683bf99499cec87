//===- Modules.cpp - the C interface of the compiler: modules -------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Reading, compiling and interpreting. A module has a context of its own, so
// that modules know nothing of each other.
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "tilec/Driver/Compile.h"
#include "tilec/Driver/DiagnosticPrinter.h"
#include "tilec/Driver/KernelArguments.h"
#include "tilec/Interpreter/Interpreter.h"
#include "tilec/Report/TrafficReport.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::capi;

//===-- Diagnostics ----------------------------------------------------------//

namespace {

/// A diagnostic as the C struct, with the strings and notes that it points to.
struct DiagnosticView {
  explicit DiagnosticView(Diagnostic &diagnostic) : message(diagnostic.str()) {
    FileLineColLoc place = findPlace(diagnostic.getLocation());
    if (place)
      file = place.getFilename().str();
    for (Diagnostic &note : diagnostic.getNotes())
      notes.emplace_back(note);
    for (const DiagnosticView &note : notes)
      list.push_back(note.view);
    view.severity = static_cast<tilec_severity>(diagnostic.getSeverity());
    view.file = file.c_str();
    view.line = place ? place.getLine() : 0;
    view.column = place && place.getLine() ? place.getColumn() : 0;
    view.message = message.c_str();
    view.num_notes = list.size();
    view.notes = list.data();
  }
  DiagnosticView(const DiagnosticView &) = delete;

  std::string file, message;
  std::deque<DiagnosticView> notes;
  std::vector<tilec_diagnostic> list;
  tilec_diagnostic view = {};
};

} // namespace

static_assert(int(DiagnosticSeverity::Note) == TILEC_NOTE &&
              int(DiagnosticSeverity::Warning) == TILEC_WARNING &&
              int(DiagnosticSeverity::Error) == TILEC_ERROR &&
              int(DiagnosticSeverity::Remark) == TILEC_REMARK);

DiagnosticSink::DiagnosticSink(MLIRContext &context, const Reporter &reporter)
    : ScopedDiagnosticHandler(&context) {
  context.printOpOnDiagnostic(false);
  setHandler([reporter](Diagnostic &diagnostic) {
    reporter.report(DiagnosticView(diagnostic).view);
  });
}

//===-- Text -----------------------------------------------------------------//

const char *tilec_text_data(const tilec_text *text) {
  return text ? text->text.c_str() : "";
}
size_t tilec_text_size(const tilec_text *text) {
  return text ? text->text.size() : 0;
}
void tilec_text_free(tilec_text *text) { delete text; }

//===-- Reading --------------------------------------------------------------//

/// Finishes a module whose IR `load` makes.
template <typename Load>
static tilec_status makeModule(const Reporter &reporter, const char *file,
                               tilec_module **out, Load load) {
  auto result = std::make_unique<tilec_module>();
  result->file = file;
  DiagnosticSink diagnostics(result->context, reporter);
  result->module = load(*result);
  if (!result->module)
    return TILEC_FAILURE;
  for (func::FuncOp function : result->module->getOps<func::FuncOp>())
    if (function->hasAttr(tile::kKernelAttr))
      result->kernels.push_back(function.getName().str());
  *out = result.release();
  return TILEC_OK;
}

tilec_status tilec_module_from_text(const char *text, size_t size,
                                    const char *file,
                                    const tilec_options *options,
                                    tilec_module **module,
                                    const tilec_sink *sink) {
  return guarded(sink, [&](const Reporter &reporter) {
    if (module)
      *module = nullptr;
    if (!text || !file || !module)
      return reporter.misuse(nullText);
    return makeModule(reporter, file, module, [&](tilec_module &result) {
      result.sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(
                                            llvm::StringRef(text, size), file),
                                        llvm::SMLoc());
      return parseModule(options ? options->frontend : FrontendOptions(),
                         result.sources, result.context);
    });
  });
}

tilec_status tilec_module_from_file(const char *file,
                                    const tilec_options *options,
                                    tilec_module **module,
                                    const tilec_sink *sink) {
  return guarded(sink, [&](const Reporter &reporter) {
    if (module)
      *module = nullptr;
    if (!file || !module)
      return reporter.misuse(nullText);
    return makeModule(reporter, file, module, [&](tilec_module &result) {
      return loadModule(file, options ? options->frontend : FrontendOptions(),
                        result.sources, result.context);
    });
  });
}

void tilec_module_free(tilec_module *module) { delete module; }

size_t tilec_module_num_kernels(const tilec_module *module) {
  return module ? module->kernels.size() : 0;
}

const char *tilec_module_kernel(const tilec_module *module, size_t index) {
  if (!module || index >= module->kernels.size())
    return nullptr;
  return module->kernels[index].c_str();
}

//===-- Compiling ------------------------------------------------------------//

tilec_status tilec_module_emit(tilec_module *module,
                               const tilec_options *options, tilec_phase phase,
                               tilec_text **text, const tilec_sink *sink) {
  static_assert(int(Phase::Tile) == TILEC_PHASE_TILE &&
                int(Phase::Cubin) == TILEC_PHASE_CUBIN);
  return guarded(sink, [&](const Reporter &reporter) {
    if (text)
      *text = nullptr;
    if (!module || !text)
      return reporter.misuse(nullText);
    if (phase < TILEC_PHASE_TILE || phase > TILEC_PHASE_CUBIN)
      return reporter.misuse("the phase is none of tilec_phase");
    std::lock_guard<std::mutex> lock(module->mutex);
    DiagnosticSink diagnostics(module->context, reporter);
    OwningOpRef<ModuleOp> copy = module->module->clone();
    auto result = std::make_unique<tilec_text>();
    if (failed(compile(*copy, options ? options->codegen : CodegenOptions(),
                       static_cast<Phase>(phase), result->text)))
      return TILEC_FAILURE;
    *text = result.release();
    return TILEC_OK;
  });
}

tilec_status tilec_module_report(tilec_module *module,
                                 const tilec_options *options, const char *gpu,
                                 tilec_report_format format, tilec_text **text,
                                 const tilec_sink *sink) {
  return guarded(sink, [&](const Reporter &reporter) {
    if (text)
      *text = nullptr;
    if (!module || !text)
      return reporter.misuse(nullText);
    if (format != TILEC_REPORT_TEXT && format != TILEC_REPORT_JSON)
      return reporter.misuse("the format is none of tilec_report_format");
    ReportRequest request;
    request.format = format == TILEC_REPORT_JSON ? ReportRequest::Format::Json
                                                 : ReportRequest::Format::Text;
    request.gpu = gpu ? gpu : "";
    std::lock_guard<std::mutex> lock(module->mutex);
    DiagnosticSink diagnostics(module->context, reporter);
    OwningOpRef<ModuleOp> copy = module->module->clone();
    auto result = std::make_unique<tilec_text>();
    std::string code;
    if (failed(compileReported(*copy,
                               options ? options->codegen : CodegenOptions(),
                               Phase::PTX, request, code, result->text)))
      return TILEC_FAILURE;
    *text = result.release();
    return TILEC_OK;
  });
}

//===-- Interpreting ---------------------------------------------------------//

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
  out.isBuffer = type->isPointer;
  out.data = found->data;
  out.bytes = found->bytes;
  out.isInitialized = !found->unwritten;
  if (found->rank && found->shape)
    out.shape.assign(found->shape, found->shape + found->rank);
  if (auto text = kernel.getArgAttrOfType<StringAttr>(index, tile::kTypeAttr))
    out.isConst = text.getValue().starts_with("*k");
  out.bits = found->bits;
  return {};
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
    bool known = isConstantOf(kernel, name);
    for (const interpreter::Argument &argument : out)
      known |= argument.name == name;
    if (!known)
      return Error{"kernel '" + kernel.getName().str() + "' has no argument '" +
                       name + "'",
                   ErrorKind::Mismatch};
  }
  return {};
}

/// The module's IR as the interpreter takes it; null after a report.
static ModuleOp simplify(tilec_module &module) {
  if (!module.simplified) {
    OwningOpRef<ModuleOp> copy = module.module->clone();
    PassManager passes(&module.context);
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
    if (!module || !grid || (numArguments && !arguments))
      return reporter.misuse(nullText);
    llvm::ArrayRef<tilec_host_argument> given(arguments, numArguments);
    if (llvm::any_of(given, [](const auto &one) { return !one.name; }))
      return reporter.misuse("an argument for the interpreter has no name");
    std::lock_guard<std::mutex> lock(module->mutex);
    DiagnosticSink diagnostics(module->context, reporter);
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

//===-- Kernel information ---------------------------------------------------//

struct tilec_metadata {
  PtxMetadata metadata;
  KernelViews entries;
};

tilec_status tilec_metadata_parse(const char *code, size_t size,
                                  tilec_metadata **metadata,
                                  const tilec_sink *sink) {
  return guarded(sink, [&](const Reporter &reporter) {
    if (metadata)
      *metadata = nullptr;
    if (!code || !metadata)
      return reporter.misuse(nullText);
    std::string_view bytes(code, size);
    Result<PtxMetadata> parsed = bytes.substr(0, 4) == "\177ELF"
                                     ? parseCubinMetadata(bytes)
                                     : parsePtxMetadata(bytes);
    if (!parsed)
      return reporter.fail(parsed.takeError());
    auto result = std::make_unique<tilec_metadata>();
    result->metadata = std::move(*parsed);
    for (const KernelInfo &info : result->metadata.kernels)
      result->entries.emplace_back(info);
    *metadata = result.release();
    return TILEC_OK;
  });
}

void tilec_metadata_free(tilec_metadata *metadata) { delete metadata; }

const char *tilec_metadata_arch(const tilec_metadata *metadata) {
  return metadata ? metadata->metadata.arch.c_str() : "";
}

const char *tilec_metadata_compiler(const tilec_metadata *metadata) {
  return metadata ? metadata->metadata.compiler.c_str() : "";
}

size_t tilec_metadata_num_entries(const tilec_metadata *metadata) {
  return metadata ? metadata->entries.size() : 0;
}

const tilec_kernel_info *tilec_metadata_entry(const tilec_metadata *metadata,
                                              size_t index) {
  if (!metadata || index >= metadata->entries.size())
    return nullptr;
  return metadata->entries[index].get();
}
