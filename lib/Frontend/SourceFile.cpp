//===- SourceFile.cpp - reads a source ------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tilec/Frontend/SourceFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

std::unique_ptr<MemoryBuffer> tilec::readSource(StringRef file,
                                                std::string &why) {
  sys::fs::file_status status;
  bool isKnown = file != "-" && !sys::fs::status(file, status);
  if (isKnown && status.type() == sys::fs::file_type::character_file) {
    why = "it is a device"; // maybe endless
    return nullptr;
  }
  // One without a writer is waited for. `<(command)` of a shell has one, below
  // /dev or /proc.
  if (isKnown && status.type() == sys::fs::file_type::fifo_file &&
      !file.starts_with("/dev/") && !file.starts_with("/proc/")) {
    why = "it is a pipe; give it as the standard input, with - as the file";
    return nullptr;
  }
  // A volatile file is read, not mapped into memory.
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      file == "-" ? MemoryBuffer::getSTDIN()
                  : MemoryBuffer::getFile(file, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/true,
                                          /*IsVolatile=*/true);
  if (buffer)
    return std::move(*buffer);
  why = buffer.getError().message();
  why[0] = toLower(why[0]);
  return nullptr;
}
