//===- Elements.h - elements of values at run time --------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_INTERPRETER_CHECKS_ELEMENTS_H
#define TILEC_LIB_INTERPRETER_CHECKS_ELEMENTS_H

#include "Scope.h"

namespace tilec::interpreter {

/// A float, as it is kept at a place.
double floatAt(const char *at, Kind kind);

/// An integer, as it is kept at a place, its bits extended by the sign.
int64_t integerAt(const char *at, Kind kind);
/// Is the element at a place 0, of either sign?
bool isZeroAt(const char *at, Kind kind);

/// Where an element of a view lies in the frame, by its number in row-major
/// order.
uint64_t placeOf(const View &view, int64_t number);

/// An element of a view in the frame, a float or an integer, by its number in
/// row-major order.
double floatAt(const State &state, const View &view, int64_t number);
int64_t integerAt(const State &state, const View &view, int64_t number);

/// The number of elements of a view to look at: one, if all are the same.
inline int64_t distinct(const View &view) {
  return view.isUniform() ? 1 : view.count();
}

} // namespace tilec::interpreter

#endif // TILEC_LIB_INTERPRETER_CHECKS_ELEMENTS_H
