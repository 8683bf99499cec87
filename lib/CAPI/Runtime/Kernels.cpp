//===- Kernels.cpp - the C interface of the runtime: kernels --------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Modules, kernels and launches. Arguments in the order of the parameters, as a
// program that launches often gives them, take no memory.
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "tilec/Runtime/Timer.h"

#include <cmath>

using namespace tilec;
using namespace tilec::capi;

//===-- Modules --------------------------------------------------------------//

tilec_status tilecrt_module_load(tilecrt_device *device, const void *image,
                                 size_t size, const char *metadata,
                                 size_t metadataSize, tilecrt_module **module,
                                 const tilec_sink *sink) {
  return guarded(sink, [&](const Reporter &reporter) {
    if (module)
      *module = nullptr;
    if (tilec_status status = reporter.need(
            {{"device", device}, {"module", module}, {"image", image}}))
      return status;
    std::string bytes(static_cast<const char *>(image), size);
    bool assembled = metadata || isCubin(bytes);
    // A program may count the zero byte at the end of a string.
    if (!assembled && !bytes.empty() && bytes.back() == '\0')
      bytes.pop_back();
    std::string lines =
        metadata ? std::string(metadata, metadataSize) : std::string();
    if (metadata && lines.empty())
      return reporter.misuse("the metadata is empty");
    Result<std::shared_ptr<Module>> loaded =
        assembled ? Module::fromCubin(device->device, bytes, lines)
                  : Module::fromPtx(device->device, bytes);
    if (!loaded)
      return reporter.fail(loaded.takeError());
    auto result = std::make_unique<tilecrt_module>();
    result->module = *loaded;
    for (const KernelInfo &info : (*loaded)->info().kernels)
      result->entries.emplace_back(info);
    *module = result.release();
    return TILEC_OK;
  });
}

void tilecrt_module_free(tilecrt_module *module) { delete module; }

size_t tilecrt_module_num_entries(const tilecrt_module *module) {
  return module ? module->entries.size() : 0;
}

const tilec_kernel_info *tilecrt_module_entry(const tilecrt_module *module,
                                              size_t index) {
  if (!module || index >= module->entries.size())
    return nullptr;
  return module->entries[index].get();
}

//===-- Kernels --------------------------------------------------------------//

tilec_status tilecrt_kernel_get(tilecrt_module *module, const char *name,
                                tilecrt_kernel **kernel,
                                const tilec_sink *sink) {
  return guarded(sink, [&](const Reporter &reporter) {
    if (kernel)
      *kernel = nullptr;
    if (tilec_status status =
            reporter.need({{"module", module}, {"kernel", kernel}}))
      return status;
    Result<std::shared_ptr<KernelFamily>> family =
        KernelFamily::create(module->module, name ? name : "");
    if (!family)
      return reporter.fail(family.takeError());
    auto result = std::make_unique<tilecrt_kernel>();
    result->family = *family;
    for (size_t i = 0; i < (*family)->numEntries(); ++i)
      result->entries.emplace_back((*family)->entry(i).info());
    *kernel = result.release();
    return TILEC_OK;
  });
}

void tilecrt_kernel_free(tilecrt_kernel *kernel) { delete kernel; }

size_t tilecrt_kernel_num_entries(const tilecrt_kernel *kernel) {
  return kernel ? kernel->entries.size() : 0;
}

const tilec_kernel_info *tilecrt_kernel_entry(const tilecrt_kernel *kernel,
                                              size_t index) {
  if (!kernel || index >= kernel->entries.size())
    return nullptr;
  return kernel->entries[index].get();
}

tilec_status tilecrt_kernel_usage(const tilecrt_kernel *kernel, size_t index,
                                  int *registers, int *localBytes) {
  if (!kernel || index >= kernel->entries.size())
    return TILEC_MISUSE;
  const Kernel &entry = kernel->family->entry(index);
  if (registers)
    *registers = entry.registers();
  if (localBytes)
    *localBytes = entry.localBytes();
  return TILEC_OK;
}

//===-- Arguments ------------------------------------------------------------//

namespace {

/// The arguments of one launch in the order of the parameters.
class ArgumentList {
public:
  /// Reads them; false after a report.
  tilec_status read(const KernelFamily &family, const tilecrt_argument *from,
                    size_t count, const Reporter &reporter);

