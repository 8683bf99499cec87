//===- ShapeTest.cpp - constants, and tiles in other shapes ---------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM
// Exceptions.
//
// Tiles are views of memory: each operation alone, and chains of them whose
// strides must compose.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "gtest/gtest.h"

using namespace tilec::interpreter;

using I32 = std::vector<int32_t>;

/// Runs `body`, which makes `%r`, a tile of n i32, and returns it.
static I32 tileOf(const std::string &body, int n) {
  std::string size = std::to_string(n), tile = "tensor<" + size + "x";
  std::string ir =
      "func.func @k(%o: !tile.ptr<i32>) {\n" + body + "\n%j = tile.arange 0, " +
      size + " : " + tile + "i32>\n%os = tile.splat %o : !tile.ptr<i32> -> " +
      tile + "!tile.ptr<i32>>\n%op = tile.addptr %os, %j : " + tile +
      "!tile.ptr<i32>>, " + tile + "i32>\ntile.store %op, %r : " + tile +
      "!tile.ptr<i32>>, " + tile + "i32>\nreturn\n}";
  I32 out(n, -77);
  Program program(ir);
  program.array("o", out);
  EXPECT_TRUE(program.run()) << program.messages << ir;
  return out;
}

TEST(Shape, Constants) {
  EXPECT_EQ(tileOf("%r = arith.constant dense<[1, -2, 3]> : tensor<3xi32>", 3),
            (I32{1, -2, 3}));
  EXPECT_EQ(tileOf("%r = arith.constant dense<7> : tensor<3xi32>", 3),
            (I32{7, 7, 7}));
  EXPECT_EQ(
      tileOf("%c = arith.constant dense<[true, false, true]> : tensor<3xi1>\n"
             "%r = arith.extui %c : tensor<3xi1> to tensor<3xi32>",
             3),
      (I32{1, 0, 1}));
  EXPECT_EQ(tileOf("%c = arith.constant dense<[1.5, -2.5]> : tensor<2xbf16>\n"
                   "%r = arith.fptosi %c : tensor<2xbf16> to tensor<2xi32>",
                   2),
            (I32{1, -2}));
  EXPECT_EQ(tileOf("%c = arith.constant -1 : index\n%i = arith.index_cast %c : "
                   "index to i32\n"
                   "%r = tile.splat %i : i32 -> tensor<2xi32>",
                   2),
            (I32{-1, -1}));
}

TEST(Shape, Ranges) {
  EXPECT_EQ(tileOf("%r = tile.arange -2, 3 : tensor<5xi32>", 5),
            (I32{-2, -1, 0, 1, 2}));
}

TEST(Shape, OuterSum) {
  // Rows of tens, columns of ones: both operands are repeated, never copied.
  EXPECT_EQ(tileOf(R"(
      %x = tile.arange 0, 3 : tensor<3xi32>
      %y = tile.arange 0, 2 : tensor<2xi32>
      %ten = arith.constant dense<10> : tensor<2xi32>
      %y10 = arith.muli %y, %ten : tensor<2xi32>
      %e0 = tile.expand_dims %x, 0 : tensor<3xi32> -> tensor<1x3xi32>
      %e1 = tile.expand_dims %y10, 1 : tensor<2xi32> -> tensor<2x1xi32>
      %b0 = tile.broadcast %e0 : tensor<1x3xi32> -> tensor<2x3xi32>
      %b1 = tile.broadcast %e1 : tensor<2x1xi32> -> tensor<2x3xi32>
      %s = arith.addi %b0, %b1 : tensor<2x3xi32>
      %r = tile.reshape %s : tensor<2x3xi32> -> tensor<6xi32>)",
                   6),
            (I32{0, 1, 2, 10, 11, 12}));
}

