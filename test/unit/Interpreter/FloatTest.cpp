//===- FloatTest.cpp - operations on floats -------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM
// Exceptions.
//
// Every float operation, with NaN, infinities and signed zeros, and in 16 bits.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace tilec::interpreter;

static constexpr float kInf = std::numeric_limits<float>::infinity();
using F32 = std::vector<float>;
using I8 = std::vector<int8_t>;

/// Are the values equal in their bits, any NaN being equal to any other?
static ::testing::AssertionResult same(const F32 &got, const F32 &want) {
  if (got.size() != want.size())
    return ::testing::AssertionFailure() << "the run failed";
  for (size_t i = 0; i < got.size(); ++i)
    if (!(std::isnan(got[i]) && std::isnan(want[i])) &&
        std::memcmp(&got[i], &want[i], 4) != 0)
      return ::testing::AssertionFailure()
             << "element " << i << " is " << got[i] << ", expected " << want[i];
  return ::testing::AssertionSuccess();
}

static std::string tile(size_t n) {
  return "tensor<" + std::to_string(n) + "xf32>";
}

static F32 unary(const std::string &op, F32 a) {
  return evaluate<float, float>("f32", "f32",
                                "%r = " + op + " %a : " + tile(a.size()), {a});
}
static F32 binary(const std::string &op, F32 a, F32 b) {
  return evaluate<float, float>(
      "f32", "f32", "%r = " + op + " %a, %b : " + tile(a.size()), {a, b});
}
static I8 test(const std::string &op, F32 a) {
  return evaluate<int8_t, float>("f32", "i1",
                                 "%r = " + op + " %a : " + tile(a.size()), {a});
}

TEST(Floats, Arithmetic) {
  EXPECT_TRUE(same(binary("arith.addf", {1, 16777216, kInf}, {2, 1, -kInf}),
                   {3, 16777216, NAN}));
  EXPECT_TRUE(same(binary("arith.subf", {1, -0.0f}, {2, 0}), {-1, -0.0f}));
  EXPECT_TRUE(same(binary("arith.mulf", {3, 1e30f, 0}, {2, 1e30f, kInf}),
                   {6, kInf, NAN}));
  EXPECT_TRUE(
      same(binary("arith.divf", {1, 1, 0}, {3, 0, 0}), {1.0f / 3, kInf, NAN}));
  EXPECT_TRUE(same(binary("arith.remf", {7, -7, 1}, {4, 4, 0}), {3, -3, NAN}));
  EXPECT_TRUE(same(unary("arith.negf", {1, 0, NAN}), {-1, -0.0f, NAN}));
  EXPECT_TRUE(same(unary("math.absf", {-1, -0.0f, NAN}), {1, 0, NAN}));
  EXPECT_TRUE(same(binary("math.copysign", {1, -2}, {-0.0f, 5}), {-1, 2}));
  // Subnormal numbers stay.
  EXPECT_TRUE(same(binary("arith.mulf", {1e-30f}, {1e-10f}), {1e-40f}));
}

TEST(Floats, ExtremaAndNaN) {
  F32 a = {1, NAN, 2, -0.0f, 0.0f}, b = {2, 1, NAN, 0.0f, -0.0f};
  EXPECT_TRUE(same(binary("arith.maximumf", a, b), {2, NAN, NAN, 0.0f, 0.0f}));
  EXPECT_TRUE(
      same(binary("arith.minimumf", a, b), {1, NAN, NAN, -0.0f, -0.0f}));
  EXPECT_TRUE(same(binary("arith.maxnumf", a, b), {2, 1, 2, 0.0f, 0.0f}));
  EXPECT_TRUE(same(binary("arith.minnumf", a, b), {1, 1, 2, -0.0f, -0.0f}));
  EXPECT_TRUE(same(binary("arith.maxnumf", {NAN}, {NAN}), {NAN}));
  EXPECT_TRUE(same(
      evaluate<float, float>("f32", "f32",
                             "%r = math.clampf %a to [%b, %c] : tensor<3xf32>",
                             {{-5, 0.5f, 5}, {-1, -1, -1}, {1, 1, 1}}),
      {-1, 0.5f, 1}));
}

