//===- RunOptionsTest.cpp - the command line of tile-run ------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Every option in each of its forms, and the sentences for wrong use.
//
//===----------------------------------------------------------------------===//

#include "tilec/Driver/RunOptions.h"

#include "gtest/gtest.h"

using namespace tilec;

TEST(RunOptions, ReadsEveryOption) {
  auto options = parseRunOptions({"k.py",
                                  "--kernel",
                                  "add",
                                  "--grid",
                                  "4,5",
                                  "-D",
                                  "B=16",
                                  "-DC=\"x=y\"",
                                  "--device=cuda:1",
                                  "--save",
                                  "y=y.npy",
                                  "--expect",
                                  "y=zeros(f32,3)",
                                  "--rtol=1e-3",
                                  "--atol",
                                  "0.5",
                                  "x=@x.npy",
                                  "n=-3",
                                  "--bench",
                                  "--arch",
                                  "sm_90a",
                                  "--num-warps=8",
                                  "--num-stages",
                                  "2",
                                  "--sig",
                                  "*fp32, i32",
                                  "-I",
                                  "dir"});
  ASSERT_TRUE(options) << options.error();
  EXPECT_EQ(options->file, "k.py");
  EXPECT_EQ(options->kernel, "add");
  EXPECT_EQ(options->grid, (std::array<int64_t, 3>{4, 5, 1}));
  ASSERT_EQ(options->defines.size(), 2u);
  EXPECT_EQ(options->defines[1].first, "C");
  EXPECT_EQ(options->defines[1].second, "\"x=y\"");
  EXPECT_EQ(options->device, RunOptions::Device::CUDA);
  EXPECT_EQ(options->gpu, 1);
  EXPECT_EQ(options->saves[0].path, "y.npy");
  EXPECT_EQ(options->expectations[0], "y=zeros(f32,3)");
  EXPECT_EQ(options->tolerance.relative, 1e-3);
  EXPECT_EQ(options->tolerance.absolute, 0.5);
  EXPECT_EQ(options->arguments, (std::vector<std::string>{"x=@x.npy", "n=-3"}));
  EXPECT_EQ(options->bench, RunOptions::Report::Text);
  EXPECT_EQ(options->arch, "sm_90a");
  EXPECT_EQ(options->numWarps, 8u);
  EXPECT_EQ(options->numStages, 2u);
  EXPECT_EQ(options->signature, "*fp32, i32");
  EXPECT_EQ(options->includeDirs[0], "dir");
  auto metered =
      parseRunOptions({"k.tile", "--grid=1", "--meter=json", "--check"});
  ASSERT_TRUE(metered) << metered.error();
  EXPECT_EQ(metered->meter, RunOptions::Report::Json);
  EXPECT_EQ(metered->check, RunOptions::Report::Text);
  EXPECT_TRUE(parseRunOptions({"--help"})->help);
}

TEST(RunOptions, Messages) {
  struct {
    std::vector<std::string> words;
    const char *error;
  } rows[] = {
      {{}, "expected a file with a kernel, see --help"},
      {{"k.py"}, "expected --grid with the number of programs"},
      {{"k.py", "l.py"}, "expected ARG=VALUE, got 'l.py'"},
      {{"--gird", "4"}, "unknown option '--gird', did you mean '--grid'?"},
      {{"--frobnicate=4"}, "unknown option '--frobnicate', see --help"},
      {{"-x"}, "unknown option '-x', see --help"},
      {{"k.py", "--grid"}, "option '--grid' needs an operand X[,Y[,Z]]"},
      {{"--grid", "4,x"},
       "option '--grid': expected a number from 0 to 65535, got 'x'"},
      {{"--grid", "4,"},
       "option '--grid': expected a number from 0 to 65535, got ''"},
      {{"--grid", "-4"},
       "option '--grid': expected a number from 0 to 2147483647, got '-4'"},
      {{"--grid", "1,2,3,4"},
       "option '--grid': expected at most three sizes X,Y,Z"},
      {{"-D", "4=4"}, "option '-D': expected NAME=VALUE, got '4=4'"},
      {{"--device", "tpu"},
       "option '--device': expected cpu, cuda or cuda:N, got 'tpu'"},
      {{"--device", "cuda:x"},
       "option '--device': expected a number from 0 to 1023, got 'x'"},
      {{"--meter=xml"}, "option '--meter': expected table or json, got 'xml'"},
      {{"--check=all"},
       "option '--check': expected table, json or nan, got 'all'"},
      {{"--schedule", "fair"},
       "option '--schedule': expected sequential, reverse, random or parallel, "
       "got 'fair'"},
      {{"--check=json,"},
       "option '--check': expected table, json or nan, got ''"},
      {{"--trace=1,"},
       "option '--trace': expected a number from 0 to 2147483647, got ''"},
      {{"--trace=1,2,3,4"},
       "option '--trace': expected at most three numbers X,Y,Z"},
      {{"--watch", "x[1,]"},
       "option '--watch': expected a number from 0 to 9223372036854775807, "
       "got ''"},
      {{"--watch", "x[1"},
       "option '--watch': expected ARG[INDEX,...], got 'x[1'"},
      {{"k.py", "--grid", "4", "--trace=4"},
       "option '--trace': the grid has no program (4, 0, 0)"},
      {{"k.py", "--grid", "4", "--gpu", "h200"},
       "option '--gpu' is about what '--meter' counts, add --meter"},
      {{"--num-warps", "0"},
       "option '--num-warps': expected a number from 1 to 32, got '0'"},
      {{"--rtol", "-1"},
       "option '--rtol': expected a number that is not negative, got '-1'"},
      {{"--atol", "inf"},
       "option '--atol': expected a number that is not negative, got 'inf'"},
      {{"--help=x"}, "option '--help' takes no operand"},
      {{"k.py", "--grid", "1", "--bench"},
       "option '--bench' times on a GPU, add --device cuda"},
      {{"k.py", "--grid", "1", "--device", "cuda", "--meter"},
       "option '--meter' counts on the interpreter, use --device cpu"},
      {{"k.py", "--grid", "1", "--device", "cuda", "--trace"},
       "option '--trace' traces the interpreter, use --device cpu"},
      {{"k.py", "--grid", "1", "--device", "cuda", "--watch", "x[0]"},
       "option '--watch' watches the interpreter, use --device cpu"},
      {{"k.py", "--grid", "1", "--explain"},
       "option '--explain' is about a run on a GPU, add --device cuda"},
  };
  for (auto &row : rows)
    EXPECT_EQ(parseRunOptions(row.words).error(), row.error);
}

TEST(RunOptions, HelpNamesEveryOption) {
  std::string help = runHelp();
  for (const char *name :
       {"--kernel", "--grid", "-D", "--sig", "-I", "--device", "--save",
        "--expect", "--rtol", "--atol", "--meter", "--check", "--bench",
        "--arch", "--num-warps", "--num-stages", "--specialize", "--help"})
    EXPECT_NE(help.find(std::string("  ") + name), std::string::npos) << name;
}
