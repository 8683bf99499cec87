//===- AccessLayouts.cpp - how compiled code accesses tiles ---------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
// The interpreter knows no layouts: it shares nothing with the code generator.
// So a copy of the kernel is compiled as far as layouts, and what they mean for
// memory is handed over as numbers.
//
//===----------------------------------------------------------------------===//

#include "AccessLayouts.h"

#include "tilec/Analysis/MemoryAccess.h"
#include "tilec/Dialect/Tile/IR/Source.h"
#include "tilec/Dialect/Tile/IR/Tile.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace tilec;

/// What the interpreter calls an access.
static StringRef nameOf(Operation *op) {
  if (isa<tile::StoreOp>(op))
    return "store";
  return isa<tile::AtomicRMWOp, tile::AtomicCASOp>(op) ? "atomic" : "load";
}

std::vector<interpreter::AccessLayout>
tilec::findAccessLayouts(func::FuncOp kernel, const CodegenOptions &options) {
  std::vector<interpreter::AccessLayout> layouts;
  MLIRContext *context = kernel.getContext();
  // It is no fault of a run that the kernel does not compile.
  ScopedDiagnosticHandler silence(context, [](Diagnostic &) {});
  OwningOpRef<ModuleOp> module = kernel->getParentOfType<ModuleOp>().clone();
  PassManager passes(context);
  buildPipeline(passes, options, Phase::TileGPU);
  if (failed(passes.run(*module)))
    return layouts;
  auto function = module->lookupSymbol<func::FuncOp>(kernel.getName());
  auto numWarps =
      function ? function->getAttrOfType<IntegerAttr>(tilegpu::kNumWarpsAttr)
               : IntegerAttr();
  if (!numWarps)
    return layouts;
  AxisInfoAnalysis facts(function);
  function.walk([&](Operation *op) {
    std::optional<WarpAccesses> accesses =
        getWarpAccesses(op, facts, numWarps.getInt());
    FileLineColLoc place = tile::findPlace(op->getLoc());
    if (!accesses || !place)
      return;
    interpreter::AccessLayout layout;
    layout.place = place;
    layout.access = nameOf(op).str();
    layout.lanes =
        cast<RankedTensorType>(op->getOperand(0).getType()).getNumElements();
    layout.perInstruction = accesses->perInstruction;
    layout.elements = std::move(accesses->elements);
    layouts.push_back(std::move(layout));
  });
  return layouts;
}
