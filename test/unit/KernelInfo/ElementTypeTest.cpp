//===- ElementTypeTest.cpp - names and number formats ---------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Every pattern of the narrow formats against an independent definition, and
// rounding at the midpoints.
//
//===----------------------------------------------------------------------===//

#include "tilec/KernelInfo/ElementType.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace tilec;

static constexpr ElementType narrow[] = {ElementType::FP16, ElementType::BF16,
                                         ElementType::FP8E4NV,
                                         ElementType::FP8E5};

/// The sign bit of a format as a pattern.
static uint64_t signBit(ElementType type) {
  return uint64_t(1) << (bitWidth(type) - 1);
}

TEST(ElementType, NamesRoundTrip) {
#define TILEC_ELEMENT_TYPE(Enum, triton, short, bits, bytes, kind, npy)        \
  EXPECT_EQ(parseElementType(triton), ElementType::Enum);                      \
  EXPECT_EQ(parseElementType(short), ElementType::Enum);                       \
  EXPECT_EQ(tritonName(ElementType::Enum), triton);                            \
  EXPECT_EQ(shortName(ElementType::Enum), short);
#define TILEC_ELEMENT_ALIAS(Enum, name)                                        \
  EXPECT_EQ(parseElementType(name), ElementType::Enum);
#include "tilec/KernelInfo/ElementTypes.def"
  EXPECT_FALSE(parseElementType(""));
  EXPECT_FALSE(parseElementType("fp33"));
  EXPECT_FALSE(parseElementType("fp3"));
}

TEST(ElementType, ParamTypes) {
  EXPECT_EQ(parseParamType("*f32")->str(), "*fp32");
  EXPECT_EQ(parseParamType("*kbf16")->str(), "*kbf16");
  EXPECT_EQ(parseParamType("i64")->str(), "i64");
  EXPECT_EQ(parseParamType("*i1")->argumentSize(), 8u);
  EXPECT_EQ(parseParamType("i1")->argumentSize(), 1u);
  EXPECT_FALSE(parseParamType("*"));
  EXPECT_FALSE(parseParamType("**fp32"));
  EXPECT_FALSE(parseParamType("kfp32"));
}

TEST(ElementType, EveryPatternRoundTrips) {
  for (ElementType type : narrow)
    for (uint64_t bits = 0; bits < uint64_t(1) << bitWidth(type); ++bits) {
      double value = decodeFloat(type, bits);
      if (std::isnan(value)) {
        EXPECT_TRUE(std::isnan(decodeFloat(type, encodeFloat(type, value))));
        continue;
      }
      if (std::isinf(value) && type == ElementType::FP8E5)
        continue; // saturates
      EXPECT_EQ(encodeFloat(type, value), bits) << shortName(type);
    }
}

TEST(ElementType, RoundsToNearestEven) {
  for (ElementType type : narrow) {
    uint64_t largest = 0; // the positive finite patterns are 0..largest
    while (std::isfinite(decodeFloat(type, largest + 1)))
      ++largest;
    for (uint64_t bits = 0; bits < largest; ++bits) {
      double low = decodeFloat(type, bits), high = decodeFloat(type, bits + 1);
      double middle = low + (high - low) / 2; // exact in double
      ASSERT_LT(low, high);
      uint64_t even = bits & 1 ? bits + 1 : bits;
      EXPECT_EQ(encodeFloat(type, middle), even);
      EXPECT_EQ(encodeFloat(type, -middle), even | signBit(type));
      EXPECT_EQ(encodeFloat(type, std::nextafter(middle, 0)), bits);
      EXPECT_EQ(encodeFloat(type, std::nextafter(middle, high)), bits + 1);
    }
  }
}

TEST(ElementType, KnownValues) {
  EXPECT_EQ(floatToBF16(1.0f), 0x3f80);
  EXPECT_EQ(floatToFP16(65504.0f), 0x7bff);
  EXPECT_EQ(floatToFP16(65520.0f), 0x7c00); // half way to 2^16: infinity
  EXPECT_EQ(floatToFP16(-5.9604645e-8f), 0x8001);
  EXPECT_EQ(fp8E4NVToFloat(0x7e), 448.0f);
  EXPECT_EQ(fp8E5ToFloat(0x7b), 57344.0f);
  EXPECT_TRUE(std::isinf(fp8E5ToFloat(0x7c)));
  EXPECT_EQ(bf16ToFloat(0x0001), std::ldexp(1.0f, -133));
  EXPECT_EQ(encodeFloat(ElementType::FP32, 1e-45), 1u);
  EXPECT_EQ(encodeFloat(ElementType::FP32, 1.0), 0x3f800000u);
}

TEST(ElementType, ExtremesOfFP8Saturate) {
  float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(floatToFP8E4NV(1e9f), 0x7e);
  EXPECT_EQ(floatToFP8E4NV(-infinity), 0xfe);
  EXPECT_EQ(floatToFP8E5(infinity), 0x7b);
  EXPECT_TRUE(std::isnan(fp8E4NVToFloat(floatToFP8E4NV(NAN))));
  EXPECT_TRUE(std::isnan(fp8E5ToFloat(floatToFP8E5(NAN))));
  EXPECT_TRUE(std::isinf(bf16ToFloat(floatToBF16(infinity))));
  EXPECT_TRUE(std::isnan(bf16ToFloat(floatToBF16(NAN))));
}
