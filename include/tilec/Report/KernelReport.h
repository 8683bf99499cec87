//===- KernelReport.h - what became of a kernel -----------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// `tilec --report`: a watcher of a compilation, and what it saw as text for
// people and as JSON for machines (docs/Report.md).
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_REPORT_KERNELREPORT_H
#define TILEC_REPORT_KERNELREPORT_H

#include "tilec/Analysis/KernelWork.h"
#include "tilec/Pipelines/Pipelines.h"
#include "tilec/Report/Gpu.h"
#include "tilec/Report/RemarkCollector.h"

namespace tilec {

/// A place in a source; the line is 0 if it is not known.
struct ReportPlace {
  std::string file;
  unsigned line = 0;
};

/// A buffer in shared memory.
struct SharedBufferReport {
  ReportPlace place;
  std::string what; ///< "operand of a product", "scratch of a reduction", ...
  int64_t bytes = 0, offset = 0;
  int64_t stages = 1; ///< of a ring, which `bytes` has all of
};

/// An access to global memory; see GlobalAccessCost.
struct GlobalAccessReport {
  ReportPlace place;
  std::string op, argument, tile; ///< "load", "x_ptr" (or "?"), "128x64xbf16"
  bool isMasked = false;
  unsigned bytes = 0, instructions = 0, sectors = 0, idealSectors = 0;
  mlir::LocationAttr origin; ///< equal for copies that passes made
};

/// An access to shared memory; see SharedAccessCost.
struct SharedAccessReport {
  ReportPlace place;
  std::string op, what, instruction; ///< "load", "operand a", "ldmatrix"
  unsigned bytes = 0;
  uint64_t instructions = 0, wavefronts = 0, idealWavefronts = 0;
  mlir::LocationAttr origin; ///< equal for copies that passes made
};

/// A conversion between layouts that is left.
struct ConversionReport {
  ReportPlace place;
  std::string tile, kind; ///< "64x64xf32"; registers, select, shuffle, shared
  uint64_t bytes = 0;     ///< of shared memory that it goes through
  uint64_t wavefronts = 0, shuffles = 0; ///< of a warp
};

/// One entry of the output.
struct KernelReport {
  std::string entry;
  ReportPlace place;
  unsigned numWarps = 0;
  int64_t numStages = 0;
  /// Set by the phase that tells: of operations, and of layouts.
  std::optional<KernelWork> work;
  bool hasLayouts = false;
  int64_t sharedBytes = 0;
  unsigned barriers = 0;
  std::vector<SharedBufferReport> buffers;
  std::vector<GlobalAccessReport> globalAccesses;
  std::vector<SharedAccessReport> sharedAccesses;
  std::vector<ConversionReport> conversions;
  std::optional<EntryResources> resources; ///< by the assembler
  std::vector<RemarkEntry> remarks;
};

/// What a compilation made.
struct ModuleReport {
  std::string arch;         ///< that the code is for
  const Gpu *gpu = nullptr; ///< that it is measured by, if any
  std::string assembler;    ///< who told the resources, see Assembly
  std::string noResources;  ///< or why nobody did
  std::vector<KernelReport> kernels;

  /// The entry of that name, or null.
  KernelReport *find(llvm::StringRef entry);
};

/// Watches one compilation: construct it, hand `observe` to CodegenOptions,
/// compile, `take` what it saw.
class ReportBuilder {
public:
  explicit ReportBuilder(mlir::MLIRContext &context) : remarks(context) {}

  /// To be called at the end of each phase.
  void observe(Phase phase, mlir::ModuleOp module);
  /// What was seen; the architecture and the GPU are the caller's to set.
  ModuleReport take();

private:
  KernelReport &get(mlir::func::FuncOp kernel);

  RemarkCollector remarks;
  ModuleReport report;
};

/// The report for people; ends in a newline.
std::string reportText(const ModuleReport &report);
/// One line of JSON.
std::string reportJson(const ModuleReport &report);

} // namespace tilec

#endif // TILEC_REPORT_KERNELREPORT_H
