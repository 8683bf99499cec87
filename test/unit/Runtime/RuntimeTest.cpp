//===- RuntimeTest.cpp - the runtime on a fake driver ---------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The sentences for machines that cannot run kernels, the checks of arguments,
// and what reaches the driver in a launch and in a measurement.
//
//===----------------------------------------------------------------------===//

#include "FakeCuda.h"

#include "tilec/Runtime/Timer.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <dlfcn.h>

using namespace tilec;

namespace {

/// A test with a fresh fake driver.
class Runtime : public testing::Test {
protected:
  void SetUp() override {
    void *library = dlopen(TILEC_FAKE_CUDA, RTLD_NOW);
    ASSERT_NE(library, nullptr) << dlerror();
    fake = reinterpret_cast<FakeCuda *(*)()>(dlsym(library, "fakeCuda"))();
    *fake = FakeCuda();
  }
  /// The opened fake device.
  std::shared_ptr<Device> open() {
    auto cuda = Cuda::load(TILEC_FAKE_CUDA);
    EXPECT_TRUE(cuda) << cuda.error();
    auto device = Device::open(*cuda);
    EXPECT_TRUE(device) << device.error();
    return device ? *device : nullptr;
  }
  std::string loadError() { return Cuda::load(TILEC_FAKE_CUDA).error(); }

  FakeCuda *fake = nullptr;
};

} // namespace

/// An entry of the test's PTX.
static KernelInfo addKernel() {
  KernelInfo info;
  info.kernel = info.entry = "add";
  info.params = {{"x_ptr", *parseParamType("*fp32"), 16},
                 {"n", *parseParamType("i32"), 0}};
  info.threads = 128;
  info.source = "add.tile:1";
  return info;
}

/// PTX text of some entries.
static std::string ptxOf(const std::vector<KernelInfo> &kernels,
                         const char *arch = "sm_80") {
  std::string text = headerLine("tilec test", arch);
  for (const KernelInfo &info : kernels)
    text += toCommentLine(info);
  return text + ".version 7.0\n";
}

static Argument scalar(const char *name, uint64_t bits) {
  return Argument::scalar(name, ElementType::I32, bits);
}

//===-- Loading --------------------------------------------------------------//

TEST_F(Runtime, NoDriver) {
  std::string error = Cuda::load("/nonexistent/libcuda.so.1").error();
  EXPECT_EQ(error.find("no CUDA driver is installed (/nonexistent/"), 0u);
  EXPECT_NE(error.find("run on the CPU"), std::string::npos);
}

TEST_F(Runtime, OldDriver) {
  EXPECT_EQ(Cuda::load(TILEC_FAKE_OLD_CUDA).error(),
            "the CUDA driver is too old: it lacks cuEventElapsedTime; update "
            "it to CUDA 11.0 or newer");
  fake->driverVersion = 10020;
  EXPECT_EQ(loadError(), "the CUDA driver is too old: it is for CUDA 10.2, "
                         "update it to CUDA 11.0 or newer");
}

TEST_F(Runtime, NoDevice) {
  fake->failures["cuInit"] = 100;
  EXPECT_EQ(loadError(), "a CUDA driver is installed but no GPU was found; "
                         "check nvidia-smi or run on the CPU");
  fake->failures["cuInit"] = 803;
  EXPECT_NE(loadError().find("different versions"), std::string::npos);
  fake->failures["cuInit"] = 999;
  EXPECT_EQ(loadError(),
            "cannot start the CUDA driver: CUDA_ERROR_FAKE (fake text)");
  fake->failures["cuInit"] = 12345; // unknown even to the driver
  EXPECT_EQ(loadError(), "cannot start the CUDA driver: CUDA error 12345");
  fake->failures.clear();
  fake->deviceCount = 0;
  EXPECT_EQ(Device::open(*Cuda::load(TILEC_FAKE_CUDA)).error(),
            "no GPU was found; check nvidia-smi or run on the CPU");
  fake->deviceCount = 2;
  EXPECT_EQ(Device::open(*Cuda::load(TILEC_FAKE_CUDA), 2).error(),
            "there is no GPU 2, expected 0 to 1");
}

