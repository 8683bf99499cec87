//===- MemoryTest.cpp - loads, stores, atomics ----------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM
// Exceptions.
//
// Masks, the checks of every access and their messages, atomics, pointers as
// numbers.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "gtest/gtest.h"
#include <numeric>

using namespace tilec::interpreter;

using I32 = std::vector<int32_t>;

TEST(Memory, MaskedLanesGiveOtherOrZero) {
  const char *ir = R"(
    func.func @k(%p: !tile.ptr<i32>, %o: !tile.ptr<i32>, %n: i32) {
      %r = tile.arange 0, 4 : tensor<4xi32>
      %ns = tile.splat %n : i32 -> tensor<4xi32>
      %m = arith.cmpi slt, %r, %ns : tensor<4xi32>
      %ps = tile.splat %p : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
      %pp = tile.addptr %ps, %r : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
      %seven = arith.constant dense<7> : tensor<4xi32>
      %a = tile.load %pp mask %m : tensor<4x!tile.ptr<i32>> -> tensor<4xi32>
      %b = tile.load %pp mask %m other %seven : tensor<4x!tile.ptr<i32>> -> tensor<4xi32>
      %s = arith.addi %a, %b : tensor<4xi32>
      %os = tile.splat %o : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
      %op = tile.addptr %os, %r : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
      tile.store %op, %s : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
      return
    })";
  I32 in = {10, 20}, out(4, -1);
  Program program(ir);
  program.options.meter = true;
  program.array("p", in).array("o", out).number("n", 2);
  ASSERT_TRUE(program.run()) << program.messages;
  EXPECT_EQ(out, (I32{20, 40, 7, 7}));
  EXPECT_EQ(program.traffic.arguments[0].elementsRead, 4u);
  EXPECT_EQ(program.traffic.arguments[0].distinctBytesRead, 8u);
}

/// A scalar kernel that accesses `p[i]`.
static std::string scalarKernel(const std::string &type,
                                const std::string &access) {
  return "func.func @k(%p: !tile.ptr<" + type + ">, %i: i64, %v: " + type +
         ") {\n" + "%q = tile.addptr %p, %i : !tile.ptr<" + type + ">, i64\n" +
         access + "\nreturn\n}\n";
}

/// The messages of a run on 8 i32 that must fail and change nothing.
static std::string failureOf(const std::string &access, int64_t index) {
  I32 data(8, 5);
  Program program(scalarKernel("i32", access));
  program.array("data", data).number("i", index).number("v", 9);
  EXPECT_FALSE(program.run());
  EXPECT_EQ(data, I32(8, 5));
  return program.messages;
}

TEST(Memory, AccessesOutsideAreFaults) {
  const char *load = "%a = tile.load %q : !tile.ptr<i32> -> i32";
  const char *store = "tile.store %q, %v : !tile.ptr<i32>, i32";
  const char *add =
      "%a = tile.atomic_rmw add, relaxed, gpu, %q, %v : !tile.ptr<i32>, i32";
  std::string program = "  in program (0, 0, 0) of grid (1, 1, 1)\n";
  EXPECT_EQ(failureOf(load, 8),
            "load out of bounds: element 8 of 'data' (8 elements)\n" + program +
                "  the farthest reaches 4 bytes past the end of 'data'\n");
  EXPECT_EQ(failureOf(store, -1),
            "store out of bounds: element -1 of 'data' (8 elements)\n" +
                program + "  the farthest reaches 4 bytes before 'data'\n");
  EXPECT_EQ(failureOf(add, 1000),
            "atomic out of bounds: element 1000 of 'data' (8 elements)\n" +
                program +
                "  the farthest reaches 3972 bytes past the end of 'data'\n");
  EXPECT_EQ(failureOf(load, int64_t(1) << 60),
            "load out of bounds: address 0x4000018000000000 is in no buffer\n" +
                program);
  // The edges themselves are fine.
  I32 data(8, 5);
  Program last(scalarKernel("i32", store));
  last.array("data", data).number("i", int64_t(7)).number("v", 9);
  EXPECT_TRUE(last.run());
  EXPECT_EQ(data[7], 9);
}

