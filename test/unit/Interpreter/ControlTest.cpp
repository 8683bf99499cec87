//===- ControlTest.cpp - the grid, loops, branches, calls -----------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM
// Exceptions.
//
// Control flow with values carried through it, assertions, prints, and the
// messages for what the interpreter does not run.
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "gtest/gtest.h"

using namespace tilec::interpreter;

using I32 = std::vector<int32_t>;

/// Runs a kernel of `%o: !tile.ptr<i32>` and `%n: i32` that stores `%r`.
static int32_t scalar(const std::string &body, int32_t n) {
  I32 out = {-77};
  Program program("func.func @k(%o: !tile.ptr<i32>, %n: i32) {\n"
                  "%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i32\n"
                  "%c2 = arith.constant 2 : i32\n" +
                  body +
                  "\ntile.store %o, %r : !tile.ptr<i32>, i32\nreturn\n}");
  program.array("o", out).number("n", n);
  EXPECT_TRUE(program.run()) << program.messages;
  return out[0];
}

TEST(Control, Grid) {
  const char *ir = R"(
    func.func @k(%o: !tile.ptr<i32>) {
      %x = tile.program_id 0 : i32
      %y = tile.program_id 1 : i32
      %z = tile.program_id 2 : i32
      %nx = tile.num_programs 0 : i32
      %ny = tile.num_programs 1 : i32
      %nz = tile.num_programs 2 : i32
      %a = arith.muli %z, %ny : i32
      %b = arith.addi %a, %y : i32
      %c = arith.muli %b, %nx : i32
      %i = arith.addi %c, %x : i32
      %q = tile.addptr %o, %i : !tile.ptr<i32>, i32
      %h = arith.constant 100 : i32
      %d = arith.muli %nz, %h : i32
      %v = arith.addi %d, %i : i32
      tile.store %q, %v : !tile.ptr<i32>, i32
      return
    })";
  I32 out(24, -1);
  Program program(ir);
  program.array("o", out);
  ASSERT_TRUE(program.run(3, 4, 2)) << program.messages;
  for (int i = 0; i < 24; ++i)
    EXPECT_EQ(out[i], 200 + i);
}

TEST(Control, ForCarriesValues) {
  // Fibonacci: the yield swaps, so the copies must happen as if at once.
  const char *fibonacci =
      "%r, %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0, %b = %c1) "
      "-> (i32, i32) : i32 {\n%t = arith.addi %a, %b : i32\n"
      "scf.yield %b, %t : i32, i32\n}";
  EXPECT_EQ(scalar(fibonacci, 0), 0);
  EXPECT_EQ(scalar(fibonacci, 10), 55);
  EXPECT_EQ(scalar(fibonacci, -5), 0);
  const char *rotate =
      "%r, %s, %t = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0, "
      "%b = %c1, %c = %c2) -> (i32, i32, i32) : i32 {\n"
      "scf.yield %c, %a, %b : i32, i32, i32\n}";
  EXPECT_EQ(scalar(rotate, 1), 2);
  EXPECT_EQ(scalar(rotate, 2), 1);
  EXPECT_EQ(scalar(rotate, 3), 0);
}

TEST(Control, ForCountsWithoutOverflow) {
  // The induction variable would pass the largest number after the last
  // iteration.
  EXPECT_EQ(scalar("%low = arith.constant 2147483640 : i32\n%high = "
                   "arith.constant 2147483647 : i32\n"
                   "%step = arith.constant 5 : i32\n"
                   "%r = scf.for %i = %low to %high step %step iter_args(%a = "
                   "%c0) -> i32 : i32 {\n"
                   "%t = arith.addi %a, %c1 : i32\nscf.yield %t : i32\n}",
                   0),
            2);
  // From -1: unsigned, that is the largest number, and nothing runs.
  const char *loop =
      " %i = %m to %n step %c1 iter_args(%a = %c0) -> i32 : i32 {\n"
      "%t = arith.addi %a, %c1 : i32\nscf.yield %t : i32\n}";
  std::string minus = "%m = arith.constant -1 : i32\n%r = scf.for";
  EXPECT_EQ(scalar(minus + loop, 5), 6);
  EXPECT_EQ(scalar(minus + " unsigned" + loop, 5), 0);
}

TEST(Control, ForNeedsAPositiveStep) {
  I32 out = {0};
  Program program("func.func @k(%o: !tile.ptr<i32>, %n: i32) {\n"
                  "%c0 = arith.constant 0 : i32\n%c5 = arith.constant 5 : i32\n"
                  "scf.for %i = %c0 to %c5 step %n : i32 {\n}\nreturn\n}");
  program.array("o", out).number("n", 0);
  EXPECT_FALSE(program.run());
  EXPECT_EQ(program.messages, "a loop needs a positive step, got 0\n"
                              "  in program (0, 0, 0) of grid (1, 1, 1)\n");
}

