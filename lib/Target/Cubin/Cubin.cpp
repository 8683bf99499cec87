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

Result<Assembly> tilec::assemble(const std::string &ptx,
                                 const std::string &arch,
                                 const std::string &toolkit) {
  ToolkitSearch search;
  if (toolkit.empty()) {
    for (const char *folder : {TILEC_CUDA_TOOLKIT, "/usr/local/cuda"})
      if (*folder)
        search.folders.push_back(folder);
  } else {
    search = {{toolkit}, false};
  }
  Result<Assembly> result = assembleByNvJitLink(ptx, arch, search);
  if (!result && result.errorKind() == ErrorKind::Unavailable)
    result = assembleByPtxas(ptx, arch, search);
  if (!result && result.errorKind() == ErrorKind::Unavailable)
    return Error{toolkit.empty()
                     ? "no CUDA toolkit is found: install nvJitLink or ptxas, "
                       "or name its folder with --toolkit"
                     : "the folder '" + toolkit +
                           "' has no CUDA toolkit: expected "
                           "lib64/libnvJitLink.so or bin/ptxas in it",
                 ErrorKind::Unavailable};
  return result;
}
