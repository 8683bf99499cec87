//===- OptionTable.h - command lines from tables ----------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A tool's options are rows of a table: name, operand, help and what to do. Not
// LLVM's command line library, whose options exist before main, cost every
// start and share one space of names with LLVM's own hundreds.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DRIVER_OPTIONTABLE_H
#define TILEC_DRIVER_OPTIONTABLE_H

#include "tilec/KernelInfo/Result.h"
#include <string>
#include <string_view>
#include <vector>

namespace tilec {

/// Whether an option is followed by an operand.
enum class Operand : uint8_t {
  None,
  Required,   ///< `--name X`, `--name=X`; `-nX` too for a letter
  AfterEquals ///< `--name` or `--name=X`
};

/// What the reader and the help need to know of an option.
struct OptionSpec {
  std::string_view name, operand, help;
  Operand takes = Operand::None;
};

/// A row of the table of a tool whose options are gathered in `Options`.
template <typename Options>
struct OptionRow {
  OptionSpec spec;
  Status (*set)(Options &options, std::string_view operand);
};

/// An option as written.
struct OptionMatch {
  size_t index = 0; ///< of the row
  std::string_view operand;
};

/// Reads the option at `words[at]`, and moves `at` to its operand if that is a
/// word of its own. An unknown option's error names the nearest known one.
Result<OptionMatch> matchOption(const std::vector<OptionSpec> &specs,
                                const std::vector<std::string> &words,
                                size_t &at);

/// One line of help for each option.
std::string describeOptions(const std::vector<OptionSpec> &specs);

/// The words of a list; one empty word for an empty text.
std::vector<std::string_view> splitAtCommas(std::string_view text);

/// Reads a whole decimal number within bounds.
Result<int64_t> readCount(std::string_view text, int64_t low, int64_t high);

/// Sets a small count from 1 on, such as the number of warps.
Status setCount(std::string_view text, unsigned high, unsigned &out);

/// The specifications of a table.
template <typename Options, size_t N>
std::vector<OptionSpec> specsOf(const OptionRow<Options> (&rows)[N]) {
  std::vector<OptionSpec> specs;
  for (const OptionRow<Options> &row : rows)
    specs.push_back(row.spec);
  return specs;
}

/// Reads a command line. `addWord` takes what is no option: a word that does
/// not start with a dash, `-` alone, and all words after `--`.
template <typename Options, size_t N>
Status readCommandLine(const OptionRow<Options> (&rows)[N],
                       const std::vector<std::string> &words, Options &options,
                       Status (*addWord)(Options &, const std::string &)) {
  std::vector<OptionSpec> specs = specsOf(rows);
  bool onlyWords = false;
  for (size_t at = 0; at < words.size(); ++at) {
    if (!onlyWords && words[at] == "--") {
      onlyWords = true;
      continue;
    }
    if (onlyWords || words[at].size() < 2 || words[at][0] != '-') {
      if (Status status = addWord(options, words[at]); !status)
        return status;
      continue;
    }
    Result<OptionMatch> match = matchOption(specs, words, at);
    if (!match)
      return match.takeError();
    const OptionRow<Options> &row = rows[match->index];
    if (Status status = row.set(options, match->operand); !status)
      return Error{"option '" + std::string(row.spec.name) +
                   "': " + status.error()};
  }
  return {};
}

} // namespace tilec

#endif // TILEC_DRIVER_OPTIONTABLE_H