TEST(Control, NestedLoopsAndBranches) {
  // The number of pairs j <= i < n with an even sum.
  const char *body = R"(
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0) -> i32 : i32 {
      %i1 = arith.addi %i, %c1 : i32
      %in = scf.for %j = %c0 to %i1 step %c1 iter_args(%b = %a) -> i32 : i32 {
        %s = arith.addi %i, %j : i32
        %m = arith.remsi %s, %c2 : i32
        %e = arith.cmpi eq, %m, %c0 : i32
        %x = scf.if %e -> i32 {
          %y = arith.addi %b, %c1 : i32
          scf.yield %y : i32
        } else {
          scf.yield %b : i32
        }
        scf.yield %x : i32
      }
      scf.yield %in : i32
    })";
  EXPECT_EQ(scalar(body, 7), 16);
}

TEST(Control, WhileRunsUntilItsCondition) {
  // Collatz steps.
  const char *body = R"(
    %c3 = arith.constant 3 : i32
    %r, %last = scf.while (%steps = %c0, %x = %n) : (i32, i32) -> (i32, i32) {
      %more = arith.cmpi ne, %x, %c1 : i32
      scf.condition(%more) %steps, %x : i32, i32
    } do {
    ^bb0(%steps: i32, %x: i32):
      %odd = arith.remsi %x, %c2 : i32
      %isOdd = arith.cmpi eq, %odd, %c1 : i32
      %next = scf.if %isOdd -> i32 {
        %t = arith.muli %x, %c3 : i32
        %u = arith.addi %t, %c1 : i32
        scf.yield %u : i32
      } else {
        %h = arith.divsi %x, %c2 : i32
        scf.yield %h : i32
      }
      %s = arith.addi %steps, %c1 : i32
      scf.yield %s, %next : i32, i32
    })";
  EXPECT_EQ(scalar(body, 27), 111);
  EXPECT_EQ(scalar(body, 1), 0);
}

TEST(Control, BranchesWithoutResults) {
  const char *ir = R"(
    func.func @k(%o: !tile.ptr<i32>, %n: i32) {
      %c3 = arith.constant 3 : i32
      %e = arith.cmpi eq, %n, %c3 : i32
      scf.if %e {
        tile.store %o, %n : !tile.ptr<i32>, i32
      }
      return
    })";
  for (int n : {3, 4}) {
    I32 out = {0};
    Program program(ir);
    program.array("o", out).number("n", n);
    ASSERT_TRUE(program.run());
    EXPECT_EQ(out[0], n == 3 ? 3 : 0);
  }
}

TEST(Control, Calls) {
  const char *ir = R"(
    func.func private @square(%x: i32) -> i32 {
      %y = arith.muli %x, %x : i32
      return %y : i32
    }
    func.func private @fourth(%x: i32) -> i32 {
      %y = func.call @square(%x) : (i32) -> i32
      %z = func.call @square(%y) : (i32) -> i32
      return %z : i32
    }
    func.func @k(%o: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
      %y = func.call @fourth(%n) : (i32) -> i32
      tile.store %o, %y : !tile.ptr<i32>, i32
      return
    })";
  I32 out = {0};
  Program program(ir);
  program.array("o", out).number("n", 3);
  ASSERT_TRUE(program.run()) << program.messages;
  EXPECT_EQ(out[0], 81);
  Program recursive(
      "func.func @k(%n: i32) {\nfunc.call @k(%n) : (i32) -> ()\nreturn\n}");
  recursive.number("n", 3);
  EXPECT_FALSE(recursive.run());
  EXPECT_EQ(recursive.messages, "'k' calls itself, kernels cannot recurse\n");
}

TEST(Control, ShapesBeyondAllMemoryAreRefused) {
  for (const char *shape :
       {"4611686018427387904x4", "1099511627776", "65536x65536x65536x65536",
        "4611686018427387904x4x0"}) {
    std::string tile = std::string("tensor<") + shape + "x!tile.ptr<i32>>";
    Program program("func.func @k(%p: !tile.ptr<i32>) {\n%s = tile.splat %p : "
                    "!tile.ptr<i32> -> " +
                    tile + "\n%x = tile.load %s : " + tile + " -> tensor<" +
                    shape + "xi32>\nreturn\n}");
    I32 data(1);
    program.array("p", data);
    EXPECT_FALSE(program.run());
  }
}

