//===- AxisInfoTest.cpp - facts about addresses hold ----------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A fact that does not hold becomes a load of the wrong elements, so the facts
// about random programs are compared with every value that the programs
// compute. The other tests keep the facts that kernels need from getting lost.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/AxisInfo.h"
#include "Evaluate.h"
#include "RandomProgram.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace tilec;

namespace {

/// Lines of a tile along one axis.
class Lines {
public:
  Lines(Type type, unsigned axis) {
    SmallVector<int64_t> shape(tile::getShape(type));
    if (shape.empty())
      shape.push_back(1);
    size = shape[axis];
    for (size_t i = axis + 1; i < shape.size(); ++i)
      stride *= shape[i];
    for (int64_t n : shape)
      total *= n;
  }
  /// The flat index of element `i` of the line that holds flat index `start`.
  int64_t at(int64_t line, int64_t i) const {
    return line / stride * stride * size + line % stride + i * stride;
  }
  int64_t count() const { return total / size; }

  int64_t size, stride = 1, total = 1;
};

/// Do all aligned groups of `group` elements satisfy `holds(first, rest...)`?
bool forGroups(Type type, unsigned axis, int64_t group,
               function_ref<bool(ArrayRef<int64_t>)> holds) {
  Lines lines(type, axis);
  for (int64_t line = 0; line < lines.count(); ++line)
    for (int64_t start = 0; start < lines.size; start += group) {
      SmallVector<int64_t> members;
      for (int64_t i = start; i < std::min(start + group, lines.size); ++i)
        members.push_back(lines.at(line, i));
      if (!holds(members))
        return false;
    }
  return true;
}

int64_t unitOf(Type type) {
  auto pointer = dyn_cast<tile::PtrType>(tile::getElementType(type));
  return pointer ? pointer.getPointee().getIntOrFloatBitWidth() / 8 : 1;
}

bool isRun(const Elements &x, ArrayRef<int64_t> members, int64_t unit) {
  for (size_t i = 1; i < members.size(); ++i)
    if (x[members[i]] != x[members[0]] + int64_t(i) * unit)
      return false;
  return true;
}

bool isEqual(const Elements &x, ArrayRef<int64_t> members) {
  return llvm::all_of(members,
                      [&](int64_t m) { return x[m] == x[members[0]]; });
}

/// The text of a value or module.
template <typename T>
std::string text(T object) {
  std::string text;
  llvm::raw_string_ostream os(text);
  object.print(os);
  return text;
}

/// What is wrong with the facts about a value; empty if they hold.
std::string checkFacts(Value value, const Elements &x, const AxisInfo &info) {
  Type type = value.getType();
  for (unsigned axis = 0; axis < info.contiguity.size(); ++axis) {
    std::string where = " along axis " + std::to_string(axis);
    int64_t run = info.contiguity[axis], divisor = info.divisibility[axis];
    if (run < 1 || divisor < 1 || info.constancy[axis] < 1)
      return "facts below 1" + where;
    if (!forGroups(type, axis, run,
                   [&](auto m) { return isRun(x, m, unitOf(type)); }))
      return "contiguity " + std::to_string(run) + where;
    if (!forGroups(type, axis, run,
                   [&](auto m) { return x[m[0]] % divisor == 0; }))
      return "divisibility " + std::to_string(divisor) + where;
    if (!forGroups(type, axis, info.constancy[axis],
                   [&](auto m) { return isEqual(x, m); }))
      return "constancy " + std::to_string(info.constancy[axis]) + where;
  }
  if (info.constant)
    for (int64_t element : x)
      if (element != *info.constant)
        return "constant " + std::to_string(*info.constant);
  if (info.nonNegative)
    for (int64_t element : x)
      if (element < 0)
        return "no negative number";
  return {};
}

/// Do the elements of a group where the mask holds follow each other?
bool isInterval(const Elements &mask, ArrayRef<int64_t> group) {
  unsigned changes = 0;
  for (size_t i = 1; i < group.size(); ++i)
    changes += mask[group[i]] && !mask[group[i - 1]];
  return changes + (mask[group[0]] != 0) <= 1;
}

/// What is wrong with the run that an access may move; empty if it holds.
std::string checkRun(Value pointer, const Elements &x, const Elements *mask,
                     const AxisInfoAnalysis::Run &run, bool edges = false) {
  for (unsigned axis = 0; axis < run.contiguity.size(); ++axis) {
    int64_t divisor = run.divisibilityBytes[axis];
    auto holds = [&](ArrayRef<int64_t> m) {
      return isRun(x, m, unitOf(pointer.getType())) && x[m[0]] % divisor == 0 &&
             (!mask || (edges ? isInterval(*mask, m) : isEqual(*mask, m)));
    };
    if (!forGroups(pointer.getType(), axis, run.contiguity[axis], holds))
      return "run of " + std::to_string(run.contiguity[axis]) + " aligned to " +
             std::to_string(divisor);
  }
  return {};
}

class AxisInfoTest : public ::testing::Test {
protected:
  AxisInfoTest() {
    context.loadDialect<tile::TileDialect, arith::ArithDialect, scf::SCFDialect,
                        func::FuncDialect, math::MathDialect>();
  }

