//===- Generators.h - arrays made on the spot -------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Arrays by rule. The same call gives the same bits on every machine: the
// random numbers use integer arithmetic and the exactly rounded operations
// + - * / and sqrt only, no mathematical library.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_KERNELINFO_GENERATORS_H
#define TILEC_KERNELINFO_GENERATORS_H

#include "tilec/KernelInfo/HostArray.h"

#include <array>

namespace tilec {

/// Philox4x32-10 of Salmon et al. (2011): four random words of a counter.
std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter,
                                   std::array<uint32_t, 2> key);

/// Natural logarithm of a positive normal number to about 1e-16.
double portableLog(double x);

/// Standard normal numbers; elements 2i and 2i+1 come from counter i by
/// Marsaglia's polar method. Float types only.
Result<HostArray> makeRandn(ElementType type, std::vector<int64_t> shape,
                            uint64_t seed);
/// Uniform numbers: in [0, 1) for float types, all values of integer types.
Result<HostArray> makeRand(ElementType type, std::vector<int64_t> shape,
                           uint64_t seed);
/// Uniform integers in [low, high).
Result<HostArray> makeRandint(ElementType type, int64_t low, int64_t high,
                              std::vector<int64_t> shape, uint64_t seed);
/// All elements of one bit pattern.
Result<HostArray> makeFull(ElementType type, std::vector<int64_t> shape,
                           uint64_t bits);
/// 0, 1, 2, ... in C order. An integer type must hold them all.
Result<HostArray> makeArange(ElementType type, std::vector<int64_t> shape);

} // namespace tilec

#endif // TILEC_KERNELINFO_GENERATORS_H