TEST(Shape, TransposeAndReshape) {
  EXPECT_EQ(tileOf(R"(
      %x = tile.arange 0, 6 : tensor<6xi32>
      %a = tile.reshape %x : tensor<6xi32> -> tensor<2x3xi32>
      %t = tile.trans %a, [1, 0] : tensor<2x3xi32> -> tensor<3x2xi32>
      %r = tile.reshape %t : tensor<3x2xi32> -> tensor<6xi32>)",
                   6),
            (I32{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(tileOf(R"(
      %x = tile.arange 0, 8 : tensor<8xi32>
      %a = tile.reshape %x : tensor<8xi32> -> tensor<2x2x2xi32>
      %t = tile.trans %a, [2, 0, 1] : tensor<2x2x2xi32> -> tensor<2x2x2xi32>
      %r = tile.reshape %t : tensor<2x2x2xi32> -> tensor<8xi32>)",
                   8),
            (I32{0, 2, 4, 6, 1, 3, 5, 7}));
}

TEST(Shape, ViewsOfViews) {
  // x broadcast, transposed, added to its untransposed self.
  EXPECT_EQ(tileOf(R"(
      %x = tile.arange 0, 3 : tensor<3xi32>
      %e = tile.expand_dims %x, 0 : tensor<3xi32> -> tensor<1x3xi32>
      %b = tile.broadcast %e : tensor<1x3xi32> -> tensor<3x3xi32>
      %t = tile.trans %b, [1, 0] : tensor<3x3xi32> -> tensor<3x3xi32>
      %ten = arith.constant dense<10> : tensor<3x3xi32>
      %t10 = arith.muli %t, %ten : tensor<3x3xi32>
      %s = arith.addi %t10, %b : tensor<3x3xi32>
      %r = tile.reshape %s : tensor<3x3xi32> -> tensor<9xi32>)",
                   9),
            (I32{0, 1, 2, 10, 11, 12, 20, 21, 22}));
}

TEST(Shape, RepeatedTilesAreCarriedThroughLoops) {
  // A splat enters a loop and becomes different in each element.
  EXPECT_EQ(tileOf(R"(
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c3 = arith.constant 3 : i32
      %zero = arith.constant dense<5> : tensor<2x2xi32>
      %x = tile.arange 0, 4 : tensor<4xi32>
      %q = tile.reshape %x : tensor<4xi32> -> tensor<2x2xi32>
      %l = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %zero) -> tensor<2x2xi32> : i32 {
        %s = arith.addi %a, %q : tensor<2x2xi32>
        %t = tile.trans %s, [1, 0] : tensor<2x2xi32> -> tensor<2x2xi32>
        scf.yield %t : tensor<2x2xi32>
      }
      %r = tile.reshape %l : tensor<2x2xi32> -> tensor<4xi32>)",
                   4),
            (I32{5, 10, 9, 14}));
}

TEST(Shape, LargeTilesInChunks) {
  // 3 x 701 elements: chunks begin in the middle of rows.
  const int rows = 3, columns = 701;
  I32 got = tileOf(R"(
      %x = tile.arange 0, 701 : tensor<701xi32>
      %y = tile.arange 0, 3 : tensor<3xi32>
      %th = arith.constant dense<1000> : tensor<3xi32>
      %yt = arith.muli %y, %th : tensor<3xi32>
      %e0 = tile.expand_dims %x, 0 : tensor<701xi32> -> tensor<1x701xi32>
      %e1 = tile.expand_dims %yt, 1 : tensor<3xi32> -> tensor<3x1xi32>
      %b0 = tile.broadcast %e0 : tensor<1x701xi32> -> tensor<3x701xi32>
      %b1 = tile.broadcast %e1 : tensor<3x1xi32> -> tensor<3x701xi32>
      %s = arith.addi %b0, %b1 : tensor<3x701xi32>
      %r = tile.reshape %s : tensor<3x701xi32> -> tensor<2103xi32>)",
                   rows * columns);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      ASSERT_EQ(got[i * columns + j], i * 1000 + j);
}