  /// The facts about what the one function of `ir` returns.
  AxisInfo factsOf(StringRef ir) {
    module = parseSourceString<ModuleOp>(ir, ParserConfig(&context));
    EXPECT_TRUE(module);
    auto function = *module->getOps<func::FuncOp>().begin();
    AxisInfoAnalysis facts(function);
    return facts.get(function.getBody().front().getTerminator()->getOperand(0));
  }

  /// Runs the one function of `ir` and compares each value with its facts.
  void check(StringRef ir, ArrayRef<int64_t> arguments) {
    module = parseSourceString<ModuleOp>(ir, ParserConfig(&context));
    ASSERT_TRUE(module);
    auto function = *module->getOps<func::FuncOp>().begin();
    AxisInfoAnalysis facts(function);
    Evaluator evaluator([&](Value value, const Elements &x) {
      EXPECT_EQ(checkFacts(value, x, facts.get(value)), "") << text(value);
    });
    EXPECT_TRUE(evaluator.run(function, arguments));
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

using Sizes = AxisInfo::Sizes;

/// Enough to find each rule broken, in about a second.
constexpr unsigned kPrograms = 4000;

//===----------------------------------------------------------------------===//
// Facts hold
//===----------------------------------------------------------------------===//

TEST_F(AxisInfoTest, FactsOfRandomProgramsHold) {
  unsigned runs = 0;
  for (unsigned seed = 0; seed < kPrograms; ++seed) {
    RandomProgram program(&context, seed);
    ASSERT_TRUE(succeeded(verify(*program.module))) << "seed " << seed;
    AxisInfoAnalysis facts(program.function);
    for (unsigned set = 0; set < 4; ++set) {
      SmallVector<int64_t> arguments = program.getArguments();
      std::string wrong;
      Value culprit;
      llvm::DenseMap<Value, Elements> masks;
      auto observe = [&](Value value, const Elements &x) {
        if (!wrong.empty())
          return;
        culprit = value;
        wrong = checkFacts(value, x, facts.get(value));
        Type type = value.getType();
        if (tile::getElementType(type).isInteger(1))
          masks[value] = x;
        if (!wrong.empty() || !isa<tile::PtrType>(tile::getElementType(type)) ||
            !isa<RankedTensorType>(type))
          return;
        wrong = checkRun(value, x, nullptr, facts.getRun(value, Value()));
        for (auto &[mask, bits] : masks)
          if (wrong.empty() &&
              tile::getShape(mask.getType()) == tile::getShape(type))
            wrong = checkRun(value, x, &bits, facts.getRun(value, mask)) +
                    checkRun(value, x, &bits,
                             facts.getRun(value, mask, /*edges=*/true),
                             /*edges=*/true);
      };
      runs += Evaluator(observe).run(program.function, arguments);
      if (!wrong.empty()) {
        std::string list;
        for (int64_t argument : arguments)
          list += " " + std::to_string(argument);
        FAIL() << "seed " << seed << ", arguments" << list << ": " << wrong
               << " does not hold for " << text(culprit) << " in\n"
               << text(*program.module);
      }
    }
  }
  // Most programs must be defined, or this test looks at nothing.
  EXPECT_GT(runs, kPrograms);
}

TEST_F(AxisInfoTest, CertainFactsHoldForAnyArguments) {
  unsigned runs = 0, grouped = 0;
  for (unsigned seed = 0; seed < kPrograms; ++seed) {
    RandomProgram program(&context, seed);
    AxisInfoAnalysis facts(program.function, /*certain=*/true);
    for (unsigned set = 0; set < 4; ++set) {
      std::string wrong;
      auto observe = [&](Value value, const Elements &x) {
        AxisInfo info = facts.get(value);
        for (unsigned axis = 0; axis < info.constancy.size(); ++axis) {
          grouped += info.constancy[axis] > 1;
          if (!forGroups(value.getType(), axis, info.constancy[axis],
                         [&](auto m) { return isEqual(x, m); }))
            wrong = "constancy of " + text(value);
        }
        if (info.nonNegative && *llvm::min_element(x) < 0)
          wrong = "sign of " + text(value);
        if (info.constant && llvm::any_of(x, [&](int64_t element) {
              return element != *info.constant;
            }))
          wrong = "constant " + text(value);
      };
      SmallVector<int64_t> arguments = program.getArguments(/*any=*/true);
      runs += Evaluator(observe, /*any=*/true).run(program.function, arguments);
      ASSERT_EQ(wrong, "") << "seed " << seed << " in\n"
                           << text(*program.module);
    }
  }
  EXPECT_GT(runs, kPrograms);
  EXPECT_GT(grouped, runs);
}

TEST_F(AxisInfoTest, ArgumentsMayBeNegativeForCertainFacts) {
  StringRef ir =
      R"(func.func @k(%n: i32 {tile.divisibility = 8 : i32}) -> tensor<8xi32> {
    %x = tile.arange 0, 8 : tensor<8xi32>
    %ns = tile.splat %n : i32 -> tensor<8xi32>
    %s = arith.addi %x, %ns : tensor<8xi32>
    %c4 = arith.constant dense<4> : tensor<8xi32>
    %q = arith.divsi %s, %c4 : tensor<8xi32>
    return %q : tensor<8xi32>
  })";
  EXPECT_EQ(factsOf(ir).constancy, Sizes{4});
  auto function = *module->getOps<func::FuncOp>().begin();
  Value quotient = function.getBody().front().getTerminator()->getOperand(0);
  EXPECT_EQ(
      AxisInfoAnalysis(function, /*certain=*/true).get(quotient).constancy,
      Sizes{1});
}

TEST_F(AxisInfoTest, DivisionMirrorsNegativeNumbers) {
  // -4 / 4 is -1 and -3 / 4 is 0; -4 % 4 is 0 and -3 % 4 is -3.
  check(R"(func.func @k() {
    %x = tile.arange -8, 8 : tensor<16xi32>
    %c4 = arith.constant dense<4> : tensor<16xi32>
    %q = arith.divsi %x, %c4 : tensor<16xi32>
    %r = arith.remsi %x, %c4 : tensor<16xi32>
    %u = arith.remui %x, %c4 : tensor<16xi32>
    return
  })",
        {});
}

