//===- Cubin.cpp - PTX to machine code ------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tilec/Target/Cubin/Cubin.h"

#include "Assemblers.h"

#include "llvm/ADT/StringRef.h"

using namespace tilec;
using llvm::StringRef;

/// The number that stands before `words` in a line; 0 if they are not there.
static uint64_t numberBefore(StringRef line, StringRef words) {
  StringRef before = line.take_front(line.find(words)).rtrim();
  if (before.size() == line.rtrim().size())
    return 0;
  uint64_t number = 0;
  size_t start = before.find_last_not_of("0123456789");
  (void)before.substr(start == StringRef::npos ? 0 : start + 1)
      .getAsInteger(10, number);
  return number;
}

std::vector<EntryResources> tilec::parseResources(std::string_view log) {
  std::vector<EntryResources> entries;
  StringRef rest(log.data(), log.size());
  bool inEntry = false;
  while (!rest.empty()) {
    auto [line, next] = rest.split('\n');
    rest = next;
    if (auto [before, after] = line.split("Compiling entry function '");
        !after.empty()) {
      entries.push_back({after.split('\'').first.str()});
      inEntry = true;
    } else if (inEntry && line.contains("bytes stack frame")) {
      entries.back().stack = numberBefore(line, "bytes stack frame");
      entries.back().spillStores = numberBefore(line, "bytes spill stores");
      entries.back().spillLoads = numberBefore(line, "bytes spill loads");
    } else if (inEntry && line.contains(" registers")) {
      entries.back().registers = numberBefore(line, " registers");
      inEntry = false; // what follows may be of another function
    }
  }
  return entries;
}

Error tilec::refusal(const std::string &assembler, const std::string &arch,
                     std::string_view log) {
  std::string why;
  StringRef rest(log.data(), log.size());
  while (!rest.empty() && why.empty()) {
    auto [line, next] = rest.split('\n');
    rest = next;
    line = line.trim(StringRef(" \t\r\0", 4));
    if (line.contains("error") || line.contains("fatal"))
      why = ": " + line.str();
  }
  return {assembler + " does not assemble the code for " + arch + why};
}

/// The sentence for an assembler that is not there.
static Error notFound(const AssemblerOptions &options) {
  std::string files = options.name == "ptxas" ? "bin/ptxas"
                      : options.name == "nvjitlink"
                          ? "lib64/libnvJitLink.so"
                          : "bin/ptxas or lib64/libnvJitLink.so";
  std::string what = options.name.empty() ? "CUDA toolkit" : options.name;
  return {options.toolkit.empty()
              ? "no " + what +
                    " is found: install the CUDA toolkit, or name its folder "
                    "with --toolkit"
              : "the folder '" + options.toolkit + "' has no " + what +
                    ": expected " + files + " in it",
          ErrorKind::Unavailable};
}

Result<Assembly> tilec::assemble(const std::string &ptx,
                                 const std::string &arch,
                                 const AssemblerOptions &options) {
  ToolkitSearch search;
  if (options.toolkit.empty()) {
    for (const char *folder : {TILEC_CUDA_TOOLKIT, "/usr/local/cuda"})
      if (*folder)
        search.folders.push_back(folder);
  } else {
    search = {{options.toolkit}, false};
  }
  static constexpr struct {
    const char *name;
    Result<Assembly> (*run)(const std::string &, const std::string &,
                            const ToolkitSearch &);
  } assemblers[] = {{"ptxas", assembleByPtxas},
                    {"nvjitlink", assembleByNvJitLink}};
  for (const auto &[name, run] : assemblers) {
    if (!options.name.empty() && options.name != name)
      continue;
    Result<Assembly> result = run(ptx, arch, search);
    if (result || result.errorKind() != ErrorKind::Unavailable)
      return result;
  }
  return notFound(options);
}
