//===- runtime_stress.cpp - the runtime under load on a GPU ---------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Many launches, threads, streams and modules, whose results are counted on the
// device and whose memory must not grow; then everything that a program can do
// wrong: each a clear error, after which the next launch is right.
//
//   runtime_stress [LIBCUDA]      ends with "N passed, N failed"
//
// On a driver that runs no code (the tests' fake one), TILEC_STRESS_NO_RESULTS
// in the environment leaves out what a kernel would have written.
//
//===----------------------------------------------------------------------===//

#include "tilec/tilec-runtime.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <functional>
#include <thread>

namespace rt = tilec::rt;

/// Adds one to the number that its argument points to, in PTX of `version`.
static std::string counterPtx(const char *version) {
  return "// tilec: {\"schema\": 1, \"compiler\": \"by hand\", \"arch\": "
         "\"sm_80\"}\n"
         "// tilec: {\"kernel\": \"count\", \"entry\": \"count\", \"params\": "
         "[{\"name\": \"cell\", \"type\": \"*i32\"}], \"constants\": {}, "
         "\"folded\": {}, \"hidden\": [], \"num_warps\": 1, \"num_stages\": 1, "
         "\"threads\": 32, \"cluster\": [1, 1, 1], \"dynamic_shared\": 0, "
         "\"requires\": [], \"source\": \"\"}\n"
         ".version " +
         std::string(version) +
         "\n.target sm_80\n.address_size 64\n"
         ".visible .entry count(.param .u64 cell) {\n"
         ".reg .b64 %rd<3>;\n.reg .b32 %r<3>;\n"
         "ld.param.u64 %rd1, [cell];\ncvta.to.global.u64 %rd2, %rd1;\n"
         "ld.global.u32 %r1, [%rd2];\nadd.u32 %r2, %r1, 1;\n"
         "st.global.u32 [%rd2], %r2;\nret;\n}\n";
}

namespace {

/// A device with a kernel, a stream and a cell; and what was found.
class Stress {
public:
  explicit Stress(std::string library)
      : library(std::move(library)),
        driver(rt::Driver::load(this->library).value()),
        device(rt::Device::open(driver).value()),
        kernel(load().kernel().value()),
        stream(rt::Stream::create(device).value()),
        cell(rt::Buffer<int32_t>::allocate(device, 1).value()),
        hasResults(!std::getenv("TILEC_STRESS_NO_RESULTS")) {}

  int run();

private:
  rt::Module load() {
    return rt::Module::load(device, counterPtx("7.0")).value();
  }
  uint64_t freeMemory() {
    uint64_t bytes = 0;
    tilecrt_device_free_memory(device.get(), &bytes, nullptr);
    return bytes;
  }
  void expect(bool isRight, const char *what, const std::string &detail = "");
  void expectSteady(const char *what, const std::function<void()> &work);
  void expectCount(const char *what, const rt::Buffer<int32_t> &counter,
                   int32_t count);
  void expectRefused(const char *what, tilec_status status, const char *part,
                     const std::function<tilec_status(const tilec_sink *)> &);
  void launchOften();
  void launchFromThreads();
  void loadOften();
  void refuse();
  void refuseArguments();

  std::string library;
  rt::Driver driver;
  rt::Device device;
  rt::Kernel kernel;
  rt::Stream stream;
  rt::Buffer<int32_t> cell;
  bool hasResults;
  int passed = 0, failed = 0;
};

} // namespace

/// Bytes of memory that this process has in use.
static uint64_t residentBytes() {
  std::ifstream file("/proc/self/statm");
  uint64_t pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * 4096;
}

void Stress::expect(bool isRight, const char *what, const std::string &detail) {
  ++(isRight ? passed : failed);
  std::printf("%s: %s%s%s\n", isRight ? "right" : "WRONG", what,
              detail.empty() ? "" : ": ", detail.c_str());
  std::fflush(stdout);
}

/// Work once to fill every cache, then again: neither the host's memory nor the
/// device's may grow by a megabyte. Other processes use the device's too, so
/// that there are three attempts; a leak shows in each. The line says which
/// attempt it is of.
void Stress::expectSteady(const char *what, const std::function<void()> &work) {
  work();
  const int attempts = 3;
  int attempt = 0;
  int64_t hostGrowth = 0, deviceGrowth = 0;
  bool isSteady = false;
  while (!isSteady && attempt < attempts) {
    ++attempt;
    uint64_t host = residentBytes(), free = freeMemory();
    work();
    hostGrowth = int64_t(residentBytes() - host);
    deviceGrowth = int64_t(free - freeMemory());
    isSteady = hostGrowth < 1 << 20 && deviceGrowth < 1 << 20;
  }
  expect(isSteady, what,
         "attempt " + std::to_string(attempt) + " of " +
             std::to_string(attempts) + ", " + std::to_string(hostGrowth) +
             " bytes more on the host, " + std::to_string(deviceGrowth) +
             " on the GPU");
}

void Stress::expectCount(const char *what, const rt::Buffer<int32_t> &counter,
                         int32_t count) {
  int32_t got = counter.read().value().front();
  if (hasResults)
    expect(got == count, what,
           std::to_string(got) + " of " + std::to_string(count));
}

void Stress::launchOften() {
  int32_t launches = 0;
  cell.fill(0).value();
  expectSteady("100,000 launches, and again, without a leak", [&] {
    for (int i = 0; i < 100000; ++i, ++launches)
      kernel.launch({1}, stream, cell).value();
    stream.synchronize().value();
  });
  expectCount("each of them ran", cell, launches);
}

