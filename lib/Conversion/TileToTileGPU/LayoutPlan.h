//===- LayoutPlan.h - which layout each tile is computed in -----*- C++ -*-===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The analysis half of convert-tile-to-tilegpu: reads the function, changes
// nothing.
//
//===----------------------------------------------------------------------===//

#ifndef TILEC_CONVERSION_TILETOTILEGPU_LAYOUTPLAN_H
#define TILEC_CONVERSION_TILETOTILEGPU_LAYOUTPLAN_H

#include "tilec/Dialect/TileGPU/IR/TileGPU.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace tilec {

/// Is the result a view of the operand: the same elements under other
/// coordinates?
bool isView(mlir::Operation *op);

/// The operand's layout from which a view has `result` for free.
LinearLayout getViewSource(mlir::Operation *view, const LinearLayout &result);

/// The layout that a view of a tile in `source` has for free; none for a
/// broadcast, which leaves a choice.
std::optional<LinearLayout> getViewResult(mlir::Operation *view,
                                          const LinearLayout &source);

/// Layouts of all tiles of a function.
class LayoutPlan {
public:
  LayoutPlan(mlir::func::FuncOp function, int64_t numWarps);

  /// Is the value computed again in each layout that wants it?
  bool isCheap(mlir::Value value) const { return cheap.contains(value); }

  /// The layout in which a value that is not cheap comes out of its operation.
  LinearLayout getHome(mlir::Value value);

  /// The layout in which any tile is had without a conversion: its home, that
  /// of the value it views, or a default.
  LinearLayout getNative(mlir::Value value);

  /// The layout that a memory operation works in: the one that coalesces it, or
  /// that of the value it moves if the access is as good there.
  LinearLayout getMemoryLayout(mlir::Operation *op);

  /// The layout that a scan works in: whole runs of the axis in each thread.
  LinearLayout getScanLayout(mlir::Type type, unsigned axis) const;

  /// The layout that a reduction works in: that of its first input, unless the
  /// order of elements matters.
  LinearLayout getReduceLayout(tile::ReduceOp op);

private:
  /// Why a class should have a layout, strongest last.
  enum class Reason { Use, Store, View, Load, Reduce, Scan, Dot };
  struct Anchor {
    Reason reason;
    /// Bytes of the tile: among equals the largest wins.
    int64_t weight;
    mlir::Operation *op;
    mlir::Value value;
  };

  void collect(mlir::Region &region);
  void collect(mlir::Operation *op);
  void collectMemory(mlir::Operation *op, mlir::Value value);
  void findCheap(mlir::Operation *op);
  unsigned find(mlir::Value value);
  void unite(mlir::Value a, mlir::Value b);
  void anchor(mlir::Value value, Reason reason, mlir::Operation *op);
  std::optional<LinearLayout> resolve(const Anchor &anchor);
  LinearLayout getClassLayout(mlir::Value value);
  LinearLayout getDefault(mlir::Type type) const;

  int64_t numWarps;
  llvm::DenseSet<mlir::Value> cheap;
  llvm::DenseMap<mlir::Value, unsigned> ids;
  std::vector<unsigned> parents;
  std::vector<llvm::SmallVector<Anchor, 2>> anchors;
  llvm::DenseMap<unsigned, LinearLayout> layouts;
  llvm::DenseSet<unsigned> resolving;
};

} // namespace tilec

#endif // TILEC_CONVERSION_TILETOTILEGPU_LAYOUTPLAN_H
