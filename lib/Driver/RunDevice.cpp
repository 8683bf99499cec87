//===- RunDevice.cpp - runs PTX on a GPU ----------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Values become device buffers and typed scalars by the metadata in the PTX;
// results come back into the same arrays.
//
//===----------------------------------------------------------------------===//

#include "RunDevice.h"

#include "tilec/KernelInfo/Json.h"
#include "tilec/Runtime/Timer.h"

using namespace tilec;

namespace {

/// The arguments of a run with the buffers that they point to.
struct DeviceArguments {
  std::vector<Argument> arguments;
  /// By argument; none for a scalar.
  std::vector<std::optional<Buffer>> buffers;

  std::vector<const Buffer *> pointers() const {
    std::vector<const Buffer *> result;
    for (const std::optional<Buffer> &buffer : buffers)
      result.push_back(buffer ? &*buffer : nullptr);
    return result;
  }
};

} // namespace

Result<std::shared_ptr<Device>> tilec::openDevice(const RunOptions &options) {
  Result<std::shared_ptr<Cuda>> cuda = Cuda::load();
  if (!cuda)
    return cuda.takeError();
  return Device::open(*cuda, static_cast<int>(options.gpu));
}

/// The parameter of that name in any entry of the kernel, or null.
static const ParamInfo *findParam(const PtxMetadata &metadata,
                                  const std::string &kernel,
                                  const std::string &name) {
  for (const KernelInfo &info : metadata.kernels)
    if (kernel.empty() || info.kernel == kernel || info.entry == kernel)
      if (const ParamInfo *param = info.findParam(name))
        return param;
  return nullptr;
}

/// Copies an array to a new buffer; what nothing wrote holds a pattern that is
/// easy to see in results.
static Result<Buffer> upload(const std::shared_ptr<Device> &device,
                             const ArgumentValue &value) {
  const HostBytes &bytes = value.array()->bytes;
  Result<Buffer> buffer = Buffer::allocate(device, bytes.size());
  if (!buffer)
    return buffer;
  Status status = value.isUnwritten
                      ? buffer->fill(0xcd)
                      : buffer->copyFromHost(bytes.data(), bytes.size());
  if (!status)
    return status.takeError();
  return buffer;
}

/// Turns a value into an argument of the type that the kernel expects.
static Status addArgument(const std::shared_ptr<Device> &device,
                          const ParamInfo *param, const ArgumentValue &value,
                          DeviceArguments &out) {
  if (value.isNone() && !param)
    return {};  // a constant of the kernel
  if (!param) { // folded: its own type tells the value
    const Number *number = value.number();
    if (!number)
      return Error{"the kernel has no argument '" + value.name + "'"};
    Result<uint64_t> bits = encodeNumber(*number, number->naturalType());
    if (!bits)
      return bits.takeError();
    out.arguments.push_back(
        Argument::scalar(value.name, number->naturalType(), *bits));
    out.buffers.emplace_back();
    return {};
  }
  Result<uint64_t> bits = matchArgument(value, param->type);
  if (!bits)
    return bits.takeError();
  if (!param->type.isPointer) {
    out.arguments.push_back(
        Argument::scalar(value.name, param->type.element, *bits));
    out.buffers.emplace_back();
    return {};
  }
  Result<Buffer> buffer = upload(device, value);
  if (!buffer)
    return buffer.takeError();
  out.arguments.push_back(
      Argument::buffer(value.name, param->type.element, *buffer));
  out.buffers.emplace_back(std::move(*buffer));
  return {};
}

/// Digits enough for a time or a rate.
static std::string decimal(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value < 100 ? "%.2f" : "%.0f", value);
  return text;
}

