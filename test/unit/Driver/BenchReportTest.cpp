//===- BenchReportTest.cpp - a measurement beside the limits --------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Driver/BenchReport.h"

#include "gtest/gtest.h"

using namespace tilec;

/// A matmul of 4096 cubed in fp16.
static Work matmul() {
  Work work;
  work.bytes = 3ull * 4096 * 4096 * 2;
  work.isCounted = true;
  work.flops = 1e6;
  work.dotFlops = 2.0 * 4096 * 4096 * 4096;
  work.dotType = "fp16";
  work.counted = 4;
  work.programs = 1024;
  return work;
}

TEST(BenchReport, Table) {
  EXPECT_EQ(
      limitsTable("NVIDIA H200", matmul(), 200),
      "              measured        limit           share   work\n"
      "memory        503.3 GB/s      4.80 TB/s       10 %    100.7 MB, each "
      "array once\n"
      "fp32          5.00 GFLOP/s    67.0 TFLOP/s    0 %     1.00 MFLOP\n"
      "tensor fp16   687.2 TFLOP/s   989.0 TFLOP/s   69 %    137.4 GFLOP\n"
      "operations by 4 of 1024 programs, the rest taken alike\n"
      "at the limit of NVIDIA H200 (tensor fp16) it would take 138.97 us\n");
  Work copy;
  copy.bytes = 2000;
  EXPECT_EQ(
      limitsTable("Fake GPU", copy, 10),
      "              measured        limit           share   work\n"
      "memory        200.0 MB/s      ?               ?       2.00 kB, each "
      "array once\n"
      "the limits of Fake GPU are not in the table Gpus.def\n");
}

TEST(BenchReport, Json) {
  json::Value object = json::Value::object();
  addLimits(object, "NVIDIA H200", matmul(), 200);
  EXPECT_EQ(object.find("bound")->str(), "tensor fp16");
  EXPECT_EQ(object.find("uses")->elements().size(), 3u);
  EXPECT_EQ(object.find("counted_programs")->asInt(), 4);
}

TEST(BenchReport, ProductsWithoutTensorCores) {
  Work exact = matmul();
  exact.dotType = "fp32";
  EXPECT_NE(limitsTable("NVIDIA H200", exact, 200)
                .find("\nproducts fp32 687.2 TFLOP/s   67.0 TFLOP/s "),
            std::string::npos);
  // Integers are set beside nothing.
  Work integers = matmul();
  integers.dotType = "";
  std::string text = limitsTable("NVIDIA H200", integers, 200);
  EXPECT_EQ(text.find("tensor"), std::string::npos);
  EXPECT_EQ(text.find("products"), std::string::npos);
}