TEST(Control, CallsThatDoubleAreRefused) {
  std::string ir =
      "func.func private @f0(%x: i32) -> i32 {\n%y = arith.addi %x, %x : i32\n"
      "return %y : i32\n}\n";
  for (int i = 1; i < 40; ++i) {
    std::string callee = "func.call @f" + std::to_string(i - 1) + "(",
                type = ") : (i32) -> i32\n";
    ir += "func.func private @f" + std::to_string(i) +
          "(%x: i32) -> i32 {\n%y = " + callee + "%x" + type +
          "%z = " + callee + "%y" + type + "return %z : i32\n}\n";
  }
  Program program(ir + "func.func @k(%x: i32) attributes {tile.kernel} {\n"
                       "%y = func.call @f39(%x) : (i32) -> i32\nreturn\n}");
  program.number("x", 1);
  EXPECT_FALSE(program.run());
  EXPECT_EQ(program.messages,
            "the kernel has more than 1048576 operations in the interpreter, "
            "which builds each call in place\n");
}

TEST(Control, Assertions) {
  const char *ir = R"(
    func.func @k(%n: i32) {
      %r = tile.arange 0, 8 : tensor<8xi32>
      %ns = tile.splat %n : i32 -> tensor<8xi32>
      %c = arith.cmpi slt, %r, %ns : tensor<8xi32>
      tile.assert %c, "index out of range" : tensor<8xi1>
      return
    })";
  Program holds(ir);
  holds.number("n", 8);
  EXPECT_TRUE(holds.run(2));
  Program fails(ir);
  fails.number("n", 5);
  EXPECT_FALSE(fails.run(2));
  EXPECT_EQ(fails.messages,
            "assertion failed: index out of range\n"
            "  in program (0, 0, 0) of grid (2, 1, 1)\n"
            "  lane 5 is the first of 3 where it does not hold, of 8\n");
}

TEST(Control, AssumptionsAreCheckedOnRequest) {
  const char *ir =
      "func.func @k(%c: i1) {\ntile.assume %c\ntile.barrier\nreturn\n}";
  for (bool check : {false, true}) {
    Program program(ir);
    program.options.check = check;
    program.number("c", false);
    EXPECT_EQ(program.run(), !check);
    EXPECT_EQ(program.messages,
              check ? "an assumption does not hold\n"
                      "  in program (0, 0, 0) of grid (1, 1, 1)\n"
                    : "");
  }
}

TEST(Control, Prints) {
  const char *ir = R"(
    func.func @k(%n: i32, %x: f32) {
      %pid = tile.program_id 0 : i32
      tile.print "n: ", %n, %x : i32, f32
      %r = tile.arange -1, 1 : tensor<2xi32>
      tile.print "r ", %r : tensor<2xi32> {hex}
      %half = arith.constant dense<0.5> : tensor<1x2xf16>
      %yes = arith.constant dense<true> : tensor<1x2xi1>
      tile.print "", %half, %yes : tensor<1x2xf16>, tensor<1x2xi1>
      tile.print "done"
      return
    })";
  Program program(ir);
  program.number("n", -7).number("x", 0.1f);
  ASSERT_TRUE(program.run(1, 2)) << program.messages;
  std::string want;
  for (const char *pid : {"pid (0, 0, 0)", "pid (0, 1, 0)"}) {
    std::string p = pid;
    want += p + " idx () n: -7 0.100000001\n" + p + " idx (0) r 0xffffffff\n" +
            p + " idx (1) r 0x00000000\n" + p + " idx (0, 0) 0.5 1\n" + p +
            " idx (0, 1) 0.5 1\n" + p + " idx () done\n";
  }
  EXPECT_EQ(program.printed, want);
}

TEST(Control, WhatIsUnknownIsSaid) {
  Program op("func.func @k(%x: i32) {\n%0 = scf.execute_region -> i32 {\n"
             "scf.yield %x : i32\n}\nreturn\n}");
  op.number("x", 1);
  EXPECT_FALSE(op.run());
  EXPECT_EQ(op.messages,
            "the interpreter does not know 'scf.execute_region'\n");
  Program type("func.func @k(%x: i7) {\nreturn\n}");
  type.number("x", 1);
  EXPECT_FALSE(type.run());
  EXPECT_EQ(type.messages,
            "the interpreter does not know values of type 'i7'\n");
  Program vector(
      "func.func @k(%x: i32) {\n%c = arith.constant dense<1> : vector<4xi32>\n"
      "%d = arith.addi %c, %c : vector<4xi32>\nreturn\n}");
  vector.number("x", 1);
  EXPECT_FALSE(vector.run());
  Program large(
      "func.func @k(%x: i32) {\n%s = tile.splat %x : i32 -> "
      "tensor<1099511627776xi32>\n"
      "%r = tile.reduce (%s) axis 0 : tensor<1099511627776xi32> -> i32 {\n"
      "^bb0(%a: i32, %b: i32):\ntile.yield %a : i32\n}\nreturn\n}");
  large.number("x", 1);
  EXPECT_FALSE(large.run());
  EXPECT_EQ(large.messages,
            "a tile of 'tensor<1099511627776xi32>' is too large for the "
            "interpreter, use smaller tiles\n");
  Program many("func.func @k(%p: !tile.ptr<i32>) {\n"
               "%s = tile.splat %p : !tile.ptr<i32> -> "
               "tensor<2147483648x!tile.ptr<i32>>\n"
               "%x = tile.load %s : tensor<2147483648x!tile.ptr<i32>> -> "
               "tensor<2147483648xi32>\n"
               "return\n}");
  I32 data(1);
  many.array("p", data);
  EXPECT_FALSE(many.run());
  EXPECT_EQ(many.messages,
            "the values of the kernel need more than 8 GiB in the interpreter, "
            "use smaller tiles\n");
}