TEST_F(Runtime, DescribesDevices) {
  auto device = open();
  EXPECT_EQ(device->info().name, "Fake GPU");
  EXPECT_EQ(device->info().arch(), "sm_90");
  EXPECT_EQ(device->info().nativeArch(), "sm_90a");
  for (const char *arch : {"sm_80", "sm_90", "sm_90a"})
    EXPECT_TRUE(device->info().runs(arch)) << arch;
  for (const char *arch : {"sm_100", "sm_100a", "sm_80a", "", "sm_", "gfx90"})
    EXPECT_FALSE(device->info().runs(arch)) << arch;
  DeviceInfo blackwell;
  blackwell.major = 10;
  blackwell.minor = 3;
  EXPECT_TRUE(blackwell.runs("sm_100f"));
  EXPECT_FALSE(blackwell.runs("sm_100a"));
}

TEST_F(Runtime, ReleasesEverything) {
  {
    auto device = open();
    auto module = Module::fromPtx(device, ptxOf({addKernel()}));
    auto buffer = Buffer::allocate(device, 16);
    auto stream = Stream::create(device);
    auto event = Event::create(device);
    Buffer moved = std::move(*buffer);
    EXPECT_EQ(fake->openHandles, 4);
    EXPECT_EQ(fake->allocations.size(), 1u);
  }
  EXPECT_EQ(fake->openHandles, 0);
  EXPECT_TRUE(fake->allocations.empty());
}

/// Every driver call may fail; none may crash or leak.
TEST_F(Runtime, EveryCallMayFail) {
#define TILEC_CUDA_SYMBOL(name, symbol, parameters) symbol,
  const char *symbols[] = {
#include "../../../lib/Runtime/CudaSymbols.def"
  };
  for (const char *symbol : symbols) {
    *fake = FakeCuda();
    fake->failures[symbol] = 700;
    auto cuda = Cuda::load(TILEC_FAKE_CUDA);
    if (!cuda)
      continue;
    auto device = Device::open(*cuda);
    if (!device)
      continue;
    auto module = Module::fromPtx(*device, ptxOf({addKernel()}));
    auto buffer = Buffer::allocate(*device, 16);
    if (!module || !buffer)
      continue;
    std::vector<Argument> arguments = {
        Argument::buffer("x_ptr", ElementType::FP32, *buffer), scalar("n", 4)};
    auto kernel = (*module)->select("add", arguments);
    if (!kernel)
      continue;
    TimerOptions options;
    options.maxRuns = options.minRuns = 2;
    auto timing =
        timeKernel(*kernel, arguments, {&*buffer, nullptr}, {1, 1, 1}, options);
    if (!timing) {
      EXPECT_NE(timing.error().find("ILLEGAL_ADDRESS"), std::string::npos)
          << symbol;
    }
  }
}

//===-- Memory ---------------------------------------------------------------//

TEST_F(Runtime, CopiesWithinBounds) {
  auto device = open();
  auto buffer = Buffer::allocate(device, 8),
       empty = Buffer::allocate(device, 0);
  ASSERT_TRUE(buffer && empty);
  EXPECT_NE(empty->address(), 0u);
  int from[2] = {1, 2}, to[2] = {};
  EXPECT_TRUE(buffer->copyFromHost(from, 8));
  EXPECT_TRUE(buffer->copyToHost(to, 4, 4));
  EXPECT_EQ(to[0], 2);
  EXPECT_EQ(buffer->copyToHost(to, 8, 1).error(),
            "cannot copy 8 bytes at offset 1 of a buffer of 8 bytes");
  EXPECT_FALSE(buffer->copyFromHost(from, UINT64_MAX, 4));
  EXPECT_FALSE(buffer->copyFrom(*empty, 1));
  fake->failures["cuMemAlloc_v2"] = 2;
  EXPECT_EQ(Buffer::allocate(device, 1000).error(),
            "the GPU has no 1000 bytes of memory left");
}

//===-- Modules --------------------------------------------------------------//

TEST_F(Runtime, ShowsTheCompilersLog) {
  auto device = open();
  fake->failures["cuModuleLoadDataEx"] = 218;
  fake->jitLog = "ptxas application ptx input, line 9; error: no such thing\n";
  EXPECT_EQ(Module::fromPtx(device, ptxOf({addKernel()})).error(),
            "cannot load the PTX: CUDA_ERROR_FAKE (fake text)\nlog of the "
            "driver's compiler:\nptxas application ptx input, line 9; error: "
            "no such thing");
  fake->failures["cuModuleLoadDataEx"] = 222;
  EXPECT_EQ(Module::fromPtx(device, ptxOf({addKernel()})).error(),
            "the CUDA driver (for CUDA 12.4) is too old for this PTX version; "
            "update the driver");
}

