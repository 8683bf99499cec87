//===- Json.cpp - JSON values, read and written ---------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A recursive-descent reader with a bound on nesting (the text may be
// anything), and the writer.
//
//===----------------------------------------------------------------------===//

#include "tilec/KernelInfo/Json.h"

#include <charconv>
#include <cmath>

using namespace tilec;
using namespace tilec::json;

/// Values nested deeper than this are refused rather than overflow the stack.
static constexpr unsigned maxDepth = 64;

Value::Value(double value) : kind(Kind::Number) {
  if (std::isnan(value) || std::isinf(value)) {
    kind = Kind::String;
    text = std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
    return;
  }
  char buffer[40];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value);
  text.assign(buffer, end.ptr);
  // A float stays one when it is read again.
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
}

Value Value::array(std::vector<Value> elements) {
  Value result;
  result.kind = Kind::Array;
  result.items = std::move(elements);
  return result;
}

Value Value::object() {
  Value result;
  result.kind = Kind::Object;
  return result;
}

Value Value::number(std::string text) {
  Value result;
  result.kind = Kind::Number;
  result.text = std::move(text);
  return result;
}

std::optional<bool> Value::asBool() const {
  if (kind != Kind::Bool)
    return std::nullopt;
  return truth;
}

std::optional<int64_t> Value::asInt() const {
  int64_t value = 0;
  const char *end = text.data() + text.size();
  if (kind != Kind::Number)
    return std::nullopt;
  auto [rest, status] = std::from_chars(text.data(), end, value);
  if (status != std::errc() || rest != end)
    return std::nullopt;
  return value;
}

std::optional<double> Value::asDouble() const {
  double value = 0;
  const char *end = text.data() + text.size();
  if (kind != Kind::Number)
    return std::nullopt;
  auto [rest, status] = std::from_chars(text.data(), end, value);
  if (status != std::errc() || rest != end)
    return std::nullopt;
  return value;
}

const Value *Value::find(std::string_view name) const {
  for (const Member &member : fields)
    if (member.name == name)
      return &member.value;
  return nullptr;
}

Value &Value::set(std::string name, Value value) {
  fields.push_back({std::move(name), std::move(value)});
  return fields.back().value;
}

//===-- Writing --------------------------------------------------------------//

std::string json::quote(std::string_view text) {
  static const char digits[] = "0123456789abcdef";
  std::string out = "\"";
  for (char c : text) {
    unsigned char code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (code < 0x20 || code == 0x7f) {
      out += "\\u00";
      out += digits[code >> 4];
      out += digits[code & 15];
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string Value::write() const {
  switch (kind) {
  case Kind::Null:
    return "null";
  case Kind::Bool:
    return truth ? "true" : "false";
  case Kind::Number:
    return text;
  case Kind::String:
    return quote(text);
  case Kind::Array: {
    std::string out = "[";
    for (const Value &item : items)
      out += (out.size() > 1 ? ", " : "") + item.write();
    return out + "]";
  }
  case Kind::Object: {
    std::string out = "{";
    for (const Member &member : fields)
      out += (out.size() > 1 ? ", " : "") + quote(member.name) + ": " +
             member.value.write();
    return out + "}";
  }
  }
  return {};
}

//===-- Reading --------------------------------------------------------------//

namespace {

/// Reads one text; the first error stops it.
class Reader {
public:
  explicit Reader(std::string_view text) : text(text) {}

  Result<Value> run() {
    Value value;
    skipSpace();
    if (!readValue(value, 0))
      return failure();
    skipSpace();
    if (at != text.size()) {
      fail("expected the end of the text");
      return failure();
    }
    return value;
  }

private:
  Error failure() const {
    return {message + " at character " + std::to_string(at + 1)};
  }
  /// Notes the first error; returns false for the caller to return.
  bool fail(const char *what) {
    if (message.empty())
      message = what;
    return false;
  }
  char peek() const { return at < text.size() ? text[at] : '\0'; }
  bool accept(char c) {
    if (at >= text.size() || text[at] != c)
      return false;
    ++at;
    return true;
  }
  void skipSpace() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t' ||
                                text[at] == '\n' || text[at] == '\r'))
      ++at;
  }
  bool acceptWord(std::string_view word) {
    if (text.substr(at, word.size()) != word)
      return false;
    at += word.size();
    return true;
  }

  bool readValue(Value &out, unsigned depth);
  bool readArray(Value &out, unsigned depth);
  bool readObject(Value &out, unsigned depth);
  bool readNumber(Value &out);
  bool readString(std::string &out);
  bool readEscape(std::string &out);
  bool readHex4(uint32_t &out);

  std::string_view text;
  size_t at = 0;
  std::string message;
};

} // namespace