/// Each program adds to a counter under a lock; the lock is taken by spinning.
/// With `later`, program 0 first waits for a flag that only the last program
/// sets.
static std::string lockKernel(bool later) {
  std::string wait = R"(
      %isFirst = arith.cmpi eq, %pid, %c0 : i32
      scf.if %isFirst {
        scf.while : () -> () {
          %f = tile.load %flag : !tile.ptr<i32> -> i32
          %unset = arith.cmpi eq, %f, %c0 : i32
          scf.condition(%unset)
        } do {
          scf.yield
        }
      }
      %last = arith.subi %n, %c1 : i32
      %isLast = arith.cmpi eq, %pid, %last : i32
      scf.if %isLast {
        tile.store %flag, %c1 : !tile.ptr<i32>, i32
      })";
  return R"(
    func.func @k(%lock: !tile.ptr<i32>, %count: !tile.ptr<i32>, %flag: !tile.ptr<i32>) {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %pid = tile.program_id 0 : i32
      %n = tile.num_programs 0 : i32
      scf.while : () -> () {
        %old = tile.atomic_cas acquire, gpu, %lock, %c0, %c1 : !tile.ptr<i32>, i32
        %taken = arith.cmpi ne, %old, %c0 : i32
        scf.condition(%taken)
      } do {
        scf.yield
      }
      %v = tile.load %count : !tile.ptr<i32> -> i32
      %w = arith.addi %v, %c1 : i32
      tile.store %count, %w : !tile.ptr<i32>, i32
      %r = tile.atomic_rmw xchg, release, gpu, %lock, %c0 : !tile.ptr<i32>, i32)" +
         (later ? wait : "") + "\nreturn\n}";
}

TEST(Schedule, LocksAndFlagsAreWaitedFor) {
  for (bool later : {false, true}) {
    I32 lock = {0}, count = {0}, flag = {0};
    Program program(lockKernel(later));
    program.array("lock", lock).array("count", count).array("flag", flag);
    ASSERT_TRUE(program.run(50)) << program.messages;
    EXPECT_EQ(count[0], 50);
    EXPECT_EQ(lock[0], 0);
  }
}

TEST(Schedule, DeadlocksAreReported) {
  // The lock is taken and nobody gives it back.
  I32 lock = {1}, count = {0}, flag = {0};
  Program program(lockKernel(false));
  program.array("lock", lock).array("count", count).array("flag", flag);
  EXPECT_FALSE(program.run(3));
  EXPECT_EQ(program.messages,
            "deadlock: 3 programs wait for what none of them does\n"
            "  in program (0, 0, 0) of grid (3, 1, 1)\n"
            "  program (1, 0, 0) waits here\n"
            "  program (2, 0, 0) waits here\n");
  EXPECT_EQ(count[0], 0);
}

TEST(Schedule, LongLoopsAreNoDeadlocks) {
  // Counts to the number in memory, far beyond the patience of the scheduler.
  const char *ir = R"(
    func.func @k(%p: !tile.ptr<i32>, %o: !tile.ptr<i32>) {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %r = scf.while (%i = %c0) : (i32) -> i32 {
        %n = tile.load %p : !tile.ptr<i32> -> i32
        %more = arith.cmpi slt, %i, %n : i32
        scf.condition(%more) %i : i32
      } do {
      ^bb0(%i: i32):
        %j = arith.addi %i, %c1 : i32
        scf.yield %j : i32
      }
      tile.store %o, %r : !tile.ptr<i32>, i32
      return
    })";
  I32 n = {123456}, out = {0};
  Program program(ir);
  program.array("p", n).array("o", out);
  ASSERT_TRUE(program.run(2)) << program.messages;
  EXPECT_EQ(out[0], 123456);
}
