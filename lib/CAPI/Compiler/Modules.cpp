//===- Modules.cpp - the C interface of the compiler: modules -------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Reading and compiling. No two modules that live share a context, so that they
// know nothing of each other.
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "tilec/Dialect/Tile/IR/Source.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "tilec/Driver/Compile.h"
#include "tilec/Driver/DiagnosticPrinter.h"

using namespace mlir;
using namespace tilec;
using namespace tilec::capi;

//===-- Diagnostics ----------------------------------------------------------//

namespace {

/// A diagnostic as the C struct, with the strings and notes that it points to.
struct DiagnosticView {
  explicit DiagnosticView(Diagnostic &diagnostic) : message(diagnostic.str()) {
    FileLineColLoc place = tile::findPlace(diagnostic.getLocation());
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
  DiagnosticSink diagnostics(*result->context, reporter);
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
    if (tilec_status status =
            reporter.need({{"text", text}, {"file", file}, {"module", module}}))
      return status;
    return makeModule(reporter, file, module, [&](tilec_module &result) {
      result.sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(
                                            llvm::StringRef(text, size), file),
                                        llvm::SMLoc());
      return parseModule(options ? options->frontend : FrontendOptions(),
                         result.sources, *result.context);
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
    if (tilec_status status =
            reporter.need({{"file", file}, {"module", module}}))
      return status;
    return makeModule(reporter, file, module, [&](tilec_module &result) {
      return loadModule(file, options ? options->frontend : FrontendOptions(),
                        result.sources, *result.context);
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
    if (tilec_status status =
            reporter.need({{"module", module}, {"text", text}}))
      return status;
    if (phase < TILEC_PHASE_TILE || phase > TILEC_PHASE_CUBIN)
      return reporter.misuse("the phase is none of tilec_phase");
    std::lock_guard<std::mutex> lock(module->mutex);
    DiagnosticSink diagnostics(*module->context, reporter);
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
    if (tilec_status status =
            reporter.need({{"module", module}, {"text", text}}))
      return status;
    if (format != TILEC_REPORT_TEXT && format != TILEC_REPORT_JSON)
      return reporter.misuse("the format is none of tilec_report_format");
    ReportRequest request;
    request.format = format == TILEC_REPORT_JSON ? ReportRequest::Format::Json
                                                 : ReportRequest::Format::Text;
    request.gpu = gpu ? gpu : "";
    std::lock_guard<std::mutex> lock(module->mutex);
    DiagnosticSink diagnostics(*module->context, reporter);
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
    if (tilec_status status =
            reporter.need({{"code", code}, {"metadata", metadata}}))
      return status;
    std::string_view bytes(code, size);
    Result<PtxMetadata> parsed =
        isCubin(bytes) ? parseCubinMetadata(bytes) : parsePtxMetadata(bytes);
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
