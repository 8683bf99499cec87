//===- CompileReported.cpp - a compilation with its report ----------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Chooses the GPU that the report measures by, and asks an assembler for what
// only it knows.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/Architecture.h"
#include "tilec/Driver/Compile.h"
#include "tilec/Report/KernelReport.h"

using namespace mlir;
using namespace tilec;

/// The GPU that the user names, or the usual one that runs the code. Null if
/// the table has none; an error if the named one does not run it.
static Result<const Gpu *> chooseGpu(const std::string &name,
                                     const Architecture &arch) {
  if (name.empty())
    return findGpuOfCapability(arch.capability);
  Result<const Gpu *> gpu = findGpu(name);
  if (!gpu)
    return gpu;
  unsigned capability = (*gpu)->capability;
  bool isExact = arch.name.ends_with("a");
  if (capability < arch.capability ||
      (isExact && capability != arch.capability))
    return Error{"code for " + arch.name.str() + " does not run on " + name +
                 " (sm_" + std::to_string(capability) +
                 "): name another GPU or architecture"};
  return gpu;
}

/// What the assembler says, for the entries of the report; IR of a late phase
/// has told of none yet.
static void setResources(ModuleReport &report, const Assembly &assembly) {
  report.assembler = assembly.assembler;
  for (const EntryResources &resources : assembly.entries) {
    KernelReport *kernel = report.find(resources.entry);
    if (!kernel) {
      kernel = &report.kernels.emplace_back();
      kernel->entry = resources.entry;
    }
    kernel->resources = resources;
  }
}

/// Asks an assembler about PTX, which the driver of the GPU would assemble for
/// the GPU's own architecture.
static void measure(const std::string &ptx, const Architecture &arch,
                    const AssemblerOptions &assembler, ModuleReport &report) {
  std::string target = arch.name.str();
  if (report.gpu && report.gpu->capability > arch.capability)
    target = "sm_" + std::to_string(report.gpu->capability);
  Result<Assembly> assembly = assemble(ptx, target, assembler);
  if (assembly)
    setResources(report, *assembly);
  else
    report.noResources = assembly.error();
}

LogicalResult tilec::compileReported(ModuleOp module,
                                     const CodegenOptions &options, Phase phase,
                                     const ReportRequest &request,
                                     std::string &text, std::string &report,
                                     TimingScope *timing) {
  if (request.format == ReportRequest::Format::None)
    return compile(module, options, phase, text, timing);
  CodegenOptions watched = options;
  ReportBuilder builder(*module.getContext());
  std::optional<Assembly> assembly;
  watched.observe = [&](Phase reached, ModuleOp ir) {
    builder.observe(reached, ir);
  };
  watched.observeAssembly = [&](const Assembly &made) { assembly = made; };
  FailureOr<const Architecture *> arch = findTarget(module, options);
  if (failed(arch))
    return failure();
  Result<const Gpu *> gpu = chooseGpu(request.gpu, **arch);
  if (!gpu)
    return mlir::emitError(getFile(module)) << gpu.error();
  std::string code;
  if (failed(compile(module, watched, phase, code, timing)))
    return failure();
  ModuleReport seen = builder.take();
  seen.arch = (*arch)->name.str();
  seen.gpu = *gpu;
  if (assembly)
    setResources(seen, *assembly);
  else if (phase == Phase::PTX)
    measure(code, **arch, options.assembler, seen);
  else
    seen.noResources = "compile to ptx or cubin to know";
  report += request.format == ReportRequest::Format::Json ? reportJson(seen)
                                                          : reportText(seen);
  text += code;
  return success();
}
