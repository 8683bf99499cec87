//===- ReduceTest.cpp - reductions and scans ------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM
// Exceptions.
//
// Along each axis, of sizes that are no powers of two, with regions of several
// operands, of operations that do not commute, and with control flow.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "gtest/gtest.h"
#include <cmath>
#include <numeric>

using namespace tilec::interpreter;

using I32 = std::vector<int32_t>;

/// A kernel that loads a tile of the given shape, applies `body` to `%x` (which
/// gives `%r` of shape `outShape`), and stores it. Shapes are `4x8`, elements
/// i32.
static std::string tileKernel(const std::string &shape, int count,
                              const std::string &body,
                              const std::string &outShape, int outCount,
                              const std::string &type = "i32") {
  std::string ptr = "!tile.ptr<" + type + ">", n = std::to_string(count),
              m = std::to_string(outCount);
  std::string load =
      "%i = tile.arange 0, " + n + " : tensor<" + n +
      "xi32>\n%ps = tile.splat %p : " + ptr + " -> tensor<" + n + "x" + ptr +
      ">\n%pp = tile.addptr %ps, %i : tensor<" + n + "x" + ptr + ">, tensor<" +
      n + "xi32>\n%flat = tile.load %pp : tensor<" + n + "x" + ptr +
      "> -> tensor<" + n + "x" + type + ">\n%x = tile.reshape %flat : tensor<" +
      n + "x" + type + "> -> tensor<" + shape + "x" + type + ">\n";
  std::string store;
  if (outShape.empty()) {
    store = "tile.store %o, %r : " + ptr + ", " + type + "\n";
  } else {
    store = "%fr = tile.reshape %r : tensor<" + outShape + "x" + type +
            "> -> tensor<" + m + "x" + type + ">\n%j = tile.arange 0, " + m +
            " : tensor<" + m + "xi32>\n%os = tile.splat %o : " + ptr +
            " -> tensor<" + m + "x" + ptr +
            ">\n%op = tile.addptr %os, %j : tensor<" + m + "x" + ptr +
            ">, tensor<" + m + "xi32>\ntile.store %op, %fr : tensor<" + m +
            "x" + ptr + ">, tensor<" + m + "x" + type + ">\n";
  }
  return "func.func @k(%p: " + ptr + ", %o: " + ptr + ") {\n" + load + body +
         "\n" + store + "return\n}\n";
}

/// `%r` by reducing `%x` with one operation.
static std::string reduceBy(const std::string &op, int axis,
                            const std::string &shape,
                            const std::string &outShape,
                            const std::string &type = "i32") {
  std::string out =
      outShape.empty() ? type : "tensor<" + outShape + "x" + type + ">";
  return "%r = tile.reduce (%x) axis " + std::to_string(axis) + " : tensor<" +
         shape + "x" + type + "> -> " + out + " {\n^bb0(%l: " + type +
         ", %rr: " + type + "):\n%s = " + op + " %l, %rr : " + type +
         "\ntile.yield %s : " + type + "\n}";
}

template <typename T>
static std::vector<T> runTile(const std::string &ir, std::vector<T> in,
                              size_t outCount) {
  std::vector<T> out(outCount, T(-77));
  Program program(ir);
  program.array("p", in).array("o", out);
  EXPECT_TRUE(program.run()) << program.messages << ir;
  return out;
}

static I32 iota(int n) {
  I32 values(n);
  std::iota(values.begin(), values.end(), 1);
  return values;
}

TEST(Reduce, EachAxisOfAnySize) {
  const int a = 3, b = 5, c = 7;
  I32 in = iota(a * b * c);
  for (int axis = 0; axis < 3; ++axis) {
    const char *shapes[] = {"5x7", "3x7", "3x5"};
    int counts[] = {b * c, a * c, a * b};
    I32 want(counts[axis], 0);
    for (int i = 0; i < a; ++i)
      for (int j = 0; j < b; ++j)
        for (int k = 0; k < c; ++k)
          want[axis == 0   ? j * c + k
               : axis == 1 ? i * c + k
                           : i * b + j] += in[(i * b + j) * c + k];
    EXPECT_EQ(
        runTile(tileKernel("3x5x7", a * b * c,
                           reduceBy("arith.addi", axis, "3x5x7", shapes[axis]),
                           shapes[axis], counts[axis]),
                in, counts[axis]),
        want);
  }
}

