//===- ArgumentValues.h - NAME=VALUE on the command line --------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The values that a user gives to a kernel's arguments: numbers, None, files
// and arrays made on the spot.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DRIVER_ARGUMENTVALUES_H
#define TILEC_DRIVER_ARGUMENTVALUES_H

#include "tilec/KernelInfo/HostArray.h"

#include <string_view>
#include <variant>

namespace tilec {

/// A number as written, so that a conversion can tell what it loses.
struct Number {
  enum class Kind : uint8_t { Bool, Int, Float };

  Kind kind = Kind::Int;
  bool isNegative = false;
  uint64_t magnitude = 0; ///< of Bool and Int
  double real = 0;        ///< the value, rounded for long integers
  std::string text;       ///< for messages
  /// The type that the user asked for.
  std::optional<ElementType> type;

  /// The type asked for, else what a JIT would give it: an integer the first of
  /// i32, i64, u64 that holds it, a float f32, a truth value i1.
  ElementType naturalType() const;
};

/// Python's None: the argument is a constant of the kernel.
struct NoneValue {};

/// The value of one argument.
struct ArgumentValue {
  std::string name;
  std::variant<NoneValue, Number, HostArray> value;
  /// The array is memory that nothing wrote, `empty(...)`.
  bool isUnwritten = false;

  const Number *number() const { return std::get_if<Number>(&value); }
  HostArray *array() { return std::get_if<HostArray>(&value); }
  const HostArray *array() const { return std::get_if<HostArray>(&value); }
  bool isNone() const { return std::holds_alternative<NoneValue>(value); }
};

/// Reads `NAME=VALUE`, where VALUE is one of
///   number            `3`, `-0x10`, `1.5e3`, `inf`, `nan`, `True`, `None`
///   @FILE.npy
///   zeros(TYPE, SIZE...)   full(TYPE, NUMBER, SIZE...)   arange(TYPE, SIZE...)
///   empty(TYPE, SIZE...)   memory that nothing wrote
///   randn(TYPE, SIZE..., seed=N)   rand(TYPE, SIZE..., seed=N)
///   randint(TYPE, LOW, HIGH, SIZE..., seed=N)
/// with an optional `:TYPE`. Files are read, arrays made.
Result<ArgumentValue> parseArgument(std::string_view text);

/// Reads a number without a type suffix.
Result<Number> parseNumber(std::string_view text);

/// The bits of a number in a type. What the type cannot hold is an error: a
/// fraction in an integer, a value out of range.
Result<uint64_t> encodeNumber(const Number &number, ElementType type);

/// Whether a value fits a parameter, and its bits when it is a number. The
/// error says how to write the value instead.
Result<uint64_t> matchArgument(const ArgumentValue &value, ParamType type);

/// `--save NAME=FILE.npy`.
struct SaveRequest {
  std::string name, path;
};

/// Reads the operand of `--save`.
Result<SaveRequest> parseSave(std::string_view text);

/// Whether `name` may be a name of the language.
bool isIdentifier(std::string_view name);

/// Whether `name` may be the name of a kernel's argument: that of a parameter,
/// or of a part of a tuple or a descriptor (`NAME.0`, `NAME.shape.0`).
bool isArgumentName(std::string_view name);

} // namespace tilec

#endif // TILEC_DRIVER_ARGUMENTVALUES_H