TEST(Floats, Fma) {
  // 1 + 2^-12 squared minus its rounded square: only a fused operation sees the
  // rest.
  float x = 1 + 0x1p-12f;
  EXPECT_TRUE(same(evaluate<float, float>(
                       "f32", "f32", "%r = math.fma %a, %b, %c : tensor<1xf32>",
                       {{x}, {x}, {-(1 + 0x1p-11f)}}),
                   {0x1p-24f}));
}

TEST(Floats, Comparisons) {
  struct Case {
    const char *predicate;
    I8 want;
  } cases[] = {
      {"oeq", {0, 1, 0, 0}},  {"ogt", {0, 0, 1, 0}}, {"oge", {0, 1, 1, 0}},
      {"olt", {1, 0, 0, 0}},  {"ole", {1, 1, 0, 0}}, {"one", {1, 0, 1, 0}},
      {"ord", {1, 1, 1, 0}},  {"ueq", {0, 1, 0, 1}}, {"ugt", {0, 0, 1, 1}},
      {"uge", {0, 1, 1, 1}},  {"ult", {1, 0, 0, 1}}, {"ule", {1, 1, 0, 1}},
      {"une", {1, 0, 1, 1}},  {"uno", {0, 0, 0, 1}}, {"true", {1, 1, 1, 1}},
      {"false", {0, 0, 0, 0}}};
  for (const Case &c : cases)
    EXPECT_EQ(
        (evaluate<int8_t, float>("f32", "i1",
                                 std::string("%r = arith.cmpf ") + c.predicate +
                                     ", %a, %b : tensor<4xf32>",
                                 {{1, 2, 3, NAN}, {2, 2, 2, 2}})),
        c.want)
        << c.predicate;
}

TEST(Floats, Classes) {
  F32 a = {1, kInf, -kInf, NAN, 0, 1e-40f};
  EXPECT_EQ(test("math.isnan", a), (I8{0, 0, 0, 1, 0, 0}));
  EXPECT_EQ(test("math.isinf", a), (I8{0, 1, 1, 0, 0, 0}));
  EXPECT_EQ(test("math.isfinite", a), (I8{1, 0, 0, 0, 1, 1}));
  EXPECT_EQ(test("math.isnormal", a), (I8{1, 0, 0, 0, 0, 0}));
}

TEST(Floats, Rounding) {
  F32 a = {2.5f, 3.5f, -2.5f, 0.3f, -0.3f, kInf};
  EXPECT_TRUE(same(unary("math.floor", a), {2, 3, -3, 0, -1, kInf}));
  EXPECT_TRUE(same(unary("math.ceil", a), {3, 4, -2, 1, -0.0f, kInf}));
  EXPECT_TRUE(same(unary("math.trunc", a), {2, 3, -2, 0, -0.0f, kInf}));
  EXPECT_TRUE(same(unary("math.round", a), {3, 4, -3, 0, -0.0f, kInf}));
  EXPECT_TRUE(same(unary("math.roundeven", a), {2, 4, -2, 0, -0.0f, kInf}));
}

