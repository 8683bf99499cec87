//===- Compare.cpp - does an array hold what is expected ------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Numbers are compared as doubles, which hold every element type but the long
// integers exactly; arrays of one type that agree bit by bit always agree.
//
//===----------------------------------------------------------------------===//

#include "tilec/Driver/Compare.h"

#include <cmath>
#include <cstdio>
#include <limits>

using namespace tilec;

/// A number for a message: as short as it can be while telling neighbours
/// apart.
static std::string numberText(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.9g", value);
  return text;
}

/// The place of a flat index in an array, `[1, 2]`.
static std::string indexText(uint64_t index,
                             const std::vector<int64_t> &shape) {
  std::vector<int64_t> place(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    place[axis] = static_cast<int64_t>(index % shape[axis]);
    index /= shape[axis];
  }
  std::string text = "[";
  for (size_t axis = 0; axis < place.size(); ++axis)
    text += (axis ? ", " : "") + std::to_string(place[axis]);
  return text + "]";
}

/// The distance of two elements: 0 where they agree whatever they are, infinite
/// where only one is a number.
static double distance(double got, double want) {
  if (got == want || (std::isnan(got) && std::isnan(want)))
    return 0;
  double difference = std::fabs(got - want);
  return std::isnan(difference) ? std::numeric_limits<double>::infinity()
                                : difference;
}

/// Does element `i` agree with the expected one?
static bool agrees(const HostArray &got, const HostArray &want, uint64_t i,
                   Tolerance tolerance) {
  if (got.type == want.type) {
    if (got.getBits(i) == want.getBits(i))
      return true;
    // Long integers that differ may be the same double.
    if (!isFloat(got.type) && tolerance.relative == 0 &&
        tolerance.absolute == 0)
      return false;
  }
  double expected = want.getDouble(i);
  double allowed = 0;
  if (std::isfinite(expected)) // or an infinite one would allow everything
    allowed = tolerance.absolute + tolerance.relative * std::fabs(expected);
  return distance(got.getDouble(i), expected) <= allowed;
}

Status tilec::compareArrays(const HostArray &got, const HostArray &want,
                            Tolerance tolerance) {
  uint64_t size = want.numElements();
  if (got.numElements() != size)
    return Error{"expected " + std::to_string(size) + " elements, got " +
                 std::to_string(got.numElements())};
  uint64_t count = 0, first = 0, worst = 0;
  double largest = -1;
  for (uint64_t i = 0; i < size; ++i) {
    if (agrees(got, want, i, tolerance))
      continue;
    if (count++ == 0)
      first = i;
    double off = distance(got.getDouble(i), want.getDouble(i));
    if (off > largest) {
      largest = off;
      worst = i;
    }
  }
  if (count == 0)
    return {};
  auto show = [&](uint64_t i) {
    return "at " + indexText(i, got.shape) + ": got " +
           numberText(got.getDouble(i)) + ", expected " +
           numberText(want.getDouble(i));
  };
  std::string text = std::to_string(count) + " of " + std::to_string(size) +
                     " elements differ, the first " + show(first);
  if (worst != first)
    text += ", the worst " + show(worst);
  return Error{text};
}
