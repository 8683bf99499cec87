//===- ElementType.cpp - names, sizes and number formats ------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Look-ups in ElementTypes.def, and one rounding routine for all float formats
// that is driven by their field widths, so that no format has code of its own.
//
//===----------------------------------------------------------------------===//

#include "tilec/KernelInfo/ElementType.h"

#include <cstring>

using namespace tilec;

namespace {

/// A row of ElementTypes.def.
struct TypeRow {
  std::string_view triton, shortName, npy;
  uint8_t bits, bytes;
  ElementKind kind;
};

constexpr TypeRow typeRows[] = {
#define TILEC_ELEMENT_TYPE(Enum, triton, short, bits, bytes, kind, npy)        \
  {triton, short, npy, bits, bytes, ElementKind::kind},
#include "tilec/KernelInfo/ElementTypes.def"
};

/// A further spelling of a type.
struct AliasRow {
  std::string_view name;
  ElementType type;
};

constexpr AliasRow aliasRows[] = {
#define TILEC_ELEMENT_ALIAS(Enum, name) {name, ElementType::Enum},
#include "tilec/KernelInfo/ElementTypes.def"
};

/// The fields of a binary float format narrower than double.
struct FloatFormat {
  int exponentBits, mantissaBits;
  /// Whether the highest exponent is infinity and NaN (IEEE). If not, as in
  /// e4m3, only its all-ones mantissa is NaN.
  bool ieee;
  /// Whether what is too large becomes the largest finite value.
  bool saturates;

  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  uint64_t exponentMask() const { return (uint64_t(1) << exponentBits) - 1; }
  uint64_t mantissaMask() const { return (uint64_t(1) << mantissaBits) - 1; }
  /// The pattern of the largest finite value.
  uint64_t largest() const {
    uint64_t top = exponentMask() << mantissaBits;
    return ieee ? top - 1 : top | (mantissaMask() - 1);
  }
  uint64_t quietNaN() const {
    uint64_t top = exponentMask() << mantissaBits;
    return top | (ieee ? uint64_t(1) << (mantissaBits - 1) : mantissaMask());
  }
};

} // namespace

/// The row of a type.
static const TypeRow &row(ElementType type) {
  return typeRows[static_cast<unsigned>(type)];
}

/// The format of a float type other than fp64.
static FloatFormat formatOf(ElementType type) {
  switch (type) {
  case ElementType::BF16:
    return {8, 7, true, false};
  case ElementType::FP16:
    return {5, 10, true, false};
  case ElementType::FP8E4NV:
    return {4, 3, false, true};
  case ElementType::FP8E5:
    return {5, 2, true, true};
  default:
    return {8, 23, true, false};
  }
}

