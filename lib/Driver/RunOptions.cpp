//===- RunOptions.cpp - the command line of tile-run ----------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The table of tile-run's options.
//
//===----------------------------------------------------------------------===//

#include "tilec/Driver/RunOptions.h"
#include "BlockOccupancy.h"
#include "tilec/Driver/CompileOptions.h"
#include "tilec/Driver/OptionTable.h"

#include <charconv>
#include <cmath>

using namespace tilec;

/// `X`, `X,Y` or `X,Y,Z`, within what a GPU takes; so their product fits 64
/// bits.
static Status setGrid(RunOptions &options, std::string_view text) {
  std::array<int64_t, 3> grid = {1, 1, 1};
  unsigned count = 0;
  for (std::string_view word : splitAtCommas(text)) {
    if (count == 3)
      return Error{"expected at most three sizes X,Y,Z"};
    Result<int64_t> size = readCount(word, 0, count ? 65535 : 0x7fffffff);
    if (!size)
      return size.takeError();
    grid[count++] = *size;
  }
  options.grid = grid;
  options.hasGrid = true;
  return {};
}

/// `NAME=VALUE`.
static Status setDefine(RunOptions &options, std::string_view text) {
  size_t equals = text.find('=');
  if (equals == text.npos || !isIdentifier(text.substr(0, equals)))
    return Error{"expected NAME=VALUE, got '" + std::string(text) + "'"};
  options.defines.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  return {};
}

static Status setDevice(RunOptions &options, std::string_view text) {
  size_t colon = text.find(':');
  std::string_view name = text.substr(0, colon);
  if (name != "cpu" && name != "cuda")
    return Error{"expected cpu, cuda or cuda:N, got '" + std::string(text) +
                 "'"};
  options.device =
      name == "cpu" ? RunOptions::Device::CPU : RunOptions::Device::CUDA;
  if (colon == text.npos)
    return {};
  Result<int64_t> gpu = readCount(text.substr(colon + 1), 0, 1023);
  if (!gpu)
    return gpu.takeError();
  options.gpu = *gpu;
  return {};
}

static Status setSave(RunOptions &options, std::string_view text) {
  Result<SaveRequest> save = parseSave(text);
  if (!save)
    return save.takeError();
  options.saves.push_back(std::move(*save));
  return {};
}

/// A tolerance: a finite number that is not negative.
static Status setTolerance(std::string_view text, double &out) {
  const char *end = text.data() + text.size();
  auto [rest, status] = std::from_chars(text.data(), end, out);
  if (status == std::errc() && rest == end && out >= 0 && std::isfinite(out))
    return {};
  return Error{"expected a number that is not negative, got '" +
               std::string(text) + "'"};
}

/// The form of a report: nothing or `table` for people, `json` for machines.
static Status setReport(std::string_view text, RunOptions::Report &out) {
  if (text != "" && text != "table" && text != "json")
    return Error{"expected table or json, got '" + std::string(text) + "'"};
  out = text == "json" ? RunOptions::Report::Json : RunOptions::Report::Text;
  return {};
}

/// `--check[=WORD,...]`.
static Status setCheck(RunOptions &options, std::string_view text) {
  options.check = RunOptions::Report::Text;
  if (text.empty())
    return {};
  for (std::string_view word : splitAtCommas(text)) {
    if (word == "json")
      options.check = RunOptions::Report::Json;
    else if (word == "nan")
      options.checkNan = true;
    else if (word != "table")
      return Error{"expected table, json or nan, got '" + std::string(word) +
                   "'"};
  }
  return {};
}

static Status setSchedule(RunOptions &options, std::string_view text) {
  using Schedule = RunOptions::Schedule;
  static constexpr std::pair<std::string_view, Schedule> names[] = {
      {"sequential", Schedule::Sequential},
      {"reverse", Schedule::Reverse},
      {"random", Schedule::Random},
      {"parallel", Schedule::Parallel}};
  for (auto [name, schedule] : names)
    if (name == text) {
      options.schedule = schedule;
      return {};
    }
  return Error{"expected sequential, reverse, random or parallel, got '" +
               std::string(text) + "'"};
}

