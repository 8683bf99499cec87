//===- CastTest.cpp - conversions -----------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM
// Exceptions.
//
// Every pair of float formats and every rounding mode against LLVM's software
// floats; conversions from and to integers at their edges.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "gtest/gtest.h"
#include <climits>
#include <cmath>
#include <random>

using namespace llvm;
using namespace tilec::interpreter;

/// A format: its name in IR, its semantics, its largest number if it saturates.
struct FloatFormat {
  const char *name;
  const fltSemantics &semantics;
  unsigned bits;
  bool saturates;
};

static const FloatFormat kFormats[] = {
    {"f8E4M3FN", APFloat::Float8E4M3FN(), 8, true},
    {"f8E5M2", APFloat::Float8E5M2(), 8, true},
    {"f16", APFloat::IEEEhalf(), 16, false},
    {"bf16", APFloat::BFloat(), 16, false},
    {"f32", APFloat::IEEEsingle(), 32, false},
    {"f64", APFloat::IEEEdouble(), 64, false},
};

/// Runs a conversion on elements of `From` bits; the bits of the results.
template <typename To, typename From>
static std::vector<uint64_t>
convert(const std::string &from, const std::string &to, const std::string &body,
        const std::vector<uint64_t> &in) {
  std::vector<From> narrowed(in.begin(), in.end());
  std::vector<To> out = evaluate<To, From>(from, to, body, {narrowed});
  return std::vector<uint64_t>(out.begin(), out.end());
}

/// Chooses the C++ types by the sizes.
static std::vector<uint64_t> convert(const FloatFormat &from,
                                     const FloatFormat &to,
                                     const std::string &body,
                                     const std::vector<uint64_t> &in) {
  auto toType = [&](auto element) {
    using From = decltype(element);
    switch (to.bits) {
    case 8:
      return convert<uint8_t, From>(from.name, to.name, body, in);
    case 16:
      return convert<uint16_t, From>(from.name, to.name, body, in);
    case 32:
      return convert<uint32_t, From>(from.name, to.name, body, in);
    default:
      return convert<uint64_t, From>(from.name, to.name, body, in);
    }
  };
  switch (from.bits) {
  case 8:
    return toType(uint8_t());
  case 16:
    return toType(uint16_t());
  case 32:
    return toType(uint32_t());
  default:
    return toType(uint64_t());
  }
}

/// All numbers of a narrow format; many of a wide one, with those near the
/// edges and the middles between numbers of narrower formats.
static std::vector<uint64_t> samples(const FloatFormat &format) {
  std::vector<uint64_t> values;
  if (format.bits <= 16) {
    for (uint64_t i = 0; i < uint64_t(1) << format.bits; ++i)
      values.push_back(i);
    return values;
  }
  std::mt19937_64 random(7);
  uint64_t mask = format.bits == 64 ? ~uint64_t(0) : 0xFFFFFFFF;
  for (int i = 0; i < 20000; ++i)
    values.push_back(random() & mask);
  // Numbers of every exponent that is near the narrow formats', with few bits
  // set.
  int mantissa = format.bits == 64 ? 52 : 23,
      bias = format.bits == 64 ? 1023 : 127;
  for (int exponent = -45; exponent <= 20; ++exponent)
    for (int i = 0; i < 200; ++i) {
      uint64_t fraction = (random() & random()) >> (64 - mantissa);
      if (i % 2) // a tie, or next to one
        fraction =
            (fraction >> (i % mantissa) << (i % mantissa)) + (i % 3 == 0);
      uint64_t bits = (uint64_t(exponent + bias) << mantissa) +
                      (fraction & ((uint64_t(1) << mantissa) - 1));
      values.push_back(bits |
                       (i % 5 == 0 ? uint64_t(1) << (format.bits - 1) : 0));
    }
  return values;
}

/// The conversion by LLVM, and the project's rule for 8-bit formats: saturate.
static uint64_t expected(uint64_t bits, const FloatFormat &from,
                         const FloatFormat &to, APFloat::roundingMode mode) {
  APFloat value(from.semantics, APInt(from.bits, bits));
  bool loses, negative = value.isNegative(), isNaN = value.isNaN();
  value.convert(to.semantics, mode, &loses);
  if (to.saturates && !isNaN && !value.isFinite())
    value = APFloat::getLargest(to.semantics, negative);
  return value.bitcastToAPInt().getZExtValue();
}

