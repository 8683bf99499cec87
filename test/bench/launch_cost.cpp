//===- launch_cost.cpp - what a launch costs the host ---------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Times tilecrt_launch, which checks every argument, beside a bare
// cuLaunchKernel of the same code, in turns in one process; loading and the
// first launch too. One line of JSON: `launch_cost [LIBCUDA]`. Against the fake
// driver of the unit tests it shows the library's own part.
//
//===----------------------------------------------------------------------===//

#include "tilec/tilec-runtime.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <dlfcn.h>

namespace rt = tilec::rt;
using Clock = std::chrono::steady_clock;

/// Four pointers and three numbers, in two versions: what a usual kernel has.
/// Its code does nothing, so that the queue never fills.
static const char ptx[] =
#define TILEC_ENTRY(entry, requirements)                                       \
  "// tilec: {\"kernel\": \"nothing\", \"entry\": \"" entry                    \
  "\", \"params\": [{\"name\": \"a\", \"type\": \"*fp16\"}, {\"name\": "       \
  "\"b\", \"type\": \"*fp16\"}, {\"name\": \"c\", \"type\": \"*fp32\"}, "      \
  "{\"name\": \"d\", \"type\": \"*fp32\"}, {\"name\": \"m\", \"type\": "       \
  "\"i32\"}, {\"name\": \"n\", \"type\": \"i32\"}, {\"name\": \"k\", "         \
  "\"type\": \"i32\"}], \"constants\": {}, \"folded\": {}, \"hidden\": [], "   \
  "\"num_warps\": 1, \"num_stages\": 1, \"threads\": 32, \"cluster\": [1, "    \
  "1, 1], \"dynamic_shared\": 0, \"requires\": [" requirements                 \
  "], \"source\": \"\"}\n"
    "// tilec: {\"schema\": 1, \"compiler\": \"by hand\", \"arch\": "
    "\"sm_80\"}\n" TILEC_ENTRY("nothing__1",
                               "\"a % 16 == 0\", \"b % 16 == 0\", \"c % 16 == "
                               "0\", \"d % 16 == 0\", \"n % 16 == 0\"")
        TILEC_ENTRY("nothing",
                    "") ".version 7.0\n.target sm_80\n.address_size 64\n"
#define TILEC_BODY(entry)                                                      \
  ".visible .entry " entry "(.param .u64 a, .param .u64 b, .param .u64 c, "    \
  ".param .u64 d, .param .u32 m, .param .u32 n, .param .u32 k) { ret; }\n"
    TILEC_BODY("nothing__1") TILEC_BODY("nothing");

/// The driver's functions that the bare launch needs.
struct Bare {
  int (*load)(void **, const void *, unsigned, int *, void **);
  int (*get)(void **, void *, const char *);
  int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
                unsigned, unsigned, void *, void **, void **);
};

/// Nanoseconds of one of `count` calls.
template <typename Call>
static double timeCalls(int count, Call call) {
  auto start = Clock::now();
  for (int i = 0; i < count; ++i)
    call();
  std::chrono::duration<double, std::nano> time = Clock::now() - start;
  return time.count() / count;
}

static double median(std::vector<double> &values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

static double milliseconds(Clock::time_point since) {
  return std::chrono::duration<double, std::milli>(Clock::now() - since)
      .count();
}

int main(int argc, char **argv) try {
  const char *library = argc > 1 ? argv[1] : "libcuda.so.1";
  auto begin = Clock::now();
  rt::Driver driver = rt::Driver::load(library).value();
  rt::Device device = rt::Device::open(driver).value();
  double openTime = milliseconds(begin);
  begin = Clock::now();
  rt::Kernel kernel =
      rt::Module::load(device, ptx).value().kernel("nothing").value();
  double loadTime = milliseconds(begin);
  rt::Stream stream = rt::Stream::create(device).value();
  auto buffer = rt::Buffer<float>::allocate(device, 1024).value();

  void *cuda = dlopen(library, RTLD_NOW), *module = nullptr,
       *function = nullptr;
  Bare bare = {};
  bare.load =
      reinterpret_cast<decltype(bare.load)>(dlsym(cuda, "cuModuleLoadDataEx"));
  bare.get =
      reinterpret_cast<decltype(bare.get)>(dlsym(cuda, "cuModuleGetFunction"));
  bare.launch =
      reinterpret_cast<decltype(bare.launch)>(dlsym(cuda, "cuLaunchKernel"));
  if (bare.load(&module, ptx, 0, nullptr, nullptr) ||
      bare.get(&function, module, "nothing__1")) {
    std::fprintf(stderr, "the bare launch cannot be prepared\n");
    return 1;
  }
  // A fake driver must not keep a record of every launch.
  if (auto quiet =
          reinterpret_cast<void (*)(int)>(dlsym(cuda, "fakeCudaRecord")))
    quiet(0);

  uint64_t address = buffer.address();
  int m = 256, n = 512, k = 128;
  void *pointers[] = {&address, &address, &address, &address, &m, &n, &k};
  const tilecrt_argument half = tilecrt_buffer_arg(TILEC_FP16, buffer.get()),
                         single = tilecrt_buffer_arg(TILEC_FP32, buffer.get());
  const tilecrt_argument arguments[] = {half,
                                        half,
                                        single,
                                        single,
                                        tilecrt_i32_arg(m),
                                        tilecrt_i32_arg(n),
                                        tilecrt_i32_arg(k)};
  const uint64_t grid[3] = {1, 1, 1};
  auto launchBare = [&] {
    bare.launch(function, 1, 1, 1, 32, 1, 1, 0, stream.handle(), pointers,
                nullptr);
  };
  auto launchOurs = [&] {
    tilecrt_launch(kernel.get(), grid, arguments, 7, stream.get(), nullptr,
                   nullptr);
  };
  auto launchCpp = [&] {
    (void)kernel.launch({1}, stream, half, half, single, single, m, n, k);
  };
  auto first = Clock::now();
  launchOurs();
  stream.synchronize().value();
  double firstTime = milliseconds(first);

  // In turns, in short bursts with an empty queue: the driver's own cost
  // drifts.
  std::vector<double> bareTimes, times, cppTimes;
  for (int round = 0; round < 200; ++round) {
    bareTimes.push_back(timeCalls(200, launchBare));
    stream.synchronize().value();
    times.push_back(timeCalls(200, launchOurs));
    stream.synchronize().value();
    cppTimes.push_back(timeCalls(200, launchCpp));
    stream.synchronize().value();
  }
  double base = median(bareTimes), c = median(times), cpp = median(cppTimes);
  std::printf(
      "{\"device\": \"%s\", \"bare_ns\": %.0f, \"c_ns\": %.0f, \"cpp_ns\": "
      "%.0f, \"c_extra_ns\": %.0f, \"cpp_extra_ns\": %.0f, \"open_ms\": "
      "%.2f, \"load_ms\": %.2f, \"first_launch_ms\": %.3f}\n",
      device.info().name, base, c, cpp, c - base, cpp - base, openTime,
      loadTime, firstTime);
  return 0;
} catch (const tilec::Exception &exception) {
  std::fprintf(stderr, "%s\n", exception.what());
  return 1;
}