/// `X`, `X,Y` or `X,Y,Z`, a program of the grid.
static Status setTrace(RunOptions &options, std::string_view text) {
  options.traces = true;
  options.traced = {0, 0, 0};
  if (text.empty())
    return {};
  unsigned axis = 0;
  for (std::string_view word : splitAtCommas(text)) {
    if (axis == 3)
      return Error{"expected at most three numbers X,Y,Z"};
    Result<int64_t> number = readCount(word, 0, 0x7fffffff);
    if (!number)
      return number.takeError();
    options.traced[axis++] = *number;
  }
  return {};
}

/// `ARG[I,...]`.
static Status setWatch(RunOptions &options, std::string_view text) {
  size_t open = text.find('[');
  if (open == text.npos || text.back() != ']' ||
      !isArgumentName(text.substr(0, open)))
    return Error{"expected ARG[INDEX,...], got '" + std::string(text) + "'"};
  RunOptions::Watch watch;
  watch.argument = text.substr(0, open);
  text = text.substr(open + 1, text.size() - open - 2);
  for (std::string_view word : splitAtCommas(text)) {
    Result<int64_t> index = readCount(word, 0, INT64_MAX);
    if (!index)
      return index.takeError();
    watch.index.push_back(*index);
  }
  options.watched.push_back(std::move(watch));
  return {};
}

