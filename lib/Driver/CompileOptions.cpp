//===- CompileOptions.cpp - the command line of tilec ---------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The table of tilec's options.
//
//===----------------------------------------------------------------------===//

#include "tilec/Driver/CompileOptions.h"
#include "tilec/Driver/ArgumentValues.h"
#include "tilec/Driver/OptionTable.h"
#include "tilec/Report/Gpu.h"

using namespace tilec;

static Status setPhase(CompileOptions &options, std::string_view text) {
  std::optional<Phase> phase = parsePhase(text);
  if (!phase)
    return Error{"expected tile, tilegpu, llvm, llvmir, ptx or cubin, got '" +
                 std::string(text) + "'"};
  options.phase = *phase;
  return {};
}

Status tilec::setArch(std::string_view text, std::string &out) {
  if (text != "native" && !isKnownArch(text))
    return Error{"unknown architecture '" + std::string(text) +
                 "', use one of " + listKnownArchs()};
  out = text;
  return {};
}

static Status addKernel(CompileOptions &options, std::string_view text) {
  if (!isIdentifier(text))
    return Error{"expected the name of a kernel, got '" + std::string(text) +
                 "'"};
  options.frontend.kernels.push_back({std::string(text), ""});
  return {};
}

/// A signature belongs to the `--kernel` before it, or to the only kernel.
static Status addSignature(CompileOptions &options, std::string_view text) {
  std::vector<KernelRequest> &kernels = options.frontend.kernels;
  if (kernels.empty())
    kernels.emplace_back();
  if (!kernels.back().signature.empty())
    return Error{"expected '--kernel NAME' before a second signature"};
  kernels.back().signature = text;
  return {};
}

static Status addDefine(CompileOptions &options, std::string_view text) {
  size_t equals = text.find('=');
  if (equals == text.npos || !isIdentifier(text.substr(0, equals)))
    return Error{"expected NAME=VALUE, got '" + std::string(text) + "'"};
  options.frontend.defines.emplace_back(text.substr(0, equals),
                                        text.substr(equals + 1));
  return {};
}

/// Reads one `NAME:1` or `NAME:DIVISOR`.
static Result<tile::Specialization::Hint> parseHint(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ')
    text.remove_suffix(1);
  size_t colon = text.find(':');
  std::string name(text.substr(0, colon));
  if (colon == text.npos || (name != "*" && name != "#" && !isIdentifier(name)))
    return Error{"expected NAME:1 or NAME:DIVISOR, got '" + std::string(text) +
                 "'"};
  Result<int64_t> value = readCount(text.substr(colon + 1), 1, 1 << 20);
  if (!value)
    return value.takeError();
  if (*value & (*value - 1))
    return Error{"expected 1 or a power of two for '" + name + "', got " +
                 std::to_string(*value)};
  return tile::Specialization::Hint{
      name, *value == 1 ? 0 : static_cast<uint32_t>(*value)};
}

/// Reads the operand of `--specialize`.
static Result<std::vector<tile::Specialization>>
parseSpecializations(std::string_view text) {
  if (text.empty())
    return std::vector<tile::Specialization>{{{{"*", 16}, {"#", 16}}},
                                             {{{"*", 16}}}};
  tile::Specialization specialization;
  for (std::string_view word : splitAtCommas(text)) {
    Result<tile::Specialization::Hint> hint = parseHint(word);
    if (!hint)
      return hint.takeError();
    specialization.hints.push_back(std::move(*hint));
  }
  return std::vector<tile::Specialization>{std::move(specialization)};
}

Status tilec::addSpecializations(std::string_view text,
                                 CodegenOptions &options) {
  Result<std::vector<tile::Specialization>> parsed = parseSpecializations(text);
  if (!parsed)
    return parsed.takeError();
  for (tile::Specialization &one : *parsed)
    options.specializations.push_back(std::move(one));
  return {};
}

Status tilec::setAssembler(std::string_view text, std::string &out) {
  if (text != "ptxas" && text != "nvjitlink")
    return Error{"expected ptxas or nvjitlink, got '" + std::string(text) +
                 "'"};
  out = text;
  return {};
}

Status tilec::setWarning(std::string_view text, WarningOptions &out) {
  std::string error = out.set(text);
  return error.empty() ? Status() : Status(Error{std::move(error)});
}

std::string tilec::warningsHelp() {
  return "warnings (on: unless -Wno-NAME is given):\n" + describeWarnings();
}

static Status setReport(CompileOptions &options, std::string_view text) {
  using Format = ReportRequest::Format;
  if (!text.empty() && text != "text" && text != "json")
    return Error{"expected text or json, got '" + std::string(text) + "'"};
  options.report.format = text == "json" ? Format::Json : Format::Text;
  return {};
}

