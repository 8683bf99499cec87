//===- Compile.cpp - from a file to the text of a phase -------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The way of a compilation, in the order of the phases: read, front end,
// passes, text, and only then the output.
//
//===----------------------------------------------------------------------===//

#include "tilec/Driver/Compile.h"
#include "OutputFile.h"
#include "mlir/Parser/Parser.h"
#include "tilec/Analysis/Traps.h"
#include "tilec/Dialect/Tile/IR/Tile.h"
#include "tilec/Driver/DiagnosticPrinter.h"
#include "tilec/Frontend/SourceFile.h"
#include "tilec/Runtime/Device.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace tilec;

//===-- Input ----------------------------------------------------------------//

/// How deep brackets may nest in IR: MLIR's parser calls itself for each.
static constexpr unsigned maxNesting = 1000;

/// The place of the first bracket that nests too deeply, from the head of
/// `text`.
static std::optional<size_t> findDeepBracket(StringRef text) {
  unsigned depth = 0;
  for (auto [index, byte] : llvm::enumerate(text)) {
    if (StringRef("([{<").contains(byte)) {
      if (++depth > maxNesting)
        return index;
    } else if (StringRef(")]}>").contains(byte) && depth > 0) {
      --depth;
    }
  }
  return std::nullopt;
}

/// The main buffer as IR of any phase.
static OwningOpRef<ModuleOp> parseIR(llvm::SourceMgr &sources,
                                     MLIRContext &context) {
  DialectRegistry registry;
  registerDialects(registry);
  context.appendDialectRegistry(registry);
  const llvm::MemoryBuffer *buffer =
      sources.getMemoryBuffer(sources.getMainFileID());
  StringRef text = buffer->getBuffer();
  if (std::optional<size_t> deep = findDeepBracket(text)) {
    StringRef before = text.take_front(*deep);
    unsigned column = *deep - (before.rfind('\n') + 1) + 1;
    mlir::emitError(FileLineColLoc::get(&context, buffer->getBufferIdentifier(),
                                        before.count('\n') + 1, column))
        << "brackets nest deeper than " << maxNesting;
    return nullptr;
  }
  return parseSourceFile<ModuleOp>(sources, &context);
}

/// Has the module a kernel of some phase?
static bool hasKernel(ModuleOp module) {
  if (findPhase(module) != Phase::Tile)
    return true;
  return llvm::any_of(module.getOps<func::FuncOp>(), [](func::FuncOp function) {
    return function->hasAttr(tile::kKernelAttr);
  });
}

OwningOpRef<ModuleOp> tilec::parseModule(const FrontendOptions &options,
                                         llvm::SourceMgr &sources,
                                         MLIRContext &context) {
  StringRef file =
      sources.getMemoryBuffer(sources.getMainFileID())->getBufferIdentifier();
  bool isIR = file.ends_with(".mlir");
  OwningOpRef<ModuleOp> module = isIR ? parseIR(sources, context)
                                      : parseKernels(sources, options, context);
  if (module && !hasKernel(*module)) {
    mlir::emitError(FileLineColLoc::get(&context, file, 0, 0))
        << "no kernel in the file";
    return nullptr;
  }
  if (module && !isIR && failed(warnOfTraps(*module, options.warnings)))
    return nullptr;
  return module;
}

OwningOpRef<ModuleOp> tilec::loadModule(const std::string &file,
                                        const FrontendOptions &options,
                                        llvm::SourceMgr &sources,
                                        MLIRContext &context) {
  std::string why;
  std::unique_ptr<llvm::MemoryBuffer> buffer = readSource(file, why);
  if (!buffer) {
    mlir::emitError(FileLineColLoc::get(&context, file, 0, 0))
        << "cannot read the file: " << why;
    return nullptr;
  }
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  return parseModule(options, sources, context);
}

/// Why --arch native fails. The reason keeps its fact; what to do is another
/// thing here than for one who wants to run.
static Error nativeArchError(llvm::StringRef reason) {
  return Error{("cannot tell the native architecture: " +
                reason.take_front(reason.rfind("; ")) + "; pass --arch sm_NN")
                   .str()};
}

Result<std::string> tilec::resolveArch(const std::string &name) {
  std::string arch = name;
  if (name == "native") {
    Result<std::shared_ptr<Cuda>> cuda = Cuda::load();
    if (!cuda)
      return nativeArchError(cuda.error());
    Result<std::vector<DeviceInfo>> devices = (*cuda)->listDevices();
    if (!devices)
      return nativeArchError(devices.error());
    if (devices->empty())
      return nativeArchError("this machine has no GPU");
    arch = devices->front().nativeArch();
  }
  if (isKnownArch(arch))
    return arch;
  return Error{"unknown architecture '" + arch + "', use one of " +
               listKnownArchs()};
}

