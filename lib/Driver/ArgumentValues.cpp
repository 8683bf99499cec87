//===- ArgumentValues.cpp - NAME=VALUE on the command line ----------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A small reader of values. Array makers are rows of a table; every message
// repeats what was written and says what would be right.
//
//===----------------------------------------------------------------------===//

#include "tilec/Driver/ArgumentValues.h"

#include "tilec/KernelInfo/Generators.h"
#include "tilec/KernelInfo/Npy.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

using namespace tilec;

bool tilec::isIdentifier(std::string_view name) {
  auto isLetter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (name.empty() || !isLetter(name[0]))
    return false;
  for (char c : name)
    if (!isLetter(c) && !(c >= '0' && c <= '9'))
      return false;
  return true;
}

bool tilec::isArgumentName(std::string_view name) {
  size_t dot = name.find('.');
  if (!isIdentifier(name.substr(0, dot)))
    return false;
  while (dot != name.npos) {
    name.remove_prefix(dot + 1);
    dot = name.find('.');
    std::string_view part = name.substr(0, dot);
    bool isNumber =
        !part.empty() && part.find_first_not_of("0123456789") == part.npos;
    if (!isNumber && !isIdentifier(part))
      return false;
  }
  return true;
}

/// A piece of the user's text in quotes, cut where it is long.
static std::string quoted(std::string_view text) {
  return "'" + std::string(text.substr(0, 80)) +
         (text.size() > 80 ? "...'" : "'");
}

