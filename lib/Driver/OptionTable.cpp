//===- OptionTable.cpp - command lines from tables ------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tilec/Driver/OptionTable.h"
#include <algorithm>
#include <charconv>

using namespace tilec;

std::vector<std::string_view> tilec::splitAtCommas(std::string_view text) {
  std::vector<std::string_view> words;
  for (size_t comma; (comma = text.find(',')) != text.npos;
       text.remove_prefix(comma + 1))
    words.push_back(text.substr(0, comma));
  words.push_back(text);
  return words;
}

Result<int64_t> tilec::readCount(std::string_view text, int64_t low,
                                 int64_t high) {
  int64_t value = 0;
  const char *end = text.data() + text.size();
  auto [rest, status] = std::from_chars(text.data(), end, value);
  if (status == std::errc() && rest == end && value >= low && value <= high)
    return value;
  return Error{"expected a number from " + std::to_string(low) + " to " +
               std::to_string(high) + ", got '" + std::string(text) + "'"};
}

/// A long option has two dashes, a short one is a letter.
static bool isLong(std::string_view name) { return name.substr(0, 2) == "--"; }

/// Whether `word` names the option; `rest` is what follows the name in the
/// word.
static bool names(const OptionSpec &spec, std::string_view word,
                  std::string_view &rest) {
  if (word.substr(0, spec.name.size()) != spec.name)
    return false;
  rest = word.substr(spec.name.size());
  return rest.empty() || !isLong(spec.name) || rest[0] == '=';
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
static Error unknownOption(const std::vector<OptionSpec> &specs,
                           std::string_view word) {
  std::string_view name = word.substr(0, std::min<size_t>(word.find('='), 40));
  std::string text = "unknown option '" + std::string(name) + "'";
  const OptionSpec *nearest = nullptr;
  size_t distance = 3;
  for (const OptionSpec &spec : specs)
    if (size_t d = editDistance(name, spec.name);
        isLong(name) && d < distance) {
      distance = d;
      nearest = &spec;
    }
  if (nearest)
    return {text + ", did you mean '" + std::string(nearest->name) + "'?"};
  return {text + ", see --help"};
}

Result<OptionMatch> tilec::matchOption(const std::vector<OptionSpec> &specs,
                                       const std::vector<std::string> &words,
                                       size_t &at) {
  std::string_view rest;
  auto spec =
      std::find_if(specs.begin(), specs.end(), [&](const OptionSpec &spec) {
        return names(spec, words[at], rest);
      });
  if (spec == specs.end())
    return unknownOption(specs, words[at]);
  std::string name(spec->name);
  if (!rest.empty() && spec->takes == Operand::None)
    return Error{"option '" + name + "' takes no operand"};
  if (!rest.empty() && isLong(name)) {
    rest.remove_prefix(1);
  } else if (rest.empty() && spec->takes == Operand::Required) {
    if (at + 1 == words.size())
      return Error{"option '" + name + "' needs an operand " +
                   std::string(spec->operand)};
    rest = words[++at];
  }
  return OptionMatch{static_cast<size_t>(spec - specs.begin()), rest};
}

std::string tilec::describeOptions(const std::vector<OptionSpec> &specs) {
  std::string text;
  for (const OptionSpec &spec : specs) {
    std::string left = "  " + std::string(spec.name);
    if (spec.takes == Operand::Required)
      left += " " + std::string(spec.operand);
    if (spec.takes == Operand::AfterEquals)
      left += "[=" + std::string(spec.operand) + "]";
    left.resize(std::max<size_t>(left.size() + 1, 24), ' ');
    text += left + std::string(spec.help) + "\n";
  }
  return text;
}

Status tilec::setCount(std::string_view text, unsigned high, unsigned &out) {
  Result<int64_t> value = readCount(text, 1, high);
  if (!value)
    return value.takeError();
  out = static_cast<unsigned>(*value);
  return {};
}
