//===- Fillers.h - lanes that a mask switched off ---------------*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// A load gives the lanes that its mask switches off a filler: 0, or `other`.
// The mirror of the frame marks such elements. A reduction over some of them is
// run again without them: if that gives something else, the fillers have leaked
// into its result, which is marked in turn, and a store of that is reported.
//
// The mirror has a byte for each byte of the frame, and the marks of an element
// are in the first byte of its place. So what only moves elements moves marks
// the same way.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_LIB_INTERPRETER_CHECKS_FILLERS_H
#define TILEC_LIB_INTERPRETER_CHECKS_FILLERS_H

#include "Memory.h"
#include "Operations/AxisLoop.h"
#include "Scope.h"
#include "llvm/ADT/MapVector.h"

namespace tilec::interpreter {

/// The mark of an element that only stands for a lane that is off.
inline constexpr uint8_t kFiller = 0x80;
/// The mark of a filler that repeats data: what a scan carries on into lanes
/// that are off, or one value for all lanes that a filler left as it is. Data
/// that is added to it, or a `where` that picks it out, makes data of it.
inline constexpr uint8_t kCarried = 0x40;
/// The other bits of a mark are of the reductions that leaked into an element;
/// those of a filler count once it is made data.
inline constexpr uint8_t kLeaks = 0x3f;

/// Where fillers of masked loads may get to in a kernel, found before it runs.
class Fillers {
public:
  explicit Fillers(mlir::func::FuncOp kernel);

  /// Does no filler get into a reduction, nor into memory without `other`?
  bool isEmpty() const { return origins.empty(); }
  /// May a value be marked?
  bool mayMark(mlir::Value value) const { return origins.contains(value); }
  /// May an operand of an operation be marked?
  bool mayMarkOperand(mlir::Operation *op) const {
    return llvm::any_of(op->getOperands(),
                        [&](mlir::Value value) { return mayMark(value); });
  }
  /// The bit of a reduction; all beyond the fifth share one.
  uint8_t bitOf(mlir::Operation *reduction) const;
  /// The reductions of a bit.
  llvm::SmallVector<mlir::Operation *> reductionsOf(uint8_t bit) const;
  /// A load whose fillers get into a reduction.
  mlir::Operation *originOf(mlir::Operation *reduction) const;
  /// A load without `other` whose fillers are all that there is to a filler in
  /// a value, changed element by element or not at all. Null if others may be
  /// in there, or what a `where` puts in their place.
  mlir::Operation *unsetOriginOf(mlir::Value value) const;

private:
  bool mark(mlir::Value value, mlir::Operation *origin);
  bool markFrom(mlir::Value from, mlir::Value to);
  bool follow(mlir::Operation *op);
  bool followControl(mlir::Operation *op);

  llvm::DenseMap<mlir::Value, mlir::Operation *> origins; // loads
  llvm::SmallVector<mlir::Operation *> reductions;        // and dots, scans
};

/// Marks the lanes of a load that are off; no others, unless their address is
/// marked. `out` is the place of its result.
void markLoad(State &state, const Access &access, uint64_t addresses,
              uint64_t out);

/// Tells whether a lane of a value is the same without fillers, as far as a few
/// operations after the reductions can be computed again. Null if there are
/// none.
std::function<bool(const State &, int64_t)> makeAbsorbed(Scope &scope,
                                                         mlir::Value value);

/// What looks for fillers in what a store or an atomic puts into memory.
class FillerSink {
public:
  /// `value` is what `op` takes to memory.
  FillerSink(Scope &scope, mlir::Operation *op, mlir::Value value);

  /// Reports the active lanes whose values, at `values` in the frame, or
  /// addresses were leaked into, or whose values are fillers of a load that has
  /// no `other`.
  void check(State &state, const Access &access, uint64_t values) const;

private:
  void checkLeaks(State &state, const Access &access, uint64_t values) const;
  void checkUnset(State &state, const Access &access, uint64_t values) const;

  const Fillers *fillers;
  mlir::Operation *unset; // the load that has no `other`, or null
  std::function<bool(const State &, int64_t)> isAbsorbed; // or null
};

/// Emits the marks of the result of an operation on each element, of which
/// `stored` elements are computed.
void emitFillerFlow(Scope &scope, mlir::Operation *op, const View &result,
                    llvm::ArrayRef<int64_t> stored);

/// Emits the marks of the results of a reduction or scan.
void emitFillerReduce(Scope &scope, mlir::Operation *op, const AxisLoop &loop);
void emitFillerScan(Scope &scope, mlir::Operation *op, const AxisLoop &loop,
                    bool reverse);

/// Emits the marks of the result of a product.
void emitFillerDot(Scope &scope, mlir::Operation *op);

} // namespace tilec::interpreter

#endif // TILEC_LIB_INTERPRETER_CHECKS_FILLERS_H