  const PlainArgument *data() const { return items; }
  size_t size() const { return length; }

private:
  tilec_status readNamed(const KernelFamily &family,
                         const tilecrt_argument *from, size_t count,
                         const Reporter &reporter);
  void reserve(size_t count) {
    length = count;
    if (count <= std::size(local))
      return;
    large.resize(count);
    items = large.data();
  }

  PlainArgument local[32];
  std::vector<PlainArgument> large;
  PlainArgument *items = local;
  size_t length = 0;
};

} // namespace

/// One argument; false if its type is no type.
static bool convert(const tilecrt_argument &from, PlainArgument &to) {
  std::optional<ParamType> type = toParamType(from.type);
  if (!type)
    return false;
  to = {*type, from.bits, (from.flags & TILECRT_CHECK_ADDRESS) != 0};
  return true;
}

/// Whether an argument is a buffer that is none: those of this library have
/// addresses, empty ones too, and a null pointer is said to be an address.
static bool isNullBuffer(const PlainArgument &argument) {
  return argument.type.isPointer && !argument.bits && !argument.foreign;
}

static tilec_status nullBuffer(const Reporter &reporter,
                               const std::string &which) {
  std::string text = "argument " + which +
                     " is a null buffer; a null pointer is passed as an "
                     "address (tilecrt_address_arg)";
  return reporter.misuse(text.c_str());
}

static tilec_status badType(const Reporter &reporter, size_t index,
                            tilec_type type) {
  return reporter.fail(Error{"argument " + std::to_string(index) +
                                 " has the type " + std::to_string(type) +
                                 ", which is none of tilec_type",
                             ErrorKind::Mismatch});
}

tilec_status ArgumentList::read(const KernelFamily &family,
                                const tilecrt_argument *from, size_t count,
                                const Reporter &reporter) {
  if (count && !from)
    return reporter.need({{"arguments", from}});
  if (count && from[0].name)
    return readNamed(family, from, count, reporter);
  reserve(count);
  for (size_t i = 0; i < count; ++i) {
    if (from[i].name)
      return reporter.misuse(
          "some arguments have names and some not; give all or none");
    if (!convert(from[i], items[i]))
      return badType(reporter, i, from[i].type);
    if (isNullBuffer(items[i]))
      return nullBuffer(reporter, std::to_string(i));
  }
  return TILEC_OK;
}

tilec_status ArgumentList::readNamed(const KernelFamily &family,
                                     const tilecrt_argument *from, size_t count,
                                     const Reporter &reporter) {
  const std::vector<ParamInfo> &params = family.params();
  reserve(params.size());
  std::vector<bool> seen(params.size());
  auto refuse = [&](const std::string &text) {
    return reporter.fail(Error{text, ErrorKind::Mismatch});
  };
  for (size_t i = 0; i < count; ++i) {
    if (!from[i].name)
      return reporter.misuse(
          "some arguments have names and some not; give all or none");
    std::string name = from[i].name;
    PlainArgument argument;
    if (!convert(from[i], argument))
      return badType(reporter, i, from[i].type);
    if (isNullBuffer(argument))
      return nullBuffer(reporter, "'" + name + "'");
    size_t position = 0;
    while (position < params.size() && params[position].name != name)
      ++position;
    if (position == params.size()) {
      Argument folded{name, argument.type, argument.bits, false};
      if (Status status = family.checkFolded(folded); !status)
        return reporter.fail(status.takeError());
      continue;
    }
    if (seen[position])
      return refuse("argument '" + name + "' is given twice");
    seen[position] = true;
    items[position] = argument;
  }
  for (size_t i = 0; i < params.size(); ++i)
    if (!seen[i])
      return refuse("argument '" + params[i].name + "' is missing");
  return TILEC_OK;
}

//===-- Launching ------------------------------------------------------------//

