//===- KernelFamilyTest.cpp - the versions of one kernel ------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Which version a launch takes and why, the checks of plain arguments, and the
// hidden parameters, on the fake driver.
//
//===----------------------------------------------------------------------===//

#include "FakeCuda.h"

#include "tilec/Runtime/KernelFamily.h"

#include "gtest/gtest.h"

#include <dlfcn.h>

using namespace tilec;

namespace {

/// A test with a fresh fake device.
class KernelFamilies : public testing::Test {
protected:
  void SetUp() override {
    void *library = dlopen(TILEC_FAKE_CUDA, RTLD_NOW);
    ASSERT_NE(library, nullptr) << dlerror();
    fake = reinterpret_cast<FakeCuda *(*)()>(dlsym(library, "fakeCuda"))();
    *fake = FakeCuda();
    auto cuda = Cuda::load(TILEC_FAKE_CUDA);
    ASSERT_TRUE(cuda) << cuda.error();
    auto opened = Device::open(*cuda);
    ASSERT_TRUE(opened) << opened.error();
    device = *opened;
  }

  /// The family of the only kernel among the entries.
  std::shared_ptr<KernelFamily> load(const std::vector<KernelInfo> &entries) {
    std::string text = headerLine("tilec test", "sm_80");
    for (const KernelInfo &info : entries)
      text += toCommentLine(info);
    auto module = Module::fromPtx(device, text + ".version 7.0\n");
    EXPECT_TRUE(module) << module.error();
    auto family = KernelFamily::create(*module, "");
    EXPECT_TRUE(family) << family.error();
    return family ? *family : nullptr;
  }

  FakeCuda *fake = nullptr;
  std::shared_ptr<Device> device;
};

} // namespace

/// An entry of `scale(x_ptr: *fp32, stride: i32, n: i32)`.
static KernelInfo scale(const char *entry,
                        std::vector<Requirement> requirements,
                        bool foldsStride = false) {
  KernelInfo info;
  info.kernel = "scale";
  info.entry = entry;
  info.params = {{"x_ptr", *parseParamType("*fp32"), 0},
                 {"stride", *parseParamType("i32"), 0},
                 {"n", *parseParamType("i32"), 0}};
  if (foldsStride) {
    info.params.erase(info.params.begin() + 1);
    info.folded = {{"stride", json::Value(1)}};
  }
  info.requirements = std::move(requirements);
  return info;
}

static std::vector<PlainArgument> values(uint64_t address, int stride, int n) {
  ParamType i32 = *parseParamType("i32");
  return {{*parseParamType("*fp32"), address, false},
          {i32, static_cast<uint32_t>(stride), false},
          {i32, static_cast<uint32_t>(n), false}};
}

TEST_F(KernelFamilies, TakeTheFirstThatFits) {
  auto family = load({scale("scale__1", {{"x_ptr", 16, 0}}, true),
                      scale("scale__2", {{"n", 16, 0}}), scale("scale", {})});
  ASSERT_TRUE(family);
  EXPECT_EQ(family->numEntries(), 3u);
  EXPECT_EQ(family->params().size(), 3u);
  auto entryOf = [&](const std::vector<PlainArgument> &arguments) {
    std::string why;
    auto chosen = family->choose(arguments.data(), arguments.size(), &why);
    EXPECT_TRUE(chosen) << chosen.error();
    return why;
  };
  EXPECT_EQ(entryOf(values(0x1000, 1, 5)), "entry 'scale__1' runs");
  EXPECT_EQ(
      entryOf(values(0x1004, 1, 32)),
      "entry 'scale__2' runs, not 'scale__1', which needs x_ptr % 16 == 0 "
      "and got 0x1004");
  EXPECT_EQ(
      entryOf(values(0x1000, -2, 5)),
      "entry 'scale' runs, not 'scale__1', which needs stride == 1 and got "
      "-2, 'scale__2', which needs n % 16 == 0 and got 5");

  Stream stream = std::move(*Stream::create(device));
  fake->paramCount = 2;
  auto arguments = values(0x1000, 1, 5);
  ASSERT_TRUE(family->launch(arguments.data(), 3, {1, 1, 1}, stream));
  ASSERT_EQ(fake->launches.size(), 1u);
  EXPECT_EQ(fake->launches[0].entry, "scale__1");
  EXPECT_EQ(fake->launches[0].params, (std::vector<uint64_t>{0x1000, 5}));
  fake->paramCount = 3;
  arguments = values(0x1004, 7, 5);
  ASSERT_TRUE(family->launch(arguments.data(), 3, {1, 1, 1}, stream));
  EXPECT_EQ(fake->launches[1].entry, "scale");
  EXPECT_EQ(fake->launches[1].params, (std::vector<uint64_t>{0x1004, 7, 5}));
}

TEST_F(KernelFamilies, CheckArguments) {
  auto family = load({scale("scale", {{"n", 8, 0}})});
  ASSERT_TRUE(family);
  auto errorOf = [&](const std::vector<PlainArgument> &arguments) {
    auto chosen = family->choose(arguments.data(), arguments.size());
    EXPECT_EQ(chosen.errorKind(), ErrorKind::Mismatch);
    return chosen.error();
  };
  EXPECT_EQ(errorOf({}), "kernel 'scale' takes 3 arguments, got 0");
  EXPECT_EQ(
      errorOf(values(0x1002, 1, 8)),
      "argument 'x_ptr' is misaligned: 0x1002 is not a multiple of 4, the "
      "size of its elements");
  EXPECT_EQ(
      errorOf(values(0x1000, 1, 9)),
      "argument 'n' breaks what kernel 'scale' was compiled for: n % 8 == "
      "0; compile it without that hint");
  auto wrong = values(0x1000, 1, 8);
  wrong[0].type = *parseParamType("*fp16");
  EXPECT_EQ(errorOf(wrong), "argument 'x_ptr' has type *fp16, kernel 'scale' "
                            "expects *fp32");
  wrong = values(0x1000, 1, 8);
  wrong[0].foreign = true;
  EXPECT_EQ(errorOf(wrong),
            "argument 'x_ptr' is not a pointer to memory of this GPU");
  EXPECT_TRUE(family->choose(values(0x1000, 1, 8).data(), 3));
}

