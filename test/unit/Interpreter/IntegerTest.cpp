//===- IntegerTest.cpp - operations on integers ---------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM
// Exceptions.
//
// Every integer operation at its edges: wrap-around, shifts beyond the width,
// division of the smallest number, division by zero.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "gtest/gtest.h"
#include <climits>

using namespace tilec::interpreter;

/// Applies a binary operation to i32.
static std::vector<int32_t> i32(const std::string &op, std::vector<int32_t> a,
                                std::vector<int32_t> b) {
  std::string type = "tensor<" + std::to_string(a.size()) + "xi32>";
  return evaluate<int32_t, int32_t>("i32", "i32",
                                    "%r = " + op + " %a, %b : " + type, {a, b});
}

/// Applies a binary operation to i8.
static std::vector<int8_t> i8(const std::string &op, std::vector<int8_t> a,
                              std::vector<int8_t> b) {
  std::string type = "tensor<" + std::to_string(a.size()) + "xi8>";
  return evaluate<int8_t, int8_t>("i8", "i8",
                                  "%r = " + op + " %a, %b : " + type, {a, b});
}

/// Applies a binary operation to i1, on all four pairs.
static std::vector<int8_t> i1(const std::string &op) {
  return evaluate<int8_t, int8_t>("i1", "i1",
                                  "%r = " + op + " %a, %b : tensor<4xi1>",
                                  {{0, 0, 1, 1}, {0, 1, 0, 1}});
}

/// Applies a unary operation to i32.
static std::vector<int32_t> unary(const std::string &op,
                                  std::vector<int32_t> a) {
  std::string type = "tensor<" + std::to_string(a.size()) + "xi32>";
  return evaluate<int32_t, int32_t>("i32", "i32",
                                    "%r = " + op + " %a : " + type, {a});
}

using I32 = std::vector<int32_t>;
using I8 = std::vector<int8_t>;

TEST(Integers, WrapAtTheirWidth) {
  EXPECT_EQ(i32("arith.addi", {INT_MAX, 5}, {1, -7}), (I32{INT_MIN, -2}));
  EXPECT_EQ(i32("arith.subi", {INT_MIN, 5}, {1, 7}), (I32{INT_MAX, -2}));
  EXPECT_EQ(i32("arith.muli", {65536, 100000}, {65536, 100000}),
            (I32{0, 1410065408}));
  EXPECT_EQ(i8("arith.addi", {127, -128}, {1, -1}), (I8{-128, 127}));
  EXPECT_EQ(i8("arith.muli", {16, -128}, {16, -1}), (I8{0, -128}));
  EXPECT_EQ((evaluate<int16_t, int16_t>(
                "i16", "i16", "%r = arith.muli %a, %b : tensor<2xi16>",
                {{-1, 300}, {-1, 300}})),
            (std::vector<int16_t>{1, 24464}));
  EXPECT_EQ((evaluate<int64_t, int64_t>(
                "i64", "i64", "%r = arith.muli %a, %b : tensor<1xi64>",
                {{INT64_MIN}, {-1}})),
            (std::vector<int64_t>{INT64_MIN}));
}

TEST(Integers, Booleans) {
  EXPECT_EQ(i1("arith.addi"), (I8{0, 1, 1, 0}));
  EXPECT_EQ(i1("arith.muli"), (I8{0, 0, 0, 1}));
  EXPECT_EQ(i1("arith.andi"), (I8{0, 0, 0, 1}));
  EXPECT_EQ(i1("arith.ori"), (I8{0, 1, 1, 1}));
  EXPECT_EQ(i1("arith.xori"), (I8{0, 1, 1, 0}));
  // As a signed number true is -1.
  EXPECT_EQ(i1("arith.maxsi"), (I8{0, 0, 0, 1}));
  EXPECT_EQ(i1("arith.maxui"), (I8{0, 1, 1, 1}));
  EXPECT_EQ(i1("arith.cmpi slt,"), (I8{0, 0, 1, 0}));
  EXPECT_EQ(i1("arith.cmpi ult,"), (I8{0, 1, 0, 0}));
}

