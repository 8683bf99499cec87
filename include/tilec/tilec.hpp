//===- tilec.hpp - the compiler for C++ programs ----------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Owners and values over the C interface of tilec-c/tilec.h; nothing is behind
// this header but that. C++17.
//
//   tilec::Module module = tilec::Module::fromFile("k.tile").value();
//   std::string ptx = module.emit(tilec::Phase::PTX).value();
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TILEC_HPP
#define TILEC_TILEC_HPP

#include "tilec-c/tilec.h"
#include "tilec/types.hpp"

#include <array>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string_view>

namespace tilec {
inline namespace api {

/// What to compile and how. Setters chain; a wrong value is found when the
/// options are used.
class Options {
public:
  Options() { detail::require(tilec_options_create(&raw)); }
  Options(Options &&other) noexcept
      : raw(std::exchange(other.raw, nullptr)),
        failure(std::move(other.failure)) {}
  Options &operator=(Options &&other) noexcept {
    std::swap(raw, other.raw);
    std::swap(failure, other.failure);
    return *this;
  }
  ~Options() { tilec_options_free(raw); }

  /// The kernels to compile; none means all whose types are known.
  Options &kernel(const std::string &name, const std::string &signature = "") {
    return set([&](const tilec_sink *sink) {
      return tilec_options_add_kernel(raw, name.c_str(), signature.c_str(),
                                      sink);
    });
  }
  /// A compile-time value, a Python literal.
  Options &define(const std::string &name, const std::string &value) {
    return set([&](const tilec_sink *sink) {
      return tilec_options_define(raw, name.c_str(), value.c_str(), sink);
    });
  }
  Options &define(const std::string &name, long long value) {
    return define(name, std::to_string(value));
  }
  /// The type of an argument that the source does not give.
  Options &argumentType(const std::string &name, const std::string &type) {
    return set([&](const tilec_sink *sink) {
      return tilec_options_set_argument_type(raw, name.c_str(), type.c_str(),
                                             sink);
    });
  }
  Options &includeDir(const std::string &folder) {
    return set([&](const tilec_sink *sink) {
      return tilec_options_add_include_dir(raw, folder.c_str(), sink);
    });
  }
  /// `sm_80`, `sm_90a`, ..., or `native`.
  Options &arch(const std::string &name) {
    return set([&](const tilec_sink *sink) {
      return tilec_options_set_arch(raw, name.c_str(), sink);
    });
  }
  Options &numWarps(unsigned count) {
    return set([&](const tilec_sink *sink) {
      return tilec_options_set_num_warps(raw, count, sink);
    });
  }
  Options &numStages(unsigned count) {
    return set([&](const tilec_sink *sink) {
      return tilec_options_set_num_stages(raw, count, sink);
    });
  }
  /// `tf32`, `no-unused-value`, `all`, `error=int-overflow`: what follows -W.
  Options &warning(const std::string &text) {
    return set([&](const tilec_sink *sink) {
      return tilec_options_set_warning(raw, text.c_str(), sink);
    });
  }
  /// One more version of each kernel: "x_ptr:16, stride:1"; empty for the
  /// usual.
  Options &specialize(const std::string &hints = "") {
    return set([&](const tilec_sink *sink) {
      return tilec_options_add_specialization(raw, hints.c_str(), sink);
    });
  }

  /// The folder of the CUDA toolkit whose assembler makes cubins.
  Options &toolkit(const std::string &folder) {
    return set([&](const tilec_sink *sink) {
      return tilec_options_set_toolkit(raw, folder.c_str(), sink);
    });
  }

  /// `nvjitlink` or `ptxas`; empty for the first that is found.
  Options &assembler(const std::string &name) {
    return set([&](const tilec_sink *sink) {
      return tilec_options_set_assembler(raw, name.c_str(), sink);
    });
  }

  const tilec_options *get() const { return raw; }
  /// The first setter's error, if one failed.
  const std::optional<Error> &error() const { return failure; }

private:
  template <typename Call>
  Options &set(Call call) {
    detail::Collector collector;
    if (tilec_status status = call(collector.sink()); status && !failure)
      failure = collector.take(status);
    return *this;
  }

  tilec_options *raw = nullptr;
  std::optional<Error> failure;
};

/// What the compiler can stop at.
enum class Phase {
  Tile = TILEC_PHASE_TILE,
  TileGPU = TILEC_PHASE_TILEGPU,
  LLVM = TILEC_PHASE_LLVM,
  LLVMIR = TILEC_PHASE_LLVMIR,
  PTX = TILEC_PHASE_PTX,
  Cubin = TILEC_PHASE_CUBIN
};

/// An argument for the interpreter.
struct HostArgument {
  /// Memory of `count` elements. A kernel that writes to elements that are
  /// const fails, and leaves them as they are.
  template <typename T>
  static HostArgument array(const char *name, T *data, size_t count,
                            tilec_type type = typeOf<std::remove_cv_t<T>>) {
    if (count > SIZE_MAX / sizeof(T))
      detail::raise({TILEC_MISMATCH,
                     {Diagnostic("the size of the array '" + std::string(name) +
                                 "' does not fit 64 bits")}});
    HostArgument result(name, TILEC_POINTER | type);
    result.raw.data = const_cast<std::remove_cv_t<T> *>(data);
    result.raw.bytes = count * sizeof(T);
    result.raw.flags = std::is_const_v<T> ? TILEC_HOST_READ_ONLY : 0;
    return result;
  }
  /// Whatever has data() and size() and is no temporary.
  template <typename Container>
  static HostArgument array(const char *name, Container &container) {
    return array(name, container.data(), container.size());
  }
  template <typename T>
  static HostArgument scalar(const char *name, T value) {
    HostArgument result(name, typeOf<T>);
    std::memcpy(&result.raw.bits, &value, sizeof value);
    return result;
  }

  tilec_host_argument raw = {};

private:
  HostArgument(const char *name, tilec_type type) {
    raw.name = name;
    raw.type = type;
  }
};

using Grid = std::array<int64_t, 3>;

/// What a metered run counted.
class Report {
public:
  uint64_t programs() const { return tilec_report_programs(raw.get()); }
  /// Of all kinds, or of one ("add", "fma", "dot", ...).
  uint64_t flops(const char *kind = nullptr) const {
    return tilec_report_flops(raw.get(), kind);
  }
  size_t size() const { return tilec_report_num_arguments(raw.get()); }
  /// Of an argument below size(), else as value() of an error.
  const tilec_traffic &operator[](size_t index) const {
    return detail::checked(tilec_report_argument(raw.get(), index),
                           "the report has no argument of that number");
  }
  std::string json() const { return tilec_report_json(raw.get()); }

private:
  friend class Module;
  explicit Report(tilec_report *report) : raw(report) {}
  detail::Handle<tilec_report, tilec_report_free> raw;
};

/// What a run on the interpreter does besides computing.
struct InterpretOptions {
  bool meter = false;
  bool check = false;
  bool checkNan = false;
  tilec_schedule schedule = TILEC_SCHEDULE_DEFAULT;
  uint64_t seed = 0;
  /// Receives what the kernel prints; must not throw.
  std::function<void(std::string_view)> print;
};

/// The kernels of one source.
class Module {
public:
  static Expected<Module> fromText(std::string_view text,
                                   const std::string &file = "kernel.tile",
                                   const Options &options = {}) {
    return make(options, [&](tilec_module **out, const tilec_sink *sink) {
      return tilec_module_from_text(text.data(), text.size(), file.c_str(),
                                    options.get(), out, sink);
    });
  }
  static Expected<Module> fromFile(const std::string &file,
                                   const Options &options = {}) {
    return make(options, [&](tilec_module **out, const tilec_sink *sink) {
      return tilec_module_from_file(file.c_str(), options.get(), out, sink);
    });
  }

  std::vector<std::string> kernels() const {
    std::vector<std::string> names;
    for (size_t i = 0; i < tilec_module_num_kernels(raw.get()); ++i)
      names.emplace_back(tilec_module_kernel(raw.get(), i));
    return names;
  }

  /// Compiles to the text of a phase (the bytes of a cubin), as often as
  /// wanted.
  Expected<std::string> emit(Phase phase, const Options &options = {}) const {
    return makeText(options, [&](tilec_text **text, const tilec_sink *sink) {
      return tilec_module_emit(raw.get(), options.get(), tilec_phase(phase),
                               text, sink);
    });
  }

  /// What became of the kernels when compiled to PTX, for people or as JSON.
  /// The GPU to measure by may be empty for the usual one of the architecture.
  Expected<std::string> report(const Options &options = {},
                               const std::string &gpu = "",
                               bool json = false) const {
    return makeText(options, [&](tilec_text **text, const tilec_sink *sink) {
      return tilec_module_report(
          raw.get(), options.get(), gpu.empty() ? nullptr : gpu.c_str(),
          json ? TILEC_REPORT_JSON : TILEC_REPORT_TEXT, text, sink);
    });
  }

  /// Runs a kernel once for every program of the grid; the name may be empty
  /// where there is one.
  Expected<Report> interpret(const std::string &kernel, Grid grid,
                             const HostArgument *arguments, size_t count,
                             const InterpretOptions &options = {}) const {
    std::vector<tilec_host_argument> list;
    for (size_t i = 0; i < count; ++i)
      list.push_back(arguments[i].raw);
    tilec_interpret_options run = {};
    run.meter = options.meter;
    run.check = options.check;
    run.check_nan = options.checkNan;
    run.schedule = options.schedule;
    run.seed = options.seed;
    run.user = const_cast<InterpretOptions *>(&options);
    if (options.print)
      run.print = [](const char *text, size_t size, void *user) {
        static_cast<InterpretOptions *>(user)->print({text, size});
      };
    detail::Collector collector;
    tilec_report *report = nullptr;
    if (tilec_status status = tilec_module_interpret(
            raw.get(), kernel.empty() ? nullptr : kernel.c_str(), list.data(),
            list.size(), grid.data(), &run, &report, collector.sink()))
      return collector.take(status);
    return Report(report);
  }
  Expected<Report> interpret(const std::string &kernel, Grid grid,
                             std::initializer_list<HostArgument> arguments,
                             const InterpretOptions &options = {}) const {
    return interpret(kernel, grid, arguments.begin(), arguments.size(),
                     options);
  }
  /// Whatever has data() and size().
  template <typename Container>
  Expected<Report> interpret(const std::string &kernel, Grid grid,
                             const Container &arguments,
                             const InterpretOptions &options = {}) const {
    return interpret(kernel, grid, arguments.data(), arguments.size(), options);
  }

  tilec_module *get() const { return raw.get(); }

private:
  explicit Module(tilec_module *module) : raw(module) {}

  template <typename Call>
  static Expected<std::string> makeText(const Options &options, Call call) {
    if (options.error())
      return *options.error();
    detail::Collector collector;
    tilec_text *text = nullptr;
    if (tilec_status status = call(&text, collector.sink()))
      return collector.take(status);
    std::string result(tilec_text_data(text), tilec_text_size(text));
    tilec_text_free(text);
    return result;
  }

  template <typename Call>
  static Expected<Module> make(const Options &options, Call call) {
    if (options.error())
      return *options.error();
    detail::Collector collector;
    tilec_module *module = nullptr;
    if (tilec_status status = call(&module, collector.sink()))
      return collector.take(status);
    return Module(module);
  }

  detail::Handle<tilec_module, tilec_module_free> raw;
};

} // namespace api
} // namespace tilec

#endif // TILEC_TILEC_HPP