/// Appends a code point as UTF-8.
static void appendUtf8(std::string &out, uint32_t code) {
  auto put = [&](uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | code >> 6);
    put(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(0xe0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3f));
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  }
}

bool Reader::readValue(Value &out, unsigned depth) {
  if (depth > maxDepth)
    return fail("values are nested too deeply");
  switch (peek()) {
  case '{':
    return readObject(out, depth);
  case '[':
    return readArray(out, depth);
  case '"': {
    std::string string;
    if (!readString(string))
      return false;
    out = Value(std::move(string));
    return true;
  }
  case 't':
    out = Value(true);
    return acceptWord("true") || fail("expected a value");
  case 'f':
    out = Value(false);
    return acceptWord("false") || fail("expected a value");
  case 'n':
    out = Value();
    return acceptWord("null") || fail("expected a value");
  default:
    return readNumber(out);
  }
}

bool Reader::readArray(Value &out, unsigned depth) {
  out = Value::array();
  accept('[');
  skipSpace();
  if (accept(']'))
    return true;
  do {
    skipSpace();
    Value item;
    if (!readValue(item, depth + 1))
      return false;
    out.push(std::move(item));
    skipSpace();
  } while (accept(','));
  return accept(']') || fail("expected ',' or ']'");
}

bool Reader::readObject(Value &out, unsigned depth) {
  out = Value::object();
  accept('{');
  skipSpace();
  if (accept('}'))
    return true;
  do {
    skipSpace();
    std::string name;
    if (!readString(name))
      return false;
    skipSpace();
    if (!accept(':'))
      return fail("expected ':'");
    skipSpace();
    Value value;
    if (!readValue(value, depth + 1))
      return false;
    out.set(std::move(name), std::move(value));
    skipSpace();
  } while (accept(','));
  return accept('}') || fail("expected ',' or '}'");
}

bool Reader::readNumber(Value &out) {
  size_t start = at;
  auto digits = [&] {
    size_t first = at;
    while (peek() >= '0' && peek() <= '9')
      ++at;
    return at != first;
  };
  accept('-');
  if (!digits())
    return fail("expected a value");
  if (accept('.') && !digits())
    return fail("expected digits");
  if (accept('e') || accept('E')) {
    if (!accept('+'))
      accept('-');
    if (!digits())
      return fail("expected digits");
  }
  out = Value::number(std::string(text.substr(start, at - start)));
  return true;
}

bool Reader::readString(std::string &out) {
  if (!accept('"'))
    return fail("expected a string");
  while (at < text.size()) {
    char c = text[at];
    if (c == '"') {
      ++at;
      return true;
    }
    if (static_cast<unsigned char>(c) < 0x20)
      return fail("expected no control character in a string");
    ++at;
    if (c != '\\')
      out += c;
    else if (!readEscape(out))
      return false;
  }
  return fail("expected '\"'");
}

bool Reader::readEscape(std::string &out) {
  static constexpr std::string_view from = "\"\\/bfnrt", to = "\"\\/\b\f\n\r\t";
  size_t which = at < text.size() ? from.find(text[at]) : from.npos;
  if (which != from.npos) {
    ++at;
    out += to[which];
    return true;
  }
  uint32_t code = 0, low = 0;
  if (!accept('u') || !readHex4(code))
    return fail("expected an escape");
  if (code >= 0xd800 && code < 0xdc00) { // the first half of a pair
    if (!accept('\\') || !accept('u') || !readHex4(low) || low < 0xdc00 ||
        low >= 0xe000)
      return fail("expected the second half of a surrogate pair");
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  } else if (code >= 0xdc00 && code < 0xe000) {
    return fail("expected the first half of a surrogate pair");
  }
  appendUtf8(out, code);
  return true;
}

bool Reader::readHex4(uint32_t &out) {
  const char *begin = text.data() + at;
  if (text.size() - at < 4)
    return false;
  auto [rest, status] = std::from_chars(begin, begin + 4, out, 16);
  if (status != std::errc() || rest != begin + 4)
    return false;
  at += 4;
  return true;
}

Result<Value> json::parse(std::string_view text) { return Reader(text).run(); }
