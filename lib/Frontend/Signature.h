//===- Signature.h - the types of a kernel's arguments ----------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Decides what each parameter of a kernel is: an argument of some type or a
// constant. The command line comes first, then the source, then the values that
// a run was given.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_FRONTEND_SIGNATURE_H
#define TILEC_LIB_FRONTEND_SIGNATURE_H

#include "Lowering.h"

namespace tilec::frontend {

/// What a parameter of a kernel is.
struct ParamSpec {
  enum Kind { Missing, Argument, Constant } kind = Missing;
  ElemType type;
  /// Of a tensor descriptor: the shape of its block. `type` is then that of its
  /// base.
  std::vector<int64_t> blockShape;
  /// Of a tuple of arguments.
  std::vector<ParamSpec> elements;
  /// A power of two that divides the value; 0 for nothing known.
  int64_t divisibility = 0;
  /// Of `Constant`.
  Val value;
  /// A `:1` hint made it a constant.
  bool isFolded = false;
};

/// What the parameters of `function` are under a request. Null after an error;
/// with `report` off, nothing is said about parameters that are missing (they
/// stay `Missing`).
std::optional<std::vector<ParamSpec>>
resolveParams(Lowering &lowering, const FunctionDef *function,
              const KernelRequest &request, bool report);

/// A text for --sig that fits `function`, for messages: what `specs` know and
/// guesses for the rest, with the items `given` of a signature that does not
/// fit where they may have been meant. `isConstexpr` has an element for each
/// parameter.
std::string suggestSignature(const FunctionDef &function,
                             ArrayRef<ParamSpec> specs,
                             ArrayRef<bool> isConstexpr,
                             ArrayRef<StringRef> given);

/// The constant that a literal means: numbers, texts, None, tuples, type names.
std::optional<Val> literalValue(const Expr *expr);

} // namespace tilec::frontend

#endif // TILEC_LIB_FRONTEND_SIGNATURE_H
