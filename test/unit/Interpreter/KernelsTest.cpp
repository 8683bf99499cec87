//===- KernelsTest.cpp - whole kernels ------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The textbook's kernels against plain loops, with what they move.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

using namespace tilec::interpreter;

/// Vector addition in blocks of 256.
static const char *const kAdd = R"(
func.func @add(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %out: !tile.ptr<f32>, %n: i32) {
  %c256 = arith.constant 256 : i32
  %pid = tile.program_id 0 : i32
  %start = arith.muli %pid, %c256 : i32
  %s = tile.splat %start : i32 -> tensor<256xi32>
  %r = tile.arange 0, 256 : tensor<256xi32>
  %offs = arith.addi %s, %r : tensor<256xi32>
  %nn = tile.splat %n : i32 -> tensor<256xi32>
  %mask = arith.cmpi slt, %offs, %nn : tensor<256xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %offs : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %a = tile.load %xp mask %mask : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %offs : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %b = tile.load %yp mask %mask : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  %sum = arith.addf %a, %b : tensor<256xf32>
  %os = tile.splat %out : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %op = tile.addptr %os, %offs : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  tile.store %op, %sum mask %mask : tensor<256x!tile.ptr<f32>>, tensor<256xf32>
  return
}
)";

static std::vector<float> randomFloats(size_t n) {
  static std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> values(n);
  for (float &value : values)
    value = normal(random);
  return values;
}

TEST(Kernels, VectorAddMovesWhatItNeeds) {
  std::vector<float> x = randomFloats(1000), y = randomFloats(1000),
                     out(1000, NAN);
  Program program(kAdd);
  program.options.meter = true;
  program.array("x_ptr", x)
      .array("y_ptr", y)
      .array("out_ptr", out)
      .number("n", 1000);
  ASSERT_TRUE(program.run(4)) << program.messages;
  for (int i = 0; i < 1000; ++i)
    ASSERT_EQ(out[i], x[i] + y[i]);
  ASSERT_EQ(program.traffic.arguments.size(), 3u);
  EXPECT_EQ(program.traffic.programs, 4u);
  for (int i = 0; i < 2; ++i) {
    const ArgumentTraffic &in = program.traffic.arguments[i];
    EXPECT_EQ(in.elementsRead, 1000u);
    EXPECT_EQ(in.bytesRead, 4000u);
    EXPECT_EQ(in.distinctBytesRead, 4000u);
    EXPECT_EQ(in.elementsWritten, 0u);
  }
  EXPECT_EQ(program.traffic.arguments[2].elementsRead, 0u);
  EXPECT_EQ(program.traffic.arguments[2].elementsWritten, 1000u);
  EXPECT_EQ(program.traffic.arguments[2].distinctBytesWritten, 4000u);
  // All lanes compute, those that are masked off too.
  ASSERT_EQ(program.traffic.flops.size(), 1u);
  EXPECT_EQ(program.traffic.flops[0].first, "add");
  EXPECT_EQ(program.traffic.flops[0].second, 1024u);
}

TEST(Kernels, VectorAddBeyondTheEndStops) {
  std::vector<float> x = randomFloats(1000), y = randomFloats(1000),
                     out(1024, -1.0f);
  Program program(kAdd);
  program.array("x_ptr", x)
      .array("y_ptr", y)
      .array("out_ptr", out)
      .number("n", 1024);
  EXPECT_FALSE(program.run(4));
  EXPECT_EQ(program.messages,
            "load out of bounds: element 1000 of 'x_ptr' (1000 elements)\n"
            "  in program (3, 0, 0) of grid (4, 1, 1)\n"
            "  lane 232 is the first of 24 such lanes, of 256 active lanes\n"
            "  the farthest reaches 96 bytes past the end of 'x_ptr'\n");
  for (int i = 0; i < 768; ++i)
    ASSERT_EQ(out[i], x[i] + y[i]);
  for (int i = 768; i < 1024; ++i)
    ASSERT_EQ(out[i], -1.0f);
}

