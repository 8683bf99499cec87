//===- RunOptions.cpp - the command line of tile-run ----------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM
// Exceptions.
//
// The table of options, its reader and its help. It is not LLVM's command line
// library, whose options exist before main and would cost every start.
//
//===----------------------------------------------------------------------===//

#include "tilec/Driver/RunOptions.h"

#include <algorithm>
#include <charconv>
#include <cmath>

using namespace tilec;

namespace {

/// Whether an option is followed by an operand.
enum class Operand : uint8_t { None, Required, AfterEquals };

/// A row of the table.
struct Option {
  std::string_view name, operand, help;
  Operand takes;
  Status (*set)(RunOptions &options, std::string_view operand);
};

} // namespace

/// Reads a whole decimal number within bounds.
static Status readCount(std::string_view text, int64_t low, int64_t high,
                        int64_t &out) {
  const char *end = text.data() + text.size();
  auto [rest, status] = std::from_chars(text.data(), end, out);
  if (status == std::errc() && rest == end && out >= low && out <= high)
    return {};
  return Error{"expected a number from " + std::to_string(low) + " to " +
               std::to_string(high) + ", got '" + std::string(text) + "'"};
}

/// Sets a small count such as the number of warps.
static Status setCount(std::string_view text, unsigned high, unsigned &out) {
  int64_t value = 0;
  Status status = readCount(text, 1, high, value);
  if (status)
    out = static_cast<unsigned>(value);
  return status;
}