TEST(Integers, Division) {
  EXPECT_EQ(i32("arith.divsi", {7, -7, 7, INT_MIN}, {2, 2, -2, -1}),
            (I32{3, -3, -3, INT_MIN}));
  EXPECT_EQ(i32("arith.remsi", {7, -7, 7, INT_MIN}, {2, 2, -2, -1}),
            (I32{1, -1, 1, 0}));
  EXPECT_EQ(i32("arith.divui", {-1, 7}, {2, 2}), (I32{INT_MAX, 3}));
  EXPECT_EQ(i32("arith.remui", {-1, 7}, {10, 4}), (I32{5, 3}));
  EXPECT_EQ(i32("arith.floordivsi", {7, -7, 7, -7, -8}, {2, 2, -2, -2, 2}),
            (I32{3, -4, -4, 3, -4}));
  EXPECT_EQ(i32("arith.ceildivsi", {7, -7, 7, -7, 8}, {2, 2, -2, -2, 2}),
            (I32{4, -3, -3, 4, 4}));
  EXPECT_EQ(i32("arith.ceildivui", {7, -1, 8, 0}, {2, 2, 2, 3}),
            (I32{4, INT_MIN, 4, 0}));
}

TEST(Integers, DivisionByZeroStops) {
  std::vector<int32_t> a(1000, 1), b(1000, 1), out(1000, -1);
  b[700] = 0;
  for (const char *op : {"divsi", "divui", "remsi", "remui", "floordivsi"}) {
    Program program(expressionKernel("i32", "i32",
                                     std::string("%r = arith.") + op +
                                         " %a, %b : tensor<1000xi32>",
                                     2, 1000));
    program.array("a", a).array("b", b).array("out", out);
    EXPECT_FALSE(program.run());
    EXPECT_EQ(program.messages,
              "integer division by zero\n"
              "  in program (0, 0, 0) of grid (1, 1, 1)\n"
              "  lane 700 is the first that divides by zero\n");
    EXPECT_EQ(out[0], -1);
  }
}

TEST(Integers, ShiftsBeyondTheWidthShiftEverythingOut) {
  EXPECT_EQ(i32("arith.shli", {1, 1, 1, 1}, {4, 31, 32, -1}),
            (I32{16, INT_MIN, 0, 0}));
  EXPECT_EQ(i32("arith.shrui", {-1, -1, -1}, {28, 32, 1000}), (I32{15, 0, 0}));
  EXPECT_EQ(i32("arith.shrsi", {-16, -16, 16, 16}, {2, 40, 2, 40}),
            (I32{-4, -1, 4, 0}));
  EXPECT_EQ(i8("arith.shli", {1, 1, 1}, {7, 8, -1}), (I8{-128, 0, 0}));
  EXPECT_EQ(i8("arith.shrui", {-1, -1}, {4, 8}), (I8{15, 0}));
}

TEST(Integers, Bits) {
  EXPECT_EQ(i32("arith.andi", {12}, {10}), (I32{8}));
  EXPECT_EQ(i32("arith.ori", {12}, {10}), (I32{14}));
  EXPECT_EQ(i32("arith.xori", {12}, {10}), (I32{6}));
  EXPECT_EQ(unary("math.absi", {-5, 5, INT_MIN}), (I32{5, 5, INT_MIN}));
  EXPECT_EQ(unary("math.ctpop", {0, -1, 5}), (I32{0, 32, 2}));
  EXPECT_EQ(unary("math.ctlz", {0, -1, 1}), (I32{32, 0, 31}));
  EXPECT_EQ(unary("math.cttz", {0, -1, 8}), (I32{32, 0, 3}));
  EXPECT_EQ((evaluate<int8_t, int8_t>(
                "i8", "i8", "%r = math.ctlz %a : tensor<3xi8>", {{0, 1, -1}})),
            (I8{8, 7, 0}));
  EXPECT_EQ(i32("math.ipowi", {3, -2, 2, 5, 1, -1}, {4, 3, 31, -1, -7, -7}),
            (I32{81, -8, INT_MIN, 0, 1, -1}));
}

