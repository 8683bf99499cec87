//===- Warnings.h - what a kernel's author is warned of ---------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The front end and the analyses warn of traps of the language through one
// reporter, by one table, Warnings.def. It stands with the IR since both use
// it.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_DIALECT_TILE_IR_WARNINGS_H
#define TILEC_DIALECT_TILE_IR_WARNINGS_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Twine.h"
#include <bitset>
#include <string>

namespace tilec {

/// A row of Warnings.def.
enum class Warning : uint8_t {
#define TILEC_WARNING(ID, NAME, IS_ON, HELP) ID,
#include "tilec/Dialect/Tile/IR/Warnings.def"
};

/// How many rows there are.
inline constexpr unsigned kNumWarnings = 0
#define TILEC_WARNING(ID, NAME, IS_ON, HELP) +1
#include "tilec/Dialect/Tile/IR/Warnings.def"
    ;

/// Which warnings are reported, and which of them as errors.
class WarningOptions {
public:
  WarningOptions();

  /// Does what follows `-W` in a command line: `NAME`, `no-NAME`, `all`,
  /// `no-all`, `error`, `no-error`, `error=NAME`, `no-error=NAME`; of several,
  /// the last counts. Returns the reason if there is no such warning, else an
  /// empty text.
  std::string set(llvm::StringRef text);

  bool isEnabled(Warning warning) const { return enabled[unsigned(warning)]; }
  bool isError(Warning warning) const { return errors[unsigned(warning)]; }

private:
  std::bitset<kNumWarnings> enabled, errors;
};

/// One line of help for each warning.
std::string describeWarnings();

/// Reports the warnings of one compilation, each once for a place in the source
/// however often loops are unrolled and helpers are inlined.
class Warnings {
public:
  explicit Warnings(const WarningOptions &options) : options(options) {}

  /// Ask before computing what only a warning needs.
  bool isEnabled(Warning warning) const { return options.isEnabled(warning); }

  /// A place with what there is to say of it.
  using Note = std::pair<mlir::Location, llvm::StringRef>;

  /// Reports, as an MLIR diagnostic, a warning or the error that it was made;
  /// nothing if it is switched off. The text ends in the warning's name.
  void report(Warning warning, mlir::Location loc, const llvm::Twine &text,
              llvm::ArrayRef<Note> notes = {});

  /// Was any of them an error?
  bool hasErrors() const { return anyError; }

private:
  const WarningOptions &options;
  llvm::DenseSet<std::pair<mlir::Attribute, unsigned>> reported;
  bool anyError = false;
};

} // namespace tilec

#endif // TILEC_DIALECT_TILE_IR_WARNINGS_H
