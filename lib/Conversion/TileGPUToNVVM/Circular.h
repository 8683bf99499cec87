//===- Circular.h - what sines and arcs of f32 and f64 share ----*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The steps around the polynomials, which are of one type each: `inner` is the
// arc tangent of a number in [0, 1], `complement` a multiple of pi/2 minus an
// angle.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CONVERSION_TILEGPUTONVVM_CIRCULAR_H
#define TILEC_CONVERSION_TILEGPUTONVVM_CIRCULAR_H

#include "Formula.h"

namespace tilec::formula {

using Inner = Num (*)(Num);
using Complement = Num (*)(double quarters, Num angle);

/// A tangent, from the sine and the cosine of x minus n times pi/2.
inline Num tanBy(Num x, Num sine, Num cosine, Num n) {
  Num isOdd = (n & 1) == 1;
  Num result = select(isOdd, -cosine, sine) / select(isOdd, sine, cosine);
  return select(x == 0, x, result);
}

inline Num atanBy(Num x, Inner inner, Complement complement) {
  Num a = abs(x), isLarge = a > 1;
  Num angle = inner(select(isLarge, Num(1) / a, a));
  return copySign(select(isLarge, complement(1, angle), angle), x);
}

/// The angle of (x, y), from the larger and the smaller of their magnitudes;
/// `isSteep` says that y has the larger one.
inline Num atan2By(Num y, Num x, Num isSteep, Num larger, Num smaller,
                   Inner inner, Complement complement) {
  // Equal zeros and equal infinities have the ratios 0 and 1.
  Num ratio = select(larger == 0, 0, smaller / larger);
  ratio = select(smaller == infinity, 1, ratio);
  Num angle = inner(ratio);
  angle = select(isSteep, complement(1, angle), angle);
  angle = select(isNegative(x), complement(2, angle), angle);
  return select(isUnordered(x, y), x + y, copySign(angle, y));
}

/// Whether a number in [0, 1] is in the outer part of the interval, and its arc
/// sine; in the outer part pi/2 minus that.
using ArcParts = std::pair<Num, Num>;

inline Num asinBy(Num x, ArcParts parts, Complement complement) {
  auto [isOuter, arc] = parts;
  return copySign(select(isOuter, complement(1, arc), arc), x);
}

inline Num acosBy(Num x, ArcParts parts, Complement complement) {
  auto [isOuter, arc] = parts;
  Num inner = complement(1, copySign(arc, x));
  Num outer = select(x < 0, complement(2, arc), arc);
  return select(isOuter, outer, inner);
}

} // namespace tilec::formula

#endif // TILEC_CONVERSION_TILEGPUTONVVM_CIRCULAR_H