/// `text` without spaces around it.
static std::string_view trimmed(std::string_view text) {
  size_t first = text.find_first_not_of(" \t");
  if (first == text.npos)
    return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// The element type that a user wrote.
static Result<ElementType> readType(std::string_view text) {
  if (std::optional<ElementType> type = parseElementType(text))
    return *type;
  return Error{"unknown element type " + quoted(text) + ", expected one of " +
               allElementTypeNames()};
}

//===-- Numbers --------------------------------------------------------------//

/// Reads digits of an integer into `number`; false when `digits` is none.
static bool readInteger(std::string_view digits, Number &number, bool &fits) {
  int base = 10;
  if (digits.size() > 2 && digits[0] == '0') {
    char mark = digits[1] | 0x20;
    base = mark == 'x' ? 16 : mark == 'b' ? 2 : mark == 'o' ? 8 : 10;
    if (base != 10)
      digits.remove_prefix(2);
  }
  const char *end = digits.data() + digits.size();
  auto [rest, status] =
      std::from_chars(digits.data(), end, number.magnitude, base);
  if (rest != end || status == std::errc::invalid_argument)
    return false;
  fits = status == std::errc();
  number.kind = Number::Kind::Int;
  number.real = static_cast<double>(number.magnitude);
  return true;
}

/// Reads a floating-point literal without a sign; false when it is none.
static bool readReal(std::string_view digits, Number &number) {
  number.kind = Number::Kind::Float;
  if (digits == "inf" || digits == "nan") {
    number.real = digits == "inf" ? HUGE_VAL : NAN;
    return true;
  }
  if (digits.empty() ||
      !(digits[0] == '.' || (digits[0] >= '0' && digits[0] <= '9')))
    return false;
  const char *end = digits.data() + digits.size();
  auto [rest, status] = std::from_chars(digits.data(), end, number.real);
  if (rest != end || status == std::errc::invalid_argument)
    return false;
  // What from_chars refuses as too large or too small is infinity or nearly 0,
  // as in Python.
  if (status == std::errc::result_out_of_range)
    number.real = std::strtod(std::string(digits).c_str(), nullptr);
  return true;
}

Result<Number> tilec::parseNumber(std::string_view text) {
  Number number;
  number.text = text;
  std::string_view digits = text;
  if (text == "True" || text == "False" || text == "true" || text == "false") {
    number.kind = Number::Kind::Bool;
    number.magnitude = text[0] == 'T' || text[0] == 't';
    number.real = static_cast<double>(number.magnitude);
    return number;
  }
  if (!digits.empty() && (digits[0] == '-' || digits[0] == '+')) {
    number.isNegative = digits[0] == '-';
    digits.remove_prefix(1);
  }
  bool fits = true;
  if (!readInteger(digits, number, fits) && !readReal(digits, number))
    return Error{"expected a number, got " + quoted(text)};
  if (number.kind == Number::Kind::Int &&
      (!fits || (number.isNegative && number.magnitude > uint64_t(1) << 63)))
    return Error{"the integer " + quoted(text) + " needs more than 64 bits"};
  if (number.isNegative)
    number.real = -number.real;
  return number;
}

ElementType Number::naturalType() const {
  if (type)
    return *type;
  if (kind == Kind::Float)
    return ElementType::FP32;
  if (kind == Kind::Bool)
    return ElementType::I1;
  for (ElementType candidate : {ElementType::I32, ElementType::I64})
    if (encodeInt(candidate, isNegative, magnitude))
      return candidate;
  return ElementType::U64;
}

Result<uint64_t> tilec::encodeNumber(const Number &number, ElementType type) {
  std::string name(shortName(type));
  if (isFloat(type)) {
    uint64_t bits = encodeFloat(type, number.real);
    // fp8 saturates instead of becoming infinite.
    double value = decodeFloat(type, bits);
    double largest = decodeFloat(type, encodeFloat(type, HUGE_VAL));
    if (std::isfinite(number.real) &&
        (std::isinf(value) || std::fabs(number.real) > largest))
      return Error{number.text + " is out of the range of " + name};
    return bits;
  }
  bool isNegative = number.isNegative;
  uint64_t magnitude = number.magnitude;
  if (number.kind == Number::Kind::Float) {
    double real = std::fabs(number.real);
    if (!(real < 18446744073709551616.0) || real != std::trunc(real))
      return Error{number.text + " is not an integer, as " + name + " needs"};
    magnitude = static_cast<uint64_t>(real);
  }
  if (std::optional<uint64_t> bits = encodeInt(type, isNegative, magnitude))
    return *bits;
  return Error{number.text + " is out of the range of " + name + ", " +
               rangeText(type)};
}

//===-- Array makers ---------------------------------------------------------//

namespace {

/// The operands of a maker such as `randn(bf16, 300, 781, seed=1)`.
struct MakerCall {
  std::string_view name;
  ElementType type = ElementType::FP32;
  std::vector<Number> numbers; ///< before the shape
  std::vector<int64_t> shape;
  uint64_t seed = 0;
};

/// A row of the table of makers.
struct Maker {
  std::string_view name;
  unsigned numNumbers; ///< operands between the type and the shape
  bool takesSeed;
  std::string_view usage;
  Result<HostArray> (*make)(MakerCall call);
};

} // namespace

/// Integers of randint, by the type's range.
static Result<HostArray> makeRandintCall(MakerCall call) {
  int64_t bounds[2];
  for (unsigned i = 0; i < 2; ++i) {
    Result<uint64_t> bits = encodeNumber(call.numbers[i], ElementType::I64);
    if (!bits)
      return bits.takeError();
    bounds[i] = static_cast<int64_t>(*bits);
  }
  return makeRandint(call.type, bounds[0], bounds[1], call.shape, call.seed);
}

/// A constant array of a number that its type can hold.
static Result<HostArray> makeFullCall(MakerCall call) {
  Result<uint64_t> bits = encodeNumber(call.numbers[0], call.type);
  if (!bits)
    return bits.takeError();
  return makeFull(call.type, call.shape, *bits);
}

static Result<HostArray> makeZerosCall(MakerCall call) {
  return HostArray::zeros(call.type, call.shape);
}
static Result<HostArray> makeArangeCall(MakerCall call) {
  return makeArange(call.type, call.shape);
}
static Result<HostArray> makeRandnCall(MakerCall call) {
  return makeRandn(call.type, call.shape, call.seed);
}
static Result<HostArray> makeRandCall(MakerCall call) {
  return makeRand(call.type, call.shape, call.seed);
}

static constexpr Maker makers[] = {
    {"zeros", 0, false, "zeros(TYPE, SIZE...)", makeZerosCall},
    {"empty", 0, false, "empty(TYPE, SIZE...)", makeZerosCall},
    {"full", 1, false, "full(TYPE, NUMBER, SIZE...)", makeFullCall},
    {"arange", 0, false, "arange(TYPE, SIZE...)", makeArangeCall},
    {"randn", 0, true, "randn(TYPE, SIZE..., seed=N)", makeRandnCall},
    {"rand", 0, true, "rand(TYPE, SIZE..., seed=N)", makeRandCall},
    {"randint", 2, true, "randint(TYPE, LOW, HIGH, SIZE..., seed=N)",
     makeRandintCall},
};

/// Reads one `seed=N` or SIZE of a call.
static Status readOperand(const Maker &maker, std::string_view operand,
                          MakerCall &call) {
  bool isSeed = operand.substr(0, 4) == "seed" &&
                trimmed(operand.substr(4)).substr(0, 1) == "=";
  std::string_view digits =
      isSeed ? trimmed(operand.substr(operand.find('=') + 1)) : operand;
  if (isSeed && !maker.takesSeed)
    return Error{std::string(maker.name) + " takes no seed"};
  const char *end = digits.data() + digits.size();
  uint64_t value = 0;
  auto [rest, status] = std::from_chars(digits.data(), end, value);
  if (status != std::errc() || rest != end || (!isSeed && value > INT64_MAX))
    return Error{std::string(isSeed ? "expected a seed" : "expected a size") +
                 " of at least 0, got " + quoted(digits) + " in " +
                 std::string(maker.usage)};
  if (isSeed)
    call.seed = value;
  else
    call.shape.push_back(static_cast<int64_t>(value));
  return {};
}

/// Reads the operands between the parentheses and makes the array.
static Result<HostArray> runMaker(const Maker &maker,
                                  std::string_view operands) {
  MakerCall call;
  call.name = maker.name;
  std::string_view rest = operands;
  for (unsigned i = 0; !rest.empty() || i == 0; ++i) {
    size_t comma = rest.find(',');
    std::string_view operand = trimmed(rest.substr(0, comma));
    rest.remove_prefix(comma == rest.npos ? rest.size() : comma + 1);
    if (operand.empty())
      return Error{"expected " + std::string(maker.usage)};
    if (i == 0) {
      Result<ElementType> type = readType(operand);
      if (!type)
        return type.takeError();
      call.type = *type;
    } else if (i <= maker.numNumbers) {
      Result<Number> number = parseNumber(operand);
      if (!number)
        return number.takeError();
      call.numbers.push_back(std::move(*number));
    } else if (Status status = readOperand(maker, operand, call); !status) {
      return status.takeError();
    }
  }
  if (call.numbers.size() < maker.numNumbers)
    return Error{"expected " + std::string(maker.usage)};
  return maker.make(std::move(call));
}

/// The maker of that name, or null.
static const Maker *findMaker(std::string_view name) {
  for (const Maker &maker : makers)
    if (maker.name == name)
      return &maker;
  return nullptr;
}

//===-- Values ---------------------------------------------------------------//

/// An array as another type: bf16 and fp8, which NumPy lacks, take unsigned
/// integers of their size as bit patterns; all else goes by value.
static Result<HostArray> retype(HostArray array, ElementType type) {
  bool isPattern =
      (type == ElementType::BF16 && array.type == ElementType::U16) ||
      ((type == ElementType::FP8E4NV || type == ElementType::FP8E5) &&
       array.type == ElementType::U8);
  if (isPattern)
    array.type = type;
  if (array.type == type)
    return array;
  return convertArray(array, type);
}

/// Splits a `:TYPE` off. Text after the last colon that is no type stays.
static std::optional<ElementType> takeSuffix(std::string_view &text) {
  size_t colon = text.rfind(':');
  if (colon == text.npos)
    return std::nullopt;
  std::optional<ElementType> type =
      parseElementType(trimmed(text.substr(colon + 1)));
  if (type)
    text = trimmed(text.substr(0, colon));
  return type;
}

/// Reads `@FILE`. When there is no such file, a wrong type may be the cause.
static Result<HostArray> readFile(std::string_view path) {
  Result<HostArray> array = readNpy(std::string(path));
  size_t colon = path.rfind(':');
  if (array || colon == path.npos)
    return array;
  if (readNpy(std::string(path.substr(0, colon))))
    return readType(path.substr(colon + 1)).takeError();
  return array;
}

/// Whether two types differ at most in the reading of an integer's sign.
static bool sameBits(ElementType a, ElementType b) {
  return a == b || (!isFloat(a) && !isFloat(b) && bitWidth(a) == bitWidth(b));
}

/// Reads the text after `NAME=`.
static Status readValue(std::string_view text, ArgumentValue &out) {
  std::optional<ElementType> type = takeSuffix(text);
  size_t open = text.find('(');
  Result<HostArray> array = Error{};
  if (!text.empty() && text[0] == '@') {
    array = readFile(text.substr(1));
  } else if (open != text.npos) {
    const Maker *maker = findMaker(trimmed(text.substr(0, open)));
    size_t close = text.rfind(')');
    std::string_view after =
        close == text.npos ? "" : trimmed(text.substr(close + 1));
    if (!maker)
      return Error{"unknown array " + quoted(text.substr(0, open)) +
                   ", expected zeros, empty, full, arange, randn, rand or "
                   "randint"};
    if (!after.empty() && after[0] == ':')
      return readType(trimmed(after.substr(1))).takeError();
    if (close == text.npos || close < open || !after.empty())
      return Error{"expected ')' at the end of " + quoted(text)};
    array = runMaker(*maker, text.substr(open + 1, close - open - 1));
    out.isUnwritten = maker->name == "empty";
  } else if (text == "None" && !type) {
    out.value = NoneValue();
    return {};
  } else {
    size_t colon = text.find(':');
    Result<Number> number = parseNumber(text.substr(0, colon));
    bool looksLikeNumber =
        !text.empty() && std::string_view("0123456789+-.").find(text[0]) !=
                             std::string_view::npos;
    if (!number && looksLikeNumber)
      return number.takeError();
    if (!number)
      return Error{"expected a number, None, @FILE.npy or an array such as "
                   "zeros(f32,4), got " +
                   quoted(text)};
    if (colon != text.npos)
      return readType(text.substr(colon + 1)).takeError();
    number->type = type;
    if (type)
      if (Result<uint64_t> bits = encodeNumber(*number, *type); !bits)
        return bits.takeError();
    out.value = std::move(*number);
    return {};
  }
  if (array && type)
    array = retype(std::move(*array), *type);
  if (!array)
    return array.takeError();
  out.value = std::move(*array);
  return {};
}

Result<ArgumentValue> tilec::parseArgument(std::string_view text) {
  ArgumentValue result;
  size_t equals = text.find('=');
  result.name = trimmed(text.substr(0, equals));
  if (equals == text.npos || !isArgumentName(result.name))
    return Error{"expected NAME=VALUE, got " + quoted(text)};
  Status status = readValue(trimmed(text.substr(equals + 1)), result);
  if (!status)
    return Error{"argument '" + result.name + "': " + status.error()};
  return result;
}

Result<SaveRequest> tilec::parseSave(std::string_view text) {
  SaveRequest save;
  size_t equals = text.find('=');
  save.name = trimmed(text.substr(0, equals));
  if (equals == text.npos || !isArgumentName(save.name) ||
      equals + 1 == text.size())
    return Error{"expected ARG=FILE.npy after --save, got " + quoted(text)};
  save.path = text.substr(equals + 1);
  return save;
}

Result<uint64_t> tilec::matchArgument(const ArgumentValue &value,
                                      ParamType type) {
  std::string prefix = "argument '" + value.name + "' ";
  if (const Number *number = value.number()) {
    if (type.isPointer)
      return Error{prefix + "is the number " + number->text +
                   ", the kernel expects an array (" + type.str() + ")"};
    if (number->type && !sameBits(*number->type, type.element))
      return Error{prefix + "is given as " +
                   std::string(shortName(*number->type)) +
                   ", the kernel expects " + type.str()};
    Result<uint64_t> bits = encodeNumber(*number, type.element);
    if (!bits)
      return Error{prefix + "does not fit: " + bits.error()};
    return bits;
  }
  const HostArray *array = value.array();
  if (!array)
    return Error{prefix + "is None, the kernel expects " + type.str()};
  std::string own(shortName(array->type));
  if (!type.isPointer)
    return Error{prefix + "is an array of " + own +
                 ", the kernel expects a number (" + type.str() + ")"};
  if (!sameBits(array->type, type.element))
    return Error{prefix + "is an array of " + own + ", the kernel expects " +
                 type.str() +
                 "; append ':" + std::string(shortName(type.element)) +
                 "' to its value to convert it"};
  return uint64_t(0);
}
