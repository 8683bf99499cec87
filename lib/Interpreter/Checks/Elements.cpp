//===- Elements.cpp - elements at run time --------------------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Checks/Elements.h"
#include <cstring>

using namespace tilec::interpreter;

uint64_t tilec::interpreter::placeOf(const View &view, int64_t number) {
  int64_t at = 0;
  for (size_t axis = view.shape.size(); axis-- > 0;) {
    at += number % view.shape[axis] * view.strides[axis];
    number /= view.shape[axis];
  }
  return view.offset + at * sizeOf(view.kind);
}

double tilec::interpreter::floatAt(const char *at, Kind kind) {
  if (kind == Kind::F64) {
    double value;
    std::memcpy(&value, at, 8);
    return value;
  }
  float value;
  if (kind == Kind::F32)
    std::memcpy(&value, at, 4);
  else
    widen(kind, at, &value, 1);
  return value;
}

double tilec::interpreter::floatAt(const State &state, const View &view,
                                   int64_t number) {
  return floatAt(state.frame + placeOf(view, number), view.kind);
}

int64_t tilec::interpreter::integerAt(const char *at, Kind kind) {
  unsigned size = sizeOf(kind);
  uint64_t bits = 0;
  std::memcpy(&bits, at, size);
  unsigned unused = 64 - (kind == Kind::I1 ? 1 : size * 8);
  return static_cast<int64_t>(bits << unused) >> unused;
}

int64_t tilec::interpreter::integerAt(const State &state, const View &view,
                                      int64_t number) {
  return integerAt(state.frame + placeOf(view, number), view.kind);
}

bool tilec::interpreter::isZeroAt(const char *at, Kind kind) {
  unsigned size = sizeOf(kind);
  uint64_t bits = 0;
  std::memcpy(&bits, at, size);
  return (isFloat(kind) ? bits << (65 - size * 8) : bits) == 0;
}
