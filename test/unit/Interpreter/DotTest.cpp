//===- DotTest.cpp - matrix products --------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM
// Exceptions.
//
// Products of every type against f64, the rounding of each precision, batches,
// and sizes that fit no block.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace llvm;
using namespace tilec::interpreter;

/// Loads a tile from `ptr` as `%name`.
static std::string load(const std::string &name, const std::string &type,
                        const std::string &shape, int n) {
  std::string count = std::to_string(n), ptr = "!tile.ptr<" + type + ">";
  std::string flat = "tensor<" + count + "x";
  return "%" + name + "i = tile.arange 0, " + count + " : " + flat + "i32>\n%" +
         name + "s = tile.splat %" + name + "p : " + ptr + " -> " + flat + ptr +
         ">\n%" + name + "q = tile.addptr %" + name + "s, %" + name +
         "i : " + flat + ptr + ">, " + flat + "i32>\n%" + name +
         "l = tile.load %" + name + "q : " + flat + ptr + "> -> " + flat +
         type + ">\n%" + name + " = tile.reshape %" + name + "l : " + flat +
         type + "> -> tensor<" + shape + "x" + type + ">\n";
}

/// A kernel that adds a product to c in place.
static std::string dotKernel(const std::string &ta, const std::string &tb,
                             const std::string &tc, int z, int m, int n, int k,
                             const std::string &precision) {
  auto shape = [&](int rows, int columns) {
    return (z > 1 ? std::to_string(z) + "x" : "") + std::to_string(rows) + "x" +
           std::to_string(columns);
  };
  auto tile = [&](int rows, int columns, const std::string &type) {
    return "tensor<" + shape(rows, columns) + "x" + type + ">";
  };
  std::string count = std::to_string(z * m * n);
  return "func.func @k(%ap: !tile.ptr<" + ta + ">, %bp: !tile.ptr<" + tb +
         ">, %cp: !tile.ptr<" + tc + ">) {\n" +
         load("a", ta, shape(m, k), z * m * k) +
         load("b", tb, shape(k, n), z * k * n) +
         load("c", tc, shape(m, n), z * m * n) +
         "%d = tile.dot %a, %b, %c {precision = " + precision +
         " : i32} : " + tile(m, k, ta) + ", " + tile(k, n, tb) + " -> " +
         tile(m, n, tc) + "\n%df = tile.reshape %d : " + tile(m, n, tc) +
         " -> tensor<" + count + "x" + tc + ">\ntile.store %cq, %df : tensor<" +
         count + "x!tile.ptr<" + tc + ">>, tensor<" + count + "x" + tc +
         ">\nreturn\n}\n";
}

template <typename A, typename B, typename C>
static void runDot(const std::string &ir, std::vector<A> &a, std::vector<B> &b,
                   std::vector<C> &c) {
  Program program(ir);
  program.array("a", a).array("b", b).array("c", c);
  ASSERT_TRUE(program.run()) << program.messages << ir;
}

static std::mt19937 generator(3);

/// Normal numbers.
static std::vector<float> floats(int n) {
  std::normal_distribution<float> normal;
  std::vector<float> values(n);
  for (float &value : values)
    value = normal(generator);
  return values;
}

/// The value after rounding to a format, and its bits.
static double rounded(float value, const fltSemantics &semantics,
                      uint64_t *bits) {
  APFloat number(value);
  bool loses;
  number.convert(semantics, APFloat::rmNearestTiesToEven, &loses);
  *bits = number.bitcastToAPInt().getZExtValue();
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
  return number.convertToDouble();
}

/// Tests a type of operands of T bits against f64.
template <typename T>
static void testNarrow(const char *type, const fltSemantics &semantics, int z,
                       int m, int n, int k) {
  std::vector<float> fa = floats(z * m * k), fb = floats(z * k * n),
                     c = floats(z * m * n);
  std::vector<double> da, db;
  std::vector<T> a, b;
  for (auto [from, numbers, bits] :
       {std::tuple(&fa, &da, &a), std::tuple(&fb, &db, &b)})
    for (float value : *from) {
      uint64_t word;
      numbers->push_back(rounded(value, semantics, &word));
      bits->push_back(static_cast<T>(word));
    }
  std::vector<float> want(c.size());
  for (int q = 0; q < z; ++q)
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        float sum = c[(q * m + i) * n + j];
        for (int l = 0; l < k; ++l) // products are exact in f64
          sum = static_cast<float>(sum + da[(q * m + i) * k + l] *
                                             db[(q * k + l) * n + j]);
        want[(q * m + i) * n + j] = sum;
      }
  runDot(dotKernel(type, type, "f32", z, m, n, k, "0"), a, b, c);
  EXPECT_EQ(c, want) << type;
}

TEST(Dot, NarrowFloats) {
  testNarrow<uint16_t>("f16", APFloat::IEEEhalf(), 1, 16, 16, 32);
  testNarrow<uint16_t>("f16", APFloat::IEEEhalf(), 3, 5, 19, 7);
  testNarrow<uint16_t>("bf16", APFloat::BFloat(), 1, 33, 17, 40);
  testNarrow<uint8_t>("f8E4M3FN", APFloat::Float8E4M3FN(), 1, 16, 8, 32);
  testNarrow<uint8_t>("f8E5M2", APFloat::Float8E5M2(), 1, 16, 8, 32);
}

