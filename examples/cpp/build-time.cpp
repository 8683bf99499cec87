// A program that carries its kernel as PTX: launches it and checks the result.
// Without a GPU it runs the same source on the interpreter.

#include "tilec/saxpy.h"
#include "tilec/tilec-runtime.hpp"
#include "tilec/tilec.hpp"

#include <cstdio>
#include <vector>

static constexpr int n = 100001, block = 512;
static constexpr float a = 2.5f;

static void onGpu(const tilec::rt::Device &device, const std::vector<float> &x,
                  std::vector<float> &y) {
  using namespace tilec::rt;
  Module module = Module::load(device, {saxpy_ptx, saxpy_ptx_size}).value();
  Kernel saxpy = module.kernel("saxpy").value();
  Stream stream = Stream::create(device).value();
  auto deviceX = Buffer<float>::from(device, x).value();
  auto deviceY = Buffer<float>::from(device, y).value();
  std::printf("%s\n", saxpy.explain(a, deviceX, deviceY, n).value().c_str());
  saxpy.launch({(n + block - 1) / block}, stream, a, deviceX, deviceY, n)
      .value();
  stream.synchronize().value();
  y = deviceY.read().value();
}

static void onInterpreter(std::vector<float> &x, std::vector<float> &y) {
  using namespace tilec;
  Options options;
  options.define("BLOCK", block);
  Module module = Module::fromText(saxpy_source, "saxpy.tile", options).value();
  module
      .interpret("saxpy", {(n + block - 1) / block, 1, 1},
                 {HostArgument::scalar("a", a), HostArgument::array("x_ptr", x),
                  HostArgument::array("y_ptr", y),
                  HostArgument::scalar("n", n)})
      .value();
}

int main() try {
  std::vector<float> x(n), y(n);
  for (int i = 0; i < n; ++i) {
    x[i] = static_cast<float>(i % 1000);
    y[i] = static_cast<float>(i % 7);
  }
  std::vector<float> want(n);
  for (int i = 0; i < n; ++i)
    want[i] = a * x[i] + y[i]; // exact: few bits

  auto device = tilec::rt::Device::open();
  if (device) {
    std::printf("on %s\n", device->info().name);
    onGpu(*device, x, y);
  } else if (device.error().status == TILEC_UNAVAILABLE) {
    std::printf("%s\non the interpreter\n", device.error().message().c_str());
    onInterpreter(x, y);
  } else {
    device.value(); // throws
  }
  for (int i = 0; i < n; ++i)
    if (y[i] != want[i]) {
      std::printf("y[%d] is %g, expected %g\n", i, y[i], want[i]);
      return 1;
    }
  std::printf("%d elements are right\n", n);
  return 0;
} catch (const tilec::Exception &exception) {
  std::fprintf(stderr, "%s\n", exception.what());
  return 1;
}
