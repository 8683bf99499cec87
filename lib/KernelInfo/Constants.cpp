//===- Constants.cpp - values that are part of compiled code --------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tilec/KernelInfo/Constants.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace tilec;

std::string tilec::valueText(ParamType type, uint64_t bits) {
  if (type.isPointer) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx",
                  static_cast<unsigned long long>(bits));
    return text;
  }
  if (isFloat(type.element))
    return json::Value(decodeFloat(type.element, bits)).write();
  unsigned unused = 64 - bitWidth(type.element);
  bits <<= unused;
  if (elementKind(type.element) == ElementKind::Int &&
      bitWidth(type.element) > 1)
    return std::to_string(static_cast<int64_t>(bits) >> unused);
  return std::to_string(bits >> unused);
}

/// A constant as a number: the metadata writes what JSON lacks as text.
static std::optional<double> toDouble(const json::Value &constant) {
  if (std::optional<bool> truth = constant.asBool())
    return *truth;
  if (constant.isString())
    for (double special : {HUGE_VAL, -HUGE_VAL, std::nan("")})
      if (json::Value(special).str() == constant.str())
        return special;
  return constant.asDouble();
}

bool tilec::isEqual(const json::Value &constant, ParamType type,
                    uint64_t bits) {
  if (type.isPointer)
    return constant.isNull() && !bits;
  std::optional<double> number = toDouble(constant);
  if (!number)
    return false;
  if (isFloat(type.element)) {
    double wanted =
        decodeFloat(type.element, encodeFloat(type.element, *number));
    double given = decodeFloat(type.element, bits);
    return wanted == given || (std::isnan(*number) && std::isnan(given));
  }
  // Integers as text: a double has no room for 64 bits.
  std::string given = valueText(type, bits);
  if (constant.isNumber() && constant.str() == given)
    return true;
  return std::abs(*number) < 0x1p53 &&
         *number == std::strtod(given.c_str(), nullptr);
}

Status tilec::checkConstant(const NamedConstant &constant,
                            const std::string &kernel, ParamType type,
                            uint64_t bits) {
  if (isEqual(constant.value, type, bits))
    return {};
  std::string value = constant.value.isNull() ? "None" : constant.value.write();
  return Error{"argument '" + constant.name + "' is " + valueText(type, bits) +
                   ", kernel '" + kernel + "' was compiled for " +
                   constant.name + " == " + value,
               ErrorKind::Mismatch};
}