TEST(Integers, Extrema) {
  EXPECT_EQ(i32("arith.maxsi", {-1, 3}, {1, 2}), (I32{1, 3}));
  EXPECT_EQ(i32("arith.minsi", {-1, 3}, {1, 2}), (I32{-1, 2}));
  EXPECT_EQ(i32("arith.maxui", {-1, 3}, {1, 2}), (I32{-1, 3}));
  EXPECT_EQ(i32("arith.minui", {-1, 3}, {1, 2}), (I32{1, 2}));
}

TEST(Integers, Comparisons) {
  struct Case {
    const char *predicate;
    I8 want;
  } cases[] = {{"eq", {0, 1, 0}},  {"ne", {1, 0, 1}},  {"slt", {1, 0, 0}},
               {"sle", {1, 1, 0}}, {"sgt", {0, 0, 1}}, {"sge", {0, 1, 1}},
               {"ult", {0, 0, 1}}, {"ule", {0, 1, 1}}, {"ugt", {1, 0, 0}},
               {"uge", {1, 1, 0}}};
  for (const Case &c : cases)
    EXPECT_EQ(
        (evaluate<int8_t, int32_t>("i32", "i1",
                                   std::string("%r = arith.cmpi ") +
                                       c.predicate + ", %a, %b : tensor<3xi32>",
                                   {{-1, 4, 2}, {1, 4, -2}})),
        c.want)
        << c.predicate;
}

TEST(Integers, ExtendedProducts) {
  std::string type = "tensor<3xi32>";
  std::vector<I32> in = {{-1, INT_MIN, 100000}, {-1, INT_MIN, 100000}};
  EXPECT_EQ(
      (evaluate<int32_t, int32_t>(
          "i32", "i32", "%l, %r = arith.mulsi_extended %a, %b : " + type, in)),
      (I32{0, 0x40000000, 2}));
  EXPECT_EQ(
      (evaluate<int32_t, int32_t>(
          "i32", "i32", "%l, %r = arith.mului_extended %a, %b : " + type, in)),
      (I32{-2, 0x40000000, 2}));
  EXPECT_EQ(
      (evaluate<int32_t, int32_t>(
          "i32", "i32", "%r, %h = arith.mului_extended %a, %b : " + type, in)),
      (I32{1, 0, 1410065408}));
  EXPECT_EQ(
      (evaluate<int64_t, int64_t>(
          "i64", "i64", "%l, %r = arith.mului_extended %a, %b : tensor<1xi64>",
          {{-1}, {-1}})),
      (std::vector<int64_t>{-2}));
  EXPECT_EQ(
      (evaluate<int64_t, int64_t>(
          "i64", "i64", "%l, %r = arith.mulsi_extended %a, %b : tensor<1xi64>",
          {{INT64_MIN}, {2}})),
      (std::vector<int64_t>{-1}));
  EXPECT_EQ((evaluate<int8_t, int32_t>("i32", "i1",
                                       "%s, %r = arith.addui_extended %a, %b : "
                                       "tensor<3xi32>, tensor<3xi1>",
                                       {{-1, 1, INT_MIN}, {1, 1, INT_MIN}})),
            (I8{1, 0, 1}));
}

TEST(Integers, Select) {
  EXPECT_EQ((evaluate<int32_t, int32_t>(
                "i32", "i32",
                "%c = arith.cmpi slt, %a, %b : tensor<2xi32>\n"
                "%r = arith.select %c, %a, %b : tensor<2xi1>, "
                "tensor<2xi32>",
                {{1, 9}, {5, 6}})),
            (I32{1, 6}));
  // One condition for all elements.
  EXPECT_EQ((evaluate<int16_t, int16_t>(
                "i16", "i16",
                "%c = arith.constant false\n"
                "%r = arith.select %c, %a, %b : tensor<2xi16>",
                {{1, 9}, {5, 6}})),
            (std::vector<int16_t>{5, 6}));
}