/// Is this a NaN of the format?
static bool isNaN(uint64_t bits, const FloatFormat &format) {
  return APFloat(format.semantics, APInt(format.bits, bits)).isNaN();
}

static void compare(const FloatFormat &from, const FloatFormat &to,
                    const std::string &op, APFloat::roundingMode mode) {
  std::vector<uint64_t> in = samples(from);
  std::string n = "tensor<" + std::to_string(in.size()) + "x";
  std::vector<uint64_t> got = convert(
      from, to,
      "%r = " + op + " : " + n + from.name + "> to " + n + to.name + ">", in);
  ASSERT_EQ(got.size(), in.size());
  for (size_t i = 0; i < in.size(); ++i) {
    uint64_t want = expected(in[i], from, to, mode);
    if (isNaN(in[i], from))
      ASSERT_TRUE(isNaN(got[i], to))
          << op << " " << from.name << " " << std::hex << in[i];
    else
      ASSERT_EQ(got[i], want) << op << " " << from.name << " to " << to.name
                              << " of " << std::hex << in[i];
  }
}

TEST(Casts, FloatsToWiderFloats) {
  for (const FloatFormat &from : kFormats)
    for (const FloatFormat &to : kFormats)
      if (from.bits < to.bits)
        compare(from, to, "arith.extf %a", APFloat::rmNearestTiesToEven);
}

TEST(Casts, FloatsToNarrowerFloatsInEveryMode) {
  std::pair<const char *, APFloat::roundingMode> modes[] = {
      {"arith.truncf %a", APFloat::rmNearestTiesToEven},
      {"arith.truncf %a to_nearest_even", APFloat::rmNearestTiesToEven},
      {"arith.truncf %a to_nearest_away", APFloat::rmNearestTiesToAway},
      {"arith.truncf %a toward_zero", APFloat::rmTowardZero},
      {"arith.truncf %a downward", APFloat::rmTowardNegative},
      {"arith.truncf %a upward", APFloat::rmTowardPositive}};
  for (const auto &[op, mode] : modes)
    for (const FloatFormat &from : kFormats)
      for (const FloatFormat &to : kFormats)
        if (from.bits > to.bits)
          compare(from, to, op, mode);
}

TEST(Casts, FloatsToIntegersSaturate) {
  std::vector<float> in = {1.9f, -1.9f, NAN,   INFINITY, -INFINITY,
                           3e9f, -3e9f, 1e20f, 300,      -0.5f};
  std::string f = "tensor<10xf32>";
  EXPECT_EQ((evaluate<int32_t, float>(
                "f32", "i32",
                "%r = arith.fptosi %a : " + f + " to tensor<10xi32>", {in})),
            (std::vector<int32_t>{1, -1, 0, INT_MAX, INT_MIN, INT_MAX, INT_MIN,
                                  INT_MAX, 300, 0}));
  EXPECT_EQ((evaluate<uint32_t, float>(
                "f32", "i32",
                "%r = arith.fptoui %a : " + f + " to tensor<10xi32>", {in})),
            (std::vector<uint32_t>{1, 0, 0, UINT_MAX, 0, 3000000000u, 0,
                                   UINT_MAX, 300, 0}));
  EXPECT_EQ((evaluate<int8_t, float>(
                "f32", "i8",
                "%r = arith.fptosi %a : " + f + " to tensor<10xi8>", {in})),
            (std::vector<int8_t>{1, -1, 0, 127, -128, 127, -128, 127, 127, 0}));
  EXPECT_EQ((evaluate<uint8_t, float>(
                "f32", "i8",
                "%r = arith.fptoui %a : " + f + " to tensor<10xi8>", {in})),
            (std::vector<uint8_t>{1, 0, 0, 255, 0, 255, 0, 255, 255, 0}));
  EXPECT_EQ(
      (evaluate<int64_t, double>(
          "f64", "i64", "%r = arith.fptosi %a : tensor<3xf64> to tensor<3xi64>",
          {{1e30, -1e30, 4503599627370497.0}})),
      (std::vector<int64_t>{INT64_MAX, INT64_MIN, 4503599627370497}));
  EXPECT_EQ(
      (evaluate<uint64_t, double>(
          "f64", "i64", "%r = arith.fptoui %a : tensor<2xf64> to tensor<2xi64>",
          {{1e19, 1e20}})),
      (std::vector<uint64_t>{10000000000000000000u, UINT64_MAX}));
}