static const OptionRow<RunOptions> optionRows[] = {
    {{"--kernel", "NAME", "the kernel to run, where the file has several",
      Operand::Required},
     [](RunOptions &o, std::string_view text) -> Status {
       o.kernel = text;
       return {};
     }},
    {{"--grid", "X[,Y[,Z]]", "number of programs in each dimension",
      Operand::Required},
     setGrid},
    {{"-D", "NAME=VALUE", "a compile-time value (constexpr parameter)",
      Operand::Required},
     setDefine},
    {{"--sig", "TYPES",
      "types of the parameters, as in \"*fp32:16, i32, 1024\"",
      Operand::Required},
     [](RunOptions &o, std::string_view text) -> Status {
       o.signature = text;
       return {};
     }},
    {{"-I", "DIR", "a folder searched for imported helpers", Operand::Required},
     [](RunOptions &o, std::string_view text) -> Status {
       o.includeDirs.emplace_back(text);
       return {};
     }},
    {{"--device", "cpu|cuda[:N]", "interpret (default), or run on a GPU",
      Operand::Required},
     setDevice},
    {{"--save", "ARG=FILE.npy", "write an array after the run",
      Operand::Required},
     setSave},
    {{"--expect", "ARG=VALUE", "fail unless the array holds this after the run",
      Operand::Required},
     [](RunOptions &o, std::string_view text) -> Status {
       o.expectations.emplace_back(text);
       return {};
     }},
    {{"--rtol", "NUMBER", "how far from the expected, relative to it (0)",
      Operand::Required},
     [](RunOptions &o, std::string_view text) {
       return setTolerance(text, o.tolerance.relative);
     }},
    {{"--atol", "NUMBER", "how far from the expected, absolute (0)",
      Operand::Required},
     [](RunOptions &o, std::string_view text) {
       return setTolerance(text, o.tolerance.absolute);
     }},
    {{"--meter", "table|json", "count what the kernel reads, writes, computes",
      Operand::AfterEquals},
     [](RunOptions &o, std::string_view text) {
       return setReport(text, o.meter);
     }},
    {{"--gpu", "NAME",
      "with --meter: what bounds the kernel on h200, h100, ...",
      Operand::Required},
     [](RunOptions &o, std::string_view text) -> Status {
       Result<const Gpu *> gpu = findGpu(text);
       if (!gpu)
         return gpu.takeError();
       o.gpuModel = *gpu;
       return {};
     }},
    {{"--occupancy", "threads=N,...",
      "with --gpu, no FILE: how many such blocks fit; registers=N, shared=NK",
      Operand::Required},
     [](RunOptions &o, std::string_view text) -> Status {
       Result<BlockResources> block = parseBlockResources(text);
       if (!block)
         return block.takeError();
       o.occupancy = *block;
       return {};
     }},
    {{"--assume", "NAME<NUMBER",
      "warn where addresses overflow for such sizes: \"n<2^31\", "
      "\"pid0<65536\"",
      Operand::Required},
     [](RunOptions &o, std::string_view text) {
       return addAssumption(text, o.assumptions);
     }},
    {{"-W", "NAME",
      "warn of NAME (below); no-NAME, all, no-all, error, error=NAME",
      Operand::Required},
     [](RunOptions &o, std::string_view text) {
       return setWarning(text, o.warnings);
     }},
    {{"-w", "", "no warnings, as -Wno-all", Operand::None},
     [](RunOptions &o, std::string_view) {
       return setWarning("no-all", o.warnings);
     }},
    {{"--check", "table|json|nan", "look for races and other faults",
      Operand::AfterEquals},
     setCheck},
    {{"--schedule", "ORDER",
      "order of the programs: sequential, reverse, random, parallel",
      Operand::Required},
     setSchedule},
    {{"--seed", "N", "which random schedule (0)", Operand::Required},
     [](RunOptions &o, std::string_view text) -> Status {
       Result<int64_t> seed = readCount(text, 0, INT64_MAX);
       if (!seed)
         return seed.takeError();
       o.seed = *seed;
       return {};
     }},
    {{"--trace", "X[,Y[,Z]]", "print what a program computes (0,0,0)",
      Operand::AfterEquals},
     setTrace},
    {{"--break", "LINE", "with --trace: only what this line computes",
      Operand::Required},
     [](RunOptions &o, std::string_view text) -> Status {
       Result<int64_t> line = readCount(text, 1, 0x7fffffff);
       if (!line)
         return line.takeError();
       o.breakLine = static_cast<unsigned>(*line);
       o.traces = true;
       return {};
     }},
    {{"--watch", "ARG[I,...]", "print every access to an element of an array",
      Operand::Required},
     setWatch},
    {{"--bench", "table|json", "time the kernel on the GPU",
      Operand::AfterEquals},
     [](RunOptions &o, std::string_view text) {
       return setReport(text, o.bench);
     }},
    {{"--report", "", "with --bench: beside the limits of the GPU",
      Operand::None},
     [](RunOptions &o, std::string_view) -> Status {
       o.showsLimits = true;
       return {};
     }},
    {{"--explain", "", "say which version of the kernel the GPU runs, and why",
      Operand::None},
     [](RunOptions &o, std::string_view) -> Status {
       o.explain = true;
       return {};
     }},
    {{"--arch", "sm_NN", "architecture to compile for (default: the GPU's)",
      Operand::Required},
     [](RunOptions &o, std::string_view text) {
       Status status = setArch(text, o.arch);
       if (text == "native")
         o.arch.clear(); // the device's own
       return status;
     }},
    {{"--num-warps", "N", "warps in a block", Operand::Required},
     [](RunOptions &o, std::string_view text) {
       return setCount(text, 32, o.numWarps);
     }},
    {{"--num-stages", "N", "stages of a software pipeline", Operand::Required},
     [](RunOptions &o, std::string_view text) {
       return setCount(text, 64, o.numStages);
     }},
    {{"--specialize", "", "compile for these values: 1s and multiples of 16",
      Operand::None},
     [](RunOptions &o, std::string_view) -> Status {
       o.specialize = true;
       return {};
     }},
    {{"--verify-each", "", "check the IR after each pass", Operand::None},
     [](RunOptions &o, std::string_view) -> Status {
       o.verifyEach = true;
       return {};
     }},
    {{"--help", "", "print this text", Operand::None},
     [](RunOptions &o, std::string_view) -> Status {
       o.help = true;
       return {};
     }},
};

