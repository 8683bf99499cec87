//===- OutputFile.cpp - writes a file whole or not at all -----------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A regular file is written beside its place and renamed into it; a device or a
// pipe is written as it is.
//
//===----------------------------------------------------------------------===//

#include "OutputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tilec;

/// "cannot write NAME: why".
static tilec::Error cannotWrite(const Twine &name, std::error_code code) {
  std::string why = code.message();
  if (!why.empty())
    why[0] = llvm::toLower(why[0]);
  return {"cannot write " + name.str() + ": " + why};
}

/// Writes all of `text` and closes the stream.
static std::error_code writeAll(raw_fd_ostream &stream, StringRef text) {
  stream << text;
  stream.flush();
  std::error_code code = stream.error();
  stream.clear_error(); // or LLVM ends the process over it
  return code;
}

Status tilec::writeOutput(StringRef file, StringRef text) {
  if (file == "-") {
    std::error_code code = writeAll(outs(), text);
    return code ? Status(cannotWrite("the standard output", code)) : Status();
  }
  sys::fs::file_status status;
  std::error_code code = sys::fs::status(file, status);
  if (!code && sys::fs::is_directory(status))
    return cannotWrite("'" + file + "'",
                       std::make_error_code(std::errc::is_a_directory));
  if (!code && !sys::fs::is_regular_file(status)) {
    raw_fd_ostream stream(file, code);
    if (!code)
      code = writeAll(stream, text);
    return code ? Status(cannotWrite("'" + file + "'", code)) : Status();
  }
  // Through a symbolic link, to keep it.
  SmallString<128> target(file);
  if (!code && sys::fs::real_path(file, target))
    target = file;
  Expected<sys::fs::TempFile> temporary = sys::fs::TempFile::create(
      target + ".%%%%%%", sys::fs::all_read | sys::fs::all_write);
  if (!temporary)
    return cannotWrite("'" + file + "'",
                       errorToErrorCode(temporary.takeError()));
  raw_fd_ostream stream(temporary->FD, /*shouldClose=*/false);
  code = writeAll(stream, text);
  if (!code)
    code = errorToErrorCode(temporary->keep(target));
  else
    consumeError(temporary->discard());
  return code ? Status(cannotWrite("'" + file + "'", code)) : Status();
}
