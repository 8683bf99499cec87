//===- Architecture.cpp - what each architecture has ----------------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tilec/Analysis/Architecture.h"
#include "tilec/Dialect/TileGPU/IR/TileGPU.h"
#include <string>

using namespace tilec;

static constexpr Architecture kArchitectures[] = {
#define TILEC_ARCH(name, capability, ptx, shared)                              \
  {llvm::StringLiteral(name), capability, ptx, shared},
#include "tilec/Analysis/Architectures.def"
};

const Architecture *tilec::findArchitecture(llvm::StringRef name) {
  for (const Architecture &arch : kArchitectures)
    if (arch.name == name)
      return &arch;
  return nullptr;
}

const Architecture *tilec::getArchitecture(mlir::Operation *op) {
  auto module = mlir::dyn_cast<mlir::ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<mlir::ModuleOp>();
  auto name = module->getAttrOfType<mlir::StringAttr>(tilegpu::kArchAttr);
  return name ? findArchitecture(name.getValue()) : nullptr;
}

std::string tilec::listArchitectures() {
  std::string list;
  for (const Architecture &arch : kArchitectures)
    list += (list.empty() ? "" : ", ") + arch.name.str();
  return list;
}