TEST_F(Runtime, RefusesOtherArchitectures) {
  auto device = open();
  EXPECT_EQ(
      Module::fromPtx(device, ptxOf({}, "sm_100a")).error(),
      "the code is for sm_100a, which does not run on this GPU (Fake GPU, "
      "sm_90); compile with --arch sm_90a");
  fake->major = 7;
  fake->minor = 5;
  EXPECT_EQ(Module::fromPtx(open(), ptxOf({}, "sm_80")).error(),
            "the code is for sm_80, which does not run on this GPU (Fake GPU, "
            "sm_75); tilec compiles for sm_80 and newer GPUs");
  EXPECT_FALSE(Module::fromPtx(device, ".version 8.0\n"));
  EXPECT_FALSE(Module::fromPtx(device, ptxOf({}) + std::string(1, '\0')));
}

TEST_F(Runtime, ChecksWhatTheKernelNeeds) {
  auto device = open();
  KernelInfo info = addKernel();
  info.dynamicShared = 200000;
  fake->staticShared = 40000;
  auto errorOf = [&] {
    return (*Module::fromPtx(device, ptxOf({info})))->entry("add").error();
  };
  EXPECT_EQ(errorOf(), "kernel 'add' needs 240000 bytes of shared memory, this "
                       "GPU has 232448 for a block; lower its block sizes or "
                       "--num-stages");
  fake->staticShared = 0;
  EXPECT_EQ(errorOf(), "");
  EXPECT_EQ(fake->functionAttributes[8], 200000);
  fake->maxThreads = 64;
  EXPECT_EQ(errorOf(), "kernel 'add' wants 128 threads of 40 registers a "
                       "block, more than this GPU's 64; lower --num-warps");
  EXPECT_EQ((*Module::fromPtx(device, ptxOf({info})))->entry("sub").error(),
            "the PTX has no entry 'sub', only 'add'");
}

TEST_F(Runtime, SelectsTheFirstSpecialisationThatFits) {
  auto device = open();
  KernelInfo fast = addKernel(), slow = addKernel();
  slow.entry = "add__1";
  fast.params.pop_back();
  fast.folded = {{"n", 1}};
  fast.requirements = {{"x_ptr", 16, 0}, {"n", 0, 1}};
  auto module = Module::fromPtx(device, ptxOf({fast, slow}));
  auto entryFor = [&](uint64_t address, uint64_t n) {
    Argument pointer = Argument::address("x_ptr", ElementType::FP32, address);
    auto kernel = (*module)->select("add", {pointer, scalar("n", n)});
    return kernel ? kernel->info().entry : kernel.error();
  };
  EXPECT_EQ(entryFor(32, 1), "add");
  EXPECT_EQ(entryFor(36, 1), "add__1");
  EXPECT_EQ(entryFor(32, 2), "add__1");
  EXPECT_EQ((*module)->select("mul", {}).error(),
            "the PTX has no kernel 'mul', only 'add', 'add__1'");
  KernelInfo other = addKernel();
  other.kernel = other.entry = "other";
  module = Module::fromPtx(device, ptxOf({other, slow}));
  EXPECT_EQ((*module)->select("", {scalar("n", 1)}).error(), "");
  other.requirements = {{"n", 0, 1}};
  module = Module::fromPtx(device, ptxOf({other, slow}));
  EXPECT_NE((*module)->select("", {scalar("n", 2)}).error().find("several"),
            std::string::npos);
}

//===-- Arguments and launch -------------------------------------------------//

