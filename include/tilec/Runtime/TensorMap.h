//===- TensorMap.h - descriptors of arrays for bulk copies ------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The 128 bytes by which the hardware finds a box of an array in global memory.
// The driver makes them; a cache keeps them, since programs launch the same
// kernel on the same arrays again and again.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_RUNTIME_TENSORMAP_H
#define TILEC_RUNTIME_TENSORMAP_H

#include "tilec/KernelInfo/ElementType.h"
#include "tilec/KernelInfo/Result.h"

#include <array>
#include <map>
#include <mutex>

namespace tilec {

class Device;

/// What a kernel takes by value.
struct alignas(64) TensorMap {
  uint64_t words[16] = {};
};

/// An array and the box that one copy moves. Dimensions are in the order of the
/// source, the last one contiguous.
struct TensorMapSpec {
  static constexpr unsigned maxRank = 5;

  uint64_t address = 0;
  ElementType element = ElementType::FP16;
  unsigned rank = 1;
  std::array<uint64_t, maxRank> shape = {};
  std::array<uint64_t, maxRank> strides = {}; ///< in elements; the last is 1
  std::array<uint32_t, maxRank> box = {};
  unsigned swizzle = 0;  ///< bytes: 0, 32, 64 or 128
  bool fillsNaN = false; ///< what lies outside reads as NaN and not as 0
};

/// Makes the descriptor.
Result<TensorMap> encodeTensorMap(const Device &device,
                                  const TensorMapSpec &spec);

/// The descriptors that were made on a device, by all that is in their
/// description. Any thread may use it.
class TensorMapCache {
public:
  explicit TensorMapCache(const Device &device) : device(device) {}

  Result<TensorMap> get(const TensorMapSpec &spec);
  /// How many descriptors the driver made, for tests.
  uint64_t misses() const;

private:
  static constexpr size_t keyWords = 16;
  using Key = std::array<uint64_t, keyWords>;
  static Key keyOf(const TensorMapSpec &spec);

  const Device &device;
  mutable std::mutex mutex;
  std::map<Key, TensorMap> maps;
  uint64_t made = 0;
};

} // namespace tilec

#endif // TILEC_RUNTIME_TENSORMAP_H