void Stress::launchFromThreads() {
  const int launches = 10000;
  std::vector<rt::Buffer<int32_t>> cells;
  for (int i = 0; i < 16; ++i) {
    cells.push_back(rt::Buffer<int32_t>::allocate(device, 1).value());
    cells.back().fill(0).value();
  }
  std::vector<int> bad(8);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      rt::Stream streams[2] = {rt::Stream::create(device).value(),
                               rt::Stream::create(device).value()};
      for (int i = 0; i < launches; ++i)
        bad[t] += !kernel.launch({1}, streams[i % 2], cells[2 * t + i % 2]);
      for (const rt::Stream &one : streams)
        bad[t] += !one.synchronize();
    });
  for (std::thread &thread : threads)
    thread.join();
  int sum = 0;
  for (int count : bad)
    sum += count;
  expect(!sum, "8 threads launch on 2 streams each");
  if (!hasResults)
    return;
  int wrong = 0;
  for (const rt::Buffer<int32_t> &one : cells)
    wrong += one.read().value().front() != launches / 2;
  expect(!wrong, "each of their launches ran");
}

void Stress::loadOften() {
  expectSteady("1,000 modules loaded and unloaded, and again", [&] {
    for (int i = 0; i < 1000; ++i) {
      rt::Kernel one = load().kernel().value();
      one.launch({1}, stream, cell).value();
      stream.synchronize().value();
    }
  });
}

/// A call fails with a status and a text, and the next launch is right.
void Stress::expectRefused(
    const char *what, tilec_status status, const char *part,
    const std::function<tilec_status(const tilec_sink *)> &call) {
  std::string message;
  const tilec_sink sink = {[](const tilec_diagnostic *diagnostic, void *user) {
                             *static_cast<std::string *>(user) +=
                                 diagnostic->message;
                           },
                           &message};
  tilec_status got = call(&sink);
  expect(got == status && message.find(part) != std::string::npos, what,
         "status " + std::to_string(got) + ", " + message);
  cell.fill(0).value();
  kernel.launch({1}, stream, cell).value();
  stream.synchronize().value();
  expectCount("the next launch is right", cell, 1);
}

void Stress::refuseArguments() {
  const uint64_t grid[3] = {1, 1, 1};
  auto launch = [&](tilecrt_argument argument) {
    return [this, grid, argument](const tilec_sink *sink) {
      return tilecrt_launch(kernel.get(), grid, &argument, 1, stream.get(),
                            nullptr, sink);
    };
  };
  expectRefused("a wrong type", TILEC_MISMATCH, "has type *fp32",
                launch(tilecrt_buffer_arg(TILEC_FP32, cell.get())));
  tilecrt_argument misaligned = tilecrt_buffer_arg(TILEC_I32, cell.get());
  ++misaligned.bits;
  expectRefused("a misaligned pointer", TILEC_MISMATCH, "misaligned",
                launch(misaligned));
  static int32_t onHost;
  expectRefused("a pointer to the host's memory", TILEC_MISMATCH,
                "not a pointer to memory of this GPU",
                launch(tilecrt_address_arg(TILEC_I32, &onHost)));
  expectRefused("a missing argument", TILEC_MISMATCH, "takes 1 argument",
                [&](const tilec_sink *sink) {
                  return tilecrt_launch(kernel.get(), grid, nullptr, 0,
                                        stream.get(), nullptr, sink);
                });
}

void Stress::refuse() {
  refuseArguments();
  expectRefused("more memory than there is", TILEC_OUT_OF_MEMORY,
                "the GPU has no", [&](const tilec_sink *sink) {
                  tilecrt_buffer *buffer = nullptr;
                  tilec_status status = tilecrt_buffer_allocate(
                      device.get(), uint64_t(1) << 50, &buffer, sink);
                  tilecrt_buffer_free(buffer);
                  return status;
                });
  expectRefused("no driver", TILEC_UNAVAILABLE, "no CUDA driver is installed",
                [&](const tilec_sink *sink) {
                  tilecrt_driver *none = nullptr;
                  return tilecrt_driver_load("/nonexistent/libcuda.so", &none,
                                             sink);
                });
  auto refuseModule = [&](const char *what, tilec_status status,
                          const char *part, const std::string &ptx) {
    expectRefused(what, status, part, [&](const tilec_sink *sink) {
      tilecrt_module *module = nullptr;
      return tilecrt_module_load(device.get(), ptx.data(), ptx.size(), nullptr,
                                 0, &module, sink);
    });
  };
  if (!hasResults)
    return; // a fake driver takes any PTX
  refuseModule("PTX that is newer than the driver", TILEC_UNSUPPORTED,
               "too old for this PTX version", counterPtx("99.9"));
  std::string broken = counterPtx("7.0");
  broken.insert(broken.rfind("ret;"), "nonsense;\n");
  refuseModule("PTX that is damaged", TILEC_FAILURE, "nonsense", broken);
}

/// A fake driver must not keep a record of every launch.
static void stopRecording(const std::string &library) {
  void *handle = library.empty() ? nullptr : dlopen(library.c_str(), RTLD_NOW);
  if (auto record = handle ? reinterpret_cast<void (*)(int)>(
                                 dlsym(handle, "fakeCudaRecord"))
                           : nullptr)
    record(0);
}

int Stress::run() {
  stopRecording(library);
  std::printf("on %s\n", device.info().name);
  launchOften();
  launchFromThreads();
  loadOften();
  refuse();
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed ? 1 : 0;
}

int main(int argc, char **argv) try {
  return Stress(argc > 1 ? argv[1] : "").run();
} catch (const tilec::Exception &exception) {
  std::printf("WRONG: %s\n0 passed, 1 failed\n", exception.what());
  return 1;
}