TEST(Reduce, AllSizes) {
  for (int n = 1; n < 40; ++n) {
    std::string size = std::to_string(n);
    EXPECT_EQ(
        runTile(tileKernel(size, n, reduceBy("arith.addi", 0, size, ""), "", 1),
                iota(n), 1)[0],
        n * (n + 1) / 2);
  }
  EXPECT_EQ(runTile(tileKernel("2048", 2048,
                               reduceBy("arith.maxsi", 0, "2048", ""), "", 1),
                    iota(2048), 1)[0],
            2048);
}

TEST(Reduce, KeepsTheOrderOfOperands) {
  // The left operand: neighbours are combined, so the first element stays. Then
  // digits: (value, power of ten) pairs concatenate.
  I32 in = iota(9);
  std::string left = "%r = tile.reduce (%x) axis 0 : tensor<9xi32> -> i32 {\n"
                     "^bb0(%l: i32, %rr: i32):\ntile.yield %l : i32\n}";
  EXPECT_EQ(runTile(tileKernel("9", 9, left, "", 1), in, 1)[0], 1);
  std::string digits =
      "%ten = arith.constant dense<10> : tensor<9xi32>\n"
      "%r, %w = tile.reduce (%x, %ten) axis 0 : tensor<9xi32>, tensor<9xi32> "
      "-> i32, i32 {\n"
      "^bb0(%l: i32, %lp: i32, %rr: i32, %rp: i32):\n"
      "%t = arith.muli %l, %rp : i32\n%s = arith.addi %t, %rr : i32\n"
      "%q = arith.muli %lp, %rp : i32\ntile.yield %s, %q : i32, i32\n}";
  EXPECT_EQ(runTile(tileKernel("9", 9, digits, "", 1), in, 1)[0], 123456789);
}

TEST(Reduce, FloatsAreAddedAsATree) {
  // 2^24 + 1 + 1 + ...: one by one nothing is added, as a tree all but one is.
  std::vector<float> in(64, 1.0f);
  in[0] = 16777216;
  float got =
      runTile(tileKernel("64", 64, reduceBy("arith.addf", 0, "64", "", "f32"),
                         "", 1, "f32"),
              in, 1)[0];
  EXPECT_EQ(got, 16777278.0f);
}

TEST(Reduce, NarrowFloatsRoundAtEachStep) {
  // bf16 has 8 bits: 256 ones are exact as a tree, and so is 1 + 255.
  std::vector<uint16_t> in(256, 0x3F80);
  uint16_t got = runTile(
      tileKernel("256", 256, reduceBy("arith.addf", 0, "256", "", "bf16"), "",
                 1, "bf16"),
      in, 1)[0];
  EXPECT_EQ(got, 0x4380);
}

TEST(Reduce, ArgMax) {
  // Value and index; the first of equal ones wins. Captures a constant from
  // outside.
  std::string body =
      "%zero = arith.constant 0 : i32\n"
      "%m, %r = tile.reduce (%x, %i) axis 0 : tensor<600xi32>, tensor<600xi32> "
      "-> i32, i32 {\n"
      "^bb0(%lv: i32, %li: i32, %rv: i32, %ri: i32):\n"
      "%g = arith.cmpi sgt, %lv, %rv : i32\n%e = arith.cmpi eq, %lv, %rv : "
      "i32\n"
      "%f = arith.cmpi slt, %li, %ri : i32\n%ef = arith.andi %e, %f : i1\n"
      "%t = arith.ori %g, %ef : i1\n%v = arith.select %t, %lv, %rv : i32\n"
      "%n = arith.select %t, %li, %ri : i32\n%n0 = arith.addi %n, %zero : i32\n"
      "tile.yield %v, %n0 : i32, i32\n}";
  I32 in(600);
  for (int i = 0; i < 600; ++i)
    in[i] = i * 7919 % 500;
  in[321] = in[456] = 1000;
  EXPECT_EQ(runTile(tileKernel("600", 600, body, "", 1), in, 1)[0], 321);
}

