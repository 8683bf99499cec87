//===- GpuTest.cpp - the table of GPUs ------------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tilec/Report/Gpu.h"
#include "tilec/Report/Occupancy.h"

#include "gtest/gtest.h"

using namespace tilec;

TEST(Gpu, FindsDevicesByTheDriversName) {
  EXPECT_EQ(findGpuOfDevice("NVIDIA H200")->memory, 4800);
  EXPECT_EQ(findGpuOfDevice("NVIDIA H100 80GB HBM3")->memory, 3350);
  EXPECT_EQ(findGpuOfDevice("NVIDIA H100 PCIe")->multiprocessors, 114u);
  EXPECT_EQ(findGpuOfDevice("NVIDIA A100-SXM4-40GB")->memory, 1555);
  EXPECT_EQ(findGpuOfDevice("NVIDIA L40S")->name, "l40s");
  EXPECT_FALSE(findGpuOfDevice("Fake GPU"));
}

TEST(Gpu, FindsByName) {
  Result<const Gpu *> h200 = findGpu("h200");
  ASSERT_TRUE(h200);
  EXPECT_EQ((*h200)->dot("fp8"), 1979);
  EXPECT_EQ((*h200)->dot("bf16"), 989);
  EXPECT_EQ((*h200)->dot("tf32"), 495);
  EXPECT_EQ((*h200)->dot("fp32"), 67);
  Result<const Gpu *> none = findGpu("h300");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().substr(0, 41),
            "unknown GPU 'h300', choose one of b300, b");
}

TEST(Gpu, EveryRowHasAMultiprocessor) {
#define TILEC_GPU(name, part, capability, ...)                                 \
  EXPECT_TRUE(findMultiprocessor(capability)) << name;                         \
  EXPECT_EQ(*findGpu(name), findGpuOfDevice("NVIDIA " part)) << name;
#include "tilec/Report/Gpus.def"
}

TEST(Gpu, StandsForItsCapability) {
  EXPECT_EQ(findGpuOfCapability(90)->name, "h200");
  EXPECT_EQ(findGpuOfCapability(80)->name, "a100");
  EXPECT_FALSE(findGpuOfCapability(70));
}
