//===- NamedLayoutsTest.cpp - Constructors and their text -----------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The layouts of docs/Layouts as text; the text reads back to the same layout.
//
//===----------------------------------------------------------------------===//

#include "tilec/Layout/Constructors.h"
#include "gtest/gtest.h"

using namespace tilec;

/// A constructor evaluated, and what it must print as.
struct NamedLayout {
  LinearLayout layout;
  const char *text;
};

TEST(NamedLayouts, Text) {
  // clang-format off
  NamedLayout cases[] = {
      {mmaC({16, 8}),
       "#tilegpu.layout<[16, 8], register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>"},
      {mmaA({16, 16}, 16),
       "#tilegpu.layout<[16, 16], register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>"},
      {mmaB({16, 8}, 16),
       "#tilegpu.layout<[16, 8], register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>"},
      {mmaA({16, 8}, 32),
       "#tilegpu.layout<[16, 8], register = [[8, 0], [0, 4]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]]>"},
      {mmaB({8, 8}, 32),
       "#tilegpu.layout<[8, 8], register = [[4, 0]], lane = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]]>"},
      {mmaA({16, 32}, 8),
       "#tilegpu.layout<[16, 32], register = [[0, 1], [0, 2], [8, 0], [0, 16]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]>"},
      {mmaB({32, 8}, 8),
       "#tilegpu.layout<[32, 8], register = [[1, 0], [2, 0], [16, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]]>"},
      {wgmmaAcc({64, 32}, 32),
       "#tilegpu.layout<[64, 32], register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>"},
      {mmaA({64, 16}, 16, {4, 1}),
       "#tilegpu.layout<[64, 16], register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>"},
      {mmaC({64, 32}, {4, 1}).slice(1).dedupRegisters(),
       "#tilegpu.layout<[64], register = [[8]], lane = [[0], [0], [1], [2], [4]], warp = [[16], [32]]>"},
      {blocked({16, 32}, {1, 4}, {4, 8}, {2, 1}, {1, 0}),
       "#tilegpu.layout<[16, 32], register = [[0, 1], [0, 2], [8, 0]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0]]>"},
      {ldmatrixFragment(4),
       "#tilegpu.layout<[4, 8, 8], register = [[0, 0, 1], [1, 0, 0], [2, 0, 0]], lane = [[0, 0, 2], [0, 0, 4], [0, 1, 0], [0, 2, 0], [0, 4, 0]]>"},
      {ldmatrixFragment(4, true),
       "#tilegpu.layout<[4, 8, 8], register = [[0, 1, 0], [1, 0, 0], [2, 0, 0]], lane = [[0, 2, 0], [0, 4, 0], [0, 0, 1], [0, 0, 2], [0, 0, 4]]>"},
      {ldmatrixRows(4),
       "#tilegpu.layout<[4, 8, 8], register = [[0, 0, 1], [0, 0, 2], [0, 0, 4]], lane = [[0, 1, 0], [0, 2, 0], [0, 4, 0], [1, 0, 0], [2, 0, 0]]>"},
      {sharedTma({16, 64}, 16, 128, 1),
       "#tilegpu.layout<[16, 64], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0]]>"},
      {sharedTma({16, 32}, 16, 64, 1),
       "#tilegpu.layout<[16, 32], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0]]>"},
      {sharedTma({16, 16}, 16, 32, 1),
       "#tilegpu.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0]]>"},
      {sharedCore({16, 16}, 16, 1),
       "#tilegpu.layout<[16, 16], offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0], [0, 8]]>"},  };
  // clang-format on
  for (const NamedLayout &named : cases) {
    EXPECT_EQ(named.layout.str(), named.text);
    std::string error;
    std::optional<LinearLayout> parsed = LinearLayout::parse(named.text, error);
    ASSERT_TRUE(parsed) << error;
    EXPECT_EQ(*parsed, named.layout);
  }
}
