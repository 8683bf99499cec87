//===- Options.cpp - the C interface of the compiler: options -------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Each function checks what the command line's reader checks of the same
// option.
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "tilec/Driver/ArgumentValues.h"
#include "tilec/Driver/Compile.h"

using namespace tilec;
using namespace tilec::capi;

const char *tilec_version(void) { return compilerVersion().data(); }

tilec_status tilec_type_parse(const char *text, tilec_type *type,
                              const tilec_sink *sink) {
  return guarded(sink, [&](const Reporter &reporter) {
    if (tilec_status status = reporter.need({{"text", text}, {"type", type}}))
      return status;
    std::optional<ParamType> parsed = parseParamType(text);
    if (!parsed)
      return reporter.fail(Error{"unknown type '" + std::string(text) +
                                 "', expected one of " + allElementTypeNames() +
                                 ", or '*' and one of them"});
    *type = fromParamType(*parsed);
    return TILEC_OK;
  });
}

size_t tilec_type_size(tilec_type type) {
  std::optional<ParamType> read = toParamType(type);
  return read ? read->argumentSize() : 0;
}

tilec_status tilec_options_create(tilec_options **options) {
  return guarded(nullptr, [&](const Reporter &reporter) {
    if (tilec_status status = reporter.need({{"options", options}}))
      return status;
    *options = new tilec_options;
    return TILEC_OK;
  });
}

void tilec_options_free(tilec_options *options) { delete options; }

/// Runs `set` if the pointers are not null and the name is one.
template <typename Set>
static tilec_status setNamed(tilec_options *options, const char *name,
                             Needed value, const tilec_sink *sink, Set set) {
  return call(sink,
              [&]() -> Status {
                if (!isIdentifier(name))
                  return Error{"expected a name, got '" + std::string(name) +
                               "'"};
                set();
                return {};
              },
              {{"options", options}, {"name", name}, value});
}

tilec_status tilec_options_add_kernel(tilec_options *options, const char *name,
                                      const char *signature,
                                      const tilec_sink *sink) {
  return setNamed(options, name, {"signature", ""}, sink, [&] {
    options->frontend.kernels.push_back({name, signature ? signature : ""});
  });
}

tilec_status tilec_options_define(tilec_options *options, const char *name,
                                  const char *value, const tilec_sink *sink) {
  return setNamed(options, name, {"value", value}, sink,
                  [&] { options->frontend.defines.emplace_back(name, value); });
}

tilec_status tilec_options_set_argument_type(tilec_options *options,
                                             const char *name, const char *type,
                                             const tilec_sink *sink) {
  return setNamed(options, name, {"type", type}, sink, [&] {
    options->frontend.argumentTypes.emplace_back(name, type);
  });
}

tilec_status tilec_options_add_include_dir(tilec_options *options,
                                           const char *folder,
                                           const tilec_sink *sink) {
  return call(sink,
              [&]() -> Status {
                options->frontend.includeDirs.emplace_back(folder);
                return {};
              },
              {{"options", options}, {"folder", folder}});
}

tilec_status tilec_options_set_arch(tilec_options *options, const char *arch,
                                    const tilec_sink *sink) {
  return call(sink,
              [&]() -> Status {
                Result<std::string> resolved = resolveArch(arch);
                if (!resolved)
                  return resolved.takeError();
                options->codegen.arch = options->frontend.arch = *resolved;
                return {};
              },
              {{"options", options}, {"arch", arch}});
}

/// Sets a small count.
static tilec_status setCount(tilec_options *options,
                             unsigned CodegenOptions::*member, unsigned count,
                             unsigned high, const tilec_sink *sink) {
  return call(sink,
              [&]() -> Status {
                if (count > high)
                  return Error{"expected a count from 0 to " +
                               std::to_string(high) + ", got " +
                               std::to_string(count)};
                options->codegen.*member = count;
                return {};
              },
              {{"options", options}});
}

tilec_status tilec_options_set_num_warps(tilec_options *options, unsigned count,
                                         const tilec_sink *sink) {
  return setCount(options, &CodegenOptions::numWarps, count, 32, sink);
}

tilec_status tilec_options_set_num_stages(tilec_options *options,
                                          unsigned count,
                                          const tilec_sink *sink) {
  return setCount(options, &CodegenOptions::numStages, count, 64, sink);
}

tilec_status tilec_options_set_verify_each(tilec_options *options,
                                           int enabled) {
  if (!options)
    return TILEC_MISUSE;
  options->codegen.verifyEach = enabled != 0;
  return TILEC_OK;
}

tilec_status tilec_options_set_warning(tilec_options *options, const char *text,
                                       const tilec_sink *sink) {
  return call(sink,
              [&] { return setWarning(text, options->frontend.warnings); },
              {{"options", options}, {"text", text}});
}

tilec_status tilec_options_set_toolkit(tilec_options *options,
                                       const char *folder,
                                       const tilec_sink *sink) {
  return call(sink,
              [&]() -> Status {
                options->codegen.assembler.toolkit = folder;
                return {};
              },
              {{"options", options}, {"folder", folder}});
}

tilec_status tilec_options_set_assembler(tilec_options *options,
                                         const char *name,
                                         const tilec_sink *sink) {
  return call(sink,
              [&]() -> Status {
                std::string &out = options->codegen.assembler.name;
                if (*name)
                  return setAssembler(name, out);
                out.clear(); // the first that is found
                return {};
              },
              {{"options", options}, {"name", name}});
}

tilec_status tilec_options_add_specialization(tilec_options *options,
                                              const char *hints,
                                              const tilec_sink *sink) {
  return call(sink, [&] { return addSpecializations(hints, options->codegen); },
              {{"options", options}, {"hints", hints}});
}