TEST_F(Runtime, ChecksArguments) {
  auto device = open();
  auto buffer = Buffer::allocate(device, 64);
  KernelInfo info = addKernel();
  info.requirements = {{"x_ptr", 16, 0}, {"n", 4, 0}};
  auto module = Module::fromPtx(device, ptxOf({info}));
  auto kernel = (*module)->entry("add");
  ASSERT_TRUE(kernel);
  Argument x = Argument::buffer("x_ptr", ElementType::FP32, *buffer);
  auto errorOf = [&](std::vector<Argument> arguments) {
    return kernel->bind(arguments).error();
  };
  EXPECT_EQ(errorOf({scalar("n", 4), x}), "");
  EXPECT_EQ(errorOf({x}), "argument 'n' of kernel 'add' is missing");
  EXPECT_EQ(errorOf({x, x, scalar("n", 4)}), "argument 'x_ptr' is given twice");
  EXPECT_EQ(errorOf({x, scalar("n", 4), scalar("m", 4)}),
            "kernel 'add' has no argument 'm'");
  EXPECT_EQ(errorOf({x, Argument::scalar("n", ElementType::I64, 4)}),
            "argument 'n' has type i64, kernel 'add' expects i32");
  EXPECT_EQ(errorOf({x, Argument::scalar("n", ElementType::U32, 4)}), "");
  EXPECT_EQ(errorOf({scalar("x_ptr", 4), scalar("n", 4)}),
            "argument 'x_ptr' has type i32, kernel 'add' expects *fp32");
  EXPECT_EQ(errorOf({x, scalar("n", 6)}),
            "argument 'n' breaks what kernel 'add' was compiled for: n % 4 == "
            "0; compile it without that hint");
  int onStack = 0;
  EXPECT_EQ(errorOf({Argument::address("x_ptr", ElementType::FP32,
                                       reinterpret_cast<uintptr_t>(&onStack)),
                     scalar("n", 4)}),
            "argument 'x_ptr' is not a pointer to memory of this GPU");
  EXPECT_EQ(errorOf({Argument::address("x_ptr", ElementType::FP32,
                                       buffer->address() + 16),
                     scalar("n", 4)}),
            "");
}

TEST_F(Runtime, ChecksFoldedArguments) {
  auto device = open();
  KernelInfo info = addKernel();
  info.params.clear();
  info.folded = {{"n", 1}};
  auto kernel = (*Module::fromPtx(device, ptxOf({info})))->entry("add");
  EXPECT_EQ(kernel->bind({scalar("n", 1)}).error(), "");
  EXPECT_EQ(kernel->bind({}).error(), "");
  EXPECT_EQ(kernel->bind({scalar("n", 2)}).error(),
            "argument 'n' is 2, kernel 'add' was compiled for n == 1");
  info.constants = {{"BLOCK", 256}};
  kernel = (*Module::fromPtx(device, ptxOf({info})))->entry("add");
  EXPECT_EQ(kernel->bind({scalar("BLOCK", 256)}).error(), "");
  EXPECT_EQ(
      kernel->bind({scalar("BLOCK", 128)}).error(),
      "argument 'BLOCK' is 128, kernel 'add' was compiled for BLOCK == 256");
}

TEST_F(Runtime, Launches) {
  auto device = open();
  auto buffer = Buffer::allocate(device, 64);
  auto stream = Stream::create(device);
  KernelInfo info = addKernel();
  info.dynamicShared = 1024;
  json::Value fields = json::Value::object();
  fields.set("bytes", 256);
  info.hidden = {{"scratch", fields}};
  info.cluster = {2, 1, 1};
  auto kernel = (*Module::fromPtx(device, ptxOf({info})))->entry("add");
  ASSERT_TRUE(kernel) << kernel.error();
  EXPECT_EQ(fake->functionAttributes.count(8), 0u);
  auto bound = kernel->bind(
      {scalar("n", 7), Argument::buffer("x_ptr", ElementType::FP32, *buffer)});
  ASSERT_TRUE(bound) << bound.error();
  BoundArguments moved = std::move(*bound);
  fake->paramCount = 3;
  EXPECT_TRUE(kernel->launch(moved, {4, 5, 6}, *stream));
  ASSERT_EQ(fake->launches.size(), 1u);
  const FakeCuda::Launch &launch = fake->launches[0];
  EXPECT_EQ(launch.grid[0], 4u);
  EXPECT_EQ(launch.grid[2], 6u);
  EXPECT_EQ(launch.block[0], 128u);
  EXPECT_EQ(launch.shared, 1024u);
  EXPECT_EQ(launch.params[0], buffer->address());
  EXPECT_EQ(launch.params[1], 7u);
  EXPECT_EQ(fake->allocations.count(launch.params[2]), 1u);
  EXPECT_TRUE(kernel->launch(moved, {0, 5, 6}, *stream));
  EXPECT_EQ(fake->launches.size(), 1u);
  EXPECT_EQ(kernel->launch(moved, {3, 1, 1}, *stream).error(),
            "grid size 3 in dimension 0 is not a multiple of the cluster's 2");
  EXPECT_EQ(kernel->launch(moved, {2, 65536, 1}, *stream).error(),
            "grid size 65536 in dimension 1 exceeds the GPU's limit 65535");
  fake->failures["cuStreamSynchronize"] = 700;
  EXPECT_EQ(stream->synchronize().error(),
            "the work on the GPU failed: CUDA_ERROR_ILLEGAL_ADDRESS (fake "
            "text)");
  info.hidden = {{"tensor_map", json::Value::object()}};
  kernel = (*Module::fromPtx(device, ptxOf({info})))->entry("add");
  EXPECT_NE(kernel
                ->bind({scalar("n", 7),
                        Argument::buffer("x_ptr", ElementType::FP32, *buffer)})
                .error()
                .find("hidden parameter of kind 'tensor_map'"),
            std::string::npos);
}