TEST(Memory, NullAndWildPointersAreFaults) {
  const char *ir = R"(
    func.func @k(%a: i64) {
      %p = tile.ptr_cast %a : i64 -> !tile.ptr<f32>
      %x = tile.load %p : !tile.ptr<f32> -> f32
      return
    })";
  for (int64_t address : {int64_t(0), int64_t(-4), int64_t(12345)}) {
    Program program(ir);
    program.number("a", address);
    EXPECT_FALSE(program.run());
    EXPECT_NE(program.messages.find("is in no buffer"), std::string::npos);
  }
}

TEST(Memory, MisalignedAccessesAreFaults) {
  const char *ir = R"(
    func.func @k(%p: !tile.ptr<i8>, %i: i64) {
      %q = tile.addptr %p, %i : !tile.ptr<i8>, i64
      %r = tile.ptr_cast %q : !tile.ptr<i8> -> !tile.ptr<i32>
      %x = tile.load %r : !tile.ptr<i32> -> i32
      return
    })";
  std::vector<int8_t> data(16);
  Program program(ir);
  program.array("data", data).number("i", int64_t(6));
  EXPECT_FALSE(program.run());
  EXPECT_EQ(program.messages,
            "load not aligned: byte 6 of 'data' is not a multiple of the "
            "element's 4 bytes\n"
            "  in program (0, 0, 0) of grid (1, 1, 1)\n");
  Program aligned(ir);
  aligned.array("data", data).number("i", int64_t(12));
  EXPECT_TRUE(aligned.run());
}

TEST(Memory, OneLaneOutsideStopsTheWholeStore) {
  const char *ir = R"(
    func.func @k(%p: !tile.ptr<f32>) {
      %r = tile.arange 0, 8 : tensor<8xi32>
      %e0 = tile.expand_dims %r, 0 : tensor<8xi32> -> tensor<1x8xi32>
      %e1 = tile.expand_dims %r, 1 : tensor<8xi32> -> tensor<8x1xi32>
      %b0 = tile.broadcast %e0 : tensor<1x8xi32> -> tensor<8x8xi32>
      %b1 = tile.broadcast %e1 : tensor<8x1xi32> -> tensor<8x8xi32>
      %eight = arith.constant dense<8> : tensor<8x8xi32>
      %row = arith.muli %b1, %eight : tensor<8x8xi32>
      %i = arith.addi %row, %b0 : tensor<8x8xi32>
      %ps = tile.splat %p : !tile.ptr<f32> -> tensor<8x8x!tile.ptr<f32>>
      %pp = tile.addptr %ps, %i : tensor<8x8x!tile.ptr<f32>>, tensor<8x8xi32>
      %v = arith.constant dense<1.0> : tensor<8x8xf32>
      tile.store %pp, %v : tensor<8x8x!tile.ptr<f32>>, tensor<8x8xf32>
      return
    })";
  std::vector<float> data(62, 0.0f);
  Program program(ir);
  program.array("p", data);
  EXPECT_FALSE(program.run());
  EXPECT_EQ(program.messages,
            "store out of bounds: element 62 of 'p' (62 elements)\n"
            "  in program (0, 0, 0) of grid (1, 1, 1)\n"
            "  lane (7, 6) is the first of 2 such lanes, of 64 active lanes\n"
            "  the farthest reaches 8 bytes past the end of 'p'\n");
  EXPECT_EQ(data, std::vector<float>(62, 0.0f));
}