std::string tilec::runHelp() {
  std::string text =
      "usage: tile-run FILE [OPTION...] ARG=VALUE...\n"
      "\n"
      "Runs a kernel of a .tile or .py file (or tile IR, .mlir; on a GPU also\n"
      ".ptx or .cubin) on the interpreter or on a GPU.\n"
      "\n"
      "options:\n";
  text += describeOptions(specsOf(optionRows));
  return text +
         "\n"
         "values:\n"
         "  3, -1.5, inf, True      a number, or None\n"
         "  @FILE.npy               an array from a file\n"
         "  zeros(f32,4,5)          also empty(TYPE,SIZE...), arange(TYPE,N),\n"
         "                          full(TYPE,NUMBER,SIZE...)\n"
         "  randn(bf16,8,8,seed=1)  normal numbers; rand(...) in [0, 1),\n"
         "                          randint(TYPE,LOW,HIGH,SIZE...,seed=N)\n"
         "A value may end in :TYPE (3:i64, @x.npy:bf16).\n"
         "\n" +
         warningsHelp() +
         "\n"
         "exit status: 0 success, 1 a failure in the input or the run, 2\n"
         "wrong use of the command\n";
}

//===-- Reading --------------------------------------------------------------//

/// Refuses options that do not go together.
static Status checkCombination(const RunOptions &options) {
  using Report = RunOptions::Report;
  bool onCpu = options.device == RunOptions::Device::CPU;
  if (options.occupancy && !options.gpuModel)
    return Error{"option '--occupancy' is about a GPU, add --gpu"};
  if (options.occupancy && !options.file.empty())
    return Error{
        "option '--occupancy' is about a block of any kernel, expected "
        "no file"};
  if (options.occupancy)
    return {};
  if (options.file.empty())
    return Error{"expected a file with a kernel, see --help"};
  if (!options.hasGrid)
    return Error{"expected --grid with the number of programs"};
  if (onCpu && options.bench != Report::None)
    return Error{"option '--bench' times on a GPU, add --device cuda"};
  if (onCpu && options.explain)
    return Error{"option '--explain' is about a run on a GPU, add --device "
                 "cuda"};
  if (options.showsLimits && options.bench == Report::None)
    return Error{"option '--report' reports a measurement, add --bench"};
  if (options.gpuModel && options.meter == Report::None)
    return Error{"option '--gpu' is about what '--meter' counts, add --meter"};
  if (!onCpu && options.meter != Report::None)
    return Error{"option '--meter' counts on the interpreter, use --device "
                 "cpu"};
  if (!onCpu && options.schedule != RunOptions::Schedule::Default)
    return Error{"option '--schedule' orders programs on the interpreter, use "
                 "--device cpu"};
  for (size_t axis = 0; axis < 3; ++axis)
    if (options.traces && options.traced[axis] >= options.grid[axis])
      return Error{"option '--trace': the grid has no program (" +
                   std::to_string(options.traced[0]) + ", " +
                   std::to_string(options.traced[1]) + ", " +
                   std::to_string(options.traced[2]) + ")"};
  if (!onCpu && options.traces)
    return Error{"option '--trace' traces the interpreter, use --device cpu"};
  if (!onCpu && !options.watched.empty())
    return Error{"option '--watch' watches the interpreter, use --device cpu"};
  if (!onCpu && options.check != Report::None)
    return Error{"option '--check' checks on the interpreter, use --device "
                 "cpu"};
  return {};
}

/// A word that is no option: the file, or a value.
static Status addWord(RunOptions &options, const std::string &word) {
  size_t equals = word.find('=');
  if (equals != word.npos && isArgumentName(word.substr(0, equals)))
    options.arguments.push_back(word);
  else if (options.file.empty())
    options.file = word;
  else
    return Error{"expected ARG=VALUE, got '" + word + "'"};
  return {};
}

Result<RunOptions>
tilec::parseRunOptions(const std::vector<std::string> &words) {
  RunOptions options;
  Status status = readCommandLine(optionRows, words, options, addWord);
  if (options.help)
    return options;
  if (status)
    status = checkCombination(options);
  if (!status)
    return status.takeError();
  return options;
}