TEST_F(Runtime, TimesOverRotatedBuffers) {
  auto device = open();
  auto buffer = Buffer::allocate(device, 512 << 10);
  ASSERT_TRUE(buffer->fill(3));
  auto kernel = (*Module::fromPtx(device, ptxOf({addKernel()})))->entry("add");
  fake->paramCount = 1;
  auto timing = timeKernel(
      *kernel,
      {scalar("n", 7), Argument::buffer("x_ptr", ElementType::FP32, *buffer)},
      {nullptr, &*buffer}, {1, 1, 1});
  ASSERT_TRUE(timing) << timing.error();
  EXPECT_EQ(timing->runs(), 2000u);
  EXPECT_NEAR(timing->median(), 10, 1e-3);
  EXPECT_NEAR(timing->spread(), 0, 1e-3);
  // Twice the L2 of 1 MiB in sets of half a MiB, and one more.
  std::map<uint64_t, int> used;
  for (const FakeCuda::Launch &launch : fake->launches)
    ++used[launch.params[0]];
  EXPECT_EQ(used.size(), 5u);
  EXPECT_EQ(used.count(buffer->address()), 1u);
  EXPECT_EQ(fake->allocations.size(), 1u);
}

/// How often the driver was asked for that.
static long countCalls(const FakeCuda &fake, const char *name) {
  return std::count(fake.calls.begin(), fake.calls.end(), name);
}

TEST_F(Runtime, TimesSmallBuffersAfterOtherMemory) {
  auto device = open();
  // More copies than there may be: 2 MiB in pieces of 512 bytes.
  auto buffer = Buffer::allocate(device, 512);
  auto kernel = (*Module::fromPtx(device, ptxOf({addKernel()})))->entry("add");
  fake->paramCount = 1;
  auto timing = timeKernel(
      *kernel,
      {scalar("n", 7), Argument::buffer("x_ptr", ElementType::FP32, *buffer)},
      {nullptr, &*buffer}, {1, 1, 1});
  ASSERT_TRUE(timing) << timing.error();
  std::map<uint64_t, int> used;
  for (const FakeCuda::Launch &launch : fake->launches)
    ++used[launch.params[0]];
  EXPECT_EQ(used.size(), 1024u);
  EXPECT_EQ(countCalls(*fake, "cuMemsetD8Async"), fake->launches.size());
  EXPECT_EQ(bytesToFlush(*device), 2u << 20);
  EXPECT_EQ(fake->allocations.size(), 1u);

  // Memory for the flush may be missing too.
  fake->failures["cuMemAlloc_v2"] = 2;
  auto stream = Stream::create(device);
  TimerOptions options;
  options.flushBytes = 4096;
  auto runs = [](uint64_t) { return Status(); };
  EXPECT_FALSE(timeRuns(device, *stream, runs, options));
}

TEST(Timing, Statistics) {
  Timing timing({4, 1, 3, 2, 10});
  EXPECT_EQ(timing.min(), 1);
  EXPECT_EQ(timing.max(), 10);
  EXPECT_EQ(timing.median(), 3);
  EXPECT_EQ(timing.quantile(0.25), 2);
  EXPECT_NEAR(timing.spread(), 2.0 / 3, 1e-12);
}
