//===- Generators.cpp - arrays made on the spot ---------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Counter-based random numbers: each element depends on the seed and on its
// own index alone. The file is compiled without contraction to fused
// multiply-add, so that its results are the same on every machine.
//
// Salmon, Moraes, Dror, Shaw: Parallel Random Numbers: As Easy as 1, 2, 3.
// Marsaglia, Bray: A Convenient Method for Generating Normal Variables.
//
//===----------------------------------------------------------------------===//

#include "tilec/KernelInfo/Generators.h"

#include <cmath>
#include <cstring>

using namespace tilec;

std::array<uint32_t, 4> tilec::philox4x32(std::array<uint32_t, 4> counter,
                                          std::array<uint32_t, 2> key) {
  for (unsigned round = 0; round < 10; ++round) {
    uint64_t first = uint64_t(0xd2511f53) * counter[0];
    uint64_t second = uint64_t(0xcd9e8d57) * counter[2];
    counter = {static_cast<uint32_t>(second >> 32) ^ counter[1] ^ key[0],
               static_cast<uint32_t>(second),
               static_cast<uint32_t>(first >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(first)};
    key[0] += 0x9e3779b9;
    key[1] += 0xbb67ae85;
  }
  return counter;
}

double tilec::portableLog(double x) {
  uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  bits = (bits & ((uint64_t(1) << 52) - 1)) | uint64_t(1023) << 52;
  double m;
  std::memcpy(&m, &bits, sizeof m);
  if (m > 1.4142135623730951) { // keep |t| below 0.172
    m *= 0.5;
    ++exponent;
  }
  // log(m) = 2 artanh(t) with t = (m - 1) / (m + 1): the series in t.
  double t = (m - 1.0) / (m + 1.0), square = t * t, sum = 0.0;
  for (int n = 23; n >= 3; n -= 2)
    sum = (sum + 1.0 / n) * square;
  return exponent * 0.6931471805599453 + 2.0 * (t + t * sum);
}

namespace {

/// Random words of a seed by element and attempt.
class Stream {
public:
  explicit Stream(uint64_t seed)
      : key{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)} {}

  /// Two random 64-bit words.
  std::array<uint64_t, 2> words(uint64_t index, uint32_t attempt) const {
    auto w = philox4x32({static_cast<uint32_t>(index),
                         static_cast<uint32_t>(index >> 32), attempt, 0},
                        key);
    return {w[0] | uint64_t(w[1]) << 32, w[2] | uint64_t(w[3]) << 32};
  }

private:
  std::array<uint32_t, 2> key;
};

} // namespace

/// The upper 53 bits as a number in [0, 1); exact.
static double unit(uint64_t word) {
  return static_cast<double>(word >> 11) * (1.0 / 9007199254740992.0);
}

Result<HostArray> tilec::makeRandn(ElementType type, std::vector<int64_t> shape,
                                   uint64_t seed) {
  if (!isFloat(type))
    return Error{"randn makes floats, got " + std::string(shortName(type)) +
                 "; use randint for integers"};
  Result<HostArray> result = HostArray::zeros(type, std::move(shape));
  if (!result)
    return result;
  Stream stream(seed);
  uint64_t count = result->numElements();
  for (uint64_t i = 0; i < count; i += 2) {
    double x, y, square;
    uint32_t attempt = 0;
    do { // a point in the unit circle, which is missed in 21 % of attempts
      auto [first, second] = stream.words(i / 2, attempt++);
      x = 2.0 * unit(first) - 1.0;
      y = 2.0 * unit(second) - 1.0;
      square = x * x + y * y;
    } while (square >= 1.0 || square < 1e-300);
    double scale = std::sqrt(-2.0 * portableLog(square) / square);
    result->setBits(i, encodeFloat(type, x * scale));
    if (i + 1 < count)
      result->setBits(i + 1, encodeFloat(type, y * scale));
  }
  return result;
}

/// The binary digits of a float that are kept: all integers up to 2 to this
/// power are exact.
static unsigned precision(ElementType type) {
  return type == ElementType::FP64      ? 53
         : type == ElementType::FP32    ? 24
         : type == ElementType::FP16    ? 11
         : type == ElementType::BF16    ? 8
         : type == ElementType::FP8E4NV ? 4
                                        : 3;
}

Result<HostArray> tilec::makeRand(ElementType type, std::vector<int64_t> shape,
                                  uint64_t seed) {
  Result<HostArray> result = HostArray::zeros(type, std::move(shape));
  if (!result)
    return result;
  Stream stream(seed);
  // Cut to the precision of the type, so that nothing rounds up to 1.
  unsigned bits = precision(type);
  for (uint64_t i = 0, count = result->numElements(); i < count; ++i) {
    uint64_t word = stream.words(i / 2, 0)[i % 2];
    if (isFloat(type))
      result->setBits(
          i, encodeFloat(type, static_cast<double>(word >> (64 - bits)) /
                                   static_cast<double>(uint64_t(1) << bits)));
    else
      result->setBits(i, word >> (64 - bitWidth(type)));
  }
  return result;
}

Result<HostArray> tilec::makeRandint(ElementType type, int64_t low,
                                     int64_t high, std::vector<int64_t> shape,
                                     uint64_t seed) {
  if (low >= high)
    return Error{"expected an upper end above the lower end " +
                 std::to_string(low) + ", got " + std::to_string(high)};
  if (isFloat(type)) {
    int64_t most = int64_t(1) << precision(type);
    if (low < -most || high - 1 > most)
      return Error{"the integers from " + std::to_string(low) + " to " +
                   std::to_string(high - 1) + " are not all exact in " +
                   std::string(shortName(type)) + ", which has those up to " +
                   std::to_string(most)};
  } else if (!encodeInt(type, low) || !encodeInt(type, high - 1)) {
    return Error{"the integers from " + std::to_string(low) + " to " +
                 std::to_string(high - 1) + " do not fit " +
                 std::string(shortName(type))};
  }
  Result<HostArray> result = HostArray::zeros(type, std::move(shape));
  if (!result)
    return result;
  Stream stream(seed);
  uint64_t span = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  for (uint64_t i = 0, count = result->numElements(); i < count; ++i) {
    // The bias of the remainder is below span / 2^64.
    uint64_t offset = stream.words(i / 2, 0)[i % 2] % span;
    uint64_t number = static_cast<uint64_t>(low) + offset;
    result->setBits(
        i, isFloat(type) ? encodeFloat(type, static_cast<double>(
                                                 static_cast<int64_t>(number)))
                         : number);
  }
  return result;
}

Result<HostArray> tilec::makeFull(ElementType type, std::vector<int64_t> shape,
                                  uint64_t bits) {
  Result<HostArray> result = HostArray::zeros(type, std::move(shape));
  if (result && bits)
    for (uint64_t i = 0, count = result->numElements(); i < count; ++i)
      result->setBits(i, bits);
  return result;
}

Result<HostArray> tilec::makeArange(ElementType type,
                                    std::vector<int64_t> shape) {
  Result<HostArray> result = HostArray::zeros(type, std::move(shape));
  if (!result)
    return result;
  uint64_t count = result->numElements();
  if (!isFloat(type) && count && !encodeInt(type, false, count - 1))
    return Error{"the integers from 0 to " + std::to_string(count - 1) +
                 " do not fit " + std::string(shortName(type))};
  for (uint64_t i = 0; i < count; ++i)
    result->setBits(i, isFloat(type) ? encodeFloat(type, static_cast<double>(i))
                                     : i);
  return result;
}