TEST(Casts, IntegersToFloatsRoundOnce) {
  // Through f32 or f64 some of these would round twice.
  std::vector<int64_t> in = {0,
                             1,
                             -1,
                             16777217,
                             33554433,
                             2049,
                             4098,
                             INT64_MAX,
                             INT64_MIN,
                             (1ll << 62) + (1ll << 54) + 1,
                             (1ll << 40) + (1ll << 31) + 1,
                             65519,
                             65520,
                             -65521,
                             257,
                             0x8080};
  std::string n = "tensor<" + std::to_string(in.size()) + "x";
  for (const FloatFormat &to : kFormats)
    for (bool isSigned : {true, false}) {
      std::string body = std::string("%r = arith.") + (isSigned ? "si" : "ui") +
                         "tofp %a : " + n + "i64> to " + n + to.name + ">";
      FloatFormat from = {"i64", APFloat::IEEEdouble(), 64, false};
      std::vector<uint64_t> got =
          convert(from, to, body, std::vector<uint64_t>(in.begin(), in.end()));
      for (size_t i = 0; i < in.size(); ++i) {
        APFloat want(to.semantics);
        want.convertFromAPInt(APInt(64, in[i]), isSigned,
                              APFloat::rmNearestTiesToEven);
        if (to.saturates && !want.isFinite())
          want = APFloat::getLargest(to.semantics, isSigned && in[i] < 0);
        ASSERT_EQ(got[i], want.bitcastToAPInt().getZExtValue())
            << to.name << " of " << in[i] << (isSigned ? "" : " unsigned");
      }
    }
  EXPECT_EQ(
      (evaluate<float, int8_t>(
          "i1", "f32", "%r = arith.uitofp %a : tensor<2xi1> to tensor<2xf32>",
          {{0, 1}})),
      (std::vector<float>{0, 1}));
  EXPECT_EQ(
      (evaluate<float, uint32_t>(
          "i32", "f32", "%r = arith.uitofp %a : tensor<1xi32> to tensor<1xf32>",
          {{UINT_MAX}})),
      (std::vector<float>{4294967296.0f}));
}

TEST(Casts, IntegersToIntegers) {
  EXPECT_EQ(
      (evaluate<int32_t, int8_t>(
          "i8", "i32", "%r = arith.extsi %a : tensor<2xi8> to tensor<2xi32>",
          {{-1, 127}})),
      (std::vector<int32_t>{-1, 127}));
  EXPECT_EQ(
      (evaluate<int64_t, int8_t>(
          "i8", "i64", "%r = arith.extui %a : tensor<2xi8> to tensor<2xi64>",
          {{-1, 127}})),
      (std::vector<int64_t>{255, 127}));
  EXPECT_EQ(
      (evaluate<int32_t, int8_t>(
          "i1", "i32", "%r = arith.extsi %a : tensor<2xi1> to tensor<2xi32>",
          {{0, 1}})),
      (std::vector<int32_t>{0, -1}));
  EXPECT_EQ(
      (evaluate<int32_t, int8_t>(
          "i1", "i32", "%r = arith.extui %a : tensor<2xi1> to tensor<2xi32>",
          {{0, 1}})),
      (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(
      (evaluate<int8_t, int32_t>(
          "i32", "i8", "%r = arith.trunci %a : tensor<2xi32> to tensor<2xi8>",
          {{300, -129}})),
      (std::vector<int8_t>{44, 127}));
  EXPECT_EQ((evaluate<int64_t, int32_t>(
                "i32", "i64",
                "%x = arith.index_cast %a : tensor<2xi32> to tensor<2xindex>\n"
                "%y = arith.addi %x, %x : tensor<2xindex>\n"
                "%r = arith.index_cast %y : tensor<2xindex> to tensor<2xi64>",
                {{-3, INT_MAX}})),
            (std::vector<int64_t>{-6, 2 * int64_t(INT_MAX)}));
}

TEST(Casts, Bits) {
  EXPECT_EQ((evaluate<uint32_t, float>(
                "f32", "i32",
                "%r = arith.bitcast %a : tensor<2xf32> to tensor<2xi32>",
                {{1.0f, -0.0f}})),
            (std::vector<uint32_t>{0x3F800000, 0x80000000}));
  EXPECT_EQ((evaluate<uint16_t, uint16_t>(
                "bf16", "f16",
                "%r = arith.bitcast %a : tensor<1xbf16> to tensor<1xf16>",
                {{0x1234}})),
            (std::vector<uint16_t>{0x1234}));
}