TEST(Reduce, RegionsWithControlFlow) {
  std::string body =
      "%r = tile.reduce (%x) axis 1 : tensor<4x5xi32> -> tensor<4xi32> {\n"
      "^bb0(%l: i32, %rr: i32):\n"
      "%g = arith.cmpi sgt, %l, %rr : i32\n"
      "%s = scf.if %g -> i32 {\nscf.yield %l : i32\n} else {\n"
      "scf.yield %rr : i32\n}\ntile.yield %s : i32\n}";
  I32 in = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4};
  EXPECT_EQ(runTile(tileKernel("4x5", 20, body, "4", 4), in, 4),
            (I32{5, 9, 9, 8}));
}

TEST(Reduce, CountsFlops) {
  std::vector<float> in(64, 1.0f), out(1);
  Program program(tileKernel(
      "64", 64, reduceBy("arith.addf", 0, "64", "", "f32"), "", 1, "f32"));
  program.options.meter = true;
  program.array("p", in).array("o", out);
  ASSERT_TRUE(program.run());
  ASSERT_EQ(program.traffic.flops.size(), 1u);
  EXPECT_EQ(program.traffic.flops[0],
            (std::pair<std::string, uint64_t>("add", 63)));
}

/// `%r` by scanning `%x`.
static std::string scanBy(const std::string &op, int axis,
                          const std::string &shape, bool reverse) {
  return "%r = tile.scan (%x) axis " + std::to_string(axis) +
         (reverse ? " reverse" : "") + " : tensor<" + shape +
         "xi32> -> tensor<" + shape +
         "xi32> {\n^bb0(%l: i32, %rr: i32):\n%s = " + op + " %l, %rr : i32\n" +
         "tile.yield %s : i32\n}";
}

TEST(Scan, SumsFromEitherEnd) {
  EXPECT_EQ(
      runTile(tileKernel("5", 5, scanBy("arith.addi", 0, "5", false), "5", 5),
              iota(5), 5),
      (I32{1, 3, 6, 10, 15}));
  EXPECT_EQ(
      runTile(tileKernel("5", 5, scanBy("arith.addi", 0, "5", true), "5", 5),
              iota(5), 5),
      (I32{15, 14, 12, 9, 5}));
  EXPECT_EQ(runTile(tileKernel("2x3", 6, scanBy("arith.addi", 1, "2x3", false),
                               "2x3", 6),
                    iota(6), 6),
            (I32{1, 3, 6, 4, 9, 15}));
  EXPECT_EQ(runTile(tileKernel("2x3", 6, scanBy("arith.addi", 0, "2x3", true),
                               "2x3", 6),
                    iota(6), 6),
            (I32{5, 7, 9, 4, 5, 6}));
}

TEST(Scan, TheLeftOperandIsMetFirst) {
  // x - y: ((1 - 2) - 3) - 4, and from the end ((4 - 3) - 2) - 1.
  EXPECT_EQ(
      runTile(tileKernel("4", 4, scanBy("arith.subi", 0, "4", false), "4", 4),
              iota(4), 4),
      (I32{1, -1, -4, -8}));
  EXPECT_EQ(
      runTile(tileKernel("4", 4, scanBy("arith.subi", 0, "4", true), "4", 4),
              iota(4), 4),
      (I32{-2, -1, 1, 4}));
}

TEST(Reduce, TilesWithoutElementsAreRefused) {
  Program program(
      "func.func @k(%x: i32) {\n%s = tile.splat %x : i32 -> tensor<0x4xi32>\n"
      "%t = arith.addi %s, %s : tensor<0x4xi32>\n"
      "%u = tile.reshape %t : tensor<0x4xi32> -> tensor<4x0xi32>\n"
      "%r = tile.reduce (%t) axis 0 : tensor<0x4xi32> -> tensor<4xi32> {\n"
      "^bb0(%a: i32, %b: i32):\ntile.yield %a : i32\n}\nreturn\n}");
  program.number("x", 1);
  EXPECT_FALSE(program.run());
  EXPECT_EQ(program.messages, "a tile without elements cannot be reduced\n");
}