TEST(Dot, MixedEightBitFloats) {
  std::vector<uint8_t> a = {0x38}, b = {0x40}; // 1 in e4m3, 2 in e5m2
  std::vector<float> c = {0.5f};
  runDot(dotKernel("f8E4M3FN", "f8E5M2", "f32", 1, 1, 1, 1, "0"), a, b, c);
  EXPECT_EQ(c[0], 2.5f);
}

TEST(Dot, AccumulatesInHalf) {
  // 1 + 2^-11 + 2^-11 is representable; it is rounded once, at the end.
  std::vector<uint16_t> a = {0x1000, 0x1000}, b = {0x3C00, 0x3C00},
                        c = {0x3C00};
  runDot(dotKernel("f16", "f16", "f16", 1, 1, 1, 2, "0"), a, b, c);
  EXPECT_EQ(c[0], 0x3C01);
}

TEST(Dot, TF32IsCut) {
  // As by a tensor core: what is below 2^-10 goes, whatever it is.
  float tie = 1 + 0x1p-11f, above = 1 + 0x1p-10f - 0x1p-23f;
  for (auto [x, want] :
       {std::pair(tie, 1.0f), std::pair(above, 1.0f), std::pair(-above, -1.0f),
        std::pair(1 + 0x1p-10f, 1 + 0x1p-10f)}) {
    std::vector<float> a = {x}, b = {1}, c = {0};
    runDot(dotKernel("f32", "f32", "f32", 1, 1, 1, 1, "0"), a, b, c);
    EXPECT_EQ(c[0], want);
    std::vector<float> a2 = {1}, b2 = {x}, c2 = {0};
    runDot(dotKernel("f32", "f32", "f32", 1, 1, 1, 1, "0"), a2, b2, c2);
    EXPECT_EQ(c2[0], want);
  }
  std::vector<float> a = {INFINITY}, b = {1}, c = {0};
  runDot(dotKernel("f32", "f32", "f32", 1, 1, 1, 1, "0"), a, b, c);
  EXPECT_EQ(c[0], INFINITY);
}

/// The largest error of a precision, relative to the sums of magnitudes.
static double errorOf(const std::string &precision) {
  const int m = 32, n = 24, k = 64;
  std::vector<float> a = floats(m * k), b = floats(k * n), c(m * n, 0.0f);
  runDot(dotKernel("f32", "f32", "f32", 1, m, n, k, precision), a, b, c);
  double worst = 0;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0, size = 0;
      for (int l = 0; l < k; ++l) {
        sum += double(a[i * k + l]) * b[l * n + j];
        size += std::abs(double(a[i * k + l]) * b[l * n + j]);
      }
      worst = std::max(worst, std::abs(c[i * n + j] - sum) / size);
    }
  return worst;
}

TEST(Dot, PrecisionsAreAsGoodAsTheirParts) {
  double tf32 = errorOf("0"), tf32x3 = errorOf("1"), ieee = errorOf("2"),
         bf16x3 = errorOf("3"), bf16x6 = errorOf("4");
  EXPECT_LT(tf32, 0x1p-9);
  EXPECT_GT(tf32, 1e-5);
  EXPECT_LT(tf32x3, 1e-6);
  EXPECT_LT(ieee, 4e-7);
  EXPECT_LT(bf16x3, 2e-5);
  EXPECT_GT(bf16x3, 1e-6);
  EXPECT_LT(bf16x6, 1e-6);
}

TEST(Dot, DoublesAndIntegers) {
  std::vector<double> a = {1, 2, 3, 4}, b = {5, 6, 7, 8},
                      c = {1, 0, 0, 0x1p-40};
  runDot(dotKernel("f64", "f64", "f64", 1, 2, 2, 2, "0"), a, b, c);
  EXPECT_EQ(c, (std::vector<double>{20, 22, 43, 50 + 0x1p-40}));
  std::vector<int8_t> ia(40 * 64, -128), ib(64 * 20, -128);
  std::vector<int32_t> ic(40 * 20, INT32_MAX);
  runDot(dotKernel("i8", "i8", "i32", 1, 40, 20, 64, "0"), ia, ib, ic);
  for (int32_t value : ic) // wraps
    ASSERT_EQ(value, static_cast<int32_t>(uint32_t(INT32_MAX) + 64u * 16384u));
}

TEST(Dot, TransposedOperands) {
  // b is seen through tile.trans: its elements lie a row apart.
  std::string ir =
      "func.func @k(%ap: !tile.ptr<f32>, %bp: !tile.ptr<f32>, %cp: "
      "!tile.ptr<f32>) {\n" +
      load("a", "f32", "2x3", 6) + load("b", "f32", "4x3", 12) +
      load("c", "f32", "2x4", 8) +
      R"(%bt = tile.trans %b, [1, 0] : tensor<4x3xf32> -> tensor<3x4xf32>
      %zero = arith.constant dense<0.0> : tensor<2x4xf32>
      %d = tile.dot %a, %bt, %zero {precision = 2 : i32} : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
      %df = tile.reshape %d : tensor<2x4xf32> -> tensor<8xf32>
      tile.store %cq, %df : tensor<8x!tile.ptr<f32>>, tensor<8xf32>
      return
    })";
  std::vector<float> a = {1, 2, 3, 4, 5, 6},
                     b = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1}, c(8, -1);
  runDot(ir, a, b, c);
  EXPECT_EQ(c, (std::vector<float>{1, 2, 3, 6, 4, 5, 6, 15}));
}
