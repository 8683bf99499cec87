//===- Builtins.h - the functions of the language ---------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// Each function is a row of Builtins.def: name, where it is visible, parameters
// as they would be written in Python, and the C++ function that lowers a call.
// Keywords, defaults and wrong arguments are handled once, from the row.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_FRONTEND_BUILTINS_H
#define TILEC_LIB_FRONTEND_BUILTINS_H

#include "Value.h"
#include "mlir/Support/LLVM.h"

namespace tilec::frontend {

class Lowering;

/// One argument at a call, before it is matched with parameters.
struct Argument {
  StringRef name;
  Val value;
  mlir::Location loc;
};
using CallInput = std::vector<Argument>;

/// The arguments of a builtin in the order of its parameters.
struct CallArgs {
  const BuiltinRow &row;
  mlir::Location loc;
  std::vector<Val> values;
  std::vector<mlir::Location> locs;
  std::vector<bool> given;
  /// What `*args` got.
  std::vector<Val> rest;
  std::vector<mlir::Location> restLocs;

  Val &operator[](size_t i) { return values[i]; }
};

using BuiltinHandler = mlir::FailureOr<Val> (*)(Lowering &, CallArgs &);

/// Where a function is visible.
enum BuiltinScope : unsigned {
  /// In the language module, and without prefix in `.tile` files.
  kLanguage = 1,
  /// As a method of values.
  kMember = 2,
  /// In the module of the device's mathematical library.
  kLibdevice = 4,
  /// Without prefix everywhere, as in Python.
  kPython = 8,
  /// In the `triton` module.
  kTriton = 16,
  /// In the language's module `target_info`.
  kTarget = 32
};

/// A row of Builtins.def.
struct BuiltinRow {
  StringRef name;
  unsigned scope;
  StringRef signature;
  BuiltinHandler handler;
};

/// The rows that have this name and one of these scopes; null for none.
const BuiltinRow *findBuiltin(StringRef name, unsigned scope);

/// All rows.
llvm::ArrayRef<BuiltinRow> allBuiltins();

/// A parameter of a row's signature.
struct BuiltinParam {
  StringRef name;
  bool hasDefault = false;
  bool isStar = false;
  bool ignoresKeywords = false;
  bool isKeywordOnly = false;
  Val defaultValue;
};

/// Reads a row's signature.
std::vector<BuiltinParam> parseSignature(StringRef signature);

} // namespace tilec::frontend

#endif // TILEC_LIB_FRONTEND_BUILTINS_H
