// A program that makes its kernel when it runs, for the GPU that it finds: text
// in, PTX out, launched and timed. Without a GPU it interprets, and counts the
// traffic.

#include "tilec/tilec-runtime.hpp"
#include "tilec/tilec.hpp"

#include <cstdio>
#include <vector>

static const char *source = R"(
@kernel
def scale(x_ptr: ptr[f32, 16], y_ptr: ptr[f32, 16], factor: f32, n: i32, BLOCK: constexpr):
    offs = program_id(0) * BLOCK + arange(0, BLOCK)
    mask = offs < n
    store(y_ptr + offs, load(x_ptr + offs, mask=mask) * factor, mask=mask)
)";

static constexpr int n = 1 << 16, block = 1024;

int main() {
  // No exceptions here: every result is looked at.
  auto fail = [](const tilec::Error &error) {
    std::fprintf(stderr, "%s\n", error.message().c_str());
    return 1;
  };
  auto device = tilec::rt::Device::open();
  tilec::Options options;
  options.define("BLOCK", block).arch(device ? device->info().arch : "sm_80");
  auto module = tilec::Module::fromText(source, "scale.tile", options);
  if (!module)
    return fail(module.error());
  auto ptx = module->emit(tilec::Phase::PTX, options);
  if (!ptx)
    return fail(ptx.error());
  std::printf("%zu bytes of PTX for %s\n", ptx->size(),
              device ? device->info().arch : "sm_80");
  auto seen = module->report(options);
  if (!seen)
    return fail(seen.error());
  std::printf("%s\n", seen->c_str());

  std::vector<float> x(n), y(n);
  for (int i = 0; i < n; ++i)
    x[i] = static_cast<float>(i);
  if (!device) {
    tilec::InterpretOptions run;
    run.meter = true;
    auto report =
        module->interpret("scale", {n / block, 1, 1},
                          {tilec::HostArgument::array("x_ptr", x),
                           tilec::HostArgument::array("y_ptr", y),
                           tilec::HostArgument::scalar("factor", 0.5f),
                           tilec::HostArgument::scalar("n", n)},
                          run);
    if (!report)
      return fail(report.error());
    std::printf("on the interpreter: %s\n", report->json().c_str());
  } else {
    namespace rt = tilec::rt;
    auto loaded = rt::Module::load(*device, *ptx);
    if (!loaded)
      return fail(loaded.error());
    auto kernel = loaded->kernel();
    auto stream = rt::Stream::create(*device);
    auto deviceX = rt::Buffer<float>::from(*device, x);
    auto deviceY = rt::Buffer<float>::allocate(*device, n);
    if (!kernel || !stream || !deviceX || !deviceY)
      return 1;
    if (auto status =
            kernel->launch({n / block}, *stream, *deviceX, *deviceY, 0.5f, n);
        !status)
      return fail(status.error());
    if (auto status = stream->synchronize(); !status)
      return fail(status.error());
    if (auto status = deviceY->read(y.data(), n); !status)
      return fail(status.error());
    std::printf("on %s\n", device->info().name);
  }
  for (int i = 0; i < n; ++i)
    if (y[i] != x[i] * 0.5f) {
      std::printf("y[%d] is %g, expected %g\n", i, y[i], x[i] * 0.5f);
      return 1;
    }
  std::printf("%d elements are right\n", n);
  return 0;
}
