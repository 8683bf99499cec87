//===- HostArrayTest.cpp - arrays and their generators --------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Conversions with their refusals, and the generators: known answers, since the
// numbers are the same on every machine, and statistics.
//
//===----------------------------------------------------------------------===//

#include "tilec/KernelInfo/Generators.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace tilec;

TEST(HostArray, RefusesBadShapes) {
  EXPECT_EQ(HostArray::zeros(ElementType::I8, {2, -1}).error(),
            "expected sizes of at least 0, got -1");
  EXPECT_FALSE(
      HostArray::zeros(ElementType::FP64, {INT64_MAX, INT64_MAX, INT64_MAX}));
  EXPECT_FALSE(HostArray::zeros(ElementType::FP64, {int64_t(1) << 55}));
  auto empty = HostArray::zeros(ElementType::FP64, {0, INT64_MAX, INT64_MAX});
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->numElements(), 0u);
}

TEST(HostArray, Integers) {
  EXPECT_EQ(encodeInt(ElementType::I8, -128), 0x80u);
  EXPECT_FALSE(encodeInt(ElementType::I8, 128));
  EXPECT_EQ(encodeInt(ElementType::U8, 255), 255u);
  EXPECT_FALSE(encodeInt(ElementType::U8, -1));
  EXPECT_EQ(encodeInt(ElementType::I1, 1), 1u);
  EXPECT_FALSE(encodeInt(ElementType::I1, -1));
  EXPECT_EQ(encodeInt(ElementType::I64, INT64_MIN), uint64_t(1) << 63);
  EXPECT_EQ(encodeInt(ElementType::U64, false, UINT64_MAX), UINT64_MAX);
  EXPECT_FALSE(encodeInt(ElementType::I64, false, uint64_t(1) << 63));
  EXPECT_EQ(rangeText(ElementType::U64), "0 to 18446744073709551615");
  EXPECT_EQ(rangeText(ElementType::I16), "-32768 to 32767");
}

TEST(HostArray, Converts) {
  auto floats =
      makeFull(ElementType::FP64, {2}, encodeFloat(ElementType::FP64, -3));
  floats->setBits(1, encodeFloat(ElementType::FP64, 1.5));
  EXPECT_EQ(convertArray(*floats, ElementType::BF16)->getDouble(1), 1.5);
  EXPECT_EQ(convertArray(*floats, ElementType::I32).error(),
            "element 1 is 1.5, which is not an integer in i32's range "
            "-2147483648 to 2147483647");
  floats->setBits(1, encodeFloat(ElementType::FP64, NAN));
  EXPECT_FALSE(convertArray(*floats, ElementType::I64));
  floats->setBits(1, encodeFloat(ElementType::FP64, 1e300));
  EXPECT_FALSE(convertArray(*floats, ElementType::U64));
  floats->setBits(1, encodeFloat(ElementType::FP64, 7));
  EXPECT_EQ(convertArray(*floats, ElementType::I8)->getInt(0), -3);
  auto wide = makeFull(ElementType::U64, {1}, UINT64_MAX);
  EXPECT_FALSE(convertArray(*wide, ElementType::I64));
  EXPECT_EQ(convertArray(*wide, ElementType::FP32)->getDouble(0),
            18446744073709551616.0);
}

TEST(Generators, PhiloxKnownAnswers) {
  using Words = std::array<uint32_t, 4>;
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

TEST(Generators, LogIsAccurate) {
  for (double x = 1e-290; x < 1e290; x *= 1.37)
    EXPECT_NEAR(portableLog(x), std::log(x), 4e-16 * std::fabs(std::log(x)));
}

TEST(Generators, NormalNumbers) {
  auto a = makeRandn(ElementType::FP64, {1001, 100}, 1);
  ASSERT_TRUE(a);
  double moment[5] = {};
  for (uint64_t i = 0; i < a->numElements(); ++i)
    for (int p = 1; p < 5; ++p)
      moment[p] += std::pow(a->getDouble(i), p) / a->numElements();
  EXPECT_NEAR(moment[1], 0, 0.01);
  EXPECT_NEAR(moment[2], 1, 0.02);
  EXPECT_NEAR(moment[3], 0, 0.05);
  EXPECT_NEAR(moment[4], 3, 0.1);
  // A prefix has the same elements, another seed has others, and the narrow
  // types are the wide numbers rounded.
  auto b = makeRandn(ElementType::BF16, {333}, 1);
  auto c = makeRandn(ElementType::FP64, {333}, 2);
  for (uint64_t i = 0; i < 333; ++i) {
    EXPECT_EQ(b->getBits(i), encodeFloat(ElementType::BF16, a->getDouble(i)));
    EXPECT_NE(c->getDouble(i), a->getDouble(i));
  }
  EXPECT_FALSE(makeRandn(ElementType::I32, {3}, 0));
}

TEST(Generators, SameBitsEverywhere) {
  auto a = makeRandn(ElementType::FP64, {4}, 42);
  uint64_t first = a->getBits(0), last = a->getBits(3);
  EXPECT_EQ(first, 0xbfda4cf416d42f64) << std::hex << first;
  EXPECT_EQ(last, 0xbfe092ac23fd0bf5) << std::hex << last;
}

TEST(Generators, UniformNumbers) {
  for (ElementType type : {ElementType::FP64, ElementType::FP32,
                           ElementType::BF16, ElementType::FP8E5}) {
    auto a = makeRand(type, {20000}, 3);
    double sum = 0;
    for (uint64_t i = 0; i < a->numElements(); ++i) {
      double value = a->getDouble(i);
      ASSERT_GE(value, 0);
      ASSERT_LT(value, 1);
      sum += value / a->numElements();
    }
    EXPECT_NEAR(sum, 0.5, type == ElementType::FP8E5 ? 0.08 : 0.01);
  }
  auto b = makeRandint(ElementType::I8, -3, 4, {1000}, 0);
  bool seen[7] = {};
  for (uint64_t i = 0; i < 1000; ++i) {
    ASSERT_GE(b->getInt(i), -3);
    ASSERT_LT(b->getInt(i), 4);
    seen[b->getInt(i) + 3] = true;
  }
  for (bool s : seen)
    EXPECT_TRUE(s);
  EXPECT_FALSE(makeRandint(ElementType::I8, 0, 200, {3}, 0));
  EXPECT_FALSE(makeRandint(ElementType::I8, 5, 5, {3}, 0));
  // The same numbers as floats, as far as these are exact.
  auto c = makeRandint(ElementType::FP16, -3, 4, {1000}, 0);
  for (uint64_t i = 0; i < 1000; ++i)
    ASSERT_EQ(c->getDouble(i), b->getInt(i));
  EXPECT_TRUE(makeRandint(ElementType::FP16, -2048, 2049, {3}, 0));
  EXPECT_EQ(makeRandint(ElementType::FP16, 0, 2050, {3}, 0).error(),
            "the integers from 0 to 2049 are not all exact in f16, which has "
            "those up to 2048");
}

TEST(Generators, Arange) {
  auto a = makeArange(ElementType::FP16, {2, 3});
  for (uint64_t i = 0; i < 6; ++i)
    EXPECT_EQ(a->getDouble(i), i);
  EXPECT_TRUE(makeArange(ElementType::I8, {128}));
  EXPECT_EQ(makeArange(ElementType::I8, {129}).error(),
            "the integers from 0 to 128 do not fit i8");
}
