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

StringRef tilec::frontend::languagePath(StringRef path) {
  if (path.ends_with("libdevice"))
    return "libdevice";
  if (path == "triton.language" || path.starts_with("triton.language.") ||
      path == "tilec" || path == "tilec.language" || path == "tl")
    return "tl";
  if (path == "triton")
    return "triton";
  if (path == "math")
    return "math";
  return "";
}

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

  void consider(StringRef candidate, bool needsPrefix = false) {
    size_t least = candidate.size() > name.size()
                       ? candidate.size() - name.size()
                       : name.size() - candidate.size();
    if (candidate == name || least >= bestDistance)
      return;
    unsigned distance = nameDistance(name, candidate);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = candidate;
      hasPrefix = needsPrefix;
    }
  }

  /// As the end of a message; empty if there is none. `spell` gives a name of
  /// the language the prefix that the file has for it.
  std::string text(llvm::function_ref<std::string(StringRef)> spell) const {
    if (best.empty())
      return "";
    return "; did you mean '" + (hasPrefix ? spell(best) : best.str()) + "'?";
  }

private:
  StringRef name, best;
  bool hasPrefix = false;
  unsigned bestDistance;
};
} // namespace

std::string Lowering::spell(StringRef name, StringRef path) {
  const Frame *user = frame;
  while (user->caller && session.isLibrary(*user->module))
    user = user->caller;
  const Module &module = *user->module;
  if (module.isTile)
    return path == "tl" ? name.str() : (path + "." + name).str();
  StringRef function = name.take_until([](char c) { return c == '('; });
  std::string prefix, whole;
  for (auto &entry : module.globals) {
    const Global &global = entry.getValue();
    StringRef alias = entry.getKey();
    StringRef imported = languagePath(global.path);
    bool isName = global.kind == Global::ImportName;
    if (isName && imported == path && global.name == function)
      return (alias + name.drop_front(function.size())).str();
    if (isName
            ? languagePath((global.path + "." + global.name).str()) == path &&
                  imported != path
            : global.kind == Global::ImportModule && imported == path)
      if (prefix.empty() || alias < StringRef(prefix))
        prefix = alias.str();
    if (!isName && imported == "triton")
      whole = (alias + ".language").str();
  }
  if (prefix.empty())
    prefix = path == "tl" && !whole.empty() ? whole : path.str();
  return (prefix + "." + name).str();
}

std::string Lowering::insteadOfPython(StringRef name) {
  struct Row {
    StringRef function, instead, use, path;
  };
  static constexpr Row table[] = {
      {"enumerate", "go over static_range(len(t)) and index t", "", ""},
      {"zip", "go over static_range(len(t)) and index each", "", ""},
      {"reversed", "go over static_range() downwards", "", ""},
      {"map", "write a list, [f(x) for x in t]", "", ""},
      {"filter", "write a loop over static_range()", "", ""},
      {"sorted", "use ", "sort()", "tl"},
      {"any", "use ", "max()", "tl"},
      {"all", "use ", "min()", "tl"},
      {"round", "use ", "rint()", "libdevice"},
      {"pow", "use ", "pow()", "libdevice"},
      {"divmod", "write // and %", "", ""},
      {"type", "write x.dtype", "", ""},
      {"getattr", "write the attribute", "", ""},
      {"set", "write a tuple", "", ""},
      {"dict", "write a tuple", "", ""},
      {"str", "write a text in quotes, f\"{x}\"", "", ""}};
  for (const Row &row : table)
    if (name == row.function)
      return "; a kernel has not all of Python, " + row.instead.str() +
             (row.use.empty() ? "" : spell(row.use, row.path));
  return "";
}

std::string Lowering::suggest(StringRef name, bool isMember) {
  if (std::string instead = insteadOfPython(name);
      !isMember && !instead.empty())
    return instead;
  NearestName nearest(name);
  for (auto &[candidate, binding] : frame->env)
    if (!candidate.starts_with("$"))
      nearest.consider(candidate);
  for (auto &entry : frame->module->globals)
    nearest.consider(entry.getKey());
  for (const BuiltinRow &row : allBuiltins())
    if (row.scope & (kLanguage | kPython))
      nearest.consider(row.name, !(row.scope & kPython));
  // Every short name is near to some type.
  if (name.size() > 2)
    for (StringRef type : dtypeNames())
      nearest.consider(type, /*needsPrefix=*/true);
  return nearest.text(
      [&](StringRef best) { return isMember ? best.str() : spell(best); });
}

std::string Lowering::suggestMember(StringRef name) {
  NearestName nearest(name);
  for (StringRef attribute : {"dtype", "type", "shape", "numel"})
    nearest.consider(attribute);
  for (const BuiltinRow &row : allBuiltins())
    if (row.scope & kMember)
      nearest.consider(row.name);
  return nearest.text([](StringRef best) { return best.str(); });
}
