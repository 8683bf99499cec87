//===- ResourcesTest.cpp - what ptxas says under -v -----------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tilec/Target/Cubin/Cubin.h"

#include "gtest/gtest.h"

using namespace tilec;

TEST(Resources, OfEachEntry) {
  std::vector<EntryResources> entries = parseResources(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'a' for 'sm_90a'\n"
      "ptxas info    : Function properties for a\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 156 registers, used 1 barriers\n"
      "ptxas info    : Compile time = 1.000 ms\n"
      "ptxas info    : Compiling entry function 'b__1' for 'sm_90a'\n"
      "ptxas info    : Function properties for b__1\n"
      "ptxas         .     40 bytes stack frame, 36 bytes spill stores, 44 "
      "bytes spill loads\n"
      "ptxas info    : Used 255 registers, 40 bytes cumulative stack size\n"
      "info    : used 9 registers, 0 stack\n");
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].entry, "a");
  EXPECT_EQ(entries[0].registers, 156u);
  EXPECT_EQ(entries[0].stack, 0u);
  EXPECT_EQ(entries[1].entry, "b__1");
  EXPECT_EQ(entries[1].registers, 255u);
  EXPECT_EQ(entries[1].stack, 40u);
  EXPECT_EQ(entries[1].spillStores, 36u);
  EXPECT_EQ(entries[1].spillLoads, 44u);
}

TEST(Resources, OfAnyText) {
  EXPECT_TRUE(parseResources("").empty());
  EXPECT_TRUE(parseResources("Used 3 registers\n0 bytes stack frame").empty());
  std::vector<EntryResources> entries = parseResources(
      "Compiling entry function 'open\nx bytes stack frame\n registers");
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].registers, 0u);
}

TEST(Resources, WithoutAToolkit) {
  Result<Assembly> none = assemble("", "sm_80", {"", "/nonexistent"});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.errorKind(), ErrorKind::Unavailable);
}
