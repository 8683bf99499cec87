//===- Compare.h - does an array hold what is expected ----------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The comparison behind `--expect`, which checks a kernel where there is no
// NumPy: one engine saves its result, the other compares with it.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DRIVER_COMPARE_H
#define TILEC_DRIVER_COMPARE_H

#include "tilec/KernelInfo/HostArray.h"

namespace tilec {

/// How far a value may be from the expected one: absolute + relative *
/// |expected|.
struct Tolerance {
  double relative = 0, absolute = 0;
};

/// Compares element by element as numbers, in flat order; the types may differ,
/// the number of elements may not. NaN agrees with NaN, an infinity with
/// itself. The error counts the elements that differ and shows the first and
/// the worst.
Status compareArrays(const HostArray &got, const HostArray &want,
                     Tolerance tolerance);

} // namespace tilec

#endif // TILEC_DRIVER_COMPARE_H