/// Softmax of rows of 781 in tiles of 1024.
static const char *const kSoftmax = R"(
func.func @softmax(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) {
  %pid = tile.program_id 0 : i32
  %start = arith.muli %pid, %n : i32
  %r = tile.arange 0, 1024 : tensor<1024xi32>
  %nn = tile.splat %n : i32 -> tensor<1024xi32>
  %mask = arith.cmpi slt, %r, %nn : tensor<1024xi32>
  %ninf = arith.constant dense<0xFF800000> : tensor<1024xf32>
  %xr = tile.addptr %x, %start : !tile.ptr<f32>, i32
  %xs = tile.splat %xr : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %a = tile.load %xp mask %mask other %ninf : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  %max = tile.reduce (%a) axis 0 : tensor<1024xf32> -> f32 {
  ^bb0(%l: f32, %rr: f32):
    %m = arith.maxnumf %l, %rr : f32
    tile.yield %m : f32
  }
  %maxs = tile.splat %max : f32 -> tensor<1024xf32>
  %d = arith.subf %a, %maxs : tensor<1024xf32>
  %e = math.exp %d : tensor<1024xf32>
  %sum = tile.reduce (%e) axis 0 : tensor<1024xf32> -> f32 {
  ^bb0(%l: f32, %rr: f32):
    %m = arith.addf %l, %rr : f32
    tile.yield %m : f32
  }
  %sums = tile.splat %sum : f32 -> tensor<1024xf32>
  %q = arith.divf %e, %sums : tensor<1024xf32>
  %yr = tile.addptr %y, %start : !tile.ptr<f32>, i32
  %ys = tile.splat %yr : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %yp, %q mask %mask : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  return
}
)";

TEST(Kernels, SoftmaxReadsAndWritesOnce) {
  const int m = 300, n = 781;
  std::vector<float> x = randomFloats(m * n), y(m * n, NAN);
  Program program(kSoftmax);
  program.options.meter = true;
  program.array("x", x).array("y", y).number("n", n);
  ASSERT_TRUE(program.run(m)) << program.messages;
  for (int i = 0; i < m; ++i) {
    double sum = 0;
    for (int j = 0; j < n; ++j)
      sum += std::exp(static_cast<double>(x[i * n + j]));
    for (int j = 0; j < n; ++j)
      ASSERT_NEAR(y[i * n + j],
                  std::exp(static_cast<double>(x[i * n + j])) / sum, 1e-7);
  }
  EXPECT_EQ(program.traffic.arguments[0].elementsRead, uint64_t(m * n));
  EXPECT_EQ(program.traffic.arguments[1].elementsWritten, uint64_t(m * n));
}

