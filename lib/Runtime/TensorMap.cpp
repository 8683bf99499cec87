//===- TensorMap.cpp - descriptors of arrays for bulk copies --------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The driver refuses a wrong description without saying what is wrong, so the
// rules of the hardware are checked here first.
//
//===----------------------------------------------------------------------===//

#include "tilec/Runtime/TensorMap.h"

#include "CudaTable.h"
#include "tilec/Runtime/Device.h"

using namespace tilec;

/// Descriptors that a cache holds at most: a program that never repeats itself
/// must not fill the memory.
static constexpr size_t maxMaps = 4096;

/// The driver's number for an element type; the bits alone count, except for
/// what is outside the array.
static int dataType(ElementType type) {
  switch (type) {
  case ElementType::FP16:
    return 6;
  case ElementType::FP32:
    return 7;
  case ElementType::FP64:
    return 8;
  case ElementType::BF16:
    return 9;
  default:
    break;
  }
  switch (byteSize(type)) {
  case 1:
    return 0;
  case 2:
    return 1;
  case 4:
    return 2;
  default:
    return 4;
  }
}

/// The sentence for a description that the hardware does not take.
static Error refuse(const std::string &why) {
  return {"cannot describe the array for bulk copies: " + why,
          ErrorKind::Mismatch};
}

static Status check(const TensorMapSpec &spec) {
  uint64_t size = byteSize(spec.element);
  if (spec.rank < 1 || spec.rank > TensorMapSpec::maxRank)
    return refuse("it has " + std::to_string(spec.rank) +
                  " dimensions, expected 1 to 5");
  if (spec.address % 16)
    return refuse("its address is not a multiple of 16");
  if (spec.swizzle && spec.swizzle != 32 && spec.swizzle != 64 &&
      spec.swizzle != 128)
    return refuse("the swizzle is " + std::to_string(spec.swizzle) +
                  " bytes, expected 0, 32, 64 or 128");
  for (unsigned i = 0; i < spec.rank; ++i) {
    std::string where = " in dimension " + std::to_string(i);
    bool isLast = i + 1 == spec.rank;
    if (spec.shape[i] < 1 || spec.shape[i] > uint64_t(1) << 32)
      return refuse("its size " + std::to_string(spec.shape[i]) + where +
                    " is not from 1 to 2^32");
    if (spec.box[i] < 1 || spec.box[i] > 256)
      return refuse("the box's size " + std::to_string(spec.box[i]) + where +
                    " is not from 1 to 256");
    if (isLast ? spec.strides[i] != 1
               : spec.strides[i] > (uint64_t(1) << 40) / size ||
                     spec.strides[i] * size % 16)
      return refuse("its stride " + std::to_string(spec.strides[i]) + where +
                    (isLast ? " is not 1" : " is not a multiple of 16 bytes"));
  }
  uint64_t row = spec.box[spec.rank - 1] * size;
  if (row % 16 || (spec.swizzle && row > spec.swizzle))
    return refuse("a row of the box has " + std::to_string(row) +
                  " bytes, expected a multiple of 16" +
                  (spec.swizzle ? " up to the swizzle" : ""));
  return {};
}

Result<TensorMap> tilec::encodeTensorMap(const Device &device,
                                         const TensorMapSpec &spec) {
  if (Status status = check(spec); !status)
    return status.takeError();
  const CudaTable &cuda = device.cuda()();
  if (!cuda.tensorMapEncodeTiled || device.info().major < 9)
    return Error{"bulk copies need compute capability 9.0 and a driver for "
                 "CUDA 12; compile the kernel with --plain-abi",
                 ErrorKind::Unsupported};
  constexpr unsigned maxRank = TensorMapSpec::maxRank;
  unsigned long long shape[maxRank] = {}, strides[maxRank] = {};
  unsigned box[maxRank] = {}, steps[maxRank] = {};
  // The driver counts dimensions from the contiguous one, whose stride it
  // knows.
  for (unsigned i = 0; i < spec.rank; ++i) {
    unsigned from = spec.rank - 1 - i;
    shape[i] = spec.shape[from];
    box[i] = spec.box[from];
    steps[i] = 1;
    if (i)
      strides[i - 1] = spec.strides[from] * byteSize(spec.element);
  }
  int swizzle = spec.swizzle == 128 ? 3 : static_cast<int>(spec.swizzle / 32);
  TensorMap map;
  if (Status status = device.makeCurrent(); !status)
    return status.takeError();
  if (int code = cuda.tensorMapEncodeTiled(
          &map, dataType(spec.element), spec.rank,
          reinterpret_cast<void *>(spec.address), shape, strides, box, steps,
          /*interleave=*/0, swizzle, /*l2Promotion=*/2, spec.fillsNaN))
    return device.cuda().error("describe the array for bulk copies", code);
  return map;
}

//===-- Cache ----------------------------------------------------------------//

TensorMapCache::Key TensorMapCache::keyOf(const TensorMapSpec &spec) {
  Key key = {};
  key[0] = spec.address;
  key[1] = uint64_t(spec.element) | uint64_t(spec.rank) << 8 |
           uint64_t(spec.swizzle) << 16 | uint64_t(spec.fillsNaN) << 32;
  for (unsigned i = 0; i < spec.rank && i < TensorMapSpec::maxRank; ++i) {
    key[2 + i] = spec.shape[i];
    key[7 + i] = spec.strides[i];
    key[12 + i / 2] |= uint64_t(spec.box[i]) << (i % 2 * 32);
  }
  return key;
}

Result<TensorMap> TensorMapCache::get(const TensorMapSpec &spec) {
  Key key = keyOf(spec);
  std::lock_guard<std::mutex> lock(mutex);
  auto found = maps.find(key);
  if (found != maps.end())
    return found->second;
  Result<TensorMap> map = encodeTensorMap(device, spec);
  if (!map)
    return map;
  if (maps.size() == maxMaps)
    maps.clear();
  ++made;
  maps.emplace(key, *map);
  return map;
}

uint64_t TensorMapCache::misses() const {
  std::lock_guard<std::mutex> lock(mutex);
  return made;
}
