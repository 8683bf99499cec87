//===- ConstantsTest.cpp - values that are part of compiled code ----------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Which values of which types are a constant's, and what is said of others.
//
//===----------------------------------------------------------------------===//

#include "tilec/KernelInfo/Constants.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace tilec;

static bool equal(json::Value constant, const char *type, uint64_t bits) {
  return isEqual(constant, *parseParamType(type), bits);
}

static uint64_t f32(double value) {
  return encodeFloat(ElementType::FP32, value);
}

TEST(Constants, IntegersAreEqualByValue) {
  for (const char *type : {"i16", "i32", "i64", "u16", "u32", "u64"}) {
    EXPECT_TRUE(equal(256, type, 256)) << type;
    EXPECT_FALSE(equal(256, type, 128)) << type;
    EXPECT_TRUE(equal(true, type, 1)) << type;
    EXPECT_FALSE(equal(false, type, 1)) << type;
    EXPECT_FALSE(equal("256", type, 256)) << type;
    EXPECT_FALSE(equal(json::Value(), type, 0)) << type;
  }
  EXPECT_TRUE(equal(-1, "i32", 0xffffffff));
  EXPECT_TRUE(equal(-1, "i32", ~uint64_t(0)));
  EXPECT_FALSE(equal(-1, "u32", 0xffffffff));
  EXPECT_TRUE(equal(uint64_t(0xffffffff), "u32", 0xffffffff));
  EXPECT_FALSE(equal(256, "i8", 256)); // its bits are those of 0
  EXPECT_TRUE(equal(true, "i1", 1));
  EXPECT_TRUE(equal(2.0, "i32", 2));
  EXPECT_FALSE(equal(2.5, "i32", 2));
}

TEST(Constants, IntegersOf64BitsAreExact) {
  int64_t big = (int64_t(1) << 60) + 1;
  EXPECT_TRUE(equal(big, "i64", big));
  EXPECT_FALSE(equal(big, "i64", big - 1));
  EXPECT_TRUE(equal(~uint64_t(0), "u64", ~uint64_t(0)));
  EXPECT_FALSE(equal(~uint64_t(0), "u64", ~uint64_t(0) - 1));
}

TEST(Constants, FloatsAreEqualInTheirPrecision) {
  EXPECT_TRUE(equal(0.1, "fp32", f32(0.1)));
  EXPECT_FALSE(equal(0.1, "fp32", f32(0.1) + 1));
  EXPECT_TRUE(equal(0.1, "fp64", encodeFloat(ElementType::FP64, 0.1)));
  EXPECT_FALSE(
      equal(0.1, "fp64", encodeFloat(ElementType::FP64, double(0.1f))));
  EXPECT_TRUE(equal(0.1, "bf16", encodeFloat(ElementType::BF16, 0.1)));
  EXPECT_TRUE(equal(2, "fp32", f32(2)));
  EXPECT_FALSE(equal(2, "fp32", f32(2.5)));
  EXPECT_TRUE(equal(HUGE_VAL, "fp32", f32(HUGE_VAL)));
  EXPECT_FALSE(equal(HUGE_VAL, "fp32", f32(-HUGE_VAL)));
  EXPECT_TRUE(equal(-HUGE_VAL, "fp32", f32(-HUGE_VAL)));
  EXPECT_TRUE(equal(std::nan(""), "fp32", f32(std::nan(""))));
  EXPECT_FALSE(equal(std::nan(""), "fp32", f32(0)));
  EXPECT_FALSE(equal("text", "fp32", f32(0)));
}

TEST(Constants, NoneIsANullPointer) {
  EXPECT_TRUE(equal(json::Value(), "*fp32", 0));
  EXPECT_FALSE(equal(json::Value(), "*fp32", 0x1000));
  EXPECT_FALSE(equal(0, "*fp32", 0));
}

TEST(Constants, MessagesNameBothValues) {
  auto error = [](json::Value constant, const char *type, uint64_t bits) {
    Status status = checkConstant({"BLOCK", std::move(constant)}, "add",
                                  *parseParamType(type), bits);
    EXPECT_EQ(status.errorKind(), ErrorKind::Mismatch);
    return status.error();
  };
  EXPECT_EQ(
      error(256, "i32", 128),
      "argument 'BLOCK' is 128, kernel 'add' was compiled for BLOCK == 256");
  EXPECT_EQ(
      error(256, "i32", 0xffffffff),
      "argument 'BLOCK' is -1, kernel 'add' was compiled for BLOCK == 256");
  EXPECT_EQ(
      error(0.5, "fp32", f32(1.5)),
      "argument 'BLOCK' is 1.5, kernel 'add' was compiled for BLOCK == 0.5");
  EXPECT_EQ(error(json::Value(), "*fp32", 0x1000),
            "argument 'BLOCK' is 0x1000, kernel 'add' was compiled for BLOCK "
            "== None");
  EXPECT_EQ(
      error("a", "i32", 1),
      "argument 'BLOCK' is 1, kernel 'add' was compiled for BLOCK == \"a\"");
  EXPECT_EQ(
      checkConstant({"BLOCK", 256}, "add", *parseParamType("i32"), 256).error(),
      "");
}
