//===- Access.h - what loads, stores and atomics share ----------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// An access gathers its addresses and its mask into dense arrays, is checked as
// a whole, and then moves its elements.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_INTERPRETER_OPERATIONS_ACCESS_H
#define TILEC_LIB_INTERPRETER_OPERATIONS_ACCESS_H

#include "Memory.h"

namespace tilec::interpreter {

/// Where the operands of an access lie.
struct AccessPlan {
  mlir::Operation *op;
  AccessKind kind;
  Kind element;
  llvm::SmallVector<int64_t, 4> shape;
  int64_t lanes = 1;
  uint64_t addresses = 0;
  std::optional<uint64_t> mask;
  std::optional<uint64_t> values, compare; // dense, to show to observers

  /// Densifies the pointers and the mask.
  AccessPlan(Scope &scope, mlir::Operation *op, AccessKind kind,
             mlir::Value ptr, mlir::Value mask, Kind element);

  /// Fills in the access and checks it.
  Step check(State &state, Access &access) const;
};

/// Calls `fn` with a zero of the unsigned type of an element's size.
template <typename Fn>
auto withSize(unsigned size, Fn fn) {
  switch (size) {
  case 1:
    return fn(uint8_t(0));
  case 2:
    return fn(uint16_t(0));
  case 4:
    return fn(uint32_t(0));
  default:
    return fn(uint64_t(0));
  }
}

} // namespace tilec::interpreter

#endif // TILEC_LIB_INTERPRETER_OPERATIONS_ACCESS_H