/// relu(a @ b) of 256x256 matrices in blocks of B, k in steps of 32, in IEEE
/// f32.
static std::string matmulKernel(int block) {
  std::string text = R"(
func.func @matmul(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>, %c: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %cB = arith.constant BB : i32
  %n = arith.constant 256 : i32
  %k32 = arith.constant dense<32> : tensor<BBx32xi32>
  %kb32 = arith.constant dense<8192> : tensor<32xBBxi32>
  %pm = tile.program_id 0 : i32
  %pn = tile.program_id 1 : i32
  %m0 = arith.muli %pm, %cB : i32
  %n0 = arith.muli %pn, %cB : i32
  %rb = tile.arange 0, BB : tensor<BBxi32>
  %rk = tile.arange 0, 32 : tensor<32xi32>
  %m0s = tile.splat %m0 : i32 -> tensor<BBxi32>
  %n0s = tile.splat %n0 : i32 -> tensor<BBxi32>
  %om = arith.addi %m0s, %rb : tensor<BBxi32>
  %on = arith.addi %n0s, %rb : tensor<BBxi32>
  %c256 = arith.constant dense<256> : tensor<BBx1xi32>
  %om1 = tile.expand_dims %om, 1 : tensor<BBxi32> -> tensor<BBx1xi32>
  %om2 = arith.muli %om1, %c256 : tensor<BBx1xi32>
  %omb = tile.broadcast %om2 : tensor<BBx1xi32> -> tensor<BBx32xi32>
  %rk0 = tile.expand_dims %rk, 0 : tensor<32xi32> -> tensor<1x32xi32>
  %rkb = tile.broadcast %rk0 : tensor<1x32xi32> -> tensor<BBx32xi32>
  %oa = arith.addi %omb, %rkb : tensor<BBx32xi32>
  %as = tile.splat %a : !tile.ptr<f32> -> tensor<BBx32x!tile.ptr<f32>>
  %ap0 = tile.addptr %as, %oa : tensor<BBx32x!tile.ptr<f32>>, tensor<BBx32xi32>
  %rk1 = tile.expand_dims %rk, 1 : tensor<32xi32> -> tensor<32x1xi32>
  %k256 = arith.constant dense<256> : tensor<32x1xi32>
  %rk2 = arith.muli %rk1, %k256 : tensor<32x1xi32>
  %rkc = tile.broadcast %rk2 : tensor<32x1xi32> -> tensor<32xBBxi32>
  %on0 = tile.expand_dims %on, 0 : tensor<BBxi32> -> tensor<1xBBxi32>
  %onb = tile.broadcast %on0 : tensor<1xBBxi32> -> tensor<32xBBxi32>
  %ob = arith.addi %rkc, %onb : tensor<32xBBxi32>
  %bs = tile.splat %b : !tile.ptr<f32> -> tensor<32xBBx!tile.ptr<f32>>
  %bp0 = tile.addptr %bs, %ob : tensor<32xBBx!tile.ptr<f32>>, tensor<32xBBxi32>
  %zero = arith.constant dense<0.0> : tensor<BBxBBxf32>
  %acc, %ape, %bpe = scf.for %k = %c0 to %n step %c32
      iter_args(%acc0 = %zero, %ap = %ap0, %bp = %bp0)
      -> (tensor<BBxBBxf32>, tensor<BBx32x!tile.ptr<f32>>, tensor<32xBBx!tile.ptr<f32>>) : i32 {
    %at = tile.load %ap : tensor<BBx32x!tile.ptr<f32>> -> tensor<BBx32xf32>
    %bt = tile.load %bp : tensor<32xBBx!tile.ptr<f32>> -> tensor<32xBBxf32>
    %acc1 = tile.dot %at, %bt, %acc0 {precision = 2 : i32} : tensor<BBx32xf32>, tensor<32xBBxf32> -> tensor<BBxBBxf32>
    %ap1 = tile.addptr %ap, %k32 : tensor<BBx32x!tile.ptr<f32>>, tensor<BBx32xi32>
    %bp1 = tile.addptr %bp, %kb32 : tensor<32xBBx!tile.ptr<f32>>, tensor<32xBBxi32>
    scf.yield %acc1, %ap1, %bp1 : tensor<BBxBBxf32>, tensor<BBx32x!tile.ptr<f32>>, tensor<32xBBx!tile.ptr<f32>>
  }
  %relu = arith.maxnumf %acc, %zero : tensor<BBxBBxf32>
  %omc = tile.broadcast %om2 : tensor<BBx1xi32> -> tensor<BBxBBxi32>
  %onc = tile.broadcast %on0 : tensor<1xBBxi32> -> tensor<BBxBBxi32>
  %oc = arith.addi %omc, %onc : tensor<BBxBBxi32>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<BBxBBx!tile.ptr<f32>>
  %cp = tile.addptr %cs, %oc : tensor<BBxBBx!tile.ptr<f32>>, tensor<BBxBBxi32>
  tile.store %cp, %relu : tensor<BBxBBx!tile.ptr<f32>>, tensor<BBxBBxf32>
  return
}
)";
  std::string number = std::to_string(block);
  for (size_t at; (at = text.find("BB")) != std::string::npos;)
    text.replace(at, 2, number);
  return text;
}

TEST(Kernels, MatmulReadsLessInLargerBlocks) {
  const int n = 256;
  std::vector<float> a = randomFloats(n * n), b = randomFloats(n * n);
  std::vector<float> want(n * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int k = 0; k < n; ++k)
        sum = std::fma(a[i * n + k], b[k * n + j], sum);
      want[i * n + j] = std::max(sum, 0.0f);
    }
  for (int block : {16, 32, 64, 128}) {
    std::vector<float> c(n * n, NAN);
    Program program(matmulKernel(block));
    program.options.meter = true;
    program.array("a", a).array("b", b).array("c", c);
    ASSERT_TRUE(program.run(n / block, n / block)) << program.messages;
    EXPECT_EQ(c, want);
    uint64_t read = program.traffic.arguments[0].elementsRead +
                    program.traffic.arguments[1].elementsRead;
    EXPECT_EQ(read, 2u * n * n * n / block);
    EXPECT_EQ(program.traffic.arguments[0].distinctBytesRead, 4u * n * n);
    EXPECT_EQ(program.traffic.arguments[2].elementsWritten, uint64_t(n * n));
    EXPECT_EQ(program.traffic.flops[0],
              (std::pair<std::string, uint64_t>("dot", 2u * n * n * n)));
  }
}
