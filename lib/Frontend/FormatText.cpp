//===- FormatText.cpp - what follows ':' in an f-string -------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Python's format specification (the `string` module, "Format Specification
// Mini-Language") without grouping of digits and without locales.
//
//===----------------------------------------------------------------------===//

#include "FormatText.h"
#include <cmath>

using namespace tilec::frontend;

namespace {
/// A specification that was read.
struct Format {
  char fill = ' ';
  char align = 0; ///< one of `<>^=`; 0 where it is not given
  char sign = '-';
  bool isAlternate = false; ///< `0x` before hexadecimal digits
  unsigned width = 0;
  std::optional<unsigned> precision;
  char type = 0;
};

/// A number without its sign, and what stands before its digits.
struct Digits {
  bool isNegative = false;
  std::string prefix, text;
};
} // namespace

/// Takes a count off the front; none if it is no number or too large to print.
static std::optional<unsigned> takeCount(StringRef &text) {
  unsigned count = 0;
  if (text.consumeInteger(10, count) || count > 200)
    return std::nullopt;
  return count;
}

static bool isAlign(char c) { return StringRef("<>^=").contains(c); }

static std::optional<Format> readFormat(StringRef text) {
  Format format;
  if (text.size() > 1 && isAlign(text[1])) {
    format.fill = text[0];
    text = text.drop_front();
  }
  if (!text.empty() && isAlign(text[0])) {
    format.align = text[0];
    text = text.drop_front();
  }
  if (!text.empty() && StringRef("+- ").contains(text[0])) {
    format.sign = text[0];
    text = text.drop_front();
  }
  format.isAlternate = text.consume_front("#");
  if (text.starts_with("0") && !format.align) {
    format.fill = '0';
    format.align = '=';
  }
  if (!text.empty() && llvm::isDigit(text[0])) {
    std::optional<unsigned> width = takeCount(text);
    if (!width)
      return std::nullopt;
    format.width = *width;
  }
  if (text.consume_front(".")) {
    format.precision = takeCount(text);
    if (!format.precision)
      return std::nullopt;
  }
  if (text.size() > 1)
    return std::nullopt;
  format.type = text.empty() ? 0 : text[0];
  return format;
}

/// An integer in base 10, 2, 8 or 16; none if the type is of other values.
static std::optional<Digits> formatInt(BigInt value, const Format &format) {
  unsigned base = format.type == 0 || format.type == 'd'     ? 10
                  : format.type == 'x' || format.type == 'X' ? 16
                  : format.type == 'o'                       ? 8
                  : format.type == 'b'                       ? 2
                                                             : 0;
  if (!base || format.precision)
    return std::nullopt;
  Digits digits;
  digits.isNegative = value < 0;
  const char *alphabet =
      format.type == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
  for (BigInt rest = value < 0 ? -value : value; rest != 0; rest /= base)
    digits.text.insert(digits.text.begin(), alphabet[int(rest % base)]);
  if (digits.text.empty())
    digits.text = "0";
  if (format.isAlternate && base != 10)
    digits.prefix = {'0', format.type};
  return digits;
}

/// A float; none if the type is of other values.
static std::optional<Digits> formatFloat(const Val &value,
                                         const Format &format) {
  double number =
      value.kind == Val::Float ? value.number : double(value.integer);
  Digits digits;
  digits.isNegative = std::signbit(number) && !std::isnan(number);
  number = std::fabs(number);
  bool isPercent = format.type == '%';
  if (!format.type && !format.precision) {
    digits.text = Val::floatValue(number).describe();
    return digits;
  }
  // Python has rules of its own for a precision alone; no type fits.
  char type = isPercent ? 'f' : format.type;
  if (!type || !StringRef("eEfFgG").contains(type))
    return std::nullopt;
  char text[600]; // 309 digits before the point
  snprintf(text, sizeof text, (std::string("%.*") + type).c_str(),
           int(format.precision.value_or(6)), number * (isPercent ? 100 : 1));
  digits.text = text + std::string(isPercent ? "%" : "");
  return digits;
}

/// Fills up to the width, on the side that the alignment says.
static std::string pad(const std::string &head, const std::string &text,
                       const Format &format, char align) {
  size_t size = head.size() + text.size();
  size_t missing = format.width > size ? format.width - size : 0;
  size_t before = align == '>' ? missing : align == '^' ? missing / 2 : 0;
  size_t between = align == '=' ? missing : 0;
  return std::string(before, format.fill) + head +
         std::string(between, format.fill) + text +
         std::string(missing - before - between, format.fill);
}

std::string tilec::frontend::plainText(const Val &value) {
  return value.kind == Val::String ? value.text.str()
         : value.kind == Val::Type ? value.type.name()
                                   : value.describe();
}

std::optional<std::string> tilec::frontend::formatValue(const Val &value,
                                                        StringRef text,
                                                        std::string &error) {
  if (text.empty())
    return plainText(value);
  std::optional<Format> format = readFormat(text);
  if (!format) {
    error = "cannot read the format '" + text.str() +
            "'; write [[fill]align][sign][#][0][width][.precision][type], as "
            "in 04d or .3f";
    return std::nullopt;
  }
  if (value.kind == Val::String && format->align != '=' &&
      (format->type == 0 || format->type == 's'))
    return pad("", value.text.take_front(format->precision.value_or(-1)).str(),
               *format, format->align ? format->align : '<');
  std::optional<Digits> digits;
  if (value.kind == Val::Int || value.kind == Val::Bool)
    digits = formatInt(value.integer, *format);
  if (value.isNumber() && !digits && (format->type || value.kind == Val::Float))
    digits = formatFloat(value, *format);
  if (!digits) {
    error = "the format '" + text.str() + "' does not fit " + value.describe() +
            "; d, x, o and b are for integers, e, f, g and % for numbers, s "
            "for texts";
    return std::nullopt;
  }
  std::string head = digits->isNegative    ? "-"
                     : format->sign != '-' ? std::string(1, format->sign)
                                           : "";
  return pad(head + digits->prefix, digits->text, *format,
             format->align ? format->align : '>');
}
