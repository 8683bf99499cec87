//===- CompareTest.cpp - does an array hold what is expected --------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tilec/Driver/Compare.h"

#include "tilec/Driver/ArgumentValues.h"

#include <gtest/gtest.h>

using namespace tilec;

/// The array that a command line value makes.
static HostArray make(std::string_view value) {
  Result<ArgumentValue> argument = parseArgument("x=" + std::string(value));
  EXPECT_TRUE(argument) << argument.error();
  return std::move(*argument->array());
}

/// What the comparison says; empty if the arrays agree.
static std::string compare(const HostArray &got, const HostArray &want,
                           double relative = 0, double absolute = 0) {
  return compareArrays(got, want, {relative, absolute}).error();
}

TEST(Compare, AgreesWithItself) {
  for (const char *value :
       {"randn(f32,4,5)", "arange(i64,7)", "full(f16,nan,3)", "full(f32,inf,3)",
        "zeros(f8e4m3,2)"})
    EXPECT_EQ(compare(make(value), make(value)), "");
}

TEST(Compare, ShowsTheFirstAndTheWorst) {
  HostArray got = make("zeros(f32,2,3)");
  got.setBits(1, 0x3f800000); // 1
  got.setBits(5, 0x40000000); // 2
  EXPECT_EQ(
      compare(got, make("zeros(f32,2,3)")),
      "2 of 6 elements differ, the first at [0, 1]: got 1, expected 0, the "
      "worst at [1, 2]: got 2, expected 0");
}

TEST(Compare, Tolerances) {
  HostArray got = make("full(f32,101,4)"), want = make("full(f32,100,4)");
  EXPECT_NE(compare(got, want), "");
  EXPECT_EQ(compare(got, want, 0.01), "");
  EXPECT_EQ(compare(got, want, 0, 1), "");
  EXPECT_NE(compare(got, want, 0.009), "");
}

TEST(Compare, SpecialValuesNeedThemselves) {
  HostArray inf = make("full(f32,inf,1)"), nan = make("full(f32,nan,1)"),
            one = make("full(f32,1,1)");
  EXPECT_NE(compare(one, inf, 1, 1), "");
  EXPECT_NE(compare(inf, one, 1, 1), "");
  EXPECT_NE(compare(nan, one, 1, 1), "");
  EXPECT_NE(compare(one, nan, 1, 1), "");
  EXPECT_NE(compare(nan, inf, 1, 1), "");
}

TEST(Compare, TypesMayDifferSizesMayNot) {
  EXPECT_EQ(compare(make("full(f16,2,4)"), make("full(i32,2,2,2)")), "");
  EXPECT_EQ(compare(make("zeros(f32,4)"), make("zeros(f32,5)")),
            "expected 5 elements, got 4");
}

TEST(Compare, LongIntegers) {
  EXPECT_NE(compare(make("full(i64,9007199254740993,1)"),
                    make("full(i64,9007199254740992,1)")),
            "");
}
