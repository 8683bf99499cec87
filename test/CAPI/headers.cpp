//===- headers.cpp - what the C++ headers add to the C interfaces ---------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// On the fake driver that the first argument names: wrong indices, sizes beyond
// 64 bits and moved-from owners are errors; the interpreter takes lists of any
// length and memory that is const.
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include "tilec/tilec-runtime.hpp"
#include "tilec/tilec.hpp"

#include <string_view>

namespace rt = tilec::rt;

static const char *const source =
    "@kernel\n"
    "def add(x_ptr: ptr[f32], y_ptr: ptr[f32], BLOCK: constexpr = 4):\n"
    "    offs = arange(0, BLOCK)\n"
    "    store(y_ptr + offs, load(x_ptr + offs) + 1.0)\n";

/// Whether a call throws an error of a status with a message that has `part`.
template <typename Call>
static bool throws(tilec_status status, const char *part, Call call) {
  try {
    call();
  } catch (const tilec::Exception &exception) {
    return exception.error().status == status &&
           std::string_view(exception.what()).find(part) !=
               std::string_view::npos;
  }
  return false;
}

/// Whether a call failed with such an error.
template <typename T>
static bool failsWith(const tilec::Expected<T> &result, tilec_status status,
                      const char *part) {
  return !result && result.error().status == status &&
         result.error().message().find(part) != std::string::npos;
}

static void testInterpreter(const tilec::Module &module) {
  const std::vector<float> x = {1, 2, 3, 4};
  std::vector<float> y(4);
  tilec::InterpretOptions options;
  options.meter = true;
  std::vector<tilec::HostArgument> arguments = {
      tilec::HostArgument::array("x_ptr", x),
      tilec::HostArgument::array("y_ptr", y)};
  tilec::Report report =
      module.interpret("add", {1, 1, 1}, arguments, options).value();
  CHECK(y[0] == 2 && y[3] == 5);
  CHECK(report.size() == 2 && report[1].bytes_written == 16);
  CHECK(throws(TILEC_MISUSE, "no argument of that number",
               [&] { return report[2].bytes_read; }));
  tilec::Report moved = std::move(report);
  CHECK(moved.size() == 2 && report.size() == 0);
  CHECK(throws(TILEC_MISUSE, "no argument", [&] { return report[0].name; }));

  CHECK(bool(module.interpret("", {1, 1, 1}, arguments.data(), 2)));
  CHECK(bool(module.interpret(
      "", {1, 1, 1},
      {arguments[0], arguments[1], tilec::HostArgument::scalar("BLOCK", 4)})));
  CHECK(failsWith(module.interpret("", {1, 1, 1},
                                   {arguments[0], arguments[1],
                                    tilec::HostArgument::scalar("BLOCK", 8)}),
                  TILEC_MISMATCH, "is 8, kernel 'add' was compiled for"));
  CHECK(failsWith(module.interpret("", {1, 1, 1}, {}), TILEC_MISMATCH,
                  "'x_ptr' of kernel 'add' is missing"));
  arguments[1] = tilec::HostArgument::array("y_ptr", x.data(), x.size());
  CHECK(failsWith(module.interpret("", {1, 1, 1}, arguments), TILEC_FAILURE,
                  "wrote argument 'y_ptr', which is read-only"));
  CHECK(x[0] == 1);
  CHECK(throws(TILEC_MISMATCH, "'y_ptr' does not fit 64 bits", [&] {
    tilec::HostArgument::array("y_ptr", y.data(), (size_t(1) << 62) + 1);
  }));
}

static void testReport(const tilec::Module &module) {
  tilec::Options options;
  options.toolkit("/nonexistent").assembler("nvjitlink");
  const char *missing = "the folder '/nonexistent' has no nvjitlink";
  std::string text = module.report(options).value();
  CHECK(text.find("for sm_80") != text.npos && text.find(missing) != text.npos);
  std::string json = module.report(options, "h200", /*json=*/true).value();
  CHECK(json.find("\"gpu\": \"h200\"") != json.npos);
  CHECK(failsWith(module.report(options, "h300"), TILEC_FAILURE,
                  "unknown GPU 'h300'"));
  CHECK(failsWith(module.emit(tilec::Phase::Cubin, options), TILEC_FAILURE,
                  missing));
  options.assembler("as");
  CHECK(failsWith(module.report(options), TILEC_FAILURE,
                  "expected ptxas or nvjitlink, got 'as'"));
}

static void testRuntime(const tilec::Module &module, const char *library) {
  rt::Driver driver = rt::Driver::load(library).value();
  CHECK(driver.deviceInfo(0).major == 9);
  CHECK(throws(TILEC_MISUSE, "no device of that number",
               [&] { return driver.deviceInfo(1).major; }));
  rt::Device device = rt::Device::open(driver).value();
  std::string ptx = module.emit(tilec::Phase::PTX).value();
  rt::Kernel kernel =
      rt::Module::load(device, ptx).value().kernel("add").value();
  CHECK(kernel.info(0).num_params == 2);
  CHECK(throws(TILEC_MISUSE, "no entry of that number",
               [&] { return kernel.info(1).num_params; }));

  // 4 elements and 4 bytes, where the sizes in bytes wrap.
  constexpr size_t beyond = size_t(1) << 62;
  CHECK(failsWith(rt::Buffer<float>::allocate(device, beyond + 4),
                  TILEC_MISMATCH, "more than 4611686018427387903 elements"));
  rt::Buffer<float> x = rt::Buffer<float>::allocate(device, 16).value();
  float host[4] = {1, 2, 3, 4};
  CHECK(failsWith(x.write(host, beyond + 1), TILEC_MISMATCH, "elements"));
  CHECK(failsWith(x.write(host, 1, beyond + 1), TILEC_MISMATCH, "elements"));
  CHECK(failsWith(x.read(host, beyond + 1), TILEC_MISMATCH, "elements"));
  CHECK(failsWith(x.read(host, 1, beyond), TILEC_MISMATCH, "elements"));
  CHECK(failsWith(x.read(host, 4, 13), TILEC_MISMATCH, "cannot copy 16 bytes"));
  CHECK(bool(x.write(host, 4, 12)));

  rt::Stream stream = rt::Stream::create(device).value();
  CHECK(bool(kernel.launch({1}, stream, x, x)));
  CHECK(bool(kernel.launch({1}, stream, x, static_cast<float *>(nullptr))));
  CHECK(kernel.time({1}, 1000, x, x).value().median > 9);
  CHECK(failsWith(kernel.time({1}, -1, x, x), TILEC_MISUSE, "not positive"));
  rt::Buffer<float> moved = std::move(x);
  CHECK(failsWith(kernel.launch({1}, stream, moved, x), TILEC_MISUSE,
                  "argument 1 is a null buffer"));
  rt::Device other = std::move(device);
  CHECK(!std::strcmp(other.info().name, "Fake GPU"));
  CHECK(
      throws(TILEC_MISUSE, "moved from", [&] { return device.info().major; }));
}

int main(int argc, char **argv) {
  tilec::Module module = tilec::Module::fromText(source).value();
  testInterpreter(module);
  testReport(module);
  testRuntime(module, argc > 1 ? argv[1] : "");
  return failures();
}
