//===- Types.h - what both C interfaces are made with -----------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Between the structs of tilec-c/tilec-types.h and the C++ libraries: messages,
// types and kernel information; and the wall that no exception passes.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_CAPI_TYPES_TYPES_H
#define TILEC_LIB_CAPI_TYPES_TYPES_H

#include "tilec-c/tilec-types.h"
#include "tilec/KernelInfo/KernelInfo.h"

#include <deque>
#include <initializer_list>
#include <new>

namespace tilec::capi {

/// A pointer that must not be null, and the parameter that it came in.
struct Needed {
  const char *parameter;
  const void *pointer;
};

/// A sink may be null; what it gets then is dropped.
class Reporter {
public:
  explicit Reporter(const tilec_sink *sink) : sink(sink) {}

  /// Reports an error without a place and returns its status.
  tilec_status fail(const Error &error) const;
  tilec_status fail(tilec_status status, const char *message) const;
  /// The call itself is wrong.
  tilec_status misuse(const char *message) const {
    return fail(TILEC_MISUSE, message);
  }
  /// Reports the first null pointer as misuse, if there is one.
  tilec_status need(std::initializer_list<Needed> pointers) const;
  void note(const char *message) const { send(TILEC_NOTE, message); }
  void report(const tilec_diagnostic &diagnostic) const;

private:
  void send(tilec_severity severity, const char *message) const;

  const tilec_sink *sink;
};

tilec_status statusOf(ErrorKind kind);

/// Runs the body of a function of the interface. What is thrown in it, as it is
/// when memory runs out, becomes a status.
template <typename Body>
tilec_status guarded(const tilec_sink *sink, Body body) {
  Reporter reporter(sink);
  try {
    return body(reporter);
  } catch (const std::bad_alloc &) {
    return reporter.fail(TILEC_OUT_OF_MEMORY, "no memory is left");
  } catch (...) {
    return reporter.fail(TILEC_FAILURE, "an unexpected exception was thrown");
  }
}

/// Runs a call that only succeeds or fails, if no pointer is null.
template <typename Body>
tilec_status call(const tilec_sink *sink, Body body,
                  std::initializer_list<Needed> pointers) {
  return guarded(sink, [&](const Reporter &reporter) {
    if (tilec_status misuse = reporter.need(pointers))
      return misuse;
    Status status = body();
    return status ? TILEC_OK : reporter.fail(status.takeError());
  });
}

/// The type with that number, if there is one.
std::optional<ParamType> toParamType(tilec_type type);
tilec_type fromParamType(ParamType type);

/// A kernel's information as the C struct, with all that it points to.
class KernelView {
public:
  explicit KernelView(const KernelInfo &info);
  KernelView(const KernelView &) = delete;

  const tilec_kernel_info *get() const { return &view; }

private:
  const char *keep(std::string text);
  void addConstants(const std::vector<NamedConstant> &from,
                    std::vector<tilec_constant> &to);

  std::deque<std::string> strings; // do not move when more come
  std::vector<tilec_param> params;
  std::vector<tilec_constant> constants, folded;
  std::vector<const char *> requirements, hidden;
  tilec_kernel_info view = {};
};

/// The views of a module's entries.
using KernelViews = std::deque<KernelView>;

} // namespace tilec::capi

#endif // TILEC_LIB_CAPI_TYPES_TYPES_H
