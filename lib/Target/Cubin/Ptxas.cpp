//===- Ptxas.cpp - assembles by the program ptxas -------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Assemblers.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tilec;
using tilec::Error;

namespace {
/// A file in the system's folder for such, gone at the end.
struct TemporaryFile {
  explicit TemporaryFile(StringRef suffix)
      : code(sys::fs::createTemporaryFile("tilec", suffix, path)),
        remover(path) {}

  std::string read() const {
    auto buffer = MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : std::string();
  }

  SmallString<128> path;
  std::error_code code;
  FileRemover remover;
};
} // namespace

/// The program's path; empty if it is not found.
static std::string findPtxas(const ToolkitSearch &search) {
  if (search.asksSystem)
    if (ErrorOr<std::string> found = sys::findProgramByName("ptxas"))
      return *found;
  for (const std::string &folder : search.folders)
    if (ErrorOr<std::string> found =
            sys::findProgramByName("ptxas", {folder + "/bin"}))
      return *found;
  return "";
}

Result<Assembly> tilec::assembleByPtxas(const std::string &ptx,
                                        const std::string &arch,
                                        const ToolkitSearch &search) {
  std::string program = findPtxas(search);
  if (program.empty())
    return Error{"ptxas is not found", ErrorKind::Unavailable};
  TemporaryFile input("ptx"), output("cubin"), log("log");
  for (const TemporaryFile *file : {&input, &output, &log})
    if (file->code)
      return Error{"cannot write a file for ptxas: " + file->code.message()};
  std::error_code code;
  {
    raw_fd_ostream stream(input.path, code);
    stream << ptx;
    stream.flush();
    code = code ? code : stream.error();
    stream.clear_error();
  }
  if (code)
    return Error{"cannot write a file for ptxas: " + code.message()};
  StringRef logPath = log.path;
  std::optional<StringRef> redirects[] = {StringRef(), logPath, logPath};
  std::string message;
  int status = sys::ExecuteAndWait(
      program, {program, "-v", "-arch=" + arch, input.path, "-o", output.path},
      std::nullopt, redirects, /*SecondsToWait=*/0, /*MemoryLimit=*/0,
      &message);
  Assembly assembly;
  assembly.assembler = "ptxas";
  if (status != 0)
    return refusal("ptxas", arch, message.empty() ? log.read() : message);
  assembly.image = output.read();
  assembly.entries = parseResources(log.read());
  return assembly;
}