TEST_F(AxisInfoTest, SubtractionMayPassZero) {
  check(R"(func.func @k(%n: i32 {tile.divisibility = 8 : i32}) {
    %x = tile.arange 0, 16 : tensor<16xi32>
    %ns = tile.splat %n : i32 -> tensor<16xi32>
    %s = arith.subi %x, %ns : tensor<16xi32>
    %c4 = arith.constant dense<4> : tensor<16xi32>
    %q = arith.divsi %s, %c4 : tensor<16xi32>
    return
  })",
        {8});
}

TEST_F(AxisInfoTest, ZeroExtensionTearsRunsAtZero) {
  check(R"(func.func @k() {
    %x = tile.arange -5, 11 : tensor<16xi32>
    %u = arith.extui %x : tensor<16xi32> to tensor<16xi64>
    %m = arith.constant dense<-1> : tensor<16xi32>
    %w = arith.extui %m : tensor<16xi32> to tensor<16xi64>
    return
  })",
        {});
}

TEST_F(AxisInfoTest, RemainderByARange) {
  check(R"(func.func @k(%n: i32 {tile.divisibility = 16 : i32}) {
    %x = tile.splat %n : i32 -> tensor<4xi32>
    %y = tile.arange 64, 68 : tensor<4xi32>
    %r = arith.remsi %x, %y : tensor<4xi32>
    return
  })",
        {160});
}

TEST_F(AxisInfoTest, ScanOfEqualElements) {
  check(R"(func.func @k() {
    %x = arith.constant dense<1> : tensor<8xi32>
    %y = tile.scan (%x) axis 0 : tensor<8xi32> -> tensor<8xi32> {
    ^bb0(%l: i32, %r: i32):
      %s = arith.addi %l, %r : i32
      tile.yield %s : i32
    }
    return
  })",
        {});
}

TEST_F(AxisInfoTest, ReshapeMovesElements) {
  check(R"(func.func @k() {
    %x = tile.arange 0, 8 : tensor<8xi32>
    %row = tile.expand_dims %x, 0 : tensor<8xi32> -> tensor<1x8xi32>
    %b = tile.broadcast %row : tensor<1x8xi32> -> tensor<4x8xi32>
    %y = tile.reshape %b : tensor<4x8xi32> -> tensor<8x4xi32>
    return
  })",
        {});
}

