//===- Collector.h - gathers faults -----------------------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A fault that a thousand lanes show is one finding with a count.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_INTERPRETER_CHECKS_COLLECTOR_H
#define TILEC_LIB_INTERPRETER_CHECKS_COLLECTOR_H

#include "Scope.h"
#include "tilec/Interpreter/Findings.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <tuple>

namespace tilec::interpreter {

/// The place in a source that a location names first; what called it comes
/// after. Null if it names none.
mlir::FileLineColLoc placeOf(mlir::Location location);

/// The line and column of a place in a source; zeros if it has none.
std::pair<unsigned, unsigned> lineOf(mlir::Location location);

/// The findings of a run.
class Collector {
public:
  /// Counts `n` more cases of a kind between two operations. The first time it
  /// returns a new finding to fill in, valid until the next call; else null.
  /// Kinds are literals.
  Finding *add(llvm::StringRef kind, mlir::Operation *at,
               mlir::Operation *other = nullptr, uint64_t n = 1);

  /// Adds a fault that would have stopped the run, and clears it. Its finding
  /// is valid until the next call.
  Finding &addFault(Fault &fault);

  /// Keeps a sentence about an operation, the first one.
  void remember(mlir::Operation *op, const llvm::Twine &text) {
    remarks.try_emplace(op, text.str());
  }
  /// What was remembered of an operation, or null.
  const std::string *recall(mlir::Operation *op) const {
    auto it = remarks.find(op);
    return it == remarks.end() ? nullptr : &it->second;
  }

  /// All findings, by their lines; the collector is empty afterwards.
  std::vector<Finding> take();

  bool empty() const { return findings.empty(); }

private:
  std::map<std::tuple<llvm::StringRef, mlir::Operation *, mlir::Operation *>,
           size_t>
      places;
  std::vector<Finding> findings;
  llvm::DenseMap<mlir::Operation *, std::string> remarks;
};

} // namespace tilec::interpreter

#endif // TILEC_LIB_INTERPRETER_CHECKS_COLLECTOR_H
