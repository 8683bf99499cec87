//===- KernelReportTest.cpp - what became of a kernel ---------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// What an assembler alone tells.
//
//===----------------------------------------------------------------------===//

#include "tilec/Report/KernelReport.h"

#include "gtest/gtest.h"

using namespace tilec;

/// The text about an entry with these resources.
static std::string textOf(const EntryResources &resources) {
  ModuleReport report;
  report.arch = "sm_80";
  report.assembler = "ptxas";
  report.kernels.emplace_back().entry = resources.entry;
  report.kernels.back().resources = resources;
  return reportText(report);
}

TEST(KernelReport, Registers) {
  EXPECT_EQ(textOf({"add", 24, 0, 0, 0}),
            "add for sm_80\n  registers       24, no spills (by ptxas)\n");
  EXPECT_EQ(
      textOf({"add", 255, 16, 24, 40}),
      "add for sm_80\n  registers       255, spills 16 bytes of stores, 24 "
      "of loads, 40 bytes of stack (by ptxas)\n");
  EXPECT_EQ(
      textOf({"add", 255, 0, 24, 0}),
      "add for sm_80\n  registers       255, spills 0 bytes of stores, 24 "
      "of loads (by ptxas)\n");
}
