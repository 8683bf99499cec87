//===- SuggestName.cpp - what a name that means nothing may stand for -----===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The nearest name by its letters, for messages.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace tilec::frontend;
using llvm::Twine;

/// How many letters are wrong, missing, too many or swapped with the next one
/// (Damerau, "A technique for computer detection and correction of spelling
/// errors").
static unsigned nameDistance(StringRef a, StringRef b) {
  std::vector<std::vector<unsigned>> rows(a.size() + 1,
                                          std::vector<unsigned>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i)
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        rows[i][j] = i + j;
        continue;
      }
      rows[i][j] = std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1,
                             rows[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
    }
  return rows[a.size()][b.size()];
}

namespace {
/// Looks for the candidate that is nearest to a name. Of a name's letters,
/// about a third may be wrong.
class NearestName {
public:
  explicit NearestName(StringRef name)
      : name(name),
        bestDistance(std::min<size_t>(std::max<size_t>(1, name.size() / 3) + 1,
                                      name.size())) {}

  void consider(StringRef candidate) {
    size_t least = candidate.size() > name.size()
                       ? candidate.size() - name.size()
                       : name.size() - candidate.size();
    if (candidate == name || least >= bestDistance)
      return;
    unsigned distance = nameDistance(name, candidate);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = candidate;
    }
  }

  /// As the end of a message; empty if there is none.
  std::string text() const {
    return best.empty() ? "" : ("; did you mean '" + best + "'?").str();
  }

private:
  StringRef name, best;
  unsigned bestDistance;
};
} // namespace

/// What to write instead of a function of Python; empty for other names.
static std::string insteadOfPython(StringRef name) {
  static constexpr std::pair<StringRef, StringRef> table[] = {
      {"enumerate", "go over static_range(len(t)) and index t"},
      {"zip", "go over static_range(len(t)) and index each"},
      {"reversed", "go over static_range() downwards"},
      {"map", "write a list, [f(x) for x in t]"},
      {"filter", "write a loop over static_range()"},
      {"sorted", "use sort()"},
      {"any", "use max(), or reduce_or()"},
      {"all", "use min()"},
      {"round", "use libdevice.rint()"},
      {"pow", "use libdevice.pow()"},
      {"divmod", "write // and %"},
      {"type", "write x.dtype"},
      {"getattr", "write the attribute"},
      {"set", "write a tuple"},
      {"dict", "write a tuple"},
      {"str", "write a text in quotes, f\"{x}\""}};
  for (auto [function, instead] : table)
    if (name == function)
      return ("; a kernel has not all of Python, " + instead).str();
  return "";
}

std::string Lowering::suggest(StringRef name) {
  if (std::string instead = insteadOfPython(name); !instead.empty())
    return instead;
  NearestName nearest(name);
  for (auto &[candidate, binding] : frame->env)
    if (!candidate.starts_with("$"))
      nearest.consider(candidate);
  for (auto &entry : frame->module->globals)
    nearest.consider(entry.getKey());
  for (const BuiltinRow &row : allBuiltins())
    if (row.scope & (kLanguage | kPython))
      nearest.consider(row.name);
  // Every short name is near to some type.
  if (name.size() > 2)
    for (StringRef type : dtypeNames())
      nearest.consider(type);
  return nearest.text();
}

std::string Lowering::suggestMember(StringRef name) {
  NearestName nearest(name);
  for (StringRef attribute : {"dtype", "type", "shape", "numel"})
    nearest.consider(attribute);
  for (const BuiltinRow &row : allBuiltins())
    if (row.scope & kMember)
      nearest.consider(row.name);
  return nearest.text();
}