TEST_F(AxisInfoTest, AtomicsDrawDifferentNumbers) {
  check(R"(func.func @k(%p: !tile.ptr<i32>) {
    %ps = tile.splat %p : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
    %one = arith.constant dense<1> : tensor<8xi32>
    %t = tile.atomic_rmw add, relaxed, gpu, %ps, %one : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
    return
  })",
        {64});
}

TEST_F(AxisInfoTest, LoopsKeepWhatEachIterationKeeps) {
  check(
      R"(func.func @k(%p: !tile.ptr<i32> {tile.divisibility = 64 : i32}, %n: i32) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %x = tile.arange 0, 8 : tensor<8xi32>
    %ps = tile.splat %p : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
    %first = tile.addptr %ps, %x : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
    %four = arith.constant dense<4> : tensor<8xi32>
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%q = %first, %y = %x) -> (tensor<8x!tile.ptr<i32>>, tensor<8xi32>) : i32 {
      %next = tile.addptr %q, %four : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
      %z = arith.muli %y, %four : tensor<8xi32>
      scf.yield %next, %z : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
    }
    return
  })",
      {128, 3});
}

TEST_F(AxisInfoTest, WhileLoops) {
  check(R"(func.func @k(%n: i32) {
    %c3 = arith.constant 3 : i32
    %x = tile.arange 0, 8 : tensor<8xi32>
    %r:2 = scf.while (%i = %n, %y = %x) : (i32, tensor<8xi32>) -> (i32, tensor<8xi32>) {
      %more = arith.cmpi slt, %i, %c3 : i32
      %w = arith.addi %y, %x : tensor<8xi32>
      scf.condition(%more) %i, %w : i32, tensor<8xi32>
    } do {
    ^bb0(%i: i32, %y: tensor<8xi32>):
      %j = arith.addi %i, %i : i32
      scf.yield %j, %y : i32, tensor<8xi32>
    }
    return
  })",
        {1});
}

TEST_F(AxisInfoTest, ConstantsAtTheirLimits) {
  AxisInfo least = factsOf(R"(func.func @k() -> i64 {
    %x = arith.constant -9223372036854775808 : i64
    return %x : i64
  })");
  EXPECT_EQ(least.divisibility, Sizes{1 << 30});
  // 2^20 * 2^12 + 1 is 1 in 32 bits.
  AxisInfo wrapped = factsOf(R"(func.func @k() -> i32 {
    %x = arith.constant 1048576 : i32
    %y = arith.constant 4096 : i32
    %one = arith.constant 1 : i32
    %z = arith.muli %x, %y : i32
    %w = arith.addi %z, %one : i32
    return %w : i32
  })");
  EXPECT_EQ(wrapped.constant, 1);
}

TEST_F(AxisInfoTest, RunsKnowTheMask) {
  module = parseSourceString<ModuleOp>(R"(
    func.func @k(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                 %n: i32 {tile.divisibility = 4 : i32}, %m: i32) {
      %x = tile.arange 0, 64 : tensor<64xi32>
      %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
      %q = tile.addptr %ps, %x : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
      %ns = tile.splat %n : i32 -> tensor<64xi32>
      %ms = tile.splat %m : i32 -> tensor<64xi32>
      %four = arith.cmpi slt, %x, %ns : tensor<64xi32>
      %any = arith.cmpi slt, %x, %ms : tensor<64xi32>
      %over = arith.cmpi sle, %x, %ns : tensor<64xi32>
      %0 = tile.load %q mask %four : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
      %1 = tile.load %q mask %any : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
      %2 = tile.load %q mask %over : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
      %3 = tile.load %q : tensor<64x!tile.ptr<f32>> -> tensor<64xf32>
      return
    })",
                                       ParserConfig(&context));
  ASSERT_TRUE(module);
  auto function = *module->getOps<func::FuncOp>().begin();
  AxisInfoAnalysis facts(function);
  SmallVector<std::pair<int64_t, int64_t>> runs;
  function.walk([&](tile::LoadOp load) {
    auto run = facts.getRun(load.getPtr(), load.getMask());
    runs.push_back({run.contiguity[0], run.divisibilityBytes[0]});
  });
  EXPECT_EQ(runs, (SmallVector<std::pair<int64_t, int64_t>>{
                      {4, 16}, {1, 4}, {1, 4}, {64, 16}}));
}

//===----------------------------------------------------------------------===//
// Facts that kernels need
//===----------------------------------------------------------------------===//

