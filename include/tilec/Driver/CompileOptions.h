//===- CompileOptions.h - the command line of tilec -------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The options of one compilation as plain data, and their reader.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DRIVER_COMPILEOPTIONS_H
#define TILEC_DRIVER_COMPILEOPTIONS_H

#include "tilec/Driver/Assumptions.h"
#include "tilec/Frontend/Parser.h"
#include "tilec/KernelInfo/Result.h"
#include "tilec/Pipelines/Pipelines.h"

namespace tilec {

/// A report of what became of the kernels.
struct ReportRequest {
  enum class Format { None, Text, Json };
  Format format = Format::None;
  std::string file; ///< `-` is standard output; empty for the default
  std::string gpu;  ///< to measure by; empty for the usual one of the code
};

/// What to compile, into what.
struct CompileOptions {
  std::string file;
  std::string output; ///< `-` is standard output; empty for the default
  /// Where a rule for `make` goes that names all files read; empty: nowhere.
  std::string depfile;
  Phase phase = Phase::PTX;
  FrontendOptions frontend;
  CodegenOptions codegen;
  ReportRequest report;
  std::vector<Assumption> assumptions; ///< about sizes, to warn of overflow
  bool timePasses = false;
  bool help = false;
  bool version = false;
};

/// Reads the words after the program's name. The error is about the use of the
/// command, not about the input.
Result<CompileOptions>
parseCompileOptions(const std::vector<std::string> &words);

/// Adds what the operand of `--specialize` says: `x_ptr:16, stride:1`, where
/// `*` is every pointer and `#` every integer. Empty is the usual: aligned
/// pointers with sizes that are multiples of 16, and aligned pointers alone.
Status addSpecializations(std::string_view text, CodegenOptions &options);

/// Reads the operand of `--arch`: the name of an architecture, or `native`.
Status setArch(std::string_view text, std::string &out);

/// Reads what follows `-W`.
Status setWarning(std::string_view text, WarningOptions &out);

/// Reads the operand of `--assembler`: `ptxas` or `nvjitlink`.
Status setAssembler(std::string_view text, std::string &out);

/// The part of `--help` that lists the warnings.
std::string warningsHelp();

/// The text of `--help`.
std::string compileHelp();

} // namespace tilec

#endif // TILEC_DRIVER_COMPILEOPTIONS_H
