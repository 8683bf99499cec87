//===- types.hpp - results and types of the C++ interfaces -------*- C++
//-*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A value or the messages that say why there is none. Test it, or take value(),
// which throws where exceptions are compiled in and ends the program where not.
// tilec.hpp and tilec-runtime.hpp include this file.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_TYPES_HPP
#define TILEC_TYPES_HPP

#include "tilec-c/tilec-types.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tilec {
inline namespace api {

/// The tilec_type of a C++ type. Specialise it for a half type of your own:
///   template <> inline constexpr tilec_type tilec::typeOf<__half> =
///   TILEC_FP16;
template <typename T>
inline constexpr tilec_type typeOf = [] {
  static_assert(std::is_arithmetic_v<T>, "give the type's tilec_type");
  static_assert(sizeof(T) <= 8, "no kernel takes a number of this size");
  if constexpr (std::is_same_v<T, bool>)
    return tilec_type(TILEC_I1);
  else if constexpr (std::is_floating_point_v<T>)
    return tilec_type(sizeof(T) == 4 ? TILEC_FP32 : TILEC_FP64);
  else
    return tilec_type((std::is_signed_v<T> ? TILEC_I8 : TILEC_U8) +
                      (sizeof(T) == 1   ? 0
                       : sizeof(T) == 2 ? 1
                       : sizeof(T) == 4 ? 2
                                        : 3));
}();

/// A message with what it is about.
struct Diagnostic {
  tilec_severity severity = TILEC_ERROR;
  std::string file; ///< empty where there is no place
  unsigned line = 0, column = 0;
  std::string message;
  std::vector<Diagnostic> notes;

  explicit Diagnostic(const tilec_diagnostic &from)
      : severity(from.severity), file(from.file), line(from.line),
        column(from.column), message(from.message) {
    for (size_t i = 0; i < from.num_notes; ++i)
      notes.emplace_back(from.notes[i]);
  }
  explicit Diagnostic(std::string text) : message(std::move(text)) {}

  /// "kernel.tile:4:7: error: text", and the notes in lines of their own.
  std::string str() const {
    static const char *const names[] = {"note", "warning", "error", "remark"};
    std::string text = file;
    if (line)
      text += ":" + std::to_string(line);
    if (column)
      text += ":" + std::to_string(column);
    text += (text.empty() ? "" : ": ") + std::string(names[severity]) + ": " +
            message;
    for (const Diagnostic &note : notes)
      text += "\n" + note.str();
    return text;
  }
};

/// Why a call failed.
struct Error {
  tilec_status status = TILEC_FAILURE;
  std::vector<Diagnostic> diagnostics;

  std::string message() const {
    std::string text;
    for (const Diagnostic &diagnostic : diagnostics)
      text += (text.empty() ? "" : "\n") + diagnostic.str();
    return text;
  }
};

/// What value() throws.
class Exception : public std::runtime_error {
public:
  explicit Exception(Error error)
      : std::runtime_error(error.message()), cause(std::move(error)) {}
  const Error &error() const { return cause; }

private:
  Error cause;
};

namespace detail {

/// Ends the computation with an error.
[[noreturn]] inline void raise(Error error) {
#if defined(__cpp_exceptions) || defined(__EXCEPTIONS)
  throw Exception(std::move(error));
#else
  std::fprintf(stderr, "%s\n", error.message().c_str());
  std::abort();
#endif
}

/// Takes the messages of one call.
class Collector {
public:
  const tilec_sink *sink() {
    raw = {[](const tilec_diagnostic *diagnostic, void *user) noexcept {
             static_cast<Collector *>(user)->list.emplace_back(*diagnostic);
           },
           this};
    return &raw;
  }
  Error take(tilec_status status) { return {status, std::move(list)}; }
  std::vector<Diagnostic> &diagnostics() { return list; }

private:
  tilec_sink raw = {};
  std::vector<Diagnostic> list;
};

inline void require(tilec_status status) {
  if (status)
    raise({status, {Diagnostic("no memory is left")}});
}

/// What a pointer points to; for a null one, ends the computation.
template <typename T>
const T &checked(const T *pointer, const char *text) {
  if (!pointer)
    raise({TILEC_MISUSE, {Diagnostic(text)}});
  return *pointer;
}

template <auto Function>
struct Caller {
  template <typename T>
  void operator()(T *handle) const {
    Function(handle);
  }
};

/// An owned handle.
template <typename T, void (*Free)(T *)>
using Handle = std::unique_ptr<T, Caller<Free>>;

} // namespace detail

/// A value or an error.
template <typename T>
class [[nodiscard]] Expected {
public:
  Expected(T value) : held(std::move(value)) {}
  Expected(Error error) : failure(std::move(error)) {}

  explicit operator bool() const { return held.has_value(); }
  T &operator*() { return *held; }
  const T &operator*() const { return *held; }
  T *operator->() { return &*held; }
  const T *operator->() const { return &*held; }
  const Error &error() const { return failure; }

  /// The value; without one, throws Exception.
  T &value() & {
    if (!held)
      detail::raise(failure);
    return *held;
  }
  T &&value() && {
    if (!held)
      detail::raise(std::move(failure));
    return std::move(*held);
  }

private:
  std::optional<T> held;
  Error failure;
};

/// Success or an error.
template <>
class [[nodiscard]] Expected<void> {
public:
  Expected() = default;
  Expected(Error error) : failure(std::move(error)) {}

  explicit operator bool() const { return !failure; }
  const Error &error() const { return *failure; }
  void value() const {
    if (failure)
      detail::raise(*failure);
  }

private:
  std::optional<Error> failure;
};

} // namespace api
} // namespace tilec

#endif // TILEC_TYPES_HPP