static const OptionRow<CompileOptions> optionRows[] = {
    {{"-o", "FILE", "where to write; - is standard output", Operand::Required},
     [](CompileOptions &o, std::string_view text) -> Status {
       if (text.empty())
         return Error{"expected the name of a file, or -"};
       o.output = text;
       return {};
     }},
    {{"--emit", "PHASE", "tile, tilegpu, llvm, llvmir, ptx (default) or cubin",
      Operand::Required},
     setPhase},
    {{"--arch", "ARCH", "architecture: sm_80 (default), ..., or native",
      Operand::Required},
     [](CompileOptions &o, std::string_view text) {
       return setArch(text, o.codegen.arch);
     }},
    {{"--kernel", "NAME", "compile this kernel; may be repeated",
      Operand::Required},
     addKernel},
    {{"--sig", "TYPES",
      "types of its parameters, as in \"*fp32:16, i32, 1024\"",
      Operand::Required},
     addSignature},
    {{"-D", "NAME=VALUE", "a compile-time value (constexpr parameter)",
      Operand::Required},
     addDefine},
    {{"-I", "DIR", "a folder searched for imported helpers", Operand::Required},
     [](CompileOptions &o, std::string_view text) -> Status {
       o.frontend.includeDirs.emplace_back(text);
       return {};
     }},
    {{"--assume", "NAME<NUMBER",
      "warn where addresses overflow for such sizes: \"n<2^31\", "
      "\"pid0<65536\"",
      Operand::Required},
     [](CompileOptions &o, std::string_view text) {
       return addAssumption(text, o.assumptions);
     }},
    {{"-W", "NAME",
      "warn of NAME (below); no-NAME, all, no-all, error, error=NAME",
      Operand::Required},
     [](CompileOptions &o, std::string_view text) {
       return setWarning(text, o.frontend.warnings);
     }},
    {{"-w", "", "no warnings, as -Wno-all", Operand::None},
     [](CompileOptions &o, std::string_view) {
       return setWarning("no-all", o.frontend.warnings);
     }},
    {{"--num-warps", "N", "warps in a block", Operand::Required},
     [](CompileOptions &o, std::string_view text) {
       return setCount(text, 32, o.codegen.numWarps);
     }},
    {{"--num-stages", "N", "stages of a software pipeline", Operand::Required},
     [](CompileOptions &o, std::string_view text) {
       return setCount(text, 64, o.codegen.numStages);
     }},
    {{"--specialize", "HINTS",
      "one more version of each kernel, chosen at launch: \"*:16, stride:1\"",
      Operand::AfterEquals},
     [](CompileOptions &o, std::string_view text) {
       return addSpecializations(text, o.codegen);
     }},
    {{"--report", "text|json",
      "say what became of the kernels: resources, accesses, decisions",
      Operand::AfterEquals},
     setReport},
    {{"--report-file", "FILE", "where the report goes; - is standard output",
      Operand::Required},
     [](CompileOptions &o, std::string_view text) -> Status {
       o.report.file = text;
       return {};
     }},
    {{"--depfile", "FILE",
      "name there all files that were read, for make or ninja",
      Operand::Required},
     [](CompileOptions &o, std::string_view text) -> Status {
       if (text.empty() || text == "-")
         return Error{"expected the name of a file"};
       o.depfile = text;
       return {};
     }},
    {{"--gpu", "NAME", "with --report: measure by h200, h100, a100, ...",
      Operand::Required},
     [](CompileOptions &o, std::string_view text) -> Status {
       o.report.gpu = text;
       Result<const Gpu *> known = findGpu(text);
       return known ? Status() : Status(known.takeError());
     }},
    {{"--toolkit", "DIR", "the CUDA toolkit that assembles (CUDA_HOME)",
      Operand::Required},
     [](CompileOptions &o, std::string_view text) -> Status {
       o.codegen.assembler.toolkit = text;
       return {};
     }},
    {{"--assembler", "NAME", "ptxas or nvjitlink (default: the first found)",
      Operand::Required},
     [](CompileOptions &o, std::string_view text) {
       return setAssembler(text, o.codegen.assembler.name);
     }},
    {{"--time-passes", "", "print where the time goes", Operand::None},
     [](CompileOptions &o, std::string_view) -> Status {
       o.timePasses = true;
       return {};
     }},
    {{"--verify-each", "", "check the IR after each pass", Operand::None},
     [](CompileOptions &o, std::string_view) -> Status {
       o.codegen.verifyEach = true;
       return {};
     }},
    {{"--help", "", "print this text", Operand::None},
     [](CompileOptions &o, std::string_view) -> Status {
       o.help = true;
       return {};
     }},
    {{"--version", "", "print the version", Operand::None},
     [](CompileOptions &o, std::string_view) -> Status {
       o.version = true;
       return {};
     }},
};

std::string tilec::compileHelp() {
  return "usage: tilec FILE [OPTION...]\n"
         "\n"
         "Compiles the kernels of a .tile or .py file, or of a .mlir file with "
         "the\n"
         "IR of any phase, to PTX. Without -o, PTX goes to the file's name "
         "with\n"
         "suffix .ptx in the current folder (a cubin to .cubin), an earlier "
         "phase to\n"
         "standard output. A report goes to standard output too, or to "
         "standard "
         "error\n"
         "where the output is there.\n"
         "\n"
         "options:\n" +
         describeOptions(specsOf(optionRows)) +
         "\n"
         "--sig belongs to the --kernel before it.\n"
         "\n" +
         warningsHelp() +
         "\n"
         "exit status: 0 success, 1 a failure in the input or the run, 2 wrong "
         "use\n"
         "of the command\n";
}

/// The file to compile.
static Status addFile(CompileOptions &options, const std::string &word) {
  if (!options.file.empty())
    return Error{"expected one file, got '" + options.file + "' and '" + word +
                 "'"};
  options.file = word;
  return {};
}

Result<CompileOptions>
tilec::parseCompileOptions(const std::vector<std::string> &words) {
  CompileOptions options;
  Status status = readCommandLine(optionRows, words, options, addFile);
  if (!status && !options.help)
    return status.takeError();
  if (options.file.empty() && !options.help && !options.version)
    return Error{"expected a file to compile, see --help"};
  const ReportRequest &report = options.report;
  if (report.format == ReportRequest::Format::None && !report.gpu.empty())
    return Error{"option '--gpu' is about what '--report' says, add --report"};
  if (report.format == ReportRequest::Format::None && !report.file.empty())
    return Error{"option '--report-file' is where '--report' writes, add "
                 "--report"};
  return options;
}