TEST(Memory, LanesMayPointIntoSeveralBuffers) {
  const char *ir = R"(
    func.func @k(%p: !tile.ptr<i32>, %q: !tile.ptr<i32>, %o: !tile.ptr<i32>) {
      %r = tile.arange 0, 4 : tensor<4xi32>
      %two = arith.constant dense<2> : tensor<4xi32>
      %m = arith.cmpi slt, %r, %two : tensor<4xi32>
      %ps = tile.splat %p : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
      %qs = tile.splat %q : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
      %s = arith.select %m, %ps, %qs : tensor<4xi1>, tensor<4x!tile.ptr<i32>>
      %sp = tile.addptr %s, %r : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
      %v = tile.load %sp : tensor<4x!tile.ptr<i32>> -> tensor<4xi32>
      %os = tile.splat %o : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
      %op = tile.addptr %os, %r : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
      tile.store %op, %v : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
      tile.store %sp, %r : tensor<4x!tile.ptr<i32>>, tensor<4xi32>
      return
    })";
  I32 p = {1, 2, 3, 4}, q = {5, 6, 7, 8}, out(4);
  Program program(ir);
  program.options.meter = true;
  program.array("p", p).array("q", q).array("o", out);
  ASSERT_TRUE(program.run()) << program.messages;
  EXPECT_EQ(out, (I32{1, 2, 7, 8}));
  EXPECT_EQ(p, (I32{0, 1, 3, 4}));
  EXPECT_EQ(q, (I32{5, 6, 2, 3}));
  EXPECT_EQ(program.traffic.arguments[0].elementsRead, 2u);
  EXPECT_EQ(program.traffic.arguments[1].elementsWritten, 2u);
}

/// Applies an atomic to `start` with `value` three times; the memory
/// afterwards. The last old value must be what two applications leave.
template <typename T>
static T atomically(const std::string &kind, const std::string &type, T start,
                    T value) {
  std::string ir = scalarKernel(
      type, "%a = tile.atomic_rmw " + kind +
                ", acq_rel, gpu, %q, %v : !tile.ptr<" + type + ">, " + type);
  std::vector<T> data = {start};
  Program program(ir);
  program.array("data", data).number("i", int64_t(0)).number("v", value);
  EXPECT_TRUE(program.run(3)) << program.messages;
  return data[0];
}

TEST(Memory, Atomics) {
  EXPECT_EQ(atomically<int32_t>("add", "i32", 5, -7), -16);
  EXPECT_EQ(atomically<int64_t>("add", "i64", 5, int64_t(1) << 40),
            5 + 3 * (int64_t(1) << 40));
  EXPECT_EQ(atomically<float>("fadd", "f32", 0.5f, 0.25f), 1.25f);
  EXPECT_EQ(atomically<double>("fadd", "f64", 0.5, 0.25), 1.25);
  EXPECT_EQ(atomically<uint16_t>("fadd", "f16", 0x3C00, 0x1000),
            0x3C00); // 1 + 2^-11
  EXPECT_EQ(atomically<uint16_t>("fadd", "bf16", 0x3F80, 0x3F80), 0x4080);
  EXPECT_EQ(atomically<int32_t>("max", "i32", -5, 3), 3);
  EXPECT_EQ(atomically<int32_t>("min", "i32", -5, 3), -5);
  EXPECT_EQ(atomically<int32_t>("umax", "i32", -5, 3), -5);
  EXPECT_EQ(atomically<int32_t>("umin", "i32", -5, 3), 3);
  EXPECT_EQ(atomically<float>("fmax", "f32", -5, 3), 3);
  EXPECT_EQ(atomically<float>("fmin", "f32", -5, 3), -5);
  EXPECT_EQ(atomically<int32_t>("and", "i32", 12, 10), 8);
  EXPECT_EQ(atomically<int32_t>("or", "i32", 12, 10), 14);
  EXPECT_EQ(atomically<int32_t>("xor", "i32", 12, 10), 6);
  EXPECT_EQ(atomically<int32_t>("xchg", "i32", 12, 10), 10);
  EXPECT_EQ(atomically<float>("xchg", "f32", 12, 10), 10);
}

TEST(Memory, AtomicsOfATileTakeTurns) {
  // All lanes count one cell; the old values are all different.
  const char *ir = R"(
    func.func @k(%p: !tile.ptr<i32>, %o: !tile.ptr<i32>) {
      %r = tile.arange 0, 8 : tensor<8xi32>
      %five = arith.constant dense<5> : tensor<8xi32>
      %m = arith.cmpi slt, %r, %five : tensor<8xi32>
      %one = arith.constant dense<1> : tensor<8xi32>
      %ps = tile.splat %p : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
      %old = tile.atomic_rmw add, relaxed, gpu, %ps, %one mask %m : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
      %os = tile.splat %o : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
      %op = tile.addptr %os, %r : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
      tile.store %op, %old : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
      return
    })";
  I32 cell = {100}, out(8, -1);
  Program program(ir);
  program.options.meter = true;
  program.array("cell", cell).array("o", out);
  ASSERT_TRUE(program.run()) << program.messages;
  EXPECT_EQ(cell[0], 105);
  EXPECT_EQ(out, (I32{100, 101, 102, 103, 104, 0, 0, 0}));
  EXPECT_EQ(program.traffic.arguments[0].elementsRead, 5u);
  EXPECT_EQ(program.traffic.arguments[0].elementsWritten, 5u);
}