TEST(Floats, Functions) {
  struct Case {
    const char *op;
    double (*function)(double);
    float lowest;
  } cases[] = {{"exp", std::exp, -20},
               {"exp2", std::exp2, -20},
               {"expm1", std::expm1, -3},
               {"log", std::log, 0.01f},
               {"log2", std::log2, 0.01f},
               {"log10", std::log10, 0.01f},
               {"log1p", std::log1p, 0},
               {"sin", std::sin, -9},
               {"cos", std::cos, -9},
               {"tan", std::tan, -1.5f},
               {"sinh", std::sinh, -3},
               {"cosh", std::cosh, -3},
               {"tanh", std::tanh, -3},
               {"asin", std::asin, -1},
               {"acos", std::acos, -1},
               {"atan", std::atan, -9},
               {"asinh", std::asinh, -9},
               {"acosh", std::acosh, 1},
               {"atanh", std::atanh, -.9f},
               {"erf", std::erf, -3},
               {"erfc", std::erfc, -3},
               {"sqrt", std::sqrt, 0},
               {"cbrt", std::cbrt, -9},
               {"rsqrt", [](double x) { return 1 / std::sqrt(x); }, 0.01f}};
  for (const Case &c : cases) {
    F32 a(600);
    double width =
        std::string(c.op) == "atanh" || std::abs(c.lowest) == 1 ? 1.8 : 3;
    for (size_t i = 0; i < a.size(); ++i)
      a[i] = static_cast<float>(c.lowest + width * i / a.size());
    F32 got = unary(std::string("math.") + c.op, a);
    ASSERT_EQ(got.size(), a.size());
    for (size_t i = 0; i < a.size(); ++i) {
      double want = c.function(a[i]);
      ASSERT_NEAR(got[i], want, std::abs(want) * 3e-7 + 1e-37)
          << c.op << " " << a[i];
    }
  }
  EXPECT_TRUE(same(unary("math.exp", {-kInf, kInf, NAN}), {0, kInf, NAN}));
  EXPECT_TRUE(same(unary("math.log", {0, -1}), {-kInf, NAN}));
  EXPECT_TRUE(same(unary("math.rsqrt", {0, 4}), {kInf, 0.5f}));
}

TEST(Floats, Powers) {
  EXPECT_TRUE(
      same(binary("math.powf", {2, -8, 0}, {10, 3, 0}), {1024, -512, 1}));
  EXPECT_TRUE(same(binary("math.atan2", {1, -0.0f}, {1, -1}),
                   {0.78539816f, -3.14159265f}));
  F32 got = evaluate<float, float>(
      "f32", "f32",
      "%e = arith.constant dense<[3, -2]> : tensor<2xi32>\n"
      "%r = math.fpowi %a, %e : tensor<2xf32>, tensor<2xi32>",
      {{2, 4}});
  EXPECT_TRUE(same(got, {8, 0.0625f}));
  got = evaluate<float, float>(
      "f32", "f32", "%s, %r = math.sincos %a : tensor<1xf32>", {{0}});
  EXPECT_TRUE(same(got, {1}));
}

TEST(Floats, SixteenBitsRoundOnce) {
  // 1 + 2^-11 lies between two f16 numbers: it rounds to even, 1.
  const uint16_t one = 0x3C00, tiny = 0x1000; // 2^-11
  EXPECT_EQ((evaluate<uint16_t, uint16_t>(
                "f16", "f16", "%r = arith.addf %a, %b : tensor<3xf16>",
                {{one, one + 1, 0x7BFF}, {tiny, tiny, 0x7BFF}})),
            (std::vector<uint16_t>{one, one + 2, 0x7C00}));
  // bf16: 1 + 2^-8 is a tie as well.
  EXPECT_EQ((evaluate<uint16_t, uint16_t>(
                "bf16", "bf16", "%r = arith.addf %a, %b : tensor<2xbf16>",
                {{0x3F80, 0x3F81}, {0x3B80, 0x3B80}})),
            (std::vector<uint16_t>{0x3F80, 0x3F82}));
  // e4m3: 448 + 448 saturates; 1 + 2^-4 is a tie.
  EXPECT_EQ(
      (evaluate<uint8_t, uint8_t>("f8E4M3FN", "f8E4M3FN",
                                  "%r = arith.addf %a, %b : tensor<3xf8E4M3FN>",
                                  {{0x7E, 0x38, 0x7F}, {0x7E, 0x18, 0x38}})),
      (std::vector<uint8_t>{0x7E, 0x38, 0x7F}));
  EXPECT_EQ((evaluate<int8_t, uint16_t>(
                "f16", "i1", "%r = arith.cmpf olt, %a, %b : tensor<2xf16>",
                {{one, one + 1}, {one + 1, one}})),
            (I8{1, 0}));
}

TEST(Floats, Doubles) {
  EXPECT_EQ((evaluate<double, double>("f64", "f64",
                                      "%s = arith.addf %a, %b : tensor<1xf64>\n"
                                      "%r = math.sqrt %s : tensor<1xf64>",
                                      {{1.0}, {1.0}})),
            (std::vector<double>{std::sqrt(2.0)}));
}
