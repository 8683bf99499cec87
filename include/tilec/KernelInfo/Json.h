//===- Json.h - JSON values, read and written -------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The little JSON that the metadata and the reports need. Objects keep the
// order of their members, numbers their text, so that writing what was read
// gives the same text; garbage is an error with its position, never a crash.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_KERNELINFO_JSON_H
#define TILEC_KERNELINFO_JSON_H

#include "tilec/KernelInfo/Result.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace tilec::json {

struct Member;

/// Any JSON value.
class Value {
public:
  enum class Kind : uint8_t { Null, Bool, Number, String, Array, Object };

  Value() = default;
  Value(bool value) : kind(Kind::Bool), truth(value) {}
  Value(const char *value) : kind(Kind::String), text(value) {}
  Value(std::string value) : kind(Kind::String), text(std::move(value)) {}
  Value(std::string_view value) : kind(Kind::String), text(value) {}
  Value(int value) : Value(static_cast<int64_t>(value)) {}
  Value(unsigned value) : Value(static_cast<uint64_t>(value)) {}
  Value(int64_t value) : kind(Kind::Number), text(std::to_string(value)) {}
  Value(uint64_t value) : kind(Kind::Number), text(std::to_string(value)) {}
  /// The shortest text that reads back as `value`. JSON has no infinities and
  /// NaN: these become the strings "inf", "-inf" and "nan".
  Value(double value);

  static Value array(std::vector<Value> elements = {});
  static Value object();
  /// A number by its JSON text.
  static Value number(std::string text);

  Kind getKind() const { return kind; }
  bool isNull() const { return kind == Kind::Null; }
  bool isNumber() const { return kind == Kind::Number; }
  bool isString() const { return kind == Kind::String; }
  bool isArray() const { return kind == Kind::Array; }
  bool isObject() const { return kind == Kind::Object; }

  /// The value when it is of that kind (and an integer in range), else none.
  std::optional<bool> asBool() const;
  std::optional<int64_t> asInt() const;
  std::optional<double> asDouble() const;
  /// The text of a string or number, empty otherwise.
  const std::string &str() const { return text; }

  /// The elements of an array, empty for other kinds.
  std::vector<Value> &elements() { return items; }
  const std::vector<Value> &elements() const { return items; }
  void push(Value value) { items.push_back(std::move(value)); }

  /// The members of an object in order, empty for other kinds.
  std::vector<Member> &members() { return fields; }
  const std::vector<Member> &members() const { return fields; }
  /// The member of that name, or null.
  const Value *find(std::string_view name) const;
  /// Appends a member.
  Value &set(std::string name, Value value);

  /// One line of JSON, `{"a": 1, "b": [2, 3]}`.
  std::string write() const;

private:
  Kind kind = Kind::Null;
  bool truth = false;
  std::string text;
  std::vector<Value> items;
  std::vector<Member> fields;
};

/// A named value of an object.
struct Member {
  std::string name;
  Value value;
};

/// Reads one JSON value, which must be all of `text`.
Result<Value> parse(std::string_view text);

/// `text` as a JSON string with its quotes.
std::string quote(std::string_view text);

} // namespace tilec::json

#endif // TILEC_KERNELINFO_JSON_H