/// The bits of a double.
static uint64_t bitsOf(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// The double with these bits.
static double doubleOf(uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

std::optional<ElementType> tilec::parseElementType(std::string_view name) {
  for (unsigned i = 0; i < std::size(typeRows); ++i)
    if (name == typeRows[i].triton || name == typeRows[i].shortName)
      return static_cast<ElementType>(i);
  for (const AliasRow &alias : aliasRows)
    if (name == alias.name)
      return alias.type;
  return std::nullopt;
}

std::string_view tilec::tritonName(ElementType type) {
  return row(type).triton;
}
std::string_view tilec::shortName(ElementType type) {
  return row(type).shortName;
}
std::string_view tilec::npyCode(ElementType type) { return row(type).npy; }
unsigned tilec::bitWidth(ElementType type) { return row(type).bits; }
unsigned tilec::byteSize(ElementType type) { return row(type).bytes; }
ElementKind tilec::elementKind(ElementType type) { return row(type).kind; }

std::string tilec::allElementTypeNames() {
  std::string names;
  for (const TypeRow &r : typeRows)
    names += (names.empty() ? "" : ", ") + std::string(r.shortName);
  return names;
}

std::string ParamType::str() const {
  return (isPointer ? isConst ? "*k" : "*" : "") +
         std::string(tritonName(element));
}

std::optional<ParamType> tilec::parseParamType(std::string_view text) {
  ParamType result;
  if (!text.empty() && text.front() == '*') {
    result.isPointer = true;
    text.remove_prefix(1);
    if (!text.empty() && text.front() == 'k') {
      result.isConst = true;
      text.remove_prefix(1);
    }
  }
  std::optional<ElementType> element = parseElementType(text);
  if (!element)
    return std::nullopt;
  result.element = *element;
  return result;
}

uint64_t tilec::encodeFloat(ElementType type, double value) {
  if (type == ElementType::FP64)
    return bitsOf(value);
  FloatFormat format = formatOf(type);
  uint64_t bits = bitsOf(value);
  uint64_t sign = (bits >> 63) << (format.exponentBits + format.mantissaBits);
  int exponent = static_cast<int>((bits >> 52) & 0x7ff);
  uint64_t mantissa = bits & ((uint64_t(1) << 52) - 1);
  uint64_t overflow = format.saturates
                          ? format.largest()
                          : format.exponentMask() << format.mantissaBits;
  if (exponent == 0x7ff)
    return sign | (mantissa ? format.quietNaN() : overflow);
  if (exponent == 0) // zero, or a double denormal: below half of any format
    return sign;

  // The significand with its hidden bit, to be cut to the format's width;
  // denormals of the format keep fewer bits.
  mantissa |= uint64_t(1) << 52;
  int target = exponent - 1023 + format.bias();
  int shift = 52 - format.mantissaBits + (target < 1 ? 1 - target : 0);
  if (shift > 54)
    return sign;
  uint64_t kept = mantissa >> shift;
  uint64_t rest = mantissa & ((uint64_t(1) << shift) - 1);
  uint64_t half = uint64_t(1) << (shift - 1);
  if (rest > half || (rest == half && (kept & 1)))
    ++kept;
  // The hidden bit adds one to the exponent field, and so does a carry.
  uint64_t field = target < 1 ? 0 : static_cast<uint64_t>(target - 1);
  uint64_t result = (field << format.mantissaBits) + kept;
  return sign | (result > format.largest() ? overflow : result);
}

double tilec::decodeFloat(ElementType type, uint64_t bits) {
  if (type == ElementType::FP64)
    return doubleOf(bits);
  FloatFormat format = formatOf(type);
  uint64_t sign = (bits >> (format.exponentBits + format.mantissaBits)) & 1;
  uint64_t exponent = (bits >> format.mantissaBits) & format.exponentMask();
  uint64_t mantissa = bits & format.mantissaMask();
  uint64_t result = sign << 63;
  bool top = exponent == format.exponentMask();
  if (top && (format.ieee || mantissa == format.mantissaMask())) {
    result |= uint64_t(0x7ff) << 52;
    if (mantissa)
      result |= uint64_t(1) << 51 | mantissa << (52 - format.mantissaBits);
    return doubleOf(result);
  }
  if (exponent == 0) {
    double small =
        static_cast<double>(mantissa) *
        doubleOf(
            static_cast<uint64_t>(1024 - format.bias() - format.mantissaBits)
            << 52);
    return sign ? -small : small;
  }
  result |= (exponent - format.bias() + 1023) << 52;
  return doubleOf(result | mantissa << (52 - format.mantissaBits));
}

uint16_t tilec::floatToBF16(float value) {
  return static_cast<uint16_t>(encodeFloat(ElementType::BF16, value));
}
float tilec::bf16ToFloat(uint16_t bits) {
  return static_cast<float>(decodeFloat(ElementType::BF16, bits));
}
uint16_t tilec::floatToFP16(float value) {
  return static_cast<uint16_t>(encodeFloat(ElementType::FP16, value));
}
float tilec::fp16ToFloat(uint16_t bits) {
  return static_cast<float>(decodeFloat(ElementType::FP16, bits));
}
uint8_t tilec::floatToFP8E4NV(float value) {
  return static_cast<uint8_t>(encodeFloat(ElementType::FP8E4NV, value));
}
float tilec::fp8E4NVToFloat(uint8_t bits) {
  return static_cast<float>(decodeFloat(ElementType::FP8E4NV, bits));
}
uint8_t tilec::floatToFP8E5(float value) {
  return static_cast<uint8_t>(encodeFloat(ElementType::FP8E5, value));
}
float tilec::fp8E5ToFloat(uint8_t bits) {
  return static_cast<float>(decodeFloat(ElementType::FP8E5, bits));
}