//===-- Output ---------------------------------------------------------------//

/// Where the text goes when the user does not say.
static std::string defaultOutput(const CompileOptions &options) {
  if (options.phase < Phase::PTX || options.file == "-")
    return "-";
  return (llvm::sys::path::stem(options.file) +
          (options.phase == Phase::PTX ? ".ptx" : ".cubin"))
      .str();
}

/// A rule for `make` that the output depends on all files that were read.
static std::string getDependencies(StringRef output,
                                   const llvm::SourceMgr &sources) {
  std::string text;
  auto add = [&](StringRef name, StringRef before) {
    text += before;
    for (char c : name) {
      if (c == ' ' || c == '#' || c == '\\')
        text += '\\';
      if (c == '$')
        text += '$';
      text += c;
    }
  };
  add(output, "");
  text += ':';
  for (unsigned i = 1; i <= sources.getNumBuffers(); ++i)
    add(sources.getMemoryBuffer(i)->getBufferIdentifier(), " \\\n  ");
  return text + "\n";
}

/// Is the file one of those that were read?
static bool isSource(StringRef file, const llvm::SourceMgr &sources) {
  for (unsigned i = 1; i <= sources.getNumBuffers(); ++i)
    if (llvm::sys::fs::equivalent(
            sources.getMemoryBuffer(i)->getBufferIdentifier(), file))
      return true;
  return false;
}

/// Refuses outputs that would replace a source or each other.
static Status checkOutputs(const CompileOptions &options,
                           const std::string &output,
                           const llvm::SourceMgr &sources) {
  const std::string &report = options.report.file, &depfile = options.depfile;
  if (isSource(output, sources))
    return Error{"the output is the source: name another file with -o"};
  if (!report.empty() && (isSource(report, sources) || report == output))
    return Error{"the report would replace the source or the output: name "
                 "another file with --report-file"};
  if (!depfile.empty() &&
      (isSource(depfile, sources) || depfile == output || depfile == report))
    return Error{"the list of files would replace the source or another "
                 "output: name another file with --depfile"};
  return {};
}

/// Writes the report to its file, or beside the output.
static Status writeReport(const CompileOptions &options, StringRef output,
                          const std::string &report, llvm::raw_ostream &err) {
  std::string file = options.report.file;
  if (!file.empty())
    return writeOutput(file, report);
  if (output != "-")
    return writeOutput("-", report);
  err << report;
  return {};
}

int tilec::compileFile(const CompileOptions &options, llvm::raw_ostream &err) {
  auto fail = [&](const std::string &text) {
    err << "tilec: error: " << text << '\n';
    return 1;
  };
  DefaultTimingManager timings;
  timings.setEnabled(options.timePasses);
  timings.setDisplayMode(DefaultTimingManager::DisplayMode::Tree);
  TimingScope timing = timings.getRootScope();

  CodegenOptions codegen = options.codegen;
  Result<std::string> arch = resolveArch(codegen.arch);
  if (!arch)
    return fail("option '--arch': " + arch.error());
  codegen.arch = *arch;

  MLIRContext context(MLIRContext::Threading::DISABLED);
  llvm::SourceMgr sources;
  DiagnosticPrinter printer(context, sources, options.file, err);
  FrontendOptions frontend = options.frontend;
  frontend.arch = codegen.arch;
  TimingScope timed = timing.nest("Front end");
  OwningOpRef<ModuleOp> module =
      loadModule(options.file, frontend, sources, context);
  timed.stop();
  if (!module)
    return 1;
  std::string output =
      options.output.empty() ? defaultOutput(options) : options.output;
  Status status = checkOutputs(options, output, sources);
  Warnings warnings(frontend.warnings);
  if (status)
    status = checkAssumptions(*module, options.assumptions, warnings);
  if (!status)
    return fail(status.error());
  if (warnings.hasErrors())
    return 1;
  std::string text, report;
  if (failed(compileReported(*module, codegen, options.phase, options.report,
                             text, report, &timing)))
    return 1;
  status = writeOutput(output, text);
  if (status && !options.depfile.empty())
    status = writeOutput(options.depfile, getDependencies(output, sources));
  if (status && options.report.format != ReportRequest::Format::None)
    status = writeReport(options, output, report, err);
  return status ? 0 : fail(status.error());
}
