//===- HostArray.h - arrays in host memory ----------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Typed arrays in C order: the contents of kernel arguments before and after a
// run, on every engine. Sizes come from users, so an allocation that fails is
// an error and not the end of the process.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_KERNELINFO_HOSTARRAY_H
#define TILEC_KERNELINFO_HOSTARRAY_H

#include "tilec/KernelInfo/ElementType.h"
#include "tilec/KernelInfo/Result.h"

#include <cstdlib>
#include <memory>
#include <vector>

namespace tilec {

/// Owned zeroed bytes, aligned for every element type. Large blocks of zeros
/// cost no time before they are touched.
class HostBytes {
public:
  HostBytes() = default;
  static Result<HostBytes> zeros(uint64_t size);

  uint8_t *data() { return memory.get(); }
  const uint8_t *data() const { return memory.get(); }
  uint64_t size() const { return length; }

private:
  struct Free {
    void operator()(uint8_t *memory) const { std::free(memory); }
  };
  std::unique_ptr<uint8_t, Free> memory;
  uint64_t length = 0;
};

/// An array of elements in C order.
struct HostArray {
  ElementType type = ElementType::FP32;
  std::vector<int64_t> shape;
  HostBytes bytes;

  /// An array of zeros. Refuses negative sizes and what does not fit memory.
  static Result<HostArray> zeros(ElementType type, std::vector<int64_t> shape);
  /// A copy.
  Result<HostArray> clone() const;

  uint64_t numElements() const { return bytes.size() / byteSize(type); }
  /// Reads an element as a number; integers beyond 2^53 are rounded.
  double getDouble(uint64_t index) const;
  /// Reads an element of an integer type (u64 as its bits).
  int64_t getInt(uint64_t index) const;
  /// The bits of an element.
  uint64_t getBits(uint64_t index) const;
  void setBits(uint64_t index, uint64_t bits);
};

/// The number of elements of a shape, or why there is none such.
Result<uint64_t> countElements(const std::vector<int64_t> &shape);
/// "4x5", "scalar" for no dimension.
std::string shapeText(const std::vector<int64_t> &shape);

/// A new array of the elements of `from` converted to `type`: floats rounded to
/// nearest even (fp8 saturating). An integer type takes only integers that fit
/// it; the error names the first element that does not.
Result<HostArray> convertArray(const HostArray &from, ElementType type);

/// The bits of an integer in an integer type, none when it is out of range.
std::optional<uint64_t> encodeInt(ElementType type, int64_t value);
/// The same by sign and magnitude, for values beyond 63 bits.
std::optional<uint64_t> encodeInt(ElementType type, bool negative,
                                  uint64_t magnitude);
/// The range of an integer type, for messages: "-128 to 127".
std::string rangeText(ElementType type);

} // namespace tilec

#endif // TILEC_KERNELINFO_HOSTARRAY_H
