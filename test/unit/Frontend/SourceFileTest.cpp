//===- SourceFileTest.cpp - reading of sources ----------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tilec/Frontend/SourceFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <unistd.h>

using namespace tilec;

// A text that is mapped into memory ends the process where it is looked at.
TEST(SourceFile, KeepsItsTextWhenTheFileShrinks) {
  llvm::SmallString<128> path;
  int file = -1;
  ASSERT_FALSE(
      llvm::sys::fs::createTemporaryFile("source", "tile", file, path));
  std::string text(1 << 20, 'x');
  llvm::raw_fd_ostream(file, /*shouldClose=*/true) << text;
  std::string why;
  std::unique_ptr<llvm::MemoryBuffer> buffer = readSource(path, why);
  ASSERT_TRUE(buffer) << why;
  ASSERT_EQ(truncate(path.c_str(), 0), 0);
  EXPECT_EQ(buffer->getBuffer(), text);
  llvm::sys::fs::remove(path);
  EXPECT_FALSE(readSource(path, why));
  EXPECT_EQ(why, "no such file or directory");
}