tilec_status tilecrt_launch(const tilecrt_kernel *kernel,
                            const uint64_t grid[3],
                            const tilecrt_argument *arguments,
                            size_t numArguments, tilecrt_stream *stream,
                            const tilec_sink *explain, const tilec_sink *sink) {
  return guarded(sink, [&](const Reporter &reporter) {
    if (tilec_status status = reporter.need(
            {{"kernel", kernel}, {"grid", grid}, {"stream", stream}}))
      return status;
    const KernelFamily &family = *kernel->family;
    ArgumentList list;
    if (tilec_status status =
            list.read(family, arguments, numArguments, reporter))
      return status;
    std::string why;
    Status status =
        family.launch(list.data(), list.size(), {grid[0], grid[1], grid[2]},
                      stream->value, explain ? &why : nullptr);
    if (!status)
      return reporter.fail(status.takeError());
    if (explain)
      Reporter(explain).note(why.c_str());
    return TILEC_OK;
  });
}

tilec_status tilecrt_select(const tilecrt_kernel *kernel,
                            const tilecrt_argument *arguments,
                            size_t numArguments, size_t *index,
                            const tilec_sink *explain, const tilec_sink *sink) {
  return guarded(sink, [&](const Reporter &reporter) {
    if (tilec_status status = reporter.need({{"kernel", kernel}}))
      return status;
    ArgumentList list;
    if (tilec_status status =
            list.read(*kernel->family, arguments, numArguments, reporter))
      return status;
    std::string why;
    Result<size_t> chosen = kernel->family->choose(list.data(), list.size(),
                                                   explain ? &why : nullptr);
    if (!chosen)
      return reporter.fail(chosen.takeError());
    if (index)
      *index = *chosen;
    if (explain)
      Reporter(explain).note(why.c_str());
    return TILEC_OK;
  });
}

tilec_status tilecrt_time(const tilecrt_kernel *kernel, const uint64_t grid[3],
                          const tilecrt_argument *arguments,
                          size_t numArguments, double microseconds,
                          tilecrt_timing *timing, const tilec_sink *sink) {
  return guarded(sink, [&](const Reporter &reporter) {
    if (tilec_status status = reporter.need(
            {{"kernel", kernel}, {"grid", grid}, {"timing", timing}}))
      return status;
    if (!std::isfinite(microseconds) || microseconds <= 0)
      return reporter.misuse("the time to measure for is not positive");
    const KernelFamily &family = *kernel->family;
    ArgumentList list;
    if (tilec_status status =
            list.read(family, arguments, numArguments, reporter))
      return status;
    Result<Stream> stream = Stream::create(family.device());
    if (!stream)
      return reporter.fail(stream.takeError());
    TimerOptions options;
    options.measureMicroseconds = microseconds;
    options.warmUpMicroseconds = microseconds / 4;
    options.flushBytes = bytesToFlush(*family.device());
    Result<Timing> result = timeRuns(
        family.device(), *stream,
        [&](uint64_t) {
          return family.launch(list.data(), list.size(),
                               {grid[0], grid[1], grid[2]}, *stream);
        },
        options);
    if (!result)
      return reporter.fail(result.takeError());
    *timing = {result->median(), result->min(), result->max(), result->spread(),
               result->runs()};
    return TILEC_OK;
  });
}

//===-- Tensor maps ----------------------------------------------------------//

tilec_status tilecrt_tensor_map(tilecrt_device *device,
                                const tilecrt_tensor_map_spec *from,
                                uint64_t map[16], const tilec_sink *sink) {
  return guarded(sink, [&](const Reporter &reporter) {
    if (tilec_status status =
            reporter.need({{"device", device}, {"spec", from}, {"map", map}}))
      return status;
    std::optional<ParamType> type = toParamType(from->element);
    if (!type || type->isPointer)
      return reporter.misuse("the type of the array's elements is none");
    TensorMapSpec spec;
    spec.address = from->address;
    spec.element = type->element;
    spec.rank = from->rank;
    std::copy_n(from->shape, TensorMapSpec::maxRank, spec.shape.begin());
    std::copy_n(from->strides, TensorMapSpec::maxRank, spec.strides.begin());
    std::copy_n(from->box, TensorMapSpec::maxRank, spec.box.begin());
    spec.swizzle = from->swizzle;
    spec.fillsNaN = from->fills_nan;
    Result<TensorMap> result = device->device->tensorMaps().get(spec);
    if (!result)
      return reporter.fail(result.takeError());
    std::copy_n(result->words, 16, map);
    return TILEC_OK;
  });
}
