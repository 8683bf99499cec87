//===- KernelArguments.cpp - kernels and arguments in tile IR -------------===//
//
// Part of the tilec project, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "tilec/Driver/KernelArguments.h"

#include "tilec/Dialect/Tile/IR/Tile.h"
#include "tilec/Pipelines/Constants.h"

using namespace tilec;
using namespace mlir;

Result<func::FuncOp> tilec::findKernel(ModuleOp module, const std::string &name,
                                       const std::string &file) {
  std::string names;
  unsigned count = 0;
  func::FuncOp only;
  for (func::FuncOp function : module.getOps<func::FuncOp>()) {
    if (!function->hasAttr(tile::kKernelAttr))
      continue;
    if (function.getName() == name)
      return function;
    only = function;
    names += (count++ ? ", '" : "'") + function.getName().str() + "'";
  }
  if (name.empty() && count == 1)
    return only;
  if (!count)
    return Error{"'" + file +
                 "' holds the IR of a later phase than the interpreter runs"};
  if (name.empty())
    return Error{"'" + file +
                 "' has several kernels, choose one with --kernel: " + names};
  return Error{"'" + file + "' has no kernel '" + name + "', only " + names};
}

std::optional<ParamType> tilec::argumentType(func::FuncOp kernel,
                                             unsigned index) {
  if (auto text = kernel.getArgAttrOfType<StringAttr>(index, tile::kTypeAttr))
    return parseParamType(text.getValue().split(':').first);
  ParamType result;
  Type type = kernel.getArgumentTypes()[index];
  if (auto pointer = dyn_cast<tile::PtrType>(type)) {
    result.isPointer = true;
    type = pointer.getPointee();
  }
  std::string name;
  llvm::raw_string_ostream(name) << type;
  std::optional<ElementType> element = parseElementType(name);
  if (!element)
    return std::nullopt;
  result.element = *element;
  return result;
}

std::string tilec::argumentName(func::FuncOp kernel, unsigned index) {
  if (auto name = kernel.getArgAttrOfType<StringAttr>(index, tile::kNameAttr))
    return name.str();
  return "arg" + std::to_string(index);
}

std::optional<NamedConstant> tilec::findConstant(func::FuncOp kernel,
                                                 llvm::StringRef name) {
  for (llvm::StringRef list : {tile::kConstantsAttr, tile::kFoldedAttr})
    for (NamedConstant &constant : readConstants(kernel, list))
      if (constant.name == name)
        return std::move(constant);
  return std::nullopt;
}