/// `X`, `X,Y` or `X,Y,Z`.
static Status setGrid(RunOptions &options, std::string_view text) {
  std::array<int64_t, 3> grid = {1, 1, 1};
  unsigned count = 0;
  for (bool more = true; more; ++count) {
    size_t comma = text.find(',');
    if (count == 3)
      return Error{"expected at most three sizes X,Y,Z"};
    if (Status status =
            readCount(text.substr(0, comma), 0, 0x7fffffff, grid[count]);
        !status)
      return status;
    more = comma != text.npos;
    text.remove_prefix(more ? comma + 1 : text.size());
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
  return readCount(text.substr(colon + 1), 0, 1023, options.gpu);
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

static const Option optionRows[] = {
    {"--kernel", "NAME", "the kernel to run, where the file has several",
     Operand::Required,
     [](RunOptions &o, std::string_view text) -> Status {
       o.kernel = text;
       return {};
     }},
    {"--grid", "X[,Y[,Z]]", "number of programs in each dimension",
     Operand::Required, setGrid},
    {"-D", "NAME=VALUE", "a compile-time value (constexpr parameter)",
     Operand::Required, setDefine},
    {"--sig", "TYPES", "types of the parameters, as in \"*fp32:16, i32, 1024\"",
     Operand::Required,
     [](RunOptions &o, std::string_view text) -> Status {
       o.signature = text;
       return {};
     }},
    {"-I", "DIR", "a folder searched for imported helpers", Operand::Required,
     [](RunOptions &o, std::string_view text) -> Status {
       o.includeDirs.emplace_back(text);
       return {};
     }},
    {"--device", "cpu|cuda[:N]", "interpret (default), or run on a GPU",
     Operand::Required, setDevice},
    {"--save", "ARG=FILE.npy", "write an array after the run",
     Operand::Required, setSave},
    {"--expect", "ARG=VALUE", "fail unless the array holds this after the run",
     Operand::Required,
     [](RunOptions &o, std::string_view text) -> Status {
       o.expectations.emplace_back(text);
       return {};
     }},
    {"--rtol", "NUMBER", "how far from the expected, relative to it (0)",
     Operand::Required,
     [](RunOptions &o, std::string_view text) {
       return setTolerance(text, o.tolerance.relative);
     }},
    {"--atol", "NUMBER", "how far from the expected, absolute (0)",
     Operand::Required,
     [](RunOptions &o, std::string_view text) {
       return setTolerance(text, o.tolerance.absolute);
     }},
    {"--meter", "table|json", "count what the kernel reads, writes, computes",
     Operand::AfterEquals,
     [](RunOptions &o, std::string_view text) {
       return setReport(text, o.meter);
     }},
    {"--check", "table|json", "look for faults that do not stop a run",
     Operand::AfterEquals,
     [](RunOptions &o, std::string_view text) {
       return setReport(text, o.check);
     }},
    {"--bench", "table|json", "time the kernel on the GPU",
     Operand::AfterEquals,
     [](RunOptions &o, std::string_view text) {
       return setReport(text, o.bench);
     }},
    {"--arch", "sm_NN", "architecture to compile for (default: the GPU's)",
     Operand::Required,
     [](RunOptions &o, std::string_view text) -> Status {
       o.arch = text == "native" ? "" : text;
       return {};
     }},
    {"--num-warps", "N", "warps in a block", Operand::Required,
     [](RunOptions &o, std::string_view text) {
       return setCount(text, 32, o.numWarps);
     }},
    {"--num-stages", "N", "stages of a software pipeline", Operand::Required,
     [](RunOptions &o, std::string_view text) {
       return setCount(text, 64, o.numStages);
     }},
    {"--help", "", "print this text", Operand::None,
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
      ".ptx) on the interpreter or on a GPU.\n"
      "\n"
      "options:\n";
  for (const Option &option : optionRows) {
    std::string left = "  " + std::string(option.name);
    if (option.takes == Operand::Required)
      left += " " + std::string(option.operand);
    if (option.takes == Operand::AfterEquals)
      left += "[=" + std::string(option.operand) + "]";
    left.resize(std::max<size_t>(left.size() + 1, 24), ' ');
    text += left + std::string(option.help) + "\n";
  }
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
         "\n"
         "exit status: 0 success, 1 a failure in the input or the run, 2 "
         "wrong\n"
         "use of the command\n";
}

//===-- Reading --------------------------------------------------------------//

/// The option that a word names, with what follows its name in the word.
static const Option *findOption(std::string_view word, std::string_view &rest) {
  for (const Option &option : optionRows) {
    size_t size = option.name.size();
    if (word.substr(0, size) != option.name)
      continue;
    rest = word.substr(size);
    // `-DNAME=VALUE` needs no space, `--grid=4` may have an equals sign.
    bool isShort = option.name[1] != '-';
    if (rest.empty() || isShort || rest[0] == '=')
      return &option;
  }
  return nullptr;
}

/// How many insertions, deletions and replacements part two words.
static size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t above = row[j];
      row[j] = std::min(
          {above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

/// The sentence for an unknown option, with the nearest known one.
static Error unknownOption(std::string_view word) {
  std::string_view name = word.substr(0, std::min<size_t>(word.find('='), 40));
  std::string text = "unknown option '" + std::string(name) + "'";
  const Option *nearest = nullptr;
  size_t distance = 3;
  for (const Option &option : optionRows)
    if (size_t d = editDistance(name, option.name); d < distance) {
      distance = d;
      nearest = &option;
    }
  if (nearest)
    return {text + ", did you mean '" + std::string(nearest->name) + "'?"};
  return {text + ", see --help"};
}

/// Reads the option at `words[at]`, and moves `at` past its operand.
static Status readOption(const std::vector<std::string> &words, size_t &at,
                         RunOptions &options) {
  std::string_view rest;
  const Option *option = findOption(words[at], rest);
  if (!option)
    return unknownOption(words[at]);
  std::string name(option->name);
  bool isShort = name[1] != '-';
  if (!rest.empty() && option->takes == Operand::None)
    return Error{"option '" + name + "' takes no operand"};
  if (!rest.empty() && !isShort)
    rest.remove_prefix(1);
  else if (rest.empty() && option->takes == Operand::Required) {
    if (at + 1 == words.size())
      return Error{"option '" + name + "' needs an operand " +
                   std::string(option->operand)};
    rest = words[++at];
  }
  if (Status status = option->set(options, rest); !status)
    return Error{"option '" + name + "': " + status.error()};
  return {};
}

/// Refuses options that do not go together.
static Status checkCombination(const RunOptions &options) {
  using Report = RunOptions::Report;
  bool onCpu = options.device == RunOptions::Device::CPU;
  if (options.file.empty())
    return Error{"expected a file with a kernel, see --help"};
  if (!options.hasGrid)
    return Error{"expected --grid with the number of programs"};
  if (onCpu && options.bench != Report::None)
    return Error{"option '--bench' times on a GPU, add --device cuda"};
  if (!onCpu && options.meter != Report::None)
    return Error{"option '--meter' counts on the interpreter, use --device "
                 "cpu"};
  if (!onCpu && options.check != Report::None)
    return Error{"option '--check' checks on the interpreter, use --device "
                 "cpu"};
  return {};
}

Result<RunOptions>
tilec::parseRunOptions(const std::vector<std::string> &words) {
  RunOptions options;
  for (size_t at = 0; at < words.size(); ++at) {
    const std::string &word = words[at];
    if (word.size() > 1 && word[0] == '-') {
      if (Status status = readOption(words, at, options); !status)
        return status.takeError();
      if (options.help)
        return options;
      continue;
    }
    size_t equals = word.find('=');
    if (equals != word.npos && isIdentifier(word.substr(0, equals)))
      options.arguments.push_back(word);
    else if (options.file.empty())
      options.file = word;
    else
      return Error{"expected ARG=VALUE, got '" + word + "'"};
  }
  if (Status status = checkCombination(options); !status)
    return status.takeError();
  return options;
}