TEST_F(KernelFamilies, CheckFolded) {
  KernelInfo only = scale("scale", {}, true);
  only.constants = {{"BLOCK", json::Value(64)}};
  auto family = load({only});
  ASSERT_TRUE(family);
  auto check = [&](const char *name, uint64_t bits) {
    return family->checkFolded(Argument::scalar(name, ElementType::I32, bits))
        .error();
  };
  EXPECT_EQ(check("stride", 1), "");
  EXPECT_EQ(check("BLOCK", 64), "");
  EXPECT_EQ(check("stride", 2),
            "argument 'stride' is 2, kernel 'scale' was compiled for stride == "
            "1");
  EXPECT_EQ(check("BLOCK", 128),
            "argument 'BLOCK' is 128, kernel 'scale' was compiled for BLOCK == "
            "64");
  EXPECT_EQ(check("m", 2), "kernel 'scale' has no argument 'm'");
}

/// A description as the compiler writes it.
static HiddenParamInfo tensorMap(const char *text) {
  auto fields = json::parse(text);
  EXPECT_TRUE(fields) << fields.error();
  return {"tensor_map", *fields};
}

TEST_F(KernelFamilies, MakeTensorMapsOnce) {
  KernelInfo info = scale("scale", {});
  info.hidden = {
      tensorMap(R"({"pointer": "x_ptr", "type": "fp32", "shape": ["n", 64],
      "strides": ["stride", 1], "box": [8, 32], "swizzle": 128})")};
  auto family = load({info});
  ASSERT_TRUE(family);
  Stream stream = std::move(*Stream::create(device));
  fake->paramCount = 3;
  fake->mapCount = 1;
  for (int n : {100, 100, 100, 200}) {
    auto arguments = values(0x1000, 64, n);
    Status status = family->launch(arguments.data(), 3, {1, 1, 1}, stream);
    ASSERT_TRUE(status) << status.error();
  }
  EXPECT_EQ(device->tensorMaps().misses(), 2u);
  std::vector<uint64_t> want = {0x1000, 64, 100, 256, 32, 8, 2, 7, 3};
  want.resize(16);
  EXPECT_EQ(fake->launches[2].maps[0], want);
  EXPECT_EQ(fake->launches[3].maps[0][2], 200u);

  auto arguments = values(0x1000, 3, 100);
  EXPECT_EQ(family->launch(arguments.data(), 3, {1, 1, 1}, stream).error(),
            "cannot describe the array for bulk copies: its stride 3 in "
            "dimension 0 is not a multiple of 16 bytes");
  arguments = values(0x1004, 64, 100);
  EXPECT_EQ(family->launch(arguments.data(), 3, {1, 1, 1}, stream).error(),
            "cannot describe the array for bulk copies: its address is not a "
            "multiple of 16");
}

TEST_F(KernelFamilies, RefuseDamagedTensorMaps) {
  for (
      const char *text :
      {R"({})",
       R"({"pointer": "n", "type": "fp32", "shape": [1], "strides": [1], "box": [1]})",
       R"({"pointer": "x_ptr", "type": "fp32", "shape": [], "strides": [], "box": []})",
       R"({"pointer": "x_ptr", "type": "fp32", "shape": [1], "strides": [1, 1], "box": [1]})",
       R"({"pointer": "x_ptr", "type": "fp32", "shape": ["q"], "strides": [1], "box": [1]})",
       R"({"pointer": "x_ptr", "type": 3, "shape": [1,1,1,1,1,1], "strides": [1,1,1,1,1,1], "box": [1,1,1,1,1,1]})"}) {
    KernelInfo info = scale("scale", {});
    info.hidden = {tensorMap(text)};
    auto module =
        Module::fromPtx(device, headerLine("t", "sm_80") + toCommentLine(info));
    ASSERT_TRUE(module) << module.error();
    auto family = KernelFamily::create(*module, "");
    EXPECT_EQ(family.errorKind(), ErrorKind::Unsupported) << text;
    EXPECT_NE(family.error().find("tensor map is damaged"), std::string::npos);
  }
}

TEST_F(KernelFamilies, KeepScratchByStream) {
  KernelInfo info = scale("scale", {});
  json::Value fields = json::Value::object();
  fields.set("bytes", 256);
  info.hidden = {{"scratch", fields}};
  auto family = load({info});
  ASSERT_TRUE(family);
  Stream a = std::move(*Stream::create(device)),
         b = std::move(*Stream::create(device));
  fake->paramCount = 4;
  auto arguments = values(0x1000, 1, 8);
  for (const Stream *stream : {&a, &b, &a})
    ASSERT_TRUE(family->launch(arguments.data(), 3, {1, 1, 1}, *stream));
  EXPECT_EQ(fake->allocations.size(), 2u);
  EXPECT_EQ(fake->launches[0].params[3], fake->launches[2].params[3]);
  EXPECT_NE(fake->launches[0].params[3], fake->launches[1].params[3]);
  family.reset();
  EXPECT_TRUE(fake->allocations.empty());
}