TEST(Memory, CompareAndSwap) {
  std::string ir =
      "func.func @k(%p: !tile.ptr<i32>, %c: i32, %v: i32) {\n"
      "%o = tile.atomic_cas acq_rel, gpu, %p, %c, %v : !tile.ptr<i32>, i32\n"
      "%one = arith.constant 1 : i64\n"
      "%q = tile.addptr %p, %one : !tile.ptr<i32>, i64\n"
      "tile.store %q, %o : !tile.ptr<i32>, i32\nreturn\n}";
  for (int expected : {3, 4}) {
    I32 data = {3, 0};
    Program program(ir);
    program.array("data", data).number("c", expected).number("v", 9);
    ASSERT_TRUE(program.run()) << program.messages;
    EXPECT_EQ(data, (I32{expected == 3 ? 9 : 3, 3}));
  }
}

TEST(Memory, OffsetsAreSignedAndScaled) {
  // i8 offsets reach backwards; f64 elements are 8 bytes apart.
  const char *ir = R"(
    func.func @k(%p: !tile.ptr<f64>, %i: i8, %v: f64) {
      %five = arith.constant 5 : i64
      %q = tile.addptr %p, %five : !tile.ptr<f64>, i64
      %s = tile.addptr %q, %i : !tile.ptr<f64>, i8
      tile.store %s, %v : !tile.ptr<f64>, f64
      return
    })";
  std::vector<double> data(6);
  Program program(ir);
  program.array("data", data).number("i", int8_t(-3)).number("v", 2.5);
  ASSERT_TRUE(program.run()) << program.messages;
  EXPECT_EQ(data, (std::vector<double>{0, 0, 2.5, 0, 0, 0}));
}

TEST(Memory, TheLowestFailingProgramIsReported) {
  // Programs 700 and later fail; which thread meets one first must not matter.
  const char *ir = R"(
    func.func @k(%p: !tile.ptr<i32>) {
      %i = tile.program_id 0 : i32
      %q = tile.addptr %p, %i : !tile.ptr<i32>, i32
      tile.store %q, %i : !tile.ptr<i32>, i32
      return
    })";
  for (int i = 0; i < 20; ++i) {
    I32 data(700);
    Program program(ir);
    program.array("data", data);
    EXPECT_FALSE(program.run(1000));
    EXPECT_EQ(program.messages.substr(0, program.messages.find("\n  the")),
              "store out of bounds: element 700 of 'data' (700 elements)\n"
              "  in program (700, 0, 0) of grid (1000, 1, 1)");
    I32 want(700);
    std::iota(want.begin(), want.end(), 0);
    EXPECT_EQ(data, want);
  }
}

TEST(Memory, ArgumentsAreChecked) {
  const char *ir = "func.func @k(%p: !tile.ptr<i32>, %i: i32) {\nreturn\n}";
  I32 data(1);
  Program few(ir);
  few.array("p", data);
  EXPECT_FALSE(few.run());
  EXPECT_EQ(few.messages, "'k' takes 2 arguments, got 1\n");
  Program swapped(ir);
  swapped.number("p", 1).array("i", data);
  EXPECT_FALSE(swapped.run());
  EXPECT_EQ(swapped.messages, "argument 'p' is a pointer, got a number\n");
  Program grid(ir);
  grid.array("p", data).number("i", 1);
  EXPECT_FALSE(grid.run(0));
  EXPECT_EQ(grid.messages, "a grid needs sizes of 1 to 2147483647, got 0\n");
}
