//===- HostArray.cpp - arrays in host memory ------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Checked allocation, access to elements by type, and conversion of arrays.
//
//===----------------------------------------------------------------------===//

#include "tilec/KernelInfo/HostArray.h"

#include <cmath>
#include <cstring>

using namespace tilec;

Result<HostBytes> HostBytes::zeros(uint64_t size) {
  HostBytes result;
  // One byte more, so that an empty array has an address of its own.
  void *memory =
      size < SIZE_MAX ? std::calloc(size + 1, 1) : static_cast<void *>(nullptr);
  if (!memory)
    return Error{"cannot allocate " + std::to_string(size) +
                 " bytes of host memory"};
  result.memory.reset(static_cast<uint8_t *>(memory));
  result.length = size;
  return result;
}

Result<uint64_t> tilec::countElements(const std::vector<int64_t> &shape) {
  uint64_t count = 1;
  for (int64_t size : shape) {
    if (size < 0)
      return Error{"expected sizes of at least 0, got " + std::to_string(size)};
    uint64_t factor = static_cast<uint64_t>(size);
    // 2^60 elements of 8 bytes still have a size in 64 bits.
    if (factor && count > (uint64_t(1) << 60) / factor)
      return Error{"an array of shape " + shapeText(shape) + " is too large"};
    count *= factor;
  }
  return count;
}

std::string tilec::shapeText(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text.empty() ? "scalar" : text;
}

Result<HostArray> HostArray::zeros(ElementType type,
                                   std::vector<int64_t> shape) {
  Result<uint64_t> count = countElements(shape);
  if (!count)
    return count.takeError();
  Result<HostBytes> bytes = HostBytes::zeros(*count * byteSize(type));
  if (!bytes)
    return bytes.takeError();
  HostArray array;
  array.type = type;
  array.shape = std::move(shape);
  array.bytes = std::move(*bytes);
  return array;
}

Result<HostArray> HostArray::clone() const {
  Result<HostArray> copy = zeros(type, shape);
  if (copy && bytes.size())
    std::memcpy(copy->bytes.data(), bytes.data(), bytes.size());
  return copy;
}

uint64_t HostArray::getBits(uint64_t index) const {
  assert(index < numElements() && "element out of range");
  uint64_t bits = 0; // the project runs on little-endian machines only
  unsigned size = byteSize(type);
  std::memcpy(&bits, bytes.data() + index * size, size);
  return bits;
}

void HostArray::setBits(uint64_t index, uint64_t bits) {
  assert(index < numElements() && "element out of range");
  unsigned size = byteSize(type);
  std::memcpy(bytes.data() + index * size, &bits, size);
}

/// The signed value of the low `width` bits.
static int64_t signExtend(uint64_t bits, unsigned width) {
  unsigned shift = 64 - width;
  return static_cast<int64_t>(bits << shift) >> shift;
}

int64_t HostArray::getInt(uint64_t index) const {
  uint64_t bits = getBits(index);
  if (bitWidth(type) == 1) // true is 1 in either signedness
    return bits & 1;
  if (elementKind(type) == ElementKind::Int)
    return signExtend(bits, bitWidth(type));
  return static_cast<int64_t>(bits);
}

double HostArray::getDouble(uint64_t index) const {
  if (isFloat(type))
    return decodeFloat(type, getBits(index));
  if (type == ElementType::U64)
    return static_cast<double>(getBits(index));
  return static_cast<double>(getInt(index));
}

//===-- Integers -------------------------------------------------------------//

/// The smallest value of an integer type.
static int64_t lowest(ElementType type) {
  unsigned width = bitWidth(type);
  if (width == 1 || elementKind(type) == ElementKind::UInt)
    return 0;
  return INT64_MIN >> (64 - width);
}

/// The largest value of an integer type.
static uint64_t highest(ElementType type) {
  unsigned width = bitWidth(type);
  if (width > 1 && elementKind(type) == ElementKind::Int)
    --width;
  return UINT64_MAX >> (64 - width);
}

std::string tilec::rangeText(ElementType type) {
  return std::to_string(lowest(type)) + " to " + std::to_string(highest(type));
}

std::optional<uint64_t> tilec::encodeInt(ElementType type, bool negative,
                                         uint64_t magnitude) {
  if (!negative || magnitude == 0)
    return magnitude <= highest(type) ? std::optional(magnitude) : std::nullopt;
  uint64_t limit = uint64_t(0) - static_cast<uint64_t>(lowest(type));
  if (magnitude > limit)
    return std::nullopt;
  unsigned width = byteSize(type) * 8;
  return (uint64_t(0) - magnitude) & (UINT64_MAX >> (64 - width));
}

std::optional<uint64_t> tilec::encodeInt(ElementType type, int64_t value) {
  return encodeInt(type, value < 0,
                   value < 0 ? uint64_t(0) - static_cast<uint64_t>(value)
                             : static_cast<uint64_t>(value));
}

//===-- Conversion -----------------------------------------------------------//

/// The bits in `type` of an element, or none when they have no place in it.
static std::optional<uint64_t>
convertElement(const HostArray &from, uint64_t index, ElementType type) {
  if (isFloat(type))
    return encodeFloat(type, from.getDouble(index));
  if (from.type == ElementType::U64)
    return encodeInt(type, false, from.getBits(index));
  if (!isFloat(from.type))
    return encodeInt(type, from.getInt(index));
  double value = from.getDouble(index);
  // The bounds keep the cast defined; NaN fails both comparisons.
  if (!(std::fabs(value) < 18446744073709551616.0) ||
      value != std::trunc(value))
    return std::nullopt;
  return encodeInt(type, value < 0, static_cast<uint64_t>(std::fabs(value)));
}

/// A number for a message: shortest digits.
static std::string numberText(const HostArray &array, uint64_t index) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", array.getDouble(index));
  return text;
}

Result<HostArray> tilec::convertArray(const HostArray &from, ElementType type) {
  Result<HostArray> result = HostArray::zeros(type, from.shape);
  if (!result)
    return result;
  for (uint64_t i = 0, count = from.numElements(); i < count; ++i) {
    std::optional<uint64_t> bits = convertElement(from, i, type);
    if (!bits)
      return Error{"element " + std::to_string(i) + " is " +
                   numberText(from, i) + ", which is not an integer in " +
                   std::string(shortName(type)) + "'s range " +
                   rangeText(type)};
    result->setBits(i, *bits);
  }
  return result;
}