/// The times of a kernel for people or machines. The rate is over the bytes of
/// the arrays, each counted once.
static std::string timingReport(const Kernel &kernel, const Timing &timing,
                                const RunOptions &options, const Work &work) {
  uint64_t bytes = work.bytes;
  const std::string &device = kernel.device()->info().name;
  double rate = bytes / timing.median() * 1e-3; // bytes per µs are MB/s
  if (options.bench == RunOptions::Report::Text)
    return kernel.info().entry + ": median " + decimal(timing.median()) +
           " us, min " + decimal(timing.min()) + " us, max " +
           decimal(timing.max()) + " us, spread " +
           decimal(timing.spread() * 100) + " %, " +
           std::to_string(timing.runs()) + " runs, " + decimal(rate) +
           " GB/s over the arrays' " + std::to_string(bytes) + " bytes\n" +
           (options.showsLimits ? limitsTable(device, work, timing.median())
                                : "");
  json::Value grid = json::Value::array(), root = json::Value::object();
  for (int64_t size : options.grid)
    grid.push(size);
  root.set("kernel", kernel.info().kernel);
  root.set("entry", kernel.info().entry);
  root.set("device", device);
  root.set("grid", std::move(grid));
  root.set("median_us", timing.median());
  root.set("min_us", timing.min());
  root.set("max_us", timing.max());
  root.set("spread", timing.spread());
  root.set("runs", uint64_t(timing.runs()));
  root.set("array_bytes", bytes);
  root.set("array_gb_per_s", rate);
  root.set("registers", kernel.registers());
  root.set("local_bytes", kernel.localBytes());
  if (options.showsLimits)
    addLimits(root, device, work, timing.median());
  return root.write() + "\n";
}

/// Times the kernel after its results are safe.
static Status bench(const Kernel &kernel, const DeviceArguments &arguments,
                    const RunOptions &options, Work work, std::string &report) {
  Grid grid = {uint64_t(options.grid[0]), uint64_t(options.grid[1]),
               uint64_t(options.grid[2])};
  Result<Timing> timing =
      timeKernel(kernel, arguments.arguments, arguments.pointers(), grid);
  if (!timing)
    return timing.takeError();
  for (const Buffer *buffer : arguments.pointers())
    work.bytes += buffer ? buffer->size() : 0;
  report += timingReport(kernel, *timing, options, work);
  return {};
}

/// One run, waited for.
static Status launchOnce(const Kernel &kernel, const DeviceArguments &arguments,
                         const RunOptions &options) {
  Result<BoundArguments> bound = kernel.bind(arguments.arguments);
  if (!bound)
    return bound.takeError();
  Result<Stream> stream = Stream::create(kernel.device());
  if (!stream)
    return stream.takeError();
  Grid grid = {uint64_t(options.grid[0]), uint64_t(options.grid[1]),
               uint64_t(options.grid[2])};
  if (Status status = kernel.launch(*bound, grid, *stream); !status)
    return status;
  Status status = stream->synchronize();
  if (!status)
    return Error{status.error() +
                 "; run it with --device cpu to see which line is at fault"};
  return status;
}

Status tilec::runOnDevice(const std::shared_ptr<Device> &device,
                          const std::string &ptx, const RunOptions &options,
                          std::vector<ArgumentValue> &values, Work work,
                          std::string &report) {
  Result<std::shared_ptr<Module>> module = isCubin(ptx)
                                               ? Module::fromCubin(device, ptx)
                                               : Module::fromPtx(device, ptx);
  if (!module)
    return module.takeError();
  DeviceArguments arguments;
  std::vector<std::pair<size_t, size_t>> arrays; // value, argument
  for (size_t i = 0; i < values.size(); ++i) {
    const ParamInfo *param =
        findParam((*module)->info(), options.kernel, values[i].name);
    if (Status status = addArgument(device, param, values[i], arguments);
        !status)
      return status;
    if (param && param->type.isPointer)
      arrays.emplace_back(i, arguments.buffers.size() - 1);
  }
  std::string why;
  Result<Kernel> kernel =
      (*module)->select(options.kernel, arguments.arguments, &why);
  if (!kernel)
    return kernel.takeError();
  if (options.explain)
    report += why + "\n";
  if (Status status = launchOnce(*kernel, arguments, options); !status)
    return status;
  for (auto [value, argument] : arrays) {
    HostBytes &bytes = values[value].array()->bytes;
    if (Status status =
            arguments.buffers[argument]->copyToHost(bytes.data(), bytes.size());
        !status)
      return status;
  }
  if (options.bench == RunOptions::Report::None)
    return {};
  return bench(*kernel, arguments, options, std::move(work), report);
}
