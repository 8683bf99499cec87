//===- Result.h - a value or the sentence that says why not -----*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The error type of the libraries without LLVM (KernelInfo, Runtime): nothing
// throws, and a message is one sentence, lower-case, without a final period.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_KERNELINFO_RESULT_H
#define TILEC_KERNELINFO_RESULT_H

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace tilec {

/// What a program may want to tell apart without reading the sentence.
enum class ErrorKind : uint8_t {
  Failure,     ///< anything else
  Mismatch,    ///< arguments or a grid that the kernel does not take
  Unavailable, ///< no driver or no device
  Unsupported, ///< code or a driver that do not fit the device
  OutOfMemory,
};

/// What went wrong, as one sentence for the user.
struct Error {
  std::string message;
  ErrorKind kind = ErrorKind::Failure;
};

/// Either a value or an error. Test it before use, like a pointer.
template <typename T>
class [[nodiscard]] Result {
public:
  Result(T value) : held(std::move(value)) {}
  Result(Error error) : failure(std::move(error)) {}

  explicit operator bool() const { return held.has_value(); }
  T &operator*() {
    assert(held && "value of a failed result");
    return *held;
  }
  const T &operator*() const {
    assert(held && "value of a failed result");
    return *held;
  }
  T *operator->() { return &**this; }
  const T *operator->() const { return &**this; }

  /// The sentence; empty on success.
  const std::string &error() const { return failure.message; }
  ErrorKind errorKind() const { return failure.kind; }
  /// The error to hand on to a caller of another result type.
  Error takeError() { return std::move(failure); }

private:
  std::optional<T> held;
  Error failure;
};

/// Success or an error, where there is no value to return.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(Error error) : failure(std::move(error)), ok(false) {}

  explicit operator bool() const { return ok; }
  const std::string &error() const { return failure.message; }
  ErrorKind errorKind() const { return failure.kind; }
  Error takeError() { return std::move(failure); }

private:
  Error failure;
  bool ok = true;
};

} // namespace tilec

#endif // TILEC_KERNELINFO_RESULT_H