TEST_F(AxisInfoTest, BlocksOfAVector) {
  AxisInfo info = factsOf(R"(func.func @k() -> tensor<64xi32> {
    %pid = tile.program_id 0 : i32
    %c64 = arith.constant 64 : i32
    %start = arith.muli %pid, %c64 : i32
    %s = tile.splat %start : i32 -> tensor<64xi32>
    %x = tile.arange 0, 64 : tensor<64xi32>
    %o = arith.addi %s, %x : tensor<64xi32>
    return %o : tensor<64xi32>
  })");
  EXPECT_EQ(info.contiguity, Sizes{64});
  EXPECT_EQ(info.divisibility, Sizes{64});
}

TEST_F(AxisInfoTest, RowsOfAMatrix) {
  AxisInfo info = factsOf(R"(
    func.func @k(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                 %stride: i32 {tile.divisibility = 16 : i32}) -> tensor<8x32x!tile.ptr<f16>> {
      %r = tile.arange 0, 8 : tensor<8xi32>
      %c = tile.arange 0, 32 : tensor<32xi32>
      %r2 = tile.expand_dims %r, 1 : tensor<8xi32> -> tensor<8x1xi32>
      %c2 = tile.expand_dims %c, 0 : tensor<32xi32> -> tensor<1x32xi32>
      %s = tile.splat %stride : i32 -> tensor<8x1xi32>
      %m = arith.muli %r2, %s : tensor<8x1xi32>
      %rb = tile.broadcast %m : tensor<8x1xi32> -> tensor<8x32xi32>
      %cb = tile.broadcast %c2 : tensor<1x32xi32> -> tensor<8x32xi32>
      %o = arith.addi %rb, %cb : tensor<8x32xi32>
      %ps = tile.splat %p : !tile.ptr<f16> -> tensor<8x32x!tile.ptr<f16>>
      %q = tile.addptr %ps, %o : tensor<8x32x!tile.ptr<f16>>, tensor<8x32xi32>
      return %q : tensor<8x32x!tile.ptr<f16>>
    })");
  EXPECT_EQ(info.contiguity, (Sizes{1, 32}));
  EXPECT_EQ(info.divisibility[1], 16);
}

TEST_F(AxisInfoTest, WrappedOffsetsOfAGroupedProduct) {
  // The programs of a grouped product: the number of the column block comes
  // from remainders and quotients by sizes that the arguments give.
  AxisInfo info = factsOf(R"(
    func.func @k(%n: i32 {tile.divisibility = 16 : i32}, %blocks: i32) -> tensor<64xi32> {
      %pid = tile.program_id 0 : i32
      %c8 = arith.constant 8 : i32
      %c64 = arith.constant 64 : i32
      %in_group = arith.muli %blocks, %c8 : i32
      %group = arith.divsi %pid, %in_group : i32
      %first = arith.muli %group, %c8 : i32
      %left = arith.subi %blocks, %first : i32
      %size = arith.minsi %left, %c8 : i32
      %in = arith.remsi %pid, %in_group : i32
      %pid_n = arith.divsi %in, %size : i32
      %start = arith.muli %pid_n, %c64 : i32
      %s = tile.splat %start : i32 -> tensor<64xi32>
      %x = tile.arange 0, 64 : tensor<64xi32>
      %o = arith.addi %s, %x : tensor<64xi32>
      %ns = tile.splat %n : i32 -> tensor<64xi32>
      %w = arith.remsi %o, %ns : tensor<64xi32>
      return %w : tensor<64xi32>
    })");
  EXPECT_EQ(info.contiguity, Sizes{16});
  EXPECT_EQ(info.divisibility, Sizes{16});
}

TEST_F(AxisInfoTest, QuotientsAreEqualInGroups) {
  AxisInfo info = factsOf(R"(func.func @k() -> tensor<64xi32> {
    %x = tile.arange 0, 64 : tensor<64xi32>
    %c = arith.constant dense<8> : tensor<64xi32>
    %q = arith.divsi %x, %c : tensor<64xi32>
    return %q : tensor<64xi32>
  })");
  EXPECT_EQ(info.constancy, Sizes{8});
}

TEST_F(AxisInfoTest, HintsAreBelieved) {
  AxisInfo info =
      factsOf(R"(func.func @k(%x: tensor<64xi32>, %n: i32) -> tensor<64xi32> {
    %ns = tile.splat %n : i32 -> tensor<64xi32>
    %y = arith.addi %x, %ns {tile.contiguity = array<i32: 16>, tile.divisibility = array<i32: 8>, tile.constancy = array<i32: 1>} : tensor<64xi32>
    return %y : tensor<64xi32>
  })");
  EXPECT_EQ(info.contiguity, Sizes{16});
  EXPECT_EQ(info.divisibility, Sizes{8});
  EXPECT_EQ(info.constancy, Sizes{1});
}

} // namespace
